"""framegauge rules: the list of the rules. framegauge explain: the page of one."""

import argparse

from framegauge.behaviour import readers
from framegauge.cli import output
from framegauge.cli.errors import CLEAN, USAGE, CommandError
from framegauge.render import FORMATS, formats
from framegauge.render.results import RulePage
from framegauge.ruleset import registry

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
    listing.add_argument("--format", choices=formats("rules"), default="text", help="default: text")
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
    output.write(FORMATS["rules", args.format](registry.RULES), None)
    return CLEAN


def run_explain(args: argparse.Namespace) -> int:
    try:
        rule = registry.by_id(args.rule)
    except ValueError as error:
        raise CommandError(str(error), USAGE) from error
    output.write(FORMATS["rule", "text"](RulePage(rule, readers(rule.id))), None)
    return CLEAN
