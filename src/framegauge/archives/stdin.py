"""Standard input, in whatever state the caller of this process left it."""

import io
import select
import sys
from typing import Any

STDIN = "-"  # the path that names it


def standard_input() -> io.BufferedReader:
    """Read without decoding; closing it leaves the descriptor open. OSError where there is none."""
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return io.BufferedReader(_Waiting(sys.stdin.fileno(), "rb", closefd=False))


class _Waiting(io.FileIO):
    """Waits where there is nothing to read yet.

    Another process that shares a pipe may have made it non-blocking for all; a read then returns None, which is not
    the end.
    """

    def readinto(self, buffer: Any) -> int | None:
        while (count := super().readinto(buffer)) is None:
            select.select([self], [], [])
        return count

    # By way of readinto, unlike those of FileIO.
    def read(self, size: int | None = -1, /) -> bytes:
        return io.RawIOBase.read(self, -1 if size is None else size)

    def readall(self) -> bytes:
        return io.RawIOBase.readall(self)
