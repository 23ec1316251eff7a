"""The column `marks` against a slow reference over decoded JSON."""

from __future__ import annotations

import json
import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.facts import KIND_NAMES, MARK_NAMES
from tests.support import SHARED
from tests.support.mcp_calls import some_call
from tests.support.seed_frames import structured_frames
from tests.support.sibling_lines import alike_buffer
from tests.support.vectors import all_vectors, verdict_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

GAUGES = [fg.Gauge(), fg.Gauge("2025-11-25"), fg.Gauge("2026-07-28", direction="server-to-client")]
RECORDED = sorted((SHARED / "captures").glob("*/*.bin")) if SHARED else []
VECTORS = [vector.frame for vector in (*all_vectors(), *verdict_vectors())]
CALLS = [some_call(rng, damages=seed % 2).frame for seed, rng in enumerate(map(Random, range(300)))]

_MCP = "io.modelcontextprotocol/"
MARKED = [
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":%s}}}' % value
    for value in (b'"a"', b"7", b"null", b"{}")
]
MARKED += [
    b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}',
    b'{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"a"}}}}',
    b'{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}}}',
    b'{"jsonrpc":"2.0","id":1,"result":{"_meta":{"progressToken":1,"io.modelcontextprotocol/subscriptionId":"a"}}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"a","nextCursor":"a","isError":true}}',
    b'{"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":"a","cursor":"b"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","task":{"ttl":1},"requestState":"a"}}',
    b'{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a"},"requestState":"a","inputResponses":{}}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","inputResponses":{},"resultType":"a"}}',
]
MARKED += [
    b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"resultType":%s}}' % value
    for value in (b'"complete"', b'"com\\u0070lete"', b'"input_required"', b'"Complete"', b'"completed"', b'""', b"1")
]
MARKED += [
    b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":%s}}' % value
    for value in (b"true", b"false", b'"true"', b"1", b"null")
]
MARKED += [
    b'{"jsonrpc":"2.0","id":1,"error":{"message":"x","code":%s}}' % value
    for value in (b"-32601", b"1.0", b"1.5", b"1e3", b"2147483647", b"2147483648", b"-2147483648", b'"1"', b"null")
]


class Members(list[tuple[str, Any]]):
    """An object as its members in order, duplicates included."""

    def first(self, name: str) -> Any:
        return next((value for key, value in self if key == name), None)

    def names(self) -> set[str]:
        return {key for key, _ in self}


def meta_of(message: Members) -> Members:
    """The first `_meta` of params and result, if it is an object."""
    for key, value in message:
        if key in ("params", "result") and isinstance(value, Members) and "_meta" in value.names():
            found = value.first("_meta")
            return found if isinstance(found, Members) else Members()
    return Members()


class Number(str):
    """The text of a number, which may have any exponent."""

    __slots__ = ()


def is_code(value: Any) -> bool:
    """Is it an integer of 32 bits, however it is spelled?"""
    if not isinstance(value, Number):
        return False
    mantissa, _, power = value.lower().partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits, exponent = (whole + fraction).strip("0"), int(power or 0) - len(fraction)
    exponent += len(whole + fraction) - len((whole + fraction).rstrip("0"))
    if not digits:
        return True
    if exponent < 0 or len(digits) + exponent > 10:
        return False
    number = int(digits) * 10**exponent
    return -(2**31) <= (-number if value.startswith("-") else number) < 2**31


def expected(line: bytes) -> set[str]:
    """The marks of a request, notification or response."""
    message = json.loads(line, object_pairs_hook=Members, parse_int=Number, parse_float=Number)
    params, result, error = (
        value if isinstance(value := message.first(name), Members) else Members()
        for name in ("params", "result", "error")
    )
    meta = meta_of(message)
    either = params.names() | result.names()
    found = {
        "progress-token": "progressToken" in params.names() | meta.names(),
        "related-task": _MCP + "related-task" in meta.names(),
        "subscription-id": _MCP + "subscriptionId" in meta.names(),
        "cursor": "cursor" in params.names(),
        "next-cursor": "nextCursor" in result.names(),
        "task": "task" in either,
        "request-state": "requestState" in either,
        "input-responses": "inputResponses" in params.names(),
        "result-not-complete": any(
            key == "resultType" and type(value) is str and value != "complete" for key, value in result
        ),
        "is-error": any(key == "isError" and value is True for key, value in result),
        "error-code": is_code(error.first("code")),
    }
    assert tuple(found) == MARK_NAMES
    return {name for name, is_there in found.items() if is_there}


def check(gauge: fg.Gauge, data: bytes) -> Iterator[set[str]]:
    """Compares each row that has marks with the reference; frames with more members than are described are left out."""
    verdicts = gauge.check_lines(data)
    marks = memoryview(verdicts.marks)
    assert (marks.format, len(marks)) == ("H", len(verdicts))
    for row in range(len(verdicts)):
        names = {name for bit, name in enumerate(MARK_NAMES) if marks[row] >> bit & 1}
        line = verdicts.line(row)
        if KIND_NAMES[verdicts.kind[row]] not in ("request", "notification", "success", "error") or verdicts.fault[row]:
            assert names == set()
        elif "member-overflow" not in fg.classify(line, gauge.limits).facts:
            assert names == expected(line), line
            yield names


def one_line(frame: bytes) -> bytes:
    return re.sub(rb"[\r\n]", b"", frame)


@pytest.mark.parametrize("gauge", GAUGES, ids=lambda gauge: gauge.revision)
def test_marks_of_vectors_and_calls(gauge: fg.Gauge) -> None:
    frames = [*VECTORS, *CALLS, *MARKED, *structured_frames(200, seed=6)]
    seen = set[str]().union(*check(gauge, b"\n".join(map(one_line, frames))))
    assert seen == set(MARK_NAMES)


@pytest.mark.parametrize("gauge", GAUGES, ids=lambda gauge: gauge.revision)
def test_marks_of_lines_that_are_alike(gauge: fg.Gauge) -> None:
    """Most of them are not walked; the value that makes the mark counts all the same."""
    rng = Random(gauge.revision)
    seen = set[str]()
    for frame in [*MARKED, *rng.sample(CALLS, 60), *rng.sample(VECTORS, 30)]:
        seen = seen.union(*check(gauge, alike_buffer(frame, rng)))
    assert seen == set(MARK_NAMES)


@pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not at hand")
def test_marks_of_recorded_sessions() -> None:
    seen = set[str]().union(*(marks for path in RECORDED for marks in check(GAUGES[0], path.read_bytes())))
    assert {"progress-token", "is-error", "error-code"} <= seen


def test_a_result_type_is_compared_where_no_rule_reads_it() -> None:
    line = b'{"jsonrpc":"2.0","id":%d,"result":{"a":"%s","resultType":"%s"}}'
    lines = [line % (number, b"x" * (number % 9), b"complete") for number in range(40)]
    lines += [line % (number, b"x", b"lompcete") for number in range(40)]
    verdicts = fg.Gauge("jsonrpc-2.0").check_lines(b"\n".join(lines))
    mark = 1 << MARK_NAMES.index("result-not-complete")
    assert list(memoryview(verdicts.marks)) == [0] * 40 + [mark] * 40
