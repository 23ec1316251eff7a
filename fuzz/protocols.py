"""What every revision says of methods and values, as the gauge compiles it, in C++: for harnesses that know no Python.

And, as they stand between the quotes of a JSON string, texts and keys that are right at one place and wrong at another.
Rows stand in the order of the fields in core.h, as framegauge.native.shapes takes them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from unittest import mock

from tests.calls import MAP_KEYS, NEARLY

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
_EARLY = 8  # of the rules of their own: so many stand before the senders


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
    yield "static const char* const kTexts[] = {"
    yield from (f"{_quoted(json.dumps(text)[1:-1].encode())}," for text in (*NEARLY, *MAP_KEYS))
    yield "};"


def _protocol(n: int, name: str) -> Iterator[str]:
    with mock.patch.object(shapes, "Shapes", side_effect=lambda *args: args):
        told: Any = shapes.shapes_of.__wrapped__(name)
    texts, specs, rows, members, cases, methods, errors, *numbers = told
    of_any, params_text, extra_texts, extra_count, rules, own_rules, from_whom, _, _, meta = numbers
    (rule_rows, codes, faults), more = _table(name)
    arrays = {"spec": specs, "shape": rows, "shape_member": members, "shape_case": cases}
    arrays |= {"method_row": methods, "error_data": errors}
    yield from _array("text", n, map(_text, texts))
    yield from _array("text", n, map(_text, map(str.encode, more["listed"])), "listed")
    for kind, values in arrays.items():
        yield from _array(kind, n, values)
    pointers = (f"{kind}_{n}" for kind in ("spec", "shape", "shape_member", "shape_case", "text", "method_row"))
    fields = (*pointers, f"error_data_{n}", len(errors), *of_any, params_text, extra_texts, extra_count, rules)
    fields = (*fields, *own_rules[:_EARLY], shapes.CLIENT | shapes.SERVER, *from_whom)
    fields = (*fields, _words(more["selected"]), _words(more["infos"]), f"listed_{n}", len(more["listed"]))
    fields = (*fields, *meta, *own_rules[_EARLY:])
    yield f"static const fg_protocol protocol_{n} = {_braced(fields)};"
    suspicious = _mask(facts[0] for _, facts, *_ in rule_rows)
    compiled = [
        (_mask(facts), _mask(without), answer or 0, rule, SEVERITIES.index(severity), FACT_NAMES.index(facts[0]))
        for rule, facts, without, severity, answer, _ in rule_rows
    ]
    by_code = [(low, high, rule, SEVERITIES.index(severity)) for rule, low, high, severity, _ in codes]
    by_fault = [faults.get(fault, NO_RULE) for fault in FAULT_NAMES] + [NO_RULE] * (64 - len(FAULT_NAMES))
    of_table = (compiled, by_code, len(compiled), len(by_code), suspicious, by_fault)
    yield f"static const fg_table table_{n} = {_braced(of_table)};"


def _table(name: str) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
    """Rows, codes and faults of the gauge of that revision, and what its table is given by name."""
    selected, versions = frozenset(rule.id for rule in RULES), MCP if name == AUTO else (name,)
    with mock.patch.object(gauge, "Table", side_effect=lambda *args, **more: (args, more)):
        made: Any = gauge.table.__wrapped__(name, None, None, Limits(), "spec", selected, False, versions)
    (_, rows, codes, faults, *_), more = made
    return (rows, codes, faults), more


def _mask(names: Iterable[str]) -> int:
    return sum(1 << FACT_NAMES.index(name) for name in set(names))


def _words(rules: Iterable[int]) -> tuple[int, int]:
    mask = sum(1 << number for number in rules)
    return mask & 2**64 - 1, mask >> 64


def _text(said: bytes) -> tuple[str, int, int]:
    return _quoted(said), len(said), int.from_bytes(said[:8], "little")


def _array(kind: str, n: int, rows: Iterable[Iterable[Any]], called: str = "") -> Iterator[str]:
    """With one row more, all zeros: none may be empty."""
    yield f"static const fg_{kind} {called or kind}_{n}[] = {{"
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
