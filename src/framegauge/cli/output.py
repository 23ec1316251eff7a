"""Where a result goes: standard output, or a file that is either complete or not there."""

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from framegauge.cli.errors import PIPE_CLOSED, USAGE, CommandError
from framegauge.report.escape import printable


def check_target(output: str) -> None:
    """Refuse before any work is done what could not be written after it."""
    try:
        target = Path(output)
        if target.is_dir():
            raise _refusal(output, "it is a folder; name a file in it")
        if not target.parent.is_dir():
            raise _refusal(output, "there is no such folder; create it first")
    except OSError as error:
        raise _refusal(output, f"{error.strerror}; choose another place") from error


def write(text: str, output: str | None) -> None:
    """Write to the file, or to standard output where `output` is None."""
    with opened(output) as put_text:
        put_text(text)


@contextlib.contextmanager
def opened(output: str | None) -> Iterator[Callable[[str], None]]:
    """Yields what writes text there, piece by piece. The file appears at the end, and not at all after an exception."""
    if output is None:
        if sys.stdout is None:
            raise _refusal("to standard output", "it is closed; open it or use --output FILE")
        yield put
        return
    try:
        target = Path(output).resolve()  # through a link, not over it
        with _device(target) if _is_device(target) else _whole_file(target) as file:
            yield lambda text: _encode_into(file, text)
    except _WriteError as error:
        raise _refusal(output, f"{error}; choose another place") from error


def refuse_input(paths: Iterable[str], target: str) -> None:
    """What was just judged must not be overwritten by what was found in it."""
    for path in paths:
        with contextlib.suppress(OSError, ValueError, AttributeError):  # there may be no standard input
            status = os.fstat(sys.stdin.fileno()) if path == "-" else Path(path).stat()
            # A terminal or /dev/null may be read and written.
            if (path != "-" or stat.S_ISREG(status.st_mode)) and os.path.samestat(status, Path(target).stat()):
                raise _refusal(target, "it is one of the inputs; name another")


def put(text: str) -> None:
    """Print. A reader that has gone away ends the command in silence."""
    if sys.stdout is None:
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except OSError as error:
        _drop_stdout()
        if isinstance(error, BrokenPipeError):
            raise CommandError("", PIPE_CLOSED) from error
        reason = f"{error.strerror}; send it elsewhere or use --output FILE"
        raise _refusal("to standard output", reason) from error


def _drop_stdout() -> None:
    """Send what is still buffered nowhere: Python would try again at exit, and complain again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


class _WriteError(Exception):
    """The system's complaint about the file that is written, apart from those about files that are read."""


def _encode_into(file: BinaryIO, text: str) -> None:
    with _complaints():
        file.write(text.encode("utf-8", "backslashreplace"))


@contextlib.contextmanager
def _complaints() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _WriteError(error.strerror) from error


def _is_device(target: Path) -> bool:
    """A device or a pipe can be written to, but not replaced."""
    with _complaints():
        return target.exists() and not stat.S_ISREG(target.stat().st_mode)


@contextlib.contextmanager
def _device(target: Path) -> Iterator[BinaryIO]:
    with _complaints():
        file = target.open("wb", buffering=0)
    with file:
        yield file


@contextlib.contextmanager
def _whole_file(target: Path) -> Iterator[BinaryIO]:
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with _complaints():
            file = part.open("xb")
        with file:
            yield file
            with _complaints():
                file.flush()
                os.fsync(file.fileno())
        with _complaints():
            part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _refusal(output: str, why: str) -> CommandError:
    return CommandError(f"cannot write {printable(output)}: {why}", USAGE)
