"""Findings that are made or merged in Python."""

from collections.abc import Iterable

from framegauge.gauge.context import Context, severity_of
from framegauge.native.finding import Finding
from framegauge.ruleset.registry import by_id

_ORDER = {"error": 0, "warning": 1, "info": 2}


def one(
    rule: str, offset: int, end: int, frame: bytes, context: Context, count: int = 1, path: str = ""
) -> tuple[Finding, ...]:
    """A finding of a rule that has no row on facts, where the rule exists here."""
    severity = context.severity(rule)
    if severity is None:
        return ()
    return (Finding(by_id(rule), severity[0], offset, end, count, severity[1], frame, path),)


def on_line(rule: str, line: bytes, offset: int, end: int, context: Context) -> tuple[Finding, ...]:
    """A finding about a line, where the rule exists on a channel of lines."""
    severity = severity_of(by_id(rule), context.revisions, "stdio") if rule in context.selected else None
    if severity is None:
        return ()
    return (Finding(by_id(rule), severity[0], offset, end, 1, severity[1], line, ""),)


def sharper(finding: Finding) -> Finding:
    """An unknown notification is only worth an info; one that is nearly a known one is a mistake."""
    if finding.rule != "unknown-method" or finding.severity == "error" or finding.hint is None:
        return finding
    place = finding.offset, finding.end, finding.count
    return Finding(by_id(finding.rule), "error", *place, finding.revisions, finding._frame)


def once(findings: Iterable[Finding], by_severity: bool = False) -> list[Finding]:
    """Each rule once. `by_severity`: only findings as severe as the worst one count."""
    same: dict[str, list[Finding]] = {}
    for finding in findings:
        same.setdefault(finding.rule, []).append(finding)
    if by_severity:
        for rule, found in same.items():
            worst = min(_ORDER[finding.severity] for finding in found)
            same[rule] = [finding for finding in found if _ORDER[finding.severity] == worst]
    return [_merged(each) if len(each) > 1 else each[0] for each in same.values()]


def no_error(findings: Iterable[Finding]) -> bool:
    return all(finding.severity != "error" for finding in findings)


def _merged(findings: list[Finding]) -> Finding:
    """The highest severity, the first place with it, the sum of the counts, all revisions.

    Moved once: a finding refers to the one it was moved from, and a chain of as many as a batch has elements is deeper
    than the stack.
    """
    first = min(findings, key=lambda f: (_ORDER[f.severity], f.offset))
    revisions = frozenset[str]().union(*(f.revisions for f in findings))
    return first.moved(0, first._frame, "", sum(f.count for f in findings), revisions)
