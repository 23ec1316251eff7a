"""Times `Gauge.check` beside `classify`, and its arguments beside the plain call: `python benchmarks/gauge.py -h`.

Also frames with faults beside clean ones, and all rules beside fewer.

Exit status: 0 done, 1 a bound is missed, 2 usage, or something that the run cannot do without is missing.
"""

import argparse
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import framegauge
import report
import ways
from contenders import Call, Contender
from corpora import CAPTURES_VARIABLE, Corpus, clean, recorded
from figures import Bound, Figures, common_options, figure, publish
from framegauge.gauge.value_program import BELOW
from measure import Lane, quiet_collector, race

REVISION = "2025-11-25"
FAULTS = 10
FAULTY_FRAMES = 2_000
FAULTY = (
    '{{"jsonrpc":"1.0","ID":{number},"id":{number},"method":"rpc.{word}","params":["\\ud800"],'
    '"{word}":{number},"{word}":2,"r\\u0065sult":[]}}'
)
CLEAN = (
    '{{"jsonrpc":"2.0","id":{number},"method":"tools/call",'
    '"params":{{"name":"{word}","arguments":{{"text":"{text}"}}}}}}'
)
WORDS = ("wagon", "ledger", "parcel", "window", "market", "kettle")

CLEAN_CHECK = "check, clean frame"
ANSWER = "check, .ok and .reply.body(), ten faults"
FINDINGS = "check, list(.findings), ten faults"
FAULT_BOUNDS = (Bound(ANSWER, CLEAN_CHECK, 5.0), Bound(FINDINGS, CLEAN_CHECK, 25.0))
MOST_OVER_CLASSIFY = 1.5
MOST_OVER_ENVELOPE = 1.35  # what MCP says of methods and values, as a factor on the rest
BEYOND_ENVELOPE = ("methods", "values")  # areas of rules


def _answering(check: Call) -> Call:
    def answer(data: bytes) -> bytes | None:
        verdict = check(data)
        return None if verdict.ok else verdict.reply.body()

    return answer


def _finding(check: Call) -> Call:
    def find(data: bytes) -> list[object]:
        return list(check(data).findings)

    return find


def _faulty() -> tuple[bytes, ...]:
    rng = random.Random(REVISION)
    return tuple(
        FAULTY.format(number=rng.randrange(10_000, 99_999), word=rng.choice(WORDS)).encode()
        for _ in range(FAULTY_FRAMES)
    )


def _clean_like(faulty: Sequence[bytes]) -> tuple[bytes, ...]:
    """A clean frame for each faulty one, of the same size."""
    rng = random.Random(f"{REVISION}/clean")
    frames: list[bytes] = []
    for frame in faulty:
        number, word = rng.randrange(10_000, 99_999), rng.choice(WORDS)
        least = len(CLEAN.format(number=number, word=word, text=""))
        text = "".join(rng.choices("abcdefgh ", k=len(frame) - least))
        frames.append(CLEAN.format(number=number, word=word, text=text).encode())
    return tuple(frames)


def _prove(check: Call, faulty: Sequence[bytes], clean_frames: Sequence[bytes]) -> None:
    """Every faulty frame has the ten findings and an answer with its id; every clean one has none."""
    answer = _answering(check)
    for data in faulty:
        found = list(check(data).findings)
        body = answer(data)
        if len(found) != FAULTS or body is None or b'"id":' not in body:
            raise SystemExit(f"error: not {FAULTS} findings and an answer: {found}, {body!r}")
    for data in clean_frames:
        if check(data).findings:
            raise SystemExit(f"error: not clean: {data!r}")


def _without_findings(check: Call, corpus: Corpus) -> tuple[bytes, ...]:
    return tuple(frame.data for frame in corpus.frames if not check(frame.data).findings)


def of_the_envelope() -> framegauge.Gauge:
    """Judges all but methods and values, and no key that is nearly right, since such keys may be anywhere."""
    beyond = [rule.id for rule in framegauge.rules() if rule.area in BEYOND_ENVELOPE or rule.id in BELOW]
    return framegauge.Gauge(REVISION, ignore=beyond)


def _beside_less(check: Call, corpus: Corpus, frames: Sequence[bytes]) -> Iterator[Lane]:
    yield Lane(Contender(f"classify, {corpus.name}", framegauge.classify, "frame"), frames)
    yield Lane(Contender(f"check, envelope alone, {corpus.name}", of_the_envelope().check, "frame"), frames)
    yield Lane(Contender(f"check, {corpus.name}", check, "frame"), frames)


def _beside_clean(check: Call) -> Iterator[Lane]:
    faulty = _faulty()
    clean_frames = _clean_like(faulty)
    _prove(check, faulty, clean_frames)
    yield Lane(Contender(CLEAN_CHECK, check, "frame"), clean_frames)
    yield Lane(Contender(ANSWER, _answering(check), "frame"), faulty)
    yield Lane(Contender(FINDINGS, _finding(check), "frame"), faulty)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    common_options(parser, 101, 60)
    parser.add_argument(
        "--captures",
        type=Path,
        default=os.environ.get(CAPTURES_VARIABLE) or None,
        help=f"folder of recorded frames (or {CAPTURES_VARIABLE}); without it they are left out",
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    check: Call = framegauge.Gauge(REVISION).check
    sources: list[Callable[[], Corpus]] = [partial(clean, "small")]
    if options.captures:
        sources.append(partial(recorded, options.captures))
    settings = {"revision": REVISION, "rounds": options.rounds, "budget_seconds": options.budget_seconds}
    result = Figures("framegauge.benchmark.gauge/1", settings)
    lanes = list(_beside_clean(check))
    bounds = list(FAULT_BOUNDS)
    try:
        corpora = [source() for source in sources]
    except FileNotFoundError as error:
        report.complain(f"error: {error}")
        return 2
    for corpus in corpora:
        frames = _without_findings(check, corpus)
        result.remarks.append(f"{corpus.name}: {len(frames)} of {len(corpus.frames)} frames are without findings")
        lanes += _beside_less(check, corpus, frames)
        bounds += [
            Bound(f"check, {corpus.name}", f"classify, {corpus.name}", MOST_OVER_CLASSIFY),
            Bound(f"check, {corpus.name}", f"check, envelope alone, {corpus.name}", MOST_OVER_ENVELOPE),
        ]
    try:
        taken = ways.ways(corpora[-1])  # the recorded one, where it was given
    except ways.WrongError as error:
        report.complain(f"wrong: {error}")
        return 1
    lanes += ways.lanes(taken)
    with quiet_collector():
        race(lanes, options.rounds, options.budget_seconds, random.Random(REVISION))
    result.figures += [figure(lane) for lane in lanes]
    result.hold(bounds)
    ways.judge(taken, result)
    return publish(result, options.output, "gauge")


if __name__ == "__main__":
    sys.exit(main())
