"""The command line: arguments in, exit status out."""

import argparse
import contextlib
import importlib
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from framegauge.cli.errors import CLEAN, SIGNALLED, UNREADABLE, USAGE, CommandError, Stopped, complain
from framegauge.cli.output import put
from framegauge.render.escape import printable

__all__ = ["main"]

_SIGNALS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}  # the word that is printed for each
_MODULES = {"check": "check", "scan": "scan", "rules": "rules", "explain": "rules"}  # of each command


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. What a user did wrong is one line on stderr, never a traceback."""
    try:
        with _stoppable():
            return _run(argv)
    except CommandError as error:
        complain(str(error))
        return error.status
    except MemoryError:
        complain("not enough memory; give it more, or use fewer threads, as scan --jobs 1 does")
        return UNREADABLE
    except KeyboardInterrupt as stop:
        number = stop.number if isinstance(stop, Stopped) else signal.SIGINT
        complain(f"{_SIGNALS[signal.Signals(number).name]}; run it again for a result")
        return SIGNALLED + number


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """Turns the first signal to stop into an exception, unless the host has a handler for it.

    A second Ctrl-C ends the program at once, in case it cannot clear up. Other repeated signals are ignored: `timeout`
    and service managers may send two.
    """
    before: dict[int, Any] = {}

    def stop(number: int, _: Any) -> NoReturn:
        for each in before:
            signal.signal(each, signal.SIG_DFL if each == signal.SIGINT else signal.SIG_IGN)
        raise Stopped(number)

    for name in _SIGNALS:
        number = getattr(signal, name, None)  # SIGHUP is not everywhere
        with contextlib.suppress(ValueError):  # not the main thread: another program runs the command
            if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is stop:  # else the program is about to end
                signal.signal(number, handler)


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
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


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """Of all commands; or of the one that is called, which need not wait for what the others import."""
    parser: argparse.ArgumentParser = _Parser(
        prog="framegauge", description="Judges raw JSON-RPC 2.0 and MCP frames.", allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print versions and the SIMD kernel in use")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    called = [_MODULES[argv[0]]] if argv and argv[0] in _MODULES else dict.fromkeys(_MODULES.values())
    for name in called:
        importlib.import_module(f"framegauge.cli.{name}").add_to(commands)
    return parser
