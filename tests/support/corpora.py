"""The larger corpora beside the repository: public cases, JSONTestSuite, recorded sessions, the odd frames."""

from __future__ import annotations

import base64
import json
import re
import runpy
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.support import SHARED, VECTORS

if TYPE_CHECKING:
    from pathlib import Path


def field_cases() -> list[dict[str, Any]]:
    """Faults from public reports: `frames_b64`, `layer`, `expect`; empty where not at hand."""
    path = SHARED / "cases" / "field-cases.jsonl" if SHARED else None
    if path is None or not path.is_file():
        return []
    with path.open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines if line.strip()]
    assert len(cases) >= 100, f"only {len(cases)} field cases in {path}"
    return cases


def json_test_suite() -> list[Path]:
    """The files of JSONTestSuite's test_parsing; empty where not at hand."""
    folder = SHARED / "oracle" / "JSONTestSuite" / "test_parsing" if SHARED else None
    if folder is None or not folder.is_dir():
        return []
    files = sorted(folder.glob("*.json"))
    assert len(files) >= 300, f"only {len(files)} files in {folder}"
    return files


def recorded_sessions() -> list[Path]:
    """The recorded stdio sessions, one file for each direction: NAME.c2s.bin, NAME.s2c.bin."""
    assert SHARED is not None
    files = sorted((SHARED / "captures").glob("*/*.bin"))
    assert len(files) > 30, f"only {len(files)} recordings"
    return files


@cache
def recorded_frames() -> list[bytes]:
    """Every line of the recorded stdio sessions, log lines on stdout included."""
    return [line for file in recorded_sessions() for line in file.read_bytes().split(b"\n") if line]


@cache
def recorded_answers() -> list[tuple[bytes, str, str]]:
    """Every result of the recorded stdio sessions, with the session's revision and the method that it answers."""
    found = []
    for file in recorded_sessions():
        other = file.with_name(
            re.sub(r"\.(c2s|s2c)\.", lambda side: {"c2s": ".s2c.", "s2c": ".c2s."}[side[1]], file.name)
        )
        asked = {
            json.dumps(told["id"]): told["method"] for told, _ in _messages(file) if {"id", "method"} <= told.keys()
        }
        answers = [(told, line) for told, line in _messages(other) if "result" in told]
        results = [told["result"] for told, _ in [*answers, *_messages(file)] if isinstance(told.get("result"), dict)]
        settled = [result["protocolVersion"] for result in results if "protocolVersion" in result]
        revision = settled[0] if settled else "2026-07-28"  # which alone has no handshake
        found += [(line, revision, asked[json.dumps(told["id"])]) for told, line in answers]
    return found


def _messages(file: Path) -> list[tuple[dict[str, Any], bytes]]:
    """The lines that are objects, read by somebody else."""
    found = []
    for line in file.read_bytes().split(b"\n") if file.is_file() else []:
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if isinstance(told, dict):
            found.append((told, line))
    return found


def recorded_posts() -> list[tuple[bytes, int]]:
    """Every recorded HTTP POST: its body, and the status of the answer."""
    assert SHARED is not None
    files = sorted((SHARED / "captures").glob("*/*.jsonl"))
    lines = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        (b"".join(base64.b64decode(chunk) for chunk in line["request_chunks_b64"]), line["status"])
        for line in lines
        if line.get("method") == "POST" and "request_chunks_b64" in line
    ]


@cache
def odd_frames(modern: bool) -> dict[str, bytes]:
    """The odd frames that every SDK was asked about, by name; empty where not at hand."""
    path = SHARED / "captures" / "scripts" / "cases.py" if SHARED else None
    if path is None or not path.is_file():
        return {}
    frames: dict[str, bytes] = dict(runpy.run_path(str(path))["build"](modern))
    assert len(frames) == 54, f"{len(frames)} odd frames in {path}"
    return frames


def odd_verdicts() -> dict[str, Any]:
    """tests/vectors/cases54.json: what the documents say of each of these frames, and by which decision."""
    table: dict[str, Any] = json.loads((VECTORS / "cases54.json").read_text(encoding="utf-8"))
    assert len(table["frames"]) == 54
    return table
