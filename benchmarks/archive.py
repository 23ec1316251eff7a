"""A newline-delimited archive as a gateway would record it: 98.5 % small frames, 1.46 % medium, 0.08 % large.

The same bytes every time, whatever the size: a shorter archive is the beginning of a longer one. Written once into a
cache folder.
"""

import hashlib
import os
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from random import Random

from corpora import SEED, Labelled, clean, drawn_anew, large

MEGABYTE = 1_000_000
_SHARES = (98.5, 1.46, 0.08)
_BATCH = 4096  # frames drawn at a time
_DRAWING = 1  # raise it when the drawing below changes, so that no older archive is taken for this one


def _pools() -> tuple[tuple[Labelled, ...], ...]:
    return clean("small").frames, clean("medium").frames, large(64)


def _digest(pools: tuple[tuple[Labelled, ...], ...]) -> str:
    total = hashlib.sha256(f"{SEED}/{_DRAWING}/{_SHARES}".encode())
    for pool in pools:
        for frame in pool:
            total.update(frame.data)
    return total.hexdigest()[:12]


def frames(pools: tuple[tuple[Labelled, ...], ...] | None = None) -> Iterator[Labelled]:
    """Frames without end, drawn at random: their order cannot be learnt by a branch predictor."""
    pools = pools or _pools()
    rng = Random(f"{SEED}/archive")
    while True:
        for pool in rng.choices(pools, _SHARES, k=_BATCH):
            yield rng.choice(pool)


def spoil(line: bytes, number: int) -> bytes:
    """A line of the same length that is no JSON, in one of four ways; stage 1 refuses three of them."""
    middle = len(line) // 2
    way = number % 4
    if way == 0:
        return line[:-1] + b'"'  # a string that is never closed
    if way == 1:
        return line[:middle] + b"\xff" + line[middle + 1 :]
    if way == 2:
        return b"I" + line[1:]
    return line[:middle] + b"\x01" + line[middle + 1 :]


def lines(size: int, bad_every: int = 0, pools: tuple[tuple[Labelled, ...], ...] | None = None) -> Iterator[bytes]:
    """Lines with their LF of `size` bytes in all, or a little more; of each `bad_every` one is no JSON."""
    written = 0
    for number, frame in enumerate(frames(pools)):
        bad = bad_every and number % bad_every == bad_every // 2
        line = spoil(frame.data, number // bad_every) if bad else frame.data
        yield line + b"\n"
        written += len(line) + 1
        if written >= size:
            return


def cached(folder: Path, megabytes: int, bad_every: int = 0) -> Path:
    """The archive's file in `folder`; written there if it is not yet, whole or not at all."""
    pools = _pools()
    bad = f"-bad{bad_every}" if bad_every else ""
    path = folder / f"archive-{megabytes}mb{bad}-{_digest(pools)}.ndjson"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write(path, lines(megabytes * MEGABYTE, bad_every, pools))
    return path


def anew(folder: Path, megabytes: int) -> Path:
    """A file of the same mixture of which hardly a small or medium frame comes twice; the large ones come in turn."""
    path = folder / f"archive-{megabytes}mb-anew-{SEED}-{_DRAWING}.ndjson"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write(path, _lines_anew(megabytes * MEGABYTE))
    return path


def _lines_anew(size: int) -> Iterator[bytes]:
    pools = (drawn_anew("small"), drawn_anew("medium"), cycle(large(64)))
    rng = Random(f"{SEED}/anew")
    written = 0
    while written < size:
        for pool in rng.choices(pools, _SHARES, k=_BATCH):
            line = next(pool).data + b"\n"
            yield line
            written += len(line)


def repeated(folder: Path, source: Path, megabytes: int) -> Path:
    """A file of whole copies of `source`, of `megabytes` or a little more."""
    path = folder / f"{source.stem}-to-{megabytes}mb.ndjson"
    if not path.exists():
        content = source.read_bytes()
        copies = -(-megabytes * MEGABYTE // len(content))
        _write(path, (content for _ in range(copies)))
    return path


def _write(path: Path, parts: Iterator[bytes]) -> None:
    temporary = path.with_suffix(f".{os.getpid()}.part")
    try:
        with temporary.open("wb", buffering=MEGABYTE) as file:
            file.writelines(parts)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
