"""Arguments of one call: each gives the verdict of a gauge that was made with it."""

from __future__ import annotations

from typing import Any

import pytest

import framegauge as fg
from framegauge.gauge.options import DIRECTIONS, FIDELITIES, LOST
from framegauge.protocol import REVISIONS
from tests.support.vectors import verdict_vectors

FRAMES = sorted(
    {vector.frame for vector in verdict_vectors() if b"\n" not in vector.frame and len(vector.frame) < 4096}
)
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def shown(verdict: fg.Verdict) -> dict[str, Any]:
    return verdict.to_dict()


def test_there_are_frames() -> None:
    assert len(FRAMES) > 500


@pytest.mark.parametrize("transport", [None, "stdio", "http"])
@pytest.mark.parametrize("revision", ["auto", "2025-03-26", "2026-07-28"])
def test_a_direction_of_the_call_is_one_of_the_gauge(revision: str, transport: str | None) -> None:
    gauge = fg.Gauge(revision, transport=transport)
    for direction in DIRECTIONS:
        made = fg.Gauge(revision, direction, transport)
        wrong = [
            frame for frame in FRAMES if shown(gauge.check(frame, direction=direction)) != shown(made.check(frame))
        ]
        assert wrong == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_revision_of_the_call_is_one_of_the_gauge(revision: str) -> None:
    gauge, made = fg.Gauge("2025-06-18"), fg.Gauge(revision)
    assert [frame for frame in FRAMES if shown(gauge.check(frame, revision=revision)) != shown(made.check(frame))] == []


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_other_buffers_with_arguments(kind: Any) -> None:
    gauge = fg.Gauge(transport="stdio")
    more: dict[str, Any] = {"direction": "server-to-client", "revision": "2025-11-25", "request_method": "tools/call"}
    for frame in FRAMES:
        assert shown(gauge.check(kind(frame), **more)) == shown(gauge.check(frame, **more)), frame


@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize("transport", [None, "stdio"])
def test_a_fidelity_takes_away_what_it_cannot_show(fidelity: str, transport: str | None) -> None:
    gauge = fg.Gauge("2025-11-25", transport=transport)
    for frame in FRAMES:
        plain, verdict = gauge.check(frame), gauge.check(frame, fidelity=fidelity)
        assert verdict.not_judged >= LOST[fidelity]
        found = {finding.rule for finding in verdict.findings}
        assert not found & LOST[fidelity]
        if "content-length-framing" not in {finding.rule for finding in plain.findings}:
            assert found == {finding.rule for finding in plain.findings} - LOST[fidelity], frame


@pytest.mark.parametrize("fidelity", [name for name in FIDELITIES if name != "bytes"])
def test_no_record_but_one_of_bytes_shows_a_header_of_lsp(fidelity: str) -> None:
    gauge = fg.Gauge("2025-11-25", "client-to-server", "stdio")
    verdict = gauge.check(b"Content-Length: 40\r", fidelity=fidelity)
    assert (verdict.ok, verdict.findings, verdict.respond, verdict.reply) == (True, (), False, None)
    assert "content-length-framing" in verdict.not_judged
    rows = gauge.check_lines(b"Content-Length: 40\r\n", fidelity=fidelity)
    assert rows.rule_counts() == {}
    assert shown(rows.verdict(0)) == shown(verdict)


@pytest.mark.parametrize("fidelity", FIDELITIES)
@pytest.mark.parametrize("revision", ["auto", "2025-11-25"])
def test_lines_of_a_fidelity(revision: str, fidelity: str) -> None:
    gauge = fg.Gauge(revision, transport="stdio")
    rows = gauge.check_lines(b"\n".join(FRAMES), fidelity=fidelity)
    assert len(rows) == len(FRAMES)
    bits = memoryview(rows.rules)
    frames = 0
    for row, frame in enumerate(FRAMES):
        verdict = gauge.check(frame, fidelity=fidelity)
        if verdict.kind == fg.Kind.empty:
            continue
        frames += 1
        found = {
            rows.rule_bits[n]
            for n in range(128)
            if bits[2 * row + (n >> 6)] >> (n & 63) & 1 and n < len(rows.rule_bits)
        }
        assert found == {finding.rule for finding in verdict.findings}, frame
        assert shown(rows.verdict(row)) == shown(verdict)
    assert all(rows.not_judged[rule] == frames for rule in LOST[fidelity])


@pytest.mark.parametrize("revision", ["auto", "2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("repeats", [1, 3])
def test_lines_that_each_have_a_direction(revision: str, repeats: int) -> None:
    """Also of lines that are known: the same line comes with each direction, and again."""
    gauge = fg.Gauge(revision, transport="stdio")
    lines = [frame for frame in FRAMES for _ in range(3)] * repeats
    directions = bytes(n % 3 for n in range(len(lines)))
    rows = gauge.check_lines(b"\n".join(lines), directions=directions)
    bits = memoryview(rows.rules)
    names = dict(enumerate((None, *DIRECTIONS)))
    for row, (frame, direction) in enumerate(zip(lines, directions, strict=True)):
        verdict = gauge.check(frame, direction=names[direction])
        if verdict.kind == fg.Kind.empty:
            continue
        found = {rule for n, rule in enumerate(rows.rule_bits) if bits[2 * row + (n >> 6)] >> (n & 63) & 1}
        assert found == {finding.rule for finding in verdict.findings}, (frame, direction)
        if row < 600:
            assert shown(rows.verdict(row)) == shown(verdict)


def test_lines_that_are_known_by_direction() -> None:
    frame = b'{"jsonrpc":"2.0","id":%d,"method":"roots/list"}'
    lines = [frame % n for n in range(3000)]
    rows = fg.Gauge("2025-11-25").check_lines(b"\n".join(lines), directions=bytes(1 + n % 2 for n in range(3000)))
    assert rows.rule_counts() == {"wrong-direction": 1500}
    assert rows.rows_with("wrong-direction", 3000) == list(range(0, 3000, 2))


def test_directions_of_what_is_left_over() -> None:
    gauge = fg.Gauge("2025-11-25")
    frame = b'{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
    rows = gauge.check_lines(frame + b"\n\n" + frame[:20], final=False, directions=b"\2\0\1")
    assert (len(rows), rows.consumed, rows.rule_counts()) == (2, len(frame) + 2, {})
    assert gauge.check_lines(frame, directions=b"\1").rule_counts() == {"wrong-direction": 1}


@pytest.mark.parametrize(
    ("buffer", "directions", "error", "message"),
    [
        (b"{}\n{}", b"\0", ValueError, "directions has 1 bytes for 2 lines"),
        (b"{}\n", b"\0\0", ValueError, "directions has 2 bytes for 1 lines"),
        (b"", b"\0", ValueError, "directions has 1 bytes for 0 lines"),
        (b"{}\n", b"\3", ValueError, "a direction is 0"),
        (b"{}\n", "\0", TypeError, "directions are bytes"),
        (b"{}\n", [0], TypeError, "directions are bytes"),
    ],
)
def test_wrong_directions(buffer: bytes, directions: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fg.Gauge().check_lines(buffer, directions=directions)


def test_a_row_by_the_method_that_it_answers() -> None:
    gauge = fg.Gauge("2025-11-25")
    frame = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    rows = gauge.check_lines(frame + b"\n")
    assert rows.verdict(0).ok
    assert [finding.rule for finding in rows.verdict(0, "tools/list").findings] == ["result-member-missing"]


HEADERS: list[tuple[str | bytes, str | bytes]] = [("Host", "localhost"), ("MCP-Protocol-Version", "2025-03-26")]


@pytest.mark.parametrize(
    "headers",
    [
        HEADERS,
        tuple(HEADERS),
        [list(pair) for pair in HEADERS],
        dict(HEADERS),
        iter(HEADERS),
        [(b"host", b"localhost"), (b"mcp-protocol-version", b" 2025-03-26 ")],
        [("mcp-protocol-version", "1999-01-01"), *HEADERS],
    ],
)
def test_headers_in_any_form_name_the_revision(headers: Any) -> None:
    assert fg.Gauge().check(PING, headers=headers).revision == "2025-03-26"


def test_headers_leave_a_given_revision() -> None:
    assert fg.Gauge("2025-06-18").check(PING, headers=HEADERS).revision == "2025-06-18"
    assert fg.Gauge().check(PING, headers=HEADERS, revision="2025-06-18").revision == "2025-06-18"
    assert fg.Gauge("2025-06-18").check(PING, headers=HEADERS, revision="auto").revision == "2025-03-26"


@pytest.mark.parametrize(
    "headers", [5, ["host"], [("host",)], [("host", 5)], [(None, "x")], [("a", "b", "c")], {"a": 1}]
)
def test_headers_of_another_form_are_refused(headers: Any) -> None:
    with pytest.raises(TypeError, match="headers is a mapping, or a list of pairs"):
        fg.Gauge("2025-06-18").check(PING, headers=headers)


@pytest.mark.parametrize("argument", ["direction", "revision", "fidelity"])
@pytest.mark.parametrize("value", ["nonsense", 5, [], b"2025-06-18"])
def test_an_unknown_argument_is_refused(argument: str, value: Any) -> None:
    gauge = fg.Gauge()
    for _ in range(2):
        with pytest.raises(ValueError, match=f"{argument} .* is not known; it is one of"):
            gauge.check(PING, **{argument: value})


@pytest.mark.parametrize("number", [-1, 128, 200, 2**30, -(2**30)])
def test_columns_refuse_a_number_that_no_rule_can_have(number: int) -> None:
    columns = fg.Gauge().check_lines(PING + b"\n" + PING).columns
    for call in (lambda: columns.rows_with(number, 5), lambda: columns.rows_of_kind(0, number)):
        with pytest.raises(IndexError, match="there is no rule"):
            call()
    with pytest.raises(IndexError, match="there is no rule"):
        columns.set_rules(0, [number])
