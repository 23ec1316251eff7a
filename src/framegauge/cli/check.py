"""framegauge check: judge one frame."""

import argparse
import contextlib
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from framegauge.behaviour import Reading, fitting, words
from framegauge.bulk.excerpt import escaped, pointed
from framegauge.cli import options, output
from framegauge.cli.errors import CLEAN, FINDINGS, UNREADABLE, USAGE, CommandError, complain
from framegauge.facts import Kind
from framegauge.native.judge import Verdict
from framegauge.native.tokenizer import METHOD_NAMES
from framegauge.protocol.revision import JSONRPC, REVISIONS
from framegauge.report import verdict as report
from framegauge.report.escape import printable
from framegauge.rules.meant import meant

_WIDTH = 100  # columns where there is no terminal
_INDENT = 2

_DESCRIPTION = f"""\
Judges one frame, whole as it was sent; one line feed at its end is dropped. Text output says what it is, shows each
finding with a caret under the byte at fault, what servers made with real SDKs did with such a frame where that was
measured, and then the answer owed. In an excerpt, \\xNN and \\uNNNN stand for bytes
and characters other than printable ASCII. Of a frame over the size limit no more is read than shows that it is.

{options.CONFIG_HELP}"""

_EPILOG = """\
exit status:
  0    nothing found
  1    findings (see --fail-on; with --all-revisions: in any of them)
  2    wrong usage, or the result cannot be written
  3    input that cannot be read, or a blank frame"""


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
    parser.add_argument("--all-revisions", action="store_true", help="judge under every revision: rules by revisions")
    parser.add_argument(
        "--request-method", metavar="METHOD", help="of the request that the frame answers; its result is judged by that"
    )
    options.add_result(parser, ("text", "json"))
    options.add_judging(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    target = options.target(args)
    if args.all_revisions and args.revision is not None:
        raise CommandError("--all-revisions judges under all of them; leave --revision out", USAGE)
    if args.request_method is not None and args.request_method not in METHOD_NAMES[1:]:  # the first is no name
        raise CommandError(_no_method(args.request_method), USAGE)
    if args.all_revisions:
        gauges = {revision: options.gauge(args, revision=revision) for revision in REVISIONS}
    else:
        gauges = {"": options.gauge(args)}
    frame = _read(args.file, next(iter(gauges.values())).limits.max_frame_bytes)
    if target is not None:
        output.refuse_input([args.file], target)
    verdicts = {revision: gauge.check(frame, request_method=args.request_method) for revision, gauge in gauges.items()}
    if args.all_revisions:
        render = report.render_matrix_json if args.format == "json" else report.render_matrix_text
        output.write(render({revision: verdict.to_dict() for revision, verdict in verdicts.items()}), target)
    else:
        output.write(_rendered(verdicts[""], frame, args.format, _width(target), args.request_method), target)
    return _status(verdicts.values(), options.FAILING[args.fail_on])


def _no_method(name: str) -> str:
    near = meant(name, [known for known in METHOD_NAMES if known])
    hint = f"did you mean {near}?" if near else "leave --request-method out where the method is your own"
    return f"no revision of MCP has the method {printable(name)!r}; {hint}"


def _read(path: str, limit: int | None) -> bytes:
    """The frame; of one over the limit one byte more than that, which is enough to say so."""
    try:
        with _open(path) as stream:
            frame = stream.read(-1 if limit is None else limit + 2)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CommandError(
            f"cannot read {printable(path)}: {why}; name one file, or - for standard input", UNREADABLE
        ) from error
    frame = frame.removesuffix(b"\n")
    return frame if limit is None else frame[: limit + 1]


def _open(path: str) -> BinaryIO:
    if path != "-":
        return Path(path).open("rb")
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return open(sys.stdin.fileno(), "rb", closefd=False)


def _width(target: str | None) -> int:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if target is None and sys.stdout.isatty():
            return shutil.get_terminal_size((_WIDTH, 24)).columns
    return _WIDTH


def _rendered(verdict: Verdict, frame: bytes, style: str, width: int, asked: str | None) -> str:
    said = verdict.to_dict()
    measured = _readings(verdict, said["direction"], said["transport"])
    if style == "json":
        told_of = [{"rule": rule, **reading.to_dict()} for rule, found in measured.items() for reading in found]
        return report.render_json({**said, "readings": told_of})
    excerpts = [pointed(frame, min(found.offset, len(frame)), width - _INDENT) for found in verdict.findings]
    body = None if verdict.reply is None else escaped(verdict.reply.body())
    unasked = asked is None and verdict.kind == Kind.success and verdict.revision != JSONRPC
    told: dict[tuple[str, ...], str] = {}  # rules of which the same is to be said share it
    for rule, readings in measured.items():
        lines = tuple(words.text(readings, width - _INDENT))
        told[lines] = f"{told[lines]}, {rule}" if lines in told else rule
    return report.render_text(said, excerpts, body, {rules: lines for lines, rules in told.items()}, unasked)


def _readings(verdict: Verdict, direction: str | None, transport: str | None) -> dict[str, tuple[Reading, ...]]:
    """What is known of how others read this frame, by rule. Only servers were asked: of clients nothing is known."""
    if direction == "server-to-client":
        return {}
    found = {
        finding.rule: fitting(
            finding.rule, verdict.frame, finding.path, finding.hint[0] if finding.hint else None, transport
        )
        for finding in verdict.findings
    }
    return {rule: readings for rule, readings in found.items() if readings}


def _status(verdicts: Iterable[Verdict], failing: set[str]) -> int:
    verdicts = list(verdicts)
    if verdicts[0].kind == Kind.empty:
        complain("nothing was judged: the frame is blank; give it one JSON-RPC message")
        return UNREADABLE
    found = {finding.severity for verdict in verdicts for finding in verdict.findings}
    return FINDINGS if found & failing else CLEAN
