"""Proves what a contender answers, then times those that passed, interleaved.

Nothing is timed that was not proved on the very same frames just before.
"""

import gc
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from contenders import CLASSIFY, CLASSIFY_READ, Call, Contender
from corpora import Corpus, Labelled

# A token per structural of simdjson's stage 1: a whole string, an operator, or a run of anything
# else. Only right for frames that parse, which is where it is used.
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_FAULTLESS = frozenset(("request", "notification", "success", "error"))
_PARSES = _FAULTLESS | {"batch"}
_LEAST_ROUNDS = 3
REFERENCES = (CLASSIFY, CLASSIFY_READ)


@dataclass(frozen=True, slots=True)
class Proof:
    """What a contender answered on a corpus: which frames it got right, refused, got wrong."""

    right: tuple[bytes, ...]
    refused: int
    wrong: int
    first_wrong: str

    @property
    def reason_to_leave_out(self) -> str:
        if self.wrong:
            return f"wrong on {self.wrong} frames, first: {self.first_wrong}"
        if len(self.right) <= self.refused:
            return f"refuses {self.refused} of {len(self.right) + self.refused} frames"
        return ""


def _expected(contender: Contender, frame: Labelled) -> object:
    if contender.answer == "count":
        return len(_TOKEN.findall(frame.data))
    return frame.kind


def _answer(contender: Contender, frame: Labelled) -> object:
    answer = contender.call(frame.data)
    if contender.answer != "frame":
        return answer
    if frame.kind in _FAULTLESS and answer.fault is not None:
        return f"{_plain(answer.kind)} with fault {answer.fault}"
    if frame.kind == "parse-error" and answer.fault is None:
        return f"{_plain(answer.kind)} without a fault"
    return answer.kind


def _plain(kind: object) -> object:
    return getattr(kind, "value", kind)


def prove(contender: Contender, corpus: Corpus) -> Proof:
    """Compares the answer to every frame with the frame's label.

    A count of structurals has no meaning on a frame that does not parse: such frames count as
    refused by stage 1, as it refuses some of them itself.
    """
    right: list[bytes] = []
    refused = wrong = 0
    first_wrong = ""
    for frame in corpus.frames:
        if contender.answer == "count" and frame.kind not in _PARSES:
            refused += 1
            continue
        try:
            answer = _answer(contender, frame)
        except Exception as error:  # every parser has its own exceptions
            if contender.name not in REFERENCES:
                refused += 1
                continue
            answer = repr(error)  # framegauge promises a verdict on every frame
        expected = _expected(contender, frame)
        if answer == expected:
            right.append(frame.data)
            continue
        wrong += 1
        first_wrong = first_wrong or f"{_plain(answer)} for {expected}: {frame.data[:80]!r}"
    return Proof(tuple(right), refused, wrong, first_wrong)


Loop = Callable[[Call, Sequence[bytes]], None]


def each_frame(call: Call, frames: Sequence[bytes]) -> None:
    for data in frames:
        call(data)


@dataclass(slots=True)
class Lane:
    """One contender on one sequence of frames, with the passes timed so far. `loop`: one pass of calls."""

    contender: Contender
    frames: Sequence[bytes]
    refused: int = 0
    loop: Loop = each_frame
    passes: list[int] = field(default_factory=list)
    cpu: list[int] = field(
        default_factory=list
    )  # of the whole process: what a neighbour on the core takes is not in it

    @property
    def nanoseconds(self) -> float:
        """Median time of a frame."""
        return statistics.median(self.passes) / len(self.frames)

    @property
    def gigabytes_per_second(self) -> float:
        return sum(map(len, self.frames)) / len(self.frames) / self.nanoseconds

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, as a share of the median."""
        if len(self.passes) < _LEAST_ROUNDS:
            return float("nan")
        low, middle, high = statistics.quantiles(self.passes, n=4)
        return (high - low) / 2 / middle


@contextmanager
def quiet_collector() -> Iterator[None]:
    """No collection inside a pass, and what exists already is not looked at between passes."""
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()


def _pass(lane: Lane) -> None:
    """One untimed pass to warm caches and predictors after the contender before, one timed."""
    call, frames, loop = lane.contender.call, lane.frames, lane.loop
    loop(call, frames)
    used = time.process_time_ns()
    start = time.perf_counter_ns()
    loop(call, frames)
    lane.passes.append(time.perf_counter_ns() - start)
    lane.cpu.append(time.process_time_ns() - used)


def empty_loop(frames: Sequence[bytes], rounds: int = 9) -> float:
    """Nanoseconds a frame that the loop itself costs; part of every figure, not subtracted."""
    passes: list[int] = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _data in frames:
            pass
        passes.append(time.perf_counter_ns() - start)
    return statistics.median(passes) / len(frames)


def race(lanes: Sequence[Lane], rounds: int, seconds: float, order: random.Random) -> None:
    """Rounds of one pass per lane in random order, until `rounds` or the budget is used up."""
    least = min(rounds, _LEAST_ROUNDS)
    start = time.monotonic()
    for number in range(1, rounds + 1):
        for lane in order.sample(lanes, len(lanes)):
            _pass(lane)
        gc.collect()
        spent = time.monotonic() - start
        if number >= least and spent + spent / number > seconds:
            return


def lanes_for(contenders: Sequence[Contender], proofs: dict[str, Proof]) -> list[Lane]:
    """A lane per contender that passed, and the references again on each smaller set of frames.

    A contender that refused some frames is timed on the rest; its ratio must then be taken to
    framegauge on the same rest, in the same run.
    """
    passed = [each for each in contenders if not proofs[each.name].reason_to_leave_out]
    lanes = [Lane(each, proofs[each.name].right, proofs[each.name].refused) for each in passed]
    references = [each for each in passed if each.name in REFERENCES]
    done = {proofs[each.name].right for each in references}
    for lane in list(lanes):
        frames = tuple(lane.frames)
        if frames not in done:
            done.add(frames)
            lanes += [Lane(each, frames, lane.refused) for each in references]
    return lanes


def reference(lanes: Sequence[Lane], name: str, lane: Lane) -> Lane | None:
    """The lane of the named reference on the same frames as `lane`."""
    for other in lanes:
        if other.contender.name == name and other.frames == lane.frames:
            return other
    return None
