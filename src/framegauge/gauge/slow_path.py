"""What the compiled table does not settle, in order: a skipped mark, arguments of the call, the claimed revision,

blank frames, batches, nested values, host rules, and what the record cannot show.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from framegauge.facts import Kind
from framegauge.gauge.batches import look_into_batch
from framegauge.gauge.context import Context
from framegauge.gauge.fact_program import table_for
from framegauge.gauge.findings import no_error, on_line, one, sharper
from framegauge.gauge.host_rules import OwnRule, apply
from framegauge.gauge.more import More, with_nested
from framegauge.gauge.options import AUTO, DIRECTIONS, FIDELITIES, LOST, one_of, revision_from_headers
from framegauge.native.tokenizer import METHOD_NAMES
from framegauge.native.verdict import Finding, Table, Verdict, attach, claimed_table, judge_by, scan_again
from framegauge.protocol import MCP, REVISIONS
from framegauge.ruleset.registry import by_id

_CONTENT_LENGTH = re.compile(rb"content-length:[ \t]*[0-9]+\r?", re.IGNORECASE)
_MARK = 3  # bytes


class SlowPath(NamedTuple):
    """Completes verdicts of one gauge; the native layer calls it with a verdict that it cannot settle."""

    context: Context
    rules: tuple[OwnRule, ...]
    allow_bom: bool

    def __call__(self, verdict: Verdict, call: dict[str, Any] | None, /) -> Verdict:
        """`call`: the arguments of `check`, where they are not the usual ones."""
        found, lost = table_for(self.context), frozenset[str]()
        if call is not None:
            found, lost = self._for_call(call)
        frame = verdict._whole  # as it was scanned: asked again, an object may give other bytes
        assert frame is not None
        skipped = 0
        if self.allow_bom and verdict.frame.fault is not None and verdict.frame.fault.rule == "utf8-bom":
            skipped = _MARK
            scan_again(verdict, frame[skipped:], self.context.limits)
        found = claimed_table(verdict, verdict._whole or frame, found)
        asked = None if call is None else call["request_method"]
        judge_by(verdict, found, METHOD_NAMES.index(asked) if asked in METHOD_NAMES else 0)
        self._complete(verdict, frame, found.context, lost, skipped)
        return verdict

    def _for_call(self, call: Mapping[str, Any]) -> tuple[Table, frozenset[str]]:
        """The table for one call's own arguments, and the rules its record cannot show."""
        context, direction, name = self.context, call["direction"], call["revision"]
        if direction is not None:
            context = context._replace(direction=one_of("direction", direction, DIRECTIONS))
        if name is not None:
            one_of("revision", name, (AUTO, *REVISIONS))
        lost = LOST[one_of("fidelity", call["fidelity"], FIDELITIES)]
        if not isinstance(call["request_method"], str | None):  # bytes would be no known method, without a word
            raise TypeError(f"request_method is a str, not {type(call['request_method']).__name__}")
        listed = name or context.revision
        if call["headers"] is not None and listed == AUTO:
            name = revision_from_headers(call["headers"]) or name
        versions = MCP if listed == AUTO else (listed,)
        return table_for(context._replace(revision=name or context.revision, listed=versions)), lost

    def _complete(self, verdict: Verdict, data: bytes, context: Context, lost: frozenset[str], skipped: int) -> None:
        """`data`: the whole frame, `skipped` bytes of it a mark."""
        more = _found(verdict, data[skipped:], context)
        findings, failed = list(more.findings), set[str]()
        if skipped:
            findings = [finding.moved(skipped, data, "") for finding in findings]
            severity = context.severity("utf8-bom")
            if severity is not None:
                findings.append(Finding(by_id("utf8-bom"), "warning", 0, 1, 1, severity[1], data, ""))
        if self.rules and verdict.kind not in (Kind.empty, Kind.parse_error, Kind.invalid):
            own, failed = apply(self.rules, verdict.frame, data, self.context.selected)
            findings += own
        findings = [finding for finding in findings if finding.rule not in lost]
        not_judged = ((lost | more.not_judged) & context.selected) | failed
        attach(verdict, more._replace(findings=tuple(findings), not_judged=not_judged), no_error(findings))


def _found(verdict: Verdict, frame: bytes, context: Context) -> More:
    if verdict.kind == Kind.empty:
        return More(one("empty-frame", 0, len(frame), frame, context))
    native = tuple(map(sharper, verdict._native_findings()))
    found = framing(frame, context) if verdict._fault_rule == "not-json" and context.transport == "stdio" else ()
    if found:
        return More(found, fault_rule="content-length-framing")
    if verdict.kind == Kind.batch and verdict._fault_rule is None and context.judges_batches:
        return look_into_batch(frame, native, context)
    return with_nested(verdict, context, native)


def framing(line: bytes, context: Context) -> tuple[Finding, ...]:
    """An LSP header on a channel of lines, where `not-json` is found."""
    return on_line("content-length-framing", line, 0, 1, context) if _CONTENT_LENGTH.fullmatch(line) else ()
