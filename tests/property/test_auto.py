"""`auto`: of a frame that does not name its revision only what is wrong in every revision that has its method."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import pytest

import framegauge as fg
from framegauge.protocol import MCP
from tests.support.shaped_frames import Maker, answer, at, call, methods_of, places, spoilt, text_of, written

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTED = ("protocol-version-unsupported",)  # of a host that lists one revision, or all: no matter of what each says
DIRECTIONS = (None, "client-to-server", "server-to-client")
METHODS = sorted({method.name for name in MCP for method in methods_of(text_of(name))})


def frames(count: int, rng: Random) -> Iterator[tuple[bytes, str]]:
    """With the method that each has or answers."""
    makers = {name: [Maker(text_of(name), rng, members) for members in ("all", "required", "some")] for name in MCP}
    for _ in range(count):
        name = rng.choice(MCP)
        method = rng.choice(methods_of(text_of(name)))
        make = answer if method.result is not None and rng.random() < 0.4 else call
        made = make(text_of(name), method, rng.choice(makers[name]))
        frame, asked = spoilt(made, rng), method.name
        if rng.random() < 0.1:
            asked = rng.choice((*METHODS, "tools/List", "vendor/thing"))
            frame.update({"method": asked} if make is call else {})
        if rng.random() < 0.1 and make is call:
            frame.update({"id": 7} if frame.pop("id", None) is None else {})
        for path in places(frame):
            if str(path[-1]).endswith("protocolVersion") and rng.random() < 0.3:
                at(frame, path[:-1])[path[-1]] = rng.choice(MCP)
        yield written(frame, rng), asked


def compare(count: int, seed: int) -> Counter[str]:
    rng, counts = Random(seed), Counter[str]()
    for frame, asked in frames(count, rng):
        direction = rng.choice(DIRECTIONS)

        def ok(name: str, frame: bytes = frame, direction: str | None = direction, asked: str = asked) -> bool:
            return fg.Gauge(name, direction, ignore=LISTED).check(frame, request_method=asked).ok

        verdict = fg.Gauge("auto", direction, ignore=LISTED).check(frame, request_method=asked)
        if verdict.revision != "auto":
            assert verdict.ok == ok(verdict.revision), frame
            counts["names its revision"] += 1
            continue
        has_it = [name for name in MCP if asked in {method.name for method in methods_of(text_of(name))}]
        wrong_in = [name for name in has_it or MCP if not ok(name)]
        if not verdict.ok:
            assert wrong_in == (has_it or list(MCP)), (frame, direction, asked, verdict.findings)
        elif has_it and wrong_in == has_it:
            counts["each revision finds something else"] += 1
        counts[f"{'clean' if verdict.ok else 'wrong'}, wrong in {'some' if wrong_in else 'none'}"] += 1
    return counts


def check(counts: Counter[str], at_least: int) -> None:
    sorts = ("names its revision", "clean, wrong in none", "clean, wrong in some", "wrong, wrong in some")
    assert all(counts[sort] >= at_least for sort in sorts), counts


def test_an_error_under_auto_is_one_in_all_revisions() -> None:
    check(compare(6_000, seed=5), at_least=50)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(50, 55))
def test_an_error_under_auto_is_one_in_all_revisions_of_many_frames(seed: int) -> None:
    check(compare(10_000, seed), at_least=100)
