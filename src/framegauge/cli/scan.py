"""framegauge scan: judge files, folders, patterns or standard input, line by line."""

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from framegauge import bulk
from framegauge.cli import output
from framegauge.cli.errors import CLEAN, FINDINGS, UNREADABLE, USAGE, CommandError, complain
from framegauge.cli.progress import Progress
from framegauge.report import FORMATS
from framegauge.report.text import printable

if TYPE_CHECKING:
    from framegauge.bulk import Report

_MOST_COMPLAINTS = 20
# For each value of --fail-on the severities that make the exit status 1.
_FAILING = {"error": {"error"}, "warning": {"error", "warning"}, "never": set[str]()}

_DESCRIPTION = """\
Judges newline-delimited JSON-RPC frames. Only LF ends a line, and one CR before it is dropped; blank lines are counted
and are no frames. Every file in a folder is read as lines, whatever it is called; hidden ones are skipped and listed.

Text output has one line per finding:

    FILE:LINE:BYTE: RULE  EXCERPT

LINE counts from 1, BYTE from 0 at the start of that line. The first 20 findings of a rule are printed, the others
counted. In an excerpt, \\xNN and \\uNNNN stand for bytes and characters other than printable ASCII."""

_EPILOG = """\
exit status:
  0    nothing found
  1    findings (see --fail-on)
  2    wrong usage, or the result cannot be written
  3    input that cannot be read, or no frame in it; 3 beats 1, and what could be read is reported
  130  interrupted, 141 standard output was closed early, as for programs that end by SIGINT or SIGPIPE"""


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "scan",
        help="judge recorded frames, one per line",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a file, a folder, a pattern, or - for standard input")
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--output", metavar="FILE", help="write the result to FILE, whole or not at all")
    parser.add_argument("--fail-on", choices=_FAILING, default="error", help="what makes the status 1; default: error")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    target = None if args.output == "-" else args.output
    if target is not None:
        output.check_target(target)
    report = _scan(args.paths)
    if target is not None:
        _refuse_input_as_output(report, target)
    output.write(FORMATS[args.format](report.to_dict()), target)
    return _status(report, _FAILING[args.fail_on])


def _scan(paths: list[str]) -> "Report":
    if sys.stderr is None or not sys.stderr.isatty():
        return bulk.scan(paths)
    progress = Progress(sys.stderr)
    try:
        return bulk.scan(paths, progress=progress)
    finally:
        progress.clear()


def _refuse_input_as_output(report: "Report", target: str) -> None:
    """A log that was just judged must not be overwritten by what was found in it."""
    for file in report.files:
        with contextlib.suppress(OSError):
            if Path(file.path).samefile(target):
                raise CommandError(f"cannot write {printable(target)}: it is one of the inputs; name another", USAGE)


def _status(report: "Report", failing: set[str]) -> int:
    unread = [file for file in report.files if file.error is not None]
    for file in unread[:_MOST_COMPLAINTS]:
        complain(f"cannot read {printable(file.path)}: {file.error}; check its name and permissions")
    if len(unread) > _MOST_COMPLAINTS:
        complain(f"cannot read {len(unread) - _MOST_COMPLAINTS:,} more; --format json lists them all")
    if unread:
        return UNREADABLE
    if not report.frames:
        complain("nothing was judged: there is no frame in the input; name files with one frame per line")
        return UNREADABLE
    return FINDINGS if any(result.severity in failing for result in report.rules.values()) else CLEAN
