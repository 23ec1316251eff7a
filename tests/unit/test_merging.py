"""Revisions taken together: docs/verdict.md section 6, auto. These are invented; real ones are in the vectors."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from framegauge.gauge.value_program import depth_of
from framegauge.protocol import LATEST, Method, Revision, Shape, Spec, revision
from framegauge.protocol.merge import FREE, OTHERWISE, Merged, merged
from framegauge.protocol.notation import parse_shapes, parse_spec
from framegauge.protocol.revision import Tables

if TYPE_CHECKING:
    from collections.abc import Mapping

NONE: dict[str, Any] = {}
EVERY_TYPE = "null | boolean | number | string(uri) | array | object"


def method(name: str, kind: str, sender: str, params: Spec | None, result: Spec | None) -> Method:
    return Method(name, kind, sender, params, result, None, None, (), "")  # type: ignore[arg-type]


def text(name: str, params: str | None, shapes: Mapping[str, Any] = NONE, **more: Any) -> Revision:
    """A revision with one method, whose params and result are the same."""
    spec = None if params is None else parse_spec(params, shapes)
    tables = Tables({"m": method("m", "request", "client", spec, spec)}, parse_shapes(shapes), {})
    base = revision(LATEST)._replace(name=name, result_types=(), any_result=None)
    return base._replace(**{"tables": lambda: tables, **more})


def together(*texts: str | None) -> Spec | None:
    found = merged([text(str(n), each) for n, each in enumerate(texts)]).methods["m"]
    assert found.params == found.result
    return found.params


def shapes_of(said: Merged) -> Shape:
    """The shape of the method's params."""
    spec = said.methods["m"].params
    assert spec is not None
    assert spec.shape is not None
    return said.shapes[spec.shape]


def objects(*tables: Mapping[str, Any], **others: Mapping[str, Any]) -> Merged:
    """Revisions that differ in the shape of the params; the others are the same in all."""
    return merged([text(str(n), "Thing", {"Thing": table, **others}) for n, table in enumerate(tables)])


@pytest.mark.parametrize(
    ("texts", "all_of_them"),
    [
        (["string", "string"], "string"),
        (["string", "integer"], "string | integer"),
        (["integer", "integral"], "integral"),
        (["integer", "number"], "number"),
        (["integral", "number"], "number"),
        (["integer", "integral", "number | null"], "number | null"),
        (["integer | string", "integral"], "integral | string"),
        (["integer", "string", "integer"], "string | integer"),
        (["string!", "string"], "string"),
        (["string!", "string!"], "string!"),
        (["string!", "integer!"], "string | integer!"),
        (["string!", "integer"], "string | integer"),
        (["any", "string(uri)"], "any"),
        (["any!", "string!"], "any!"),
        (["any!", "string"], "any"),
        (["any", "any"], "any"),
        ([EVERY_TYPE, "string(uri)"], EVERY_TYPE),
        ([EVERY_TYPE, EVERY_TYPE, "null"], EVERY_TYPE),
        (["[any]", "[string]"], "[any]"),
        (['"a"', '"b"'], '"a" | "b"'),
        (['"a" | "b"', '"b" | "c"'], '"a" | "b" | "c"'),
        (['"a"', "string"], "string"),
        (['"a"', "null"], '"a" | null'),
        (['"a"', "null", '"b" | null'], '"a" | "b" | null'),
        (["[string]", "[integer]"], "[string | integer]"),
        (["[string]", "[string]"], "[string]"),
        (["[string]", "array"], "array"),
        (["[string]", "null"], "[string] | null"),
        (["{string}", "{integer}"], "{string | integer}"),
        (["{string}", "object"], "object"),
        (["{string}", "null"], "{string} | null"),
        (["string(uri)", "string(uri)"], "string(uri)"),
        (["string(uri)", "string(uri)!"], "string(uri)"),
        (["string(uri)", "string"], "string"),
        (["string(uri)", "string(url)"], "string"),
        (["string(uri)", "null"], "string(uri) | null"),
        (["string(uri)", "null", "integer"], "string(uri) | null | integer"),
        (["number(0..1)", "string"], "string | number(0..1)"),
        (["number(0..1)", "integer"], "number"),
        (["number(0..1)", "integral"], "number"),
        (["integer(0..1)", "integral(0..1)"], "integral(0..1)"),
        (["[string](..3)", "[string]"], "[string]"),
        (["[string](..3)", "[string | null](..3)"], "[string | null](..3)"),
        (["[string](..3)", "string"], "[string](..3) | string"),
        (["~string", "string"], "string"),
        (["~string", "~string"], "string"),
        (['~"a"', '"a"'], '"a"'),
        (['~"a"', '~"a"'], '"a"'),
        ([None, "string"], None),
        ([None, None], None),
    ],
)
def test_what_specs_say_together(texts: list[str | None], all_of_them: str | None) -> None:
    due = None if all_of_them is None else parse_spec(all_of_them, {})
    for some in permutations(texts):
        found = together(*some)
        assert (found is None) == (due is None)
        if found and due:
            assert sorted(found.values) == sorted(due.values)
            assert found._replace(values=due.values) == due, some


def test_of_one_revision_it_is_what_that_says() -> None:
    only = revision("2025-11-25")
    assert merged([only]) == (only.methods, only.shapes, only.error_data, only.result_types, only.any_result)
    assert only.error_data
    assert merged([only, only]).error_data == {}, "what only some say of errors is not wrong in all"


def test_a_member_that_not_all_describe_is_free() -> None:
    said = objects({"all": "string!", "some": "string!"}, {"all": "integer!"}, {"all": "string!", "other": "null"})
    assert shapes_of(said).members == {"all": parse_spec("string | integer!", {}), "some": FREE, "other": FREE}
    assert shapes_of(said).names == ("Thing",)
    assert shapes_of(said).one_of == ()


def test_a_shape_that_not_all_describe_is_not_looked_into() -> None:
    table = {"Thing": {"x": "string"}}
    assert together("object", "{string}") == parse_spec("object", {})
    for first, second in permutations([text("0", "Thing", table), text("1", "object")]):
        assert merged([first, second]).methods["m"].params == parse_spec("object", {})
    said = merged([text("0", "Thing", table), text("1", "string")])  # the only one that allows an object
    assert said.methods["m"].params == Spec(frozenset({"object", "string"}), shape="0 Thing")
    assert shapes_of(said).members == {"x": parse_spec("string", {})}


@pytest.mark.parametrize("around", ["Thing", "[Thing]", "{Thing}", "[{Thing}]"])
def test_shapes_have_the_names_of_all(around: str) -> None:
    tables: list[dict[str, Any]] = [{"Thing": {"x": "string!"}}, {"Thing": {"x": "string"}}]
    said = merged([text(str(n), around, table) for n, table in enumerate(tables)])
    spec = said.methods["m"].params
    while spec and not spec.shape:
        spec = spec.items or spec.each
    assert spec
    assert spec.shape == "0 Thing & 1 Thing"
    assert said.shapes.keys() == {spec.shape}
    assert said.shapes[spec.shape].members == {"x": parse_spec("string", {})}


def test_a_shape_that_is_named_twice_is_one() -> None:
    said = objects(
        {"a": "Inner", "b": "Inner"}, {"a": "Inner", "b": "Other"}, Inner={"x": "null"}, Other={"x": "string"}
    )
    assert said.shapes.keys() == {"0 Thing & 1 Thing", "0 Inner & 1 Inner", "0 Inner & 1 Other"}
    assert said.shapes["0 Inner & 1 Inner"].names == ("Inner",)
    assert said.shapes["0 Inner & 1 Other"].names == ("Inner", "Other")
    assert said.shapes["0 Inner & 1 Other"].name == "0 Inner & 1 Other"


def test_a_shape_that_contains_itself_is_refused_later() -> None:
    said = objects({"x": "[Thing]"}, {"x": "[Thing]"})
    with pytest.raises(ValueError, match="the shape 0 Thing & 1 Thing contains itself"):
        depth_of(said.shapes, [Spec(frozenset({"object"}), shape=shapes_of(said).name)])


ONE = {"a": "string", "b": "string", "@one": ["a", "b"]}


@pytest.mark.parametrize(
    ("tables", "one_of"),
    [
        ([ONE, ONE], ("a", "b")),
        ([ONE, {"a": "string!"}], ("a", "b")),
        ([ONE, {"b": "string!"}], ("a", "b")),
        ([ONE, {"a": "string"}], ()),
        ([ONE, {"c": "string!"}], ()),
        ([ONE, {"a": "string!"}, {"c": "string"}], ()),
        ([ONE, {**ONE, "@one": ["a"]}], ()),
        ([{"a": "string!"}, {"b": "string!"}], ()),
    ],
)
def test_one_of_several_has_to_be_there_where_all_want_it(
    tables: list[dict[str, Any]], one_of: tuple[str, ...]
) -> None:
    for some in permutations(tables):
        assert shapes_of(objects(*some)).one_of == one_of


def test_what_stands_under_other_keys() -> None:
    assert shapes_of(objects({"@each": "string"}, {"@each": "integer"})).each == parse_spec("string | integer", {})
    assert shapes_of(objects({"@each": "string"}, {})).each is None


def test_a_task_excuses_where_any_says_so() -> None:
    said = {"id": "string!", "@unless_task": "id"}
    for some in permutations([said, {"id": "string!"}]):
        assert shapes_of(objects(*some)).unless_task == "id"
    assert shapes_of(objects({"id": "string!"}, {"id": "string!"})).unless_task is None


# Shapes that a tag tells.

A, B = {"t": '"a"!', "x": "string!"}, {"t": '"b"!'}


def tagged(**cases: str) -> dict[str, Any]:
    return {"@tag": "t", "@cases": cases}


def test_cases_are_those_of_all() -> None:
    said = objects(tagged(a="A", c="B"), tagged(b="B", a="A"), A=A, B=B)
    shape = shapes_of(said)
    assert (shape.tag, shape.default, shape.members, shape.one_of) == ("t", None, {}, ())
    assert shape.cases == {"a": "0 A & 1 A", "c": "0 B", "b": "1 B"}
    assert shape.names == ("Thing",)
    assert said.shapes["0 A & 1 A"].members["x"].required


def test_a_default_is_that_of_those_that_have_one() -> None:
    with_default = {**tagged(a="A"), "@default": "B"}
    assert shapes_of(objects(with_default, with_default, A=A, B=B)).default == "0 B & 1 B"
    assert shapes_of(objects(tagged(a="A"), with_default, A=A, B=B)).default == "1 B"


def test_to_a_shape_without_the_tag_it_is_a_member_like_others() -> None:
    for n, some in enumerate(permutations([tagged(a="A"), {"x": "string", "y": "null!"}])):
        said = objects(*some, A=A)
        shape, plain = shapes_of(said), f"{1 - n} Thing"
        assert (shape.tag, shape.default) == ("t", plain)
        assert shape.cases == {"a": f"{plain} & {n} A", OTHERWISE: plain}
        assert said.shapes[plain].members["y"].required
        assert said.shapes[plain].tag is None
        case = said.shapes[f"{plain} & {n} A"].members
        assert case == {"x": parse_spec("string", {}), "y": FREE, "t": FREE}


def test_a_default_is_not_asked_for_another_case() -> None:
    said = objects({**tagged(a="A"), "@default": "B"}, {"y": "null"}, A=A, B=B)
    assert shapes_of(said).cases == {"a": "1 Thing & 0 A", OTHERWISE: "1 Thing"}
    assert shapes_of(said).default == "1 Thing & 0 B"


def test_of_another_result_type_nothing_is_known() -> None:
    told = {"@tag": "resultType", "@cases": {"a": "A"}}
    said = objects(told, {"y": "null!"}, A={"y": "null!"})
    assert shapes_of(said).cases == {"a": "1 Thing & 0 A", OTHERWISE: OTHERWISE}
    nothing = said.shapes[shapes_of(said).cases[OTHERWISE]]
    assert (nothing.members, nothing.tag, nothing.names) == ({}, None, ("",))
    assert shapes_of(said).default == "1 Thing"


# Methods.


def with_methods(name: str, *methods: Method) -> Revision:
    tables = Tables({each.name: each for each in methods}, {}, {})
    return text(name, None, tables=lambda: tables)


def test_a_method_is_known_where_any_has_it() -> None:
    one = method("a", "request", "client", parse_spec("string", {}), None)
    other = method("b", "request", "server", None, None)
    found = merged([with_methods("0", one), with_methods("1", other), with_methods("2", one)]).methods
    assert found == {"a": one, "b": other}


def test_senders_are_taken_together() -> None:
    def both(*senders: str) -> str:
        said = [with_methods(str(n), method("m", "request", each, None, None)) for n, each in enumerate(senders)]
        return merged(said).methods["m"].sender

    assert both("client", "client") == "client"
    assert both("server", "server") == "server"
    assert both("client", "server") == both("both", "client") == both("server", "both") == "both"


def test_what_is_asked_within_a_result_is_no_frame_where_others_have_one() -> None:
    frame = method("m", "request", "server", parse_spec("string", {}), parse_spec("null", {}))
    within = method("m", "input-request", "client", parse_spec("integer", {}), parse_spec("string", {}))
    for some in permutations([with_methods("0", frame), with_methods("1", within)]):
        assert merged(some).methods["m"] == frame
    assert merged([with_methods("0", within), with_methods("1", within)]).methods["m"] == within


def test_the_newest_names_where_it_comes_from() -> None:
    said = [method("m", "request", "client", None, None)._replace(url=url) for url in ("old", "new")]
    assert merged([with_methods(str(n), each) for n, each in enumerate(said)]).methods["m"].url == "new"


# Results.


def test_result_types_are_those_of_all() -> None:
    types = [("a", "b"), (), ("c", "a")]
    assert merged([text(str(n), None, result_types=each) for n, each in enumerate(types)]).result_types == (
        "a",
        "b",
        "c",
    )


def test_what_holds_for_any_result_holds_where_all_say_it() -> None:
    tables: list[dict[str, Any]] = [{"Result": {"x": "string"}}, {"Result": {"x": "null", "y": "null"}}]
    said = [text(str(n), None, table, any_result="Result") for n, table in enumerate(tables)]
    found = merged(said)
    assert found.any_result == "0 Result & 1 Result"
    assert found.shapes[found.any_result].members == {"x": parse_spec("string | null", {}), "y": FREE}
    assert merged([*said, text("2", None)]).any_result is None
    assert merged([text("2", None), text("3", None)]).any_result is None
