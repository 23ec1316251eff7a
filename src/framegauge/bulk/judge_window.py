"""Judging one window of lines by columns: what is looked at in Python is what will be listed, not what is counted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from framegauge import gauge as engine
from framegauge.archives.ndjson import Window
from framegauge.bulk.summary import FIRST, LONGEST_METHOD, FileResult, Finding, RuleResult
from framegauge.explain.excerpt import excerpt
from framegauge.facts import Kind
from framegauge.gauge import Gauge
from framegauge.gauge.lines import Verdicts

# Rows after which a call ends: the columns of blank lines take sixty times their memory.
MOST_ROWS = 1 << 18
MOST_HELD = 10_000  # findings of one window that are held until their turn comes
_LONGEST_RAW = 6 * LONGEST_METHOD + 2  # bytes of a name as it was sent that are looked at: one may be written \u0061
_TOO_LARGE = "frame-too-large"


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
    not_judged: Counter[str] = field(default_factory=Counter)
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
        # Such a frame is not read, so any of that size tells what is found.
        self._too_long = () if self.limit is None else gauge.check(bytes(self.limit + 1)).findings

    @property
    def limit(self) -> int | None:
        return self._gauge.limits.max_frame_bytes

    def __call__(self, task: Task) -> Part:
        part = Part(task)
        if task.window.too_long is not None:
            self._count_too_long(part)
            return part
        for piece in self._pieces(task.window.data):
            self._count(part, piece)
            self._list(part, piece)
            part.lines += len(piece.verdicts)
        if not part.too_many:
            part.task = Task(task.file, task.window._replace(data=b""))  # its memory is this thread's next window
        return part

    def findings(self, task: Task) -> Iterator[Finding]:
        """All findings of a window, one by one."""
        lines = 0
        for piece in self._pieces(task.window.data):
            yield from piece.findings(piece.rows(), task, lines)
            lines += len(piece.verdicts)

    def _pieces(self, data: bytes | memoryview) -> Iterator["_Piece"]:
        whole, at, tried = memoryview(data), 0, 0
        while at < len(data):
            verdicts = Verdicts(self._gauge, whole[at:], final=True, most_rows=MOST_ROWS, tried=tried - at)
            yield _Piece(verdicts, whole[at:], at, verdicts.rule_counts())
            at, tried = at + verdicts.consumed, at + verdicts.tried

    # ---- what is counted ---------------------------------------------------------------------------------------------

    def _count(self, part: Part, piece: "_Piece") -> None:
        part.kinds.update(piece.verdicts.kind_counts())
        part.known_methods.update(piece.verdicts.method_counts())
        for name in piece.other_methods():
            if name is None:
                part.methods_other += 1
            else:
                part.methods[name] += 1
        part.not_judged.update(piece.verdicts.not_judged)
        severities = piece.verdicts.severities()
        for rule, count in piece.rule_counts.items():
            result = part.rules.setdefault(rule, RuleResult("info"))
            result.count += count
            result.raise_to(severities.get(rule, "error"))

    # ---- what is listed ----------------------------------------------------------------------------------------------

    def _list(self, part: Part, piece: "_Piece") -> None:
        if self._all:
            part.too_many |= len(part.findings) + sum(piece.rule_counts.values()) > MOST_HELD
            part.findings += [] if part.too_many else piece.findings(piece.rows(), part.task, part.lines)
            return
        room = {rule: FIRST - len(result.first) for rule, result in part.rules.items() if rule not in self.listed}
        for finding in piece.findings(piece.rows(room), part.task, part.lines):
            if room.get(finding.rule, 0) > 0:
                room[finding.rule] -= 1
                part.rules[finding.rule].first.append(finding)
                part.findings.append(finding)

    def _count_too_long(self, part: Part) -> None:
        window = part.task.window
        part.lines = 1
        part.kinds[Kind.invalid.value] += 1
        for finding in self._too_long:
            part.rules[finding.rule] = RuleResult(finding.severity, 1)
            part.findings.append(
                _listed(finding, part.task.file.path, 1, window.start, window.too_long or 0, window.data)
            )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some lines of a window, judged."""

    verdicts: Verdicts
    data: memoryview
    at: int  # in the window
    rule_counts: dict[str, int]

    def other_methods(self) -> Iterator[str | None]:
        """The names that no revision knows, one for each row; None where it is too long to be counted by name."""
        verdicts, data = self.verdicts, self.data
        columns = memoryview(verdicts.offset), memoryview(verdicts.method_start), memoryview(verdicts.method_stop)
        for row in verdicts.other_methods():
            offset, start, stop = (column[row] for column in columns)
            raw = bytes(data[offset + start + 1 : offset + min(stop - 1, start + _LONGEST_RAW)])
            name = raw.decode("utf-8", "replace") if b"\\" not in raw else verdicts.verdict(row).frame.method or ""
            yield name if len(name) <= LONGEST_METHOD else None

    def rows(self, room: Mapping[str, int] | None = None) -> list[int]:
        """The rows to look at: of each rule the first, as many as there is room for, or all."""
        wanted = self.rule_counts if room is None else room
        return sorted({row for rule in self.rule_counts for row in self.verdicts.rows_with(rule, wanted.get(rule, 0))})

    def findings(self, rows: Iterable[int], task: Task, lines: int) -> Iterator[Finding]:
        offsets, lengths = memoryview(self.verdicts.offset), memoryview(self.verdicts.length)
        for row in rows:
            offset, length = offsets[row], lengths[row]
            line = self.data[offset : offset + length]
            place = task.file.path, lines + row + 1, task.window.start + self.at + offset, length, line
            for finding in self.verdicts.verdict(row).findings:
                yield _listed(finding, *place)


def _listed(found: engine.Finding, file: str, line: int, offset: int, size: int, data: bytes | memoryview) -> Finding:
    # Of a line that is too long the beginning may be all there is, and says more than the byte at the limit.
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
    )
