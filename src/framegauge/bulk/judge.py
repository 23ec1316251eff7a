"""Judging one window of lines by columns: what is looked at in Python is what will be listed, not what is counted."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from framegauge.bulk.excerpt import excerpt
from framegauge.bulk.report import FIRST, LONGEST_METHOD, FileResult, Finding, RuleResult
from framegauge.bulk.windows import Window
from framegauge.gauge import Gauge
from framegauge.native.tokenizer import Kind

PIECE = 1 << 20  # bytes judged in one call: the columns of short lines take more memory than the lines
MOST_HELD = 10_000  # findings of one window that are held until their turn comes
_TOO_LARGE = "frame-too-large"
_KEPT_SIZE = 6 * LONGEST_METHOD + 2  # of a name as it was sent: at most an escape for each byte, and the quotes


@dataclass(frozen=True, slots=True)
class Task:
    file: FileResult
    window: Window


@dataclass(slots=True)
class Part:
    """What one window holds. Lines of its findings count from the window's first."""

    task: Task
    lines: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    known_methods: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    methods_other: int = 0
    rules: dict[str, RuleResult] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    too_many: bool = False  # to be held: `Judge.findings` gives them one by one


class Judge:
    """Call it with windows, from any thread. `all_findings`: every finding is wanted, not only the first of each rule.

    `listed`: rules of which no more are wanted; the caller adds to it.
    """

    def __init__(self, gauge: Gauge, *, all_findings: bool) -> None:
        self.listed: set[str] = set()
        self._gauge = gauge
        self._all = all_findings
        self._severities: dict[tuple[str, int], str] = {}  # by rule and facts

    def __call__(self, task: Task) -> Part:
        part = Part(task)
        if task.window.too_long is not None:
            self._count_too_long(part)
            return part
        for at, piece in _pieces(task.window.data):
            verdicts = self._gauge.check_lines(piece)
            self._count(part, verdicts, piece)
            self._list(part, verdicts, piece, at)
            part.lines += len(verdicts)
        return part

    def findings(self, task: Task) -> Iterator[Finding]:
        """All findings of a window, one by one."""
        lines = 0
        for at, piece in _pieces(task.window.data):
            verdicts = self._gauge.check_lines(piece)
            rows = _rows(verdicts, lambda _: len(verdicts))
            yield from _findings(task, verdicts, piece, rows, at, lines)
            lines += len(verdicts)

    # ---- what is counted -----------------------------------------------------------------------------------------------

    def _count(self, part: Part, verdicts: Any, piece: memoryview) -> None:
        part.kinds.update(verdicts.kind_counts())
        part.known_methods.update(verdicts.method_counts())
        for name in _other_methods(verdicts, piece):
            if name is None:
                part.methods_other += 1
            else:
                part.methods[name] += 1
        for rule, count in verdicts.rule_counts().items():
            result = part.rules.setdefault(rule, RuleResult("info"))
            result.count += count
            if result.severity != "error":
                self._raise_severity(result, rule, verdicts)

    def _raise_severity(self, result: RuleResult, rule: str, verdicts: Any) -> None:
        """Rows with the same facts are judged alike, so one of them is asked; but for batches, where the elements count."""
        facts, kinds = memoryview(verdicts.facts), memoryview(verdicts.kind)
        for row in verdicts.rows_with(rule, len(verdicts)):
            key = rule, facts[row]
            severity = self._severities.get(key)
            if severity is None:
                found = {finding.rule: finding.severity for finding in verdicts.verdict(row).findings}
                severity = found.get(rule, "info")
                if kinds[row] != _BATCH:
                    self._severities[key] = severity
            result.raise_to(severity)
            if result.severity == "error":
                break

    # ---- what is listed ------------------------------------------------------------------------------------------------

    def _list(self, part: Part, verdicts: Any, piece: memoryview, at: int) -> None:
        if self._all and (part.too_many or sum(verdicts.rule_counts().values()) + len(part.findings) > MOST_HELD):
            part.too_many = True
            part.findings.clear()
            return
        rows = _rows(verdicts, lambda rule: self._room(part, rule, len(verdicts)))
        for finding in _findings(part.task, verdicts, piece, rows, at, part.lines):
            if self._room(part, finding.rule, 1):
                part.findings.append(finding)
                part.rules[finding.rule].first.append(finding)

    def _room(self, part: Part, rule: str, all_rows: int) -> int:
        """How many more findings of a rule are wanted."""
        if self._all:
            return all_rows
        return 0 if rule in self.listed else FIRST - len(part.rules[rule].first)

    def _count_too_long(self, part: Part) -> None:
        window, limit = part.task.window, self._gauge.limits.max_frame_bytes or 0
        part.lines = 1
        part.kinds[Kind.invalid.value] += 1
        if _TOO_LARGE not in self._gauge.selected:
            return
        part.rules[_TOO_LARGE] = RuleResult("error", 1)
        message = self._gauge.rule_message(_TOO_LARGE, limit)
        place = (part.task.file.path, 1, window.start, limit, window.too_long or 0)
        part.findings.append(Finding(*place, _TOO_LARGE, "error", "", 1, message, excerpt(window.data, 0)))
