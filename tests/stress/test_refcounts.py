"""Who holds what, and for how long: references to the frame's bytes, Frames in bulk, and the pool of their memory."""

from __future__ import annotations

import gc
import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING

import pytest

import framegauge as fg
from tests.support import TESTS
from tests.support.mutations import mutate
from tests.support.vectors import all_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = (
    b'{"jsonrpc":"2.0","id":"a-secret","method":"tools/call","params":{"name":"secret","arguments":{},'
    b'"_meta":{"progressToken":1}}}'
)
FAILED = b'{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"secret","data":1}}'
GROUPS = ("params", "result", "error", "_meta")
MEMBERS = ("jsonrpc", "id", "method", "params", "result", "error")

FRAMES = {
    "request": CALL,
    "error": FAILED,
    "invalid": b'{"jsonrpc":"1.0","id":"abc"}',
    "parse error": b'{"jsonrpc":"2.0","id":"abc',
    "batch": b"[" + CALL + b"]",
    "empty": b"      ",
    "large": b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 20_000 + b'"}',
}


def fresh(data: bytes) -> bytes:
    """A bytes object that nothing else refers to."""
    return bytes(bytearray(data))


@pytest.mark.parametrize("data", FRAMES.values(), ids=FRAMES)
def test_a_frame_holds_one_reference_to_its_bytes(data: bytes) -> None:
    data = fresh(data)
    before = sys.getrefcount(data)
    frame = fg.classify(data)
    assert sys.getrefcount(data) == before + 1
    for _ in range(3):
        (frame.id, frame.method, frame.fault, frame.facts, repr(frame))
        assert [frame.members(group) for group in GROUPS]
        assert [frame.member(name) for name in MEMBERS]
    assert sys.getrefcount(data) == before + 1
    del frame
    assert sys.getrefcount(data) == before


@pytest.mark.parametrize("make", [bytearray, memoryview, lambda data: memoryview(data)[1:-1]], ids=lambda make: "")
def test_a_frame_holds_no_buffer(make: Callable[[bytes], bytearray | memoryview]) -> None:
    data = make(fresh(CALL))
    before = sys.getrefcount(data)
    frame = fg.classify(data)
    assert sys.getrefcount(data) == before
    assert frame.size == len(data)


def test_what_a_frame_gives_outlives_it() -> None:
    frame = fg.classify(fresh(FAILED))
    identifier, members, fault = frame.id, frame.members("error"), fg.classify(b"{").fault
    del frame
    for _ in range(100):
        fg.classify(CALL)
    assert (identifier, fault and fault.rule) == (b"7", "truncated")
    assert [member.name for member in members] == ["code", "message", "data"]


def test_refused_arguments_keep_no_reference() -> None:
    view, limits = memoryview(fresh(CALL))[::2], fg.Limits()
    before = sys.getrefcount(view), sys.getrefcount(limits)
    for _ in range(10):
        with pytest.raises(TypeError):
            fg.classify(view, limits)
        fg.classify(CALL, limits)
    assert (sys.getrefcount(view), sys.getrefcount(limits)) == before


def test_kinds_are_shared_and_stay() -> None:
    before = sys.getrefcount(fg.Kind.request)
    frames = [fg.classify(CALL) for _ in range(1000)]
    kinds = [frame.kind for frame in frames]
    assert sys.getrefcount(fg.Kind.request) - before in range(990, 1010)
    del kinds
    assert abs(sys.getrefcount(fg.Kind.request) - before) < 10


def test_frames_in_bulk() -> None:
    """Far more than the pool holds: kept, then dropped in an order that is neither first nor last in."""
    data = fresh(CALL)
    before = sys.getrefcount(data)
    frames = [fg.classify(data) for _ in range(100_000)]
    assert sys.getrefcount(data) == before + 100_000
    assert {frame.id for frame in frames[::97]} == {b'"a-secret"'}
    Random(5).shuffle(frames)
    while frames:
        del frames[-7_001:]
        assert sys.getrefcount(data) == before + len(frames)
    assert all(not isinstance(thing, fg.Frame) for thing in gc.get_objects())


def emptiness(frame: fg.Frame) -> list[object]:
    return [frame.id, frame.method, frame.error_code, frame.duplicate_offset, *map(frame.member, MEMBERS)]


@pytest.mark.parametrize("after", [b"", b" ", b"{", b"1", b"[]", b"{}", b"\xff", b"x" * 9000, b"[" * 300])
@pytest.mark.parametrize("before", [CALL, FAILED, b'{"a":1,"a":2,"id":true}'])
@pytest.mark.parametrize("make", [bytes, bytearray])
def test_memory_that_is_used_again_tells_no_old_facts(
    before: bytes, after: bytes, make: Callable[[bytes], bytes]
) -> None:
    expected = repr_of(in_new_memory(after))
    for _ in range(40):
        fg.classify(make(before))
        frame = fg.classify(make(after))
        assert not any(emptiness(frame))
        assert all(frame.members(group) == () for group in GROUPS)
        assert repr_of(frame) == expected


def in_new_memory(data: bytes) -> fg.Frame:
    """A Frame whose memory is new: the pool is emptied by holding more Frames than it has room for."""
    held = [fg.classify(b"") for _ in range(64)]
    frame = fg.classify(data)
    assert held
    return frame


def repr_of(frame: fg.Frame) -> tuple[object, ...]:
    sizes = (frame.size, frame.items, frame.depth, frame.longest_number, frame.largest_object, frame.duplicates)
    fault = frame.fault
    return (
        *(frame.kind, fault, fault and fault.json_start, frame.id, frame.method, frame.facts, sizes, frame.error_code),
        *(repr(frame.member(name)) for name in MEMBERS),
        *(repr(frame.members(group)) for group in GROUPS),
    )


def test_the_frame_before_never_shows() -> None:
    """Every vector, mutated, in a Frame whose memory another one had, against one whose memory is new."""
    rng = Random(31)
    seeds = [vector.frame for vector in all_vectors() if len(vector.frame) < 3000]
    tight = fg.Limits(400, 4, 2, 5, 4)
    checked = 0
    for seed in seeds:
        for limits in (None, tight):
            data = mutate(seed, rng)
            fg.classify(rng.choice(seeds))
            again = fg.classify(data, limits)
            held = [fg.classify(b"") for _ in range(33)]
            assert repr_of(again) == repr_of(fg.classify(data, limits))
            checked += len(held) == 33
    assert checked >= 1500


PROGRAM = """
import framegauge as fg
from tests.support.vectors import all_vectors
frames = [v.frame for v in all_vectors()]
kept = []
refused = 0
for n in range(30):
    for frame in frames:
        for data in (frame, bytearray(frame)):
            seen = fg.classify(data)
            kept.append((seen, seen.id, seen.method, seen.fault, seen.facts, seen.members("params")))
        try:
            fg.Frame.__new__(fg.Frame)
        except TypeError:
            refused += 1
    del kept[::3]
print(len(kept) > 2000 and refused == 30 * len(frames))
"""


@pytest.mark.slow
def test_the_allocators_own_checks_find_nothing() -> None:
    """PYTHONMALLOC=debug: freed twice, freed by another allocator, written past the end, used after it was freed."""
    command = [sys.executable, "-X", "dev", "-c", PROGRAM]
    environment = {"PYTHONMALLOC": "debug", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr[-3000:]
