"""What told.cpp reads: the frames that tests judge, and the compiled rows of a few gauges."""

from __future__ import annotations

import struct
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

from framegauge import gauge
from framegauge.facts import Limits
from framegauge.native.tokenizer import FACT_NAMES, FAULT_NAMES
from framegauge.rules.registry import RULES
from tests.mutate import mutate
from tests.seeds import escape_frames, lookalike_frames, structured_frames
from tests.support import all_vectors, verdict_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Limited = tuple[bytes, dict[str, int | None]]

_SEVERITIES = ("error", "warning", "info")
_NO_LIMIT = 0xFFFFFFFF
# (revision, direction, transport); the first one's rows are those that lines are judged by.
_GAUGES = (
    ("2025-11-25", "client-to-server", "stdio"),
    ("auto", None, None),
    ("jsonrpc-2.0", "server-to-client", "http"),
)


def vector_frames() -> list[Limited]:
    """Every frame of every vector, with its limits."""
    return [(v.frame, v.limits) for v in (*all_vectors(), *verdict_vectors())]


def generated_frames(count: int, seed: int) -> list[Limited]:
    """Longer frames, mutations of all, and beginnings of short ones."""
    rng = Random(seed)
    seeds = [frame for frame, _ in vector_frames() if len(frame) < 3000] + structured_frames(count // 10, seed)
    short = [frame[: rng.randrange(len(frame) + 1)] for frame in rng.choices(seeds, k=count // 10)]
    mutated = [mutate(rng.choice(seeds), rng) for _ in range(count)]
    long = escape_frames(count // 10, seed)
    frames = (*seeds[-(count // 10) :], *mutated, *short, *long, *lookalike_frames())
    return [*((frame, {}) for frame in frames), *(frame for pair in colliding_frames() for frame in pair)]


# The seeds of keys.hpp, which the module replaces at import.
_SEED_A, _SEED_B = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F


def print_of(key: bytes) -> int:
    """The 32 bits by which the core knows a key of at most 8 bytes."""
    word = int.from_bytes(key, "little")
    product = (word ^ _SEED_A ^ len(key)) * (word ^ _SEED_B)
    return (product ^ product >> 64) & 0xFFFFFFFF


def colliding_frames() -> list[tuple[Limited, Limited]]:
    """Frames with two keys of one print, each with a frame of the same shape whose keys have prints of their own."""
    known: dict[int, bytes] = {}
    pairs = []
    for number in range(400_000):
        key = b"%08x" % (number * 2654435761 & 0xFFFFFFFF)
        other = known.setdefault(print_of(key), key)
        if other != key:
            pairs.append((other, key))
    found: list[tuple[Limited, Limited]] = []
    for one, other in pairs:
        for between in (0, 20, 60):  # few keys are compared one by one, more by a table
            keys = b"".join(b'"%08d":0,' % n for n in range(between))
            shape = b'{"%s":0,' + keys + b'"%s":0}'
            found.append(((shape % (one, other), {}), (shape % (b"one-----", b"other---"), {})))
    return found


def write_frames(path: Path, frames: Iterable[Limited]) -> Path:
    with path.open("wb") as file:
        for frame, limits in frames:
            values = [_NO_LIMIT if value is None else value for value in Limits(**limits)._values()]
            file.write(struct.pack("<6I", len(frame), *values) + frame)
    return path


def write_tables(path: Path) -> Path:
    path.write_text("".join(line + "\n" for of in _GAUGES for line in _table(*of)), "ascii")
    return path


def _mask(names: Iterable[str]) -> int:
    return sum(1 << FACT_NAMES.index(name) for name in set(names))


def _table(name: str, direction: str | None, transport: str | None) -> Iterable[str]:
    """The arguments that gauge.table gives to the native Table, as text."""
    selected = frozenset(rule.id for rule in RULES)
    with mock.patch.object(gauge, "Table", side_effect=lambda *args, **_: args):
        made: Any = gauge.table.__wrapped__(name, direction, transport, Limits(), "spec", selected, False)
    _, rows, codes, faults, *_ = made
    suspicious = 0
    for row in rows:
        suspicious |= _mask(row[1][:1])
    yield f"table {suspicious}"
    for rule, facts, without, severity, _, _ in rows:
        place = FACT_NAMES.index(facts[0])
        yield f"row {_mask(facts)} {_mask(without)} {rule} {_SEVERITIES.index(severity)} {place}"
    for rule, low, high, severity, _ in codes:
        yield f"code {low} {high} {rule} {_SEVERITIES.index(severity)}"
    for fault, rule in faults.items():
        yield f"fault {FAULT_NAMES.index(fault)} {rule}"
