"""Each allocation of a call fails once, Python's own among them: MemoryError, never a crash or a wrong answer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.native.simdjson import refuse
from tests.support import TESTS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="glibc's names of malloc")

# A new thread each time, so that its scratch grows anew; no collector in the way. The thread's first call is not among
# those that fail: the C library ends a process that has no memory for a thread's own variables. Whether CPython gives
# every reference back then is not asked.
PROGRAM = r"""
import ctypes, gc, sys, threading
import framegauge as fg
from framegauge import bulk
from framegauge.native import columns as lines
from framegauge.native.tokenizer import element_offsets
gc.disable()
off = fg.Limits(None, None, None, None, None)
CALL = b'{"jsonrpc":"2.0","id":null,"method":"m\\u0041","params":{"a":[1,2],"a":{},"\\u0061b":1}}'
BATCH = b"[" + b",".join([CALL] * 3) + b"]"
KEYS = b'{"jsonrpc":"2.0","id":1,"result":{' + b",".join(b'"%d":0' % n for n in range(60)) + b',"7":1}}'
DEEP = b"[" * 200 + b"]" * 200
RUN = b'{"jsonrpc":"2.0",\n"id":1,\n"method":"m"}\n'
LINES = (CALL + b"\n" + BATCH + b"\n" + KEYS + b"\n" + RUN + b"Content-Length: 5\n{\n\n") * 3
gauge = fg.Gauge("2025-03-26", transport="stdio", limits=off)
http = fg.Gauge("auto", transport="http", direction="client-to-server", limits=off)

def all_of(gauge, frame):
    v = gauge.check(frame)
    reply = v.reply
    found = [(f.rule, f.severity, f.offset, f.path, f.hint, f.message, f.count) for f in v.findings]
    return v.kind, v.ok, found, reply and reply.body(), v.status, v.respond, v.revision, len(v.items)

def columns(data):
    v = gauge.check_lines(data)
    names = ("offset", "length", "kind", "facts", "rules", "fault", "id_start", "method")
    return [bytes(memoryview(getattr(v, name))) for name in names], v.rule_counts(), v.kind_counts(), v.other_methods()

def facts(frame):
    f = fg.classify(frame, off)
    return f.kind, f.fault, f.id, f.method, sorted(f.facts), repr(f.members("params")), f.depth, f.duplicates

WORK = {
    "classify": lambda: list(map(facts, (CALL, BATCH, KEYS, DEEP, DEEP[:200], b"log " + CALL, b"\xef\xbb\xbf" + CALL))),
    "classify other buffers": lambda: [facts(bytearray(frame)) for frame in (CALL, KEYS, b"nope")],
    "check": lambda: [all_of(gauge, frame) for frame in (CALL, KEYS, b"nope", b"", DEEP)],
    "check other buffers": lambda: [all_of(gauge, memoryview(frame)) for frame in (CALL, b"nope")],
    "check batches": lambda: [all_of(http, BATCH), all_of(gauge, BATCH)],
    "to_dict": lambda: gauge.check(CALL).to_dict(),
    "elements": lambda: element_offsets(BATCH),
    "check_lines": lambda: columns(LINES),
    "check_lines of a bytearray": lambda: columns(held),
    "end of object": lambda: lines.end_of_object(held, off, 0),
    "scan": lambda: bulk.scan([sys.argv[2]], gauge=gauge, jobs=1).to_dict(),
}
work = WORK[sys.argv[1]]
held = bytearray(LINES)
open(sys.argv[2], "wb").write(LINES)
fail = ctypes.CDLL(None)
expected = repr(work())
state = {}

def once(nth):
    fg.classify(b"{}")
    try:
        fail.fail_malloc(nth)
        try:
            seen = work()
        finally:
            fired = fail.failed_malloc()
        state["told"] = fired, seen
    except MemoryError:
        state["told"] = None
    except OSError as error:  # the system's functions say it so
        assert error.errno == 12, error
        state["told"] = None
    except RuntimeError as error:  # CPython's own locks
        assert "can't allocate" in str(error), error
        state["told"] = None

def in_thread(nth):
    state.clear()
    thread = threading.Thread(target=once, args=(nth,))
    thread.start()
    thread.join()
    return state["told"]

refused = survived = nth = 0
while True:
    nth += 1
    told = in_thread(nth)
    if told is None:
        refused += 1
    else:
        fired, seen = told
        assert repr(seen) == expected, (nth, seen)
        if not fired:
            break
        survived += 1
    if nth % 20 == 0:
        assert repr(work()) == expected, nth
assert repr(work()) == expected
print(refused, survived)
"""
WORK = (
    "classify",
    "classify other buffers",
    "check",
    "check other buffers",
    "check batches",
    "to_dict",
    "elements",
    "check_lines",
    "check_lines of a bytearray",
    "end of object",
    "scan",
)


@pytest.fixture(scope="module")
def preloaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which(os.environ.get("CC", "gcc"))
    if not compiler:
        refuse("no gcc")
    target = tmp_path_factory.mktemp("fail_malloc") / "fail_malloc.so"
    source = TESTS / "native" / "fail_malloc.c"
    subprocess.run([str(compiler), "-shared", "-fPIC", "-O1", "-fno-builtin", source, "-o", target], check=True)
    return target


@pytest.mark.heavy
@pytest.mark.parametrize("work", WORK)
def test_each_allocation_fails_once(preloaded: Path, work: str, tmp_path: Path) -> None:
    environment = os.environ | {"LD_PRELOAD": str(preloaded), "PYTHONMALLOC": "malloc"}
    command = [sys.executable, "-c", PROGRAM, work, tmp_path / "lines"]
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
    refused, _ = map(int, done.stdout.split())
    assert refused >= 3, "nothing was refused"
