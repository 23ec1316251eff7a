"""What no shape says of nested values: tools among each other, header names, tool calls and their results, schemas.

Each check gets one decoded object that the protocol data describes by name, and yields what is wrong with it, in the
order of the frame. framegauge.gauge.nested finds these objects; the native layer says whether there can be any.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from framegauge.checks.json_schema import ITEMS, NAMED, ONE, NotJudged, Schemas
from framegauge.protocol.features import IN_MCP, with_feature

__all__ = ["CHECKS", "OWN_RULES", "SCHEMA", "TYPE", "VALUE", "Check", "Complaint", "Path"]

Path = tuple[str | int, ...]  # below the object that is looked at
VALUE, TYPE = "value", "type"  # the rule of the place: param-value, result-member-type
NAMES, SCHEMA = "tools-names", "jsonschema-valid"
OWN_RULES = (NAMES, SCHEMA)
_HEADER = "x-mcp-header"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # of RFC 9110
_PRIMITIVE = frozenset({"string", "integer", "boolean"})


class Complaint(NamedTuple):
    """`rule`: VALUE, TYPE, or the id of a rule. `text`: in place of the rule's own message; None: that."""

    rule: str
    path: Path
    text: str | None = None


class _Owner(NamedTuple):
    """In place of a header: the schema that has it."""

    schema: Mapping[str, Any]


class Check(NamedTuple):
    """`run`: (object, the frame's Schemas) to complaints. `revisions`: those in which it holds."""

    run: Callable[[Mapping[str, Any], Schemas], Iterator[Complaint]]
    revisions: frozenset[str] = IN_MCP
    rules: tuple[str, ...] = (VALUE,)


# ---- the tools of a list


def _names(result: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    seen = set[str]()
    for at, tool in _objects(result, "tools"):
        name = tool.get("name")
        if not isinstance(name, str):
            continue
        if not _NAME.fullmatch(name):
            yield Complaint(NAMES, ("tools", at, "name"))
        elif name in seen:
            yield Complaint(NAMES, ("tools", at, "name"), "another tool of this list has the same name")
        seen.add(name)


def _headers(result: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    for at, tool in _objects(result, "tools"):
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
        yield Complaint(VALUE, path, f"{_HEADER} may stand only in a property that `properties` alone lead to")
    elif not _is_primitive(types):
        yield Complaint(VALUE, path, f"{_HEADER} may stand only where the type is string, integer or boolean")
    elif folded in seen:
        yield Complaint(VALUE, path, f"another {_HEADER} of this schema says the same, but perhaps for case")
    seen.add(folded)


def _is_primitive(types: Any) -> bool:
    """One such type; or several, null among them, which is sent without a header."""
    named = types if isinstance(types, list) else [types]
    said = [name for name in named if name != "null"]
    return bool(said) and all(isinstance(name, str) and name in _PRIMITIVE for name in said)


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


# ---- the messages of a sampling request


def _tool_messages(params: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    """Results of tools stand alone in their message, and answer every use in the message before."""
    messages = params.get("messages")
    for at, message in _objects(params, "messages"):
        path: Path = ("messages", at, "content")
        blocks = _blocks(message, path)
        if message.get("role") == "user" and any(block.get("type") == "tool_result" for block, _ in blocks):
            mixed = next((where for block, where in blocks if block.get("type") != "tool_result"), None)
            if mixed is not None:
                yield Complaint(VALUE, mixed, "a user message with a tool_result holds nothing but tool_result")
        elif message.get("role") == "assistant":
            uses = [(block, where) for block, where in blocks if block.get("type") == "tool_use"]
            answered = _answered(messages[at + 1] if uses and at + 1 < len(messages) else None)  # type: ignore[index, arg-type]
            for block, where in uses:
                if isinstance(block.get("id"), str) and block["id"] not in answered:
                    yield Complaint(VALUE, where, "the next message has no tool_result for this tool_use")


def _answered(message: Any) -> set[str]:
    """The ids of tool uses that a message answers."""
    if not isinstance(message, dict) or message.get("role") != "user":
        return set()
    results = [block.get("toolUseId") for block, _ in _blocks(message, ()) if block.get("type") == "tool_result"]
    return {each for each in results if isinstance(each, str)}


def _blocks(message: Mapping[str, Any], path: Path) -> list[tuple[Mapping[str, Any], Path]]:
    """Content is one block, or a list of them."""
    content = message.get("content")
    if isinstance(content, dict):
        return [(content, path)]
    return [(block, (*path, at)) for at, block in _objects(message, "content")]


def _objects(parent: Mapping[str, Any], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The items of that member which are objects, with their numbers."""
    value = parent.get(name)
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield at, item


# ---- schemas


def _schemas_of_tool(tool: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    for name in tool:
        if name in ("inputSchema", "outputSchema") and isinstance(tool[name], dict):
            yield from _schema(tool[name], (name,), schemas)


def _requested(schema: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    yield from _schema(schema, (), schemas)


def _schema(schema: Any, path: Path, schemas: Schemas) -> Iterator[Complaint]:
    try:
        fault = schemas.fault(schema)
    except NotJudged:
        return
    if fault is not None:
        yield Complaint(SCHEMA, (*path, *fault.path), fault.text)


# By the name of the shape in the protocol data.
CHECKS: Mapping[str, tuple[Check, ...]] = {
    "ListToolsResult": (Check(_names, rules=(NAMES,)), Check(_headers, with_feature("param_headers"), (VALUE, TYPE))),
    "Tool": (Check(_schemas_of_tool, rules=(SCHEMA,)),),
    # A revision without such blocks refuses them, so that it is wrong in all.
    "CreateMessageRequestParams": (Check(_tool_messages),),
    "ElicitRequestFormParams.requestedSchema": (Check(_requested, rules=(SCHEMA,)),),
}
