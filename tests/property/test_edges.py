"""Native against reference at edges that random mutations seldom hit: characters that readers drop, halves of pairs."""

from __future__ import annotations

from collections import Counter

import framegauge as fg
from tests.compare import differences
from tests.reference.facts import Limits
from tests.seeds import edge_frames, escape_frames, lookalike_frames, utf8_frames


def check(frames: list[bytes]) -> Counter[str]:
    """How many have each fact, or fault."""
    seen: Counter[str] = Counter()
    for frame in frames:
        assert not differences(frame, Limits()), frame
        facts = fg.classify(frame)
        seen.update(facts.facts if facts.fault is None else [facts.fault.rule])
    return seen


def test_characters_that_readers_drop() -> None:
    seen = check(lookalike_frames())
    assert seen["key-lookalike"] >= 25
    assert seen["unknown-member"] >= 20


def test_long_strings_of_escapes() -> None:
    seen = check(escape_frames(600, seed=41))
    assert seen["lone-surrogate"] > 100
    assert seen["bad-escape"] > 50


def test_ends_of_what_utf8_allows() -> None:
    seen = check(utf8_frames())
    assert seen["invalid-utf8"] > 1000
    assert seen["unknown-member"] > 60


def test_one_byte_at_each_place_of_a_block() -> None:
    frames = edge_frames()
    seen = check(frames)
    assert min(seen["raw-newline"], seen["bad-escape"], seen["raw-control-char"]) >= len(frames) // 12
