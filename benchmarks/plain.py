"""A plain fast program that judges a file with one thread: what `scan.py` compares the command with."""

import sys
from collections import Counter
from pathlib import Path

import framegauge

REVISION = "2025-11-25"
BLOCK = 8 << 20


def judge(path: Path) -> dict[str, int]:
    """Lines per kind of a file: blocks are read into one buffer, what is left over is moved to its start."""
    check_lines = framegauge.Gauge(REVISION).check_lines
    kinds: Counter[str] = Counter()
    buffer = bytearray(4 * BLOCK)
    view = memoryview(buffer)
    held = 0
    with path.open("rb", buffering=0) as file:
        while True:
            if held + BLOCK > len(buffer):
                raise ValueError(f"a line of more than {held} bytes")
            read = file.readinto(view[held : held + BLOCK]) or 0
            filled = held + read
            verdicts = check_lines(view[:filled], final=not read)
            kinds.update(verdicts.kind_counts())
            held = filled - verdicts.consumed
            view[:held] = bytes(view[verdicts.consumed : filled])
            if not read:
                return dict(kinds)


if __name__ == "__main__":
    print(judge(Path(sys.argv[1])))
