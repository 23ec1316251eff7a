"""Newline-delimited records. Only LF ends a line, and one CR before it is dropped; the last line needs no LF."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

WINDOW = 1 << 20  # bytes read at a time; also the buffer a stream should be opened with
HEAD = 128  # bytes that are kept of a line that is too long, to show how it starts


class Line(NamedTuple):
    """One line: its number from 1, where it starts, its bytes without the line end, and where the next one starts."""

    number: int
    start: int
    size: int
    text: bytes  # of a line longer than the limit only the first HEAD bytes
    end: int


def read_lines(stream: BinaryIO, limit: int | None) -> Iterator[Line]:
    """Yield the lines of a buffered stream; none longer than `limit` is ever held in memory as a whole."""
    most = -1 if limit is None else limit + 2  # room for CR LF: a longer piece is a longer line
    number = start = 0
    while piece := stream.readline(most):
        number += 1
        end = start + len(piece)
        if piece.endswith(b"\n"):
            text = piece[:-2] if piece.endswith(b"\r\n") else piece[:-1]
            size = len(text)
        elif len(piece) == most:
            text = piece[:HEAD]
            size, end = _skip_rest(stream, start, piece)
        else:
            text, size = piece, len(piece)
        if limit is not None and size > limit:
            text = text[: min(size, HEAD)]  # of its own bytes, not of its line end
        yield Line(number, start, size, text, end)
        start = end


def _skip_rest(stream: BinaryIO, start: int, piece: bytes) -> tuple[int, int]:
    """Read on to the end of a line of which `piece` was read; return its size without the line end, and its end."""
    size = len(piece)
    last = piece[-1:]  # a CR and its LF may come in two pieces
    while piece := stream.readline(WINDOW):
        size += len(piece)
        if piece.endswith(b"\n"):
            line_end = 2 if (last + piece).endswith(b"\r\n") else 1
            return size - line_end, start + size
        last = piece[-1:]
    return size, start + size
