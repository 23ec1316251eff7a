"""What gauges are compiled to, as text for gauges.hpp: for programs without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

from framegauge.facts import Limits
from framegauge.gauge import fact_program as gauge
from framegauge.gauge import value_program as shapes
from framegauge.gauge.context import Context
from framegauge.native.tokenizer import FACT_NAMES, FAULT_NAMES
from framegauge.ruleset.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

_SEVERITIES = ("error", "warning", "info")


def _mask(names: Iterable[str]) -> int:
    return sum(1 << FACT_NAMES.index(name) for name in set(names))


def compiled(
    name: str,
    direction: str | None,
    transport: str | None,
    listed: tuple[str, ...],
    every: int = 1,
    bounds: tuple[int, int] | None = None,
) -> Iterable[str]:
    """The arguments that a native Table and its Shapes are made of, as text.

    `every`: 1 where all rules are selected, 3 where one of three is. `bounds`: of all numbers that have some, which are
    0 and 1 in the protocol: numbers of several digits are compared as well.
    """
    selected = frozenset(rule.id for rule in RULES[::every])
    with (
        mock.patch.object(gauge, "Table", side_effect=lambda *args, **more: (args, more)),
        mock.patch.object(gauge, "shapes_of", side_effect=lambda name: name),
    ):
        made: Any = gauge.table_for.__wrapped__(Context(name, direction, transport, Limits(), "spec", selected, listed))
    (_, rows, codes, faults, *_), more = made
    suspicious = 0
    for row in rows:
        suspicious |= _mask(row[1][:1])
    yield f"table {suspicious}"
    for rule, facts, without, severity, answer, _ in rows:
        place = FACT_NAMES.index(facts[0])
        yield _line("row", [_mask(facts), _mask(without), answer or 0, rule, _SEVERITIES.index(severity), place])
    for rule, low, high, severity, _ in codes:
        yield f"code {low} {high} {rule} {_SEVERITIES.index(severity)}"
    for fault, rule in faults.items():
        yield f"fault {FAULT_NAMES.index(fault)} {rule}"
    if more["shapes"] is not None:
        yield from _protocol(name, more["senders"], [*_words(more["selected"]), *_words(more["infos"])], bounds)
        yield from (f"listed {name}" for name in more["listed"])


def _words(rules: Iterable[int]) -> list[int]:
    """Two words of 64 bits, a bit for each rule."""
    bits = sum(1 << number for number in rules)
    return [bits & (1 << 64) - 1, bits >> 64]


def _protocol(name: str, senders: int, rule_sets: list[int], bounds: tuple[int, int] | None) -> Iterable[str]:
    with mock.patch.object(shapes, "Shapes", side_effect=lambda *args: args):
        made: Any = shapes.shapes_of.__wrapped__(name)
    texts, specs, rows, members, cases, methods, errors, of_any, *numbers = made
    if bounds:
        specs = [(*spec[:7], *bounds, *spec[9:]) if spec[11] else spec for spec in specs]  # see shapes.pyx
    *numbers, rules, own_rules, from_whom, _, _, meta = numbers
    words = [senders, *rule_sets, *of_any, *numbers, *from_whom, *own_rules]
    yield _line("protocol", [*words, *(rule for place in rules for rule in place), *meta])
    yield from (f"text {text.hex()}" for text in texts)
    for what, array in zip(
        ("spec", "shape", "member", "case", "method", "error"),
        (specs, rows, members, cases, methods, errors),
        strict=True,
    ):
        yield from (_line(what, row) for row in array)


def _line(what: str, numbers: Iterable[int]) -> str:
    return " ".join([what, *(str(int(number)) for number in numbers)])  # True is 1
