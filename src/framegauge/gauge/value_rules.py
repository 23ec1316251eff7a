"""Which rule is found at a value, a key or a step of the walk: derived from `Rule.at`."""

from collections.abc import Mapping
from typing import NamedTuple

from framegauge.native.layout import PlaceRules
from framegauge.ruleset.places import Check, Keys, Misfit, Value, Walk
from framegauge.ruleset.registry import RULES, number

__all__ = [
    "AREA_RULES",
    "BELOW",
    "CHECKED",
    "LOOKED_FOR",
    "META",
    "META_RULES",
    "OWN_METHODS",
    "PLAIN",
    "RESULT_TYPE_UNKNOWN",
    "STEP_RULES",
    "UNSUPPORTED",
    "Names",
    "Spot",
]

META, _RESULT_TYPE = "_meta", "resultType"
_MISFITS: tuple[Misfit, ...] = ("missing", "type", "value")
_Key = tuple[str, str | None, str]  # Place, of one method or of all: ""


def _by_place() -> Mapping[_Key, Mapping[Misfit, str]]:
    found: dict[_Key, dict[Misfit, str]] = {}
    for rule in RULES:
        for value in rule.at:
            if isinstance(value, Value):
                for place in value.places:
                    for method in place.methods or ("",):
                        rules = found.setdefault((place.within, place.member, method), {})
                        rules.update(dict.fromkeys(value.misfits, rule.id))
    return found


_PLACES = _by_place()

# Numbers of rules: of the steps of the native walk, by field of a ProtocolRow.
STEP_RULES: Mapping[str, int] = {
    each.step: n for n, rule in enumerate(RULES) for each in rule.at if isinstance(each, Walk | Keys)
}
# Of any value in params, results and the error object.
AREA_RULES = tuple(
    PlaceRules(**{misfit: number(rule) for misfit, rule in _PLACES[area, None, ""].items()})
    for area in ("params", "result", "error")
)
# Ids of rules.
UNSUPPORTED = RULES[STEP_RULES["unlisted"]].id
RESULT_TYPE_UNKNOWN = _PLACES["result", _RESULT_TYPE, ""]["value"]
META_RULES = frozenset(_PLACES["params", META, ""].values()) | frozenset(_PLACES["meta", None, ""].values())
CHECKED = frozenset(rule.id for rule in RULES if any(isinstance(each, Check) for each in rule.at))
# Rules with facts of their own, in the envelope, and the code owed for them below it.
BELOW = {
    rule.id: each.answer for rule in RULES for each in rule.at if isinstance(each, Walk) and each.answer is not None
}
# The shapes of the objects without which the code of `framegauge.checks` has nothing to find.
LOOKED_FOR = frozenset(
    shape for rule in RULES for each in rule.at if isinstance(each, Check) for shape in each.looked_for
)
OWN_METHODS = frozenset(method for _, _, method in _PLACES if method)


class Names(NamedTuple):
    """The rules of a value that has some of its own; None: those of the area."""

    missing: str | None = None
    type: str | None = None
    value: str | None = None


PLAIN = Names()


class Spot(NamedTuple):
    """Where a shape is, as far as rules differ by it."""

    of: str = ""  # params, meta or result at the top of these; "" anywhere else
    method: str = ""  # of params, where that has rules of its own

    def names(self, member: str) -> Names:
        """The rules of a member, those of the narrower place last."""
        of_all: list[_Key] = [("meta", None, "")] if self.of == "meta" else []
        keys: list[_Key] = [("any", member, ""), *of_all, (self.of, member, ""), (self.of, member, self.method)]
        found: dict[Misfit, str] = {}
        for key in keys:
            found |= _PLACES.get(key, {})
        return Names(*map(found.get, _MISFITS)) if found else PLAIN

    def within(self, member: str) -> "Spot":
        return Spot("meta") if self.of == "params" and member == META else Spot()
