"""judge(frame): the verdict on one frame, as docs/verdict.md defines it. Slow, but obvious."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from .answers import (
    INVALID_REQUEST,
    SILENCE,
    UNSUPPORTED_VERSION,
    Answer,
    Case,
    body_of,
    id_written,
    newest_of,
    owed_to_client,
    owed_to_server,
    status_of,
)
from .evidence import code_names, method_of, readable_id, revision_of, unlisted_version
from .facts import BOM
from .facts import facts as scanned
from .model import UNLIMITED, Limits, Place
from .observe import pointer_step
from .places import place_of
from .rows import ALL, BATCH_ROWS, BATCHED, LINE_RULES, MCP, SEVERITIES, rules_found, weigh
from .shapes import REVISIONS_OF, found_in
from .tokens import unescape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Facts
    from .rows import Found

__all__ = ["Finding", "Limits", "Verdict", "judge"]

DEFAULT_LIMITS = Limits()
# Facts depend on no revision, direction or transport, and tests judge a frame under many of them in a row.
facts = lru_cache(maxsize=64)(scanned)
# Of a judged batch these come from the elements alone.
FROM_ELEMENTS = ("duplicate-key", "lone-surrogate")
CONTENT_LENGTH = re.compile(rb"content-length:[ \t]*[0-9]+\r?", re.IGNORECASE)


@dataclass(frozen=True)
class Finding:
    severity: str
    offset: int
    end: int
    count: int
    path: str
    revisions: frozenset[str]


@dataclass(frozen=True)
class Verdict:
    """`id` is the raw id of the answer that is owed, None where it is unreadable or nothing is owed.

    `code` is None where the answer is no error; `rule` is the finding that decided on it.
    """

    kind: str
    revision: str
    findings: dict[str, Finding] = field(default_factory=dict)
    respond: bool = False
    code: int | None = None
    id: bytes | None = None
    id_written: str = "omit"
    rule: str | None = None
    status: int | None = None
    body: bytes | None = None
    items: tuple[Verdict, ...] = ()

    @property
    def ok(self) -> bool:
        return all(finding.severity != "error" for finding in self.findings.values())


@dataclass(frozen=True)
class Host:
    """What is known beside the bytes."""

    revision: str
    direction: str | None
    transport: str | None
    error_id: str
    request_method: str | None = None  # of the request that a response answers
    element: bool = False  # what is judged is an element of a batch
    listed: tuple[str, ...] = ()  # the revisions of the host

    @property
    def judged(self) -> tuple[str, ...]:
        """The revisions that are judged together."""
        return MCP if self.revision == "auto" else (self.revision,)

    @property
    def from_client(self) -> bool:
        return self.direction != "server-to-client"


def judge(
    frame: bytes,
    revision: str = "auto",
    direction: str | None = None,
    transport: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    allow_bom: bool = False,
    error_id: str = "spec",
    request_method: str | None = None,
) -> Verdict:
    assert revision in (*ALL, "auto"), revision
    told = facts(frame, limits)
    skipped = len(BOM) if allow_bom and told.fault == "utf8-bom" else 0
    data = frame[skipped:]
    if skipped:
        told = facts(data, limits)
    listed = MCP if revision == "auto" else (revision,)
    if revision == "auto":
        revision = revision_of(data, told) or "auto"
        listed = MCP if revision == "auto" else ()  # what it names is listed
    host = Host(revision, direction, transport, error_id, request_method, listed=listed)
    verdict = _judge(data, told, host)
    if not skipped:
        return verdict
    findings = {rule: _moved(finding, skipped, "") for rule, finding in verdict.findings.items()}
    findings["utf8-bom"] = Finding("warning", 0, 1, 1, "", frozenset(host.judged))
    return replace(verdict, findings=findings)


def _moved(finding: Finding, offset: int, path: str) -> Finding:
    """The finding as seen from a larger frame."""
    start, end = finding.offset + offset, finding.end + offset
    return replace(finding, offset=start, end=end, path=path + finding.path)


def _judge(data: bytes, told: Facts, host: Host) -> Verdict:
    findings = _faults(data, told, host)
    if findings:
        return _answered(data, told, host, findings)
    findings = _envelope(data, told, host)
    for rule, finding in _methods_and_values(data, told, host).items():
        findings[rule] = _with_envelope(findings.get(rule), finding)
    if told.kind == "batch" and any(revision in BATCHED for revision in host.judged):
        return _batch(data, told, host, findings)
    return _answered(data, told, host, findings)


def _faults(data: bytes, told: Facts, host: Host) -> dict[str, Finding]:
    """The one finding of a frame of which nothing else is judged."""
    everywhere = frozenset(host.judged)
    if told.kind == "empty":
        severity = "error" if host.transport == "http" and host.from_client else "info"
        return {"empty-frame": Finding(severity, 0, len(data), 1, "", everywhere)}
    if told.fault is None or told.fault_offset is None:
        return {}
    end = told.fault_offset + (0 if told.fault == "truncated" else 1)
    finding = Finding("error", told.fault_offset, end, 1, "", everywhere)
    if told.fault == "not-json" and host.transport == "stdio" and CONTENT_LENGTH.fullmatch(data):
        framing = weigh("error", MCP, host.judged)
        if framing is not None:
            return {"content-length-framing": finding}
    return {told.fault: finding}


def _envelope(data: bytes, told: Facts, host: Host) -> dict[str, Finding]:
    names = told.names | code_names(data, told)
    findings = {}
    for rule, found in rules_found(names, host.transport, host.judged).items():
        if not (host.element and rule in LINE_RULES):
            place, count = place_of(rule, data, told)
            findings[rule] = _finding(found, place, count)
    return findings


def _methods_and_values(data: bytes, told: Facts, host: Host) -> dict[str, Finding]:
    """Section 6."""
    findings = {}
    for rule, (severity, place, count) in found_in(
        data, told, host.judged, host.direction, host.request_method
    ).items():
        revisions = frozenset(REVISIONS_OF[rule]) & frozenset(host.judged)
        findings[rule] = Finding(severity, place.offset, place.end, count, place.path, revisions)
    version = unlisted_version(data, told, host.listed) if host.listed else None
    if version is not None and MCP[-1] in host.judged and not host.element:
        path = "/params/_meta/" + pointer_step(version.key)
        findings["protocol-version-unsupported"] = Finding(
            "error", version.start, version.stop, 1, path, frozenset(MCP[-1:])
        )
    return findings


def _with_envelope(one: Finding | None, other: Finding) -> Finding:
    """A rule that is broken in the envelope and below it."""
    if one is None:
        return other
    return replace(min(one, other, key=lambda finding: finding.offset), count=one.count + other.count)


def _finding(found: Found, place: Place, count: int) -> Finding:
    return Finding(found.severity, place.offset, place.end, count, place.path, found.revisions)


def _answered(
    data: bytes, told: Facts, host: Host, findings: dict[str, Finding], items: Sequence[Verdict] = ()
) -> Verdict:
    newest = newest_of(host.revision)
    case = Case(told, findings, items, readable_id(data, told, newest), method_of(data, told) is not None)
    answer = owed_to_client(case, host.transport) if host.from_client else owed_to_server(case, newest)
    post = host.from_client and host.transport == "http" and not host.element
    status = status_of(case, answer, newest) if post else None
    more = b""
    if answer.code == UNSUPPORTED_VERSION:
        version = findings["protocol-version-unsupported"]
        requested = json.dumps(unescape(data[version.offset : version.end])).encode()
        more = b',"supported":%b,"requested":%b' % (json.dumps(host.listed, separators=(",", ":")).encode(), requested)
    return _verdict(told, host, findings, answer, items, status, more)


def _verdict(
    told: Facts,
    host: Host,
    findings: dict[str, Finding],
    answer: Answer,
    items: Sequence[Verdict] = (),
    status: int | None = None,
    more: bytes = b"",
) -> Verdict:
    written = id_written(answer.id, host.error_id, newest_of(host.revision), host.transport)
    return Verdict(
        kind=told.kind,
        revision=host.revision,
        findings=findings,
        respond=answer.respond,
        code=answer.code,
        id=answer.id,
        id_written=written,
        rule=answer.rule,
        status=status,
        body=body_of(answer, written, items, more),
        items=tuple(items),
    )


# --- batches (section 4) -------------------------------------------------------------------------


def _batch(data: bytes, told: Facts, host: Host, own: dict[str, Finding]) -> Verdict:
    elements = [data[start:stop] for start, stop in told.item_spans]
    facts_of = [facts(element, UNLIMITED) for element in elements]
    host_of_elements = replace(host, element=True, request_method=None)
    items = []
    for element, its_facts in zip(elements, facts_of, strict=True):
        judge_it = _nested if its_facts.top == "array" else _judge
        items.append(judge_it(element, its_facts, host_of_elements))

    findings = {rule: finding for rule, finding in own.items() if rule not in FROM_ELEMENTS}
    for index, (item, (start, _)) in enumerate(zip(items, told.item_spans, strict=True)):
        for rule, finding in item.findings.items():
            if rule != "not-object":
                moved = _moved(finding, start, f"/{index}")
                findings[rule] = _joined(findings.get(rule), moved)
    for rule, indices in _batch_rules(elements, facts_of).items():
        found = weigh("error", BATCH_ROWS[rule], host.judged)
        if indices and found is not None:
            place = Place(*told.item_spans[indices[0]], f"/{indices[0]}")
            findings[rule] = _finding(found, place, len(indices))
    return _answered(data, told, host, findings, items)


def _nested(data: bytes, told: Facts, host: Host) -> Verdict:
    """The verdict on an array in the array: it is not looked into."""
    found = weigh("error", BATCH_ROWS["batch-nested"], host.judged)
    assert found is not None
    own = _envelope(data, told, host)
    findings = {rule: finding for rule, finding in own.items() if rule in FROM_ELEMENTS}
    findings["batch-nested"] = _finding(found, Place(0, len(data), ""), 1)
    answer = Answer(True, INVALID_REQUEST, None, "batch-nested") if host.from_client else SILENCE
    return _verdict(told, host, findings, answer)


def _joined(one: Finding | None, other: Finding) -> Finding:
    """One rule of two elements, the first of them given first."""
    if one is None:
        return other
    place = other if SEVERITIES.index(other.severity) > SEVERITIES.index(one.severity) else one
    return replace(place, count=one.count + other.count, revisions=one.revisions | other.revisions)


def _batch_rules(elements: Sequence[bytes], facts_of: Sequence[Facts]) -> dict[str, list[int]]:
    """For each rule of section 4 the elements that it names; `batch-nested` comes from `_nested`."""
    kinds = [told.kind for told in facts_of]
    calls = [index for index, kind in enumerate(kinds) if kind in ("request", "notification")]
    answers = [index for index, kind in enumerate(kinds) if kind in ("success", "error")]
    mixed = [max(calls[0], answers[0])] if calls and answers else []
    starts = [
        index
        for index, told in enumerate(facts_of)
        if told.kind == "request" and method_of(elements[index], told) == "initialize"
    ]
    invalid = [index for index, kind in enumerate(kinds) if kind == "invalid"]
    return {"batch-item-invalid": invalid, "batch-mixed": mixed, "batch-initialize": starts}
