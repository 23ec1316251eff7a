"""The vocabulary of one frame: kind, members, the host's limits, the revisions under which its envelope is legal."""

from framegauge.native.tokenizer import (
    FACT_NAMES,
    FAULT_NAMES,
    KIND_NAMES,
    METHOD_NAMES,
    Fault,
    Frame,
    Kind,
    Limits,
    Member,
    MemberType,
    classify,
    set_legal_revisions,
)

__all__ = [
    "FACT_NAMES",
    "FAULT_NAMES",
    "KIND_NAMES",
    "METHOD_NAMES",
    "REVISIONS",
    "Fault",
    "Frame",
    "Kind",
    "Limits",
    "Member",
    "MemberType",
    "classify",
    "legal_revisions",
]

JSONRPC = "jsonrpc-2.0"
MCP = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
REVISIONS = (JSONRPC, *MCP)

_ALL = frozenset(REVISIONS)
_MCP = frozenset(MCP)
_BATCHED = frozenset({JSONRPC, "2024-11-05", "2025-03-26"})

# A fact under which the envelope is illegal, and where: the error-severity rows of the Envelope rules. Kind
# `invalid` is legal nowhere and needs no row.
_ILLEGAL: tuple[tuple[str, frozenset[Kind] | None, frozenset[str]], ...] = (
    ("duplicate-key", None, _ALL),
    ("batch-empty", None, _BATCHED),
    ("key-case-variant", None, _ALL),
    ("key-lookalike", None, _ALL),
    ("lone-surrogate-id", None, _ALL),
    ("lone-surrogate-method", None, _ALL),
    ("lone-surrogate-key", None, _ALL),
    ("params-array", None, _MCP),
    ("id-null", frozenset({Kind.request}), _MCP),
    ("id-null", frozenset({Kind.success}), _ALL),
    ("id-not-integer", None, _MCP),
    ("id-absent", frozenset({Kind.error}), frozenset({JSONRPC})),
    ("result-null", None, _MCP),
    ("result-not-object", None, _MCP),
    ("error-null", None, _ALL),
    ("error-not-object", None, _ALL),
    ("error-code-missing", None, _ALL),
    ("error-code-type", None, _ALL),
    ("error-code-not-integer", None, _ALL),
    ("error-message-missing", None, _ALL),
    ("error-message-type", None, _ALL),
)
_ROWS = tuple((1 << FACT_NAMES.index(fact), kinds, where) for fact, kinds, where in _ILLEGAL)


def legal_revisions(kind: Kind, bits: int) -> frozenset[str]:
    """The revisions whose text allows an envelope of that kind with those fact bits.

    A batch is legal where batches are defined or not excluded; its elements are not looked at here.
    """
    if kind in (Kind.empty, Kind.parse_error, Kind.invalid):
        return frozenset()
    legal = _BATCHED if kind == Kind.batch else _ALL
    for bit, kinds, where in _ROWS:
        if bits & bit and (kinds is None or kind in kinds):
            legal = legal - where
    return legal


set_legal_revisions(legal_revisions)
