"""framegauge check: judge one frame."""

import argparse
import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

from framegauge.archives.stdin import standard_input
from framegauge.behaviour import Reading, fitting
from framegauge.cli import options, output
from framegauge.cli.errors import CLEAN, FINDINGS, UNREADABLE, USAGE, CommandError, complain
from framegauge.explain.excerpt import escaped, pointed
from framegauge.explain.similar_names import meant
from framegauge.facts import Kind
from framegauge.native.tokenizer import METHOD_NAMES
from framegauge.native.verdict import Verdict
from framegauge.protocol.revision import JSONRPC, REVISIONS
from framegauge.render import readings as render_readings
from framegauge.render import verdict as report
from framegauge.render.escape import printable

_WIDTH = 100  # columns where there is no terminal
_INDENT = 2
_SHOWN = 256  # bytes behind the limit

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
    read = _read(args.file, next(iter(gauges.values())).limits.max_frame_bytes)
    if target is not None:
        output.refuse_input([args.file], target)
    asked = args.request_method
    verdicts = {revision: gauge.check(read.frame, request_method=asked) for revision, gauge in gauges.items()}
    if args.all_revisions:
        render = report.render_matrix_json if args.format == "json" else report.render_matrix_text
        said = {revision: verdict.to_dict() | {"size": read.size} for revision, verdict in verdicts.items()}
        output.write(render(said), target)
    else:
        output.write(_rendered(verdicts[""], read, args.format, _width(target), asked), target)
    return _status(verdicts.values(), options.FAILING[args.fail_on])


def _no_method(name: str) -> str:
    near = meant(name, [known for known in METHOD_NAMES if known])
    hint = f"did you mean {near}?" if near else "leave --request-method out where the method is your own"
    return f"no revision of MCP has the method {printable(name)!r}; {hint}"


class _Read(NamedTuple):
    frame: bytes  # of one over the limit one byte more than that, which is enough to say so
    shown: bytes  # and some more of it
    size: int | None  # of the whole; None: a stream that is longer than the limit, perhaps without an end


def _read(path: str, limit: int | None) -> _Read:
    try:
        with _open(path) as stream:
            data = stream.read(-1 if limit is None else limit + _SHOWN)
            if limit is None or len(data) < limit + _SHOWN:
                data = data.removesuffix(b"\n")
                size: int | None = len(data)
            else:
                size = _size(stream, len(data))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CommandError(
            f"cannot read {printable(path)}: {why}; name one file, or - for standard input", UNREADABLE
        ) from error
    return _Read(data if limit is None else data[: limit + 1], data, size)


def _size(stream: BinaryIO, read: int) -> int | None:
    """Of a file of which so much was read, without the line feed at its end."""
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        return None
    start, end = stream.tell() - read, stream.seek(-1, os.SEEK_END) + 1
    return end - start - (stream.read(1) == b"\n")


def _open(path: str) -> BinaryIO:
    return standard_input() if path == "-" else Path(path).open("rb")


def _width(target: str | None) -> int:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if target is None and sys.stdout.isatty():
            return shutil.get_terminal_size((_WIDTH, 24)).columns
    return _WIDTH


def _rendered(verdict: Verdict, read: _Read, style: str, width: int, asked: str | None) -> str:
    said = verdict.to_dict() | {"size": read.size}
    measured = _readings(verdict, said["direction"], said["transport"])
    if style == "json":
        told_of = [{"rule": rule, **reading.to_dict()} for rule, found in measured.items() for reading in found]
        return report.render_json({**said, "readings": told_of})
    excerpts = [pointed(read.shown, min(found.offset, len(read.shown)), width - _INDENT) for found in verdict.findings]
    body = None if verdict.reply is None else escaped(verdict.reply.body())
    unasked = asked is None and verdict.kind == Kind.success and verdict.revision != JSONRPC
    told: dict[tuple[str, ...], str] = {}  # rules of which the same is to be said share it
    for rule, readings in measured.items():
        lines = tuple(render_readings.text(readings, width - _INDENT))
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
