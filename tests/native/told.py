"""What told.cpp reads: the frames that tests judge, and what a few gauges are compiled to."""

from __future__ import annotations

import runpy
import struct
import tomllib
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from framegauge.facts import Limits
from framegauge.native.tokenizer import METHOD_NAMES
from framegauge.protocol import MCP
from tests.native.gauges import compiled
from tests.support import VECTORS
from tests.support.mcp_calls import some_call
from tests.support.mutations import mutate
from tests.support.seed_frames import (
    bracket_frames,
    cut_arrays,
    digit_frames,
    edge_frames,
    escape_frames,
    grown_frames,
    line_buffers,
    lookalike_frames,
    number_frames,
    padded_frames,
    pair_frames,
    spelled_frames,
    split_strings,
    structured_frames,
    twin_frames,
    utf8_frames,
)
from tests.support.sibling_lines import BOUNDS, FORMATTED, LONG, MANY_READ, alike_buffer, formatted_buffer
from tests.support.vectors import all_vectors, verdict_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Told(NamedTuple):
    """A frame, the limits it is read with, and the method that it answers."""

    frame: bytes
    limits: dict[str, int | None] = {}  # noqa: RUF012  (nobody writes to it)
    asked: str | None = None


_NO_LIMIT = 0xFFFFFFFF
# (revision, direction, transport). Lines are judged by the first, by the second with those of all revisions, by the
# third and by the last one.
_GAUGES = (
    ("2025-11-25", "client-to-server", "stdio"),
    ("auto", None, None),
    ("jsonrpc-2.0", "server-to-client", "http"),
    ("2026-07-28", "server-to-client", "http"),
    ("2026-07-28", "client-to-server", "http"),
    ("2025-11-25", None, None),
)


def vector_frames() -> list[Told]:
    """Every frame of every vector, with its limits."""
    told = [Told(v.frame, v.limits) for v in all_vectors()]
    told += [Told(v.frame, v.limits, v.request_method) for v in verdict_vectors()]
    for raw in tomllib.loads((VECTORS / "clauses.toml").read_text("utf-8")).values():
        told += [Told(raw[key].encode(), {}, raw.get("request_method")) for key in ("frame", "mended") if key in raw]
    return told


def called_frames(count: int, seed: int) -> list[Told]:
    """Calls and answers of all methods, right ones and damaged ones."""
    rng = Random(seed)
    calls = [some_call(rng, damages=rng.randrange(3)) for _ in range(count)]
    return [Told(call.frame, {}, call.request_method) for call in calls]


def generated_frames(count: int, seed: int) -> list[Told]:
    """Calls, longer frames, mutations of all, and beginnings of short ones."""
    rng = Random(seed)
    seeds = [told.frame for told in vector_frames() if len(told.frame) < 3000] + structured_frames(count // 10, seed)
    short = [frame[: rng.randrange(len(frame) + 1)] for frame in rng.choices(seeds, k=count // 10)]
    mutated = [mutate(rng.choice(seeds), rng) for _ in range(count)]
    long = escape_frames(count // 10, seed)
    edges = (
        *lookalike_frames(),
        *utf8_frames(),
        *edge_frames(),
        *padded_frames(),
        *grown_frames(),
        *twin_frames(),
        *bracket_frames(),
    )
    frames = (*seeds[-(count // 10) :], *mutated, *short, *long, *edges, *line_buffers())
    answers = [Told(frame, {}, "tools/call") for frame in number_frames()]
    colliding = [told for pair in colliding_frames() for told in pair]
    strings = map(Told, (*pair_frames(), *digit_frames(), *spelled_frames(), *split_strings()))
    return [
        *called_frames(count // 3, seed),
        *map(Told, frames),
        *answers,
        *colliding,
        *strings,
        *cut_told(),
        *almost_named(),
        *alike_lines(count // 40, seed),
    ]


def alike_lines(count: int, seed: int) -> list[Told]:
    """Buffers of calls that are nearly the same."""
    rng = Random(seed)
    frames = [some_call(rng, damages=number % 3).frame for number in range(count)]
    buffers = [alike_buffer(frame, rng) for frame in (MANY_READ, *BOUNDS, *LONG, *frames)]
    return list(map(Told, (*buffers, *(formatted_buffer(*of) for of in FORMATTED))))


def cut_told() -> list[Told]:
    """Arrays that are cut short where a limit stands before or behind that place."""
    limits = [{name: most} for name in ("max_depth", "max_batch_items") for most in range(3)]
    return [Told(frame, dict(limit)) for frame in cut_arrays() for limit in limits]


# The seeds of keys.hpp, which the module replaces at import.
_SEED_A, _SEED_B = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F


def print_of(key: bytes) -> int:
    """The 32 bits by which the core knows a key of at most 8 bytes."""
    word = int.from_bytes(key, "little")
    product = (word ^ _SEED_A ^ len(key)) * (word ^ _SEED_B)
    return (product ^ product >> 64) & 0xFFFFFFFF


def colliding_frames() -> list[tuple[Told, Told]]:
    """Frames with two keys of one print, each with a frame of the same shape whose keys have prints of their own."""
    known: dict[int, bytes] = {}
    pairs = []
    for number in range(400_000):
        key = b"%08x" % (number * 2654435761 & 0xFFFFFFFF)
        other = known.setdefault(print_of(key), key)
        if other != key:
            pairs.append((other, key))
    found: list[tuple[Told, Told]] = []
    for one, other in pairs:
        for between in (0, 20, 60):  # few keys are compared one by one, more by a table
            keys = b"".join(b'"%08d":0,' % n for n in range(between))
            shape = b'{"%s":0,' + keys + b'"%s":0}'
            found.append((Told(shape % (one, other)), Told(shape % (b"one-----", b"other---"))))
    return found


def almost_named() -> list[Told]:
    """Calls with a member's or method's name that only one comparison of the core tells from the protocol's own.

    Those that share its slot in the table of names, its length and its first or last 8 bytes; and those that differ
    only in between.
    """
    tables = runpy.run_path(str(Path(__file__).resolve().parents[2] / "tools" / "generate_names.py"))
    methods = _almost(tables["METHODS"], 9, tables["method_mix"], tables["search"])
    names = _almost(tables["NAMES"], 10, tables["name_mix"], tables["search"])
    found = [b'{"jsonrpc":"2.0","id":1,"method":"%s"}' % method for method in methods]
    found += [b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"%s":1}}' % name for name in names]
    return [Told(frame) for frame in found]


def _almost(names: tuple[str, ...], bits: int, mix: Callable[[str, int], int], search: Any) -> Iterable[bytes]:
    multiplier, _ = search(names, bits, mix)
    for name in names:
        size = len(name)
        for at in {0, 8, size - 4} if size > 11 else ():  # the byte from which on four are changed
            changed = (name[:at] + f"{n:04x}" + name[at + 4 :] for n in range(1 << 16))
            slot = mix(name, multiplier) >> (64 - bits)
            alike = (other for other in changed if mix(other, multiplier) >> (64 - bits) == slot)
            yield from (other.encode() for other in islice(alike, 2))
        if size > 16:
            yield (name[:8] + "!" + name[9:]).encode()
        yield (name[:8] + name[-8:]).encode()
        yield (name[:8] + "!" + name[8:]).encode()


def write_frames(path: Path, frames: Iterable[Told]) -> Path:
    with path.open("wb") as file:
        for frame, limits, asked in frames:
            values = [_NO_LIMIT if value is None else value for value in Limits(**limits)._values()]
            number = METHOD_NAMES.index(asked) if asked in METHOD_NAMES else 0
            file.write(struct.pack("<7I", len(frame), *values, number) + frame)
    return path


def write_tables(path: Path) -> Path:
    lines = [line for of in _GAUGES for line in compiled(*of, MCP if of[0] == "auto" else of[:1])]
    lines += compiled(MCP[-1], None, None, MCP[-1:], every=3)
    lines += compiled(MCP[-1], None, None, MCP[-1:], bounds=(-12, 105))
    for name in MCP:
        lines += [*compiled(name, None, None, ()), f"own {name}"]
    path.write_text("".join(line + "\n" for line in lines), "ascii")
    return path
