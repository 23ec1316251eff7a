"""The native tokenizer and the Gauge against the slow reference: fact by fact, and verdict by verdict."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import framegauge as fg
from framegauge.native.tokenizer import element_offsets
from tests.reference.evidence import described
from tests.reference.facts import Facts, Limits, facts
from tests.reference.names import ENVELOPE, KNOWN_MEMBERS, ROOM
from tests.reference.verdict import Verdict, judge
from tests.support import expectations as expect
from tests.support.expectations import Finding, Summary

if TYPE_CHECKING:
    from tests.support.vectors import VerdictVector

DEFAULT = Limits()


def native_limits(limits: Limits) -> fg.Limits:
    return fg.Limits(
        limits.max_frame_bytes,
        limits.max_depth,
        limits.max_batch_items,
        limits.max_number_digits,
        limits.max_members,
    )


def differences(frame: bytes, limits: Limits = DEFAULT) -> list[str]:
    """What the two disagree on; empty where they agree."""
    seen = fg.classify(frame, native_limits(limits))
    told = facts(frame, limits)
    pairs: list[tuple[str, Any, Any]] = [
        ("kind", seen.kind.value, told.kind),
        ("fault", seen.fault and seen.fault.rule, told.fault),
        ("offset", seen.fault and seen.fault.offset, told.fault_offset),
        ("json_start", seen.fault and seen.fault.json_start, told.json_start),
    ]
    if told.fault is None or (seen.fault and seen.fault.is_limit):
        pairs += envelope_pairs(seen, told)
    if told.fault is None:
        pairs += fact_pairs(frame, seen, told)
    return [f"{name}: native {a!r}, reference {b!r}" for name, a, b in pairs if a != b]


def envelope_pairs(seen: fg.Frame, told: Facts) -> list[tuple[str, Any, Any]]:
    pairs: list[tuple[str, Any, Any]] = []
    for name in ENVELOPE:
        member, expected = seen.member(name), told.envelope.get(name)
        native = member and (str(member.type), member.start, member.stop, member.count, member.escaped)
        reference = expected and (expected.type, expected.start, expected.stop, expected.count, expected.escaped)
        pairs.append((name, native, reference))
    return pairs


def fact_pairs(frame: bytes, seen: fg.Frame, told: Facts) -> list[tuple[str, Any, Any]]:
    pairs: list[tuple[str, Any, Any]] = [
        ("facts", sorted(seen.facts), sorted(told.names)),
        ("items", seen.items, told.items),
        ("depth", seen.depth, told.depth),
        ("longest_number", seen.longest_number, told.longest_number),
        ("largest_object", seen.largest_object, told.largest_object),
        ("duplicates", seen.duplicates, told.duplicate_count),
        ("duplicate_offset", seen.duplicate_offset, told.duplicate_offset),
    ]
    for group in ROOM:
        native = [(m.name, str(m.type), m.start, m.stop) for m in seen.members(group)]
        reference = [
            (m.key if m.key in KNOWN_MEMBERS else None, m.type, m.start, m.stop) for m in described(told, group)
        ]
        pairs.append((f"members of {group}", native, reference))
    if told.kind == "batch":
        pairs.append(("elements", element_offsets(frame), told.item_spans))
    return pairs


def options_of(vector: VerdictVector) -> dict[str, Any]:
    return {
        "revision": vector.revision,
        "direction": vector.direction,
        "transport": vector.transport,
        "limits": Limits(**vector.limits),
        "allow_bom": vector.allow_bom,
        "error_id": vector.error_id,
        "request_method": vector.request_method,
    }


def verdict_differences(
    frame: bytes, *, limits: Limits = DEFAULT, request_method: str | None = None, **options: Any
) -> list[str]:
    """What `fg.Gauge` and the reference disagree on; empty where they agree."""
    verdict = verdict_of(frame, limits=limits, request_method=request_method, **options)
    told = reference_summary(frame, limits, request_method=request_method, **options)
    return [*flaws(verdict), *expect.differences(of_gauge(verdict), told)]


def reference_summary(frame: bytes, limits: Limits = DEFAULT, **options: Any) -> Summary:
    return _of_reference(judge(frame, limits=limits, **options))


def _of_reference(verdict: Verdict) -> Summary:
    findings = {
        rule: Finding(f.severity, f.offset, f.end, f.count, f.path, tuple(sorted(f.revisions)))
        for rule, f in verdict.findings.items()
    }
    return Summary(
        kind=verdict.kind,
        revision=verdict.revision,
        findings=findings,
        respond=verdict.respond,
        code=verdict.code,
        id=None if verdict.code is None else verdict.id,
        body=verdict.body,
        status=verdict.status,
        items=[_of_reference(item) for item in verdict.items],
    )


def verdict_of(frame: bytes, *, limits: Limits = DEFAULT, request_method: str | None = None, **options: Any) -> Any:
    """Options are those of `fg.Gauge`, by name, and of its check."""
    return _gauge(limits, tuple(options.items())).check(frame, request_method=request_method)


@lru_cache(maxsize=1024)
def _gauge(limits: Limits, options: tuple[tuple[str, Any], ...]) -> fg.Gauge:
    return fg.Gauge(limits=native_limits(limits), **dict(options))


def gauge_summary(frame: bytes, **options: Any) -> Summary:
    return of_gauge(verdict_of(frame, **options))


def flaws(verdict: Any) -> list[str]:
    """What is wrong with a verdict of the Gauge, whatever the frame."""
    found = []
    order = [(finding.offset, finding.rule) for finding in verdict.findings]
    if order != sorted(order):
        found.append(f"order: findings do not stand in the order of their places: {order}")
    if len({rule for _, rule in order}) < len(order):
        found.append(f"order: a rule is listed twice: {order}")
    if verdict.ok != all(plain(finding.severity) != "error" for finding in verdict.findings):
        found.append(f"ok: {verdict.ok}")
    if verdict.reply is not None and verdict.reply.status != verdict.status:
        found.append(f"reply.status: {verdict.reply.status}, status {verdict.status}")
    return found + [flaw for item in verdict.items for flaw in flaws(item)]


def of_gauge(verdict: Any) -> Summary:
    reply = verdict.reply
    findings = {
        f.rule: Finding(plain(f.severity), f.offset, f.end, f.count, f.path, tuple(sorted(f.revisions)))
        for f in verdict.findings
    }
    return Summary(
        kind=plain(verdict.kind),
        revision=plain(verdict.revision),
        findings=findings,
        respond=verdict.respond,
        code=None if reply is None else reply.code,
        id=None if reply is None or reply.id == b"null" else reply.id,
        body=None if reply is None else reply.body(),
        status=verdict.status,
        items=[of_gauge(item) for item in verdict.items],
    )


def plain(value: Any) -> str:
    """The text of a member of an enum of strings, or of a string."""
    return str(getattr(value, "value", value))
