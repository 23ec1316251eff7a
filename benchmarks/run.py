"""Times `framegauge.classify` beside its peers: `python benchmarks/run.py --help`.

Exit status: 0 done, 1 framegauge gave a wrong answer (with --smoke: anyone did on a clean corpus) or, with --guard, is
slower than the bounds of guard.py allow, 2 usage, or something that the run cannot do without is missing.
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import guard
import report
from contenders import (
    CLASSIFY,
    CONTENDERS_VARIABLE,
    ORJSON,
    STAGE_1,
    Contender,
    Line,
    line_up,
)
from corpora import CAPTURES_VARIABLE, CLEAN_NAMES, Corpus, clean, recorded
from hostile import ADVERSARIAL_NAMES, adversarial_corpus
from measure import REFERENCES, empty_loop, lanes_for, prove, quiet_collector, race

RECORDED = "recorded"
GROUPS = ("clean", RECORDED, "adversarial", "all")
ADVERSARIAL_SIZES = (32 * 1024, 512 * 1024)
ADVERSARIAL_PASS = 1024 * 1024
# Hostile frames are about framegauge itself; two yardsticks stay, on frames they can judge.
YARDSTICKS = (STAGE_1, ORJSON)
JUDGED_BY_ALL = frozenset(("request", "notification", "success", "error"))
# More time per byte at the larger size than this is worth a remark: linear work gives 1.
GROWTH_WORTH_A_REMARK = 1.5
SMOKE_SECONDS = 20.0

Source = Callable[[], Corpus]
Number = TypeVar("Number", int, float)


class UnableError(Exception):
    """The run cannot go on; the message says what to do."""


@dataclass(slots=True)
class Outcome:
    """Whether anybody answered wrongly, by whom it matters."""

    framegauge_wrong: bool = False
    clean_wrong: bool = False


# --- what to measure ---


def _expand(names: Sequence[str], have_captures: bool) -> list[str]:
    """Groups become names; without a wish, everything clean and the recordings if there are any."""
    if not names:
        return [*CLEAN_NAMES, *([RECORDED] if have_captures else [])]
    wanted: list[str] = []
    for name in names:
        if name in ("clean", "all"):
            wanted += CLEAN_NAMES
        if name == RECORDED or (name == "all" and have_captures):
            wanted.append(RECORDED)
        if name in ("adversarial", "all"):
            wanted += ADVERSARIAL_NAMES
        if name not in GROUPS:
            wanted.append(name)
    return list(dict.fromkeys(wanted))


def _sources(options: argparse.Namespace) -> list[Source]:
    names = options.corpus or (guard.CORPORA if options.guard else ["all"] if options.smoke else [])
    sizes = ADVERSARIAL_SIZES[:1] if options.smoke else ADVERSARIAL_SIZES
    sources: list[Source] = []
    for name in _expand(names, options.captures is not None):
        if name == RECORDED:
            sources.append(partial(recorded, options.captures))
        elif name in CLEAN_NAMES:
            sources.append(partial(clean, name))
        else:
            sources += [partial(adversarial_corpus, name, size, ADVERSARIAL_PASS) for size in sizes]
    return sources


def _entrants(line: Line, corpus: Corpus, guarded: bool) -> list[Contender]:
    if guarded:
        return [each for each in line.contenders if each.name in (*REFERENCES, ORJSON)]
    if corpus.clean or corpus.name == RECORDED:
        return list(line.contenders)
    names = REFERENCES + (YARDSTICKS if corpus.frames[0].kind in JUDGED_BY_ALL else ())
    return [each for each in line.contenders if each.name in names]


# --- one corpus ---


def _judge(
    corpus: Corpus,
    entrants: Sequence[Contender],
    result: report.Report,
    outcome: Outcome,
) -> dict[str, Any]:
    """Proves every entrant on the corpus and remarks on those that do not come through whole."""
    proofs = {each.name: prove(each, corpus) for each in entrants}
    for name, proof in proofs.items():
        reason = proof.reason_to_leave_out
        if reason:
            result.remarks.append(f"{corpus.name}: {name} left out: {reason}")
        elif proof.refused:
            result.remarks.append(
                f"{corpus.name}: {name} refuses {proof.refused} of {len(corpus.frames)} frames; "
                f"compared on the other {len(proof.right)} alone"
            )
        if proof.wrong:
            outcome.framegauge_wrong |= name in REFERENCES
            outcome.clean_wrong |= corpus.clean
    return proofs


def _measure(
    corpus: Corpus,
    line: Line,
    result: report.Report,
    outcome: Outcome,
    seconds: float,
) -> None:
    entrants = _entrants(line, corpus, result.settings["guard"])
    proofs = _judge(corpus, entrants, result, outcome)
    if proofs[CLASSIFY].reason_to_leave_out:
        return  # nothing to compare with
    lanes = lanes_for(entrants, proofs)
    order = random.Random(corpus.name)
    with quiet_collector():
        loop = empty_loop([frame.data for frame in corpus.frames])
        race(lanes, result.settings["rounds"], seconds, order)
    result.add(corpus, lanes, loop)


def _measure_all(
    sources: Sequence[Source],
    line: Line,
    result: report.Report,
    outcome: Outcome,
) -> None:
    """Splits what is left of the budget evenly among the corpora that are left."""
    end = time.monotonic() + result.settings["budget_seconds"]
    for number, source in enumerate(sources):
        corpus = source()
        seconds = max(0.0, end - time.monotonic()) / (len(sources) - number)
        report.complain(f"{corpus.name}: {len(corpus.frames)} frames")
        _measure(corpus, line, result, outcome, seconds)


def _remark_on_growth(result: report.Report) -> None:
    """Names the hostile families that cost more per byte when they are larger."""
    times: dict[str, dict[str, float]] = {}
    for row in result.rows:
        family, _, size = row["corpus"].partition("@")
        if size and row["contender"] == CLASSIFY:
            times.setdefault(family, {})[size] = 1 / row["gb_per_second"]
    for family, by_size in times.items():
        if len(by_size) < len(ADVERSARIAL_SIZES):
            continue
        small, large = by_size.values()
        if large > small * GROWTH_WORTH_A_REMARK:
            result.remarks.append(f"{family}: {large / small:.1f} times as long per byte if larger")


# --- the run ---


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    names = [*GROUPS, *CLEAN_NAMES, *ADVERSARIAL_NAMES]
    parser.add_argument(
        "--corpus",
        action="append",
        metavar="NAME",
        choices=names,
        help=f"repeatable; one of the groups {', '.join(GROUPS)} or of {', '.join(names[4:])}; "
        "default: clean, and recorded if there are captures",
    )
    parser.add_argument("--rounds", type=int, help="at most so many rounds a corpus (default 101)")
    parser.add_argument(
        "--budget-seconds",
        type=float,
        help="for all timing together (default 300); 3 rounds least",
    )
    parser.add_argument("--cpu", type=int, help="pin the process to this core")
    parser.add_argument(
        "--captures",
        type=Path,
        default=os.environ.get(CAPTURES_VARIABLE) or None,
        help=f"folder of recorded frames (or {CAPTURES_VARIABLE})",
    )
    parser.add_argument(
        "--contenders",
        type=Path,
        default=os.environ.get(CONTENDERS_VARIABLE) or None,
        help=f"file that defines the four peers ratios refer to (or {CONTENDERS_VARIABLE})",
    )
    parser.add_argument("--output", type=Path, help="folder for JSON and text (default: results)")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="one round of every corpus and a check of every kind; saves with --output only",
    )
    parser.add_argument(
        "--guard",
        action="store_true",
        help="seconds against orjson alone; fails only below bounds that noise does not reach",
    )
    return parser.parse_args(arguments)


def _pin(cpu: int | None) -> str:
    if cpu is None:
        return "not pinned"
    if not hasattr(os, "sched_setaffinity"):
        report.complain("this system cannot pin a process to a core; going on without")
        return "not pinned"
    try:
        os.sched_setaffinity(0, {cpu})
    except OSError as error:
        raise UnableError(f"cannot pin to core {cpu}: {error}") from error
    return f"core {cpu}"


def _line(path: Path | None) -> Line:
    try:
        line = line_up(path)
    except (ImportError, AttributeError, OSError) as error:
        raise UnableError(f"cannot load the contenders from {path}: {error}") from error
    for name in (CLASSIFY, ORJSON):
        if name in line.left_out:
            raise UnableError(f"{name} is needed and cannot be loaded: {line.left_out[name]}")
    return line


def _default(options: argparse.Namespace, smoke: Number, guarded: Number, full: Number) -> Number:
    return smoke if options.smoke else guarded if options.guard else full


def _blank_report(options: argparse.Namespace, line: Line, pinned: str) -> report.Report:
    settings = {
        "rounds": options.rounds or _default(options, 1, guard.ROUNDS, 101),
        "budget_seconds": options.budget_seconds or _default(options, SMOKE_SECONDS, guard.SECONDS, 300.0),
        "pinned": pinned,
        "peers": line.peers_from,
        "smoke": options.smoke,
        "guard": options.guard,
    }
    result = report.Report(settings, report.environment() | {"pinning": pinned})
    result.environment["peers"] = line.peers_from
    result.remarks += [f"{name} left out: {why}" for name, why in line.left_out.items()]
    return result


def _publish(result: report.Report, options: argparse.Namespace) -> None:
    print(result.to_text(), end="")
    folder = options.output or (None if options.smoke or options.guard else Path(__file__).parent / "results")
    if folder is None:
        return
    for path in report.save(result, folder, "classify"):
        report.complain(f"saved {path}")


def _failed(outcome: Outcome, smoke: bool) -> bool:
    return outcome.framegauge_wrong or (smoke and outcome.clean_wrong)


def _guarded(result: report.Report) -> int:
    found = guard.complaints(result.rows)
    for text in found:
        report.complain(f"FAILED {text}")
    return 1 if found else 0


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    outcome = Outcome()
    try:
        pinned = _pin(options.cpu)
        line = _line(options.contenders)
        result = _blank_report(options, line, pinned)
        _measure_all(_sources(options), line, result, outcome)
    except (UnableError, FileNotFoundError) as error:
        report.complain(f"error: {error}")
        return 2
    _remark_on_growth(result)
    result.environment["load after"] = report.load_average()
    _publish(result, options)
    if _failed(outcome, options.smoke):
        report.complain("wrong answers: see the remarks below the table")
        return 1
    return _guarded(result) if options.guard else 0


if __name__ == "__main__":
    sys.exit(main())
