"""Rows that Python makes, and the order of answers that a table is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.gauge import fact_program, value_program
from framegauge.gauge.answers import ORDER, Step, order_of
from framegauge.gauge.context import Context
from framegauge.gauge.gauge import ON_DEMAND
from framegauge.native.layout import CodeRow, FactRow, MethodRow, PlaceRules, SpecRow
from framegauge.native.program import Shapes, Table
from framegauge.native.verdict import bind, judge
from framegauge.ruleset.codes import CODES, INVALID_REQUEST
from framegauge.ruleset.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

REVISION = "2025-06-18"
OTHER = -32021
# The name of a tool has to be a string: name-type.
FRAME = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":1}}'


@pytest.fixture
def other_text() -> Iterator[None]:
    """OTHER has a text."""
    bind(**{**ON_DEMAND, "texts": {**CODES, OTHER: "Something else"}})
    yield
    bind(**ON_DEMAND)


def table_with(monkeypatch: pytest.MonkeyPatch, code: int, names: tuple[str, ...]) -> Table:
    """A table whose rules of these names ask for that code."""
    changed = tuple(
        rule._replace(rows=tuple(row._replace(answer=code) for row in rule.rows)) if rule.id in names else rule
        for rule in RULES
    )
    monkeypatch.setattr(fact_program, "RULES", changed)
    selected = frozenset(rule.id for rule in RULES)
    context = Context(REVISION, None, None, fg.Limits(), "spec", selected, (REVISION,))
    return fact_program.table_for.__wrapped__(context)


@pytest.mark.usefixtures("other_text")
def test_another_code_of_a_rule_on_values_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = judge(table_with(monkeypatch, OTHER, ("name-type",)), FRAME)
    assert [finding.rule for finding in verdict.findings] == ["name-type"]
    assert verdict.respond
    assert verdict.reply is not None
    assert (verdict.reply.code, verdict.reply.message) == (OTHER, "Something else")
    assert verdict.reply.body() == (
        b'{"jsonrpc":"2.0","id":7,"error":{"code":-32021,"message":"Something else","data":{"rule":"name-type"}}}'
    )


@pytest.mark.usefixtures("other_text")
def test_another_code_of_a_rule_on_facts_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_with(monkeypatch, OTHER, ("jsonrpc-missing",))
    reply = judge(table, b'{"id":7,"method":"ping"}').reply
    assert reply is not None
    assert (reply.code, reply.data) == (OTHER, {"rule": "jsonrpc-missing"})
    # A code of the order comes before any other.
    reply = judge(table, b'{"id":7,"method":"ping","params":1}').reply
    assert reply is not None
    assert (reply.code, reply.data) == (INVALID_REQUEST, {"rule": "params-type"})


def test_the_code_with_more_data_may_be_that_of_another_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    reply = judge(table_with(monkeypatch, -32022, ("name-type",)), FRAME).reply
    assert reply is not None
    assert reply.data == {"rule": "name-type", "supported": [REVISION]}


def test_codes_without_a_place_come_last() -> None:
    assert order_of(()) == order_of(step.code for step in ORDER) == ORDER
    assert order_of((-32050, INVALID_REQUEST, OTHER)) == (*ORDER, Step(OTHER), Step(-32050))


def test_a_table_holds_so_many_codes() -> None:
    steps = [(code, False, frozenset[int]()) for code in range(17)]
    assert Table((), [], [], {}, None, (), False, order=steps[:16])
    with pytest.raises(ValueError, match="more answer codes than a table holds"):
        Table((), [], [], {}, None, (), False, order=steps)


def test_a_fact_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="there is no fact 'nothing'"):
        fact_program.mask(["id-null", "nothing"])


FACT = FactRow(facts=1, without=0, answer=0, rule=0, severity=0, place=0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("facts", 1 << 64),
        ("facts", -1),
        ("answer", 1 << 31),
        ("answer", -(1 << 31) - 1),
        ("rule", 256),
        ("rule", -1),
        ("place", 1 << 63),
    ],
)
def test_a_number_that_does_not_fit_its_field(field: str, value: int) -> None:
    with pytest.raises(OverflowError):
        Table((), [FACT._replace(**{field: value})], [], {}, None, (), False, row_revisions=(frozenset(),))


@pytest.mark.parametrize(("field", "value"), [("facts", (1 << 64) - 1), ("answer", -(1 << 31)), ("rule", 255)])
def test_the_last_number_that_fits(field: str, value: int) -> None:
    assert Table((), [FACT._replace(**{field: value})], [], {}, None, (), False, row_revisions=(frozenset(),))


def test_each_row_has_its_revisions() -> None:
    with pytest.raises(ValueError, match="each row has its revisions"):
        Table((), [FACT], [], {}, None, (), False)
    with pytest.raises(ValueError, match="each row has its revisions"):
        Table((), [], [CodeRow(low=1, high=2, rule=0, severity=0)], {}, None, (), False)


@pytest.mark.parametrize("row", [(1, 0, 0, 0, 0, 0), CodeRow(low=1, high=2, rule=0, severity=0), None])
def test_a_row_of_another_class(row: Any) -> None:
    with pytest.raises(TypeError, match="a row is a FactRow here"):
        Table((), [row], [], {}, None, (), False, row_revisions=(frozenset(),))


def test_an_unknown_or_missing_field() -> None:
    with pytest.raises(TypeError, match="'spec'"):
        PlaceRules(missing=1, type=2, value=3, spec=4)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'result'"):
        MethodRow(kind=1, elsewhere=1, senders=1, params_required=0, params=1)  # type: ignore[call-arg]


def test_shapes_refuse_a_row_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(value_program, "Shapes", lambda *args, **rows: made.append((args, rows)))
    value_program.shapes_of.__wrapped__(REVISION)
    [(args, rows)] = made
    assert isinstance(Shapes(*args, **rows), Shapes)
    assert len(rows["specs"]) > 50
    broken = [*rows["specs"][:-1], rows["specs"][-1]._replace(types=1 << 16)]
    with pytest.raises(OverflowError, match=r"SpecRow\.types cannot be 65536"):
        Shapes(*args, **{**rows, "specs": broken})
    with pytest.raises(TypeError, match="a row is a SpecRow here"):
        Shapes(*args, **{**rows, "specs": rows["shapes"]})
    assert isinstance(rows["specs"][0], SpecRow)
