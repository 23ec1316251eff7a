"""Rules on facts, compiled for one context into the rows that the native layer runs over fact bits."""

from functools import lru_cache
from typing import NamedTuple

from framegauge.gauge.answers import no_id
from framegauge.gauge.context import Context, at_most
from framegauge.gauge.options import AUTO
from framegauge.gauge.value_program import CLIENT, SERVER, shapes_of
from framegauge.gauge.value_rules import BELOW, CHECKED, META_RULES, UNSUPPORTED
from framegauge.native.program import LOOK, Table
from framegauge.protocol import JSONRPC, MCP
from framegauge.ruleset.model import Rule, Severity
from framegauge.ruleset.registry import RULES

_SENDERS = {None: CLIENT | SERVER, "client-to-server": CLIENT, "server-to-client": SERVER}
# Facts of an id that no answer echoes.
_UNREADABLE = ("id-null", "id-boolean", "id-container")


class _Rows(NamedTuple):
    """What a Table takes of the rules on facts and error codes."""

    rows: list[tuple[int, tuple[str, ...], tuple[str, ...], Severity, int | None, frozenset[str]]]
    codes: list[tuple[int, int, int, Severity, frozenset[str]]]
    faults: dict[str, int]


@lru_cache(maxsize=256)
def table_for(context: Context) -> Table:
    """The compiled rows of a context. Cached: a gateway makes the same gauge for every session."""
    rows, codes, faults = _rows(context)
    shaped = _by_value(context)
    answers = {number: BELOW.get(rule.id, rule.answer) for number, rule in shaped.items()}
    names_version = not context.element and any(rule.id == UNSUPPORTED for rule in shaped.values())
    spec, name = context.spec, context.revision
    return Table(
        RULES,
        rows,
        codes,
        faults,
        context,
        MCP if name == AUTO and not context.element else (),
        context.transport == "stdio",
        from_client=context.from_client,
        client_replies=spec.client_replies,
        unreadable=_UNREADABLE if spec.fractional_id else (*_UNREADABLE, "id-not-integer"),
        no_id=no_id(spec, context.transport, context.error_id),
        http=context.posted,
        shapes=shapes_of(name) if shaped and name != JSONRPC else None,  # without these rules nothing is looked at
        senders=_SENDERS[context.direction],
        selected=frozenset(shaped) | (frozenset() if context.selected.isdisjoint(CHECKED) else {LOOK}),
        answers={number: code for number, code in answers.items() if code is not None},
        infos=frozenset(number for number, rule in shaped.items() if rule.milder == "info"),
        meta=frozenset(number for number, rule in shaped.items() if rule.id in META_RULES),
        listed=context.listed if names_version else (),
    )


def _rows(context: Context) -> _Rows:
    found, revisions = _Rows([], [], {}), context.revisions
    for number, rule in enumerate(RULES):
        if rule.id not in context.selected or (context.element and rule.scope == "line"):
            continue
        if rule.is_fault:
            found.faults[rule.id] = number
        for row in rule.rows:
            holds = row.revisions & revisions
            if row.facts and holds and (row.transports is None or (context.transport or "unknown") in row.transports):
                severity = at_most(row.severity, holds == revisions)
                found.rows.append((number, row.facts, row.without, severity, row.answer, holds))
        for code in rule.codes:
            holds = code.revisions & revisions
            if holds:
                severity = at_most(code.severity, holds == revisions)
                found.codes.extend((number, low, high, severity, holds) for low, high in code.ranges)
    return found


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
