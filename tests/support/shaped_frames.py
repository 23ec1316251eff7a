"""Frames made from what the protocol data says: clean ones, and ones with a single fault whose rule and path are known.

Written from docs/verdict.md, section 6. Of the package it uses the data alone, not how that is compiled or judged.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from framegauge.protocol import EXTENSIONS, MCP, Method, Revision, Shape, Spec, revision
from tests.support.format_values import ODD, right_numbers, right_texts, wrong_values
from tests.support.tidy_values import tidied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

Path = tuple[Any, ...]  # keys and indices, from the frame down
Finding = tuple[str, str, str]  # rule, severity, path
Target = tuple[
    str, ...
]  # what of the data a fault tests: a shape and its member, [] or {} for what is in that, the kind
Due = tuple[str, Target]  # with the sort of the fault

GONE: Any = object()  # in place of a new value: the member is taken away
CALLS = ("tools/call", "prompts/get")
META, TOKEN, RESULT_TYPE = "_meta", "progressToken", "resultType"
TASK = "io.modelcontextprotocol/related-task"
VERSION = "io.modelcontextprotocol/protocolVersion"
# Rules that a clean value may break: advice, of which the shapes here say nothing.
ADVICE = ("deprecated-features", "tools-structured-text-copy")

# One value of every kind that a spec can tell apart; a fraction is what `integer` and `integral` do not want.
KINDS: dict[str, Any] = {
    "null": None,
    "boolean": True,
    "integer": 7,
    "fraction": 1.5,
    "string": "nothing of this name",
    "object": {},
    "array": [],
}
NUMBERS = {"integer", "integral", "number"}
TEXTS = (
    "",
    "a",
    "text",
    "file:///a/b",
    "é",
    "日本 😀",
    'quo"te',
    "back\\slash",
    "line\nfeed",
    "\u001b",
    "{}",
    "x" * 70,
)


def text_of(name: str) -> Revision:
    """The revision, with its extension where it has one."""
    return revision(next((each for each in EXTENSIONS if each.startswith(f"{name}+")), name))


def methods_of(text: Revision) -> list[Method]:
    """Those that are frames."""
    return [method for method in text.methods.values() if method.kind != "input-request"]


def calls() -> list[tuple[str, Method]]:
    return [(name, method) for name in MCP for method in methods_of(text_of(name))]


def pointer(path: Path) -> str:
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in path)


# ---- clean values


class Maker:
    """Makes values that a spec allows. `members`: all of those described, the required ones, or some at random.

    Of alternatives (types, strings, cases of a tag) the one used least so far is taken, so that a few values show all.
    """

    def __init__(self, text: Revision, rng: Random, members: str) -> None:
        self.shapes, self.rng, self.members, self.version = text.shapes, rng, members, text.name.partition("+")[0]
        self.used: Counter[Any] = Counter()

    def least_used(self, point: Any, choices: Any) -> Any:
        choices = list(choices)
        self.rng.shuffle(choices)
        chosen = min(choices, key=lambda choice: self.used[point, choice])
        self.used[point, chosen] += 1
        return chosen

    def value(self, spec: Spec) -> Any:
        kind = self.least_used(spec, sorted(spec.types))
        narrow = spec.narrow if spec.narrow and spec.narrow.of == ("number" if kind in NUMBERS else kind) else None
        match kind:
            case "integer" | "integral" | "number" if narrow:
                return self.rng.choice(right_numbers(narrow))
            case "string" if narrow:
                return self.least_used((spec, "string"), right_texts(narrow))
            case "null":
                return None
            case "boolean":
                return self.rng.random() < 0.5
            case "integer" | "integral":
                return self.rng.choice((0, -1, 7, 2**53 + 1, 10**30, 2.0, 1e22))
            case "number":
                return self.rng.choice((0, 7, -2.5, 1e-7, 1e22))
            case "string":
                return self.least_used((spec, "string"), spec.values) if spec.values else self.rng.choice(TEXTS)
            case "array":
                return [self.value(spec.items) for _ in range(self.count(spec.items))] if spec.items else self.array()
            case _ if spec.shape is not None:
                return self.shape(spec.shape)
            case _ if spec.each is not None:
                return {f"key {n}": self.value(spec.each) for n in range(self.count(spec.each))}
            case _:
                return self.object()

    def count(self, spec: Spec) -> int:
        """As many as there are cases, where all are wanted."""
        cases = len(self.shapes[spec.shape].cases) if spec.shape else 0
        return {"all": max(cases, 2), "required": 0}.get(self.members, self.rng.randrange(3))

    def shape(self, name: str) -> dict[str, Any]:
        shape = self.shapes[name]
        if shape.either:
            return self.shape(self.least_used(name, shape.either))
        if shape.tag is not None:
            chosen = self.least_used(name, shape.cases)
            return {**self.shape(shape.cases[chosen]), shape.tag: chosen}
        wanted = [member for member, spec in shape.members.items() if spec.required or self.wants()]
        if shape.one_of and not set(shape.one_of) & set(wanted):
            wanted.append(self.least_used(name, shape.one_of))
        made = {member: self.value(shape.members[member]) for member in wanted}
        made.update({VERSION: self.version} if VERSION in made else {})
        if shape.each is not None:
            made.update({f"com.example/key-{n}": self.value(shape.each) for n in range(self.count(shape.each))})
        if shape.keys == "meta" and self.wants():
            made["com.example/note"] = self.anything()
        return self.shuffled(made)

    def wants(self) -> bool:
        return {"all": True, "required": False}.get(self.members, self.rng.random() < 0.5)

    def shuffled(self, made: dict[str, Any]) -> dict[str, Any]:
        keys = list(made)
        self.rng.shuffle(keys)
        return {key: made[key] for key in keys}

    def anything(self, depth: int = 3) -> Any:
        kind = self.rng.choice(sorted(KINDS)) if depth else "string"
        return {"object": self.object, "array": self.array}.get(kind, lambda *_: KINDS[kind])(depth - 1)

    def object(self, depth: int = 2) -> dict[str, Any]:
        names = (
            "name",
            "Name",
            "type",
            "_meta",
            "",
            "a/b~c",
            "x-1",
            "properties",
        )  # free: even these mean nothing here
        return {self.rng.choice(names): self.anything(depth) for _ in range(self.rng.randrange(3))}

    def array(self, depth: int = 2) -> list[Any]:
        return [self.anything(depth) for _ in range(self.rng.randrange(3))]


@dataclass
class Call:
    """A frame of a method, or one with its result, as it stands in the data."""

    text: Revision
    method: Method
    frame: dict[str, Any]
    area: str  # params or result: what is judged
    spec: Spec | None  # of that

    @property
    def asked(self) -> str | None:
        return self.method.name if self.area == "result" else None

    def mutations(self) -> Iterator[Mutation]:
        """Of params or a result as a whole another type is a matter of the envelope."""
        faults = Faults(self)
        if self.spec is None or self.area not in self.frame:
            return
        path = (self.area, "data") if self.area == "error" else (self.area,)
        if self.spec.required and self.area != "result":
            yield self.without_it(faults.fault("missing", path, GONE, (self.area,)))
        if self.area == "error":
            yield from faults.types(self.spec, path, (self.area,))
        yield from faults.within(self.spec, path, (self.area,))

    def without_it(self, fault: Mutation) -> Mutation:
        """Params that are gone go by the names of what they must have."""
        assert self.spec is not None
        if self.area != "params" or self.spec.shape is None:
            return fault
        members = self.text.shapes[self.spec.shape].members
        wanted = sorted(name for name, spec in members.items() if spec.required)
        rules = sorted({rule_of(self, "missing", ("params", name), GONE)[0] for name in wanted})
        if not rules:
            return fault
        first, *others = ((rule, "error", "/params") for rule in rules)
        return replace(fault, finding=first, beside=tuple(others))

    def due(self) -> set[Due]:
        """Of everything that the data says of this: what `mutations` of enough frames has to come to."""
        return due(self.text, self.spec, self.area) if self.spec is not None else set()


def call(text: Revision, method: Method, maker: Maker) -> Call:
    frame: dict[str, Any] = {"jsonrpc": "2.0", "method": method.name}
    if method.kind == "request":
        frame["id"] = maker.rng.choice((0, 7, "a", "7"))
    if method.params is not None and (method.params.required or maker.wants()):
        frame["params"] = maker.value(method.params)
    return Call(text, method, tidied(maker.shuffled(frame)), "params", method.params)


def answer(text: Revision, method: Method, maker: Maker) -> Call:
    assert method.result is not None
    frame = {"jsonrpc": "2.0", "id": 7, "result": maker.value(method.result)}
    return Call(text, method, tidied(maker.shuffled(frame)), "result", method.result)


def failure(text: Revision, code: int, maker: Maker) -> Call:
    """An error with data; of a method that does not matter."""
    error = {"code": code, "message": "m", "data": maker.value(text.error_data[code])}
    frame = {"jsonrpc": "2.0", "id": 7, "error": maker.shuffled(error)}
    return Call(text, next(iter(text.methods.values())), maker.shuffled(frame), "error", text.error_data[code])


# ---- one fault


@dataclass(frozen=True)
class Mutation:
    path: Path  # what is changed
    new: Any  # to this, or GONE
    finding: Finding | None  # that this earns; None: it stays clean
    sort: str  # missing, type, fraction, value, odd, extra, spelling
    target: Target
    also: tuple[str, ...] = ()  # members beside it that go too
    beside: tuple[Finding, ...] = ()  # findings that this earns as well


@dataclass(frozen=True)
class Faults:
    """All single faults of a value, by walking the value and its spec together."""

    call: Call

    def of(self, spec: Spec, path: Path, target: Target) -> Iterator[Mutation]:
        yield from self.types(spec, path, target)
        if isinstance(at(self.call.frame, path), str) and spec.values:
            yield from self.values(spec.values, path, target)
        if spec.narrow is not None:
            for new, severity in wrong_values(spec.narrow, at(self.call.frame, path)):
                yield self.fault("odd" if severity == "warning" else "value", path, new, (*target, spec.narrow.of))
        yield from self.within(spec, path, target)

    def within(self, spec: Spec, path: Path, target: Target) -> Iterator[Mutation]:
        value = at(self.call.frame, path)
        if isinstance(value, list) and spec.items is not None:
            for index in range(len(value)):
                yield from self.of(spec.items, (*path, index), (*target, "[]"))
        if isinstance(value, dict) and spec.each is not None:
            for key in value:
                yield from self.of(spec.each, (*path, key), (*target, "{}"))
        if isinstance(value, dict) and spec.shape is not None:
            yield from self.of_shape(self.call.text.shapes[spec.shape], value, path)

    def of_shape(self, shape: Shape, value: dict[str, Any], path: Path, tag: Shape | None = None) -> Iterator[Mutation]:
        if shape.either:
            yield from self.of_either(shape, value, path)
            return
        if shape.tag is not None:
            told = value.get(shape.tag)
            case = shape.cases[told] if isinstance(told, str) else shape.default
            assert case is not None
            yield from self.of_shape(self.call.text.shapes[case], value, path, tag=shape)
            return
        for member, spec in shape.members.items():
            place, target = (*path, member), (shape.name, member)
            if tag is not None and tag.tag == member:
                yield from self.of_tag(tag, shape, value, place, target)
            elif member in value:
                if spec.required:
                    yield self.fault("missing", place, GONE, target)
                yield from self.of(spec, place, target)
        if shape.one_of:
            first, *rest = shape.one_of
            fault = self.fault("missing", (*path, first), GONE, (shape.name, "@one"))
            yield replace(fault, also=tuple(rest))
        if shape.each is not None:
            for key in value.keys() - shape.members.keys():
                yield from self.of(shape.each, (*path, key), (shape.name, "{}"))
        yield from self.keys(shape, value, path)

    def of_either(self, shape: Shape, value: dict[str, Any], path: Path) -> Iterator[Mutation]:
        """Told by a member: without that it is none of the shapes, and all of them are missing."""
        member, told = next(pair for pair in zip(shape.one_of, shape.either, strict=True) if pair[0] in value)
        fault = self.fault("missing", (*path, shape.one_of[0]), GONE, (shape.name, "@one"))
        yield replace(fault, path=(*path, member))
        for mutation in self.of_shape(self.call.text.shapes[told], value, path):
            if (mutation.sort, mutation.path) != ("missing", (*path, member)):
                yield mutation

    def of_tag(self, tag: Shape, case: Shape, value: Any, place: Path, target: Target) -> Iterator[Mutation]:
        """`case`: the shape that the tag tells here."""
        if place[-1] not in value:
            return
        if tag.default is None or (tag.default == case.name and case.members[place[-1]].required):
            yield self.fault("missing", place, GONE, target)
        yield from self.types(Spec(frozenset({"string"}), values=tuple(tag.cases)), place, target)
        yield from self.values(tuple(tag.cases), place, target)

    def types(self, spec: Spec, path: Path, target: Target) -> Iterator[Mutation]:
        for kind, new in KINDS.items():
            sort = misfit(spec, kind)
            if sort is not None:
                yield self.fault(sort, path, new, (*target, kind))

    def values(self, allowed: tuple[str, ...], path: Path, target: Target) -> Iterator[Mutation]:
        others = [KINDS["string"], "", *(form for one in allowed for form in (one + "x", one[:-1], one.swapcase()))]
        if path == ("result", RESULT_TYPE):
            others += self.call.text.result_types
        for new in dict.fromkeys(others):
            if new not in allowed:
                yield self.fault("value", path, new, (*target, "string"))

    def keys(self, shape: Shape, value: dict[str, Any], path: Path) -> Iterator[Mutation]:
        target = (shape.name, "@keys")
        extra = self.fault("extra", (*path, "x-new"), 7, target)
        if shape.keys == "extension":
            yield replace(extra, new={}, finding=("meta-extension-ids", "warning", pointer(extra.path)))
        else:
            yield extra if path == ("params",) else replace(extra, finding=None)
        if shape.keys == "meta":
            misspelt = (*path, "x new")
            finding = ("meta-key-format", "warning", pointer(misspelt))
            yield Mutation(misspelt, 7, finding, "key", target)
        for member in shape.members:
            for form in (member.swapcase(), member.replace("s", "\u017f", 1), member.replace("k", "\u212a", 1)):
                if form not in value and form not in shape.members:
                    yield self.fault("spelling", (*path, form), 7, (*target, member))

    def fault(self, sort: str, path: Path, new: Any, target: Target) -> Mutation:
        rule, severity = rule_of(self.call, sort, path, new)
        return Mutation(path, new, (rule, severity, pointer(path)), sort, target)


def misfit(spec: Spec, kind: str) -> str | None:
    """How a value of that kind fails: by its type, or only by a fraction. None where it does not (or by its value)."""
    if kind == "integer":
        return None if spec.types & NUMBERS else "type"
    if kind == "fraction":
        return None if "number" in spec.types else "fraction" if "integral" in spec.types else "type"
    return None if kind in spec.types else "type"


def names_task(call: Call) -> bool:
    """Does its _meta say to which task it belongs, in the revision where that excuses a missing requestId?"""
    said = call.text.shapes[call.spec.shape] if call.spec and call.spec.shape else None
    if said is None or said.unless_task is None:
        return False
    params = call.frame["params"]
    return TASK in params.get(META, {}) if isinstance(params, dict) else False


def rule_of(call: Call, sort: str, path: Path, new: Any) -> tuple[str, str]:
    """Rule and severity: docs/verdict.md, section 6."""
    member, area = path[-1], path[0]
    if sort == "extra":
        return "unknown-param", "warning"
    if sort == "spelling":
        return "key-case-variant" if member.isascii() else "key-lookalike", "error"
    severity = "warning" if sort in ("fraction", "odd") else "error"
    if sort == "value" and path == ("result", RESULT_TYPE) and new not in call.text.result_types:
        return "result-type-unknown", "warning"
    sort = {"fraction": "type", "odd": "value"}.get(sort, sort)
    own: dict[tuple[str, Path], str] = {
        ("missing", ("params", META)): "meta-required-missing",
        ("type", ("params", META)): "meta-not-object",
        ("missing", ("result", RESULT_TYPE)): "result-type-missing",
    }
    if call.method.name in CALLS:
        own["type", ("params", "arguments")] = "arguments-not-object"
        own["type", ("params", "name")] = "name-type"
    if call.method.name == "notifications/cancelled":
        own["missing", ("params", "requestId")] = "request-id-missing"
        if path == ("params", "requestId") and sort == "missing" and names_task(call):
            severity = "warning"
    if (sort, path) in own:
        return own[sort, path], severity
    if sort == "type" and member == TOKEN:
        return "progress-token-type", severity
    if sort == "missing" and path[:2] == ("params", META) and len(path) == 3:
        return "meta-required-missing", severity
    sort = "type" if area == "error" and sort == "value" else sort
    return {"params": "param", "result": "result-member", "error": "error-data"}[area] + "-" + sort, severity


def due(text: Revision, spec: Spec, area: str) -> set[Due]:
    """From the data alone: which faults of which members there can be."""
    found: set[Due] = {("missing", (area,))} if spec.required and area != "result" else set()
    seen: set[tuple[str, str | None]] = set()

    def types(spec: Spec, target: Target) -> None:
        found.update((sort, (*target, kind)) for kind in KINDS if (sort := misfit(spec, kind)) is not None)
        if spec.values:
            found.add(("value", (*target, "string")))
        if spec.narrow is not None:
            mild, odd = spec.narrow.mild, spec.narrow.mild or spec.narrow.format in ODD
            sorts = [*(["odd"] if odd else []), *([] if mild else ["value"])]
            found.update((sort, (*target, spec.narrow.of)) for sort in sorts)

    def within(spec: Spec, target: Target) -> None:
        for inner, mark in ((spec.items, "[]"), (spec.each, "{}")):
            if inner is not None:
                types(inner, (*target, mark))
                within(inner, (*target, mark))
        if spec.shape is not None:
            members(text.shapes[spec.shape], None)

    def members(shape: Shape, tag: Shape | None) -> None:
        if (shape.name, tag and tag.name) in seen:
            return
        seen.add((shape.name, tag and tag.name))
        if shape.either:
            for member, told in zip(shape.one_of, shape.either, strict=True):
                members(text.shapes[told], None)
                found.remove(("missing", (told, member)))
            found.add(("missing", (shape.name, "@one")))
            return
        for case in shape.cases.values():
            members(text.shapes[case], shape)
        if shape.tag is not None:
            return
        for member, spec in shape.members.items():
            target = (shape.name, member)
            told = tag is not None and tag.tag == member
            types(Spec(frozenset({"string"}), values=tuple(tag.cases)) if told else spec, target)
            if spec.required and not (told and tag.default not in (None, shape.name)):
                found.add(("missing", target))
            within(spec, target)
            found.add(("spelling", (shape.name, "@keys", member)))
        found.add(("extra", (shape.name, "@keys")))
        if shape.keys == "meta":
            found.add(("key", (shape.name, "@keys")))
        if shape.each is not None:
            types(shape.each, (shape.name, "{}"))
            within(shape.each, (shape.name, "{}"))
        if shape.one_of:
            found.add(("missing", (shape.name, "@one")))

    if area == "error":
        types(spec, (area,))
    within(spec, (area,))
    return found


# ---- changing a frame and writing it


def at(frame: Any, path: Path) -> Any:
    for key in path:
        frame = frame[key]
    return frame


class Changed:
    """The frame with one mutation, inside a `with`; then it is as it was, order of members included."""

    def __init__(self, frame: dict[str, Any], mutation: Mutation) -> None:
        self.holder, self.mutation = at(frame, mutation.path[:-1]), mutation

    def __enter__(self) -> None:
        key, new = self.mutation.path[-1], self.mutation.new
        self.before = self.holder.copy()
        if new is not GONE:
            self.holder[key] = new
        else:
            for gone in (key, *self.mutation.also):
                self.holder.pop(gone, None)

    def __exit__(self, *_: object) -> None:
        self.holder.clear()
        (self.holder.extend if isinstance(self.holder, list) else self.holder.update)(self.before)


def written(frame: Any, rng: Random) -> bytes:
    """JSON in one of its spellings: with or without blanks, and strings with needless escapes where these are free."""
    style = rng.random()
    comma, colon = (",", ":") if style < 0.6 else (", ", ": ") if style < 0.9 else (" ,\t", "  : ")
    if rng.random() < 0.7:
        return json.dumps(frame, separators=(comma, colon), ensure_ascii=rng.random() < 0.5).encode()
    return _spelled(frame, rng, comma, colon, 0.1, 0).encode()


def _spelled(value: Any, rng: Random, comma: str, colon: str, escapes: float, depth: int) -> str:
    if isinstance(value, dict):
        keys = [_string(key, rng, escapes if depth > 2 else 0.0) for key in value]  # shallower ones earn a warning
        free = [escapes if depth or not isinstance(each, str) else 0.0 for each in value.values()]
        parts = [
            _spelled(each, rng, comma, colon, share, depth + 1)
            for each, share in zip(value.values(), free, strict=True)
        ]
        return "{" + comma.join(key + colon + part for key, part in zip(keys, parts, strict=True)) + "}"
    if isinstance(value, list):
        return "[" + comma.join(_spelled(each, rng, comma, colon, escapes, depth + 1) for each in value) + "]"
    return _string(value, rng, escapes) if isinstance(value, str) else json.dumps(value)


def _string(text: str, rng: Random, escapes: float) -> str:
    plain = json.dumps(text, ensure_ascii=rng.random() < 0.5)
    if rng.random() >= escapes or "\\" in plain or not text.isascii():
        return plain
    return '"' + "".join(f"\\u{ord(char):04x}" if rng.random() < 0.5 else char for char in text) + '"'


# ---- several faults, and what nobody described


def spoilt(call: Call, rng: Random) -> dict[str, Any]:
    """The frame with up to three changes, of which nothing is known: faults, or any value anywhere."""
    frame, maker = json.loads(json.dumps(call.frame)), Maker(call.text, rng, "some")
    faults: dict[str, list[Mutation]] = {}
    for mutation in call.mutations():
        faults.setdefault(mutation.sort, []).append(mutation)
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        if faults and rng.random() < 0.6:
            chosen = rng.choice(faults[rng.choice(sorted(faults))])
            _put(frame, chosen.path, chosen.new)
        else:
            new = GONE if rng.random() < 0.3 else maker.anything()
            _put(frame, rng.choice([path for path in places(frame) if path[0] == call.area] or [(call.area,)]), new)
    return frame


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Of every value within a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


def _put(frame: dict[str, Any], path: Path, new: Any) -> None:
    try:
        holder = at(frame, path[:-1])
        if new is GONE:
            del holder[path[-1]]
        else:
            holder[path[-1]] = json.loads(json.dumps(new))
    except (IndexError, KeyError, TypeError):
        pass  # an earlier change has taken away what this one was for
