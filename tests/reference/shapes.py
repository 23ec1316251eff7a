"""What MCP says of methods and values: docs/verdict.md, section 6.

Every question is asked of a list, of what each revision that has a say says: one for a revision, several for auto.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from framegauge.protocol import EXTENSIONS, Shape, Spec, revision
from framegauge.protocol.notation import parse_spec

from .decimals import integrality
from .evidence import method_of, names_task
from .formats import array_fault, number_fault, text_fault
from .meant import is_nearly
from .meta import TRACE_KEYS, is_reserved, is_trace, prefix_of
from .model import Place
from .nested import Nested
from .observe import ascii_lower, pointer_step, skeleton
from .rows import MCP, SEVERITIES
from .tokens import unescape
from .tree import Node, Pair, tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from framegauge.protocol import Method, Narrow, Revision

    from .model import Facts
    from .nested import Wrong

RULES = (
    "unknown-method",
    "method-not-in-revision",
    "wrong-direction",
    "notification-method-with-id",
    "request-method-without-id",
    "unknown-param",
    "param-missing",
    "param-type",
    "param-value",
    "arguments-not-object",
    "name-type",
    "request-id-missing",
    "progress-token-type",
    "meta-not-object",
    "meta-required-missing",
    "result-member-missing",
    "result-member-type",
    "result-member-value",
    "result-type-missing",
    "result-type-unknown",
    "error-data-missing",
    "error-data-type",
    "tools-names",
    "jsonschema-valid",
    "protocol-version-unsupported",
    "meta-key-format",
    "meta-reserved-prefix",
    "meta-trace-keys",
    "meta-extension-ids",
    "deprecated-features",
    "tools-structured-text-copy",
)
# The code that each of them is answered with where it is an error; the others are not answered.
ANSWERS = {
    "wrong-direction": -32600,
    **dict.fromkeys(("unknown-method", "method-not-in-revision", "notification-method-with-id"), -32601),
    **dict.fromkeys(("param-missing", "param-type", "param-value", "arguments-not-object", "name-type"), -32602),
    **dict.fromkeys(("request-id-missing", "progress-token-type", "meta-not-object", "meta-required-missing"), -32602),
    "jsonschema-valid": -32602,
    "protocol-version-unsupported": -32022,
}
# Rules that are also found in the envelope, by facts.
NEAR_KEYS = ("key-case-variant", "key-lookalike")
REVISIONS_OF = {
    **dict.fromkeys((*RULES, *NEAR_KEYS), MCP),
    **dict.fromkeys(("result-type-missing", "result-type-unknown"), MCP[-1:]),
    **dict.fromkeys(("error-data-missing", "error-data-type", "tools-names", "jsonschema-valid"), MCP[-2:]),
    **dict.fromkeys(("meta-key-format", "meta-reserved-prefix", "tools-structured-text-copy"), MCP[-3:]),
    **dict.fromkeys(("protocol-version-unsupported", "deprecated-features", "meta-extension-ids"), MCP[-1:]),
    "meta-trace-keys": MCP[-1:],
}
PREFIX = {"params": "param", "result": "result-member", "error": "error-data"}
TOOL_OR_PROMPT = ("tools/call", "prompts/get")


class Mark(NamedTuple):
    """One place where one rule is broken."""

    rule: str
    severity: str
    place: Place


def is_anything(spec: Spec) -> bool:
    more = spec.values or spec.shape or spec.items or spec.each or spec.narrow
    return spec.types >= {"object", "array", "string", "number", "boolean", "null"} and not more


class Said(NamedTuple):
    """What one revision says of a value."""

    text: Revision
    spec: Spec

    def shape(self) -> Shape:
        assert self.spec.shape is not None
        return self.text.shapes[self.spec.shape]


class Shaped(NamedTuple):
    """What one revision says of an object's members."""

    text: Revision
    shape: Shape


def narrowed(said: Sequence[Said], *types: str) -> Narrow | None:
    """How a value of that type is narrowed: as all have it that allow the type."""
    narrows = {spec.narrow for _, spec in said if spec.types & set(types)}
    narrow = narrows.pop() if len(narrows) == 1 else None
    return narrow if narrow and narrow.of == types[0] else None


def found_in(
    data: bytes, told: Facts, judged: Sequence[str], direction: str | None, asked: str | None
) -> dict[str, tuple[str, Place, int]]:
    """For each rule the severity, the place and the count. `asked`: the method that a response answers."""
    if told.kind not in ("request", "notification", "success", "error") or not set(judged) <= set(MCP):
        return {}
    texts = [with_extension(name) for name in judged]
    judge = _call if told.kind in ("request", "notification") else _answer
    marks = list(judge(_Frame(data, told, texts, direction, asked, tuple(judged))))
    found = {}
    for rule in {mark.rule for mark in marks}:
        own = [mark for mark in marks if mark.rule == rule]
        highest = max((mark.severity for mark in own), key=SEVERITIES.index)
        places = [mark.place for mark in own if mark.severity == highest]
        found[rule] = (highest, min(places, key=lambda place: place.offset), len(places))
    return found


@cache
def with_extension(name: str) -> Revision:
    extension = next((each for each in EXTENSIONS if each.startswith(name + "+")), name)
    return revision(extension)


@cache
def every_method() -> frozenset[str]:
    return frozenset(method for name in MCP for method in with_extension(name).methods)


@dataclass(frozen=True)
class _Frame:
    data: bytes
    told: Facts
    texts: list[Revision]
    direction: str | None
    asked: str | None
    judged: tuple[str, ...]

    def member(self, name: str) -> Place:
        member = self.told.envelope[name]
        return Place(member.start, member.stop, f"/{name}")

    def methods(self, name: str | None) -> list[tuple[Revision, Method]]:
        """What the revisions judged say of a method that is a frame."""
        said = [(text, text.methods[name]) for text in self.texts if name is not None and name in text.methods]
        return [(text, method) for text, method in said if method.kind != "input-request"]

    def sent_by(self, sides: set[str]) -> bool:
        """Could it be sent by one of these sides? Where nobody told, by any."""
        side = {"client-to-server": "client", "server-to-client": "server"}.get(str(self.direction))
        return side is None or bool({side, "both"} & sides)


def _call(frame: _Frame) -> Iterator[Mark]:
    told, name = frame.told, method_of(frame.data, frame.told)
    assert name is not None
    methods = frame.methods(name)
    barred = told.kind == "request" and not frame.sent_by(asking(frame.texts))
    if barred:  # whatever its method
        yield Mark("wrong-direction", "error", frame.member("method"))
    if not methods:
        if barred and any(name in text.methods for text in frame.texts):
            return  # it is asked within a result
        if name in every_method():
            yield Mark("method-not-in-revision", "error", frame.member("method"))
        else:
            nearly = any(is_nearly(name, method) for method in every_method())
            severity = "error" if told.kind == "request" or nearly else "info"
            yield Mark("unknown-method", severity, frame.member("method"))
        return
    kinds = {method.kind for _, method in methods}
    if told.kind not in kinds:
        if told.kind == "request":
            yield Mark("notification-method-with-id", "error", frame.member("id"))
        else:
            yield Mark("request-method-without-id", "error", frame.member("method"))
    if not barred and not frame.sent_by({method.sender for _, method in methods}):
        yield Mark("wrong-direction", "error", frame.member("method"))
    said = [Said(text, method.params) for text, method in methods if method.params is not None]
    params = told.envelope.get("params")
    if params is None:
        if len(said) == len(methods) and all(spec.required for _, spec in said):
            yield from _no_params(frame, name, said)
    elif params.type == "object" and len(said) == len(methods):
        value = tree(frame.data).first("params")
        assert value is not None
        judge = _Judge(frame, "params", name)
        yield from judge.value(value, said, ())
        yield from judge.nested(Nested(frame.data, frame.judged, unescape).params(name, value))


def asking(texts: Sequence[Revision]) -> set[str]:
    """The sides that send requests."""
    methods = [method for text in texts for method in text.methods.values() if method.kind == "request"]
    return {side for method in methods for side in ("client", "server") if method.sender in (side, "both")}


def _no_params(frame: _Frame, name: str, said: Sequence[Said]) -> Iterator[Mark]:
    """Params that must be there: what they would lack has the name it has in them, and one place."""
    judge, brace = _Judge(frame, "params", name), frame.told.top_span[0]
    members = [one.shape().members if one.spec.shape is not None else {} for one in said]
    lacking = [key for key in members[0] if all(key in each and each[key].required for each in members)]
    names = {judge.own_rule("missing", (key,)) or "param-missing" for key in lacking} or {"param-missing"}
    for rule in sorted(names):
        yield Mark(rule, "error", Place(brace, brace + 1, "/params"))


def _answer(frame: _Frame) -> Iterator[Mark]:
    kind = "result" if frame.told.kind == "success" else "error"
    answering = {"client", "server"} if any(text.client_replies for text in frame.texts) else {"server"}
    if not frame.sent_by(answering):
        yield Mark("wrong-direction", "error", frame.member(kind))
    value = tree(frame.data).first(kind)
    assert value is not None
    if value.type == "object":
        judge = _Judge(frame, kind, "")
        yield from judge.result(value) if kind == "result" else judge.error(value)
        if kind == "result" and frame.methods(frame.asked):
            yield from judge.nested(Nested(frame.data, frame.judged, unescape).result(str(frame.asked), value))


ANYTHING = parse_spec("any", {})


def defined(text: Revision) -> set[str]:
    """The keys of _meta that the revision says something of, wherever."""
    return {member for shape in text.shapes.values() if shape.keys == "meta" for member in shape.members}


class _Judge:
    """`area`: params, result or error. `method`: of params."""

    def __init__(self, frame: _Frame, area: str, method: str) -> None:
        self.frame, self.data, self.area, self.method = frame, frame.data, area, method

    def result(self, value: Node) -> Iterator[Mark]:
        methods = self.frame.methods(self.frame.asked)
        said = [Said(text, method.result) for text, method in methods if method.result is not None]
        if said and len(said) == len(methods):
            yield from self.value(value, said, ())
        elif self.alone and (told := self.told_result(value)):
            yield from self.object(value, [told], [], ())
        else:
            yield from self.object(value, [self.any_result(text) for text in self.frame.texts], [], ())

    @property
    def alone(self) -> bool:
        """Is one revision judged? What follows is not asked of several together."""
        return len(self.frame.texts) == 1

    def told_result(self, value: Node) -> Shaped | None:
        """What a result is by its resultType, whatever it answers."""
        text, told = self.frame.texts[0], value.first("resultType")
        name = text.told_results.get(self.text(told)) if told is not None and told.type == "string" else None
        return None if name is None else Shaped(text, text.shapes[name])

    def any_result(self, text: Revision) -> Shaped:
        """What is said of any result."""
        assert text.any_result is not None
        members = dict(text.shapes[text.any_result].members)
        if text.result_types:
            members["resultType"] = Spec(frozenset({"string"}), True, text.result_types)
        return Shaped(text, Shape("", members, None, None, {}, None, ()))

    def error(self, value: Node) -> Iterator[Mark]:
        code = value.first("code")
        number = None if code is None or code.type != "number" else integrality(self.token(code)).value
        # What only some say is not wrong in all; the members of an error are the same everywhere.
        text = self.frame.texts[0]
        data = text.error_data.get(number) if self.alone and number is not None else None
        members = {"code": ANYTHING, "message": ANYTHING, "data": data or ANYTHING}
        yield from self.object(value, [Shaped(text, Shape("", members, None, None, {}, None, ()))], [], ())

    # --- a value against what is said of it; `path`: the keys and indices below the area --------------------

    def value(self, value: Node, said: Sequence[Said], path: tuple[str, ...], described: bool = True) -> Iterator[Mark]:
        """`described`: the value is of a member that is, and not one of many alike."""
        if not said or any(is_anything(spec) for _, spec in said):
            return
        type_ = "boolean" if value.type in ("true", "false") else value.type
        types = {name for _, spec in said for name in spec.types}
        if type_ not in types and not (type_ == "number" and types & {"integer", "integral"}):
            yield self.mark("type", value, path, described=described)
            return
        if self.alone and (
            said[0].spec.deprecated or (type_ == "string" and self.text(value) in said[0].spec.deprecated_values)
        ):
            yield Mark("deprecated-features", "info", Place(value.start, value.stop, self.pointer(path)))
        if type_ == "number":
            if "number" not in types and not integrality(self.token(value)).integral:
                yield self.mark("type", value, path, "warning" if "integral" in types else "error", described)
            narrow = narrowed(said, "number", "integer", "integral")
            if narrow and (severity := number_fault(self.token(value), narrow)):
                yield self.mark("value", value, path, severity)
        elif type_ == "string":
            lists = [spec.values for _, spec in said if "string" in spec.types]
            if all(lists) and not any(self.text(value) in values for values in lists):
                yield self.mark("value", value, path)
            narrow = narrowed(said, "string")
            if narrow and (severity := text_fault(self.text(value), narrow)):
                yield self.mark("value", value, path, severity)
        elif type_ == "array":
            narrow = narrowed(said, "array")
            if narrow and (severity := array_fault(len(value.items), narrow)):
                yield self.mark("value", value, path, severity)
            arrays = [one for one in said if "array" in one.spec.types]
            items = [Said(text, spec.items) for text, spec in arrays if spec.items is not None]
            for index, item in enumerate(value.items if len(items) == len(arrays) else ()):
                yield from self.value(item, items, (*path, str(index)))
        elif type_ == "object":
            objects = [one for one in said if "object" in one.spec.types]
            shapes = [Shaped(one.text, one.shape()) for one in objects if one.spec.shape is not None]
            every = [(one.text, one.shape().each if one.spec.shape else one.spec.each) for one in objects]
            each = [Said(text, spec) for text, spec in every if spec is not None]
            each = each if len(each) == len(objects) else []
            if len(objects) == len(shapes) or each:  # what not all describe is free
                yield from self.object(value, shapes, each, path)

    def object(
        self, value: Node, shapes: Sequence[Shaped], each: Sequence[Said], path: tuple[str, ...]
    ) -> Iterator[Mark]:
        if any(shape.tag for _, shape in shapes):
            told = self.told_by_tag(value, shapes, path)
            if isinstance(told, Mark):
                yield told
                return
            shapes = told
        if len(self.frame.texts) == 1 and shapes and shapes[0].shape.either:
            shapes = [self.told_by_member(value, shapes[0])]
        for pair in value.pairs:
            described = [Said(text, shape.members[pair.key]) for text, shape in shapes if pair.key in shape.members]
            if not described or len(described) == len(shapes):  # what not all describe is free
                yield from self.value(pair.value, described or each, (*path, pair.key), described != [])
            if shapes and not described:
                yield from self.unknown(pair, shapes, path)
        there = {pair.key for pair in value.pairs}
        for key in dict.fromkeys(key for _, shape in shapes for key in shape.members):
            if key not in there and all(key in shape.members and shape.members[key].required for _, shape in shapes):
                excused = any(shape.unless_task == key for _, shape in shapes) and names_task(self.frame.told)
                yield self.mark("missing", value, (*path, key), "warning" if excused else "error")
        several = {shape.one_of for _, shape in shapes if shape.one_of}
        choice = several.pop() if len(several) == 1 else ()
        certain = [
            [key for key, spec in shape.members.items() if key in choice and spec.required] for _, shape in shapes
        ]
        all_want = all(one.shape.one_of or keys for one, keys in zip(shapes, certain, strict=True))
        if choice and all_want and not there & set(choice):  # each wants one of them, or a certain one
            yield self.mark("missing", value, (*path, choice[0]))
        copied = shapes[0].shape.text_copy if self.alone and shapes else ()
        if copied and there >= set(copied) and not any(map(self.is_text, value.items_of(copied[1]))):
            place = Place(value.start, value.start + 1, self.pointer((*path, copied[1])))
            yield Mark("tools-structured-text-copy", "warning", place)

    def is_text(self, block: Node) -> bool:
        tag = block.first("type") if block.type == "object" else None
        return tag is not None and tag.type == "string" and self.text(tag) == "text"

    def told_by_member(self, value: Node, said: Shaped) -> Shaped:
        """The shape that an object has by the members that are there; none of them: it stays what it is."""
        names = zip(said.shape.one_of, said.shape.either, strict=True)
        told = next((name for member, name in names if value.first(member) is not None), None)
        return said if told is None else Shaped(said.text, said.text.shapes[told])

    def told_by_tag(self, value: Node, shapes: Sequence[Shaped], path: tuple[str, ...]) -> list[Shaped] | Mark:
        """The shapes that an object has by its tag, or what is wrong with the tag."""
        tag = next(shape.tag for _, shape in shapes if shape.tag)
        first = value.first(tag)
        untagged = [one for one in shapes if one.shape.tag is None]
        if first is not None and first.type != "string":
            if untagged and tag == "resultType":
                return []  # the revision that knows it looks at nothing else
            return untagged or self.mark("type", first, (*path, tag))
        told = []
        for text, shape in shapes:
            if shape.tag is None:  # to this one the tag is any other member
                told.append(Shaped(text, shape))
                continue
            case = shape.default if first is None else shape.cases.get(self.text(first))
            if case is not None:
                told.append(Shaped(text, text.shapes[case]))
        if first is not None and untagged and told == untagged and tag == "resultType":
            return []  # another result type is only worth a warning: nothing is known of that result
        what = "missing" if first is None else "value"
        return told or self.mark(what, first or value, (*path, tag))

    # --- marks --------------------------------------------------------------------------------------------

    def unknown(self, pair: Pair, shapes: Sequence[Shaped], path: tuple[str, ...]) -> Iterator[Mark]:
        """A key that is not described."""
        place = Place(pair.start, pair.stop, self.pointer((*path, pair.key)))
        names = {ascii_lower(key) for key in shapes[0].shape.members if all(key in one.members for _, one in shapes)}
        if ascii_lower(pair.key) in names:
            yield Mark("key-case-variant", "error", place)
        elif skeleton(pair.key) in names:
            yield Mark("key-lookalike", "error", place)
        elif self.area == "params" and path == ():
            yield Mark("unknown-param", "warning", place)
        if self.alone and shapes[0].shape.keys and not {ascii_lower(pair.key), skeleton(pair.key)} & names:
            yield from self.spelling(pair, shapes[0], place)

    def spelling(self, pair: Pair, one: Shaped, place: Place) -> Iterator[Mark]:
        """The key of a map, and what W3C says of its value."""
        said, prefix = one.text.meta_keys, prefix_of(pair.key)
        assert said is not None
        if one.shape.keys == "extension":
            if not prefix:
                yield Mark("meta-extension-ids", "warning", place)
        elif prefix is None:
            yield Mark("meta-key-format", "warning", place)
        elif is_reserved(prefix, said.reserved) and pair.key not in defined(one.text):
            yield Mark("meta-reserved-prefix", "warning", place)
        elif said.trace and pair.key in TRACE_KEYS:
            value = pair.value
            if value.type != "string" or not is_trace(pair.key, self.text(value)):
                yield Mark("meta-trace-keys", "warning", Place(value.start, value.stop, place.path))

    def mark(
        self, what: str, node: Node, path: tuple[str, ...], severity: str = "error", described: bool = True
    ) -> Mark:
        rule = (described and self.own_rule(what, path)) or f"{PREFIX[self.area]}-{what}"
        if rule == "error-data-value":
            rule = "error-data-type"
        if rule == "result-member-value" and path == ("resultType",) and not self.known_result_type(node):
            rule, severity = "result-type-unknown", "warning"
        stop = node.start + 1 if what == "missing" else node.stop
        return Mark(rule, severity, Place(node.start, stop, self.pointer(path)))

    def nested(self, wrongs: Iterator[Wrong]) -> Iterator[Mark]:
        if self.frame.told.depth > 256:
            return
        for rule, severity, node, path in wrongs:
            name = f"{PREFIX[self.area]}-{rule}" if rule in ("value", "type") else rule
            yield Mark(name, severity, Place(node.start, node.stop, self.pointer(path)))

    def own_rule(self, what: str, path: tuple[str, ...]) -> str | None:
        """Members whose faults have a name of their own."""
        if what == "type" and path[-1:] == ("progressToken",):
            return "progress-token-type"
        if self.area == "result":
            return "result-type-missing" if (what, path) == ("missing", ("resultType",)) else None
        if self.area != "params":
            return None
        if what == "missing" and path[:1] == ("_meta",) and len(path) <= 2:
            return "meta-required-missing"
        if (what, path) == ("type", ("_meta",)):
            return "meta-not-object"
        names: Mapping[tuple[str, tuple[str, ...]], str] = {}
        if self.method in TOOL_OR_PROMPT:
            names = {("type", ("arguments",)): "arguments-not-object", ("type", ("name",)): "name-type"}
        if self.method == "notifications/cancelled":
            names = {("missing", ("requestId",)): "request-id-missing"}
        return names.get((what, path))

    def known_result_type(self, node: Node) -> bool:
        return any(self.text(node) in text.result_types for text in self.frame.texts)

    def pointer(self, path: tuple[str, ...]) -> str:
        return "".join("/" + pointer_step(step) for step in (self.area, *path))

    def token(self, node: Node) -> bytes:
        return self.data[node.start : node.stop]

    def text(self, node: Node) -> str:
        return unescape(self.token(node))
