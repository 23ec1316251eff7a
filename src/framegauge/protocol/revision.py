"""The revisions, oldest first, as data. Code that asks `if revision ==` lacks a datum here.

There is a revision for every TOML file in `data`, and an extension for every file `<revision>+<extension>.toml`, which
adds to its revision. The tables of methods and shapes are long, and are made on demand.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from framegauge.protocol.notation import Shape, Spec, parse_shapes, parse_spec

__all__ = [
    "EXTENSIONS",
    "JSONRPC",
    "LATEST",
    "MCP",
    "REVISIONS",
    "BatchPolicy",
    "HttpStatus",
    "MetaKeys",
    "Method",
    "MethodKind",
    "Revision",
    "Sender",
    "UnreadableId",
    "load",
    "revision",
]

BatchPolicy = Literal["judged", "refused"]
UnreadableId = Literal["null", "omit"]
MethodKind = Literal["request", "notification", "input-request"]
Sender = Literal["client", "server", "both"]

_DATA = os.path.join(os.path.dirname(__file__), "data")
_FILES = sorted(name.removesuffix(".toml") for name in os.listdir(_DATA) if name.endswith(".toml"))

JSONRPC = "jsonrpc-2.0"
MCP = tuple(name for name in _FILES if name != JSONRPC and "+" not in name)
REVISIONS = (JSONRPC, *MCP)
LATEST = MCP[-1]
_EXTENSION_FILES = tuple(name for name in _FILES if "+" in name)
# Of a revision, by its name and the extension's. An extension holds from the revision of its file on.
EXTENSIONS = tuple(
    f"{revision}+{extension}"
    for revision in MCP
    for extension in sorted({name.partition("+")[2] for name in _EXTENSION_FILES if name.partition("+")[0] <= revision})
)

_RESULT_TYPE = "resultType"  # the member that distinguishes the results of a method
_META_VERSION = "io.modelcontextprotocol/protocolVersion"


class HttpStatus(NamedTuple):
    """The status that HTTP owes a client; None where the text names none."""

    error: int | None  # with an error answer
    unknown_method: int | None  # with -32601
    batch: int | None  # an array where none may be sent
    notification: int | None  # accepted, without a body
    response: int | None  # the same for a response


class MetaKeys(NamedTuple):
    """How keys of _meta are judged; docs/verdict.md section 6."""

    reserved: Literal["second", "second last"]  # the label of a prefix that makes it MCP's own
    trace: bool  # do the values of traceparent, tracestate and baggage have a format


class Method(NamedTuple):
    """One method of a revision."""

    name: str
    kind: MethodKind  # an input request is an entry of a result's inputRequests, no frame of its own
    sender: Sender
    params: Spec | None  # None: not described
    result: Spec | None  # None: there is none
    capability: str | None  # what has to be declared for it, dotted
    capability_of: str | None  # by whom: client, server or both, or the sender or receiver of this method
    clauses: tuple[str, ...]
    url: str


class Revision(NamedTuple):
    """One revision. A constant of the protocol is here, a judgement on a frame in `framegauge.ruleset`."""

    name: str
    title: str
    date: str
    url: str
    batch: BatchPolicy  # are the elements of a top-level array judged, or is the array refused
    error_id: Mapping[str, UnreadableId]  # by transport: how an id that could not be read is written
    fractional_id: bool  # may an answer repeat an id that is not an integer
    client_replies: bool  # may a client send error answers
    status: HttpStatus
    features: frozenset[str]  # by which rules select revisions
    error_codes: Mapping[int, str]  # the codes that the text gives a meaning
    result_types: tuple[str, ...]  # the values of resultType; empty: there is no such member
    extension: str | None  # the identifier of the extension that is in use
    meta_keys: MetaKeys | None  # None: any key will do
    any_result: str | None  # the shape of which any result is, beside resultType
    told_results: Mapping[str, str]  # by resultType: the shape of which any such result is
    method_names: frozenset[str]
    tables: Callable[[], "Tables"]  # what is read on demand

    @property
    def methods(self) -> Mapping[str, Method]:
        return self.tables().methods

    @property
    def shapes(self) -> Mapping[str, Shape]:
        return self.tables().shapes

    @property
    def error_data(self) -> Mapping[int, Spec]:
        """The codes whose data is described."""
        return self.tables().error_data


class Tables(NamedTuple):
    """The long part of a revision."""

    methods: Mapping[str, Method]
    shapes: Mapping[str, Shape]
    error_data: Mapping[int, Spec]


@cache
def revision(name: str) -> Revision:
    """The revision of that name, or with an extension; its files are read once."""
    if name not in REVISIONS and name not in EXTENSIONS:
        raise ValueError(f"unknown revision {name!r}; it is one of {', '.join((*REVISIONS, *EXTENSIONS))}")
    return load(name, _DATA)


def load(name: str, folder: "str | os.PathLike[str]") -> Revision:
    """Reads a revision, or one with an extension, from the files of a folder."""
    base, plus, extension = name.partition("+")
    files = [base, _extension_file(base, extension, folder)] if plus else [base]
    return _revision(name, _joined(_content(folder, file) for file in files))


def _extension_file(base: str, extension: str, folder: "str | os.PathLike[str]") -> str:
    """The newest file of an extension that is not newer than a revision."""
    names = (name.removesuffix(".toml") for name in os.listdir(folder) if name.endswith(f"+{extension}.toml"))
    return max(name for name in names if name.partition("+")[0] <= base)


def _content(folder: "str | os.PathLike[str]", file: str) -> dict[str, Any]:
    """The content of one file. Its JSON copy, if it is of the same text, is read in a twentieth of the time."""
    import json  # both only here: classify does not need a revision
    from zlib import crc32

    path = os.path.join(folder, file)
    with open(f"{path}.toml", "rb") as source:
        text = source.read()
    if os.path.exists(f"{path}.json"):
        with open(f"{path}.json", "rb") as copy:
            made: dict[str, Any] = json.load(copy)
        if made["crc32"] == crc32(text):
            content: dict[str, Any] = made["says"]
            return content
    import tomllib  # only here: it is slow

    return tomllib.loads(text.decode())


def _joined(files: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Files as one: each adds to the tables and lists of those before it, and replaces all else."""
    joined: dict[str, Any] = {}
    for key, value in (item for file in files for item in file.items()):
        match value:
            case dict():
                joined[key] = {**joined.get(key, {}), **value}
            case list():
                joined[key] = [*joined.get(key, ()), *value]
            case _:
                joined[key] = value
    return joined


def _revision(name: str, raw: dict[str, Any]) -> Revision:
    status = raw.get("status", {})
    return Revision(
        name=name,
        title=raw["title"],
        date=str(raw["date"]),
        url=raw["url"],
        batch=raw["batch"],
        error_id=MappingProxyType(raw["error_id"]),
        fractional_id=raw["fractional_id"],
        client_replies=raw["client_replies"],
        status=HttpStatus(**{field: status.get(field) for field in HttpStatus._fields}),
        features=_features(raw),
        error_codes=MappingProxyType({int(code): meaning for code, meaning in raw["error_codes"].items()}),
        result_types=tuple(raw.get("result_types", ())),
        extension=raw.get("extension"),
        any_result=raw.get("any_result"),
        told_results=MappingProxyType(raw.get("told_results", {})),
        meta_keys=MetaKeys(**raw["meta_keys"]) if "meta_keys" in raw else None,
        method_names=frozenset(raw.get("methods", ())),
        tables=cache(partial(_tables, name, raw)),
    )


def _features(raw: dict[str, Any]) -> frozenset[str]:
    """Those that the file lists, and those that follow from its other data."""
    meta_keys, shapes = raw.get("meta_keys", {}), [*raw.get("shapes", {}).values()]
    tables = [shape for shape in shapes if isinstance(shape, dict)]
    specs = [text for shape in shapes for text in (shape.values() if isinstance(shape, dict) else [shape])]
    follow = {
        "batch_judged": raw["batch"] == "judged",
        "deprecations": any("~" in text for text in specs if isinstance(text, str)),
        "error_data": "error_data" in raw,
        "extension_keys": any(table.get("@keys") == "extension" for table in tables),
        "meta_keys": bool(meta_keys),
        "meta_version": any(table.get("@keys") == "meta" and _META_VERSION in table for table in tables),
        "result_type": "result_types" in raw,
        "text_copy": any("@text_copy" in table for table in tables),
        "trace_keys": meta_keys.get("trace", False),
    }
    return frozenset(raw.get("features", ())) | {name for name, holds in follow.items() if holds}


def _tables(name: str, raw: dict[str, Any]) -> Tables:
    try:
        shapes, error_data = raw.get("shapes", {}), raw.get("error_data", {})
        return Tables(
            methods=MappingProxyType(
                {key: _method(key, table, shapes) for key, table in raw.get("methods", {}).items()}
            ),
            error_data=MappingProxyType({int(code): parse_spec(text, shapes) for code, text in error_data.items()}),
            shapes=parse_shapes(shapes),  # after the methods, which may add some
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _method(name: str, table: dict[str, Any], shapes: dict[str, Any]) -> Method:
    try:
        params, result = table.get("params"), table.get("result")
        return Method(
            name=name,
            kind=table["kind"],
            sender=table["from"],
            params=None if params is None else parse_spec(params, shapes),
            result=None if result is None else _result(result, shapes),
            capability=table.get("capability"),
            capability_of=table.get("capability_of"),
            clauses=tuple(table.get("clauses", ())),
            url=table["url"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"method {name}: {error}") from None


def _result(text: str, shapes: dict[str, Any]) -> Spec:
    """A result: a spec, or several shapes joined by `|`, which make a shape of that name."""
    names = [name.strip() for name in text.split("|")]
    if len(names) == 1:
        return parse_spec(text, shapes)
    if text not in shapes:
        shapes[text] = _one_of(names, [shapes[name] for name in names], shapes)
    return Spec(frozenset({"object"}), shape=text)


def _one_of(names: list[str], tables: list[dict[str, Any]], shapes: dict[str, Any]) -> dict[str, Any]:
    clause = {key: value for key, value in tables[0].items() if key == "@clause"}
    if all(_RESULT_TYPE in table for table in tables):  # which selects it; the default is the first
        values = [parse_spec(table[_RESULT_TYPE], shapes).values for table in tables]
        cases = {value: name for name, own in zip(names, values, strict=True) for value in own}
        return {**clause, "@tag": _RESULT_TYPE, "@cases": cases, "@default": names[0]}
    # Only members distinguish them: the first required member of each is present in it.
    specs = [{member: text for member, text in table.items() if not member.startswith("@")} for table in tables]
    members = {member: text.rstrip("!") for own in specs for member, text in own.items()}
    needed = [next(member for member, text in own.items() if text.endswith("!")) for own in specs]
    return {**clause, **members, "@one": needed, "@either": names}
