"""Judging what an archive holds: a window of lines by columns, a record by itself.

Of lines, Python looks at what will be listed, not at what is counted.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from framegauge.archives.record import Lines, Record
from framegauge.bulk.part import Part, Task, listed
from framegauge.bulk.summary import FIRST, LONGEST_METHOD, Finding, RuleResult
from framegauge.facts import METHOD_NAMES, Kind
from framegauge.gauge import Gauge, Verdicts

# Rows after which a call ends: the columns of blank lines take sixty times their memory.
MOST_ROWS = 1 << 18
MOST_HELD = 10_000  # findings of one window that are held until their turn comes
_LONGEST_RAW = 6 * LONGEST_METHOD + 2  # bytes of a name as it was sent that are looked at: one may be written \u0061


class Judge:
    """Call it with tasks, from any thread. `all_findings`: every finding is wanted, not only the first of each rule.

    `listed`: rules of which no more are wanted; the caller adds to it.
    """

    def __init__(self, gauge: Gauge, *, all_findings: bool) -> None:
        self.listed: set[str] = set()
        self._gauge = gauge
        self._all = all_findings
        # The content of such a frame is not read, so any frame of that size has its findings.
        self._too_long = () if self.limit is None else gauge.check(bytes(self.limit + 1)).findings

    @property
    def limit(self) -> int | None:
        return self._gauge.limits.max_frame_bytes

    def __call__(self, task: Task) -> Part:
        part = Part(task)
        if isinstance(task.read, Record):
            self._judge_record(part, task.read)
        elif task.read.too_long is not None:
            self._count_too_long(part, task.read)
        else:
            self._judge_lines(part, task.read)
        return part

    def _judge_lines(self, part: Part, lines: Lines) -> None:
        for call in self._calls(lines.data):
            self._count(part, call)
            self._list(part, call)
            part.lines += len(call.verdicts)
        if not part.too_many:
            part.task = Task(part.task.file, lines._replace(data=b""))  # its memory is this thread's next window

    def findings(self, part: Part) -> Iterator[Finding]:
        """All findings of a part, one by one."""
        if not part.too_many or not isinstance(part.task.read, Lines):
            yield from part.findings
            return
        lines = 0
        for call in self._calls(part.task.read.data):
            yield from call.findings(call.rows(), part.task, lines)
            lines += len(call.verdicts)

    def _calls(self, data: bytes | memoryview) -> Iterator["_Call"]:
        whole, at, tried = memoryview(data), 0, 0
        while at < len(data):
            verdicts = Verdicts(self._gauge, whole[at:], final=True, most_rows=MOST_ROWS, tried=tried - at)
            yield _Call(verdicts, whole[at:], at, verdicts.rule_counts())
            at, tried = at + verdicts.consumed, at + verdicts.tried

    # ---- what is counted ---------------------------------------------------------------------------------------------

    def _count(self, part: Part, call: "_Call") -> None:
        part.kinds.update(call.verdicts.kind_counts())
        part.known_methods.update(call.verdicts.method_counts())
        for name in call.other_methods():
            if name is None:
                part.methods_other += 1
            else:
                part.methods[name] += 1
        part.not_judged.update(call.verdicts.not_judged)
        severities = call.verdicts.severities()
        for rule, count in call.rule_counts.items():
            result = part.rules.setdefault(rule, RuleResult("info"))
            result.count += count
            result.raise_to(severities.get(rule, "error"))

    # ---- what is listed ----------------------------------------------------------------------------------------------

    def _list(self, part: Part, call: "_Call") -> None:
        if self._all:
            part.too_many |= len(part.findings) + sum(call.rule_counts.values()) > MOST_HELD
            part.findings += [] if part.too_many else call.findings(call.rows(), part.task, part.lines)
            return
        room = {rule: FIRST - len(result.first) for rule, result in part.rules.items() if rule not in self.listed}
        for finding in call.findings(call.rows(room), part.task, part.lines):
            if room.get(finding.rule, 0) > 0:
                room[finding.rule] -= 1
                part.rules[finding.rule].first.append(finding)
                part.findings.append(finding)

    def _count_too_long(self, part: Part, line: Lines) -> None:
        part.lines = 1
        part.kinds[Kind.invalid.value] += 1
        for finding in self._too_long:
            part.rules[finding.rule] = RuleResult(finding.severity, 1)
            part.findings.append(listed(finding, part.task.file.path, 1, line.start, line.too_long or 0, line.data))

    # ---- a record ----------------------------------------------------------------------------------------------------

    def _judge_record(self, part: Part, record: Record) -> None:
        frame = record.frame
        direction = record.direction or self._gauge.direction
        verdict = self._gauge.check(frame, direction=direction, fidelity=record.fidelity)
        part.kinds[verdict.kind.value] += 1
        part.not_judged.update(verdict.not_judged)
        method = verdict.frame.method
        if method in METHOD_NAMES:
            part.known_methods[method] += 1
        elif method is not None and len(method) <= LONGEST_METHOD:
            part.methods[method] += 1
        elif method is not None:
            part.methods_other += 1
        for rule in {finding.rule for finding in verdict.findings}:
            part.rules[rule] = RuleResult("info", 1)
        for finding in verdict.findings:
            result = part.rules[finding.rule]
            result.raise_to(finding.severity)
            if self._all or finding.rule not in self.listed:
                part.findings.append(listed(finding, part.task.file.path, record.line, record.start, len(frame), frame))


@dataclass(frozen=True, slots=True)
class _Call:
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
            place = task.file.path, lines + row + 1, task.read.start + self.at + offset, length, line
            for finding in self.verdicts.verdict(row).findings:
                yield listed(finding, *place)
