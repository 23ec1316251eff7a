"""One line on a terminal with the progress of a long run."""

import shutil
import time
from collections.abc import Callable
from typing import TextIO

_INTERVAL = 0.2  # seconds
_CLEAR = "\r\x1b[K"


class Progress:
    """Call it as often as you like; it writes about five times a second. `clear` takes the line away again."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._started = clock()
        self._due = self._started + _INTERVAL  # nothing flashes up for a short run
        self._shown = False

    def __call__(self, done: int, total: int | None) -> None:
        now = self._clock()
        if now < self._due:
            return
        self._due = now + _INTERVAL
        line = _line(done, total, now - self._started)[: shutil.get_terminal_size().columns - 1]
        self._write(_CLEAR + line)
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            self._write(_CLEAR)
        self._shown = False

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._due = float("inf")  # the terminal is gone; the run goes on


def _line(done: int, total: int | None, seconds: float) -> str:
    rate = done / seconds if seconds else 0.0
    speed = f"{rate / 1e6:,.1f} MB/s"
    if total is None:
        return f"{done / 1e6:,.1f} MB  {speed}"
    left = round(max(0, total - done) / rate) if rate else 0
    return f"{done / 1e6:,.1f} of {total / 1e6:,.1f} MB  {speed}  ETA {left // 60}:{left % 60:02}"
