"""The answer a frame is owed, where that is not decided natively: batches, blank frames, HTTP statuses; and its text.

What one message is owed is decided in framegauge.native.reply, in the order of docs/verdict.md section 3.
"""

from collections.abc import Iterable
from typing import NamedTuple

from framegauge.facts import Kind
from framegauge.gauge.context import Context
from framegauge.gauge.options import ErrorId
from framegauge.gauge.value_rules import META_RULES
from framegauge.native.reply import Reply, error_member
from framegauge.native.verdict import Verdict
from framegauge.protocol import Revision
from framegauge.ruleset.codes import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
)

__all__ = ["FAULT_CODES", "ORDER", "Reply", "Step", "answer_to", "no_id", "order_of", "status_of"]


class Step(NamedTuple):
    """One place in the order of answers: this code, where an error asks for it."""

    code: int
    envelope: bool = False  # such an error of a server is not answered
    after: frozenset[str] = frozenset()  # ids of rules: one of these is an error; none: always


# What one message is owed: the first of these for which there is an error.
ORDER = (
    Step(INVALID_REQUEST, envelope=True),
    Step(INVALID_PARAMS, after=META_RULES),
    Step(UNSUPPORTED_VERSION),
    Step(METHOD_NOT_FOUND),
    Step(INVALID_PARAMS),
)
FAULT_CODES = PARSE_ERROR, INVALID_REQUEST  # of a frame that was not read to its end: of a byte, of a limit
Answer = tuple[bool, Reply | None]  # may or must a message be sent; the error answer

_NO_ID = {"null": b'"id":null,', "omit": b""}
_REFUSES_BATCH = ("batch-not-allowed", "batch-empty", "batch-mixed", "batch-initialize")
_NOTHING: Answer = (False, None)


def order_of(codes: Iterable[int]) -> tuple[Step, ...]:
    """The order of answers, for rules with these codes. Codes that ORDER does not have follow, the highest first."""
    others = set(codes) - {step.code for step in ORDER}
    return (*ORDER, *(Step(code) for code in sorted(others, reverse=True)))


def no_id(spec: Revision, transport: str | None, error_id: ErrorId) -> bytes:
    """What an answer has in place of an id that could not be read."""
    return _NO_ID[spec.error_id[transport or "stdio"] if error_id == "spec" else error_id]


def answer_to(verdict: Verdict, context: Context) -> Answer:
    """The answer to what is not one message."""
    if verdict.kind == Kind.empty:
        owed = context.from_client and context.transport == "http"
        return _error(verdict, context, PARSE_ERROR, "empty-frame") if owed else _NOTHING
    if verdict.kind != Kind.batch:
        return _NOTHING  # a replaced fault: noise without an answer
    if verdict._fault_rule is not None:
        return _error(verdict, context, INVALID_REQUEST, verdict._fault_rule) if context.from_client else _NOTHING
    return _to_nested(verdict, context) if verdict._more.nested else _to_batch(verdict, context)


def _to_batch(verdict: Verdict, context: Context) -> Answer:
    errors = {finding.rule for finding in verdict.findings if finding.severity == "error"}
    refusing = [rule for rule in _REFUSES_BATCH if rule in errors]
    if refusing:
        return _error(verdict, context, INVALID_REQUEST, refusing[0]) if context.from_client else _NOTHING
    owed = tuple(item.reply for item in verdict.items if item.reply is not None)
    respond = any(item.respond for item in verdict.items)
    if not owed:
        return respond, None
    return respond, owed[0].with_items(owed, _status(verdict, context, owed[0].code))


def _to_nested(item: Verdict, context: Context) -> Answer:
    """An array in the array is answered by the rule that names it."""
    return _error(item, context, INVALID_REQUEST, "batch-nested") if context.from_client else _NOTHING


def _error(verdict: Verdict, context: Context, code: int, rule: str) -> Answer:
    in_place = no_id(context.spec, context.transport, context.error_id)
    return True, Reply(code, None, rule, error_member(code, rule), in_place, _status(verdict, context, code))


def _status(verdict: Verdict, context: Context, code: int) -> int | None:
    return status_of(verdict, context, code) if context.posted else None


def status_of(verdict: Verdict, context: Context, code: int) -> int | None:
    """The HTTP status owed to a client that posted the frame; the first that holds in docs/verdict.md section 3.

    `code`: that of the error answer owed, 0 where none is.
    """
    spec = context.spec
    status = spec.status
    if verdict._fault_rule == "frame-too-large":
        return 413
    if code == METHOD_NOT_FOUND and status.unknown_method is not None:
        return status.unknown_method
    if status.error is not None and code:
        return status.error
    if verdict.kind == Kind.empty:
        return 400
    if verdict.kind == Kind.batch:
        if any(f.rule == "batch-not-allowed" and f.severity == "error" for f in verdict.findings):
            return status.batch
        silent = spec.batch == "judged" and verdict.ok and not any(item.respond for item in verdict.items)
        return status.notification if silent else None
    if verdict.ok and verdict.kind == Kind.notification:
        return status.notification
    if verdict.ok and verdict.kind in (Kind.success, Kind.error):
        return status.response
    return None
