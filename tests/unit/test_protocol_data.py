"""The methods and shapes of the revisions: sound in themselves, and what the published schemas and the text say."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import framegauge
from framegauge.protocol import EXTENSIONS, JSONRPC, LATEST, MCP, REVISIONS, Narrow, Revision, Shape, Spec, revision
from framegauge.protocol.notation import TYPES, parse_shapes, parse_spec
from framegauge.protocol.revision import load
from tests.support import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PACKAGE = Path(framegauge.__file__).parent
DATA = PACKAGE / "protocol" / "data"
TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_protocol.py"
NAMES = (*MCP, *EXTENSIONS)
TASKS = "2026-07-28+tasks"


def shape_of(spec: Spec | None, said: Revision) -> Shape:
    assert spec is not None
    assert spec.shape is not None
    return said.shapes[spec.shape]


def method_shapes(spec: Spec | None, said: Revision) -> list[Shape]:
    """The object shapes that a method's params or result may have."""
    shape = shape_of(spec, said)
    return [said.shapes[case] for case in shape.cases.values()] or [shape]


def inner(spec: Spec) -> Iterator[Spec]:
    yield spec
    for part in (spec.items, spec.each):
        if part:
            yield from inner(part)


def named_by(shape: Shape) -> Iterator[str]:
    """The shapes that a shape names; one that joins several names them in its own name."""
    yield from (spec.shape for member in shape.members.values() for spec in inner(member) if spec.shape)
    yield from shape.cases.values()
    yield from (shape.default,) if shape.default else ()
    yield from (part.strip() for part in shape.name.split("|") if "|" in shape.name)


def reached(names: Iterable[str], said: Revision) -> set[str]:
    """These shapes and all that they lead to."""
    waiting, found = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += named_by(said.shapes[name])
    return found


def used(said: Revision) -> set[str]:
    """The shapes that methods and errors lead to, and that of any result."""
    specs = [spec for one in said.methods.values() for spec in (one.params, one.result) if spec]
    tops = [part.shape for spec in (*specs, *said.error_data.values()) for part in inner(spec)]
    return reached(filter(None, [*tops, said.any_result]), said)


def clauses_of(said: Revision) -> set[str]:
    return {clause for one in said.methods.values() for clause in one.clauses} | {
        shape.clause for shape in said.shapes.values() if shape.clause
    }


def test_the_json_form_is_read_for_its_text_alone(tmp_path: Path) -> None:
    """The build writes it, by `tools/generate_protocol.py`."""
    package = tmp_path / "framegauge" / "protocol" / "data"
    package.mkdir(parents=True)
    text, form = package / f"{MCP[0]}.toml", package / f"{MCP[0]}.json"
    shutil.copy(DATA / text.name, text)
    without = load(MCP[0], package)
    runpy.run_path(str(TOOL.with_name("generate_protocol.py")))["write"](tmp_path)
    assert load(MCP[0], package)._replace(tables=without.tables) == without
    assert load(MCP[0], package).shapes == without.shapes
    form.write_text(form.read_text("utf-8").replace(without.title, "read"), "utf-8")
    assert load(MCP[0], package).title == "read"
    with text.open("a", encoding="utf-8") as file:
        file.write('\n[methods.invented]\nkind = "request"\nfrom = "client"\nurl = "https://example.org"\n')
    assert load(MCP[0], package).title == without.title
    assert "invented" in load(MCP[0], package).methods


def test_the_files_are_the_revisions() -> None:
    assert {path.name for path in DATA.glob("*.toml")} == {f"{name}.toml" for name in (*REVISIONS, *EXTENSIONS)}
    assert MCP == ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
    assert EXTENSIONS == (TASKS,)
    assert [len(revision(name).methods) for name in (JSONRPC, *NAMES)] == [0, 24, 24, 25, 31, 21, 25]


@pytest.mark.parametrize("name", NAMES)
def test_every_reference_resolves_and_no_shape_is_unused(name: str) -> None:
    said = revision(name)
    assert said.shapes.keys() == used(said)


@pytest.mark.parametrize("name", NAMES)
def test_no_shape_contains_itself(name: str) -> None:
    said = revision(name)
    for shape in said.shapes.values():
        assert shape.name not in reached(named_by(shape), said)


@pytest.mark.parametrize("name", NAMES)
def test_every_one_line_shape_is_used(name: str) -> None:
    raw = tomllib.loads((DATA / f"{name}.toml").read_text("utf-8"))
    lines = {key for key, said in raw["shapes"].items() if isinstance(said, str)}
    text = [
        said for shape in raw["shapes"].values() for said in (shape.values() if isinstance(shape, dict) else [shape])
    ]
    words = {word for said in text if isinstance(said, str) for word in re.findall(r'(?<!")\b[A-Za-z][\w.]*', said)}
    assert lines
    assert lines <= words


@pytest.mark.parametrize("name", NAMES)
def test_a_tag_leads_to_what_says_it(name: str) -> None:
    said = revision(name)
    tagged = [shape for shape in said.shapes.values() if shape.tag]
    for shape in tagged:
        for value, case in shape.cases.items():
            assert value in said.shapes[case].members[shape.tag or ""].values, f"{shape.name}: {value}"
        if shape.default and shape.tag != "resultType":  # there a reader is kinder than the sender's duty
            assert not said.shapes[shape.default].members[shape.tag or ""].required
    assert tagged


@pytest.mark.parametrize("name", NAMES)
def test_methods_say_where_they_come_from(name: str) -> None:
    for method in revision(name).methods.values():
        assert method.clauses, method.name
        assert method.url.startswith("https://modelcontextprotocol.io/"), method.name
        assert method.kind in ("request", "notification", "input-request")
        assert (method.result is None) == (method.kind == "notification"), method.name
        assert method.sender in ("client", "server", "both")
        assert (method.capability is None) == (method.capability_of is None), method.name
        assert method.capability_of in (None, "client", "server", "both", "sender", "receiver"), method.name


@pytest.mark.parametrize("name", NAMES)
def test_clauses_have_a_plausible_form(name: str) -> None:
    clauses = clauses_of(revision(name))
    assert len(clauses) > 30
    assert [one for one in clauses if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", one)] == []


@pytest.mark.skipif(SHARED is None, reason="needs the catalogue of clauses in ../shared")
@pytest.mark.parametrize("name", NAMES)
def test_clauses_are_in_the_catalogue(name: str) -> None:
    assert SHARED is not None
    listed = set(
        re.findall(r"^\| `([a-z0-9-]+)` \|", (SHARED / "spec" / "spec-rules.md").read_text("utf-8"), re.MULTILINE)
    )
    assert len(listed) > 300
    assert clauses_of(revision(name)) - listed == set()


@pytest.mark.parametrize("name", NAMES)
def test_params_of_every_method_describe_meta(name: str) -> None:
    said = revision(name)
    for method in said.methods.values():
        for shape in method_shapes(method.params, said):
            assert "object" in shape.members["_meta"].types, f"{method.name}: {shape.name}"
    requests = [one for one in said.methods.values() if one.kind == "request"]
    metas = {shape.members["_meta"].shape for one in requests for shape in method_shapes(one.params, said)}
    assert metas == {"RequestMeta"}
    assert said.shapes["RequestMeta"].members["progressToken"].types == {"string", "integer"}


@pytest.mark.parametrize("name", ["2025-06-18", "2025-11-25", "2026-07-28", TASKS])
def test_every_meta_says_how_its_keys_are_spelt(name: str) -> None:
    said = revision(name)
    metas = {shape.name: shape.members["_meta"] for shape in said.shapes.values() if "_meta" in shape.members}
    assert len(metas) > 5
    assert [owner for owner, meta in metas.items() if shape_of(meta, said).keys != "meta"] == []


def test_decisions() -> None:
    """Where the schema says one thing and the text or a decision another, or revisions differ: the right values."""
    found = {name: revision(name).shapes for name in NAMES}
    integers = {"integral"}
    assert [found[name]["Resource"].members["size"].types for name in MCP] == [integers] * 5
    assert found["2025-11-25"]["Task"].members["ttl"].types == {"integral", "null"}
    assert found[TASKS]["CreateTaskResult"].members["ttlMs"].types == {"integral", "null"}
    assert found["2025-11-25"]["CancelledNotificationParams"].members["requestId"].required
    content = found["2025-06-18"]["ElicitResult"].members["content"].each
    assert content is not None
    assert content.types == {"string", "number", "boolean"}
    assert found["2025-11-25"]["CallToolResult"].members["structuredContent"].types == {"object"}
    assert found["2026-07-28"]["CallToolResult"].members["structuredContent"].types == set(TYPES) - {
        "integer",
        "integral",
    }
    assert "structuredContent" not in found["2025-03-26"]["CallToolResult"].members
    assert found["2026-07-28"]["InputRequiredResult"].one_of == ("inputRequests", "requestState")


def test_meta_of_2026_07_28() -> None:
    members = revision("2026-07-28").shapes["RequestMeta"].members
    prefix = "io.modelcontextprotocol/"
    required = {name.removeprefix(prefix) for name, spec in members.items() if spec.required}
    assert required == {"protocolVersion", "clientCapabilities"}
    assert members[f"{prefix}clientInfo"].shape == "Implementation"
    levels = members[f"{prefix}logLevel"].values
    assert levels == ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def test_results_that_are_one_of_several() -> None:
    said = revision("2026-07-28")
    shape = shape_of(said.methods["tools/call"].result, said)
    assert (shape.tag, shape.default) == ("resultType", "CallToolResult")
    assert dict(shape.cases) == {"complete": "CallToolResult", "input_required": "InputRequiredResult"}
    assert (shape.members, shape.clause) == ({}, said.shapes["CallToolResult"].clause)
    said = revision("2025-11-25")
    shape = shape_of(said.methods["tools/call"].result, said)
    assert shape.tag is None
    assert shape.one_of == ("content", "task")
    assert shape.clause == said.shapes["CallToolResult"].clause
    assert {"content", "isError", "structuredContent", "task", "_meta"} == shape.members.keys()
    assert not any(spec.required for spec in shape.members.values())


def test_the_extension_adds_to_its_revision() -> None:
    base, said = revision("2026-07-28"), revision(TASKS)
    assert (base.extension, said.extension) == (None, "io.modelcontextprotocol/tasks")
    assert said.result_types == (*base.result_types, "task") == ("complete", "input_required", "task")
    own = {"tasks/get", "tasks/update", "tasks/cancel", "notifications/tasks"}
    assert said.methods.keys() - base.methods.keys() == own
    assert shape_of(said.methods["tools/call"].result, said).cases["task"] == "CreateTaskResult"
    assert "taskIds" in said.shapes["SubscriptionFilter"].members
    assert "taskIds" not in base.shapes["SubscriptionFilter"].members
    assert said.error_codes == base.error_codes
    assert said.error_data == base.error_data
    assert said.batch == base.batch


# The notation.

TEXT, NUMBER = Spec(frozenset({"string"})), Spec(frozenset({"number"}))
RAW: dict[str, Any] = {
    "Id": "string | integer",
    "Level": '"low" | "high"',
    "Many": "{Id}",
    "Loop": "Pool | null",
    "Pool": "[Loop]",
    "Must": "string!",
    "Number": "integer | integral | number",
    "Thing": {"name": "string!"},
    "Thing.part-2": {"$schema": "string"},
}


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("string!", Spec(frozenset({"string"}), required=True)),
        ("any", Spec(frozenset(TYPES) - {"integer", "integral"})),
        ("integral | null", Spec(frozenset({"integral", "null"}))),
        ('"a b" | "|!" !', Spec(frozenset({"string"}), required=True, values=("a b", "|!"))),
        ('"a" | number', Spec(frozenset({"string", "number"}), values=("a",))),
        ("Id", Spec(frozenset({"string", "integer"}))),
        ("Level | null", Spec(frozenset({"string", "null"}), values=("low", "high"))),
        ("Thing!", Spec(frozenset({"object"}), required=True, shape="Thing")),
        ("Thing.part-2", Spec(frozenset({"object"}), shape="Thing.part-2")),
        ("[Thing]", Spec(frozenset({"array"}), items=Spec(frozenset({"object"}), shape="Thing"))),
        ("[[Id]]", Spec(frozenset({"array"}), items=Spec(frozenset({"array"}), items=parse_spec("Id", RAW)))),
        ("Many", Spec(frozenset({"object"}), each=Spec(frozenset({"string", "integer"})))),
        (
            "Thing | [Thing|null]",
            Spec(
                frozenset({"object", "array"}),
                shape="Thing",
                items=Spec(frozenset({"object", "null"}), shape="Thing"),
            ),
        ),
        ("string(base64)!", Spec(frozenset({"string"}), True, narrow=Narrow("string", "base64"))),
        ("string(uri?)", Spec(frozenset({"string"}), narrow=Narrow("string", "uri", mild=True))),
        ("string(https: data:)", Spec(frozenset({"string"}), narrow=Narrow("string", begins=("https:", "data:")))),
        ("number(0..1)", Spec(frozenset({"number"}), narrow=Narrow("number", low=0, high=1))),
        ("integer(-5..)", Spec(frozenset({"integer"}), narrow=Narrow("number", low=-5))),
        ("Number(0..)", Spec(frozenset({"integer", "integral", "number"}), narrow=Narrow("number", low=0))),
        ("null | integral (..7?)", Spec(frozenset({"null", "integral"}), narrow=Narrow("number", high=7, mild=True))),
        (
            "[string](..100)!",
            Spec(frozenset({"array"}), True, items=TEXT, narrow=Narrow("array", high=100)),
        ),
        (
            "[number(0..)]",
            Spec(frozenset({"array"}), items=NUMBER._replace(narrow=Narrow("number", low=0))),
        ),
        ("string | array(..2)", Spec(frozenset({"string", "array"}), narrow=Narrow("array", high=2))),
    ],
)
def test_a_spec_is_read(text: str, spec: Spec) -> None:
    assert parse_spec(text, RAW) == spec


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "character 1: an alternative is missing"),
        ("string |", "an alternative is missing"),
        ("| string", "an alternative is missing"),
        ("string string", "character 8: string is out of place"),
        ("!string", "an alternative is missing"),
        ("string! | null", "is out of place"),
        ("[string", "] is missing"),
        ("[string!]", "] is missing"),
        ("{string]", "} is missing"),
        ("[]", "an alternative is missing"),
        ("text", "there is no shape text"),
        ("[string | Nothing]", "character 11: there is no shape Nothing"),
        ("object | Thing", "more than one alternative is an object"),
        ("{string} | Thing", "more than one alternative is an object"),
        ("array | [string]", "more than one alternative is an array"),
        ('"a" | string', "any string and certain strings"),
        ("string & null", "character 8: & means nothing"),
        ('"open', "means nothing"),
        ("Loop", "contains itself"),
        ("Must", "ends with !"),
        ("string(bas64)", "character 7: (bas64) does not fit the alternative before it"),
        ("string()", "does not fit"),
        ("string(?)", "does not fit"),
        ("string(uri https:)", "does not fit"),
        ("string(0..1)", "does not fit"),
        ('"a"(uri)', "does not fit"),
        ("number(uri)", "does not fit"),
        ("number(..)", "does not fit"),
        ("number(0...1)", "does not fit"),
        ("number(0..1)(0..1)", "is out of place"),
        ("boolean(0..1)", "does not fit"),
        ("any(0..1)", "does not fit"),
        ("[string](1..2)", "does not fit"),
        ("Thing(..1)", "does not fit"),
        ("(uri)", "an alternative is missing"),
        ("string(uri", "( means nothing"),
        ("string(uri) | string", "one alternative is narrowed, and another is of its type"),
        ("number(0..1) | integer", "one alternative is narrowed, and another is of its type"),
        ("string(uri) | number(0..)", "or narrowed too"),
    ],
)
def test_a_wrong_spec_says_what_is_wrong_and_where(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        parse_spec(text, RAW)


@pytest.mark.parametrize(
    ("shape", "wrong"),
    [
        ({"name": "strin"}, "shape New, member name: 'strin', at character 1: there is no shape strin"),
        ({"name": 5}, "shape New, member name: a spec is a string, not 5"),
        ({"name": {"type": "string"}}, "shape New, member name"),
        ({"@clauses": "x-y"}, "shape New: @clauses means nothing"),
        ({"@tag": "type"}, "belong together"),
        ({"@cases": {"a": "Thing"}}, "belong together"),
        ({"@default": "Thing"}, "belong together"),
        ({"@tag": "type", "@cases": {"a": "Nothing"}}, "there is no table Nothing"),
        ({"@tag": "type", "@cases": {"a": "Id"}}, "there is no table Id"),
        ({"@tag": "type", "@cases": {"a": "Thing"}, "@default": "Id"}, "there is no table Id"),
        ({"text": "string", "@one": ["text", "blob"]}, "@one names blob"),
        ({"text": "string", "@one": ["text"], "@either": ["Nothing"]}, "there is no table Nothing"),
        ({"text": "string", "@one": ["text"], "@either": []}, "@either has a shape for each member in @one"),
        ({"text": "string", "@either": ["Thing"]}, "@either has a shape for each member in @one"),
    ],
)
def test_a_wrong_shape_says_what_is_wrong_and_where(shape: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        parse_shapes({"Thing": RAW["Thing"], "Id": RAW["Id"], "New": shape})


# A revision is a file.

INVENTED = """
[methods."tools/undo"]
kind = "request"
from = "client"
params = "UndoRequestParams!"
result = "CallToolResult"
clauses = ["tools-undo"]
url = "https://example.org/undo"

[shapes.UndoRequestParams]
steps = "integer!"
_meta = "RequestMeta"
"""


def invent(folder: Path) -> None:
    """A revision after all others: the newest one and one method more."""
    text = (DATA / f"{LATEST}.toml").read_text("utf-8").replace(f"date = {LATEST}", "date = 2027-01-01")
    (folder / "2027-01-01.toml").write_text(text + INVENTED, "utf-8")


def test_an_invented_revision_is_read(tmp_path: Path) -> None:
    invent(tmp_path)
    said = load("2027-01-01", tmp_path)
    assert (said.name, said.date) == ("2027-01-01", "2027-01-01")
    assert said.methods.keys() - revision(LATEST).methods.keys() == {"tools/undo"}
    assert shape_of(said.methods["tools/undo"].params, said).members["steps"].required
    assert said.shapes.keys() == used(said)


def test_an_extension_of_it_is_read(tmp_path: Path) -> None:
    invent(tmp_path)
    (tmp_path / "2027-01-01+more.toml").write_text(
        'extension = "org.example/more"\n[shapes]\nRole = \'"nobody"\'\n', "utf-8"
    )
    said = load("2027-01-01+more", tmp_path)
    assert said.extension == "org.example/more"
    assert said.shapes["PromptMessage"].members["role"].values == ("nobody",)


@pytest.mark.parametrize(
    ("more", "wrong"),
    [
        ('[methods."x"]\nkind = "request"\n', "method x"),
        (
            '[methods."x"]\nkind = "request"\nfrom = "client"\nurl = "x"\nresult = "Nothing"\n',
            "method x: 'Nothing', at character 1: there is no shape Nothing",
        ),
        (
            '[methods."x"]\nkind = "request"\nfrom = "client"\nurl = "x"\nparams = 5\n',
            "method x: a spec is a string, not 5",
        ),
    ],
)
def test_a_wrong_file_says_what_is_wrong_and_where(tmp_path: Path, more: str, wrong: str) -> None:
    text = (DATA / "2024-11-05.toml").read_text("utf-8").replace("[status]\nnotification = 202\nresponse = 202\n", "")
    (tmp_path / "2027-01-01.toml").write_text(text + more, "utf-8")
    with pytest.raises(ValueError, match=f"2027-01-01: {wrong}"):
        len(load("2027-01-01", tmp_path).methods)


def test_a_result_may_be_any_spec(tmp_path: Path) -> None:
    text = INVENTED.replace('"CallToolResult"', '"{string}"')
    (tmp_path / "x.toml").write_text((DATA / "2025-11-25.toml").read_text("utf-8") + text, "utf-8")
    assert load("x", tmp_path).methods["tools/undo"].result == parse_spec("{string}", {})


def test_adding_a_file_adds_a_revision(tmp_path: Path) -> None:
    """A copy of the package with one file more judges frames by it; nothing else is touched."""
    shutil.copytree(PACKAGE, tmp_path / "framegauge", ignore=shutil.ignore_patterns("__pycache__"))
    invent(tmp_path / "framegauge" / "protocol" / "data")
    script = """
import framegauge
from framegauge.protocol import LATEST, MCP, REVISIONS, revision
assert framegauge.__file__.startswith({folder!r}), framegauge.__file__
assert (LATEST, len(MCP), len(REVISIONS)) == ("2027-01-01", 6, 7)
assert "tools/undo" in revision("2027-01-01").methods
gauge = framegauge.Gauge(revision="2027-01-01", direction="client-to-server")
meta = (
    b'"_meta":{{"io.modelcontextprotocol/protocolVersion":"2027-01-01",'
    b'"io.modelcontextprotocol/clientCapabilities":{{}}}}'
)
listing = b'{{"jsonrpc":"2.0","id":%%s,"method":"tools/list","params":{{%s}}}}' % meta
assert gauge.check(listing % b"1").ok
assert not gauge.check(listing % b"null").ok
assert not gauge.check(b'[]').ok
undo = b'{{"jsonrpc":"2.0","id":1,"method":"tools/undo","params":{{%s,"steps":%%s}}}}' % meta
assert gauge.check(undo % b"1").ok
assert not gauge.check(undo % b'"x"').ok
assert not framegauge.Gauge(revision="2025-11-25").check(undo % b"1").ok
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script.format(folder=str(tmp_path))],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")


# The published schemas.

needs_schemas = pytest.mark.skipif(SHARED is None, reason="needs the schemas and the list of methods in ../shared")


@needs_schemas
def test_every_difference_from_the_schemas_is_explained() -> None:
    assert SHARED is not None
    tool = runpy.run_path(str(TOOL))
    lines = tool["found"](SHARED)
    assert len(lines) > 100, "the comparison found what is known to differ"
    assert tool["unexplained"](lines) == []


def changed_shape(name: str, /, **members: Spec | None) -> Callable[[Revision], Revision]:
    """With other members of one shape; None takes one away."""

    def change(said: Revision) -> Revision:
        shape = said.shapes[name]
        left = {key: spec for key, spec in {**shape.members, **members}.items() if spec}
        return with_tables(said, shapes={**said.shapes, name: shape._replace(members=left)})

    return change


def changed_method(name: str, /, **said_of_it: Any) -> Callable[[Revision], Revision]:
    def change(said: Revision) -> Revision:
        return with_tables(said, methods={**said.methods, name: said.methods[name]._replace(**said_of_it)})

    return change


def one_case_only(said: Revision) -> Revision:
    shape = said.shapes["ContentBlock"]._replace(cases={"text": "TextContent"})
    return with_tables(said, shapes={**said.shapes, "ContentBlock": shape})


def with_tables(said: Revision, **tables: Any) -> Revision:
    changed = said.tables()._replace(**tables)
    return said._replace(tables=lambda: changed)


PROMPTS = Spec(frozenset({"array"}), required=True, items=Spec(frozenset({"object"}), shape="Prompt"))


@needs_schemas
@pytest.mark.parametrize(
    ("line", "change"),
    [
        ("CallToolRequestParams.name: only in the schema", changed_shape("CallToolRequestParams", name=None)),
        ("CallToolRequestParams.more: only in the data", changed_shape("CallToolRequestParams", more=TEXT)),
        ("CallToolRequestParams.name: optional only in the data", changed_shape("CallToolRequestParams", name=TEXT)),
        ("Icon.mimeType: required only in the data", changed_shape("Icon", mimeType=TEXT._replace(required=True))),
        ("Icon.src: types: data number, schema string", changed_shape("Icon", src=Spec(frozenset({"number"}), True))),
        (
            "ToolChoice.mode: values: data auto, schema auto, none, required",
            changed_shape("ToolChoice", mode=TEXT._replace(values=("auto",))),
        ),
        ("Annotations.priority: narrow: data -, schema 0..1", changed_shape("Annotations", priority=NUMBER)),
        (
            "ImageContent.data: narrow: data -, schema base64",
            changed_shape("ImageContent", data=TEXT),
        ),
        ("ListToolsResult.tools[]: shape: data Prompt, schema Tool", changed_shape("ListToolsResult", tools=PROMPTS)),
        (
            "GetPromptRequestParams.arguments{}: only in the schema",
            changed_shape("GetPromptRequestParams", arguments=Spec(frozenset({"object"}))),
        ),
        ("ContentBlock: cases: data text, schema audio, image, resource, resource_link, text", one_case_only),
        ("ping: kind: data notification, list request", changed_method("ping", kind="notification")),
        ("ping: direction: data server, list both", changed_method("ping", sender="server")),
        ("ping: capability: data x, list None", changed_method("ping", capability="x")),
        (
            "ping: params_required: data True, list False",
            changed_method("ping", params=Spec(frozenset({"object"}), True, shape="RequestParams")),
        ),
        ("tools/list: required_params: data name, list -", None),
        ("tools/list params: shape: data CallToolRequestParams, schema PaginatedRequestParams", None),
        ("tools/list: result_required: data content, list tools", None),
        ("tools/list result: shape: data CallToolResult, schema ListToolsResult", None),
    ],
)
def test_a_change_is_noticed(line: str, change: Callable[[Revision], Revision] | None) -> None:
    assert SHARED is not None
    tool = runpy.run_path(str(TOOL))
    if change is None:
        call, result = (Spec(frozenset({"object"}), shape=f"CallTool{part}") for part in ("RequestParams", "Result"))
        change = changed_method("tools/list", params=call, result=result)
    said = revision("2025-11-25")
    schema = tool["Schema"](
        SHARED / "oracle" / "mcp" / said.name / "schema.json", tomllib.loads(tool["KNOWN"].read_text("utf-8"))
    )
    listed = json.loads((SHARED / "spec" / "methods.json").read_text("utf-8"))["revisions"][said.name]
    before, after = (set(tool["differences"](one, schema, listed)) for one in (said, change(said)))
    assert line in after - before


@needs_schemas
def test_an_explanation_of_nothing_is_noticed() -> None:
    left = runpy.run_path(str(TOOL))["unexplained"]([])
    assert len(left) > 20
    assert all(line.startswith("explains nothing: ") for line in left)
