"""Gauge: bytes to Verdict. Pure: no input or output, no clock, no logging.

The usual clean frame never comes here: `Checker.check`, which is compiled, runs the table made below and returns.
Python is asked for what a table cannot say (batches, the frame's own revision, a skipped mark) and, when somebody
looks, for findings and answers.
"""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from framegauge.facts import Limits
from framegauge.judging import judge, revision_from_headers
from framegauge.native.judge import LOOK, Checker, Finding, Table, Verdict, in_order
from framegauge.native.tokenizer import METHOD_NAMES
from framegauge.protocol import JSONRPC, LATEST, MCP, REVISIONS, Revision, revision
from framegauge.reply import Answer, ErrorId, answer_to, error_member, no_id, status_of
from framegauge.rules.model import Rule, Severity
from framegauge.rules.own import as_rule
from framegauge.rules.registry import RULES, by_id
from framegauge.rules.tools import NESTED
from framegauge.shapes import BELOW, CLIENT, META_RULES, SERVER, UNSUPPORTED, shapes_of
from framegauge.verdicts import Verdicts

AUTO = "auto"
DIRECTIONS = ("client-to-server", "server-to-client")
_SENDERS = {None: CLIENT | SERVER, "client-to-server": CLIENT, "server-to-client": SERVER}
TRANSPORTS = ("stdio", "http", "sse")
FIDELITIES = ("bytes", "text", "tokens", "value")

# Facts of an id that no answer echoes.
_UNREADABLE = ("id-null", "id-boolean", "id-container")

# What a record below a grade cannot show: whoever parsed and wrote it again erased it.
_LOST: Mapping[str, frozenset[str]] = {
    "bytes": frozenset(),
    "text": frozenset({"invalid-utf8", "utf8-bom", "crlf", "embedded-newline", "content-length-framing"}),
    "tokens": frozenset({rule.id for rule in RULES if rule.area in ("bytes", "lines")}),
    "value": frozenset({rule.id for rule in RULES if rule.area in ("bytes", "lines")})
    | {"duplicate-key", "escaped-key", "escaped-value", "lone-surrogate", "id-not-integer-literal", "number-too-long"},
}


class Policy(NamedTuple):
    """What a table stands for; a verdict asks it for whatever is made only on demand."""

    revision: str
    direction: str | None
    transport: str | None
    limits: Limits
    error_id: ErrorId
    selected: frozenset[str]
    text: Revision  # whose answers are given: of `auto` the newest
    element: bool  # of a batch: no line, no status, no evidence of its own
    listed: tuple[str, ...]  # the revisions of the host
    revisions: frozenset[str] = frozenset()

    @property
    def fault_revisions(self) -> frozenset[str]:
        return self.revisions

    @property
    def judges_batches(self) -> bool:
        return any(revision(name).batch == "judged" for name in self.revisions)

    @property
    def from_client(self) -> bool:
        return self.direction != "server-to-client"

    def severity(self, rule: str) -> tuple[Severity, frozenset[str]] | None:
        """How severe a rule without facts is here, and in which revisions it holds; None where it does not exist."""
        if rule not in self.selected:
            return None
        # A row on http is about what clients post.
        posted = self.from_client or self.transport != "http"
        return severity_of(by_id(rule), self.revisions, self.transport if posted else None)

    def on_lines(self, rule: str, line: bytes, offset: int, end: int) -> tuple[Finding, ...]:
        """A finding about a line, where this rule exists on a channel of lines."""
        found = severity_of(by_id(rule), self.revisions, "stdio") if rule in self.selected else None
        return () if found is None else (Finding(by_id(rule), found[0], offset, end, 1, found[1], line, ""),)

    def own_table(self, number: int) -> Table:
        """The table of the revision of that number in MCP, for a frame that names it itself."""
        return table(MCP[number], self.direction, self.transport, self.limits, self.error_id, self.selected, False, ())

    def findings(self, verdict: Verdict) -> tuple[Finding, ...]:
        more = verdict._more
        found = more.findings if more is not None and more.findings is not None else verdict._native_findings()
        return in_order(found)

    def revision_of(self, verdict: Verdict) -> str:
        return self.revision

    def answer(self, verdict: Verdict) -> Answer:
        return answer_to(verdict, self)

    def error(self, code: int, rule: str, more: Mapping[str, Any] | None = None) -> bytes:
        return error_member(code, rule, more)

    def versions(self, verdict: Verdict) -> dict[str, Any]:
        """What the answer to an unsupported version says beside the rule."""
        found = next(each for each in verdict.findings if each.rule == UNSUPPORTED)
        return {
            "supported": list(self.listed),
            "requested": json.loads(found._frame[found.offset : found.end]),
        }

    def status(self, verdict: Verdict, code: int) -> int | None:
        return status_of(verdict, self.text, code)

    def to_dict(self, verdict: Verdict) -> dict[str, Any]:
        frame, reply = verdict.frame, verdict.reply
        return {
            "schema": "framegauge.verdict/1",
            "kind": verdict.kind.value,
            "ok": verdict.ok,
            "revision": verdict.revision,
            "revisions": sorted(frame.revisions),
            "direction": self.direction,
            "transport": self.transport,
            "size": frame.size,
            "id": _text(frame.id),
            "method": None if frame.method is None else frame.method.encode("utf-8", "replace").decode(),
            "respond": verdict.respond,
            "status": verdict.status,
            "findings": [finding.to_dict() for finding in verdict.findings],
            "not_judged": sorted(verdict.not_judged),
            "reply": None
            if reply is None
            else {
                "code": reply.code,
                "id": _text(reply.id),
                "status": reply.status,
                "message": reply.message,
                "data": reply.data,
                "body": reply.body().decode(),
            },
            "items": [item.to_dict() for item in verdict.items],
        }


def _text(raw: bytes | None) -> str | None:
    return None if raw is None else raw.decode("utf-8", "replace")


def severity_of(rule: Rule, revisions: frozenset[str], transport: str | None) -> tuple[Severity, frozenset[str]] | None:
    """Of a rule whose facts, if any, are known to be there: the last row that holds on this transport.

    In only some of several revisions it is a warning at most.
    """
    for row in reversed(rule.rows):
        holds = row.revisions & revisions
        if holds and (row.transports is None or (transport or "unknown") in row.transports):
            return _at_most(row.severity, holds == revisions), holds
    return None


def _at_most(severity: Severity, everywhere: bool) -> Severity:
    return severity if everywhere or severity != "error" else "warning"


@lru_cache(maxsize=256)
def table(
    name: str,
    direction: str | None,
    transport: str | None,
    limits: Limits,
    error_id: ErrorId,
    selected: frozenset[str],
    element: bool,
    listed: tuple[str, ...],
) -> Table:
    """The compiled rows for these arguments. Cached: a gateway makes the same gauge for every session."""
    revisions = frozenset(MCP if name == AUTO else (name,))
    text = revision(LATEST if name == AUTO else name)
    rows: list[tuple[int, tuple[str, ...], tuple[str, ...], Severity, int | None, frozenset[str]]] = []
    codes: list[tuple[int, int, int, Severity, frozenset[str]]] = []
    faults: dict[str, int] = {}
    for number, rule in enumerate(RULES):
        if rule.id not in selected or (element and rule.area == "lines"):
            continue
        if rule.fault:
            faults[rule.id] = number
        for row in rule.rows:
            holds = row.revisions & revisions
            if row.facts and holds and (row.transports is None or (transport or "unknown") in row.transports):
                severity = _at_most(row.severity, holds == revisions)
                rows.append((number, row.facts, row.without, severity, row.answer, holds))
        for code in rule.codes:
            holds = code.revisions & revisions
            if holds:
                severity = _at_most(code.severity, holds == revisions)
                codes += [(number, low, high, severity, holds) for low, high in code.ranges]
    policy = Policy(name, direction, transport, limits, error_id, selected, text, element, listed, revisions)
    shaped = {
        number: rule
        for number, rule in enumerate(RULES)
        if (rule.by_shape or rule.id in BELOW)
        and rule.id in selected
        and any(row.revisions & revisions for row in rule.rows)
    }
    answers = {number: BELOW.get(rule.id, rule.answer) for number, rule in shaped.items()}
    names_version = not element and any(rule.id == UNSUPPORTED for rule in shaped.values())
    return Table(
        RULES,
        rows,
        codes,
        faults,
        policy,
        MCP if name == AUTO and not element else (),
        transport == "stdio",
        from_client=policy.from_client,
        client_replies=text.client_replies,
        unreadable=_UNREADABLE if text.fractional_id else (*_UNREADABLE, "id-not-integer"),
        no_id=no_id(text, transport, error_id),
        http=transport == "http" and policy.from_client and not element,
        shapes=shapes_of(name) if shaped and name != JSONRPC else None,  # without these rules nothing is looked at
        senders=_SENDERS[direction],
        selected=frozenset(shaped) | (frozenset() if selected.isdisjoint(NESTED) else {LOOK}),
        answers={number: code for number, code in answers.items() if code is not None},
        infos=frozenset(number for number, rule in shaped.items() if rule.milder == "info"),
        meta=frozenset(number for number, rule in shaped.items() if rule.id in META_RULES),
        listed=listed if names_version else (),
    )


class Gauge(Checker):
    """Judges raw frames: what each is, which rules of which revision it breaks and where, and what answer it is owed.

    `revision`: "jsonrpc-2.0", an MCP revision, or "auto": the frame's own evidence, and without it what holds in all of
    MCP. `direction`: "client-to-server", "server-to-client" or None. `transport`: "stdio", "http", "sse" or None.
    `limits`: the host's own. `select`: ids of the only rules to apply (None: all); `ignore`: of rules to leave out.
    `rules`: users' own, see docs/writing-a-rule.md. `allow_bom`: skip a leading byte order mark and say so as a
    warning. `error_id`: how an answer writes an id that could not be read:
    "spec" (what the revision says), "null" or "omit". Raises ValueError with the allowed values for an unknown name.
    """

    def __init__(
        self,
        revision: str = AUTO,
        direction: str | None = None,
        transport: str | None = None,
        limits: Limits | None = None,
        select: Iterable[str] | None = None,
        ignore: Iterable[str] = (),
        rules: Iterable[Any] = (),
        allow_bom: bool = False,
        error_id: ErrorId = "spec",
    ) -> None:
        self.revision = one_of("revision", revision, (AUTO, *REVISIONS))
        self.direction = None if direction is None else one_of("direction", direction, DIRECTIONS)
        self.transport = None if transport is None else one_of("transport", transport, TRANSPORTS)
        self.error_id: ErrorId = one_of("error_id", error_id, ("spec", "null", "omit"))
        self.limits = Limits() if limits is None else limits
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits is a framegauge.Limits, not {type(limits).__name__}")
        self.allow_bom = allow_bom
        for what, names in (("select", () if select is None else select), ("ignore", ignore)):
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise TypeError(f"{what} is a list of rule ids, not {names!r}")
        if not isinstance(rules, Iterable):
            raise TypeError(f"rules is a list of rules, not {rules!r}")
        self.rules = tuple(as_rule(rule) for rule in rules)
        chosen = {by_id(name).id for name in select} if select is not None else {rule.id for rule in RULES}
        if self.rules:
            chosen.add("rule-failed")  # they are applied whatever `select` says, and so is this
        self.selected = frozenset(chosen - {by_id(name).id for name in ignore})
        taken = [rule.id for rule in RULES] + [rule.id for rule in self.rules]
        for rule in self.rules:
            if taken.count(rule.id) > 1:
                raise ValueError(f"there is another rule {rule.id!r}; give yours a name of its own")
        self._set_up(self._table(), self.limits, bool(self.rules) or allow_bom)

    def __setattr__(self, name: str, value: Any) -> None:
        """Once, when it is made: a table is compiled from these, and threads share it without a lock."""
        if name in self.__dict__:
            raise AttributeError(f"the {name} of a Gauge is fixed; make another Gauge")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"the {name} of a Gauge is fixed; make another Gauge")

    def __reduce__(self) -> tuple[Any, ...]:
        """To pickle it, for another process: what it was made of. Users' rules have to be something that can be."""
        ignored = {rule.id for rule in RULES} - self.selected
        given = self.revision, self.direction, self.transport, self.limits, None, ignored, self.rules
        return type(self), (*given, self.allow_bom, self.error_id)

    def _table(
        self,
        revision: str | None = None,
        direction: str | None = None,
        element: bool = False,
        listed: str | None = None,
    ) -> Table:
        """`listed`: whose revisions the host lists, where that is not the one that it judges by."""
        name, towards = revision or self.revision, direction or self.direction
        versions = MCP if (listed or name) == AUTO else (name,)
        return table(name, towards, self.transport, self.limits, self.error_id, self.selected, element, versions)

    def check_lines(self, buffer: Any, final: bool = True) -> Verdicts:
        """The verdicts on every line of a newline-delimited buffer, as columns; LF alone ends a line.

        The GIL is released. `final`: whether this is all there is. Where it is not, a last line without LF, and the
        lines of a message that is not complete (up to 256 KiB of them), are left over: go on from `.consumed`. Lines
        that are one message only when joined are found here, and so are LSP headers, whatever the gauge's transport.
        Users' rules and `allow_bom` are not applied, and a blank line is counted by its kind alone. Raises TypeError
        for what is no contiguous buffer. Linear in the bytes.
        """
        return Verdicts(self, buffer, final)

    def _judge(self, verdict: Verdict, data: Any, call: dict[str, Any] | None) -> Verdict:
        """What the compiled table does not settle: see the module's docstring."""
        found, lost = self._table(), frozenset[str]()
        if call is not None:
            found, lost = self._for_call(call)
        frame = verdict._whole  # as it was scanned: asked again, an object may give other bytes
        assert frame is not None
        skipped = 0
        if self.allow_bom and verdict.frame.fault is not None and verdict.frame.fault.rule == "utf8-bom":
            skipped = 3
            self._again(verdict, frame[3:])
        found = self._own(verdict, verdict._whole or frame, found)
        asked = None if call is None else call["request_method"]
        self._run(verdict, found, METHOD_NAMES.index(asked) if asked in METHOD_NAMES else 0)
        judge(self, verdict, frame, found.policy, lost, skipped)
        return verdict

    def _for_call(self, call: dict[str, Any]) -> tuple[Table, frozenset[str]]:
        """The table for one call's own arguments, and the rules its record cannot show."""
        direction, name = call["direction"], call["revision"]
        if direction is not None:
            one_of("direction", direction, DIRECTIONS)
        if name is not None:
            one_of("revision", name, (AUTO, *REVISIONS))
        lost = _LOST[one_of("fidelity", call["fidelity"], FIDELITIES)]
        if not isinstance(
            call["request_method"], str | None
        ):  # bytes would be no known method, and nothing would say so
            raise TypeError(f"request_method is a str, not {type(call['request_method']).__name__}")
        listed = name or self.revision
        if call["headers"] is not None and listed == AUTO:
            name = revision_from_headers(call["headers"]) or name
        return self._table(name, direction, listed=listed), lost


def one_of(what: str, value: Any, allowed: tuple[str, ...]) -> Any:
    """`value`, where it is allowed; ValueError that lists what is."""
    if value not in allowed:
        raise ValueError(f"{what} {value!r} is not known; it is one of {', '.join(allowed)}")
    return value


__all__ = ["AUTO", "DIRECTIONS", "FIDELITIES", "TRANSPORTS", "Gauge", "Policy", "table"]
