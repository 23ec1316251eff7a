"""Room used to its last byte by a thread that had none before: a byte too many is what the sanitizers refuse."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

import framegauge as fg
from tests.property.test_lines import check
from tests.support.sibling_lines import BOUNDS, MANY_READ

CHUNK = 1 << 18  # bytes
TEXT = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}'


def check_anew(data: bytes) -> None:
    """The rows of its lines are what is told of each line alone."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(check, fg.Gauge("2025-11-25"), data, CHUNK).result()


def test_a_longer_line_than_the_first_copy() -> None:
    """It ends with the same text, and all that is hashed of it are blanks: nothing before that copy may be compared."""
    short, long = (b" " * blanks + TEXT % (b"x" * 900) for blanks in (1040, 1060))
    check_anew(b"\n".join([short, short, long, short, long, long]))


def test_copies_in_every_place_of_the_table() -> None:
    """6 lines for each of its 1,024 sets, of which every one comes three times."""
    rng = Random(11)
    lines = [TEXT % (b"%08x" % rng.getrandbits(32) * 130) for _ in range(6 * 1024)]
    check_anew(b"\n".join(line for line in lines for _ in range(3)))


def test_patterns_that_are_full() -> None:
    """As many lines as are read ahead at once, and more; of some more values are read than are kept."""
    check_anew(b"\n".join(frame for frame in (*BOUNDS, MANY_READ) for _ in range(40)))


@pytest.mark.parametrize("size", [CHUNK - 1, CHUNK])
@pytest.mark.parametrize("filled_with", [b"\\\\", b"[]", b"],[", b"\n[]"])
def test_a_chunk_that_is_full(size: int, filled_with: bytes) -> None:
    """Of backslashes, of tokens, of lines; with blanks, where they do not fill it."""
    start, stop = (b'["', b'"]') if filled_with == b"\\\\" else (b"[", b"]")
    full = start + filled_with * ((size - 4) // len(filled_with)) + stop
    check_anew(full + b" " * (size - len(full)))


def test_a_chunk_of_nothing_but_line_feeds() -> None:
    check_anew(b"[]" + b"\n" * (CHUNK - 2))
