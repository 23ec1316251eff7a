"""The table of docs/verdict.md, section 1: under which facts a rule is found, and how severely."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .names import BYTE_FAULTS, LIMIT_FAULTS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

J = "jsonrpc-2.0"
MCP = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
R2411, R2503, R2506, R2511, R2607 = MCP
ALL = (J, *MCP)
BATCHED = (J, R2411, R2503)
UNBATCHED = (R2506, R2511, R2607)

SEVERITIES = ("info", "warning", "error")

# Facts that are no bits of the tokenizer: ranges of error.code.
CODE_RESERVED = "code in the range of the protocol"
CODE_RETIRED = "code retired"
CODE_LEGACY = "code in the legacy range"
CODE_UNDEFINED = "code that JSON-RPC keeps"

STDIO = ("stdio",)
STDIO_OR_UNKNOWN = ("stdio", None)


class Row(NamedTuple):
    """`rule` is found where all of `has` and none of `lacks` are facts; `transports` None means any."""

    rule: str
    severity: str
    revisions: Sequence[str]
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    transports: tuple[str | None, ...] | None = None

    def holds(self, names: Collection[str], transport: str | None) -> bool:
        if self.transports is not None and transport not in self.transports:
            return False
        return all(name in names for name in self.has) and not any(name in names for name in self.lacks)


def _same_name(severity: str, revisions: Sequence[str], rules: str) -> list[Row]:
    """Rows whose rule and only fact have one name."""
    return [Row(rule, severity, revisions, (rule,)) for rule in rules.split()]


ROWS = (
    Row("not-object", "error", ALL, ("top-scalar",)),
    Row("batch-not-allowed", "error", UNBATCHED, ("top-array",)),
    Row("batch-unspecified", "warning", (R2411,), ("top-array",)),
    Row("batch-empty", "error", BATCHED, ("batch-empty",)),
    *_same_name("error", ALL, "duplicate-key key-case-variant key-lookalike"),
    *_same_name("warning", ALL, "escaped-key"),
    Row("escaped-value", "warning", ALL, ("escaped-jsonrpc",)),
    Row("escaped-value", "warning", ALL, ("escaped-method",)),
    Row("lone-surrogate", "error", ALL, ("lone-surrogate-id",)),
    Row("lone-surrogate", "error", ALL, ("lone-surrogate-method",)),
    Row("lone-surrogate", "error", ALL, ("lone-surrogate-key",)),
    *_same_name("warning", ALL, "lone-surrogate"),
    *_same_name("info", ALL, "unknown-member"),
    *_same_name("error", ALL, "jsonrpc-missing jsonrpc-wrong method-type no-method-result-error"),
    *_same_name("error", ALL, "method-and-result method-and-error result-and-error"),
    *_same_name("warning", ALL, "method-reserved"),
    Row("params-type", "error", ALL, ("params-scalar",)),
    Row("params-not-object", "error", MCP, ("params-array",)),
    Row("id-null", "warning", (J,), ("id-null",), ("method-absent",)),
    Row("id-null", "error", MCP, ("id-null",), ("method-absent",)),
    Row("id-null", "error", ALL, ("id-null", "method-absent"), ("result-absent",)),
    Row("id-null", "warning", MCP, ("id-null", "method-absent", "result-absent"), ("error-absent",)),
    Row("id-type", "error", ALL, ("id-boolean",)),
    Row("id-type", "error", ALL, ("id-container",)),
    *_same_name("error", MCP, "id-not-integer"),
    *_same_name("warning", (J,), "id-not-integer"),
    *_same_name("warning", ALL, "id-not-integer-literal id-unsafe-integer"),
    Row("id-missing", "error", ALL, ("result-without-id",)),
    Row("id-missing", "error", (J,), ("error-without-id",)),
    Row("id-missing", "warning", (R2411, R2503, R2506), ("error-without-id",), (), STDIO_OR_UNKNOWN),
    *_same_name("error", MCP, "result-null result-not-object"),
    *_same_name("error", ALL, "error-null error-not-object error-code-missing error-code-type"),
    *_same_name("error", ALL, "error-message-missing error-message-type error-code-not-integer"),
    Row("error-code-not-integer", "warning", ALL, ("error-code-not-integer-literal",)),
    *_same_name("warning", ALL, "error-code-out-of-range"),
    Row("error-code-reserved", "error", (R2607,), (CODE_RESERVED,)),
    Row("error-code-retired", "error", (R2607,), (CODE_RETIRED,)),
    Row("error-code-legacy-range", "info", (R2607,), (CODE_LEGACY,)),
    Row("code-base-reserved", "warning", (J,), (CODE_UNDEFINED,)),
    Row("code-2607-app-range", "warning", (R2607,), (CODE_UNDEFINED,)),
    Row("embedded-newline", "error", MCP, ("raw-newline",), (), STDIO),
    Row("crlf", "info", MCP, ("trailing-cr",), (), STDIO),
)

LINE_RULES = ("embedded-newline", "crlf")

# What section 4 adds for a judged batch.
BATCH_ROWS = {
    "batch-item-invalid": BATCHED,
    "batch-nested": BATCHED,
    "batch-mixed": (R2503,),
    "batch-initialize": (R2503,),
}


# Every rule of sections 1 and 4.
RULES = (
    *BYTE_FAULTS,
    *LIMIT_FAULTS,
    "content-length-framing",
    "empty-frame",
    *dict.fromkeys(row.rule for row in ROWS),
    *BATCH_ROWS,
)


class Found(NamedTuple):
    severity: str
    revisions: frozenset[str]


def weigh(severity: str, holds_in: Sequence[str], judged: Sequence[str]) -> Found | None:
    """What becomes of a row that holds in some of the revisions judged together (section 2)."""
    common = [revision for revision in judged if revision in holds_in]
    if not common:
        return None
    if len(common) < len(judged):
        severity = min(severity, "warning", key=SEVERITIES.index)
    return Found(severity, frozenset(common))


def merge(one: Found | None, other: Found) -> Found:
    if one is None:
        return other
    severity = max(one.severity, other.severity, key=SEVERITIES.index)
    return Found(severity, one.revisions | other.revisions)


def rules_found(names: Collection[str], transport: str | None, judged: Sequence[str]) -> dict[str, Found]:
    found: dict[str, Found] = {}
    for row in ROWS:
        if row.holds(names, transport):
            weighed = weigh(row.severity, row.revisions, judged)
            if weighed is not None:
                found[row.rule] = merge(found.get(row.rule), weighed)
    return found
