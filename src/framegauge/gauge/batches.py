"""A top-level array in a revision that judges its elements: docs/verdict.md section 4."""

from collections.abc import Iterable

from framegauge.facts import Kind
from framegauge.gauge.context import Context
from framegauge.gauge.fact_program import table_for
from framegauge.gauge.findings import no_error, once, one, sharper
from framegauge.gauge.more import More, with_nested
from framegauge.native.finding import Finding
from framegauge.native.tokenizer import element_offsets
from framegauge.native.verdict import Verdict, attach, judge

_FROM_ELEMENTS = frozenset({"duplicate-key", "lone-surrogate"})
_CALLS = (Kind.request, Kind.notification)
_RESPONSES = (Kind.success, Kind.error)


def look_into_batch(frame: bytes, native: Iterable[Finding], context: Context) -> More:
    """The findings of the array and of its elements. `native`: the findings of the rows on the array."""
    spans = element_offsets(frame)
    items = tuple(_element(frame[start:stop], context) for start, stop in spans)
    findings = [finding for finding in native if finding.rule not in _FROM_ELEMENTS]
    for number, (item, (start, _)) in enumerate(zip(items, spans, strict=True)):
        for finding in item.findings:
            if finding.rule not in ("not-object", "batch-nested"):
                findings.append(finding.moved(start, frame, f"/{number}"))
    findings += _of_elements(items, spans, frame, context)
    return More(tuple(once(findings)), items, frozenset().union(*(item.not_judged for item in items)))


def _element(data: bytes, context: Context) -> Verdict:
    verdict = judge(table_for(context._replace(element=True)), data)
    if verdict.kind == Kind.batch:
        nested = one("batch-nested", 0, len(data), data, context)
        seen = [finding for finding in verdict._native_findings() if finding.rule in _FROM_ELEMENTS]
        findings = (*nested, *seen)
        attach(verdict, More(findings, nested=True), no_error(findings))
    elif verdict._unsettled:
        more = with_nested(verdict, context, tuple(verdict._native_findings()))
        attach(verdict, more, no_error(more.findings))
    elif verdict.kind == Kind.notification:
        findings = tuple(map(sharper, verdict._native_findings()))
        attach(verdict, More(findings), no_error(findings))
    return verdict


def _of_elements(
    items: tuple[Verdict, ...], spans: list[tuple[int, int]], frame: bytes, context: Context
) -> list[Finding]:
    """The rules on the elements together."""
    kinds = [item.kind for item in items]
    initialize = [item.kind == Kind.request and item.frame.method == "initialize" for item in items]
    places = {
        "batch-item-invalid": [i for i, kind in enumerate(kinds) if kind == Kind.invalid],
        "batch-nested": [i for i, kind in enumerate(kinds) if kind == Kind.batch],
        "batch-initialize": [i for i, found in enumerate(initialize) if found],
        "batch-mixed": _first_of_other_sort(kinds),
    }
    found: list[Finding] = []
    for rule, at in places.items():
        if at:
            found += one(rule, *spans[at[0]], frame, context, len(at), f"/{at[0]}")
    return found


def _first_of_other_sort(kinds: list[Kind]) -> list[int]:
    """The first element that is a call after a response, or a response after a call."""
    seen = set()
    for i, kind in enumerate(kinds):
        sort = "call" if kind in _CALLS else "response" if kind in _RESPONSES else None
        if sort:
            seen.add(sort)
            if len(seen) == 2:
                return [i]
    return []
