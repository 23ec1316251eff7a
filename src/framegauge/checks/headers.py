"""Headers that the schema of a tool asks for by `x-mcp-header`."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from framegauge.checks.json_schema import ITEMS, NAMED, ONE, Schemas
from framegauge.checks.model import TYPE, VALUE, Check, Complaint, Path, objects_in
from framegauge.protocol.features import with_feature

_HEADER = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # of RFC 9110
_PRIMITIVE = frozenset({"string", "integer", "boolean"})


class _Owner(NamedTuple):
    """In place of a header: the schema that has it."""

    schema: Mapping[str, Any]


def _headers(result: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    for at, tool in objects_in(result, "tools"):
        seen = set[str]()
        for schema, path, is_param in _annotated(tool.get("inputSchema")):
            yield from _header(schema, ("tools", at, "inputSchema", *path), is_param, seen)


def _header(schema: Mapping[str, Any], path: Path, is_param: bool, seen: set[str]) -> Iterator[Complaint]:
    name, types = schema[_HEADER], schema.get("type")
    folded = name.lower() if isinstance(name, str) else ""
    if not isinstance(name, str):
        yield Complaint(TYPE, path, f"{_HEADER} must be a string")
    elif not _TOKEN.fullmatch(name):
        yield Complaint(VALUE, path, f"{_HEADER} must be the token that a header's name is made of")
    elif not is_param:
        yield Complaint(VALUE, path, f"{_HEADER} is allowed only in a property that `properties` alone lead to")
    elif not _is_primitive(types):
        yield Complaint(VALUE, path, f"{_HEADER} is allowed only with the type string, integer or boolean")
    elif folded in seen:
        yield Complaint(VALUE, path, f"another {_HEADER} of this schema is equal except for case")
    seen.add(folded)


def _is_primitive(types: Any) -> bool:
    """One such type; or several, null among them, which is sent without a header."""
    named = types if isinstance(types, list) else [types]
    others = [name for name in named if name != "null"]
    return bool(others) and all(isinstance(name, str) and name in _PRIMITIVE for name in others)


# A schema or header within another: the path, is it a property, and may one be within it.
_Within = tuple[Any, Path, bool, bool]


def _annotated(root: Any) -> Iterator[tuple[Mapping[str, Any], Path, bool]]:
    """Every schema within one that has a header, the path of that, and: do `properties` alone lead to the schema?"""
    open_: list[Iterator[_Within]] = [iter([(root, (), False, True)])]
    while open_:
        for schema, path, is_param, reachable in open_[-1]:
            if isinstance(schema, _Owner):
                yield schema.schema, path, is_param
            elif isinstance(schema, dict):
                open_.append(_within(schema, path, is_param, reachable))
                break
        else:
            open_.pop()


def _within(schema: Mapping[str, Any], path: Path, is_param: bool, reachable: bool) -> Iterator[_Within]:
    """One by one: a list of them all would be several times as large as the schema."""
    for key, value in schema.items():
        if key == _HEADER:
            yield _Owner(schema), (*path, key), is_param, False
        elif key in NAMED and isinstance(value, dict):
            plain = key == "properties" and reachable
            for name, each in value.items():
                yield each, (*path, key, name), plain, plain
        elif key in ITEMS and isinstance(value, list):
            for at, each in enumerate(value):
                yield each, (*path, key, at), False, False
        elif key in ONE:
            yield value, (*path, key), False, False


CHECKS = (Check("ListToolsResult", _headers, (VALUE, TYPE), with_feature("param_headers")),)
