# Invariant: native `classify` and `Gauge.check` tell of a frame, under any limits and options and whatever request it
# answers, what the slow reference tells that was written from the same pages; orjson and msgspec agree on what is JSON,
# but for the classes of peers.py; and a row of `check_lines` is what `check` says of that line, whatever the chunk, but
# for a message that runs over several lines, which is one object.
#
# Input: a byte that chooses the limits, one more for the options, the frame or the lines.
"""Native against reference and peers. Run by run.py; coverage is that of the reference and of the Python layers."""

from __future__ import annotations

import functools
import json
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import atheris

with atheris.instrument_imports(include=["framegauge", "tests.reference"]):
    from tests.support.comparison import differences, native_limits, verdict_differences

    import framegauge as fg
    import framegauge.gauge.nested  # which only some frames need

from tests.property.test_lines import check as check_rows
from tests.property.test_lines import check_severities
from tests.support.mcp_calls import damage, written
from tests.support.mutations import mutate

from fuzz import peers
from fuzz.seeds import ASKED, REVISIONS, choices_of, judged, limits, nested_seed, some_seed, text_seed

if TYPE_CHECKING:
    from framegauge.gauge.lines import Verdicts

HEADER = 2
LIMITS = limits()
OPTIONS: dict[str, tuple[Any, ...]] = {
    "revision": REVISIONS,
    "transport": (None, "stdio", "http", "sse"),
    "direction": (None, "client-to-server", "server-to-client"),
    "error_id": ("spec", "null", "omit"),
    "allow_bom": (False, True),
}
MAKERS = (some_seed, nested_seed, text_seed)
CHUNKS = (1, 7, 64, 1000, 1 << 18)


def chosen(number: int) -> dict[str, Any]:
    """One value of each option: the digits of a number in a mixed radix."""
    found = {}
    for name, values in OPTIONS.items():
        number, digit = divmod(number, len(values))
        found[name] = values[digit]
    return found


@functools.lru_cache(maxsize=2000)
def gauge(limit: int, choice: int) -> fg.Gauge:
    """For lines, which know no `allow_bom`."""
    return fg.Gauge(limits=native_limits(LIMITS[limit]), **chosen(choice) | {"allow_bom": False})


def check_lines(data: bytes, limit: int, choice: int) -> None:
    judge = gauge(limit, choice)
    check_rows(judge, data, CHUNKS[choice % len(CHUNKS)])
    verdicts = judge.check_lines(data)
    rules = memoryview(verdicts.rules)
    for row in range(len(verdicts)):
        word = rules[2 * row] | rules[2 * row + 1] << 64
        found = {name for bit, name in enumerate(verdicts.rule_bits) if word >> bit & 1}
        told = {finding.rule for finding in verdicts.verdict(row).findings} - {"empty-frame"}
        assert found == told, ("columns and verdict", row, found, told)
        if not verdicts._in_run(row):
            alone = {finding.rule for finding in judge.check(verdicts.line(row)).findings} - {"empty-frame"}
            assert found - alone <= {"content-length-framing"}, ("lines and check", row, found, alone)
            assert alone - found <= ({"not-json"} if found - alone else set()), ("lines and check", row, found, alone)
    for first, last in verdicts._runs.items():
        check_run(verdicts, first, last)
    check_severities(verdicts)


def check_run(verdicts: Verdicts, first: int, last: int) -> None:
    """Lines that are one finding are one object when joined, with nothing but blanks behind it."""
    whole = b"\n".join(verdicts.line(row) for row in range(first, last + 1))
    frame = fg.classify(whole, fg.Limits(None, None, None, None, None))
    assert frame.fault is None, (whole, frame.fault)
    assert "raw-newline" in frame.facts, whole


def test_one_input(data: bytes) -> int:
    if len(data) < HEADER:
        return -1
    (limit, choice), frame = choices_of(data), data[HEADER:]
    found = differences(frame, LIMITS[limit])
    asked = ASKED[choice % len(ASKED)]
    found += verdict_differences(frame, limits=LIMITS[limit], request_method=asked, **chosen(choice))
    found += peers.differences(frame)
    assert not found, found
    check_lines(frame, limit, choice)
    return 0


def mutator(data: bytes, most: int, seed: int) -> bytes:
    """libFuzzer's own, an edit that knows JSON and the envelope, one that knows MCP, or other choices."""
    rng = Random(seed)
    chance = rng.random()
    if len(data) < HEADER or chance < 0.4:
        mutated: bytes = atheris.Mutate(data, most)
        return mutated
    if chance < 0.5:
        return rng.randbytes(HEADER) + data[HEADER:]
    if chance < 0.75:
        return (data[:HEADER] + mutate(data[HEADER:], rng))[:most]
    return damaged(data, rng)[:most]


def damaged(data: bytes, rng: Random) -> bytes:
    """One thing in the frame that MCP may have something to say about; now and then another frame."""
    try:
        members = json.loads(data[HEADER:]) if rng.random() < 0.8 else None
    except (ValueError, RecursionError):
        members = None
    if not isinstance(members, dict):
        return judged(rng.choice(MAKERS)(rng), rng)
    damage(rng, members)
    return data[:HEADER] + written(rng, members, doubled=True).encode("utf-8", "surrogatepass")


def main() -> None:
    atheris.Setup(sys.argv, test_one_input, custom_mutator=mutator)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
