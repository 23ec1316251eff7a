"""Verdicts of many lines at once, as columns.

Decides what single rows cannot show: runs of lines, batches, claimed revisions.
"""

import bisect
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from framegauge.facts import Kind, Limits
from framegauge.gauge.fact_program import table_for
from framegauge.gauge.findings import on_line
from framegauge.gauge.more import More
from framegauge.gauge.options import DIRECTIONS, FIDELITIES, LOST, one_of
from framegauge.gauge.slow_path import framing
from framegauge.native import columns as native_columns
from framegauge.native.finding import Finding
from framegauge.native.program import Table
from framegauge.native.tokenizer import KIND_NAMES
from framegauge.native.verdict import Verdict, attach
from framegauge.ruleset.model import SEVERITIES
from framegauge.ruleset.registry import RULES, number

_BLANK = b" \t\r"
_UNKNOWN = "unknown-method"
_NOTIFICATION = KIND_NAMES.index("notification")


class Judge(Protocol):
    """What judges single frames: a Gauge."""

    @property
    def table(self) -> Table: ...
    @property
    def limits(self) -> Limits: ...
    def check(
        self,
        data: bytes,
        /,
        *,
        direction: str | None = None,
        request_method: str | None = None,
        fidelity: str = "bytes",
    ) -> Verdict: ...


class Verdicts:
    """One row per line of a buffer.

    Every column is a read-only buffer of numbers (`memoryview(v.kind)`, `numpy.asarray(v.kind)`):

    - `offset` u64: of the line. `length` u32: without its LF.
    - `kind` u8: index into KIND_NAMES.
    - `facts` u64: bit n is FACT_NAMES[n].
    - `rules` u64, two words a row: bit n of the 128 is `rule_bits[n]`.
    - `fault` u8: index into FAULT_NAMES, 0 for none. `fault_offset` u32: in the line.
    - `id_start`, `id_stop`, `method_start`, `method_stop` u32: in the line; equal if absent; a method has its quotes.
    - `method` u16: index into METHOD_NAMES, 0 for another.
    - `marks` u16: bit n is MARK_NAMES[n], properties of a message for a session.

    `consumed`: bytes of the buffer that the rows cover. `not_judged`: lines per rule that cannot be judged by it here.
    The buffer must live as long as `verdict` is called.
    """

    rule_bits = tuple(rule.id for rule in RULES)

    offset: native_columns.Column
    length: native_columns.Column
    kind: native_columns.Column
    facts: native_columns.Column
    rules: native_columns.Column
    fault: native_columns.Column
    fault_offset: native_columns.Column
    id_start: native_columns.Column
    id_stop: native_columns.Column
    method: native_columns.Column
    marks: native_columns.Column
    method_start: native_columns.Column
    method_stop: native_columns.Column

    def __init__(
        self,
        judge: Judge,
        data: Any,
        final: bool,
        chunk: int = native_columns.CHUNK,
        most_rows: int = 0,
        tried: int = 0,
        fidelity: str = "bytes",
        directions: Any = None,
    ) -> None:
        """`fidelity`: what the record of the lines kept. `directions`: a byte for each line, see Gauge.check_lines.

        `most_rows`: ends behind the chunk that makes so many, if not 0; goes on from `consumed` with `tried`.
        """
        lost = LOST[one_of("fidelity", fidelity, FIDELITIES)]
        table = judge.table
        unjudged = table.context.selected & lost
        if unjudged:
            table = table_for(table.context._replace(selected=table.context.selected - lost))
        try:
            self._data = memoryview(data).cast("B")  # one view for all: an odd object may give another each time
        except TypeError as error:
            raise TypeError("lines are bytes or another contiguous buffer") from error
        try:
            self._directions = None if directions is None else bytes(memoryview(directions).cast("B"))
        except TypeError as error:
            raise TypeError("directions are bytes or another contiguous buffer, a byte for each line") from error
        self._judge, self._fidelity = judge, fidelity
        self._context = table.context
        by = None
        if directions is not None:
            client, server = (table_for(table.context._replace(direction=each)) for each in DIRECTIONS)
            by = client, server
        self._rows, self.consumed = native_columns.scan(
            self._data, judge.limits, table, final, chunk, most_rows, by, self._directions
        )
        self._runs: dict[int, int] = {}  # first row of a pretty-printed message: its last row
        self.not_judged = Counter[str]()  # lines per rule
        self._lost = lost
        self._severities: dict[str, str] = {}  # of the rules of rows that were settled here
        self.tried = (
            tried  # end of the last search for a message over several lines; an earlier line is not tried again
        )
        self._settle(final)
        self._firsts = sorted(self._runs)
        frames = sum(count for kind, count in self.kind_counts().items() if kind != Kind.empty)
        self.not_judged.update(dict.fromkeys(unjudged, frames) if frames else ())
        for name, column in self._rows.columns().items():
            setattr(self, name, column)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def columns(self) -> native_columns.Columns:
        """All columns as one object, for compiled code: framegauge/native/columns.pxd."""
        return self._rows

    def kind_counts(self) -> dict[str, int]:
        """Lines per kind."""
        return self._rows.kind_counts()

    def method_counts(self) -> dict[str, int]:
        """Lines per known method; `other_methods` has the rest."""
        return self._rows.method_counts()

    def other_methods(self) -> list[int]:
        """The rows whose method is a string that no revision knows."""
        return self._rows.other_methods()

    def rule_counts(self) -> dict[str, int]:
        """Lines per rule, of those that any breaks."""
        return {rule: count for rule, count in zip(self.rule_bits, self._rows.rule_counts(), strict=False) if count}

    def severities(self) -> dict[str, str]:
        """The highest severity of each rule that any line breaks."""
        found, highest = dict(self._severities), self._rows.severities()
        for rule in self._rows.replaced():
            highest[rule] = self._highest(rule, highest[rule])
        levels = zip(self.rule_bits, highest, strict=False)
        _raise(found, {rule: SEVERITIES[level] for rule, level in levels if level < len(SEVERITIES)})
        if found.get(_UNKNOWN, "error") != "error" and self._is_nearly_known():
            found[_UNKNOWN] = "error"
        return found

    def _highest(self, rule: int, known: int) -> int:
        """Of a rule by number, row by row; `known`: none has a higher one."""
        highest, name = len(SEVERITIES), self.rule_bits[rule]
        for row in self._rows.rows_with(rule, len(self)):
            findings = self.verdict(row).findings
            highest = min([highest, *(SEVERITIES.index(f.severity) for f in findings if f.rule == name)])
            if highest <= known:
                break
        return highest

    def _is_nearly_known(self) -> bool:
        """Is an unknown notification's method nearly a known one? That is an error. Each name is looked at once."""
        seen: set[bytes] = set()
        for row in self._rows.rows_of_kind(_NOTIFICATION, number(_UNKNOWN)):
            start, stop = (self.offset[row] + column[row] for column in (self.method_start, self.method_stop))
            name = bytes(self._data[start:stop])
            if name not in seen:
                seen.add(name)
                if any(f.rule == _UNKNOWN and f.severity == "error" for f in self.verdict(row).findings):
                    return True
        return False

    def rows_with(self, rule: str, limit: int) -> list[int]:
        """The first `limit` rows that break a rule; ValueError for an unknown one."""
        return self._rows.rows_with(number(rule), limit)

    def line(self, row: int) -> bytes:
        """The bytes of one line, without its LF."""
        start = self.offset[row]
        return bytes(self._data[start : start + self.length[row]])

    def verdict(self, row: int, request_method: str | None = None) -> Verdict:
        """The whole verdict on one line, findings included. `request_method`: of the request that a response answers.

        As `check` gives it: of a blank line it has `empty-frame`, and it heeds `allow_bom`; rows do neither.
        """
        frame = self.line(row)
        verdict = self._judge.check(
            frame, direction=self._direction(row), request_method=request_method, fidelity=self._fidelity
        )
        if row in self._runs:
            attach(verdict, More(self._of_run(frame)), False)
        elif self._in_run(row):
            attach(verdict, More(()), True)
        elif verdict._fault_rule == "not-json":
            found = framing(frame, self._judge.table.context)
            if found:
                kept = self._shown(found)
                more = More(kept, not_judged=verdict.not_judged, fault_rule="content-length-framing")
                attach(verdict, more, not kept)
        return verdict

    def _shown(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings that a record of this fidelity can show."""
        return tuple(finding for finding in findings if finding.rule not in self._lost)

    def _direction(self, row: int) -> str | None:
        """The direction of a line; None: that of the gauge."""
        number = 0 if self._directions is None else self._directions[row]
        return DIRECTIONS[number - 1] if number else None

    def _of_run(self, line: bytes) -> tuple[Finding, ...]:
        """A message that begins in that line and goes on behind its end."""
        return on_line("embedded-newline", line, len(line), len(line), self._context)

    def _in_run(self, row: int) -> bool:
        at = bisect.bisect_right(self._firsts, row) - 1
        return at >= 0 and row <= self._runs[self._firsts[at]]

    # ---- what single rows do not show ----

    def _settle(self, final: bool) -> None:
        rows = self._rows.columns()
        offset, length, fault = rows["offset"], rows["length"], rows["fault"]
        data = self._data if final else self._data[: self.consumed]  # no byte of a last line that is left over
        settled = -1
        may_run = self._of_run(b"")
        for row in self._rows.rows_to_review(self._data):
            if row <= settled:
                continue
            start = offset[row]
            if not fault[row]:
                self._settle_frame(row, bytes(self._data[start : start + length[row]]))
            elif self._data[start] | 32 == 99:
                found = framing(bytes(self._data[start : start + length[row]]), self._judge.table.context)
                if found:
                    self._replace(row, self._shown(found))
            elif start >= self.tried and may_run:  # not before the byte the last try came to: linear in the buffer
                end, self.tried = native_columns.end_of_object(data, self._judge.limits, start)
                # The rest of the message may still come: leave it to the next call. Not without end, or a peer that
                # never finishes one would have every line judged again with each that it sends.
                unfinished = self.tried >= len(data) and not final and len(data) - start < native_columns.CHUNK
                if (row and end > self.consumed) or (not end and unfinished):
                    self._rows.cut(row)
                    self.consumed = self.tried = start
                    return
                if 0 < end <= self.consumed:
                    settled = self._settle_run(row, end, offset, length)

    def _settle_frame(self, row: int, frame: bytes) -> None:
        verdict = self._judge.check(frame, direction=self._direction(row), fidelity=self._fidelity)
        self.not_judged.update(verdict.not_judged - self._lost)
        self._replace(row, [each for each in verdict.findings if each.rule in self.rule_bits])

    def _replace(self, row: int, findings: Sequence[Finding]) -> None:
        self._rows.set_rules(row, [number(finding.rule) for finding in findings])
        _raise(self._severities, {finding.rule: finding.severity for finding in findings})

    def _settle_run(self, row: int, end: int, offset: native_columns.Column, length: native_columns.Column) -> int:
        """Lines that are one object only when joined: one finding on the first. Returns the run's last row."""
        last = bisect.bisect_right(memoryview(offset), end - 1) - 1
        stop = offset[last] + length[last]
        if last == row or bytes(self._data[end:stop]).strip(_BLANK):
            return row
        self._replace(row, self._of_run(bytes(self._data[offset[row] : offset[row] + length[row]])))
        for part in range(row + 1, last + 1):
            self._replace(part, ())
        self._runs[row] = last
        return last


def _raise(severities: dict[str, str], more: dict[str, str]) -> None:
    for rule, severity in more.items():
        severities[rule] = min(severity, severities.get(rule, severity), key=SEVERITIES.index)
