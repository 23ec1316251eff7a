"""Rules on facts, compiled for one context into the rows that the native layer runs over fact bits."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from framegauge.gauge.answers import FAULT_CODES, no_id, order_of
from framegauge.gauge.context import Context, at_most
from framegauge.gauge.options import AUTO
from framegauge.gauge.value_program import CLIENT, SERVER, shapes_of
from framegauge.gauge.value_rules import BELOW, CHECKED, UNSUPPORTED
from framegauge.native.layout import CodeRow, FactRow
from framegauge.native.program import LOOK, Table
from framegauge.native.tokenizer import FACT_NAMES
from framegauge.protocol import JSONRPC, MCP
from framegauge.ruleset.model import SEVERITIES, Rule
from framegauge.ruleset.registry import RULES

_SENDERS = {None: CLIENT | SERVER, "client-to-server": CLIENT, "server-to-client": SERVER}
_FACTS = {name: number for number, name in enumerate(FACT_NAMES)}
_NO_ANSWER = 0
# Facts of an id that no answer echoes.
_UNREADABLE = ("id-null", "id-boolean", "id-container")


class _Rows(NamedTuple):
    """What a Table takes of the rules on facts and error codes; for each row, the revisions that it holds in."""

    rows: list[FactRow]
    row_revisions: list[frozenset[str]]
    codes: list[CodeRow]
    code_revisions: list[frozenset[str]]
    faults: dict[str, int]


@lru_cache(maxsize=256)
def table_for(context: Context) -> Table:
    """The compiled rows of a context. Cached: a gateway makes the same gauge for every session."""
    found = _rows(context)
    shaped = _by_value(context)
    asked = ((number, BELOW.get(rule.id, rule.answer)) for number, rule in shaped.items())
    answers = {number: code for number, code in asked if code is not None}
    order = order_of({*answers.values(), *(row.answer for row in found.rows)} - {_NO_ANSWER})
    numbers = {rule.id: number for number, rule in shaped.items()}
    names_version = not context.element and any(rule.id == UNSUPPORTED for rule in shaped.values())
    spec, name = context.spec, context.revision
    return Table(
        RULES,
        found.rows,
        found.codes,
        found.faults,
        context,
        MCP if name == AUTO and not context.element else (),
        context.transport == "stdio",
        row_revisions=tuple(found.row_revisions),
        code_revisions=tuple(found.code_revisions),
        from_client=context.from_client,
        client_replies=spec.client_replies,
        unreadable=mask(_UNREADABLE if spec.fractional_id else (*_UNREADABLE, "id-not-integer")),
        no_id=no_id(spec, context.transport, context.error_id),
        http=context.posted,
        shapes=shapes_of(name) if shaped and name != JSONRPC else None,  # without these rules nothing is looked at
        senders=_SENDERS[context.direction],
        selected=frozenset(shaped) | (frozenset() if context.selected.isdisjoint(CHECKED) else {LOOK}),
        answers=answers,
        infos=frozenset(number for number, rule in shaped.items() if rule.milder == "info"),
        order=[
            (step.code, step.envelope, frozenset(numbers[rule] for rule in step.after if rule in numbers))
            for step in order
            if not step.after or not numbers.keys().isdisjoint(step.after)  # never so: it would hold always
        ],
        fault_codes=FAULT_CODES,
        listed=context.listed if names_version else (),
    )


def _rows(context: Context) -> _Rows:
    found, revisions = _Rows([], [], [], [], {}), context.revisions
    for number, rule in enumerate(RULES):
        if rule.id not in context.selected or (context.element and rule.scope == "line"):
            continue
        if rule.is_fault:
            found.faults[rule.id] = number
        for row in rule.rows:
            holds = row.revisions & revisions
            if row.facts and holds and (row.transports is None or (context.transport or "unknown") in row.transports):
                severity = at_most(row.severity, holds == revisions)
                found.row_revisions.append(holds)
                found.rows.append(
                    FactRow(
                        facts=mask(row.facts),
                        without=mask(row.without),
                        answer=row.answer or _NO_ANSWER,
                        rule=number,
                        severity=SEVERITIES.index(severity),
                        place=_FACTS[row.facts[0]],  # the first fact is the one that a clean frame never has
                    )
                )
        for code in rule.codes:
            holds = code.revisions & revisions
            if holds:
                severity = at_most(code.severity, holds == revisions)
                found.code_revisions.extend([holds] * len(code.ranges))
                found.codes.extend(
                    CodeRow(low=low, high=high, rule=number, severity=SEVERITIES.index(severity))
                    for low, high in code.ranges
                )
    return found


def mask(names: Iterable[str]) -> int:
    """The bits of these facts. ValueError for a fact that does not exist."""
    bits = 0
    for name in names:
        if name not in _FACTS:
            raise ValueError(f"there is no fact {name!r}")
        bits |= 1 << _FACTS[name]
    return bits


def _by_value(context: Context) -> dict[int, Rule]:
    """The rules on methods and values that exist here, by number."""
    return {
        number: rule
        for number, rule in enumerate(RULES)
        if rule.by_value and rule.id in context.selected and any(row.revisions & context.revisions for row in rule.rows)
    }


def claimed_table(context: Context, number: int) -> Table:
    """The table of the revision of that number in MCP, for a frame that names it itself."""
    return table_for(context._replace(revision=MCP[number], listed=()))
