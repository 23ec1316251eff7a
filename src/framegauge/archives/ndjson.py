"""Reading a stream of lines in windows of whole lines. Only LF ends a line; the last one needs none."""

from collections.abc import Iterator

from framegauge.archives.record import Lines
from framegauge.archives.stream import Stream

WINDOW = 8 << 20  # bytes read at a time
HEAD = 128  # bytes that are kept of a line that is too long, to show how it starts


def read_lines(stream: Stream, limit: int | None, size: int = WINDOW) -> Iterator[Lines]:
    """Yield all of a stream. No more is held than a window and a line of `limit` bytes.

    Windows end at the last LF before each multiple of `size`, whatever the stream is.
    """
    start = held = again = 0
    pieces: list[bytes] = []  # a line of which the end was not read yet: `held` bytes
    seekable = stream.seekable() and stream.tell() == 0
    piece = stream.read(size)
    while piece:
        cut = piece.rfind(b"\n") + 1
        if cut and not held and seekable:
            # Reading the beginning of a line again is cheaper than copying all lines before it.
            yield _lines(start, memoryview(piece)[:cut])
            start += cut
            stream.seek(start)
            pieces, piece, again = [], b"", len(piece) - cut
        elif cut:
            yield _lines(start, b"".join([*pieces, memoryview(piece)[:cut]]))
            start += held + cut
            pieces, held = [], 0
            piece = piece[cut:]
        pieces.append(piece)
        held += len(piece)
        piece = b""
        if limit is not None and held > max(limit, HEAD):
            rest, ended, piece = _skip_line(stream, size)
            stop = start + held + rest
            yield Lines(start, stop + ended, b"".join(pieces)[:HEAD], stop - start)
            start, pieces, held = stop + ended, [], 0
        piece = piece or stream.read(size + again)
        again = 0
    if held:
        yield _lines(start, b"".join(pieces))


def _lines(start: int, data: bytes | memoryview) -> Lines:
    return Lines(start, start + len(data), data)


def _skip_line(stream: Stream, size: int) -> tuple[int, int, bytes]:
    """Read on to the end of a line: bytes it still had, whether an LF ended it, and what was read behind that."""
    rest = 0
    while piece := stream.read(size):
        at = piece.find(b"\n")
        if at >= 0:
            return rest + at, 1, piece[at + 1 :]
        rest += len(piece)
    return rest, 0, b""
