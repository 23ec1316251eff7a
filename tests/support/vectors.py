"""The vectors of this repository: frames with what must be observed of them, and with the verdict on them."""

from __future__ import annotations

import base64
import json
import tomllib
from functools import cache
from typing import Any

from framegauge.protocol import MCP
from tests.support import VECTORS

AREAS = ("bytes", "limits", "envelope", "ids", "keys", "errors", "members")
JSONRPC = ("jsonrpc-2.0",)
EXPECTED = ("findings", "respond", "code", "id", "status", "kind", "body")
NO_FINDING = {"findings": [], "respond": False, "code": None, "id": None, "status": None}


class Vector:
    """One case of tests/vectors/facts: a frame, the limits, and what must be observed.

    `raw` in the file: `kind`, `fault` and `offset` always; where given also `json_start`, `facts`
    (present), `absent`, `exactly` (no other fact), `id` (raw text or null), `raw` (raw text of
    envelope members), `counts`, `members` (key, type and perhaps raw text), and sizes.
    """

    def __init__(self, area: str, raw: dict[str, Any]) -> None:
        self.area = area
        self.raw = raw
        self.name: str = raw["name"]
        self.group: str = raw["group"]
        if "frame_b64" in raw:
            self.frame = base64.b64decode(raw["frame_b64"], validate=True)
        else:
            self.frame = raw["frame"].encode("utf-8")
        self.limits: dict[str, int | None] = raw.get("limits", {})

    @property
    def id(self) -> str:
        return f"{self.area}: {self.name}"


@cache
def vectors(area: str) -> tuple[Vector, ...]:
    rows = json.loads((VECTORS / "facts" / f"{area}.json").read_text(encoding="utf-8"))
    assert rows, f"no vectors in {area}.json"
    return tuple(Vector(area, row) for row in rows)


@cache
def all_vectors() -> tuple[Vector, ...]:
    found = tuple(vector for area in AREAS for vector in vectors(area))
    assert len(found) >= 750, f"only {len(found)} vectors"
    return found


class VerdictVector:
    """One case of tests/vectors/rules/RULE.toml or tests/vectors/answers.toml in one of its revisions.

    A case has `name` and `revisions`, then what the call is given: `frame` or `frame_b64`, and where it needs them
    `direction`, `transport`, `request_method`, `limits`, `allow_bom`, `error_id`. Then the whole verdict: `findings`
    (rule, severity, offset, count, path), `respond`, `code`, `id` (raw text) and `status`; a member that is absent is
    empty, false or null, and the limit "none" removes the limit. `kind` and `body` are compared where given. The rule
    of the file flags a `bad` case, and does not flag a `good` case.
    """

    def __init__(self, folder: str, raw: dict[str, Any], revision: str) -> None:
        self.raw = raw
        self.folder, self.name, self.revision = folder, str(raw["name"]), revision
        if "frame_b64" in raw:
            self.frame = base64.b64decode(raw["frame_b64"], validate=True)
        else:
            self.frame = raw["frame"].encode("utf-8")
        self.direction: str | None = raw.get("direction")
        self.transport: str | None = raw.get("transport")
        limits = raw.get("limits", {})
        self.limits = {name: None if limit == "none" else limit for name, limit in limits.items()}
        self.allow_bom: bool = raw.get("allow_bom", False)
        self.error_id: str = raw.get("error_id", "spec")
        self.request_method: str | None = raw.get("request_method")
        self.expect: dict[str, Any] = NO_FINDING | {name: raw[name] for name in EXPECTED if name in raw}

    @property
    def id(self) -> str:
        return f"{self.folder}: {self.name} in {self.revision}"

    @property
    def bad(self) -> bool:
        return self.name.split("-")[0] == "bad"


def revisions_of(words: list[str]) -> list[str]:
    """The revisions of a case: dates as they are, `mcp`, `all`, `since DATE`, and `auto`."""
    found: list[str] = []
    for word in words:
        if word in ("mcp", "all"):
            found += (*(JSONRPC if word == "all" else ()), *MCP)
        elif word.startswith("since "):
            found += MCP[MCP.index(word.removeprefix("since ")) :]
        else:
            found.append(word)
    return found


@cache
def vectors_by_file() -> dict[str, tuple[VerdictVector, ...]]:
    """By the name of the file: of a rule, or `answers`."""
    found = {}
    for file in [*sorted((VECTORS / "rules").glob("*.toml")), VECTORS / "answers.toml"]:
        found[file.stem] = tuple(
            VerdictVector(file.stem, raw, revision)
            for raw in tomllib.loads(file.read_text(encoding="utf-8")).get("case", ())
            for revision in revisions_of(raw["revisions"])
        )
        assert found[file.stem], f"no vectors in {file.name}"
    return found


@cache
def verdict_vectors() -> tuple[VerdictVector, ...]:
    found = tuple(vector for group in vectors_by_file().values() for vector in group)
    assert len(found) >= 1750, f"only {len(found)} verdict vectors"
    return found
