"""The answer a frame is owed: docs/verdict.md, section 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .names import LIMIT_FAULTS
from .rows import MCP, R2411, R2503, R2506, R2607, J
from .shapes import ANSWERS, NEAR_KEYS, RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .model import Facts
    from .verdict import Finding, Verdict

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
UNSUPPORTED_VERSION = -32022
TEXTS = {
    PARSE_ERROR: "Parse error",
    INVALID_REQUEST: "Invalid Request",
    METHOD_NOT_FOUND: "Method not found",
    INVALID_PARAMS: "Invalid params",
    UNSUPPORTED_VERSION: "Unsupported protocol version",
}

# One of these as an error refuses a whole batch.
REFUSE_BATCH = ("batch-not-allowed", "batch-empty", "batch-mixed", "batch-initialize")

# Faults of responses: nobody answers them.
NO_ANSWER = (
    "id-missing",
    "result-null",
    "result-not-object",
    "error-null",
    "error-not-object",
    "error-code-missing",
    "error-code-type",
    "error-code-not-integer",
    "error-code-reserved",
    "error-code-retired",
    "error-message-missing",
    "error-message-type",
)


# Of several findings with one code the first of these decided.
DECIDES = (
    *REFUSE_BATCH,
    "embedded-newline",
    "duplicate-key",
    "key-case-variant",
    "key-lookalike",
    "lone-surrogate",
    "jsonrpc-missing",
    "jsonrpc-wrong",
    "method-type",
    "params-type",
    "params-not-object",
    "id-null",
    "id-type",
    "id-not-integer",
    "no-method-result-error",
    "result-and-error",
    "method-and-result",
    "method-and-error",
    *RULES,
)


class Answer(NamedTuple):
    """`code` None: nothing is owed, or the request gets its real answer. `rule` is what decided.

    `by_element`: code, id and rule are those of the first element of a batch that is owed an error.
    """

    respond: bool
    code: int | None = None
    id: bytes | None = None
    rule: str | None = None
    by_element: bool = False


SILENCE = Answer(False)


class Case(NamedTuple):
    """What the answer depends on."""

    told: Facts
    findings: Mapping[str, Finding]
    items: Sequence[Verdict]
    id: bytes | None  # the readable id
    method_is_string: bool

    def errors(self, code: int | None = None) -> list[str]:
        """Error-severity rules; with a code those that it answers, the one that decides first."""
        rules = [rule for rule, finding in self.findings.items() if finding.severity == "error"]
        return rules if code is None else sorted((r for r in rules if self.code_of(r) == code), key=DECIDES.index)

    def code_of(self, rule: str) -> int | None:
        if rule in RULES:
            return ANSWERS.get(rule)
        if rule in NO_ANSWER:
            return None
        if rule == "params-not-object":
            return INVALID_PARAMS
        if rule == "duplicate-key" and "duplicate-envelope" not in self.told.names:
            return INVALID_PARAMS
        if rule in NEAR_KEYS and rule not in self.told.names:
            return INVALID_PARAMS
        return INVALID_REQUEST


def owed_to_client(case: Case, transport: str | None) -> Answer:
    """What a server owes for a frame from the client."""
    told, findings = case.told, case.findings
    if told.kind == "empty":
        return Answer(True, PARSE_ERROR, None, "empty-frame") if transport == "http" else SILENCE
    if "content-length-framing" in findings:
        return SILENCE
    if told.fault in LIMIT_FAULTS:
        return Answer(True, INVALID_REQUEST, case.id, told.fault)
    if told.fault is not None:
        return Answer(True, PARSE_ERROR, None, told.fault)
    if told.top == "array":
        errors = case.errors()
        refusals = [rule for rule in REFUSE_BATCH if rule in errors]
        return Answer(True, INVALID_REQUEST, None, refusals[0]) if refusals else _by_element(case.items)
    if told.top != "object":
        return Answer(True, INVALID_REQUEST, None, "not-object")
    response = "result" in told.envelope or "error" in told.envelope
    if response and not (case.method_is_string and case.id is not None):
        return SILENCE
    if case.method_is_string and "id" not in told.envelope:
        return SILENCE
    early = [INVALID_PARAMS] if {"meta-not-object", "meta-required-missing"} & {*case.errors()} else []
    for code in (INVALID_REQUEST, *early, UNSUPPORTED_VERSION, METHOD_NOT_FOUND, INVALID_PARAMS):
        rules = case.errors(code)
        if rules:
            return Answer(True, code, case.id, rules[0])
    return Answer(True, None, case.id) if told.kind == "request" else SILENCE


def owed_to_server(case: Case, newest: str) -> Answer:
    """What a client owes for a frame from the server."""
    told = case.told
    if newest == R2607 or told.fault is not None:
        return SILENCE
    if told.kind == "batch":
        refused = any(rule in REFUSE_BATCH for rule in case.errors())
        return SILENCE if refused else _by_element(case.items)
    if told.kind != "request":
        return SILENCE
    if case.errors(INVALID_REQUEST):
        return SILENCE
    early = [INVALID_PARAMS] if {"meta-not-object", "meta-required-missing"} & {*case.errors()} else []
    for code in (*early, METHOD_NOT_FOUND, INVALID_PARAMS):
        rules = case.errors(code)
        if rules:
            return Answer(True, code, case.id, rules[0])
    return Answer(True, None, case.id)


def _by_element(items: Sequence[Verdict]) -> Answer:
    respond = any(item.respond for item in items)
    first = next((item for item in items if item.code is not None), None)
    if first is None:
        return Answer(respond, by_element=True)
    return Answer(respond, first.code, first.id, first.rule, by_element=True)


def newest_of(revision: str) -> str:
    """The revision whose answers are given: auto without evidence follows the newest."""
    return MCP[-1] if revision == "auto" else revision


def id_written(id_: bytes | None, policy: str, revision: str, transport: str | None) -> str:
    """How an answer's id is written: as sent, as null, or not at all."""
    if id_ is not None:
        return "echo"
    if policy != "spec":
        return policy
    if revision == J:
        return "null"
    if revision in (R2411, R2503, R2506):
        return "omit" if transport in ("http", "sse") else "null"
    return "omit"


def body_of(answer: Answer, written: str, items: Sequence[Verdict], more: bytes = b"") -> bytes | None:
    """`more`: of the error's data, behind the rule."""
    if answer.code is None:
        return None
    if answer.by_element:
        return b"[%b]" % b",".join(item.body for item in items if item.body is not None)
    id_ = {"echo": answer.id or b"", "null": b"null", "omit": b""}[written]
    member = b'"id":%b,' % id_ if id_ else b""
    text, rule = TEXTS[answer.code].encode(), str(answer.rule).encode()
    error = b'{"code":%d,"message":"%b","data":{"rule":"%b"%b}}' % (answer.code, text, rule, more)
    return b'{"jsonrpc":"2.0",%b"error":%b}' % (member, error)


def status_of(case: Case, answer: Answer, revision: str) -> int | None:
    """The HTTP status of a POST from a client."""
    told, findings = case.told, case.findings
    newest = newest_of(revision)
    if told.fault == "frame-too-large":
        return 413
    if newest == R2607 and answer.code is not None:
        return 404 if answer.code == METHOD_NOT_FOUND else 400
    refused = findings.get("batch-not-allowed")
    if told.kind == "empty" or (refused is not None and refused.severity == "error"):
        return 400
    if case.errors():
        return None
    if told.kind == "batch" and newest in (J, R2411, R2503) and not answer.respond:
        return 202
    if told.kind == "notification" or (told.kind in ("success", "error") and newest != R2607):
        return 202
    return None
