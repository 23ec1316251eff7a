"""What gauges are compiled to, as text for gauges.hpp: for programs without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

from framegauge.facts import Limits
from framegauge.gauge import fact_program as gauge
from framegauge.gauge import value_program as shapes
from framegauge.gauge.context import Context
from framegauge.native.layout import KINDS
from framegauge.native.tokenizer import FAULT_NAMES
from framegauge.ruleset.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable


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
    yield "table"
    yield from (_line("row", row) for row in rows)
    yield from (_line("code", row) for row in codes)
    for fault, rule in faults.items():
        yield f"fault {FAULT_NAMES.index(fault)} {rule}"
    if more["shapes"] is not None:
        yield from _protocol(name, bounds)
        yield f"senders {more['senders']}"
        yield _words("selected", more["selected"])
        yield _words("infos", more["infos"])
        yield from (f"listed {name}" for name in more["listed"])


def _words(what: str, rules: Iterable[int]) -> str:
    """Two words of 64 bits, a bit for each rule."""
    bits = sum(1 << number for number in rules)
    return f"{what} {bits & (1 << 64) - 1} {bits >> 64}"


def _protocol(name: str, bounds: tuple[int, int] | None) -> Iterable[str]:
    with mock.patch.object(shapes, "Shapes", side_effect=lambda *args, **rows: (args, rows)):
        made: Any = shapes.shapes_of.__wrapped__(name)
    (protocol, places, texts), rows = made
    specs = rows["specs"]
    if bounds:
        low, high = bounds
        specs = [spec._replace(low=low, high=high) if spec.bounded else spec for spec in specs]
    yield _line("protocol", protocol)
    yield from (f"text {text.hex()}" for text in texts)
    arrays = {"place": places, "spec": specs, "shape": rows["shapes"], "member": rows["members"]}
    arrays |= {"case": rows["cases"], "method": rows["methods"], "error": rows["errors"]}
    for kind, array in arrays.items():
        yield from (_line(kind, row) for row in array)


def _line(kind: str, row: Any) -> str:
    """A row by the names of its fields."""
    assert type(row) is KINDS[kind]
    return " ".join([kind, *(f"{name}={int(value)}" for name, value in row._asdict().items())])  # True is 1
