"""Methods and values: clean frames made from the data, and every single fault of them, found in its place."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.protocol import MCP, Method
from tests.support.shaped_frames import (
    ADVICE,
    Call,
    Changed,
    Maker,
    Mutation,
    answer,
    call,
    failure,
    methods_of,
    text_of,
    written,
)
from tests.support.tidy_values import RANDOM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.support.shaped_frames import Due, Finding

AT_LEAST = {"missing": 150, "type": 2500, "fraction": 6, "value": 400, "odd": 30, "extra": 150, "spelling": 500}
ROUNDS = 20  # frames of a method with all members, at most
AT_LEAST_FRAMES = 4
REPEATS = 2  # of the same fault of the same member, in other frames


def found(gauge: fg.Gauge, frame: bytes, asked: str | None) -> set[Finding]:
    findings = gauge.check(frame, request_method=asked).findings
    return {(each.rule, each.severity, each.path) for each in findings}


def rules_of(gauge: fg.Gauge, frames: list[bytes]) -> list[set[str]]:
    """Of every frame, by way of check_lines."""
    lines = gauge.check_lines(b"\n".join(frames))
    assert len(lines) == len(frames)
    words = memoryview(lines.rules).cast("B").cast("Q")
    bits = [words[2 * row] | words[2 * row + 1] << 64 for row in range(len(frames))]
    return [{rule for n, rule in enumerate(lines.rule_bits) if row >> n & 1} for row in bits]


def frames_of(name: str, method: Method, members: str, count: int, seed: object) -> Iterator[Call]:
    text = text_of(name)
    maker = Maker(text, Random(f"{name} {method.name} {members} {seed}"), members)
    for _ in range(count):
        yield call(text, method, maker)
        if method.result is not None:
            yield answer(text, method, maker)


@pytest.mark.parametrize("name", MCP)
@pytest.mark.parametrize(("members", "count"), [("required", 3), ("all", 6), ("some", 40)])
def test_clean_frames_have_no_finding(name: str, members: str, count: int) -> None:
    gauge, rng, judged = fg.Gauge(name, ignore=(*ADVICE, *RANDOM)), Random(f"{name} {members}"), Counter[str]()
    lines = []
    for method in methods_of(text_of(name)):
        for each in frames_of(name, method, members, count, "clean"):
            frame = written(each.frame, rng)
            assert found(gauge, frame, each.asked) == set(), frame
            judged[each.area] += 1
            if each.area == "params":
                lines.append(frame)
    assert judged["params"] == count * len(methods_of(text_of(name)))
    assert judged["result"] >= count * 10
    assert rules_of(gauge, lines) == [set()] * len(lines)


def with_data(name: str, count: int, seed: object) -> Iterator[Call]:
    """Errors of the codes whose data the revision describes."""
    maker = Maker(text_of(name), Random(f"{name} errors {seed}"), "all")
    for _ in range(count):
        for code in text_of(name).error_data:
            yield failure(text_of(name), code, maker)


def faults(made: Iterable[Call]) -> Iterator[tuple[Call, Mutation]]:
    """Faults of these frames, a few times each, until every member has had all that the data says of it."""
    seen: Counter[Any] = Counter()
    due: set[Due] = set()
    met: set[Due] = set()
    for number, each in enumerate(made):
        if number >= AT_LEAST_FRAMES and met == due:
            break
        due |= each.due()
        for mutation in list(each.mutations()):
            met.add((mutation.sort, mutation.target))
            key = each.area, mutation.sort, mutation.target, mutation.finding and mutation.finding[0], str(mutation.new)
            seen[key] += 1
            if seen[key] <= REPEATS:
                yield each, mutation
    assert met == due


def all_faults(name: str) -> Iterator[tuple[Call, Mutation]]:
    for method in methods_of(text_of(name)):
        yield from faults(frames_of(name, method, "all", ROUNDS, "faults"))
    yield from faults(with_data(name, ROUNDS, "faults"))


@pytest.mark.parametrize("name", MCP)
def test_every_fault_of_a_frame_is_found_in_its_place(name: str) -> None:
    gauge, rng, counts = fg.Gauge(name, ignore=(*ADVICE, *RANDOM)), Random(f"{name} faults"), Counter[str]()
    wrong, frames, rules = [], [], []
    for each, mutation in all_faults(name):
        with Changed(each.frame, mutation):
            frame = written(each.frame, rng)
        seen = found(gauge, frame, each.asked)
        if seen != {mutation.finding, *mutation.beside} - {None}:
            wrong.append((each.method.name, mutation, sorted(seen), frame))
        counts[mutation.sort] += 1
        if each.area != "result":
            frames.append(frame)
            rules.append({rule for rule, _, _ in seen})
    assert wrong == []
    assert all(counts[sort] >= AT_LEAST[sort] for sort in AT_LEAST), counts
    assert rules_of(gauge, frames) == rules
