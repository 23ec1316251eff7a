"""Interpreters, processes and modules: several of them, started anew, and ended while work is done."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support import TESTS

CALL = r"""
import framegauge as fg
CALL = b'{"jsonrpc":"2.0","id":null,"method":"m","params":{"a":[1,2],"a":{}}}'
LARGE = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":[' + b'"a\\n",' * 100_000 + b"null]}}"
gauge = fg.Gauge("2025-11-25", transport="stdio")

def told(_=None):
    verdict = gauge.check(CALL)
    lines = gauge.check_lines((CALL + b"\n") * 100)
    found = [(finding.rule, finding.path, finding.hint) for finding in verdict.findings]
    return fg.classify(LARGE).kind.value, found, lines.rule_counts()

def run_threads(count, seconds):
    import threading, time
    stop = time.monotonic() + seconds
    def work():
        while time.monotonic() < stop:
            assert told() == expected
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads

if __name__ == "__main__":
    expected = told()
"""


def run(program: str, *options: str, timeout: float = 120) -> str:
    command = [sys.executable, *options, "-c", CALL + program]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False, timeout=timeout)
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
    assert done.stderr == ""
    return done.stdout


def test_a_subinterpreter_is_refused_in_words() -> None:
    """An ImportError there, no crash; the main interpreter goes on. The state of the modules is one for the process."""
    program = r"""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
code = '''
try:
    import framegauge
except ImportError as error:
    said = str(error)
else:
    raise SystemExit("it was imported")
if "interpreter" not in said:
    raise SystemExit("said: " + said)
'''
for _ in range(3):
    for options in ({"isolated": True}, {"isolated": False}, "isolated", "legacy"):
        try:
            one = interpreters.create(**options) if isinstance(options, dict) else interpreters.create(options)
        except (TypeError, ValueError):
            continue  # another release's way to ask
        failed = interpreters.run_string(one, code)  # raises, or tells in newer releases
        if failed is not None:
            raise SystemExit(repr(failed))
        interpreters.destroy(one)
        print("refused")
    assert told() == expected
"""
    assert run(program, "-W", "ignore").split() in (["refused"] * count for count in (3, 6, 12))


def test_processes_started_by_fork_and_spawn() -> None:
    program = r"""
    import multiprocessing, warnings
    warnings.simplefilter("ignore")  # fork beside threads is what is tested
    run_threads(2, 0.5)
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(3) as pool:
            seen = pool.map(told, range(30))
        assert all(one == expected for one in seen), method
        print(method)
"""
    with_main = TESTS.parent / "build"
    with_main.mkdir(exist_ok=True)
    path = with_main / f"spawned-{os.getpid()}.py"  # spawn imports the main module, so there must be one
    path.write_text(CALL + program, "utf-8")
    try:
        done = subprocess.run(
            [sys.executable, path], cwd=TESTS.parent, capture_output=True, text=True, check=False, timeout=300
        )
    finally:
        path.unlink()
    assert (done.returncode, done.stdout.split()) == (0, ["fork", "spawn", "forkserver"]), done.stderr[-3000:]


def test_modules_loaded_again() -> None:
    """Old objects and new modules do not mix, and nothing crashes: the compiled modules are loaded once."""
    program = r"""
    import importlib, sys, gc
    old = gauge.check(CALL)
    before = sys.modules["framegauge.native.tokenizer"]
    importlib.reload(sys.modules["framegauge"])
    importlib.reload(sys.modules["framegauge.gauge"])
    assert told() == expected
    for name in [name for name in sys.modules if name.startswith("framegauge")]:
        del sys.modules[name]
    gc.collect()
    import framegauge as again
    said = [finding.rule for finding in again.Gauge("2025-11-25", transport="stdio").check(CALL).findings]
    assert said == [finding.rule for finding in old.findings] != [], said
    assert told() == expected
    print("again")
"""
    assert run(program) == "again\n"


@pytest.mark.parametrize("how", ["sys.exit(0)", "os._exit(0)", "raise SystemExit(0)", "pass"])
def test_the_end_of_the_interpreter(how: str) -> None:
    """Live objects in globals, cycles, thread locals and daemon threads in the middle of a scan."""
    program = r"""
    import atexit, os, sys, threading
    class Late:
        def __del__(self):
            self.verdict.findings, self.frame.id, len(self.lines)
    late = Late()
    late.me, late.verdict, late.frame = late, gauge.check(CALL), fg.classify(bytearray(LARGE))
    late.lines = gauge.check_lines(bytearray(CALL + b"\n"))
    sys.kept = [late, gauge.check(memoryview(CALL)), memoryview(late.lines.kind)]
    atexit.register(told)
    def forever():
        while True:
            fg.classify(LARGE), gauge.check_lines(LARGE)
    for _ in range(4):
        threading.Thread(target=forever, daemon=True).start()
    local = threading.local()
    local.frame = fg.classify(LARGE)
    print("end", flush=True)
    HOW
"""
    assert run(program.replace("HOW", how)) == "end\n"


def test_a_small_stack_is_enough() -> None:
    """128 KiB for all threads, and for the process 256 KiB: nothing recursive, no large arrays."""
    program = r"""
    import resource, threading
    threading.stack_size(128 << 10)
    for thread in run_threads(4, 0.3):
        thread.join()
    print("done")
"""
    command = ["bash", "-c", 'ulimit -s 256; exec "$0" -c "$1"', sys.executable, CALL + program]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-3000:]
