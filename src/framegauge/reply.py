"""The answer a frame is owed: whether any, code, id, text, HTTP status, bytes."""

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from framegauge.facts import FACT_NAMES, Kind
from framegauge.protocol import Revision

if TYPE_CHECKING:
    from framegauge.native.judge import Verdict

IdPolicy = Literal["null", "omit"]

MESSAGES = {-32700: "Parse error", -32600: "Invalid Request", -32602: "Invalid params"}

_ID = {"null": b'"id":null,', "omit": b""}


@dataclass(frozen=True, slots=True)
class Reply:
    """One JSON-RPC error answer; of a batch answered per element the first, with all of them in `items`.

    `code`: of the error. `id`: the request's id exactly as sent, or None where none could be read. `message`: the error's text.
    `data`: JSON-ready, names the rule that decided. `status`: the HTTP status that goes with it, or None where the text names
    none or the transport is not HTTP.
    """

    code: int
    id: bytes | None
    message: str
    data: dict[str, Any]
    status: int | None
    unreadable: IdPolicy
    items: tuple["Reply", ...] = ()

    def body(self) -> bytes:
        """The answer's bytes: compact ASCII JSON, the id byte for byte; of a batch an array."""
        if self.items:
            return b"[" + b",".join([reply.body() for reply in self.items]) + b"]"
        written = _ID[self.unreadable] if self.id is None else b'"id":' + self.id + b","
        return b'{"jsonrpc":"2.0",' + written + b'"error":' + _error(self.code, self.data["rule"]) + b"}"


_ERRORS: dict[tuple[int, str], bytes] = {}


def _error(code: int, rule: str) -> bytes:
    """The error member, rendered once per rule and code."""
    body = _ERRORS.get((code, rule))
    if body is None:
        error = {"code": code, "message": MESSAGES[code], "data": {"rule": rule}}
        body = _ERRORS[code, rule] = json.dumps(error, separators=(",", ":")).encode("ascii")
    return body


@dataclass(frozen=True, slots=True)
class Answer:
    """What is owed because of a frame: may or must a message be sent, which error, which HTTP status."""

    respond: bool
    reply: Reply | None = None
    status: int | None = None


# ---- what is owed --------------------------------------------------------------------------------------------------------


def _bits(*names: str) -> int:
    return sum(1 << FACT_NAMES.index(name) for name in names)


_UNREADABLE = _bits("id-absent", "id-null", "id-boolean", "id-container", "duplicate-envelope")
_FRACTION = _bits("id-not-integer")
_NO_METHOD_TEXT = _bits("method-absent", "method-type")
_NO_ANSWER_MEMBERS = _bits("result-absent", "error-absent")
_ID_ABSENT = _bits("id-absent")
_SCALAR = _bits("top-scalar")

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
_REFUSES_BATCH = ("batch-not-allowed", "batch-empty", "batch-mixed", "batch-initialize")
NOTHING = Answer(False)


class Context(Protocol):
    """What an answer depends on beside the frame; framegauge.gauge.Policy."""

    @property
    def text(self) -> Revision: ...
    @property
    def transport(self) -> str | None: ...
    @property
    def error_id(self) -> Literal["spec", "null", "omit"]: ...
    @property
    def from_client(self) -> bool: ...


def answer_to(verdict: "Verdict", context: Context) -> Answer:
    """The answer owed because of a frame; docs/verdict.md section 3 row by row."""
    answer = _to_client(verdict, context) if context.from_client else _to_server(verdict, context)
    if context.transport == "http" and context.from_client:
        return replace(answer, status=_status(verdict, answer, context))
    return answer


def _to_client(verdict: "Verdict", context: Context) -> Answer:
    if verdict.kind == Kind.empty:
        return _error_answer(context, PARSE_ERROR, None, "empty-frame") if context.transport == "http" else NOTHING
    rule = verdict._fault_rule
    if rule is not None:
        return _to_fault(verdict, context, rule)
    if verdict.kind == Kind.batch:
        return _to_batch(verdict, context)
    facts = verdict._facts
    readable = readable_id(verdict, context)
    called = not facts & _NO_METHOD_TEXT
    if facts & _NO_ANSWER_MEMBERS != _NO_ANSWER_MEMBERS and not (called and readable is not None) and not facts & _SCALAR:
        return NOTHING
    if called and facts & _ID_ABSENT:
        return NOTHING
    for code, answered in ((INVALID_REQUEST, readable), (INVALID_PARAMS, readable)):
        deciding = verdict._deciding(code)
        if deciding is not None:
            return _error_answer(context, code, answered, deciding)
    return Answer(True) if verdict.kind == Kind.request else NOTHING


def _to_server(verdict: "Verdict", context: Context) -> Answer:
    """Towards a client nothing is answered because of a fault, but a request with bad params is, where servers may call."""
    if not context.text.client_replies or verdict._fault_rule is not None:
        return NOTHING
    if verdict.kind == Kind.batch:
        return _to_batch(verdict, context)
    if verdict.kind != Kind.request or verdict._deciding(INVALID_REQUEST) is not None:
        return NOTHING
    deciding = verdict._deciding(INVALID_PARAMS)
    return Answer(True) if deciding is None else _error_answer(context, INVALID_PARAMS, readable_id(verdict, context), deciding)


def _to_fault(verdict: "Verdict", context: Context, rule: str) -> Answer:
    if rule == "content-length-framing":
        return NOTHING
    if verdict.kind == Kind.parse_error:
        return _error_answer(context, PARSE_ERROR, None, rule)
    return _error_answer(context, INVALID_REQUEST, readable_id(verdict, context), rule)


def _to_batch(verdict: "Verdict", context: Context) -> Answer:
    errors = {finding.rule: finding for finding in verdict.findings if finding.severity == "error"}
    refusing = [errors[rule] for rule in _REFUSES_BATCH if rule in errors]
    if refusing:
        return _error_answer(context, INVALID_REQUEST, None, refusing[0].rule) if context.from_client else NOTHING
    answers = [answer_to_element(item, context) for item in verdict.items]
    owed = tuple(answer.reply for answer in answers if answer.reply is not None)
    respond = any(answer.respond for answer in answers)
    if not owed:
        return Answer(respond)
    return Answer(respond, replace(owed[0], items=owed), owed[0].status)


def answer_to_element(item: "Verdict", context: Context) -> Answer:
    """An element that is no object is answered for itself, an array in the array by the rule that names it."""
    if item.kind == Kind.batch:
        owed = context.from_client and any(f.rule == "batch-nested" and f.severity == "error" for f in item.findings)
        return _error_answer(context, INVALID_REQUEST, None, "batch-nested") if owed else NOTHING
    return _to_client(item, context) if context.from_client else _to_server(item, context)


def readable_id(verdict: "Verdict", context: Context) -> bytes | None:
    """The raw id that may be echoed; None where there is none that can."""
    unreadable = _UNREADABLE if context.text.fractional_id else _UNREADABLE | _FRACTION
    if verdict.kind in (Kind.parse_error, Kind.batch) or verdict._facts & unreadable:
        return None
    return verdict._raw_id


def _error_answer(context: Context, code: int, request_id: bytes | None, rule: str) -> Answer:
    policy = context.error_id
    written = context.text.error_id[context.transport or "stdio"] if policy == "spec" else policy
    status = context.text.status.error if context.transport == "http" and context.from_client else None
    return Answer(True, Reply(code, request_id, MESSAGES[code], {"rule": rule}, status, written), status)


def _status(verdict: "Verdict", answer: Answer, context: Context) -> int | None:
    """The HTTP status owed to a client that posted the frame."""
    status = context.text.status
    if verdict._fault_rule == "frame-too-large":
        return 413
    if answer.reply is not None and status.error is not None:
        return status.error
    if verdict.kind == Kind.empty:
        return 400
    if verdict.kind == Kind.batch and any(f.rule == "batch-not-allowed" and f.severity == "error" for f in verdict.findings):
        return status.batch
    if verdict.ok and verdict.kind == Kind.notification:
        return status.notification
    if verdict.ok and verdict.kind in (Kind.success, Kind.error):
        return status.response
    return None
