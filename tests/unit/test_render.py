"""The table of formats: a report made by hand needs nothing but plain data."""

from __future__ import annotations

import json
from typing import Any

import pytest

import framegauge as fg
from framegauge import bulk
from framegauge.behaviour import of_findings
from framegauge.render import FORMATS, formats
from framegauge.render.escape import cut, printable
from framegauge.render.results import SCHEMAS, Checked


def finding(file: str = "a.log", line: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "file": file,
        "line": line,
        "offset": 0,
        "fault_offset": 3,
        "size": 9,
        "severity": "error",
        "excerpt": "[]x",
        **more,
    }


def report(**changes: Any) -> dict[str, Any]:
    return {
        "schema": "framegauge.scan/1",
        "complete": True,
        "frames": 1234,
        "bytes": 5_000_000,
        "files": [{"path": "a.log", "format": "ndjson", "frames": 1234, "bytes": 5_000_000, "error": None}],
        "skipped": [],
        "kinds": {"empty": 0, "request": 1234},
        "methods": {"ping": 1234},
        "methods_other": 0,
        "rules": {},
        "not_judged": {},
        **changes,
    }


def test_text_of_a_clean_report() -> None:
    assert FORMATS["scan", "text"](report()) == (
        "files           1\nframes      1,234\nbytes   5,000,000\n\nkinds\n  request  1,234\n"
    )


def test_text_says_what_it_leaves_out() -> None:
    rules = {
        "frame-too-large": {"severity": "error", "count": 1, "first": [finding(size=300_000_000)]},
        "not-json": {"severity": "error", "count": 1022, "first": [finding(line=n) for n in range(1, 21)]},
    }
    shown = FORMATS["scan", "text"](report(rules=rules)).splitlines()
    assert shown[0] == "a.log:1:3: error frame-too-large  []x  (300,000,000 bytes)"
    assert shown[1] == "a.log:1:3: error not-json  []x"
    assert shown[21] == "... and 1,002 more frames: not-json"
    assert shown[-3:] == [
        "frames per rule",
        "  frame-too-large (error)      1",
        "  not-json (error)         1,022",
    ]


def test_text_names_files_that_were_not_read() -> None:
    files = [{"path": f"f{n}", "format": "ndjson", "frames": 0, "bytes": 0, "error": "gone"} for n in range(7)]
    skipped = [{"path": "x/.git", "reason": "hidden"}]
    shown = FORMATS["scan", "text"](report(files=files, skipped=skipped)).splitlines()
    assert "unreadable  7: f0, f1, f2, f3, f4, and 2 more" in shown
    assert "skipped  1: x/.git (hidden)" in shown


HOSTILE = "a\x1b[2J\n\u202eb\u200b\ufeff\udcff.log"


def test_text_lets_no_file_name_reach_the_terminal_raw() -> None:
    rules = {"not-json": {"severity": "error", "count": 1, "first": [finding(HOSTILE)]}}
    skipped = [{"path": HOSTILE, "reason": "hidden"}]
    files = [{"path": HOSTILE, "format": "ndjson", "frames": 0, "bytes": 0, "error": "gone"}]
    shown = FORMATS["scan", "text"](report(rules=rules, skipped=skipped, files=files))
    assert shown.count("a\\x1b[2J\\n\\u202eb\\u200b\\ufeff\\udcff.log") == 3
    assert all(character.isprintable() or character == "\n" for character in shown)


def test_printable_keeps_ordinary_names() -> None:
    assert printable("büro/日志 1.log") == "büro/日志 1.log"


def test_cut_is_printable_and_short() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcdefg", 6) == "abc..."
    assert len(cut("\u202e" * 50, 20)) == 20


def test_severe_findings_come_first() -> None:
    rules = {
        "a": {"severity": "info", "count": 1, "first": [finding(severity="info")]},
        "b": {"severity": "warning", "count": 1, "first": [finding(severity="warning")]},
        "c": {"severity": "error", "count": 1, "first": [finding()]},
    }
    shown = FORMATS["scan", "text"](report(rules=rules)).splitlines()
    assert [line.split()[1:3] for line in shown[:3]] == [["error", "c"], ["warning", "b"], ["info", "a"]]


def test_jsonl_is_one_line() -> None:
    shown = FORMATS["scan", "jsonl"](report())
    assert json.loads(shown) == report()
    assert shown.count("\n") == 1


def test_json_is_the_report_in_ascii() -> None:
    given = report(methods={"\ud800é": 1})
    shown = FORMATS["scan", "json"](given)
    assert json.loads(shown) == given
    assert shown.isascii()
    assert shown.endswith("}\n")


def test_json_refuses_what_is_no_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        FORMATS["scan", "json"](report(frames=float("nan")))


# --- the table --------------------------------------------------------------------------------


def test_every_result_has_a_format_for_people_first() -> None:
    assert {result for result, _ in FORMATS} == {"verdict", "matrix", "scan", "finding", "rules", "rule"}
    assert [formats(result)[0] for result in ("verdict", "matrix", "scan", "rules", "rule")] == ["text"] * 5
    assert formats("verdict") == formats("matrix")  # --all-revisions changes the result and not the choice
    assert formats("scan") == ("text", "json", "jsonl")


def test_schemas_are_those_of_the_objects() -> None:
    listed = json.loads(FORMATS["rules", "json"](fg.rules()))
    objects = {"verdict": fg.Gauge().check(b"{}").to_dict(), "scan": bulk.scan([]).to_dict(), "rules": listed}
    assert {name: value["schema"] for name, value in objects.items()} == SCHEMAS


NULL_ID = b'{"jsonrpc":"2.0","id":null,"method":"ping"}'


def checked(frame: bytes, shown: bytes | None = None, **more: Any) -> Checked:
    verdict = fg.Gauge("2025-11-25").check(frame)
    readings = of_findings(verdict.findings, verdict.frame)
    return Checked(verdict.to_dict(), frame if shown is None else shown, readings, **more)


@pytest.mark.parametrize("width", [40, 100])
def test_a_verdict_as_text_keeps_to_the_width(width: int) -> None:
    lines = FORMATS["verdict", "text"](checked(b'{"jsonrpc":"2.0","id":null,' + b" " * 500 + b'"x":1}', width=width))
    excerpts = [
        before for before, line in zip(lines.splitlines(), lines.splitlines()[1:], strict=False) if line.strip() == "^"
    ]
    assert excerpts
    assert max(map(len, excerpts)) <= width
    assert all(line.startswith("  ") for line in excerpts)


def test_rules_with_the_same_readings_share_their_lines() -> None:
    result = checked(NULL_ID)
    assert result.readings
    [(rule, readings)] = result.readings.items()
    twice = result._replace(readings={rule: readings, "another": readings})
    assert FORMATS["verdict", "text"](twice) == FORMATS["verdict", "text"](result).replace(
        f"who reads it how: {rule}\n", f"who reads it how: {rule}, another\n"
    )


def test_a_fault_behind_what_is_shown_has_its_caret_there() -> None:
    lines = FORMATS["verdict", "text"](checked(b"[" + b" " * 300, shown=b"[  ")).splitlines()
    assert "  [  " in lines
    assert "     ^" in lines


def test_a_result_is_judged_by_the_method_that_was_named() -> None:
    note = "name the request that it answers"
    success = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    assert note in FORMATS["verdict", "text"](checked(success))
    assert note not in FORMATS["verdict", "text"](checked(success, request_method="ping"))
    assert note not in FORMATS["verdict", "text"](checked(NULL_ID))


def test_readings_are_in_the_json_of_a_verdict() -> None:
    found = json.loads(FORMATS["verdict", "json"](checked(NULL_ID)))
    assert {each["rule"] for each in found["readings"]} == {"id-null"}
    assert {name: value for name, value in found.items() if name != "readings"} == checked(NULL_ID).verdict


def test_of_clients_no_readings_are_known() -> None:
    verdict = fg.Gauge("2025-11-25").check(NULL_ID)
    assert of_findings(verdict.findings, verdict.frame, "server-to-client") == {}
    both = of_findings(verdict.findings, verdict.frame)["id-null"]
    assert {each.server.transport for each in both} == {"http", "stdio"}
    http = of_findings(verdict.findings, verdict.frame, "client-to-server", "http")["id-null"]
    assert {each.server.transport for each in http} == {"http"}
