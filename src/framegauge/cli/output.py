"""Where a result goes: standard output, or a file that is either complete or absent."""

import contextlib
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from framegauge.cli.errors import PIPE_CLOSED, USAGE, CommandError
from framegauge.render.escape import printable
from framegauge.render.results import WIDTH

# A descriptor that this process was given, by one of the names that systems have for it.
_NUMBERS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/dev/(?:stdin|stdout|stderr)|(?:/dev|/proc/self)/fd/(?P<number>[0-9]{1,9})")


def check_target(output: str) -> None:
    """Refuse before any work is done what could not be written after it."""
    try:
        target = Path(output)
        if target.is_dir():
            raise _refusal(output, "it is a folder; name a file in it")
        if not target.parent.is_dir():
            raise _refusal(output, "there is no such folder; create it first")
        with contextlib.suppress(FileNotFoundError):
            target.stat()  # a loop of links, or a name that is too long
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
        put("")  # refuses a closed one
        yield put
        return
    try:
        with _target(output) as file:
            yield lambda text: _encode_into(file, text)
    except _WriteError as error:
        raise _refusal(output, f"{error}; choose another place") from error


def width(output: str | None) -> int:
    """Columns of the terminal that shows the result, where it is one."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        if output is None and sys.stdout.isatty():
            return shutil.get_terminal_size((WIDTH, 24)).columns
    return WIDTH


def refuse_input(paths: Iterable[str], target: str | None) -> None:
    """What was just judged must not be overwritten by what was found in it."""
    if target is None:
        return
    for path in paths:
        with contextlib.suppress(OSError, ValueError, AttributeError):  # there may be no standard input
            status = os.fstat(sys.stdin.fileno()) if path == "-" else Path(path).stat()
            # A terminal or /dev/null may be read and written.
            if (path != "-" or stat.S_ISREG(status.st_mode)) and os.path.samestat(status, Path(target).stat()):
                raise _refusal(target, "it is one of the inputs; name another")


def put(text: str) -> None:
    """Print. A reader that has gone away ends the command in silence."""
    if sys.stdout is None:
        raise _refusal("to standard output", "it is closed; open it or use --output FILE")
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


def _target(output: str) -> contextlib.AbstractContextManager[BinaryIO]:
    with _complaints():
        descriptor = _DESCRIPTOR.fullmatch(output)
        if descriptor:
            # As it is open here: others may have written there, and will again.
            number = os.dup(int(descriptor["number"] or _NUMBERS[output]))
            return cast("BinaryIO", os.fdopen(number, "wb", buffering=0))
        target = Path(output)
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            # A device or a pipe can be written to, but not replaced.
            return cast("BinaryIO", target.open("wb", buffering=0))
        return _whole_file(target.resolve())  # through a link, not over it


@contextlib.contextmanager
def _whole_file(target: Path) -> Iterator[BinaryIO]:
    part = target.with_name(f".{_beginning(target.name)}.{os.urandom(8).hex()}.part")
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


def _beginning(name: str) -> str:
    """What leaves room for more in 255 bytes, the longest name that most systems allow."""
    return os.fsdecode(os.fsencode(name)[:200])


def _refusal(output: str, why: str) -> CommandError:
    return CommandError(f"cannot write {printable(output)}: {why}", USAGE)
