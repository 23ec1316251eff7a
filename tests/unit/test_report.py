"""The formats, on a report made by hand: they need nothing but plain data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from framegauge.render import FORMATS
from framegauge.render.escape import cut, printable


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
    assert FORMATS["text"](report()) == (
        "files           1\nframes      1,234\nbytes   5,000,000\n\nkinds\n  request  1,234\n"
    )


def test_text_says_what_it_leaves_out() -> None:
    rules = {
        "frame-too-large": {"severity": "error", "count": 1, "first": [finding(size=300_000_000)]},
        "not-json": {"severity": "error", "count": 1022, "first": [finding(line=n) for n in range(1, 21)]},
    }
    shown = FORMATS["text"](report(rules=rules)).splitlines()
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
    shown = FORMATS["text"](report(files=files, skipped=skipped)).splitlines()
    assert "unreadable  7: f0, f1, f2, f3, f4, and 2 more" in shown
    assert "skipped  1: x/.git (hidden)" in shown


HOSTILE = "a\x1b[2J\n\u202eb\u200b\ufeff\udcff.log"


def test_text_lets_no_file_name_reach_the_terminal_raw() -> None:
    rules = {"not-json": {"severity": "error", "count": 1, "first": [finding(HOSTILE)]}}
    skipped = [{"path": HOSTILE, "reason": "hidden"}]
    files = [{"path": HOSTILE, "format": "ndjson", "frames": 0, "bytes": 0, "error": "gone"}]
    shown = FORMATS["text"](report(rules=rules, skipped=skipped, files=files))
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
    shown = FORMATS["text"](report(rules=rules)).splitlines()
    assert [line.split()[1:3] for line in shown[:3]] == [["error", "c"], ["warning", "b"], ["info", "a"]]


def test_jsonl_is_one_line() -> None:
    shown = FORMATS["jsonl"](report())
    assert json.loads(shown) == report()
    assert shown.count("\n") == 1


def test_json_is_the_report_in_ascii() -> None:
    given = report(methods={"\ud800é": 1})
    shown = FORMATS["json"](given)
    assert json.loads(shown) == given
    assert shown.isascii()
    assert shown.endswith("}\n")


def test_json_refuses_what_is_no_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        FORMATS["json"](report(frames=float("nan")))
