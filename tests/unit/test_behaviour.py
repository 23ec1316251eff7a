"""Who reads it how: the data holds what was measured, and a reading is told only of frames like the one measured."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from typing import Any, get_args

import pytest

import framegauge as fg
from framegauge.behaviour import Case, Outcome, Reading, cases, fitting, readers, servers
from framegauge.explain import hints
from framegauge.facts import FACT_NAMES
from framegauge.native.tokenizer import ENVELOPE_NAMES
from framegauge.protocol import MCP
from framegauge.render import readings as words
from framegauge.render.text.readings import lines as in_lines
from tests.support import SHARED
from tests.unit.test_generated import ROOT, load

measured = importlib.import_module("framegauge.behaviour.readers")  # the module; the package has a function of its name
GENERATOR = ROOT / "tools" / "generate_behaviour.py"
DATA: dict[str, Any] = tomllib.loads(load(GENERATOR).TARGET.read_text("utf-8"))
RECORDED = SHARED is not None and (SHARED / "captures" / "baseline").is_dir()
NOTES = {"last-duplicate-wins", "respelled-id", "rounded-id", "text-replaced", "text-surrogate", "tool-error"}


@pytest.mark.skipif(not RECORDED, reason="the recorded answers are not at hand")
def test_the_data_is_what_the_generator_makes_of_the_recordings() -> None:
    assert SHARED is not None
    generator = load(GENERATOR)
    assert generator.render(SHARED / "captures") == generator.TARGET.read_text("utf-8"), f"run tools/{GENERATOR.name}"


def test_every_server_has_a_name_a_version_and_a_place() -> None:
    assert [set(raw) for raw in DATA["endpoint"]] == [
        {"id", "sdk", "package", "version", "revision", "transport"}
    ] * len(DATA["endpoint"])
    assert len(servers()) == len(set(servers().values())) == len(DATA["endpoint"]) >= 14
    for server in servers().values():
        assert server.sdk
        assert server.package
        assert server.version[0].isdigit()
        assert server.revision in MCP
        assert server.transport in ("http", "stdio")


def test_the_schema_of_the_cases() -> None:
    assert len({raw["id"] for raw in DATA["case"]}) == len({raw["frame"] for raw in DATA["case"]}) == 54
    names = {rule.id for rule in fg.rules()}
    for raw in DATA["case"]:
        assert {"id", "frame", "kind", "rules", "facts", "readings"} <= set(raw)
        assert set(raw) <= {"id", "frame", "kind", "rules", "facts", "readings", "path", "hint"}
        assert raw["kind"] in set(fg.Kind)
        assert set(raw["rules"]) <= names
        assert set(raw["facts"]) <= set(FACT_NAMES)
        assert raw.get("path", "/id")[1:] in ENVELOPE_NAMES
        assert raw.get("hint") in (None, *measured._ENCODED)


def test_an_encoded_frame_is_known_by_its_hint() -> None:
    starts = (b"{\0}\0", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
    found = {hint[0] for start in starts if (hint := hints.hint("not-json", start, 0, fg.classify(start)))}
    assert found == set(measured._ENCODED)


def test_every_server_did_one_thing_with_every_frame() -> None:
    for raw in DATA["case"]:
        assert sorted(name for told in raw["readings"] for name in told["by"]) == sorted(servers())
    assert [len(case.readings) for case in cases()] == [len(servers())] * 54
    for case in cases():
        assert [reading.server for reading in case.readings] == list(servers().values())


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_what_a_reading_holds_fits_its_outcome(case: Case) -> None:
    assert len(case.readings) == len(servers())
    for reading in case.readings:
        check_fields(reading)


def check_fields(reading: Reading) -> None:
    assert reading.outcome in get_args(Outcome)
    over_http = reading.server.transport == "http"
    assert (reading.status is not None) == over_http
    assert (reading.code is not None) == (reading.outcome == "refused")
    assert (reading.answers > 0) == (reading.outcome in ("answered", "refused"))
    assert (reading.id is not None) == (reading.answers == 1)
    assert set(reading.notes) <= NOTES
    if reading.outcome in ("demoted", "accepted"):
        assert reading.status == 202
    if reading.outcome in ("logged", "silent"):
        assert not over_http
    if reading.outcome == "answered" and over_http:
        assert reading.status == 200


def test_a_request_without_a_fault_is_answered_by_all() -> None:
    """Without this, no reading of another frame would mean anything."""
    [valid] = [case for case in cases() if case.id == "valid"]
    assert {(reading.outcome, reading.id, reading.notes) for reading in valid.readings} == {("answered", "7", ())}


def outcomes(rule: str, sdk: str, version: str, transport: str = "http", revision: str = "2025-11-25") -> set[Any]:
    key = (sdk, version, revision, transport)
    return {
        (reading.case, reading.outcome, reading.code, reading.id)
        for reading in readers(rule)
        if (reading.server.sdk, reading.server.version, reading.server.revision, reading.server.transport) == key
    }


def test_readings_that_were_checked_by_hand() -> None:
    assert outcomes("id-null", "Python SDK", "1.30.0") == {("id-null", "demoted", None, None)}
    assert outcomes("id-null", "Python SDK", "2.3.0", revision="2026-07-28") == {("id-null", "refused", -32600, "null")}
    assert outcomes("id-null", "TypeScript SDK", "1.32.2") == {("id-null", "refused", -32700, "null")}
    assert outcomes("id-unsafe-integer", "TypeScript SDK", "2.4.0") == {
        ("id-2-53", "refused", -32600, "9007199254740992"),
        ("id-2-64", "refused", -32600, "18446744073709552000"),
    }
    assert outcomes("batch-not-allowed", "TypeScript SDK", "1.32.2") == {
        ("batch", "answered", None, None),
        ("batch-empty", "accepted", None, None),
    }
    assert outcomes("not-json", "Python SDK", "1.30.0", "stdio") == {
        ("utf-16", "logged", None, None),
        ("word", "logged", None, None),
    }
    assert readers("truncated") == readers("no-such-rule") == ()


def told(frame: bytes, transport: str | None = None, **options: Any) -> dict[str, set[str]]:
    """Rule -> the cases that are told of its finding."""
    verdict = fg.Gauge(options.pop("revision", "2025-11-25"), transport="stdio", **options).check(frame)
    found = {}
    for finding in verdict.findings:
        hint = finding.hint[0] if finding.hint else None
        readings = fitting(finding.rule, verdict.frame, finding.path, hint, transport)
        found[finding.rule] = {reading.case for reading in readings}
    return found


def request(members: bytes, rest: bytes = b',"method":"ping"') -> bytes:
    return b'{"jsonrpc":"2.0",' + members + rest + b"}"


@pytest.mark.parametrize(
    ("frame", "rule", "expected"),
    [
        (request(b'"id":null'), "id-null", {"id-null"}),
        (request(b'"id":[]'), "id-type", {"id-object"}),
        (request(b'"id":false'), "id-type", {"id-true"}),
        (request(b'"id":1,"id":1'), "duplicate-key", {"id-twice"}),
        (request(b'"id":1,"method":"a"'), "duplicate-key", {"method-twice-known-first", "method-twice-known-last"}),
        (b"[]", "batch-not-allowed", {"batch-empty"}),
        (b"[" + request(b'"id":1') + b"]", "batch-not-allowed", {"batch"}),
        (b"oops", "not-json", {"word"}),
        (request(b'"id":1').decode().encode("utf-16-le"), "not-json", {"utf-16"}),
        (request(b'"id":"\xff"'), "invalid-utf8", {"byte-ff", "bytes-c0-80", "bytes-ed-a0-80"}),
        (request(b'"id":1,"params":{"a":"\\udc00"}'), "lone-surrogate", {"lone-surrogate"}),
        (request(b'"id":1\n'), "embedded-newline", {"cr-between", "lf-between"}),
        (request(b'"id":"","x":1'), "unknown-member", {"member-extra"}),
        (request(b'"id":1', b',"METHOD":"ping"'), "key-case-variant", {"method-capital"}),
        (b" ", "empty-frame", {"nothing"}),
    ],
)
def test_what_is_told_of_a_frame(frame: bytes, rule: str, expected: set[str]) -> None:
    assert told(frame)[rule] == expected


@pytest.mark.parametrize(
    ("frame", "rule"),
    [
        (request(b'"id":null', b',"result":{}'), "id-null"),  # no request
        (b'{"id":null,"method":"a"}', "id-null"),  # no frame that was measured is of this kind
        (b"[" + request(b'"id":null') + b"]", "id-null"),
        (request(b'"id":1,"params":{"a":1,"a":2}'), "duplicate-key"),
        (request(b'"jsonrpc":"2.0","id":1'), "duplicate-key"),
        (b'{"method":"a"}', "jsonrpc-missing"),
        (request(b'"id":"\\ud800"'), "lone-surrogate"),
        (request(b'"ID":1'), "key-case-variant"),
        (b'{"jsonrpc":"2.0","id":1}', "no-method-result-error"),
        (request(b'"id":null,"x":1'), "id-null"),  # two faults
        (request(b'"id":null,"x":1'), "unknown-member"),
        (request(b'"id":1,"x":1\n'), "embedded-newline"),
        (b"\x1f\x8b\x08", "invalid-utf8"),
        (b"{", "truncated"),
    ],
)
def test_nothing_is_told_of_a_frame_like_which_none_was_measured(frame: bytes, rule: str) -> None:
    found = told(frame, revision="2025-03-26")
    assert found[rule] == set()


def test_only_the_transport_that_was_named() -> None:
    verdict = fg.Gauge().check(request(b'"id":null'))
    for transport in ("http", "stdio"):
        readings = fitting("id-null", verdict.frame, "/id", None, transport)
        assert {reading.server.transport for reading in readings} == {transport}
    assert fitting("id-null", verdict.frame, "/id", None, "sse") == ()
    assert len(fitting("id-null", verdict.frame, "/id")) == len(servers())


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b"\r"])
def test_line_ends_between_tokens_matter_on_lines_only(blank: bytes) -> None:
    verdict = fg.Gauge().check(request(b'"id":null,' + blank + b'"params":{}') + blank)
    readings = fitting("id-null", verdict.frame, "/id")
    assert [reading.server.transport for reading in readings] == ["http"] * (len(servers()) // 2)


def test_the_hints_say_what_was_measured() -> None:
    """They stand in a layer that may not read the data."""
    demoted = {reading.server.package for case in cases() for reading in case.readings if reading.outcome == "demoted"}
    assert hints.DEMOTING in demoted
    facts = {fact for case in cases() if any(r.outcome == "demoted" for r in case.readings) for fact in case.facts}
    assert facts >= hints._NO_ID_AT_ALL
    twice = {case.path for case in cases() if "duplicate-key" in case.rules}
    assert twice == set(hints.TWICE)
    assert {reading.notes for reading in readers("duplicate-key")} == {("last-duplicate-wins",)}


def test_words_of_everything_that_happened() -> None:
    said = {words.event(reading) for case in cases() for reading in case.readings}
    assert {"answered", "2 answers", "no answer", "no answer, HTTP 202", "accepted, HTTP 202"} <= said
    assert {"error -32600, HTTP 400, the id rounded", "the last one counts", "answered, U+FFFD in its text"} <= said


def test_blocks_lose_no_server_and_no_frame() -> None:
    readings = [reading for case in cases() for reading in case.readings]
    found = words.blocks(readings)
    assert sorted(frame for block in found for frame in block.frames) == sorted(case.frame for case in cases())
    [null] = words.blocks(readers("id-null"))
    assert null.rows == (
        words.Row("http", "no answer, HTTP 202", "Python SDK 1.30.0, 2.3.0 in 2025-11-25; fastmcp 4.2.3"),
        words.Row("http", "error -32600, HTTP 400", "Python SDK 2.3.0 in 2026-07-28; TypeScript SDK 2.4.0"),
        words.Row("http", "error -32700, HTTP 400", "TypeScript SDK 1.32.2"),
        words.Row("stdio", "no answer", "all"),
    )


@pytest.mark.parametrize("width", [20, 50, 98])
def test_text_keeps_to_the_width_where_there_is_room(width: int) -> None:
    lines = list(in_lines((reading for case in cases() for reading in case.readings), width))
    assert len(lines) > 100
    assert all(line.isascii() and line.isprintable() and line == line.rstrip() for line in lines)
    assert max(map(len, lines)) <= max(width, 75)


def test_a_rule_takes_a_few_lines_only() -> None:
    most = {rule.id: len(list(in_lines(readers(rule.id), 98))) for rule in fg.rules()}
    assert 35 >= sum(map(bool, most.values())) >= 25
    assert max(most.values()) <= 13, most


def test_the_data_is_read_once_and_stays() -> None:
    assert cases() is cases()
    with pytest.raises(AttributeError):
        cases()[0].readings[0].outcome = "silent"  # type: ignore[misc]


def test_who_judges_frames_does_not_load_it() -> None:
    judging = "import framegauge, sys; framegauge.Gauge().check(b'[]').to_dict()"
    code = f"{judging}; sys.exit('framegauge.behaviour' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
