"""The vectors of this repository: frames with what must be observed of them, and with the verdict on them."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from tests.support import VECTORS

if TYPE_CHECKING:
    from pathlib import Path

AREAS = ("bytes", "limits", "envelope", "ids", "keys", "errors", "members")


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


def vectors(area: str) -> list[Vector]:
    rows = json.loads((VECTORS / "facts" / f"{area}.json").read_text(encoding="utf-8"))
    assert rows, f"no vectors in {area}.json"
    return [Vector(area, row) for row in rows]


def all_vectors() -> list[Vector]:
    found = [vector for area in AREAS for vector in vectors(area)]
    assert len(found) >= 750, f"only {len(found)} vectors"
    return found


class VerdictVector:
    """One file of tests/vectors/rules/<rule> or tests/vectors/answers: a frame, the host's options, the verdict.

    A `bad-` file is flagged by the rule that its folder is named after, a `good-` file is not. `expect` in the
    file: `findings` (all there are; rule, severity, offset, count, path), `respond`, `code`, `id` (raw text or null)
    and `status` always; where given also `kind` and `body`.
    """

    def __init__(self, path: Path) -> None:
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        self.raw = raw
        self.folder, self.name = path.parent.name, path.stem
        if "frame_b64" in raw:
            self.frame = base64.b64decode(raw["frame_b64"], validate=True)
        else:
            self.frame = raw["frame"].encode("utf-8")
        self.revision: str = raw["revision"]
        self.direction: str | None = raw["direction"]
        self.transport: str | None = raw["transport"]
        self.limits: dict[str, int | None] = raw.get("limits", {})
        self.allow_bom: bool = raw.get("allow_bom", False)
        self.error_id: str = raw.get("error_id", "spec")
        self.request_method: str | None = raw.get("request_method")
        self.expect: dict[str, Any] = raw["expect"]

    @property
    def id(self) -> str:
        return f"{self.folder}: {self.name}"


def verdict_vectors() -> list[VerdictVector]:
    files = sorted([*(VECTORS / "rules").glob("*/*.json"), *(VECTORS / "answers").glob("*.json")])
    assert len(files) >= 800, f"only {len(files)} verdict vectors"
    return [VerdictVector(path) for path in files]
