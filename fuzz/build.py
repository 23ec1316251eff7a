"""Compiles a native harness with clang: ASan, UBSan and libFuzzer around the core. Kept until any of it changes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import threading
from pathlib import Path

from fuzz import protocols
from fuzz.seeds import FUZZ, ROOT

NATIVE = ROOT / "src" / "framegauge" / "native"
CPP = NATIVE / "cpp"
CHECKS = ("address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
FLAGS = ("-std=c++17", "-O2", "-g1", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS")
COMPILERS = ("clang++", *(f"clang++-{release}" for release in range(24, 13, -1)))
_one_at_a_time = threading.Lock()  # the targets share simdjson's object


def compiler() -> str:
    """A clang that has libFuzzer: $CXX if it is one, else the first on PATH."""
    for name in (os.environ.get("CXX", ""), *COMPILERS):
        if "clang" in name and shutil.which(name) and _links(name):
            return name
    raise SystemExit("no clang with libFuzzer: apt-get install clang-19 libclang-rt-19-dev")


def _links(name: str) -> bool:
    program = b'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    command = [name, f"-fsanitize=fuzzer,{CHECKS[0]}", "-xc++", "-", "-o", os.devnull]
    return subprocess.run(command, input=program, capture_output=True, check=False).returncode == 0


def simdjson_folder() -> Path:
    """As setup.py finds it, but nothing is downloaded."""
    named = os.environ.get("SIMDJSON_DIR")
    places = [Path(named)] if named else [ROOT / "third_party" / "simdjson", ROOT / "build" / "simdjson"]
    for place in places:
        if (place / "simdjson.cpp").is_file():
            return place
    raise SystemExit(f"simdjson.cpp is not in {' or '.join(map(str, places))}: build the package first")


def program(target: str, folder: Path, planted: int = 0) -> Path:
    """The compiled harness; `planted` is the number of a promise that is broken on purpose."""
    with _one_at_a_time:
        clang, simdjson = compiler(), simdjson_folder()
        library = _kept(
            folder, "simdjson.o", [simdjson / "simdjson.cpp"], clang, ["-w", f"-fsanitize={CHECKS[0]}", "-c"]
        )
        sources = [FUZZ / f"{target}.cpp", library]
        headers = sorted([*NATIVE.glob("*.h"), *CPP.rglob("*.*pp"), *FUZZ.glob("*.hpp"), *FUZZ.glob("*.inc")])
        headers += [protocols.write(folder / "protocols.inc"), ROOT / "tests" / "native" / "gauges.hpp"]
        options = [f"-fsanitize=fuzzer,{CHECKS[0]}", "-Wall", "-Wextra", "-Werror", f"-DFG_FUZZ_PLANTED={planted}"]
        options += [f"-I{NATIVE}", f"-I{CPP}", f"-isystem{simdjson}", f"-I{folder}"]
        return _kept(folder, target, sources, clang, options, headers)


def _kept(
    folder: Path, name: str, sources: list[Path], clang: str, options: list[str], headers: list[Path] | None = None
) -> Path:
    """What the compiler makes of the sources, under a name that tells everything it was made of."""
    command = [clang, *FLAGS, *CHECKS[1:], *options, *map(str, sources)]
    key = hashlib.sha256(
        repr(command).encode() + subprocess.run([clang, "--version"], capture_output=True, check=True).stdout
    )
    for path in [*sources, *(headers or [])]:
        key.update(path.read_bytes())
    made = folder / f"{key.hexdigest()[:12]}-{name}"
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = made.with_suffix(f".{os.getpid()}.o" if name.endswith(".o") else f".{os.getpid()}")
        done = subprocess.run([*command, "-o", str(part)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{name} does not build:\n{done.stderr[-6000:]}")
        part.replace(made)
    return made
