"""framegauge rules: the list of the rules. framegauge explain: the page of one."""

import argparse
import json
from collections.abc import Iterator

from framegauge.behaviour import readers
from framegauge.cli import output
from framegauge.cli.errors import CLEAN, USAGE, CommandError
from framegauge.protocol.revision import JSONRPC, MCP, REVISIONS
from framegauge.render import page
from framegauge.render import readings as render_readings
from framegauge.ruleset import registry
from framegauge.ruleset.model import Rule

_SCHEMA = "framegauge.ruleset/1"

_DESCRIPTION = """\
Lists every rule: how severe it is in each revision, on whose word, and what it finds. A letter is the highest severity
the rule can have there: E error, W warning, I info; - is none. `framegauge explain RULE` says more."""


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    listing = commands.add_parser(
        "rules",
        help="list the rules",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    listing.add_argument("--format", choices=_FORMATS, default="text", help="default: text")
    listing.set_defaults(run=run_rules)
    explain = commands.add_parser(
        "explain",
        help="explain one rule",
        description="Prints the page of one rule: what it finds, why that matters, what to do, and who reads it how.",
        allow_abbrev=False,
    )
    explain.add_argument("rule", metavar="RULE", help="the id of a rule, as `framegauge rules` lists it")
    explain.set_defaults(run=run_explain)


def run_rules(args: argparse.Namespace) -> int:
    output.write(_FORMATS[args.format](), None)
    return CLEAN


def run_explain(args: argparse.Namespace) -> int:
    try:
        rule = registry.by_id(args.rule)
    except ValueError as error:
        raise CommandError(str(error), USAGE) from error
    output.write(page.text(rule) + "".join(f"{line}\n" for line in _who_reads_it_how(rule)), None)
    return CLEAN


def _who_reads_it_how(rule: Rule) -> Iterator[str]:
    found = readers(rule.id)
    if found:
        yield from ("", "Who reads it how", *(f"  {line}" for line in render_readings.text(found, page.WIDTH - 2)))


def _text() -> str:
    rows = [("rule", *map(_heading, REVISIONS), "authority", "title"), *map(_row, registry.RULES)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _heading(revision: str) -> str:
    """Short enough for a column: 25-11 for 2025-11-25."""
    return revision[2:7] if revision in MCP else JSONRPC.removesuffix("-2.0")


def _row(rule: Rule) -> tuple[str, ...]:
    return (rule.id, *_letters(rule), ",".join(rule.authority), rule.title)


def _letters(rule: Rule) -> Iterator[str]:
    found = rule.severities()
    for revision in REVISIONS:
        yield found[revision][0].upper() if revision in found else "-"


def _json() -> str:
    rules = [
        {
            "id": rule.id,
            "area": rule.area,
            "title": rule.title,
            "authority": rule.authority,
            "severities": {revision: level for revision in REVISIONS if (level := rule.severities().get(revision))},
            "clauses": rule.clauses,
            "urls": rule.urls,
        }
        for rule in registry.RULES
    ]
    return json.dumps({"schema": _SCHEMA, "rules": rules}, indent=2) + "\n"


_FORMATS = {"text": _text, "json": _json}
