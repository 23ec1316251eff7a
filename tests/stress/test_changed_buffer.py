"""A buffer that changes while its lines are read: its own rows may say anything, those of later buffers may not."""

from __future__ import annotations

import ctypes
import threading
import time
from random import Random

import pytest

import framegauge as fg
from framegauge.native.tokenizer import kernel

SECONDS = 4  # before patterns were made of copies it took less than one to find a wrong row
CLEAN = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def lines_of(method: bytes, count: int, digits: int) -> list[bytes]:
    """Lines that come twice, so that the second one is learnt; between them one that is known."""
    rng = Random(3)
    found = [CLEAN] * 600
    for _ in range(count):
        one, other = (bytes(rng.choices(b"abcdefghijklmnopqrstuvwxyz", k=2)) for _ in range(2))
        line = b'{"id":1,"jsonrpc":"2.0","params":{"%s":1,"%s":2},"%s":[%s],"method":"%s"}' % (
            one,
            other,
            one[::-1],
            b",".join(b"%d" % digit for digit in rng.choices(range(10), k=digits)),
            method,
        )
        found += [CLEAN, line, CLEAN, line, CLEAN]
    return found


class Flipping:
    """A buffer that a thread fills with one text and the other in turn."""

    def __init__(self, *texts: bytes) -> None:
        self.buffer = bytearray(texts[0])
        self._texts, self._stop = texts, threading.Event()
        self._thread = threading.Thread(target=self._flip)

    def _flip(self) -> None:
        address = ctypes.addressof((ctypes.c_char * len(self.buffer)).from_buffer(self.buffer))
        while not self._stop.is_set():
            for text in self._texts:
                ctypes.memmove(address, text, len(text))
                time.sleep(0.0007)

    def __enter__(self) -> bytearray:
        self._thread.start()
        return self.buffer

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()


# Short lines are learnt as patterns, long ones are copied.
@pytest.mark.parametrize(("count", "digits"), [(3000, 0), (120, 20_000)], ids=["short", "long"])
def test_what_is_learnt_of_a_changing_buffer_is_true(count: int, digits: int) -> None:
    if not digits and kernel() not in ("haswell", "icelake"):
        pytest.skip("no patterns without AVX2")
    gauge = fg.Gauge("2025-11-25")
    lines = [lines_of(method, count, digits) for method in (b"ping", b"pong")]
    texts = [b"\n".join(one) for one in lines]
    expected = [[rules_of(gauge, line) for line in one] for one in lines]
    assert expected[0] != expected[1]
    end, scans = time.monotonic() + SECONDS, 0
    with Flipping(*texts) as buffer:
        while time.monotonic() < end:
            # Other limits, and what is known is forgotten.
            fg.Gauge("2025-11-25", limits=fg.Limits(max_depth=100 + scans % 2)).check_lines(CLEAN)
            gauge.check_lines(memoryview(buffer))
            for text, rows in zip(texts, expected, strict=True):
                rules = memoryview(gauge.check_lines(text).rules)
                assert [rules[2 * row] | rules[2 * row + 1] << 64 for row in range(len(rows))] == rows
            scans += 1
    assert scans > 5


_KNOWN: dict[bytes, int] = {}


def rules_of(gauge: fg.Gauge, line: bytes) -> int:
    if line not in _KNOWN:
        rules = memoryview(gauge.check_lines(line).rules)
        _KNOWN[line] = rules[0] | rules[1] << 64
    return _KNOWN[line]
