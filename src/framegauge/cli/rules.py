"""framegauge rules: the list of the rules. framegauge explain: the page of one."""

import argparse

from framegauge.behaviour import readers
from framegauge.cli import output
from framegauge.cli.errors import CLEAN, USAGE, CommandError
from framegauge.render import FORMATS, formats
from framegauge.render.results import RulePage
from framegauge.ruleset import registry

_DESCRIPTION = """\
Lists every rule with its severity in each revision, its authority and its title. A letter is the highest severity of
the rule in that revision: E error, W warning, I info, - none. `framegauge explain RULE` has the details."""


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
        description="Prints the page of one rule: what it finds, why it matters, how to fix it, and how servers react.",
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
