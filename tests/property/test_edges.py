"""Native against reference at edges that random mutations seldom hit: characters that readers drop, halves of pairs."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import framegauge as fg
from tests.native.told import almost_named
from tests.reference.facts import Limits
from tests.support.comparison import DEFAULT, differences, native_limits
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
    numbers,
    padded_frames,
    pair_frames,
    spelled_frames,
    twin_frames,
    utf8_frames,
)


def check(frames: list[bytes], limits: Limits = DEFAULT) -> Counter[str]:
    """How many have each fact, or fault."""
    seen: Counter[str] = Counter()
    for frame in frames:
        assert not differences(frame, limits), frame
        facts = fg.classify(frame, native_limits(limits))
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


def test_halves_of_pairs_alone() -> None:
    frames = pair_frames()
    seen = check(frames)
    assert len(frames) // 3 < seen["lone-surrogate"] < len(frames) * 2 // 3
    assert seen["bad-escape"] == len(frames) // 9


def test_what_stands_next_to_hexadecimal_digits() -> None:
    frames = digit_frames()
    seen = check(frames)
    assert seen["bad-escape"] + seen["top-array"] == len(frames)
    assert min(seen["bad-escape"], seen["top-array"]) >= len(frames) // 3


def test_one_key_in_two_spellings() -> None:
    assert check(spelled_frames())["duplicate-key"] == 8


def test_arrays_cut_short_at_a_limit() -> None:
    frames = cut_arrays()
    for most in range(3):
        deep, many = check(frames, Limits(max_depth=most)), check(frames, Limits(max_batch_items=most))
        assert min(deep["nesting-limit"], many["batch-too-large"]) >= len(frames) // 4
        assert min(deep["truncated"], many["truncated"]) > 0 or most == 0


def test_ends_of_what_utf8_allows() -> None:
    seen = check(utf8_frames())
    assert seen["invalid-utf8"] > 1000
    assert seen["unknown-member"] > 60


def test_one_byte_at_each_place_of_a_block() -> None:
    frames = edge_frames()
    seen = check(frames)
    assert min(seen["raw-newline"], seen["bad-escape"], seen["raw-control-char"]) >= len(frames) // 12


def test_objects_that_go_on_when_the_memory_has_grown() -> None:
    frames = grown_frames()
    assert check(frames)["duplicate-key"] == len(frames)


def test_names_that_are_almost_the_protocols_own() -> None:
    frames = [told.frame for told in almost_named()]
    assert len(frames) > 400
    assert check(frames)["unknown-member"] == 0


def test_a_key_and_the_same_key_escaped() -> None:
    frames = twin_frames()
    assert check(frames)["duplicate-key"] == len(frames) >= 200


def test_text_behind_brackets() -> None:
    seen = check(bracket_frames())
    assert min(seen["not-json"], seen["bad-literal"], seen["bad-structure"], seen["truncated"]) >= 5


def test_members_beyond_their_room() -> None:
    assert check(padded_frames())["duplicate-key"] >= 200


def test_lines_that_end_anywhere() -> None:
    """Each alone; test_lines.py has them in their buffers."""
    lines = list(dict.fromkeys(line for data in line_buffers() for line in data.split(b"\n")))
    seen = check(lines)
    assert seen["truncated"] >= 50
    assert seen["raw-newline"] == 3


def test_numbers_around_bounds() -> None:
    gauge = fg.Gauge(revision="2025-11-25")
    frames, texts = number_frames(), numbers()
    assert len(frames) == len(texts) >= 300
    for frame, text in zip(frames, texts, strict=True):
        found = [f.rule for f in gauge.check(frame, request_method="tools/call").findings]
        assert found == ([] if 0 <= Decimal(text) <= 1 else ["result-member-value"]), text
    check(frames)
