"""What the compiled table does not settle, in order: a skipped mark, blank frames, batches, nested values, rules of

the host, and what the record cannot show.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from framegauge.facts import Frame, Kind
from framegauge.gauge.batches import look_into_batch
from framegauge.gauge.context import Context
from framegauge.gauge.fact_program import table_for
from framegauge.gauge.findings import no_error, on_line, one, sharper
from framegauge.gauge.host_rules import Host, OwnRule, apply
from framegauge.gauge.more import More, with_nested
from framegauge.gauge.options import AUTO, DIRECTIONS, FIDELITIES, LOST, one_of
from framegauge.native.finding import Finding
from framegauge.native.program import Table
from framegauge.native.verdict import Verdict, attach, claimed_table, judge_by, scan_again
from framegauge.protocol import MCP, REVISIONS
from framegauge.ruleset.registry import by_id

_CONTENT_LENGTH = rb"content-length:[ \t]*[0-9]+\r?"
_FRAMING = "content-length-framing"
_MARK = 3  # bytes


class SlowPath(NamedTuple):
    """Completes verdicts of one gauge; the native layer calls it for a frame that its table does not settle."""

    context: Context
    rules: tuple[OwnRule, ...]

    def __call__(self, verdict: Verdict, table: Table, grade: int, host: Host | None) -> Verdict:
        """Completes a verdict that the native layer has judged.

        `table`: for the arguments of the call. `grade`: the number of the record's fidelity. `host`: what the host's
        rules found; None: the frame begins with a byte order mark that is to be skipped.
        """
        frame = verdict._whole  # as it was scanned: asked again, an object may give other bytes
        assert frame is not None
        skipped = 0
        if host is None:
            skipped = _MARK
            rest = frame[skipped:]
            scan_again(verdict, rest, self.context.limits)
            judge_by(verdict, claimed_table(verdict, rest, table), verdict._asked)
            host = self._by_all(verdict, rest)
        context: Context = verdict._context
        lost = LOST[FIDELITIES[grade]]
        more = _found(verdict, frame[skipped:], context)
        findings = [*more.findings, *host[0]]
        if skipped:
            findings = [finding.moved(skipped, frame, "") for finding in findings]
            severity = context.severity("utf8-bom")
            if severity is not None:
                findings.append(Finding(by_id("utf8-bom"), "warning", 0, 1, 1, severity[1], frame, ""))
        findings = [finding for finding in findings if finding.rule not in lost]
        not_judged = ((lost | more.not_judged) & context.selected) | host[1]
        attach(verdict, more._replace(findings=tuple(findings), not_judged=not_judged), no_error(findings))
        return verdict

    def shown(self) -> tuple[More, ...]:
        """By grade: what is attached to the verdict on a frame without findings."""
        return tuple(More((), not_judged=LOST[name] & self.context.selected) for name in FIDELITIES)

    def table_of_call(self, revision: str | None, direction: str | None, named: str | None) -> Table:
        """The table for a call with its own revision or direction. `named`: the revision that a header names."""
        context = self.context
        if direction is not None:
            context = context._replace(direction=one_of("direction", direction, DIRECTIONS))
        if revision is not None:
            one_of("revision", revision, (AUTO, *REVISIONS))
        asked = revision or context.revision
        return table_for(context._replace(revision=named or asked, listed=MCP if asked == AUTO else (asked,)))

    def by_host(self, rules: Iterable[OwnRule], frame: Frame, data: bytes) -> Host | None:
        """What these rules of the host find; None: nothing."""
        return apply(rules, frame, data, self.context.selected)

    def _by_all(self, verdict: Verdict, data: bytes) -> Host:
        called = [rule for rule in self.rules if rule.subscribes(verdict.frame)]
        return (self.by_host(called, verdict.frame, data) if called else None) or ([], frozenset())


def _found(verdict: Verdict, frame: bytes, context: Context) -> More:
    if verdict.kind == Kind.empty:
        return More(one("empty-frame", 0, len(frame), frame, context))
    native = tuple(map(sharper, verdict._native_findings()))
    headed = verdict._fault_rule == "not-json" and context.transport == "stdio"
    found = framing(frame, context) if headed else ()
    if found:
        return More(found, fault_rule=_FRAMING)
    if verdict.kind == Kind.batch and verdict._fault_rule is None and context.judges_batches:
        return look_into_batch(frame, native, context)
    return with_nested(verdict, context, native)


def framing(line: bytes, context: Context) -> tuple[Finding, ...]:
    """An LSP header on a channel of lines, where `not-json` is found."""
    return on_line(_FRAMING, line, 0, 1, context) if re.fullmatch(_CONTENT_LENGTH, line, re.IGNORECASE) else ()
