"""What is found of a frame beyond its compiled table."""

from typing import NamedTuple

from framegauge.gauge.context import Context
from framegauge.gauge.findings import once
from framegauge.native.finding import Finding
from framegauge.native.verdict import Verdict, add_errors


class More(NamedTuple):
    """Attached to a verdict; its findings replace the native ones."""

    findings: tuple[Finding, ...]
    items: tuple[Verdict, ...] = ()
    not_judged: frozenset[str] = frozenset()
    fault_rule: str | None = None  # in place of the fault's own
    nested: bool = False  # an array in an array


def with_nested(verdict: Verdict, context: Context, native: tuple[Finding, ...]) -> More:
    """The native findings, and those in values that only Python can judge."""
    if not verdict._unsettled:
        return More(native)
    from framegauge.gauge.nested import look_into  # few frames hold such values

    nested = look_into(verdict, context)
    add_errors(verdict, nested.errors)
    return More(tuple(once((*native, *nested.findings), by_severity=True)), not_judged=nested.not_judged)
