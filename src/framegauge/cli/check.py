"""framegauge check: judge one frame."""

import argparse
from collections.abc import Sequence

from framegauge.behaviour import of_findings
from framegauge.cli import inputs, options, output
from framegauge.cli.errors import CLEAN, FINDINGS, UNREADABLE, complain
from framegauge.facts import Kind
from framegauge.gauge import Verdict
from framegauge.render import FORMATS, formats
from framegauge.render.results import Checked

_DESCRIPTION = f"""\
Judges one frame, whole as it was sent; one line feed at its end is dropped. Text output has:

    what the frame is
    each finding, with a caret under the byte at fault
    how servers made with real SDKs reacted to such a frame, if that was measured
    the answer owed

In an excerpt, \\xNN and \\uNNNN are bytes and characters outside printable ASCII. A frame above the size limit is read
only up to the limit.

{options.CONFIG_HELP}"""

_EPILOG = """\
exit status:
  0    nothing found
  1    findings (see --fail-on; with --all-revisions: in any of them)
  2    wrong usage, or the result cannot be written
  3    unreadable input, or a blank frame"""


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser(
        "check",
        help="judge one frame",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: -, standard input")
    options.add_all_revisions(parser)
    options.add_request_method(parser)
    options.add_result(parser, formats("verdict"))
    options.add_judging(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    target = options.target(args)
    gauges = options.gauges(args)
    read = inputs.one_frame(args.file, gauges[0].limits.max_frame_bytes)
    output.refuse_input([args.file], target)
    verdicts = [gauge.check(read.frame, request_method=args.request_method) for gauge in gauges]
    shown = [verdict.to_dict() | {"size": read.size} for verdict in verdicts]
    if args.all_revisions:
        text = FORMATS["matrix", args.format](
            {gauge.revision: plain for gauge, plain in zip(gauges, shown, strict=True)}
        )
    else:
        [verdict], [plain] = verdicts, shown
        readings = of_findings(verdict.findings, verdict.frame, plain["direction"], plain["transport"])
        checked = Checked(plain, read.shown, readings, args.request_method, output.width(target))
        text = FORMATS["verdict", args.format](checked)
    output.write(text, target)
    return _status(verdicts, options.FAILING[args.fail_on])


def _status(verdicts: Sequence[Verdict], failing: set[str]) -> int:
    if verdicts[0].kind == Kind.empty:
        complain("nothing was judged: the frame is blank; give it one JSON-RPC message")
        return UNREADABLE
    found = {finding.severity for verdict in verdicts for finding in verdict.findings}
    return FINDINGS if found & failing else CLEAN
