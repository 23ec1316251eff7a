"""The command line: arguments in, exit status out."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from framegauge.cli import check, rules, scan
from framegauge.cli.errors import CLEAN, INTERRUPTED, USAGE, CommandError, complain
from framegauge.cli.output import put
from framegauge.report.escape import printable

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. What a user did wrong is one line on stderr, never a traceback."""
    try:
        return _run(argv)
    except CommandError as error:
        complain(str(error))
        return error.status
    except KeyboardInterrupt:
        complain("interrupted; run it again for a result")
        return INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = _parser().parse_args(argv)
    except SystemExit:  # after --help and --version
        return CLEAN
    status: int = args.run(args)
    return status


class _Parser(argparse.ArgumentParser):
    def print_help(self, file: Any = None) -> None:
        put(self.format_help())

    def error(self, message: str) -> NoReturn:
        raise CommandError(printable(f"{message}; see {self.prog} --help"), USAGE)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from framegauge import __version__
        from framegauge.native.tokenizer import kernel, simdjson_version

        lines = [f"framegauge {__version__}", f"simdjson {simdjson_version()}", f"kernel {kernel()}"]
        if kernel() == "fallback":
            lines.append("warning: no SIMD kernel fits this processor; framegauge works, but more slowly")
        put("\n".join(lines) + "\n")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = _Parser(
        prog="framegauge", description="Judges raw JSON-RPC 2.0 and MCP frames.", allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print versions and the SIMD kernel in use")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    check.add_to(commands)
    scan.add_to(commands)
    rules.add_to(commands)
    return parser
