"""The revisions under which the envelope of a frame is legal, derived from the rules on the envelope."""

from framegauge.facts import FACT_NAMES, Kind
from framegauge.native.tokenizer import set_legal_revisions
from framegauge.protocol.features import ALL
from framegauge.ruleset.registry import RULES

__all__ = ["legal_revisions"]


def _mask(names: tuple[str, ...]) -> int:
    return sum(1 << FACT_NAMES.index(name) for name in names)


# Kinds that no revision allows; of these no row is read.
_ILLEGAL = frozenset({Kind.empty, Kind.parse_error, Kind.invalid})
_ERRORS = tuple(
    (_mask(row.facts), _mask(row.without), row.revisions)
    for rule in RULES
    if rule.area == "envelope"
    for row in rule.rows
    if row.facts and row.severity == "error" and row.transports is None
)


def legal_revisions(kind: Kind, bits: int) -> frozenset[str]:
    """The revisions whose text allows an envelope of that kind with those fact bits.

    A batch is legal where batches are defined or not excluded; the elements are not looked at here.
    """
    if kind in _ILLEGAL:
        return frozenset()
    legal = ALL
    for facts, without, revisions in _ERRORS:
        if bits & facts == facts and not bits & without:
            legal = legal - revisions
    return legal


set_legal_revisions(legal_revisions)
