# Sourced by run, heavy and clang. Needs a Debian-like machine with CPython >= 3.11; g++, clang and valgrind are installed if missing.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export CI=true DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
unset FRAMEGAUGE_DEBUG FRAMEGAUGE_SANITIZE FRAMEGAUGE_DIST PYTHONPATH
export PYTEST_ADDOPTS='-n auto --dist loadgroup'  # on all cores; a later -n wins
# Tests of the slow reference alone, which is Python and not part of the package: once, on the checkout, is enough.
of_reference=(--ignore=tests/unit/test_reference.py --ignore=tests/unit/test_reference_verdict.py)
# Facts and verdicts of all vectors; the Python API; and what writes or reads at the ends of memory.
vectors=(tests/unit/test_tokenizer.py tests/unit/test_gauge.py)
api=(tests/unit/test_api.py tests/unit/test_gauge_api.py tests/unit/test_own_rules.py)
bounds=(tests/unit/test_api.py tests/unit/test_gauge_api.py tests/unit/test_limits.py tests/unit/test_room.py tests/property)

work=$(mktemp -d)
started=$SECONDS
running=setup
report=()

finish() {
  local status=$?
  ((status == 0)) || cat "$work"/report.* 2>/dev/null || true
  rm -rf "$work"
  printf '%s\n' "${report[@]}" "all legs: $((SECONDS - started)) s"
  ((status == 0)) || echo "FAILED in leg: $running (exit status $status)"
}
trap finish EXIT

# leg NAME COMMAND...: runs one part and notes how long it took. Never call it in a condition: that would disarm set -e.
leg() {
  local begun=$SECONDS
  running=$1
  echo "=== $running"
  "${@:2}"
  report+=("leg $running: $((SECONDS - begun)) s")
  echo "${report[-1]}"
}

# together COMMAND...: runs functions at the same time, one on each core; shows what each prints when all have ended.
together() {
  local name process failed=0 processes=() logs=()
  for name in "$@"; do
    logs+=("$work/$name.log")
    (
      trap - EXIT
      begun=$SECONDS
      "$name"
      echo "$name: $((SECONDS - begun)) s"
    ) >"${logs[-1]}" 2>&1 &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process" || failed=1
  done
  tail --quiet --lines=+1 "${logs[@]}"
  return "$failed"
}

# minor PYTHON: prints 3.x for a CPython that works and is recent enough, else nothing.
minor() {
  "$1" -c 'import sys; v = sys.version_info
if v >= (3, 11) and sys.implementation.name == "cpython": print(f"{v[0]}.{v[1]}")' 2>/dev/null || true
}

# complete PYTHON: can it make virtual environments and compile extensions?
complete() {
  "$1" -c 'import ensurepip, os, sysconfig, venv
raise SystemExit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}

# pythons: the interpreters that can build extensions, one of each version, as lines of VERSION PATH.
pythons() {
  local version candidate
  for version in 3.11 3.12 3.13; do
    for candidate in "python$version" ~/.pyenv/versions/"$version".*/bin/python; do
      if [[ $(minor "$candidate") == "$version" ]] && complete "$candidate"; then
        echo "$version $candidate"
        continue 2
      fi
    done
    echo "CPython $version: none here that can build extensions" >&2
  done
}

# Sets python to the interpreter that does most of the work: the first one on PATH that is recent enough.
find_python() {
  local candidate
  for candidate in python3 python python3.13 python3.12 python3.11 ~/.pyenv/versions/3.1[123].*/bin/python; do
    if [[ -n $(minor "$candidate") ]]; then
      python=$candidate
      return
    fi
  done
  python=
}

# Is there a clang with libFuzzer and its sanitizers? fuzz/build.py looks for the same ones.
fuzzing_clang() {
  local candidate program='extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
  for candidate in clang++ clang++-{24..14}; do
    "$candidate" -fsanitize=fuzzer,address,undefined -xc++ - -o /dev/null <<<"$program" 2>/dev/null && return
  done
  return 1
}

setup() {
  local missing=()
  find_python
  [[ -n $python ]] || missing+=(python3)
  [[ -n $python ]] && complete "$python" || missing+=(python3-venv python3-dev)
  command -v g++ >/dev/null || missing+=(g++)
  command -v valgrind >/dev/null || missing+=(valgrind)
  fuzzing_clang || missing+=(clang-19 libclang-rt-19-dev)
  if ((${#missing[@]})); then
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends "${missing[@]}"
    find_python
  fi
  if [[ -z $python ]] || ! complete "$python"; then
    echo "no CPython >= 3.11 with venv and Python.h" >&2
    return 1
  fi
  "$python" -VV
  g++ --version | head -n 1
}

# new_venv PYTHON FOLDER: pip is renewed because the one that comes along may be too old for dependency groups.
new_venv() {
  "$1" -m venv "$2"
  "$2/bin/python" -m pip install --quiet --upgrade 'pip>=25.1'
}

# unpack SDIST FOLDER: the sdist's content directly in the folder.
unpack() {
  mkdir -p "$2"
  tar --extract --gzip --file "$1" --directory "$2" --strip-components 1
}

# Proves that what will be tested is the installed package and no folder of sources.
installed_only() {
  "$1" -c 'import framegauge, sys; sys.exit(0 if framegauge.__file__.startswith(sys.prefix) else framegauge.__file__)'
}

# test_installed VENV DIST PYTEST-ARGUMENTS...: the package installed there, tested with what the sdist carries.
test_installed() {
  (
    cd "$work/sdist"
    installed_only "$1/bin/python"
    FRAMEGAUGE_DIST=$2 "$1/bin/python" -m pytest "${@:3}"
  )
}

install_sanitized() {
  new_venv "$python" "$work/sanitized"
  unpack "$work"/dist/*.tar.gz "$work/sanitized-source"
  FRAMEGAUGE_SANITIZE=1 "$work/sanitized/bin/python" -m pip install --quiet "$work/sanitized-source[dev]"
  if [[ $(nm --dynamic "$work"/sanitized/lib/python*/site-packages/framegauge/native/tokenizer.*.so) != *__asan_init* ]]; then
    echo "the module is not instrumented: this leg would prove nothing" >&2
    return 1
  fi
}

# test_sanitized PYTEST-ARGUMENTS...: with ASan and UBSan in the module.
# libstdc++ too: the sanitizer looks for __cxa_throw when the process starts, before Python has loaded any C++.
# Reports go to files, which finish() shows, because pytest holds stderr when the process is aborted.
test_sanitized() {
  (
    cd "$work/sdist"
    LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
    ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:handle_segv=2:strict_string_checks=1:log_path=$work/report
    UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:log_path=$work/report
    export LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS PYTHONMALLOC=malloc
    "$work/sanitized/bin/python" -m pytest "$@"
  )
}
