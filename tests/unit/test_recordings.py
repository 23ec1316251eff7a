"""Recorded sessions, judged under the revision that the two sides had agreed on, answers by their request."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import framegauge as fg
from framegauge.protocol import MCP
from tests.support import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT, SERVER = "client-to-server", "server-to-client"

# Real faults of real programs, by recording: rule, method (of the request, for an answer), path.
PING = {("method-not-in-revision", "ping", "/method")}  # 2026-07-28 has none, and the servers said so
REAL_FAULTS = {"duck-fm-auto": PING, "time-fm-auto": PING}


class Sent(NamedTuple):
    direction: str
    raw: bytes
    frame: dict[str, Any]


def frames(raws: Iterable[bytes], direction: str) -> Iterator[Sent]:
    """Those that are objects; other lines on stdout are judged elsewhere."""
    for raw in raws:
        try:
            frame = json.loads(raw)
        except ValueError:
            continue
        if isinstance(frame, dict):
            yield Sent(direction, raw, frame)


def of_stdio(path: Path) -> list[Sent]:
    other = path.with_name(path.name.replace(".c2s.", ".s2c."))
    sides = ((path, CLIENT), (other, SERVER))
    return [sent for file, side in sides for sent in frames(file.read_bytes().split(b"\n"), side)]


def of_http(path: Path) -> list[Sent]:
    found: list[Sent] = []
    for line in path.read_text("utf-8").splitlines():
        exchange = json.loads(line)
        body = joined(exchange.get("request_chunks_b64", ()))
        answer = joined(exchange.get("response_chunks_b64", ()))
        events = [each.removeprefix(b"data:").strip() for each in answer.splitlines() if each.startswith(b"data:")]
        found += [*frames([body], CLIENT), *frames([*events, answer], SERVER)]
    return found


def joined(chunks: Iterable[str]) -> bytes:
    return b"".join(base64.b64decode(chunk) for chunk in chunks)


def sessions() -> list[tuple[str, list[Sent]]]:
    assert SHARED is not None
    stdio = [(path.name.partition(".")[0], of_stdio(path)) for path in (SHARED / "captures").glob("*/*.c2s.bin")]
    http = [
        (path.name.partition(".")[0], of_http(path))
        for kind in ("http/*.jsonl", "more/*.http.jsonl")
        for path in (SHARED / "captures").glob(kind)
    ]
    return sorted(stdio) + sorted(http)


def named(frame: dict[str, Any]) -> str | None:
    """The revision that a frame names itself."""
    meta = (frame.get("params") or {}).get("_meta") or {}
    return meta.get(VERSION) if meta.get(VERSION) in MCP else None


def judged(session: list[Sent]) -> Iterator[tuple[str, str, fg.Verdict]]:
    """Revision and method of each frame, and the verdict."""
    agreed = [
        sent.frame["result"].get("protocolVersion") for sent in session if isinstance(sent.frame.get("result"), dict)
    ]
    names = [name for name in (*agreed, *(named(sent.frame) for sent in session)) if name in MCP]
    requests = {
        (sent.direction, json.dumps(sent.frame["id"])): sent.frame
        for sent in session
        if "method" in sent.frame and "id" in sent.frame
    }
    for direction, raw, frame in session:
        other = CLIENT if direction == SERVER else SERVER
        asked = None if "method" in frame else requests.get((other, json.dumps(frame.get("id"))))
        revision = named(asked or frame) or names[0]
        verdict = fg.Gauge(revision, direction).check(raw, request_method=asked and asked["method"])
        yield revision, (asked or frame).get("method", ""), verdict


@pytest.mark.skipif(SHARED is None, reason="the recorded sessions are not at hand")
def test_recorded_sessions_are_clean_under_their_own_revision() -> None:
    seen: dict[str, int] = dict.fromkeys(MCP, 0)
    wrong: dict[str, set[tuple[str, str, str]]] = {}
    answered = 0
    for name, session in sessions():
        for revision, method, verdict in judged(session):
            seen[revision] += 1
            answered += verdict.kind == "success" and method != ""
            errors = {(each.rule, method, each.path) for each in verdict.findings if each.severity == "error"}
            if errors:
                wrong.setdefault(name, set()).update(errors)
    assert wrong == REAL_FAULTS
    assert answered > 500
    assert all(count > 15 for count in seen.values()), seen
