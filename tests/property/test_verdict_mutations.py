"""fg.Gauge against the slow reference on random mutations, with random revision, direction, transport and limits."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.reference.facts import Limits, facts
from tests.reference.rows import ALL
from tests.support.comparison import verdict_differences
from tests.support.mcp_calls import some_call
from tests.support.mutations import mutate
from tests.support.seed_frames import structured_frames
from tests.support.vectors import all_vectors, verdict_vectors

VERDICT_FRAMES = list(dict.fromkeys(vector.frame for vector in verdict_vectors()))
OTHER_FRAMES = [vector.frame for vector in all_vectors() if len(vector.frame) < 3000] + structured_frames(60, seed=12)
CALLS = [some_call(rng).frame for rng in map(Random, range(400))]
# Of a parse error nearly every mutant is one too.
GOOD = [frame for frame in [*VERDICT_FRAMES, *OTHER_FRAMES, *CALLS] if facts(frame).fault is None]
OBJECTS = [frame for frame in GOOD if frame.strip().startswith(b"{") and len(frame) < 400]

REVISIONS = (*ALL, "auto")
DIRECTIONS = (None, "client-to-server", "server-to-client")
TRANSPORTS = (None, "stdio", "http", "sse")
POLICIES = ("spec", "spec", "null", "omit")
BOM = b"\xef\xbb\xbf"
META = b'"_meta":{"io.modelcontextprotocol/protocolVersion":"%b"},'


def some_batch(rng: Random) -> bytes:
    elements = [rng.choice(OBJECTS) for _ in range(rng.choice((1, 2, 2, 3)))]
    odd = [b"null", b"[]", b'[{"a":1,"a":2}]', b'"\\ud800"', b"7", b"{}"]
    if rng.random() < 0.3:
        elements.insert(rng.randrange(len(elements) + 1), rng.choice(odd))
    blank = rng.choice((b"", b"", b" ", b"\n"))
    return b"[" + (b"," + blank).join(elements) + b"]"


def some_frame(rng: Random) -> bytes:
    chance = rng.random()
    if chance < 0.2:
        frame = some_batch(rng)
        frame = mutate(frame, rng) if rng.random() < 0.6 else frame
    elif chance < 0.9:
        frame = mutate(rng.choice(GOOD), rng)
    else:
        frame = mutate(rng.choice([*VERDICT_FRAMES, *OTHER_FRAMES]), rng)
    if rng.random() < 0.1:
        version = rng.choice(ALL).encode()
        frame = frame.replace(b'"params":{', b'"params":{' + META % version, 1)
    if rng.random() < 0.05:
        frame += b"\r"
    if rng.random() < 0.05:
        frame = BOM + frame
    return frame


def some_limits(rng: Random) -> Limits:
    if rng.random() < 0.8:
        return Limits()
    return Limits(
        max_frame_bytes=rng.choice((None, 30, 60, 400)),
        max_depth=rng.choice((None, 1, 2, 3, 6)),
        max_batch_items=rng.choice((None, 0, 1, 2)),
        max_number_digits=rng.choice((None, 1, 2, 6)),
        max_members=rng.choice((None, 2, 3, 5)),
    )


def some_options(rng: Random) -> dict[str, Any]:
    return {
        "revision": rng.choice(REVISIONS),
        "direction": rng.choice(DIRECTIONS),
        "transport": rng.choice(TRANSPORTS),
        "limits": some_limits(rng),
        "allow_bom": rng.random() < 0.3,
        "error_id": rng.choice(POLICIES),
    }


def check(count: int, seed: int) -> None:
    rng = Random(seed)
    for _ in range(count):
        frame, options = some_frame(rng), some_options(rng)
        found = verdict_differences(frame, **options)
        assert not found, (frame, options, found)


def test_verdicts_on_mutations_equal_the_reference() -> None:
    check(6_000, seed=21)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(300, 320))
def test_many_verdicts_on_mutations_equal_the_reference(seed: int) -> None:
    check(50_000, seed)
