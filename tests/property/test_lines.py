"""check_lines against check, line by line: any chunk size, frames across chunk ends, streams cut anywhere."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.native import columns as lines
from framegauge.native.tokenizer import FACT_NAMES, FAULT_NAMES, KIND_NAMES, METHOD_NAMES, kernel
from framegauge.protocol import MCP
from framegauge.ruleset.model import SEVERITIES
from tests.support.mcp_calls import some_call
from tests.support.mutations import mutate
from tests.support.seed_frames import line_buffers, split_strings, structured_frames
from tests.support.sibling_lines import (
    ANY_ID,
    BOUNDS,
    FORMATTED,
    LONG,
    MANY_READ,
    NOT_KEPT,
    ONE_ID,
    SHORTER,
    alike_buffer,
    formatted_buffer,
    with_id,
)
from tests.support.vectors import all_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable

    from framegauge.gauge.lines import Verdicts

SEEDS = [vector.frame for vector in all_vectors() if len(vector.frame) < 3000] + structured_frames(200, seed=5)
SEEDS += [some_call(rng, damages=seed % 3).frame for seed, rng in enumerate(map(Random, range(400)))]
ALIKE = [MANY_READ, *BOUNDS] * 6  # so that each comes now and then
CHUNKS = (1, 7, 64, 1000, 4096, 65536, 1 << 20)
KNOWS_PATTERNS = kernel() in ("haswell", "icelake")
GAUGES = [fg.Gauge(), fg.Gauge("2025-11-25"), fg.Gauge("2025-03-26", transport="stdio"), fg.Gauge("jsonrpc-2.0")]


def buffer(rng: Random, lines: int) -> bytes:
    """Mutated frames, one a line; some blank, some with a carriage return, now and then one spread over lines."""
    parts = []
    for _ in range(lines):
        frame = rng.choice(SEEDS)
        frame = mutate(frame, rng) if rng.random() < 0.5 else frame
        parts.append(frame + rng.choice((b"", b"", b"", b"\r", b" ")))
    return b"\n".join(parts) + rng.choice((b"", b"\n"))


def scanned(gauge: fg.Gauge, data: bytes, chunk: int) -> lines.Columns:
    columns, consumed = lines.scan(data, gauge.limits, gauge.table, True, chunk)
    assert consumed == len(data)
    return columns


def forget() -> None:
    """What this thread knows of lines: another gauge comes."""
    scanned(fg.Gauge("2024-11-05", transport="http"), b"[]", 1 << 20)


def gauge_name(gauge: fg.Gauge) -> str:
    return f"{gauge.revision} {gauge.direction} {gauge.transport}"


def native_rows(gauge: fg.Gauge, data: bytes, chunk: int) -> list[dict[str, Any]]:
    """The columns before runs of lines are joined, as one dict a line."""
    columns = scanned(gauge, data, chunk)
    table = {name: memoryview(column) for name, column in columns.columns().items()}
    return [
        {name: column[row] for name, column in table.items() if name != "rules"}
        | {"rules": table["rules"][2 * row] | table["rules"][2 * row + 1] << 64}
        for row in range(len(columns))
    ]


def expected_rows(gauge: fg.Gauge, data: bytes) -> list[dict[str, Any]]:
    """The same from one check per line."""
    rows, offset = [], 0
    parts = data.split(b"\n")
    if parts[-1] == b"":
        parts.pop()
    for line in parts:
        frame = fg.classify(line, gauge.limits)
        rows.append(expected_row(frame, line, offset))
        offset += len(line) + 1
    return rows


def expected_row(frame: fg.Frame, line: bytes, offset: int) -> dict[str, Any]:
    request_id, method = frame.member("id"), frame.member("method")
    text = method is not None and method.type == "string"
    number = METHOD_NAMES.index(frame.method) if text and not method.escaped and frame.method in METHOD_NAMES[1:] else 0
    return {
        "offset": offset,
        "length": len(line),
        "kind": KIND_NAMES.index(frame.kind),
        "facts": sum(1 << FACT_NAMES.index(name) for name in frame.facts),
        "fault": FAULT_NAMES.index(frame.fault.rule) if frame.fault else 0,
        "fault_offset": frame.fault.offset if frame.fault else 0,
        "id_start": request_id.start if request_id else 0,
        "id_stop": request_id.stop if request_id else 0,
        "method": number,
        "method_start": method.start if text else 0,
        "method_stop": method.stop if text else 0,
    }


def check(gauge: fg.Gauge, data: bytes, chunk: int) -> None:
    got, expected = native_rows(gauge, data, chunk), expected_rows(gauge, data)
    assert len(got) == len(expected)
    for row, wanted in zip(got, expected, strict=True):
        assert {name: row[name] for name in wanted} == wanted, (row, wanted, data[row["offset"] :][: row["length"]])


@pytest.mark.parametrize("chunk", CHUNKS)
def test_columns_equal_line_by_line(chunk: int) -> None:
    rng = Random(chunk)
    for _ in range(6):
        check(rng.choice(GAUGES), buffer(rng, rng.randrange(1, 120)), chunk)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_no_string_goes_on_behind_a_line_feed(chunk: int) -> None:
    check(GAUGES[0], b"\n".join(split_strings()), chunk)


@pytest.mark.parametrize("gauge", GAUGES, ids=lambda gauge: f"{gauge.revision} {gauge.transport}")
def test_rules_equal_those_of_the_verdicts(gauge: fg.Gauge) -> None:
    rng = Random(3)
    assert sum(check_rules(gauge, buffer(rng, 150)) for _ in range(4)) > 200


def check_rules(gauge: fg.Gauge, data: bytes) -> int:
    """How many rules the rows have."""
    verdicts = gauge.check_lines(data)
    rules = memoryview(verdicts.rules)
    seen = 0
    for row in range(len(verdicts)):
        word = rules[2 * row] | rules[2 * row + 1] << 64
        found = {name for bit, name in enumerate(verdicts.rule_bits) if word >> bit & 1}
        verdict = verdicts.verdict(row)
        assert found == {finding.rule for finding in verdict.findings} - {"empty-frame"}, verdicts.line(row)
        seen += len(found)
    return seen


@pytest.mark.parametrize("gauge", [*GAUGES, fg.Gauge("2026-07-28")], ids=lambda gauge: f"{gauge.revision}")
def test_no_line_leaves_anything_for_the_next(gauge: fg.Gauge) -> None:
    """Nor is one read beyond the end of the buffer, or before its beginning."""
    buffers = line_buffers()
    assert len(buffers) > 20
    for data in buffers:
        for chunk in (64, 255, 256, 1 << 20):
            check(gauge, data, chunk)
        check_rules(gauge, data)


@pytest.mark.parametrize(
    "gauge", [*GAUGES, fg.Gauge("2026-07-28"), fg.Gauge("2025-06-18", direction="server-to-client")], ids=gauge_name
)
@pytest.mark.parametrize(
    "limits", [{}, {"max_number_digits": 20, "max_frame_bytes": 700, "max_members": 4}], ids=["", "limits"]
)
def test_lines_that_are_like_each_other(gauge: fg.Gauge, limits: dict[str, int]) -> None:
    gauge = (
        fg.Gauge(gauge.revision, transport=gauge.transport, direction=gauge.direction, limits=fg.Limits(**limits))
        if limits
        else gauge
    )
    rng = Random(gauge.revision)
    known = 0
    for number in range(160):
        frame = some_call(rng, damages=number % 3).frame if number % 2 else rng.choice((*SEEDS, *ALIKE))
        data = alike_buffer(frame, rng)
        check(gauge, data, rng.choice((4096, 1 << 20)))
        check_rules(gauge, data)
        if number % 2:
            forget()  # the other half of the buffers finds what the one before has left
        known += scanned(gauge, data, 1 << 20).known()
    assert known > 1200 or not KNOWS_PATTERNS


@pytest.mark.parametrize("gauge", GAUGES, ids=gauge_name)
@pytest.mark.parametrize(("frame", "fitting"), FORMATTED)
def test_lines_whose_texts_fit_a_format_and_others(gauge: fg.Gauge, frame: bytes, fitting: bytes) -> None:
    data = formatted_buffer(frame, fitting)
    check(gauge, data, 1 << 20)
    check_rules(gauge, data)


@pytest.mark.parametrize(
    "gauge", [*GAUGES, fg.Gauge("2025-11-25", limits=fg.Limits(max_number_digits=8))], ids=gauge_name
)
def test_long_lines_that_are_like_each_other(gauge: fg.Gauge) -> None:
    rng = Random(gauge.revision)
    for frame in LONG * 2:
        data = alike_buffer(frame, rng)
        check(gauge, data, rng.choice((4096, 1 << 20)))
        check_rules(gauge, data)


def known_of(lines: Iterable[bytes]) -> int:
    """How many of the lines are known where none was before."""
    forget()
    return scanned(fg.Gauge("2025-11-25"), b"\n".join(lines), 1 << 20).known()


def test_long_lines_are_known_that_differ_in_their_ids() -> None:
    """The first one is walked, the second one learnt."""
    numbers, texts = [b"%d" % (n * n) for n in range(40)], [b'"%x"' % (n * n) for n in range(40)]
    for frame in ANY_ID:
        own, others = (texts, numbers) if b'"berth"' in frame else (numbers, texts)
        assert known_of(with_id(frame, value) for value in own) == 38, frame[:60]
        assert known_of(with_id(frame, value) for value in [own[0]] * 2 + others) == 39, frame[:60]
        assert known_of(with_id(frame, b"-" + value) for value in numbers) == 0, frame[:60]


def test_long_lines_are_known_whose_ids_may_not_differ() -> None:
    for frame in ONE_ID:
        assert known_of([frame] * 40) == 38, frame[:60]
        assert known_of([with_id(frame, b"%d " % n) for n in range(40)]) == (0 if b'"id"' in frame else 38), frame[:60]
    for frame in NOT_KEPT:
        assert known_of([frame] * 40) == 0, frame[:60]
    assert known_of([SHORTER] * 40) > 30 if KNOWS_PATTERNS else known_of([SHORTER] * 40) == 0


def test_long_lines_that_are_alike_and_not_the_same_are_not_all_learnt() -> None:
    """What is hashed of them is the same."""
    frame = ANY_ID[0].replace(b"berth_7", b"%07d")
    assert 0 < known_of([frame % n for n in range(2000)] + [ANY_ID[0]] * 40) <= 40


def test_what_is_known_of_lines_is_known_to_that_gauge_alone() -> None:
    """Where another one or other limits come between, lines are judged by these."""
    line = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","level":12345678}}'
    data = b"\n".join([line % number for number in range(40)] + [b'{"a":[1,{"b":[2]}]}'] * 30)
    known = fg.Gauge("2025-11-25")
    few = fg.Gauge("2025-11-25", limits=fg.Limits(max_number_digits=5))
    first = scanned(known, data, 1 << 20).known()
    again = scanned(known, data, 1 << 20).known()
    assert (first > 30, again - first) == ((True, 2) if KNOWS_PATTERNS else (False, 0))
    for gauge in (
        few,
        known,
        fg.Gauge("jsonrpc-2.0"),
        known,
        fg.Gauge("2024-11-05", direction="server-to-client"),
        few,
        few,
    ):
        check(gauge, data, 1 << 20)
        assert check_rules(gauge, data) > 0


def check_severities(verdicts: Verdicts) -> None:
    """The highest of each rule that any row has: of few rows, or of all of them."""
    highest: dict[str, str] = {}
    for row in range(len(verdicts)):
        for finding in verdicts.verdict(row).findings:
            severity = highest.setdefault(finding.rule, finding.severity)
            highest[finding.rule] = min(severity, finding.severity, key=SEVERITIES.index)
    highest.pop("empty-frame", None)
    assert verdicts.severities() == highest


PRETTY = b'{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "ping"\n}'
LONG_BATCH = b"[" + b",".join([b'{"jsonrpc":"2.0","method":"ping"}'] * 101) + b"]"


@pytest.mark.parametrize("gauge", GAUGES, ids=lambda gauge: f"{gauge.revision} {gauge.transport}")
def test_severities_are_the_highest_of_the_rows(gauge: fg.Gauge) -> None:
    rng = Random(4)
    for _ in range(40):
        parts = [buffer(rng, rng.randrange(1, 12)), rng.choice((PRETTY, LONG_BATCH, b"Content-Length: 5", b"[1,2]"))]
        data = b"\n".join(rng.sample(parts, len(parts)))
        check_severities(gauge.check_lines(data))
        check_severities(gauge.check_lines(data, final=False))


def test_the_severity_of_a_row_that_is_no_longer_one() -> None:
    """An error of a line that turns out to be part of a longer message does not count for the other lines."""
    unknown = b'{"jsonrpc":"2.0","id":1,"method":"x"}'
    part = b'{\n"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":\n' + unknown + b"\n}}"
    alone = b'{"jsonrpc":"2.0","method":"notifications/x"}'
    gauge = fg.Gauge("2025-11-25", transport="stdio")
    assert gauge.check_lines(unknown + b"\n" + alone).severities() == {"unknown-method": "error"}
    found = gauge.check_lines(part + b"\n" + alone)
    assert found.severities() == {"embedded-newline": "error", "unknown-method": "info"}
    assert gauge.check_lines(LONG_BATCH).severities() == {"batch-too-large": "error"}
    assert gauge.check_lines(alone + b"\n" + part[:-2] + b"\n", final=False).severities() == {"unknown-method": "info"}
    lines = b"\n".join([part, alone, unknown, alone])
    assert gauge.check_lines(lines).severities() == {"embedded-newline": "error", "unknown-method": "error"}


def test_counts_are_those_of_the_rows() -> None:
    data = buffer(Random(9), 400)
    verdicts = GAUGES[1].check_lines(data)
    kinds = [KIND_NAMES[kind] for kind in memoryview(verdicts.kind)]
    assert verdicts.kind_counts() == {kind: kinds.count(kind) for kind in set(kinds)}
    for rule, count in verdicts.rule_counts().items():
        rows = verdicts.rows_with(rule, 10**6)
        assert len(rows) == count
        assert rows == sorted(rows)
    assert sum(verdicts.method_counts().values()) == sum(1 for method in memoryview(verdicts.method) if method)
    others = verdicts.other_methods()
    assert len(others) > 10
    assert others == [row for row in range(len(verdicts)) if not verdicts.method[row] and verdicts.method_stop[row]]


@pytest.mark.parametrize("window", [50, 300, 5000])
def test_a_stream_cut_anywhere_gives_the_same(window: int) -> None:
    gauge = GAUGES[1]
    data = buffer(Random(window), 200)
    whole = [verdict_text(gauge.check_lines(data), row) for row in range(len(gauge.check_lines(data)))]
    pieces, pending, at = [], b"", 0
    while at < len(data) or pending:
        pending, at = pending + data[at : at + window], at + window
        final = at >= len(data)
        verdicts = gauge.check_lines(pending, final=final)
        pieces += [verdict_text(verdicts, row) for row in range(len(verdicts))]
        pending = pending[verdicts.consumed :]
        if final:
            break
    assert pieces == whole


def verdict_text(verdicts: Verdicts, row: int) -> tuple[bytes, list[str]]:
    return verdicts.line(row), [finding.rule for finding in verdicts.verdict(row).findings]


def test_a_message_over_several_lines_is_one_finding() -> None:
    data = b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n' + PRETTY + b"\nnoise\n" + PRETTY
    verdicts = fg.Gauge("2025-11-25").check_lines(data)
    assert verdicts.rule_counts() == {"embedded-newline": 2, "not-json": 1}
    assert verdicts.rows_with("embedded-newline", 5) == [1, 7]
    assert [finding.rule for finding in verdicts.verdict(1).findings] == ["embedded-newline"]
    assert all(verdicts.verdict(row).findings == () and verdicts.verdict(row).ok for row in (2, 3, 4, 5, 8, 9, 10, 11))


def test_no_line_of_a_message_is_judged_alone() -> None:
    """Not even a batch; but each is where something stands behind the message."""
    gauge = fg.Gauge("2025-11-25")
    message = b'{"jsonrpc":"2.0","id":0,"method":"ping","params":{"a":\n[1]\n}}'
    assert gauge.check_lines(message).rule_counts() == {"embedded-newline": 1}
    cut = gauge.check_lines(message[:-3] + b"\n", final=False)
    assert (len(cut), cut.consumed, cut.severities()) == (0, 0, {})
    for blank in (b" ", b"\t\r"):
        assert gauge.check_lines(message + blank).rule_counts() == {"embedded-newline": 1}
    assert gauge.check_lines(message + b" 1").rule_counts() == {
        "truncated": 1,
        "batch-not-allowed": 1,
        "bad-structure": 1,
    }


def test_what_is_not_judged_is_counted_by_lines() -> None:
    schema = b'{"$schema":"https://example.org/another"}'
    tools = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":%b}]}}' % schema
    verdicts = fg.Gauge("2025-11-25").check_lines(b"[]\n" + tools + b"\n" + PRETTY)
    assert verdicts.not_judged == {}
    sampling = b'{"mode":"form","message":"","requestedSchema":%b}' % schema
    call = b'{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":%b}\n' % sampling
    assert fg.Gauge("2025-11-25").check_lines(call + PRETTY + b"\n" + call).not_judged == {"jsonschema-valid": 2}


@pytest.mark.parametrize("revision", ["auto", "2025-11-25"])
@pytest.mark.parametrize(
    ("rule", "data"), [("content-length-framing", b"Content-Length: 5\n"), ("embedded-newline", PRETTY)]
)
def test_a_rule_about_lines_may_be_left_out(rule: str, data: bytes, revision: str) -> None:
    found = fg.Gauge(revision).check_lines(data)
    assert (found.rule_counts(), found.severities()) == ({rule: 1}, {rule: "error"})
    [finding] = found.verdict(0).findings
    assert (finding.rule, finding.revisions) == (rule, frozenset(MCP if revision == "auto" else [revision]))
    assert not found.verdict(0).ok
    without = fg.Gauge(revision, ignore=[rule]).check_lines(data)
    told = {finding.rule for row in range(len(without)) for finding in without.verdict(row).findings}
    assert told == without.rule_counts().keys() == without.severities().keys()
    assert rule not in told


def test_a_header_that_is_too_large_is_that() -> None:
    found = fg.Gauge(limits=fg.Limits(max_frame_bytes=10)).check_lines(b"Content-Length: 5")
    assert found.rule_counts() == {"frame-too-large": 1}
    assert [finding.rule for finding in found.verdict(0).findings] == ["frame-too-large"]


def test_lines_that_are_no_utf8_are_no_message() -> None:
    data = PRETTY.replace(b"ping", b"p\xffng") + b"\n" + PRETTY
    verdicts = fg.Gauge("2025-11-25").check_lines(data)
    assert verdicts.rule_counts()["invalid-utf8"] == 1
    assert verdicts.rows_with("embedded-newline", 5) == [5]


def test_json_rpc_alone_knows_no_lines() -> None:
    verdicts = fg.Gauge("jsonrpc-2.0").check_lines(PRETTY)
    assert "embedded-newline" not in verdicts.rule_counts()
    assert verdicts.rule_counts()["truncated"] >= 1


def test_a_message_cut_by_a_window_is_left_for_the_next() -> None:
    gauge = fg.Gauge("2025-11-25")
    ping = b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n'
    cut = gauge.check_lines(ping + PRETTY[:-2] + b"\n", final=False)
    assert (len(cut), cut.consumed) == (1, len(ping))


def test_a_message_that_does_not_end_is_lines() -> None:
    """Where this is all there is, or more of it than is held back."""
    gauge = fg.Gauge("2025-11-25")
    found = gauge.check_lines(PRETTY[:-2])
    assert (len(found), found.consumed) == (4, len(PRETTY) - 2)
    assert found.rule_counts()["truncated"] == 1
    long = b'{"a":[\n' + b"1,\n" * 100_000
    assert (len(gauge.check_lines(long, final=False)), gauge.check_lines(long, final=False).consumed) == (
        100_001,
        len(long),
    )


def test_a_message_whose_last_line_is_left_over_is_left_over_too() -> None:
    """Its end stands in the buffer, but not in the rows: the last line has no LF yet, and may still grow."""
    gauge = fg.Gauge("2025-11-25")
    ping = b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n'
    cut = gauge.check_lines(ping + PRETTY, final=False)
    assert (len(cut), cut.consumed) == (1, len(ping))
    assert gauge.check_lines((ping + PRETTY)[cut.consumed :]).rule_counts() == {"embedded-newline": 1}


@pytest.mark.parametrize("line", [b'{"a":[\n', b"[\n", b"{\n", b'{"a":\n', b'"a":1,\n', b"[[\n"])
def test_many_unfinished_lines_stay_linear(line: bytes) -> None:
    """Each of these would be read to the end of the buffer again and again: 60,000 of them would take minutes."""
    unlimited = fg.Gauge("2025-11-25", limits=fg.Limits(max_depth=None))
    verdicts = unlimited.check_lines(line * 60_000)
    assert len(verdicts) == 60_000


def test_an_oversized_line_is_not_looked_at() -> None:
    gauge = fg.Gauge("2025-11-25", limits=fg.Limits(max_frame_bytes=100))
    ping = b'{"jsonrpc":"2.0","id":0,"method":"ping"}'
    verdicts = gauge.check_lines(ping + b"\n" + b'{"x":"' + b"y" * 500 + b'"}\n' + ping)
    assert verdicts.kind_counts() == {"request": 2, "invalid": 1}
    assert verdicts.rule_counts() == {"frame-too-large": 1}


def test_nothing_is_nothing() -> None:
    verdicts = fg.Gauge().check_lines(b"")
    assert (len(verdicts), verdicts.consumed, verdicts.kind_counts()) == (0, 0, {})
    assert bytes(memoryview(verdicts.kind)) == b""


def test_any_contiguous_buffer_will_do() -> None:
    data = b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n' * 3
    for view in (bytearray(data), memoryview(data), memoryview(b"x" + data)[1:]):
        assert fg.Gauge().check_lines(view).kind_counts() == {"request": 3}
    with pytest.raises((TypeError, BufferError)):
        fg.Gauge().check_lines(memoryview(data)[::2])
    with pytest.raises(TypeError):
        fg.Gauge().check_lines("text")
