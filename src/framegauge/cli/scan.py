"""framegauge scan: judge files, folders, patterns or standard input, line by line."""

import argparse
import contextlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from framegauge import bulk
from framegauge.bulk.summary import SHRUNK
from framegauge.cli import options, output
from framegauge.cli.errors import CLEAN, FINDINGS, UNREADABLE, complain
from framegauge.cli.progress import Progress
from framegauge.render import FORMATS, formats
from framegauge.render.escape import printable

if TYPE_CHECKING:
    from framegauge.bulk import Report
    from framegauge.gauge import Gauge

_MOST_COMPLAINTS = 20
_MOST_JOBS = 1024
_TEXTS = 200  # that are written at once
_ADVICE = {SHRUNK: "scan it again after the last write to it"}  # by error

_DESCRIPTION = f"""\
Judges newline-delimited JSON-RPC frames. Only LF ends a line. Blank lines are counted, but not as frames. Every file in
a folder is read as lines, for any name; hidden files are skipped and listed.

Text output has one line per finding:

    FILE:LINE:BYTE: SEVERITY RULE  EXCERPT

LINE counts from 1, BYTE from 0 at the start of the line. The first 20 findings of a rule are printed, the others are
counted. jsonl has all findings, one line each, and the summary last. In an excerpt, \\xNN and \\uNNNN are bytes and
characters outside printable ASCII.

{options.CONFIG_HELP}"""

_EPILOG = """\
exit status:
  0    nothing found
  1    findings (see --fail-on)
  2    wrong usage, or the result cannot be written
  3    unreadable input, or input without a frame; 3 overrides 1, and what could be read is reported.
       Or too little memory; then nothing is reported
  130  interrupted (SIGINT). A second Ctrl-C ends the command at once
  143  terminated (SIGTERM)
  129  hung up (SIGHUP)
  141  standard output was closed early (SIGPIPE)

After a signal the output is not a result. json and text are whole or absent; the last line of jsonl is the summary."""


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
    parser.add_argument("--jobs", metavar="N", type=_jobs, help="threads; default: as many as there are cores")
    options.add_result(parser, formats("scan"))
    options.add_judging(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    target = options.target(args)
    gauge = options.gauge(args)
    with contextlib.ExitStack() as stack:
        write = _Late(stack, target)
        report = _scan(args, gauge, write)
        output.refuse_input((file.path for file in report.files), target)
        write(FORMATS["scan", args.format](report.to_dict()))
        write.flush()
    return _status(report, options.FAILING[args.fail_on])


class _Late:
    """Opens the target with the first text: a folder that is scanned and written to is listed before that.

    Writes many short texts at once: each write lets the other threads take over.
    """

    def __init__(self, stack: contextlib.ExitStack, target: str | None) -> None:
        self._stack = stack
        self._target = target
        self._write: Callable[[str], None] | None = None
        self._texts: list[str] = []

    def __call__(self, text: str) -> None:
        self._texts.append(text)
        if len(self._texts) >= _TEXTS:
            self.flush()

    def flush(self) -> None:
        if self._write is None:
            self._write = self._stack.enter_context(output.opened(self._target))
        self._write("".join(self._texts))
        self._texts.clear()


def _scan(args: argparse.Namespace, gauge: "Gauge", write: Callable[[str], None]) -> "Report":
    render = FORMATS.get(("finding", args.format))
    each = None if render is None else lambda finding: write(render(finding.to_dict()))
    if sys.stderr is None or not sys.stderr.isatty():
        return bulk.scan(args.paths, gauge=gauge, jobs=args.jobs, on_finding=each)
    progress = Progress(sys.stderr)
    try:
        return bulk.scan(args.paths, gauge=gauge, jobs=args.jobs, on_finding=each, progress=progress)
    finally:
        progress.clear()


def _jobs(text: str) -> int:
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0
    if not 1 <= number <= _MOST_JOBS:
        raise argparse.ArgumentTypeError(f"a number from 1 to {_MOST_JOBS}")
    return number


def _status(report: "Report", failing: set[str]) -> int:
    unread = [file for file in report.files if file.error is not None]
    for file in unread[:_MOST_COMPLAINTS]:
        advice = _ADVICE.get(file.error or "", "check its name and permissions")
        complain(f"cannot read {printable(file.path)}: {file.error}; {advice}")
    if len(unread) > _MOST_COMPLAINTS:
        complain(f"cannot read {len(unread) - _MOST_COMPLAINTS:,} more; --format json lists them all")
    if unread:
        return UNREADABLE
    if not report.frames:
        complain("nothing was judged: there is no frame in the input; name files with one frame per line")
        return UNREADABLE
    return FINDINGS if any(result.severity in failing for result in report.rules.values()) else CLEAN
