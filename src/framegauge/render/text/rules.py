"""The list of the rules: one line each, with the highest severity in each revision."""

from collections.abc import Iterator, Sequence

from framegauge.protocol.revision import JSONRPC, MCP, REVISIONS
from framegauge.render.escape import table
from framegauge.ruleset.model import Rule


def render(listed: Sequence[Rule]) -> str:
    heading = ("rule", *map(_heading, REVISIONS), "authority", "title")
    return "\n".join(table([heading, *map(_row, listed)])) + "\n"


def _heading(revision: str) -> str:
    """Short enough for a column: 25-11 for 2025-11-25."""
    return revision[2:7] if revision in MCP else JSONRPC.removesuffix("-2.0")


def _row(rule: Rule) -> tuple[str, ...]:
    return (rule.id, *_letters(rule), ",".join(rule.authority), rule.title)


def _letters(rule: Rule) -> Iterator[str]:
    found = rule.severities()
    for revision in REVISIONS:
        yield found[revision][0].upper() if revision in found else "-"
