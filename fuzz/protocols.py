"""What every revision says of methods and values, as the gauge compiles it, in C++: for harnesses that know no Python.

Rows stand in the order of the fields in core.h, as framegauge.native.shapes takes them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from unittest import mock

from framegauge import gauge, shapes
from framegauge.facts import Limits
from framegauge.gauge import AUTO
from framegauge.native.tokenizer import FACT_NAMES, FAULT_NAMES
from framegauge.protocol import MCP
from framegauge.rules.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NAMES = (*MCP, AUTO)
SEVERITIES = ("error", "warning", "info")
NO_RULE = 255


def write(path: Path) -> Path:
    """The header that shaped.hpp includes."""
    text = "".join(line + "\n" for line in _header())
    if not path.exists() or path.read_text("ascii") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "ascii")
    return path


def _header() -> Iterator[str]:
    yield "// Made by fuzz/protocols.py."
    for n, name in enumerate(NAMES):
        yield from _protocol(n, name)
    yield "static const Judge kJudges[] = {"
    yield from (f'{{"{name}", &table_{n}, &protocol_{n}}},' for n, name in enumerate(NAMES))
    yield "};"


def _protocol(n: int, name: str) -> Iterator[str]:
    with mock.patch.object(shapes, "Shapes", side_effect=lambda *args: args):
        told: Any = shapes.shapes_of.__wrapped__(name)
    texts, specs, rows, members, cases, methods, errors, *numbers = told
    any_result, params_text, extra_texts, extra_count, rules, own_rules, answers_from, *_ = numbers
    arrays = {"spec": specs, "shape": rows, "shape_member": members, "shape_case": cases}
    arrays |= {"method_row": methods, "error_data": errors}
    yield from _array("text", n, [(_quoted(text), len(text), int.from_bytes(text[:8], "little")) for text in texts])
    for kind, values in arrays.items():
        yield from _array(kind, n, values)
    (rows, codes, faults), selected = _table(name)
    pointers = (f"{kind}_{n}" for kind in ("spec", "shape", "shape_member", "shape_case", "text", "method_row"))
    fields = (*pointers, f"error_data_{n}", len(errors), any_result, params_text, extra_texts, extra_count, rules)
    fields = (*fields, *own_rules, shapes.CLIENT | shapes.SERVER, answers_from, (selected & 2**64 - 1, selected >> 64))
    yield f"static const fg_protocol protocol_{n} = {_braced(fields)};"
    suspicious = _mask(facts[0] for _, facts, *_ in rows)
    compiled = [
        (_mask(facts), _mask(without), answer or 0, rule, SEVERITIES.index(severity), FACT_NAMES.index(facts[0]))
        for rule, facts, without, severity, answer, _ in rows
    ]
    by_code = [(low, high, rule, SEVERITIES.index(severity)) for rule, low, high, severity, _ in codes]
    by_fault = [faults.get(fault, NO_RULE) for fault in FAULT_NAMES] + [NO_RULE] * (64 - len(FAULT_NAMES))
    of_table = (compiled, by_code, len(compiled), len(by_code), suspicious, by_fault)
    yield f"static const fg_table table_{n} = {_braced(of_table)};"


def _table(name: str) -> tuple[tuple[Any, Any, Any], int]:
    """Rows, codes and faults of the gauge of that revision, and the rules that shapes may find, as a mask."""
    selected = frozenset(rule.id for rule in RULES)
    with mock.patch.object(gauge, "Table", side_effect=lambda *args, **more: (args, more)):
        made: Any = gauge.table.__wrapped__(name, None, None, Limits(), "spec", selected, False)
    (_, rows, codes, faults, *_), more = made
    return (rows, codes, faults), sum(1 << number for number in more["selected"])


def _mask(names: Iterable[str]) -> int:
    return sum(1 << FACT_NAMES.index(name) for name in set(names))


def _array(kind: str, n: int, rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """With one row more, all zeros: none may be empty."""
    yield f"static const fg_{kind} {kind}_{n}[] = {{"
    yield from (f"{_braced(row)}," for row in rows)
    yield "{}};"


def _braced(fields: Iterable[Any]) -> str:
    return "{" + ",".join(_written(field) for field in fields) + "}"


def _written(field: Any) -> str:
    if isinstance(field, str):
        return field
    if isinstance(field, int):
        return f"{field}ull" if field > 2**63 - 1 else "INT32_MIN" if field == -(2**31) else str(int(field))
    return _braced(field)


def _quoted(text: bytes) -> str:
    return '"' + re.sub(r'[^ -~]|["\\?]', lambda found: f"\\{ord(found[0]):03o}", text.decode("latin-1")) + '"'
