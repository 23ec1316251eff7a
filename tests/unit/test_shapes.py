"""How what the revisions say is compiled for the native layer, and put into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.gauge import value_program as shapes
from framegauge.gauge.value_program import _Compiler, depth_of, in_words, shapes_of
from framegauge.native.program import (
    ANY_SIZE,
    BEGINS,
    DEPRECATED,
    FORMATS,
    LISTED,
    MILD,
    NO_HIGH,
    NO_LOW,
    NOTHING,
    Shapes,
)
from framegauge.protocol import Shape, Spec, revision
from framegauge.protocol.notation import parse_shapes, parse_spec

if TYPE_CHECKING:
    from collections.abc import Mapping

RAW: dict[str, Any] = {
    "Thing": {"name": "string!"},
    "Box": {"thing": "Thing", "other": "string"},
    "Boxes": {"all": "[Box]"},
    "Told": {"@tag": "kind", "@cases": {"thing": "Thing", "boxes": "Boxes"}},
    "Default": {"@tag": "kind", "@cases": {"thing": "Thing"}, "@default": "Boxes"},
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("string!", "a string"),
        ("string | integer", "an integer or a string"),
        ("null | string | integral", "a number, by the text an integer, a string or null"),
        ("boolean | number", "a number or true or false"),
        ("Thing | [string]", "an object or an array"),
        ('"low" | "high"', '"low" or "high"'),
        ('"low" | null', 'null or "low"'),
        ("any", "any value"),
        ("string | number | boolean | array | null", "a number, a string, true or false, an array or null"),
        ("string(base64)", "base64, padded and without line breaks"),
        ("string(uri) | number", "a number or a URI as RFC 3986 has it"),
        ("string(url?)", "a URL"),
        ("string(mime)", "a MIME type"),
        ("string(iso8601)", "a time as ISO 8601 writes it"),
        ("string(https: data:)", "a string that begins with https: or data:"),
        ("[string](..100)", "an array of at most 100 items"),
        ("number(0..1)", "a number from 0 to 1"),
        ("integer(-5..)", "an integer of -5 or more"),
        ("integer(..7) | string", "an integer of 7 or less or a string"),
    ],
)
def test_what_a_spec_asks_for_in_words(text: str, words: str) -> None:
    assert in_words(parse_spec(text, RAW)) == words


ANY_STRING = {
    "shape": NOTHING,
    "each": NOTHING,
    "items": NOTHING,
    "value_count": 0,
    "known_count": 0,
    "low": NO_LOW,
    "high": NO_HIGH,
    "most": ANY_SIZE,
    "integer": 0,
    "bounded": False,
    "format": 0,
    "mild": 0,
    "deprecated": 0,
}


@pytest.mark.parametrize(
    ("text", "differs"),
    [
        ("string", {"types": 1 << 3}),
        ("~string", {"types": 1 << 3 | DEPRECATED}),
        ("boolean | null", {"types": 1 << 5 | 1 << 6 | 1 << 7}),
        ("number", {"types": 1 << 4}),
        ("integer", {"types": 1 << 4, "integer": 1}),
        ("integral", {"types": 1 << 4, "integer": 2}),
        ("integral | number", {"types": 1 << 4}),
        ("number(0..1)", {"low": 0, "high": 1, "bounded": True}),
        ("number(-3..)", {"low": -3, "bounded": True}),
        ("number(..3?)", {"high": 3, "bounded": True, "mild": MILD}),
        ("number(..3) | array", {"high": 3, "bounded": True}),
        ("array(..3) | number", {"most": 3}),
        ("array(..3?)", {"most": 3, "mild": MILD}),
        ("string(uri)", {"format": FORMATS["uri"]}),
        ("string(a: b:)", {"format": BEGINS, "value_count": 2, "known_count": 2}),
        ('"a" | ~"b" | "c"', {"format": LISTED, "value_count": 3, "known_count": 3, "deprecated": 1}),
    ],
)
def test_a_spec_is_a_row(text: str, differs: dict[str, int]) -> None:
    compiler = _Compiler({}, ())
    row = compiler.specs[compiler.spec(parse_spec(text, {}))]._asdict()
    due = {"types": row["types"], **ANY_STRING, **differs}
    assert {name: row[name] for name in due} == due
    assert len(compiler.lists) == row["known_count"]


def test_texts_that_are_advised_against_come_first() -> None:
    compiler = _Compiler({}, ())
    compiler.text("before")
    row = compiler.specs[compiler.spec(parse_spec('"a" | ~"b" | "c"', {}))]._asdict()
    assert compiler.lists[row["values"] :] == [b"b", b"a", b"c"]


def test_a_shape_has_as_many_members_as_there_are_bits() -> None:
    for count in (1, 63):
        wide = Shape("Wide", dict.fromkeys(map(str, range(count)), Spec(frozenset({"null"}))), None, None, {}, None, ())
        assert _Compiler({"Wide": wide}, ()).shape("Wide") == 0
    wide = wide._replace(members={**wide.members, "more": Spec(frozenset({"null"}))})
    with pytest.raises(ValueError, match="the shape Wide has more than 63 members"):
        _Compiler({"Wide": wide}, ()).shape("Wide")


@pytest.mark.parametrize(
    ("texts", "depth"),
    [
        ([], 0),
        (["string"], 0),
        (["object"], 1),
        (["array"], 0),
        (["[string]"], 1),
        (["{string}"], 1),
        (["[{[null]}]"], 3),
        (["Thing"], 1),
        (["Box"], 2),
        (["string", "Box", "object"], 2),
        (["[Box]"], 3),
        (["Boxes"], 4),
        (["Told"], 4),
        (["Default"], 4),
    ],
)
def test_how_deep_it_is_described(texts: list[str], depth: int) -> None:
    assert depth_of(parse_shapes(RAW), [parse_spec(text, RAW) for text in texts]) == depth


@pytest.mark.parametrize(
    "loop",
    [
        {"x": "Loop"},
        {"x": "[Loop]"},
        {"x": "{[Loop]}"},
        {"x": "Between"},
        {"@tag": "x", "@cases": {"a": "Loop"}},
        {"@tag": "x", "@cases": {"a": "Thing"}, "@default": "Between"},
    ],
)
def test_a_shape_that_contains_itself(loop: Mapping[str, Any]) -> None:
    raw = {**RAW, "Loop": loop, "Between": {"y": "Loop"}}
    with pytest.raises(ValueError, match=r"the shape (Loop|Between) contains itself"):
        depth_of(parse_shapes(raw), [parse_spec("Box", raw), parse_spec("Loop", raw)])


@pytest.mark.parametrize("name", ["2025-06-18", "2025-11-25", "2026-07-28", "auto"])
def test_no_deeper_than_the_native_layer_goes(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    said = shapes.data_of(name)
    specs = [spec for method in said.methods.values() for spec in (method.params, method.result) if spec]
    deepest = depth_of(said.shapes, specs)
    monkeypatch.setattr(shapes, "DEPTH", deepest + 1)
    assert isinstance(shapes_of.__wrapped__(name), Shapes)
    monkeypatch.setattr(shapes, "DEPTH", deepest)
    with pytest.raises(ValueError, match=f"{name}: shapes within each other, more than {deepest} deep"):
        shapes_of.__wrapped__(name)


BLOCKS = '"text", "image", "audio", "resource_link" or "resource"'


@pytest.mark.parametrize(
    ("name", "result", "message"),
    [
        ("2025-11-25", b"{}", "one of content and task must be there, and none is"),
        ("auto", b"{}", "one of content and task must be there, and none is"),
        ("2025-06-18", b"{}", "content is missing, which is required"),
        ("2025-11-25", b'{"content":[{"type":"x"}]}', f"the value here must be {BLOCKS}"),
        ("2025-11-25", b'{"content":[{"type":1}]}', f"the value here must be {BLOCKS}"),
        ("2025-11-25", b'{"content":[{}]}', "type is missing, which is required"),
        ("2026-07-28", b'{"resultType":1}', 'the value here must be "complete", "input_required" or "task"'),
    ],
)
def test_a_finding_says_what_is_wanted(name: str, result: bytes, message: str) -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"result":' + result + b"}"
    assert [found.message for found in fg.Gauge(name).check(frame, request_method="tools/call").findings] == [message]


def test_a_revision_is_taken_with_its_extension() -> None:
    assert "tasks/get" in shapes.data_of("2026-07-28").methods
    assert "tasks/get" not in revision("2026-07-28").methods
    assert shapes.data_of("2025-11-25").methods == revision("2025-11-25").methods
