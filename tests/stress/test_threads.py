"""Threads, re-entrancy, fork, and memory over many calls. What has to be measured runs in a process of its own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.gauge import fact_program
from framegauge.gauge.fact_program import table_for
from framegauge.gauge.gauge import ON_DEMAND
from framegauge.native import verdict as native
from framegauge.native.verdict import bind
from tests.support import TESTS
from tests.support.vectors import all_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VECTORS = [vector.frame for vector in all_vectors()]
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,2.5,"\\u00e9"]}}}'
# Above the size from which the GIL is released; each tells something else.
LARGE = [
    b'{"jsonrpc":"2.0","id":%d,"method":"m%d","params":{"x":[' % (n, n) + b'"a\\n",' * 3000 + b"null]}}"
    for n in range(4)
]
LARGE += [frame[:-2] for frame in LARGE] + [frame.replace(b"null", b"nul", 1) for frame in LARGE[:2]]


def told(frame: fg.Frame) -> tuple[Any, ...]:
    fault = frame.fault
    sizes = (frame.size, frame.items, frame.depth, frame.longest_number, frame.largest_object, frame.duplicates)
    return (
        *(frame.kind, fault, fault and fault.json_start, frame.id, frame.method, frame.facts, sizes),
        *(repr(frame.members(group)) for group in ("params", "result", "error", "_meta")),
    )


class Workers:
    """Threads that all start at once and run until told; the first thing that goes wrong in one is raised by join()."""

    def __init__(self, count: int, seconds: float, work: Any) -> None:
        self.stop = time.monotonic() + seconds
        self.rounds = [0] * count
        self.wrong: list[BaseException] = []
        self.barrier = threading.Barrier(count)
        self.threads = [threading.Thread(target=self.run, args=(n, work)) for n in range(count)]

    def run(self, number: int, work: Any) -> None:
        try:
            self.barrier.wait(30)
            while time.monotonic() < self.stop and not self.wrong:
                work(number, self.rounds[number])
                self.rounds[number] += 1
        except BaseException as error:  # a thread has nobody else to tell
            self.wrong.append(error)

    def join(self) -> None:
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join(300)
        if self.wrong:
            raise self.wrong[0]
        assert min(self.rounds) > 0, self.rounds


def hammer(seconds: float, count: int = 8) -> None:
    """Small and large frames, shared bytes and objects of one's own, in another order in every thread."""
    shared = VECTORS + LARGE * 4
    expected = [told(fg.classify(data)) for data in shared]

    def work(number: int, round_: int) -> None:
        start = (number * 97 + round_ * 31) % len(shared)
        for i in range(start, start + 150):
            data = shared[i % len(shared)]
            own = data if round_ % 2 else bytearray(data)
            assert told(fg.classify(own)) == expected[i % len(shared)], data[:200]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        Workers(count, seconds, work).join()
    finally:
        sys.setswitchinterval(interval)


def test_threads_do_not_disturb_each_other() -> None:
    hammer(1.5)


@pytest.mark.heavy
def test_threads_do_not_disturb_each_other_for_long() -> None:
    hammer(120, count=16)


def test_large_frames_leave_the_gil() -> None:
    """While one thread scans for long, another one goes on: it would be stuck for all that time otherwise."""
    data = b'["' + b"\\u00e9" * 2_000_000 + b'"]'
    steps, done = 0, threading.Event()

    def scan() -> None:
        for _ in range(20):
            fg.classify(data)
        done.set()

    thread = threading.Thread(target=scan)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    try:
        thread.start()
        while not done.is_set():
            steps += 1
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert steps > 1000


def test_a_bytearray_cannot_be_moved_while_it_is_read() -> None:
    memory = bytearray(LARGE[0] + b" " * 2_000_000)
    done, refused = threading.Event(), 0

    def scan() -> None:
        for _ in range(100):
            assert fg.classify(memory).kind == "request"
        done.set()

    thread = threading.Thread(target=scan)
    thread.start()
    while not done.is_set():
        try:
            memory.append(32)
            memory.pop()
        except BufferError:
            refused += 1
    thread.join()
    assert len(memory) == len(LARGE[0]) + 2_000_000
    assert refused >= 0  # how often they meet is chance


# ---- re-entrancy


class Nested:
    """Classifies something while another call is under way, and counts how often that was."""

    def __init__(self) -> None:
        self.calls = 0
        self.wrong: list[bytes] = []
        self.expected = [told(fg.classify(data)) for data in VECTORS]

    def __call__(self, *_: object) -> None:
        at = self.calls * 7 % len(VECTORS)
        self.calls += 1
        # Nothing may be raised here: a finalizer and a collector's callback would lose it.
        if told(fg.classify(VECTORS[at])) != self.expected[at]:
            self.wrong.append(VECTORS[at])


def classify_and_compare(expected: list[tuple[Any, ...]], rounds: int = 1) -> None:
    for _ in range(rounds):
        for data, known in zip(VECTORS, expected, strict=True):
            assert told(fg.classify(data)) == known


def check(nested: Nested) -> None:
    assert nested.calls > 10
    assert nested.wrong == []


def test_a_finalizer_may_classify() -> None:
    nested = Nested()

    class Buffer(bytearray):
        def __del__(self) -> None:
            nested()

    for data, known in zip(VECTORS, nested.expected, strict=True):
        assert told(fg.classify(Buffer(data))) == known
    check(nested)


def test_a_callback_of_the_collector_may_classify() -> None:
    nested = Nested()
    gc.callbacks.append(nested)
    threshold = gc.get_threshold()
    gc.set_threshold(3)
    try:
        classify_and_compare(nested.expected)
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(nested)
    check(nested)


def named(revision: str, padding: int = 0) -> bytes:
    return b'{"jsonrpc":"2.0","id":"%s","result":{"protocolVersion":"%s"}}' % (b"x" * padding, revision.encode())


def kept_table(gauge: fg.Gauge) -> Any:
    """The table by which that gauge judges a frame of 2025-06-18."""
    frame = named("2025-06-18")
    return native.claimed_table(gauge.check(frame), frame, gauge.table)


@pytest.fixture
def rebind() -> Iterator[Callable[[Any], None]]:
    """Puts another function in place of the one that makes the table of a claimed revision."""
    yield lambda claimed_table: bind(**{**ON_DEMAND, "claimed_table": claimed_table})
    bind(**ON_DEMAND)


def test_a_table_that_was_made_meanwhile_stays(rebind: Callable[[Any], None]) -> None:
    """Others may be reading lines by it, without a lock."""
    inner: list[Any] = []

    def claimed_table(context: Any, number: int) -> Any:
        if not inner:
            inner.append(None)
            inner[0] = kept_table(gauge)
        return table_for.__wrapped__(context._replace(revision="2025-06-18", listed=()))

    rebind(claimed_table)
    gauge = fg.Gauge(limits=fg.Limits(max_members=4321))
    assert kept_table(gauge) is inner[0]
    assert kept_table(gauge) is inner[0]


def test_a_frame_that_is_blanked_while_its_table_is_made(rebind: Callable[[Any], None]) -> None:
    """A breach of the contract; but no memory behind the frame may be read for it."""
    frame = bytearray(named("2026-07-28"))

    def claimed_table(context: Any, number: int) -> Any:
        assert not other.check(named("2026-07-28", 1 << 20)).ok  # there is no resultType
        frame[:] = b" " * len(frame)
        return fact_program.claimed_table(context, number)

    other = fg.Gauge("2026-07-28")
    rebind(claimed_table)
    verdict = fg.Gauge(limits=fg.Limits(max_members=4322)).check(frame)
    assert verdict.revision == "2026-07-28"
    assert verdict.ok


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no setitimer here")
def test_a_signal_handler_may_classify() -> None:
    nested = Nested()
    before = signal.signal(signal.SIGALRM, nested)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        deadline = time.monotonic() + 20
        while nested.calls < 50 and time.monotonic() < deadline:
            classify_and_compare(nested.expected)
            for data in LARGE:
                fg.classify(data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    check(nested)


def run(program: str, *arguments: object, timeout: float = 120) -> str:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    # glibc's threshold would move on its own, and freed memory stay with the process.
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False, timeout=timeout
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


FORK = """
import os, threading
import framegauge as fg
from tests.stress.test_threads import LARGE, VECTORS, told
expected = [told(fg.classify(data)) for data in VECTORS + LARGE]
def compare():
    assert [told(fg.classify(data)) for data in VECTORS + LARGE] == expected
children = []
for _ in range(4):
    child = os.fork()
    if not child:
        compare()
        thread = threading.Thread(target=compare)
        thread.start()
        thread.join()
        os._exit(0)
    children.append(child)
compare()
print([os.waitpid(child, 0)[1] for child in children])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_of_fork_goes_on() -> None:
    assert run(FORK) == "[0, 0, 0, 0]\n"


# ---- memory

# Resident memory as it is now, not its peak: what is given back has to show.
MEASURE = """
import gc, sys, threading
import framegauge as fg
def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20
"""
needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc to read resident memory from")  # noqa: PTH110

GROWTH = (
    MEASURE
    + """
from tests.stress.test_threads import CALL
frames = {
    "good": [CALL, CALL.replace(b"1", b"2", 1), b"[" + CALL + b"]", b'{"jsonrpc":"2.0","id":"a","result":{}}'],
    "failing": [CALL[:-1], CALL + b"}", b"\\xff", b"log: " + CALL, b"", b"[" * 300, b'{"a":"\\x01"}', b"[012]"],
    "many keys": [b"{" + b",".join(b'"key %d":1' % n for n in range(count)) + b"}" for count in (33, 80, 300)],
    "escaped keys": [
        b'{"\\\\u0069d":1,"jsonrpc":"2.0","m\\\\u0065thod":"\\\\u006d"}', b'{"\\\\ud800":{"\\\\n":1,"\\\\n":2}}'
    ],
    "buffers": [bytearray(CALL), memoryview(CALL), bytearray(CALL[:-1]), bytearray(b'{"id":1}')],
}[sys.argv[1]]
kept = [None] * 100
def go(count):
    for n in range(count):
        seen = fg.classify(frames[n % len(frames)])
        if n % 13 == 0:
            kept[n % 100] = (seen, seen.id, seen.method, seen.fault, seen.facts, seen.members("params"))
count = int(sys.argv[2])
go(count // 10 + 2000)
before = resident()
go(count)
print(count, resident() - before)
"""
)
SORTS = ("good", "failing", "many keys", "escaped keys", "buffers")


def check_growth(sort: str, count: int, most: float) -> None:
    done, grown = run(GROWTH, sort, count, timeout=3000).split()
    assert int(done) == count
    assert float(grown) < most, f"{grown} MiB more after {count} calls"


@needs_proc
@pytest.mark.parametrize("sort", SORTS)
def test_memory_does_not_grow(sort: str) -> None:
    check_growth(sort, 60_000 if sort == "many keys" else 300_000, most=1)


@needs_proc
@pytest.mark.heavy
@pytest.mark.parametrize("sort", SORTS)
def test_memory_does_not_grow_over_ten_million_calls(sort: str) -> None:
    check_growth(sort, 1_000_000 if sort == "many keys" else 10_000_000, most=1)


OUTLIER = (
    MEASURE
    + """
from tests.stress.test_threads import CALL
size = 8 << 20
data = {
    "dense": lambda: b"[" + b"[]," * (size // 3) + b"[]]",
    "string": lambda: b'{"x":"' + b"a" * size + b'"}',
    "keys": lambda: b"{" + b",".join(b'"%d":0' % n for n in range(size // 11)) + b"}",
    "nested": lambda: b"[" * (size // 2) + b"]" * (size // 2),
    "nested objects": lambda: b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6),
    "broken": lambda: b"[" + b"[]," * (size // 3) + b"[]",
    "broken objects": lambda: b'{"a":' * (size // 5),
    "escaped key": lambda: b'{"\\\\u0041' + b"a" * size + b'":1}',
}[sys.argv[1]]
for _ in range(1000):
    fg.classify(CALL)
data = data()
size = len(data)
before = resident() - size / 2**20  # the text itself is no scratch
seen = fg.classify(data, fg.Limits(None, None, None, None, None))
assert seen.size == size > 7 << 20
peak = resident()
del data, seen
for _ in range(1000):
    fg.classify(CALL)
print(peak - before, resident() - before)
"""
)


@needs_proc
@pytest.mark.parametrize(
    "sort",
    ["dense", "string", "keys", "nested", "nested objects", "broken", "broken objects", "escaped key"],
)
def test_an_outlier_gives_its_memory_back(sort: str) -> None:
    """8 MiB take up to 60 MiB of scratch; after some small frames a usual frame's scratch, at most 4 MiB, is left."""
    peak, left = map(float, run(OUTLIER, sort).split())
    assert peak > 7, "the outlier was not even noticed"
    assert left < 5, f"{left} MiB are kept"


THREADS = (
    MEASURE
    + """
from tests.stress.test_threads import LARGE
keys = b"{" + b",".join(b'"%d":0' % n for n in range(20000)) + b"}"
def work():
    for data in LARGE:
        fg.classify(data)
    fg.classify(keys)
def go(count):
    for _ in range(count // 4):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
count = int(sys.argv[1])
go(80)
before = resident()
go(count)
print(count, resident() - before)
"""
)


def check_threads(count: int) -> None:
    done, grown = run(THREADS, count, timeout=3000).split()
    assert int(done) == count
    # Each thread's scratch is over 1 MiB: a leak of one in a hundred would show.
    assert float(grown) < 6, f"{grown} MiB more after {count} threads"


@needs_proc
def test_a_thread_frees_its_scratch() -> None:
    check_threads(400)


@needs_proc
@pytest.mark.heavy
def test_many_threads_free_their_scratch() -> None:
    check_threads(20_000)
