"""Shapes and the one-line notation of the data files, read into a model. docs/protocol-data.md defines the notation.

A spec is a list of alternatives joined by `|`, and perhaps a final `!`: the member is required. Alternatives:

- a type, a literal string in quotation marks, the name of a shape;
- `[spec]`, an array of such items, or `{spec}`, an object of such values;
- `~` before one of these: it is deprecated.

Brackets after an alternative restrict it: `string(base64)`, `string(https: data:)`, `number(0..1)`, `[string](..100)`.
A final `?` in them makes a mismatch only a warning.

A shape is a spec under a name, or a table of members. Objects are open: other members are allowed. Keys of a table:

- `@clause`: the clause that the shape rests on.
- `@tag`, `@cases`, `@default`: the string in one member selects the shape.
- `@one`: at least one of these members is required. `@either`: the shape for each of these members.
- `@keys`: the spelling of other keys. `@each`: the spec of their values.
- `@text_copy`: two members; the second repeats the first as a block of text.
- `@unless_task`: the absence of this required member is only a warning if `_meta` names a task.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

__all__ = ["FORMATS", "NUMBERS", "TYPES", "Narrow", "Shape", "Spec", "parse_shapes", "parse_spec"]

# integral: an integer in the prose and a number in the authoritative types; a fraction is a warning.
TYPES = ("null", "boolean", "integer", "integral", "number", "string", "object", "array")
_ANY = frozenset(TYPES) - {"integer", "integral"}
_OBJECT = frozenset({"object"})
NUMBERS = frozenset({"integer", "integral", "number"})
FORMATS = ("base64", "iso8601", "mime", "uri", "url")  # of a string

# Compiled when the first spec is parsed, not on import: that takes milliseconds.
_TOKEN = r'\s*("[^"]*"|[A-Za-z_$][\w.$-]*|\([^)]*\)|[]\[{}|!~]|$)'  # or the end
_RANGE = r"(-?\d+)?\.\.(-?\d+)?"
_END = ""
_KEYS = {"@clause", "@tag", "@cases", "@default", "@one", "@either", "@keys", "@each", "@text_copy", "@unless_task"}
KEYS = ("meta", "extension")  # what @keys may be


@cache
def _token() -> re.Pattern[str]:
    return re.compile(_TOKEN)


class Narrow(NamedTuple):
    """A restriction of the values of one type."""

    of: str  # that type: string, number or array
    format: str | None = None  # of a string: one of FORMATS
    begins: tuple[str, ...] = ()  # or the beginnings, in any ASCII case, of which it has one
    low: int | None = None  # of a number; both are allowed themselves
    high: int | None = None  # or the most items of an array
    mild: bool = False  # a mismatch is only a warning


class Spec(NamedTuple):
    """What one value may be."""

    types: frozenset[str]
    required: bool = False
    values: tuple[str, ...] = ()  # the strings that are allowed; empty: any
    shape: str | None = None  # what is known of an object, by name
    items: "Spec | None" = None  # every item of an array
    each: "Spec | None" = None  # every value of an object
    narrow: Narrow | None = None
    deprecated: bool = False  # every value of the spec
    deprecated_values: tuple[str, ...] = ()  # of the strings that are allowed


_PLAIN = {
    kind + mark: Spec(_ANY if kind == "any" else frozenset({kind}), required=bool(mark))
    for kind in ("any", *TYPES)
    for mark in ("", "!")
}


class Shape(NamedTuple):
    """An object: its members, or the member whose string selects another shape."""

    name: str
    members: Mapping[str, Spec]
    clause: str | None
    tag: str | None
    cases: Mapping[str, str]
    default: str | None
    one_of: tuple[str, ...]
    either: tuple[str, ...] = ()  # its shape where that member of one_of is there; the first one counts
    keys: str | None = None  # the spelling of keys that are not described: one of KEYS
    each: Spec | None = None  # the spec of their values
    text_copy: tuple[str, ...] = ()  # two members: if the first is present, the second has a block of text
    unless_task: str | None = None  # its absence is only a warning if _meta names a task
    merged: tuple[str, ...] = ()  # the shapes of several revisions that it is made of

    @property
    def names(self) -> tuple[str, ...]:
        """Its names in the revisions."""
        return self.merged or (self.name,)


def parse_spec(text: str, shapes: Mapping[str, Any]) -> Spec:
    """The spec of a line; `shapes`: by name a line or a table, as in the file."""
    if plain := _PLAIN.get(text):
        return plain
    name = str(text).removesuffix("!")  # of any value; the parser refuses other types than strings
    if isinstance(shapes.get(name), Mapping):  # most of the others are but a name
        return Spec(_OBJECT, required=name != text, shape=name)
    return _Parser(text, shapes, ()).whole()


def parse_shapes(raw: Mapping[str, Any]) -> Mapping[str, Shape]:
    """The shapes that are tables. A spec that names a one-line shape has its content."""
    known: dict[str, Spec] = {}  # most lines are equal to another line
    return MappingProxyType(
        {name: _shape(name, raw, known) for name, table in raw.items() if isinstance(table, Mapping)}
    )


def _shape(name: str, raw: Mapping[str, Any], known: dict[str, Spec]) -> Shape:
    table, members = raw[name], {}
    for member, text in table.items():
        if member.startswith("@"):
            continue
        try:
            if text not in known:
                known[text] = parse_spec(text, raw)
        except (TypeError, ValueError) as error:
            raise ValueError(f"shape {name}, member {member}: {error}") from None
        members[member] = known[text]
    if len(members) != len(table):
        _check_keys(name, table, raw)
    return Shape(
        name=name,
        members=MappingProxyType(members),
        clause=table.get("@clause"),
        tag=table.get("@tag"),
        cases=MappingProxyType(table.get("@cases", {})),
        default=table.get("@default"),
        one_of=tuple(table.get("@one", ())),
        either=tuple(table.get("@either", ())),
        keys=table.get("@keys"),
        each=parse_spec(table["@each"], raw) if "@each" in table else None,
        text_copy=tuple(table.get("@text_copy", ())),
        unless_task=table.get("@unless_task"),
    )


def _check_keys(name: str, table: Mapping[str, Any], raw: Mapping[str, Any]) -> None:
    if unknown := {key for key in table if key.startswith("@")} - _KEYS:
        raise ValueError(f"shape {name}: {', '.join(sorted(unknown))} means nothing")
    if ("@tag" in table) != ("@cases" in table) or ("@default" in table and "@tag" not in table):
        raise ValueError(f"shape {name}: @tag and @cases belong together, and @default to them")
    if "@either" in table and len(table["@either"]) != len(table.get("@one", ())):
        raise ValueError(f"shape {name}: @either has a shape for each member in @one")
    for case in (*table.get("@cases", {}).values(), table.get("@default"), *table.get("@either", ())):
        if case is not None and not isinstance(raw.get(case), Mapping):
            raise ValueError(f"shape {name}: there is no table {case}")
    named = {key: table.get(key, ()) for key in ("@one", "@text_copy")}
    for key, members in {**named, "@unless_task": [*filter(None, [table.get("@unless_task")])]}.items():
        for member in members:
            if member not in table:
                raise ValueError(f"shape {name}: {key} names {member}, which is not a member")
    if table.get("@keys", KEYS[0]) not in KEYS:
        raise ValueError(f"shape {name}: @keys is one of {', '.join(KEYS)}")


def _kinds(spec: Spec) -> frozenset[str]:
    """Its types, where a number is a number."""
    return spec.types | {"number"} if spec.types & NUMBERS else spec.types


class _Parser:
    """Reads one line; `within` are the one-line shapes that are being read around it."""

    def __init__(self, text: str, shapes: Mapping[str, Any], within: tuple[str, ...]) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a spec is a string, not {text!r}")
        self.text, self.shapes, self.within = text, shapes, within
        self.position = self.start = 0
        self.token = ""
        self.advance()

    def whole(self) -> Spec:
        spec = self.alternatives()
        if self.token == "!":
            self.advance()
            spec = spec._replace(required=True)
        if self.token != _END:
            raise self.wrong(f"{self.token} is out of place")
        return spec

    def alternatives(self) -> Spec:
        found = [self.alternative()]
        while self.token == "|":
            self.advance()
            found.append(self.alternative())
        return found[0] if len(found) == 1 else self.union(found)

    def union(self, found: list[Spec]) -> Spec:
        for kind in ("object", "array"):
            if sum(kind in one.types for one in found) > 1:
                raise self.wrong(f"more than one alternative is an {kind}")
        if len({bool(one.values) for one in found if "string" in one.types}) > 1:
            raise self.wrong("any string and certain strings at once")
        narrow = next((one.narrow for one in found if one.narrow), None)
        if narrow and sum(narrow.of in _kinds(one) for one in found) + sum(one.narrow is not None for one in found) > 2:
            raise self.wrong("one alternative is narrowed, and another is of its type or narrowed too")
        return Spec(
            types=frozenset().union(*(one.types for one in found)),
            values=tuple(value for one in found for value in one.values),
            shape=next((one.shape for one in found if one.shape), None),
            items=next((one.items for one in found if one.items), None),
            each=next((one.each for one in found if one.each), None),
            narrow=narrow,
            deprecated=any(one.deprecated for one in found),
            deprecated_values=tuple(value for one in found for value in one.deprecated_values),
        )

    def alternative(self) -> Spec:
        match self.token:
            case "[":
                spec = Spec(frozenset({"array"}), items=self.inside("]"))
            case "{":
                spec = Spec(_OBJECT, each=self.inside("}"))
            case "~":
                self.advance()
                spec = self.alternative()
                return spec._replace(deprecated=not spec.values, deprecated_values=spec.values)
            case token if token in _PLAIN:
                spec = _PLAIN[token]
            case token if token.startswith('"'):
                spec = Spec(frozenset({"string"}), values=(token[1:-1],))
            case token if token[:1].isalpha() or token[:1] in ("_", "$"):
                spec = self.named(token)
            case _:
                raise self.wrong("an alternative is missing")
        self.advance()
        if self.token[:1] == "(":
            spec = spec._replace(narrow=self.narrow(spec))
            self.advance()
        return spec

    def narrow(self, spec: Spec) -> Narrow:
        """The restriction in the brackets after an alternative."""
        text = self.token[1:-1].removesuffix("?")
        mild, words, bounds = self.token.endswith("?)"), tuple(text.split()), re.fullmatch(_RANGE, text)
        low, high = (int(bound) if bound else None for bound in bounds.groups()) if bounds else (None, None)
        if spec == _PLAIN["string"] and words and all(":" in word for word in words):
            return Narrow("string", begins=words, mild=mild)
        if spec == _PLAIN["string"] and text in FORMATS:
            return Narrow("string", format=text, mild=mild)
        if spec.types <= NUMBERS and not spec.narrow and (low, high) != (None, None):
            return Narrow("number", low=low, high=high, mild=mild)
        if spec.types == {"array"} and not spec.narrow and low is None and high is not None:
            return Narrow("array", high=high, mild=mild)
        raise self.wrong(f"{self.token} does not fit the alternative before it")

    def inside(self, bracket: str) -> Spec:
        self.advance()
        spec = self.alternatives()
        if self.token != bracket:
            raise self.wrong(f"{bracket} is missing")
        return spec

    def named(self, name: str) -> Spec:
        if name not in self.shapes:
            raise self.wrong(f"there is no shape {name}")
        shape = self.shapes[name]
        if isinstance(shape, Mapping):
            return Spec(_OBJECT, shape=name)
        if name in self.within:
            raise self.wrong(f"the shape {name} contains itself")
        spec = _Parser(shape, self.shapes, (*self.within, name)).whole()
        if spec.required:
            raise self.wrong(f"the shape {name} ends with !, which only a member can")
        return spec

    def advance(self) -> None:
        match = _token().match(self.text, self.position)
        if match is None:
            rest = self.text[self.position :].lstrip()
            self.start = len(self.text) - len(rest)
            raise self.wrong(f"{rest[0]} means nothing")
        self.token, self.start, self.position = match[1], match.start(1), match.end()

    def wrong(self, what: str) -> ValueError:
        return ValueError(f"{self.text!r}, at character {self.start + 1}: {what}")
