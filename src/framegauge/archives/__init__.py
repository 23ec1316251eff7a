"""Recorded traffic: formats of logs and captures, read as raw lines or as single frames. Nothing here judges."""

import os
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple, Self

from framegauge.archives import ndjson
from framegauge.archives.record import Lines, Record
from framegauge.archives.stream import Stopping, Stream, open_stream
from framegauge.facts import Limits

__all__ = ["AUTO", "READERS", "Lines", "Reader", "Record", "Records", "open_records"]

AUTO = "auto"
_LONGEST = Limits().max_frame_bytes
_HEAD = 512  # bytes that decide on the format where the name of the file does not


class Reader(NamedTuple):
    """How one format is read, and how a file of that format is known: by its suffix, else by its first bytes.

    `read` gets the stream, and the size in bytes above which a line or a frame is not held (None: no limit).
    """

    read: Callable[[Stream, int | None], Iterator[Lines | Record]]
    suffixes: tuple[str, ...] = ()  # in lower case, with the dot
    begins: Callable[[bytes], bool] | None = None


# In the order in which they are tried. A file that no row claims is read as lines.
READERS: dict[str, Reader] = {
    "ndjson": Reader(ndjson.read_lines),
}
_OTHERWISE = "ndjson"


class Records:
    """The pieces of one file; `format` names the row of READERS. Close it, or use `with`."""

    def __init__(self, stream: BufferedReader, name: str, pieces: Iterator[Lines | Record]) -> None:
        self.format = name
        self._stream = stream
        self._pieces = pieces

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Lines | Record:
        return next(self._pieces)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def tell(self) -> int:
        """How far the file was read, in bytes; OSError where it is a pipe."""
        return self._stream.tell()

    def close(self) -> None:
        self._stream.close()


def open_records(
    path: str | os.PathLike[str],
    format: str = AUTO,  # noqa: A002
    *,
    longest: int | None = _LONGEST,
    stopped: Callable[[], bool] | None = None,
) -> Records:
    """Open a file, or standard input for `-`. OSError where that fails, or later where reading fails.

    `format`: a name in READERS, or "auto". `longest`: bytes above which a line is not held; of such a line only the
    beginning and the size are kept (None: every line is held). `stopped`: asked before each read. Where it returns
    True the file ends, so that another thread can end the reading of a line that is larger than memory.
    """
    if format not in (AUTO, *READERS):
        raise ValueError(f"format is one of {', '.join((AUTO, *READERS))}; not {format!r}")
    path = os.fspath(path)
    stream = open_stream(path)
    try:
        name = _format_of(path, stream) if format == AUTO else format
    except BaseException:
        stream.close()
        raise
    return Records(stream, name, READERS[name].read(Stopping(stream, stopped) if stopped else stream, longest))


def _format_of(path: str, stream: BufferedReader) -> str:
    suffix = Path(path).suffix.lower()
    by_suffix = next((name for name, reader in READERS.items() if suffix in reader.suffixes), None)
    if by_suffix is not None:
        return by_suffix
    by_bytes = {name: reader.begins for name, reader in READERS.items() if reader.begins}
    head = stream.peek(_HEAD)[:_HEAD] if by_bytes else b""  # a pipe may keep its reader waiting for them
    return next((name for name, begins in by_bytes.items() if begins(head)), _OTHERWISE)
