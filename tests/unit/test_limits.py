"""A limit stops the scan: neither the token that was refused nor anything behind it shows in the facts."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import framegauge as fg
from tests.reference.facts import Limits
from tests.support.comparison import differences, native_limits

ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")
GROUPS = ("params", "result", "error", "_meta")
NOTHING_THERE = {"error-absent", "method-absent", "no-method-result-error", "params-absent", "result-absent"}
# Whatever stage 1 thinks of them: brackets, unclosed strings, escapes, control characters, more of everything.
TAILS = (
    b"",
    b"]",
    b"}",
    b'"',
    b'"\0"',
    b"\0",
    b"\\",
    b' x"',
    b',"y":{}}',
    b':1,"\\ud800":2}',
    b'\n{"a":1,"a":2}',
    b"[[[[",
    b"\r\n",
)


class Stop(NamedTuple):
    before: bytes
    token: bytes
    limits: Limits
    rule: str
    facts: set[str]
    depth: int


STOPS = {
    "first bracket": Stop(b"", b"[", Limits(max_depth=0), "nesting-limit", {"top-array"}, 0),
    "first bracket after blanks": Stop(b" \n\t", b"[", Limits(max_depth=0), "nesting-limit", {"top-array"}, 0),
    "first brace": Stop(
        b"", b"{", Limits(max_depth=0), "nesting-limit", NOTHING_THERE | {"jsonrpc-missing", "id-absent"}, 0
    ),
    "first number": Stop(b"", b"123456", Limits(max_number_digits=5), "number-too-long", set(), 0),
    "number in an array": Stop(b"[", b"123456", Limits(max_number_digits=5), "number-too-long", {"top-array"}, 1),
    "number in arrays": Stop(b"[[[", b"123456", Limits(max_number_digits=5), "number-too-long", {"top-array"}, 3),
    "bracket in arrays": Stop(b"[[[", b"{", Limits(max_depth=3), "nesting-limit", {"top-array"}, 3),
    "element too many": Stop(b"[1,2,", b"3", Limits(max_batch_items=2), "batch-too-large", {"top-array"}, 1),
    "deep number in params": Stop(
        b'{"id":1,"params":{"a":[{"b":[',
        b"123456",
        Limits(max_number_digits=5),
        "number-too-long",
        NOTHING_THERE | {"jsonrpc-missing"},
        5,
    ),
    "escaped key of the envelope": Stop(
        b'{"jsonrpc":"2.0",',
        b'"i\\u0064"',
        Limits(max_members=1),
        "too-many-members",
        NOTHING_THERE | {"id-absent"},
        1,
    ),
    "key with a lone surrogate": Stop(
        b'{"id":1,', b'"\\ud800"', Limits(max_members=1), "too-many-members", NOTHING_THERE | {"jsonrpc-missing"}, 1
    ),
    "key in another case": Stop(
        b'{"id":1,', b'"ID"', Limits(max_members=1), "too-many-members", NOTHING_THERE | {"jsonrpc-missing"}, 1
    ),
    "doubled key": Stop(
        b'{"id":1,', b'"id"', Limits(max_members=1), "too-many-members", NOTHING_THERE | {"jsonrpc-missing"}, 1
    ),
}


def told(frame: bytes, limits: Limits) -> tuple[Any, ...]:
    """All that is told of a frame but its size."""
    seen = fg.classify(frame, native_limits(limits))
    members = [member for name in ENVELOPE if (member := seen.member(name))]
    members += [member for group in GROUPS for member in seen.members(group)]
    return (
        *(seen.kind, seen.fault and (seen.fault.rule, seen.fault.offset), seen.id, seen.method, seen.facts),
        *(seen.items, seen.depth, seen.longest_number, seen.largest_object, seen.duplicates, seen.duplicate_offset),
        *(seen.error_code, [(member.name, member.type, member.start, member.stop) for member in members]),
    )


@pytest.mark.parametrize("name", STOPS)
def test_nothing_behind_the_stop_shows(name: str) -> None:
    stop = STOPS[name]
    frame = stop.before + stop.token
    seen = fg.classify(frame, native_limits(stop.limits))
    assert seen.fault is not None
    assert (seen.fault.rule, seen.fault.offset) == (stop.rule, len(stop.before))
    assert (seen.facts, seen.depth, seen.duplicates) == (stop.facts, stop.depth, 0)
    for tail in TAILS:
        assert told(frame + tail, stop.limits) == told(frame, stop.limits), tail
        assert differences(frame + tail, stop.limits) == []


@pytest.mark.parametrize("large", [3 << 20, 5 << 20, 15 << 20])
@pytest.mark.parametrize("middle", [900 << 10, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1280 << 10, 4 << 20])
def test_what_is_kept_of_a_large_frame_is_enough_for_those_behind_it(large: int, middle: int) -> None:
    """It is given back when 64 frames in a row needed less than a quarter, and that may be more than what stays."""
    sizes = (large, *[middle] * 70, large, middle)
    frames = {size: b"[" + b"1," * (size // 2 - 2) + b"1" * (2 + size % 2) + b"]" for size in set(sizes)}
    assert {size: len(frame) for size, frame in frames.items()} == {size: size for size in sizes}
    limits = fg.Limits(max_batch_items=None)
    assert {fg.classify(frames[size], limits).fault for size in sizes} == {None}
