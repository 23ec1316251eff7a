"""One piece of an archive on its way through the threads: what to judge, and what was found in it."""

from collections import Counter
from dataclasses import dataclass, field

from framegauge import gauge as engine
from framegauge.archives.record import Lines, Record
from framegauge.bulk.summary import FileResult, Finding, RuleResult
from framegauge.explain.excerpt import excerpt

_TOO_LARGE = "frame-too-large"


@dataclass(frozen=True, slots=True)
class Task:
    file: FileResult
    read: Lines | Record


@dataclass(slots=True)
class Part:
    """What one task holds. Lines of the findings in a window count from its first; a record knows its line."""

    task: Task
    lines: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    known_methods: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    methods_other: int = 0
    rules: dict[str, RuleResult] = field(default_factory=dict)
    not_judged: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    too_many: bool = False  # to be held: `Judge.findings` gives them one by one


def listed(found: engine.Finding, file: str, line: int, offset: int, size: int, data: bytes | memoryview) -> Finding:
    """A finding at its place in a file; `data`: the frame, or the beginning of one that is too large."""
    # Of a line that is too long only the beginning may be held, which shows more than the byte at the limit.
    shown = excerpt(data, 0 if found.rule == _TOO_LARGE else found.offset)
    return Finding(
        file=file,
        line=line,
        offset=offset,
        fault_offset=found.offset,
        size=size,
        rule=found.rule,
        severity=found.severity,
        path=found.path,
        count=found.count,
        message=found.message,
        excerpt=shown,
        authority=found.authority,
        hint=found.hint,
        url=found.url,
        revisions=found.revisions,
    )
