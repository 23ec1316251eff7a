"""Where a result goes: standard output, or a file that is either complete or not there."""

import contextlib
import os
import stat
import sys
from pathlib import Path

from framegauge.cli.errors import PIPE_CLOSED, USAGE, CommandError
from framegauge.report.text import printable


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
    if output is None:
        if sys.stdout is None:
            raise _refusal("to standard output", "it is closed; open it or use --output FILE")
        put(text)
        return
    try:
        _write_file(text.encode("utf-8", "backslashreplace"), Path(output).resolve())  # through a link, not over it
    except OSError as error:
        raise _refusal(output, f"{error.strerror}; choose another place") from error


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


def _write_file(data: bytes, target: Path) -> None:
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        target.write_bytes(data)  # a device or a pipe can be written to, but not replaced
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _refusal(output: str, why: str) -> CommandError:
    return CommandError(f"cannot write {printable(output)}: {why}", USAGE)
