"""The bytes of a file or of standard input, as every reader gets them."""

import io
from collections.abc import Callable
from typing import Protocol

from framegauge.archives.stdin import STDIN, standard_input


class Stream(Protocol):
    """What a reader uses of a file in binary mode."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, place: int, /) -> int: ...
    def tell(self) -> int: ...
    def seekable(self) -> bool: ...


def open_stream(path: str) -> io.BufferedReader:
    """Open for reading; `-` is standard input. OSError or ValueError where that fails."""
    return standard_input() if path == STDIN else open(path, "rb")


class Stopping:
    """A stream that ends as soon as `stopped` returns True: a line in it may be larger than memory."""

    def __init__(self, stream: Stream, stopped: Callable[[], bool]) -> None:
        self._stream, self._stopped = stream, stopped
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int) -> bytes:
        return b"" if self._stopped() else self._stream.read(size)
