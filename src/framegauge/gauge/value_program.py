"""The specs of methods and values, compiled for the native layer: docs/verdict.md section 6.

The data is in `framegauge.protocol`, the walk in native/cpp/rules/value_rules.hpp; here names become indices.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from framegauge.gauge.value_rules import (
    AREA_RULES,
    LOOKED_FOR,
    OWN_METHODS,
    PLAIN,
    RESULT_TYPE_UNKNOWN,
    STEP_RULES,
    Names,
    Spot,
)
from framegauge.native.layout import (
    CaseRow,
    ErrorRow,
    MemberRow,
    MethodRow,
    ProtocolRow,
    ShapeRow,
    SpecRow,
)
from framegauge.native.program import (
    ANY_SIZE,
    BEGINS,
    DEPRECATED,
    DEPTH,
    FORMATS,
    INTEGER,
    INTEGRAL,
    LISTED,
    MILD,
    NO_FRAME,
    NO_HIGH,
    NO_LOW,
    NOTHING,
    UNLESS_TASK,
    Shapes,
)
from framegauge.native.tokenizer import KIND_NAMES, METHOD_NAMES
from framegauge.protocol import EXTENSIONS, MCP, NUMBERS, Method, Narrow, Revision, Shape, Spec, revision
from framegauge.protocol.merge import FREE, OTHERWISE, RESULT_TYPE, Merged, merged
from framegauge.protocol.notation import parse_spec
from framegauge.ruleset.registry import number

__all__ = ["data_of", "shapes_of"]

NO_RULE = 255
CLIENT, SERVER = 1, 2
REQUEST = KIND_NAMES.index("request")
_SENDERS = {"client": CLIENT, "server": SERVER, "both": CLIENT | SERVER}
_TYPE_BITS = {  # of fg_type
    "object": (1,),
    "array": (2,),
    "string": (3,),
    "number": (4,),
    "integer": (4,),
    "integral": (4,),
    "boolean": (5, 6),
    "null": (7,),
}
_WORDS = {
    "integral": "a number, by the text an integer",
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "boolean": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}
_FORMATS = {
    "base64": "base64, padded and without line breaks",
    "iso8601": "a time as ISO 8601 writes it",
    "mime": "a MIME type",
    "uri": "a URI as RFC 3986 has it",
    "url": "a URL",
}
_ANY = Narrow("")
_ANYTHING = parse_spec("any", {})
_KEYS = (None, "meta", "extension")  # by their numbers in the native layer
_RESERVED = (None, "second", "second last")
_TRACE = ("traceparent", "tracestate", "baggage")
_META_FIELDS = ("reserved_label", "trace_count", "trace_texts", "defined_texts", "defined_count", "text_block")
_TEXT_BLOCK = "TextContent"
_MOST_MEMBERS = 63  # of a shape


_ELSEWHERE = Spot()


# A shape without members, cases and rules of its own.
_NO_SHAPE = ShapeRow(
    required=0,
    one_of=0,
    members=0,
    count=0,
    tag=NOTHING,
    tag_spec=NOTHING,
    cases=0,
    case_count=0,
    otherwise=NOTHING,
    fallback=NOTHING,
    value_rule=NO_RULE,
    look=0,
    keys=0,
    copied_to=NOTHING,
    text_copy=0,
)


class _Compiler:
    def __init__(self, shapes: Mapping[str, Shape], result_types: tuple[str, ...]) -> None:
        self.shapes, self.result_types = shapes, result_types
        self.texts: dict[str, int] = {}
        self.lists: list[bytes] = []  # texts, among them runs of values
        self.specs: list[SpecRow] = []
        self.wanted: list[str] = []
        self.choices: dict[int, str] = {}  # by spec, of the member that is named where none of several is there
        self.made: dict[tuple[Spec, Names, Spot], int] = {}
        self.rows: list[ShapeRow] = []
        self.placed: dict[tuple[str, Spot], int] = {}
        self.members: list[MemberRow] = []
        self.cases: list[CaseRow] = []

    def text(self, word: str) -> int:
        if word not in self.texts:
            self.texts[word] = self.run([word])
        return self.texts[word]

    def run(self, words: Sequence[str]) -> int:
        self.lists += [each.encode() for each in words]
        return len(self.lists) - len(words)

    def spec(self, spec: Spec, names: Names = PLAIN, place: Spot = _ELSEWHERE) -> int:
        key = spec, names, place
        if key not in self.made:
            shape = NOTHING if spec.shape is None else self.shape(spec.shape, place)
            values = spec.each if spec.shape is None else self.shapes[spec.shape].each
            each = NOTHING if values is None else self.spec(values)
            items = NOTHING if spec.items is None else self.spec(spec.items)
            known = (*spec.deprecated_values, *(each for each in spec.values if each not in spec.deprecated_values))
            narrow = spec.narrow or _ANY
            if names.value == RESULT_TYPE_UNKNOWN:
                known += tuple(each for each in self.result_types if each not in known)
            texts = known or narrow.begins
            self.made[key] = len(self.specs)
            self.wanted.append(in_words(spec))
            self.specs.append(
                SpecRow(
                    types=types_mask(spec.types) | (DEPRECATED if spec.deprecated else 0),
                    shape=shape,
                    each=each,
                    items=items,
                    values=self.run(texts) if texts else 0,
                    value_count=len(spec.values) or len(texts),
                    known_count=len(texts),
                    low=NO_LOW if narrow.of != "number" or narrow.low is None else narrow.low,
                    high=NO_HIGH if narrow.of != "number" or narrow.high is None else narrow.high,
                    most=ANY_SIZE if narrow.of != "array" or narrow.high is None else narrow.high,
                    integer=_integer(spec.types),
                    bounded=narrow.of == "number",
                    format=_format(narrow, listed=bool(known)),
                    mild=MILD * narrow.mild,
                    missing_rule=rule_number(names.missing),
                    type_rule=rule_number(names.type),
                    value_rule=rule_number(names.value),
                    deprecated=len(spec.deprecated_values),
                )
            )
        return self.made[key]

    def choice(self, spec: int, members: Sequence[str]) -> int:
        """A copy of the spec, for the member that represents all of these."""
        self.specs.append(self.specs[spec])
        self.wanted.append(self.wanted[spec])
        self.choices[len(self.specs) - 1] = f"{', '.join(members[:-1])} and {members[-1]}"
        return len(self.specs) - 1

    def unless_task(self, spec: int) -> int:
        """That spec again, of a member that need not be there where _meta names a task."""
        row = self.specs[spec]
        self.specs.append(row._replace(mild=row.mild | UNLESS_TASK))
        self.wanted.append(self.wanted[spec])
        return len(self.specs) - 1

    def shape(self, name: str, place: Spot = _ELSEWHERE) -> int:
        key = name, place
        if key not in self.placed:
            shape = self.shapes[name]
            if shape.either:
                self.placed[key] = self.either(shape, place)
                return self.placed[key]
            if len(shape.members) > _MOST_MEMBERS:
                raise ValueError(f"the shape {name} has more than {_MOST_MEMBERS} members")
            order = list(shape.members)
            specs = [
                MemberRow(
                    text=self.text(member),
                    spec=NOTHING if spec == FREE else self.spec(spec, place.names(member), place.within(member)),
                )
                for member, spec in shape.members.items()
            ]
            alternatives = (n for n, row in enumerate(specs) if row.spec != NOTHING and order[n] in shape.one_of)
            first = next(alternatives, None)
            if first is not None:
                specs[first] = specs[first]._replace(spec=self.choice(specs[first].spec, shape.one_of))
            if shape.unless_task is not None:
                at = order.index(shape.unless_task)
                specs[at] = specs[at]._replace(spec=self.unless_task(specs[at].spec))
            cases = [
                CaseRow(text=self.text(value), shape=self.shape(case, place))
                for value, case in shape.cases.items()
                if value != OTHERWISE
            ]
            tag = PLAIN if shape.tag is None else place.names(shape.tag)
            if tag.value == RESULT_TYPE_UNKNOWN and OTHERWISE not in shape.cases:
                others = [value for value in self.result_types if value not in shape.cases]
                cases += [CaseRow(text=self.text(value), shape=NOTHING) for value in others]
            fallback = NOTHING if shape.default is None else self.shape(shape.default, place)
            otherwise = self.shape(shape.cases[OTHERWISE], place) if OTHERWISE in shape.cases else NOTHING
            values = tuple(value for value in shape.cases if value != OTHERWISE)
            tag_spec = NOTHING if shape.tag is None else self.spec(Spec(frozenset({"string"}), values=values))
            self.placed[key] = len(self.rows)
            self.rows.append(
                ShapeRow(
                    required=sum(1 << order.index(member) for member, spec in shape.members.items() if spec.required),
                    one_of=sum(1 << order.index(member) for member in shape.one_of),
                    members=len(self.members),
                    count=len(specs),
                    tag=NOTHING if shape.tag is None else self.text(shape.tag),
                    tag_spec=tag_spec,
                    cases=len(self.cases),
                    case_count=len(cases),
                    otherwise=otherwise,
                    fallback=fallback,
                    value_rule=rule_number(tag.value),
                    look=not LOOKED_FOR.isdisjoint(shape.names),
                    keys=_KEYS.index(shape.keys),
                    copied_to=self.text(shape.text_copy[1]) if shape.text_copy else NOTHING,
                    text_copy=sum(1 << order.index(member) for member in shape.text_copy),
                )
            )
            self.members += specs
            self.cases += cases
        return self.placed[key]

    def add(self, shape: Shape) -> str:
        """The name of a shape that is made here."""
        self.shapes = {**self.shapes, shape.name: shape}
        return shape.name

    def error(self, name: str, data: Spec) -> int:
        """An error object; that its code and message are right is a matter of the envelope."""
        members = {"code": _ANYTHING, "message": _ANYTHING, "data": data}
        return self.spec(Spec(frozenset({"object"}), shape=self.add(Shape(name, members, None, None, {}, None, ()))))

    def either(self, shape: Shape, place: Spot) -> int:
        """A row for each member whose presence selects a shape; the last falls back to all shapes together."""
        together = shape._replace(name=f"{shape.name}, none present", either=())
        found = self.shape(self.add(together), place)
        for member, name in reversed([*zip(shape.one_of, shape.either, strict=True)]):
            chosen, tag = self.shape(name, place), self.text(member)
            self.rows.append(_NO_SHAPE._replace(tag=tag, otherwise=chosen, fallback=found))
            found = len(self.rows) - 1
        return found


def rule_number(name: str | None) -> int:
    return NO_RULE if name is None else number(name)


def _integer(types: frozenset[str]) -> int:
    """How a number with a fraction is judged."""
    if "number" in types:
        return 0
    return INTEGER if "integer" in types else INTEGRAL if "integral" in types else 0


def _format(narrow: Narrow, *, listed: bool) -> int:
    """Of a string: fg_format."""
    if narrow.format:
        return FORMATS[narrow.format]
    return BEGINS if narrow.begins else LISTED * listed


@cache
def types_mask(types: frozenset[str]) -> int:
    """The bits of fg_type that a spec allows."""
    return sum(1 << bit for bit in {bit for name in types for bit in _TYPE_BITS[name]})  # several names are of numbers


def in_words(spec: Spec) -> str:
    """What a spec asks for: `a string or an integer`."""
    narrow = spec.narrow or _ANY
    words = [
        _narrowed(narrow, _WORDS[name]) if narrow.of == ("number" if name in NUMBERS else name) else _WORDS[name]
        for name in _WORDS
        if name in spec.types and not (name == "string" and spec.values)
    ]
    words += [f'"{value}"' for value in spec.values]
    if len(words) == len(_WORDS) - 2:
        return "any value"
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]


def _narrowed(narrow: Narrow, word: str) -> str:
    if narrow.format:
        return _FORMATS[narrow.format]
    if narrow.begins:
        return f"a string that begins with {' or '.join(narrow.begins)}"
    if narrow.of == "array":
        return f"{word} of at most {narrow.high} items"
    if narrow.low is None or narrow.high is None:
        return f"{word} of {narrow.high} or less" if narrow.low is None else f"{word} of {narrow.low} or more"
    return f"{word} from {narrow.low} to {narrow.high}"


def depth_of(shapes: Mapping[str, Shape], specs: Iterable[Spec]) -> int:
    """How many containers are described within each other. ValueError where a shape contains itself."""
    known: dict[str, int] = {}

    def of_spec(spec: Spec | None, around: tuple[str, ...]) -> int:
        if spec is None:
            return 0
        inner = [of_spec(spec.each, around), of_spec(spec.items, around)]
        if spec.shape is not None:
            inner.append(of_shape(spec.shape, around))
        return max(inner) + (spec.each is not None or spec.items is not None or "object" in spec.types)

    def of_shape(name: str, around: tuple[str, ...]) -> int:
        if name in around:
            raise ValueError(f"the shape {name} contains itself")
        if name not in known:
            shape, within = shapes[name], (*around, name)
            others = [*shape.cases.values(), *([shape.default] if shape.default else [])]
            deepest = [of_spec(spec, within) for spec in shape.members.values()]
            known[name] = max([0, *deepest, *(of_shape(other, within) for other in others)])
        return known[name]

    return max([0, *(of_spec(spec, ()) for spec in specs)])


def _texts_of(name: str) -> list[Revision]:
    return [_with_extension(each) for each in (MCP if name == "auto" else (name,))]


@cache
def data_of(name: str) -> Merged:
    """The data of a revision with its extension, or of "auto": all of MCP."""
    return merged(_texts_of(name))


@cache
def shapes_of(name: str) -> Shapes:
    """The same, compiled."""
    texts, data = _texts_of(name), data_of(name)
    compiler = _Compiler(data.shapes, data.result_types)
    specs = [spec for method in data.methods.values() for spec in (method.params, method.result) if spec is not None]
    if depth_of(data.shapes, [*specs, *data.error_data.values()]) >= DEPTH:
        raise ValueError(f"{name}: shapes within each other, more than {DEPTH} deep")
    methods, extra = _method_rows(compiler, data.methods)
    any_result = _any_result(compiler, texts, data)
    errors = [ErrorRow(code=code, spec=compiler.error(f"error {code}", spec)) for code, spec in data.error_data.items()]
    any_error = compiler.error("any error", _ANYTHING)
    first_extra = compiler.run(extra)
    answers_from = SERVER if not any(text.client_replies for text in texts) else CLIENT | SERVER
    requests_from = CLIENT if all(row.kind != REQUEST or row.senders == CLIENT for row in methods) else CLIENT | SERVER
    protocol = ProtocolRow(
        any_result=any_result,
        any_error=any_error,
        params_text=compiler.text("params"),
        extra_texts=first_extra,
        extra_count=len(extra),
        answers_from=answers_from,
        requests_from=requests_from,
        **_meta(compiler, texts),
        **STEP_RULES,
    )
    return Shapes(
        protocol,
        AREA_RULES,
        tuple(compiler.lists),
        specs=compiler.specs,
        shapes=compiler.rows,
        members=compiler.members,
        cases=compiler.cases,
        methods=methods,
        errors=errors,
        wanted=tuple(compiler.wanted),
        choices=compiler.choices,
    )


def _any_result(compiler: _Compiler, texts: Sequence[Revision], data: Merged) -> int:
    """The spec of a result of any method. Only for a single revision resultType selects more of it."""
    members = dict(data.shapes[data.any_result].members) if data.any_result else {}
    by_type = texts[0].told_results if len(texts) == 1 else {}
    if len(texts) == 1 and data.result_types:
        members[RESULT_TYPE] = Spec(frozenset({"string"}), required=True, values=data.result_types)
    if not members:
        return NOTHING
    plain = compiler.add(Shape("any result", members, None, None, {}, None, ()))
    if by_type:
        plain = compiler.add(Shape("result by type", {}, None, RESULT_TYPE, {**by_type, OTHERWISE: plain}, plain, ()))
    return compiler.spec(Spec(frozenset({"object"}), shape=plain), place=Spot("result"))


def _meta(compiler: _Compiler, texts: Sequence[Revision]) -> dict[str, int]:
    """What the keys of _meta are judged by; of several revisions nothing, since not all have any of it."""
    if len(texts) > 1 or texts[0].meta_keys is None:
        return {**dict.fromkeys(_META_FIELDS, 0), "text_block": NOTHING}
    text, data = texts[0], texts[0].meta_keys
    shapes = [shape for shape in text.shapes.values() if shape.keys == "meta"]
    defined = list(dict.fromkeys(member for shape in shapes for member in shape.members if "/" in member))
    trace = _TRACE if data.trace else ()
    return {
        "reserved_label": _RESERVED.index(data.reserved),
        "trace_count": len(trace),
        "trace_texts": compiler.run(trace),
        "defined_texts": compiler.run(defined),
        "defined_count": len(defined),
        "text_block": compiler.placed.get((_TEXT_BLOCK, _ELSEWHERE), NOTHING),
    }


def _with_extension(name: str) -> Revision:
    return revision(next((each for each in EXTENSIONS if each.startswith(f"{name}+")), name))


_NO_METHOD = MethodRow(kind=0, elsewhere=0, senders=0, params_required=0, params=NOTHING, result=NOTHING)


def _method_rows(compiler: _Compiler, methods: Mapping[str, Method]) -> tuple[list[MethodRow], list[str]]:
    """A row for each number, and after these one for each method that has none. Each is of some revision."""
    known = [name or "" for name in METHOD_NAMES]
    everywhere = frozenset[str]().union(*(revision(name).method_names for name in (*MCP, *EXTENSIONS)))
    extra = sorted(everywhere.difference(known))
    rows: list[MethodRow] = []
    for name in (*known, *extra):
        method = methods.get(name)
        if method is None or method.kind == "input-request":
            elsewhere = NO_FRAME if method else int(name in everywhere)
            rows.append(_NO_METHOD._replace(elsewhere=elsewhere))
            continue
        params, result = method.params, method.result
        place = Spot("params", name if name in OWN_METHODS else "")
        rows.append(
            MethodRow(
                kind=KIND_NAMES.index(method.kind),
                elsewhere=1,
                senders=_SENDERS[method.sender],
                params_required=params is not None and params.required,
                params=NOTHING if params is None else compiler.spec(params, place=place),
                result=NOTHING if result is None else compiler.spec(result, place=Spot("result")),
            )
        )
    return rows, extra
