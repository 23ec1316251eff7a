"""A file that is one frame, as `framegauge check` reads it."""

import os
import stat
from typing import BinaryIO, NamedTuple

from framegauge.archives.stream import open_stream

_SHOWN = 256  # bytes behind the limit


class WholeFrame(NamedTuple):
    frame: bytes  # of one over the limit one byte more than that, which is enough to show that it is
    shown: bytes  # and some more of it
    size: int | None  # of the whole; None: a stream that is longer than the limit, perhaps without an end


def read_frame(path: str, limit: int | None) -> WholeFrame:
    """Read a frame and drop one line feed at its end. OSError or ValueError where it cannot be read."""
    with open_stream(path) as stream:
        data = stream.read(-1 if limit is None else limit + _SHOWN)
        if limit is not None and len(data) >= limit + _SHOWN:
            return WholeFrame(data[: limit + 1], data, _size(stream, len(data)))
    data = data.removesuffix(b"\n")
    return WholeFrame(data if limit is None else data[: limit + 1], data, len(data))


def _size(stream: BinaryIO, read: int) -> int | None:
    """Of a file of which so much was read, without the line feed at its end."""
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        return None
    start, end = stream.tell() - read, stream.seek(-1, os.SEEK_END) + 1
    return end - start - (stream.read(1) == b"\n")
