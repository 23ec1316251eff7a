"""What a scan found, as plain data; `Report.to_dict` is the object of the schema framegauge.scan/1."""

import os
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from framegauge.bulk.inputs import Skipped
from framegauge.facts import Kind

FIRST = 20  # findings of one rule that are kept whole; the others are counted
MOST_METHODS = 1000  # different methods, beside those of MCP, that are counted by name: frames could name any number
LONGEST_METHOD = 128  # bytes
SHRUNK = "it got shorter while it was read"  # the error of a file
_SEVERITIES = ("error", "warning", "info")


@dataclass(slots=True)
class Finding:
    """One rule that one frame breaks. `line` counts from 1, `offset` is where that line starts in the file.

    `fault_offset`: the byte concerned, from the start of the frame. `size`: bytes of the frame. `count`: places in it.
    The other fields are those of `framegauge.Finding`.
    """

    file: str
    line: int
    offset: int
    fault_offset: int
    size: int
    rule: str
    severity: str
    path: str
    count: int
    message: str
    excerpt: str
    authority: tuple[str, ...]
    hint: tuple[str, str] | None  # its id, and a sentence
    url: str | None
    revisions: frozenset[str]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: a line of `framegauge scan --format jsonl`, and what the report lists below a rule."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "file": shown(self.file),
            "authority": list(self.authority),
            "hint": None if self.hint is None else {"id": self.hint[0], "text": self.hint[1]},
            "revisions": sorted(self.revisions),
        }


@dataclass(slots=True)
class RuleResult:
    """`severity`: the most severe that was found; `count`: frames that break the rule; `first`: a few of them."""

    severity: str
    count: int = 0
    first: list[Finding] = field(default_factory=list)

    def raise_to(self, severity: str) -> None:
        self.severity = min(self.severity, severity, key=_SEVERITIES.index)

    def to_dict(self) -> dict[str, Any]:
        first = [{name: value for name, value in found.to_dict().items() if name != "rule"} for found in self.first]
        return {"severity": self.severity, "count": self.count, "first": first}


@dataclass(slots=True)
class FileResult:
    path: str
    format: str | None = None  # None: not opened
    frames: int = 0
    bytes: int = 0
    error: str | None = None


@dataclass(slots=True)
class Report:
    """What a scan found. Blank lines count as kind `empty` and not as frames."""

    files: list[FileResult] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)  # those that a revision knows
    other_methods: Counter[str] = field(default_factory=Counter)
    methods_other: int = 0  # frames whose method is not counted by name
    rules: dict[str, RuleResult] = field(default_factory=dict)
    not_judged: Counter[str] = field(default_factory=Counter)  # frames per rule
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def frames(self) -> int:
        return sum(file.frames for file in self.files)

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    @property
    def complete(self) -> bool:
        """Was everything read that should be?"""
        return all(file.error is None for file in self.files)

    def keep(self, finding: Finding) -> None:
        """List it, if there is still room for its rule."""
        first = self.rules[finding.rule].first
        if len(first) < FIRST:
            first.append(finding)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-ready object that `framegauge scan --format json` prints."""
        return {
            "schema": "framegauge.scan/1",
            "complete": self.complete,
            "frames": self.frames,
            "bytes": self.bytes,
            "files": [asdict(file) | {"path": shown(file.path)} for file in self.files],
            "skipped": [{"path": shown(item.path), "reason": item.reason} for item in self.skipped],
            "kinds": {kind.value: self.kinds[kind.value] for kind in Kind},
            "methods": dict(sorted((self.methods + self.other_methods).items())),
            "methods_other": self.methods_other,
            "rules": {rule: result.to_dict() for rule, result in sorted(self.rules.items())},
            "not_judged": dict(sorted(self.not_judged.items())),
        }


def shown(path: str) -> str:
    """Return the path as text that any JSON reader takes: bytes outside UTF-8 become \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
