"""Where memory runs out, at whatever allocation: MemoryError, never a wrong verdict, and the next call is as before."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support import TESTS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc")

# Frames whose scratch grows in different places, under a limit on address space that is moved up step by step.
PROGRAM = """
import resource, sys
import framegauge as fg
off = fg.Limits(None, None, None, None, None)
levels = 400_000
keys = b",".join(b'"%d":0' % n for n in range(150_000))
frame = {
    "arrays": b"[" * levels + b"]" * levels,
    "objects": b'{"a":' * levels + b"1" + b"}" * levels,
    "broken objects": b'{"a":' * levels + b"x",
    "broken objects behind a BOM": b"\\xef\\xbb\\xbf" + b'{"a":' * levels + b"x",
    "text before objects": b"log " + b'{"a":' * levels + b"1" + b"}" * levels,
    "keys": b"{" + keys + b"}",
    "doubled keys": b"{" + keys + b',"77":1}',
    "escaped key": b'{"\\\\u0041' + b"a" * 2_000_000 + b'":1,"Aa":2}',
}[sys.argv[1]]
def told(seen):
    return repr((seen.kind, seen.fault, seen.facts == 0, seen.depth, seen.largest_object, seen.duplicates, seen.size))
def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * 4096
child = sys.argv[2:] == ["expected"]
if child:
    print(told(fg.classify(frame, off)))
    sys.exit()
expected = sys.argv[2]
refused = good = 0
start = used()
for step in range(0, 600):
    resource.setrlimit(resource.RLIMIT_AS, (start + step * 131072, resource.RLIM_INFINITY))
    try:
        seen = fg.classify(frame, off)
    except MemoryError:
        seen = None
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if seen is None:
        refused += 1
    else:
        good += 1
        assert told(seen) == expected, (step, told(seen))
    small = fg.classify(b'{"jsonrpc":"2.0","id":1,"method":"m"}')
    assert (small.kind, small.id) == ("request", b"1")
    if good > 3:
        break
print(refused, good)
"""
SORTS = ("arrays", "objects", "broken objects", "text before objects", "keys", "doubled keys", "escaped key")


def run(*arguments: str) -> str:
    command = [sys.executable, "-c", PROGRAM, *arguments]
    # Large blocks are mapped, each for itself: glibc would serve them from what was freed before, and meet no limit.
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("sort", [*SORTS, "broken objects behind a BOM"])
def test_memory_that_runs_out_is_an_exception(sort: str) -> None:
    refused, good = map(int, run(sort, run(sort, "expected").strip()).split())
    assert refused > 3, "the limit was never met"
    assert good > 0, "no call had enough memory"


LINES = """
import resource, sys
import framegauge as fg
blank, long = 70_000, 60
data = b"\\n" * blank + (b'"' + b"x" * 1_000_000 + b'"\\n') * long
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
verdicts = fg.Gauge().check_lines(data)
print(verdicts.kind_counts() == {"empty": blank, "invalid": long})
"""


def test_columns_need_room_for_the_lines_there_are() -> None:
    """Were all lines as short as the first ones, the columns would take 4 GB, more than there is; they take 4 MB."""
    done = subprocess.run([sys.executable, "-c", LINES], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("True\n", "")
