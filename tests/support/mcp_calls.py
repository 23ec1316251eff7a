"""MCP calls and answers of every method of every revision, made from the protocol data: right ones and damaged ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from framegauge.protocol import EXTENSIONS, MCP, revision
from tests.support.format_values import ODD, RIGHT, right_numbers, right_texts
from tests.support.format_values import WRONG as UNFIT
from tests.support.tidy_values import tidied

if TYPE_CHECKING:
    from random import Random

    from framegauge.protocol import Method, Revision, Shape, Spec

STRINGS = ("", "a", "text", "user", "form", "complete", "error", "2031-01-01", "é", "file:///berth/7")
NUMBERS = {
    "integer": ("0", "-7", "1.0", "12e1"),
    "integral": ("1", "30", "2.5e1"),
    "number": ("0.5", "-1e-3", "1e400", "3"),
}
WRONG = (
    "null",
    "true",
    "0",
    "1.5",
    "-2.5e0",
    '"x"',
    '"te\\u0078t"',
    "[]",
    "{}",
    '[{"type":1}]',
    '{"type":"text"}',
    '{"a":{}}',
)
KEYS = (
    "x",
    "type",
    "name",
    "_meta",
    "mode",
    "resultType",
    "progressToken",
    "arguments",
    "Name",
    "argument\u017f",
    "uri\0",
)


VERSION = "io.modelcontextprotocol/protocolVersion"
# Of maps whose keys have a spelling: good ones and others.
MAP_KEYS = (
    *("com.example/x", "x", "", "a.b-c/", "_x", "a b", "/x", "a/b/c", "a..b/c", "\u00e9", "1a/x"),
    *("io.modelcontextprotocol/x", "com.mcp.tools/x", "mcp.dev/x", "a.mcp.b/x", "io.modelcontextprotocol/related-task"),
    *("traceparent", "tracestate", "baggage") * 2,
)
MAP_VALUES = (
    *("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4BF9-01-00", "a=1, b=2", "a=1;p,b", "a", "", 7),
    *("ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "01-" + "0" * 31 + "1-" + "0" * 16 + "-00-x", "=", {}),
)
# Texts that some members may say, and others not.
NEARLY = [text for texts in (*RIGHT.values(), *ODD.values(), *UNFIT.values()) for text in texts]
NEARLY += [text for text in MAP_VALUES if isinstance(text, str)]


class Call(NamedTuple):
    """A frame, the revision it was made for, and, of a success, the method that it answers."""

    frame: bytes
    revision: str
    request_method: str | None


class Raw(str):
    """JSON as it shall be written."""


def texts() -> list[Revision]:
    return [revision(name) for name in (*MCP, *EXTENSIONS)]


def some_call(rng: Random, damages: int = 0) -> Call:
    """A request, notification, success or error of some method; every `damages` more is one thing wrong with it."""
    text = rng.choice(texts())
    method = rng.choice([method for method in text.methods.values() if method.kind != "input-request"])
    chance, asked = rng.random(), None
    members: dict[str, Any] = {"jsonrpc": "2.0"}
    if chance < 0.1 and text.error_data:
        code, spec = rng.choice(list(text.error_data.items()))
        members |= {"id": 1, "error": {"code": code, "message": "m", "data": some_value(rng, text, spec)}}
    elif chance < 0.45 and method.kind != "notification":
        asked = method.name
        members |= {"id": 1, "result": some_value(rng, text, method.result) if method.result else {}}
    else:
        members |= some_request(rng, text, method)
    if not damages:
        tidied(members)
    for _ in range(damages):
        damage(rng, members)
    return Call(written(rng, members, doubled=damages > 0).encode(), text.name.partition("+")[0], asked)


def some_request(rng: Random, text: Revision, method: Method) -> dict[str, Any]:
    members: dict[str, Any] = {} if method.kind == "notification" else {"id": rng.choice((1, "a", 0))}
    members["method"] = method.name
    if method.params is not None and (method.params.required or rng.random() < 0.7):
        members["params"] = some_value(rng, text, method.params)
    return members


def some_value(rng: Random, text: Revision, spec: Spec) -> Any:
    kind = rng.choice(sorted(spec.types))
    narrow = spec.narrow
    if narrow and narrow.of == "string" == kind:
        return rng.choice(right_texts(narrow))
    if narrow and narrow.of == "number" and kind in NUMBERS:
        return Raw(json.dumps(rng.choice(right_numbers(narrow))))
    if kind == "object":
        shape = some_shape(rng, text, text.shapes[spec.shape]) if spec.shape else {}
        each = {key: some_value(rng, text, spec.each) for key in "ab"[: rng.randrange(3)]} if spec.each else {}
        return each | shape
    if kind == "array":
        return [some_value(rng, text, spec.items) for _ in range(rng.randrange(3))] if spec.items else []
    if kind == "string":
        return rng.choice(spec.values or STRINGS)
    if kind in NUMBERS:
        return Raw(rng.choice(NUMBERS[kind]))
    return rng.choice((True, False)) if kind == "boolean" else None


def some_shape(rng: Random, text: Revision, shape: Shape) -> dict[str, Any]:
    if shape.either:
        return some_shape(rng, text, text.shapes[rng.choice(shape.either)])
    if shape.tag is not None:
        value = rng.choice([*shape.cases, *([None] if shape.default else [])])
        case = shape.cases[value] if value is not None else shape.default
        assert case is not None
        made = some_shape(rng, text, text.shapes[case])
        return made | ({shape.tag: value} if value is not None else {})
    wanted = {rng.choice(shape.one_of)} if shape.one_of else set()
    made = {
        name: some_value(rng, text, spec)
        for name, spec in shape.members.items()
        if spec.required or name in wanted or rng.random() < 0.25
    }
    if VERSION in made:
        made[VERSION] = text.name.partition("+")[0]
    key = rng.choice(MAP_KEYS)
    if shape.keys is not None and key not in shape.members and rng.random() < 0.4:
        made[key] = some_value(rng, text, shape.each) if shape.each else rng.choice(MAP_VALUES)
    return made


def damage(rng: Random, members: dict[str, Any]) -> None:
    """One thing in params, result, error, or in what they hold, becomes another, goes, or comes to be; or the call."""
    method = members.get("method")
    if isinstance(method, str) and rng.random() < 0.1:
        bent = (method.upper(), method + "s", method.replace("/", "."), method[3:], "harbour/ask")
        members["method"] = rng.choice(bent)
        return
    if isinstance(method, str) and rng.random() < 0.1:
        if members.pop("id", None) is None:
            members["id"] = 1
        return
    places: list[Any] = [value for value in members.values() if isinstance(value, dict)]
    meta = next((place["_meta"] for place in places if isinstance(place.get("_meta"), dict)), {})
    if VERSION in meta and rng.random() < 0.1:
        meta[VERSION] = rng.choice(("2031-01-01", "2025-11-25", ""))
        return
    for place in places:
        inner = place.values() if isinstance(place, dict) else place
        places += [value for value in inner if isinstance(value, dict | list)]
    place = rng.choice(places or [members])
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    choice = rng.random()
    numbers = [
        (inner, key) for inner in places if isinstance(inner, dict) for key in inner if isinstance(inner[key], Raw)
    ]
    texts = [(inner, key) for inner in places if isinstance(inner, dict) for key in inner if type(inner[key]) is str]
    if choice < 0.1 and numbers:
        inner, key = rng.choice(numbers)
        inner[key] = Raw(rng.choice(("1.5", "-0.5", "1e400", "-1", "1.0000001")))
    elif choice < 0.2 and texts:
        inner, key = rng.choice(texts)
        inner[key] = rng.choice(NEARLY)
    elif choice < 0.25 or not keys:
        if isinstance(place, dict):
            place[rng.choice((*KEYS, *MAP_KEYS))] = Raw(rng.choice(WRONG))
        else:
            place.append(Raw(rng.choice(WRONG)))
    elif choice < 0.5:
        del place[rng.choice(keys)]
    elif choice < 0.6 and isinstance(place, dict):
        key = rng.choice(keys)
        place[rng.choice((key.upper(), key.title(), key + "\u200b", key[:-1], key + "s"))] = place.pop(key)
    else:
        place[rng.choice(keys)] = Raw(rng.choice(WRONG)) if rng.random() < 0.8 else rng.choice(STRINGS)


def written(rng: Random, value: Any, doubled: bool) -> str:
    """JSON with blanks here and there, an escape in a key or text now and then, and perhaps a key that stands again."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
        escaped = value[:1].isalpha() and value.isascii() and rng.random() < 0.03
        return f'"\\u{ord(value[0]):04x}{text[2:]}' if escaped else text
    blank = rng.choice(("", "", "", "", " ", "\t "))
    if isinstance(value, list):
        return "[" + ("," + blank).join(written(rng, item, doubled) for item in value) + blank + "]"
    if not isinstance(value, dict):
        return json.dumps(value)
    parts = [f"{written(rng, key, doubled)}:{blank}{written(rng, item, doubled)}" for key, item in value.items()]
    if doubled and parts and rng.random() < 0.03:
        again = written(rng, rng.choice(list(value)), doubled)
        parts.insert(rng.randrange(len(parts) + 1), f"{again}:{rng.choice(WRONG)}")
    return "{" + blank + ("," + blank).join(parts) + "}"
