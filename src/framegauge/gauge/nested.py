"""Nested values that no shape describes: finds the objects for framegauge.checks in a frame.

The native layer reports frames that may have such an object; only these come here. docs/verdict.md section 6.10.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from framegauge.checks.json_schema import Schemas
from framegauge.checks.model import VALUE, Check, Complaint, Path
from framegauge.checks.registry import CHECKS, OWN_RULES, SCHEMA
from framegauge.gauge.context import Context
from framegauge.gauge.value_program import data_of
from framegauge.native.finding import Finding
from framegauge.native.tokenizer import METHOD_NAMES
from framegauge.native.verdict import Verdict
from framegauge.protocol import Shape, Spec
from framegauge.protocol.merge import OTHERWISE, Merged
from framegauge.ruleset.model import Severity
from framegauge.ruleset.registry import by_id, number

_AREAS = {"params": "param", "result": "result-member"}  # member of the envelope: how its rules begin
_BLANK = re.compile(r"[ \t\r\n]*")
_MOST_LEVELS = 256  # json.loads is recursive; a gauge's limit may be higher
_MOST_DIGITS = 500  # Python may be set to refuse more than 640


# How severe a rule is here, and in which revisions.
Weight = tuple[Severity, frozenset[str]]


class Nested(NamedTuple):
    findings: tuple[Finding, ...]
    not_judged: frozenset[str]

    @property
    def errors(self) -> list[int]:
        """The numbers of rules."""
        return [number(finding.rule) for finding in self.findings if finding.severity == "error"]


def look_into(verdict: Verdict, context: Context) -> Nested:
    """What the checks find in a frame, each rule once at its first place; and what cannot be judged here."""
    area = "params" if verdict.frame.method is not None else "result"
    frame, member = verdict._whole, verdict.frame.member(area)
    assert frame is not None
    assert member is not None
    nothing = Nested((), frozenset(_id(rule, area) for rule in (*OWN_RULES, VALUE)) & context.selected)
    if verdict.frame.depth > _MOST_LEVELS:
        return nothing
    raw, schemas = frame[member.start : member.stop], Schemas()
    try:
        complaints = _complaints(verdict, context, area, _decoded(raw), schemas)
        found = list(_findings(complaints, area, frame, member.start, raw))
    except (RecursionError, ValueError):  # deep in the stack of the host, or the buffer changed during the call
        return nothing
    judged_here = context.severity(SCHEMA) is not None
    return Nested(tuple(found), frozenset({SCHEMA}) if schemas.unjudged and judged_here else frozenset())


def _id(rule: str, area: str) -> str:
    return rule if rule in OWN_RULES else f"{_AREAS[area]}-{rule}"


# ---- the objects that are described


def _complaints(
    verdict: Verdict, context: Context, area: str, value: Any, schemas: Schemas
) -> Iterator[tuple[Complaint, Weight]]:
    merged = data_of(context.revision)
    method = merged.methods.get(verdict.frame.method or METHOD_NAMES[verdict._asked] or "")
    if method is None:
        return
    spec = method.params if area == "params" else method.result
    checks: dict[str, list[_Weighed]] = {}  # by shape
    for shape, found, path in _objects(merged, leading(context.revision), spec, value, ()):
        if shape.name not in checks:
            checks[shape.name] = _weighed(shape, context, area)
        for check, weights in checks[shape.name]:
            for complaint in check.run(found, schemas):
                weight = weights[complaint.rule]
                if weight is not None:
                    yield complaint._replace(path=path + complaint.path), weight


_Weighed = tuple[Check, Mapping[str, Weight | None]]


def _weighed(shape: Shape, context: Context, area: str) -> list[_Weighed]:
    """The checks of a shape that may find something here, with the weight of each of their rules."""
    found = [(check, {rule: _weight(rule, check, context, area) for rule in check.rules}) for check in _checks(shape)]
    return [(check, weights) for check, weights in found if any(weights.values())]


def _checks(shape: Shape) -> list[Check]:
    return [check for name in shape.names for check in CHECKS.get(name, ())]


def _objects(
    merged: Merged, leads: frozenset[str], spec: Spec | None, value: Any, path: Path
) -> Iterator[tuple[Shape, Mapping[str, Any], Path]]:
    """The objects with a shape, in the order of the frame, as far as there are checks for them or within them."""
    if spec is None:
        return
    if isinstance(value, list) and spec.items is not None and _leads(merged, leads, spec.items):
        for at, item in enumerate(value):
            yield from _objects(merged, leads, spec.items, item, (*path, at))
    elif isinstance(value, dict) and "object" in spec.types:
        shape = None if spec.shape is None else _selected(merged, spec.shape, value)
        if spec.shape is not None and (shape is None or shape.name not in leads):
            return
        if shape is not None:
            yield shape, value, path
        members = {} if shape is None else shape.members
        for key, each in value.items():
            within = members.get(key, spec.each)
            if within is not None and _leads(merged, leads, within):
                yield from _objects(merged, leads, within, each, (*path, key))


def _selected(merged: Merged, name: str, value: Mapping[str, Any]) -> Shape | None:
    """The shape that the tag of an object selects; None without one."""
    shape = merged.shapes[name]
    if shape.tag is None:
        return shape
    tag = value.get(shape.tag, OTHERWISE)
    case = shape.default if shape.tag not in value else None
    if shape.tag in value:
        case = shape.cases.get(tag if isinstance(tag, str) else OTHERWISE) or shape.cases.get(OTHERWISE)
    return None if case is None else merged.shapes[case]


@cache
def leading(name: str) -> frozenset[str]:
    """The shapes of a revision that have checks, or objects within them that have."""
    merged = data_of(name)
    found = frozenset(each for each, shape in merged.shapes.items() if _checks(shape))
    while True:
        more = frozenset(each for each, shape in merged.shapes.items() if _leads_on(merged, found, shape))
        if more <= found:
            return found
        found |= more


def _leads_on(merged: Merged, leads: frozenset[str], shape: Shape) -> bool:
    others = (*shape.cases.values(), *([shape.default] if shape.default else []))
    return any(name in leads for name in others) or any(_leads(merged, leads, spec) for spec in shape.members.values())


def _leads(merged: Merged, leads: frozenset[str], spec: Spec) -> bool:
    within = [one for one in (spec.items, spec.each) if one is not None]
    return spec.shape in leads or any(_leads(merged, leads, one) for one in within)


# ---- from complaints to findings


def _findings(
    complaints: Iterable[tuple[Complaint, Weight]], area: str, frame: bytes, start: int, raw: bytes
) -> Iterator[Finding]:
    counts, firsts = Counter[str](), dict[str, tuple[Complaint, Weight]]()
    for complaint, weight in complaints:
        counts[complaint.rule] += 1
        firsts.setdefault(complaint.rule, (complaint, weight))
    for rule, (complaint, (severity, revisions)) in firsts.items():
        first, end = span(raw, complaint.path)
        place = start + first, start + end, counts[rule]
        yield Finding(by_id(_id(rule, area)), severity, *place, revisions, frame, None, (), complaint.text)


def _weight(rule: str, check: Check, context: Context, area: str) -> Weight | None:
    """None where the rule does not exist here."""
    if rule in OWN_RULES:
        return context.severity(rule)
    name = _id(rule, area)
    if name not in context.selected or not check.revisions >= context.revisions:
        return None
    return "error", context.revisions.intersection(by_id(name).severities())


def span(raw: bytes, path: Path) -> tuple[int, int]:
    """The span of the value at that path in a JSON text; the first of a duplicate member."""
    text = raw.decode("latin-1")  # one character for each byte
    at = _skip(text, 0)
    for step in path:
        at = _item(text, at, step) if isinstance(step, int) else _member(text, at, step)
    return at, _READER.raw_decode(text, at)[1]


def _item(text: str, at: int, index: int) -> int:
    at = _skip(text, at + 1)
    for _ in range(index):
        at = _skip(text, _READER.raw_decode(text, at)[1])
        at = _skip(text, at + 1)  # the comma
    return at


def _member(text: str, at: int, name: str) -> int:
    while True:
        start = _skip(text, at + 1)  # the brace or the comma
        end = _READER.raw_decode(text, start)[1]
        at = _skip(text, _skip(text, end) + 1)  # the colon
        if _decoded(text[start:end].encode("latin-1")) == name:
            return at
        at = _skip(text, _READER.raw_decode(text, at)[1])


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    assert match is not None
    return match.end()


# ---- JSON of which is known that it is good


def _first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found.setdefault(key, value)
    return found


def _integer(digits: str) -> int:
    """Of a long one all that anybody asks: its sign, that it is large, and whether another is the same."""
    whole = int(digits[:_MOST_DIGITS])
    return whole if len(digits) <= _MOST_DIGITS else (whole << 64) + hash(digits) % 2**64


_READER = json.JSONDecoder(parse_int=str, parse_float=str)  # how long values are, nothing more
_DECODER = json.JSONDecoder(object_pairs_hook=_first_wins, parse_int=_integer)


def _decoded(raw: bytes) -> Any:
    return _DECODER.decode(raw.decode())
