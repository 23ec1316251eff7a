"""Options of both commands: how to judge, where the result goes, what makes it a failure."""

import argparse
from typing import Any

from framegauge.cli import config, output
from framegauge.cli.errors import USAGE, CommandError
from framegauge.explain.similar_names import known_method
from framegauge.facts import Limits
from framegauge.gauge import AUTO, DIRECTIONS, TRANSPORTS, Gauge
from framegauge.protocol.revision import REVISIONS
from framegauge.render.escape import printable

# For each value of --fail-on the severities that make the exit status 1.
FAILING = {"error": {"error"}, "warning": {"error", "warning"}, "never": set[str]()}

CONFIG_HELP = """\
[tool.framegauge] of the nearest pyproject.toml, in this folder or above, may set defaults: select, ignore, revision,
direction, transport, and limits, a table such as { max_depth = 64 }."""


def add_judging(parser: argparse.ArgumentParser) -> None:
    """Options without a default: what is not given comes from the configuration."""
    judging = parser.add_argument_group("judging")
    judging.add_argument(
        "--revision", choices=(AUTO, *REVISIONS), help=f"default: {AUTO}, the revision that the frame claims"
    )
    judging.add_argument("--direction", choices=DIRECTIONS, help="default: not known; answers as for a client's frame")
    judging.add_argument("--transport", choices=TRANSPORTS, help="default: not known; rules about lines are off")
    judging.add_argument(
        "--select", metavar="RULE", action="append", help="judge by these rules alone; commas separate"
    )
    judging.add_argument("--ignore", metavar="RULE", action="append", help="leave out these rules; commas separate")
    judging.add_argument("--no-config", action="store_true", help="do not look for a pyproject.toml")


def add_result(parser: argparse.ArgumentParser, formats: Any) -> None:
    parser.add_argument("--format", choices=formats, default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", help="write the result to FILE, whole or not at all")
    parser.add_argument("--fail-on", choices=FAILING, default="error", help="what makes the status 1; default: error")


def add_all_revisions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all-revisions", action="store_true", help="judge under every revision: rules by revisions")


def add_request_method(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--request-method",
        metavar="METHOD",
        type=_method,
        help="of the request that the frame answers; its result is judged by that",
    )


def _method(name: str) -> str:
    try:
        return known_method(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}; leave --request-method out where the method is your own") from error


def gauges(args: argparse.Namespace) -> list[Gauge]:
    """The gauge that the command line asks for, or with --all-revisions one for each."""
    if not args.all_revisions:
        return [gauge(args)]
    if args.revision is not None:
        raise CommandError("--all-revisions judges under all of them; leave --revision out", USAGE)
    return [gauge(args, revision=revision) for revision in REVISIONS]


def gauge(args: argparse.Namespace, **instead: Any) -> Gauge:
    """The gauge by the command line, and by the configuration for options that are not given."""
    settings = {} if args.no_config else config.load()
    settings["limits"] = Limits(**settings.get("limits", {}))
    given = {name: getattr(args, name) for name in ("revision", "direction", "transport")}
    given |= {name: _rules(getattr(args, name)) for name in ("select", "ignore")}
    settings |= {name: value for name, value in given.items() if value is not None}
    if settings.get("select") == []:
        raise CommandError("select names no rule, so nothing would be judged; name one or leave it out", USAGE)
    try:
        made = Gauge(**settings | instead)
    except ValueError as error:
        raise CommandError(printable(str(error)), USAGE) from error
    if not made.selected:
        raise CommandError("ignore names every rule that is selected, so nothing would be judged; leave one", USAGE)
    return made


def _rules(given: list[str] | None) -> list[str] | None:
    return None if given is None else [name.strip() for names in given for name in names.split(",") if name.strip()]


def target(args: argparse.Namespace) -> str | None:
    """The file to write, None for standard output. Refuses before any work what could not be written after it."""
    if args.output in (None, "-"):
        return None
    path: str = args.output
    output.check_target(path)
    return path
