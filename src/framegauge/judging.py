"""What no table says of one frame:

batches element by element, blank frames, a skipped mark, the frame's own revision, users' rules.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from framegauge.facts import Frame, Kind, classify
from framegauge.native.judge import Finding, Verdict, set_words
from framegauge.native.tokenizer import element_offsets
from framegauge.protocol import MCP
from framegauge.rules.model import Severity
from framegauge.rules.own import Message, OwnRule
from framegauge.rules.registry import by_id

if TYPE_CHECKING:
    from framegauge.gauge import Gauge, Policy


def _pointer(frame: bytes, offset: int) -> str:
    # Imported when somebody looks at a finding; a gateway that only asks for `.ok` never does.
    from framegauge.rules.place import pointer

    return pointer(frame, offset)


def _hint(rule: str, frame: bytes, offset: int) -> tuple[str, str] | None:
    from framegauge.rules.hints import hint

    return hint(rule, frame, offset, classify(frame))


set_words(_pointer, _hint)

_CONTENT_LENGTH = re.compile(rb"content-length:[ \t]*[0-9]+\r?", re.IGNORECASE)
_FROM_ELEMENTS = frozenset({"duplicate-key", "lone-surrogate"})
_ORDER = {"error": 0, "warning": 1, "info": 2}
MOST_COMPLAINTS = 1000  # of one rule on one message
_CALLS = (Kind.request, Kind.notification)
_ANSWERS = (Kind.success, Kind.error)


class More(NamedTuple):
    """What was found beyond the table; hung on the verdict."""

    findings: tuple[Finding, ...]
    items: tuple[Verdict, ...] = ()
    not_judged: frozenset[str] = frozenset()
    fault_rule: str | None = None  # in place of the fault's own
    nested: bool = False  # an array in an array


def judge(gauge: "Gauge", verdict: Verdict, data: bytes, policy: "Policy", lost: frozenset[str], skipped: int) -> None:
    """Completes a verdict that the table alone does not settle.

    `data`: the whole frame, `skipped` bytes of it a mark.
    """
    more = _found(gauge, verdict, data[skipped:], policy)
    findings, failed = list(more.findings), set[str]()
    if skipped:
        findings = [finding.moved(skipped, data, "") for finding in findings]
        severity = policy.severity("utf8-bom")
        if severity is not None:
            findings.append(Finding(by_id("utf8-bom"), "warning", 0, 1, 1, severity[1], data, ""))
    if gauge.rules and verdict.kind not in (Kind.empty, Kind.parse_error, Kind.invalid):
        own, failed = _own_rules(gauge, verdict.frame, data)
        findings += own
    findings = [finding for finding in findings if finding.rule not in lost]
    ok = all(finding.severity != "error" for finding in findings)
    not_judged = ((lost | more.not_judged) & policy.selected) | failed
    gauge._set_more(verdict, more._replace(findings=tuple(findings), not_judged=not_judged), ok)


def _found(gauge: "Gauge", verdict: Verdict, frame: bytes, policy: "Policy") -> More:
    if verdict.kind == Kind.empty:
        return More(_one("empty-frame", 0, len(frame), frame, policy))
    native = tuple(map(_sharper, verdict._native_findings()))
    found = framing(frame, policy) if verdict._fault_rule == "not-json" and policy.transport == "stdio" else ()
    if found:
        return More(found, fault_rule="content-length-framing")
    if verdict.kind == Kind.batch and verdict._fault_rule is None and policy.judges_batches:
        return _batch(gauge, verdict, frame, native, policy)
    return _with_nested(gauge, verdict, policy, native)


def framing(line: bytes, policy: "Policy") -> tuple[Finding, ...]:
    """An LSP header on a channel of lines, where `not-json` is found."""
    return policy.on_lines("content-length-framing", line, 0, 1) if _CONTENT_LENGTH.fullmatch(line) else ()


def _with_nested(gauge: "Gauge", verdict: Verdict, policy: "Policy", native: tuple[Finding, ...]) -> More:
    """What the shapes found, and what is found in values that no shape describes."""
    if not verdict._unsettled:
        return More(native)
    from framegauge.nested import look_into  # few frames hold such values

    nested = look_into(verdict, policy)
    gauge._add_errors(verdict, nested.errors)
    return More(tuple(_once((*native, *nested.findings), by_severity=True)), not_judged=nested.not_judged)


def _sharper(finding: Finding) -> Finding:
    """A notification that nobody knows is worth a word; one that is nearly known is a mistake."""
    if finding.rule != "unknown-method" or finding.severity == "error" or finding.hint is None:
        return finding
    place = finding.offset, finding.end, finding.count
    return Finding(by_id(finding.rule), "error", *place, finding.revisions, finding._frame)


def _one(
    rule: str, offset: int, end: int, frame: bytes, policy: "Policy", count: int = 1, path: str = ""
) -> tuple[Finding, ...]:
    """A finding of a rule that is not in the table, where it exists here."""
    severity = policy.severity(rule)
    return (
        () if severity is None else (Finding(by_id(rule), severity[0], offset, end, count, severity[1], frame, path),)
    )


# ---- batches ----


def _batch(gauge: "Gauge", verdict: Verdict, frame: bytes, native: Iterable[Finding], policy: "Policy") -> More:
    spans = element_offsets(frame)
    items = tuple(_element(gauge, frame[start:stop], policy) for start, stop in spans)
    findings = [finding for finding in native if finding.rule not in _FROM_ELEMENTS]
    for number, (item, (start, _)) in enumerate(zip(items, spans, strict=True)):
        for finding in item.findings:
            if finding.rule not in ("not-object", "batch-nested"):
                findings.append(finding.moved(start, frame, f"/{number}"))
    findings += _of_elements(items, spans, frame, policy)
    return More(tuple(_once(findings)), items, frozenset().union(*(item.not_judged for item in items)))


def _element(gauge: "Gauge", data: bytes, policy: "Policy") -> Verdict:
    verdict: Verdict = gauge._fresh(data, gauge._table(policy.revision, policy.direction, element=True))
    if verdict.kind == Kind.batch:
        nested = _one("batch-nested", 0, len(data), data, policy)
        seen = [finding for finding in verdict._native_findings() if finding.rule in _FROM_ELEMENTS]
        findings = (*nested, *seen)
        gauge._set_more(verdict, More(findings, nested=True), all(finding.severity != "error" for finding in findings))
    elif verdict._unsettled:
        more = _with_nested(gauge, verdict, policy, tuple(verdict._native_findings()))
        gauge._set_more(verdict, more, all(finding.severity != "error" for finding in more.findings))
    elif verdict.kind == Kind.notification:
        findings = tuple(map(_sharper, verdict._native_findings()))
        gauge._set_more(verdict, More(findings), all(finding.severity != "error" for finding in findings))
    return verdict


def _of_elements(
    items: tuple[Verdict, ...], spans: list[tuple[int, int]], frame: bytes, policy: "Policy"
) -> list[Finding]:
    """The rules on what a batch holds: docs/verdict.md section 4."""
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
            found += _one(rule, *spans[at[0]], frame, policy, len(at), f"/{at[0]}")
    return found


def _first_of_other_sort(kinds: list[Kind]) -> list[int]:
    """The first element that is a call after an answer, or an answer after a call."""
    seen = set()
    for i, kind in enumerate(kinds):
        sort = "call" if kind in _CALLS else "answer" if kind in _ANSWERS else None
        if sort:
            seen.add(sort)
            if len(seen) == 2:
                return [i]
    return []


def _once(findings: Iterable[Finding], by_severity: bool = False) -> list[Finding]:
    """Each rule once. `by_severity`: only what is as severe as the worst of it counts."""
    same: dict[str, list[Finding]] = {}
    for finding in findings:
        same.setdefault(finding.rule, []).append(finding)
    if by_severity:
        for rule, found in same.items():
            worst = min(_ORDER[finding.severity] for finding in found)
            same[rule] = [finding for finding in found if _ORDER[finding.severity] == worst]
    return [_merged(each) if len(each) > 1 else each[0] for each in same.values()]


def _merged(findings: list[Finding]) -> Finding:
    """The highest severity, the first place with it, the sum of the counts, all revisions.

    Moved once: a finding refers to the one it was moved from, and a chain of as many as a batch has elements is deeper
    than the stack.
    """
    first = min(findings, key=lambda f: (_ORDER[f.severity], f.offset))
    revisions = frozenset[str]().union(*(f.revisions for f in findings))
    return first.moved(0, first._frame, "", sum(f.count for f in findings), revisions)


# ---- the revision that headers name ----


def revision_from_headers(headers: Mapping[str, str] | Iterable[tuple[Any, Any]]) -> str | None:
    """The revision that an MCP-Protocol-Version header names."""
    try:
        pairs = [(name, value) for name, value in (headers.items() if isinstance(headers, Mapping) else headers)]
    except (TypeError, ValueError):
        raise TypeError("headers is a mapping, or a list of pairs of a name and a value") from None
    for name, value in pairs:
        if _as_text(name).lower() == "mcp-protocol-version" and _as_text(value).strip() in MCP:
            return _as_text(value).strip()
    return None


def _as_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


# ---- users' rules ----


def _own_rules(gauge: "Gauge", frame: Frame, data: bytes) -> tuple[list[Finding], set[str]]:
    """What the host's rules find, and those that could not say.

    One that raises is a finding itself: a gate must not fall over its own rules. Where the host ignores `rule-failed`,
    the rule has not judged the frame, which is not the same as having passed it.
    """
    found: list[Finding] = []
    failed: set[str] = set()
    for rule in gauge.rules:
        if not rule.wants(frame):
            continue
        try:
            complaints = rule.check(Message(data, frame))
            if isinstance(complaints, str):
                raise TypeError("a rule yields messages; it does not return one")
            for complaint in islice(complaints or (), MOST_COMPLAINTS):
                found.append(_complaint(rule, complaint, frame, data))
        except (Exception, SystemExit, GeneratorExit) as error:
            if "rule-failed" in gauge.selected:
                detail = f"the rule {rule.id} raised {type(error).__name__}{_words_of(error)}"
                found.append(_place(by_id("rule-failed"), "error", frame, data, "", detail))
            else:
                failed.add(rule.id)
    return found, failed


def _words_of(error: BaseException) -> str:
    try:
        return f": {str(error)[:200]}"
    except Exception:  # an exception may be as broken as the rule
        return ""


def _complaint(rule: OwnRule, complaint: Any, frame: Frame, data: bytes) -> Finding:
    text, path = complaint if isinstance(complaint, tuple) else (complaint, None)
    if not isinstance(text, str) or not isinstance(path, str | None) or (path and path[0] != "/"):
        raise TypeError("a rule yields a message, or a message and a JSON pointer")
    return _place(rule, rule.severity, frame, data, path, text)


def _place(rule: Any, severity: Severity, frame: Frame, data: bytes, path: str | None, detail: str) -> Finding:
    """At the member that a call or an answer is about; its pointer where the rule names no other."""
    for name in ("params", "result", "error"):
        member = frame.member(name)
        if member is not None:
            break
    else:
        name, member = "", None
    start, end = (0, frame.size) if member is None else (member.start, member.stop)
    pointer = path if path is not None else f"/{name}" if name else ""
    # One line, whatever a rule or an exception says.
    line = "".join(char if char.isprintable() else " " for char in detail)
    return Finding(rule, severity, start, end, 1, frozenset(), data, pointer, (), line)
