#!/usr/bin/env python
"""Runs fuzz targets side by side, each with libFuzzer: native harnesses built by clang, Python ones by way of atheris.

    fuzz/run.py --seconds 60                        all targets, 60 seconds each, at the same time
    fuzz/run.py --total 14400                       all targets, as many at a time as there are cores, 4 hours of work:
                                                    shared by what they are worth, in turns
    fuzz/run.py --seconds 20 --jobs 2               all targets, 20 seconds each, two at a time
    fuzz/run.py --seconds 600 --target frames       one target
    fuzz/run.py --target frames --input FILE        one input, once: to reproduce a finding

Corpora stay in build/fuzz, so that the next run goes on from there. Exit status: 0 nothing found, 1 findings, 2 a
target could not run, or tried nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz import build, seeds

WORK = seeds.ROOT / "build" / "fuzz"
NATIVE = ("frames", "lines", "shapes")
# Parts of a total. The largest first: two cores then have the same to do.
SHARES = {"differential": 4, "shapes": 3, "frames": 2, "lines": 2, "readers": 1}
TARGETS = tuple(SHARES)
# Their frames begin at the same byte: what one found interesting is worth a look by the others.
ALSO = {"frames": ("differential",), "shapes": ("differential",), "differential": ("frames", "shapes")}
OPTIONS = (f"-max_len={seeds.MOST}", f"-dict={seeds.FUZZ / 'tokens.dict'}", "-timeout=60", "-rss_limit_mb=3000")
LONG = 600  # seconds; a shorter run has no time to read another's corpus
ROUND = 3600  # seconds of work in which every target has one turn
INTERVAL = 15  # seconds between lines of progress


@dataclass
class Result:
    target: str
    executed: int = 0
    coverage: str = ""
    corpus: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    status: int = 0
    findings: list[Path] = field(default_factory=list)
    problem: str = ""

    def add(self, turn: Result) -> None:
        """What another turn of the same target came to."""
        self.executed += turn.executed
        self.seconds += turn.seconds
        self.cpu += turn.cpu
        self.coverage, self.corpus = turn.coverage, turn.corpus
        self.findings += turn.findings
        self.problem = self.problem or turn.problem


def command(target: str) -> list[str]:
    if target in NATIVE:
        return [str(build.program(target, WORK / "programs"))]
    if importlib.util.find_spec("atheris") is None:
        raise SystemExit(f"{target} needs atheris: python -m pip install --group fuzz")
    return [sys.executable, "-m", f"fuzz.{target}"]


def environment() -> dict[str, str]:
    """Sanitizers that end the process; and no bytecode of instrumented modules in anybody's cache."""
    checks = {"ASAN_OPTIONS": "detect_leaks=1:abort_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}
    return os.environ | checks | {"PYTHONDONTWRITEBYTECODE": "1"}


def run(target: str, seconds: int) -> Result:
    """Fuzz one target. What goes wrong is told in the result."""
    result, begun = Result(target), time.monotonic()
    corpus, first, found = (WORK / kind / target for kind in ("corpus", "seeds", "findings"))
    log = WORK / f"{target}.log"
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    known = set(found.iterdir())
    try:
        call = command(target)
        seeds.write(target, first)
    except SystemExit as error:
        result.problem = str(error)
        tell(result)
        return result
    others = [WORK / "corpus" / other for other in ALSO.get(target, ()) if seconds >= LONG]
    folders = [corpus, first, *(other for other in others if other.is_dir())]
    options = [*OPTIONS, f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={found}/"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*call, *options, *map(str, folders)],
            cwd=seeds.ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
    result.status = process.returncode = os.waitstatus_to_exitcode(status)
    result.seconds, result.cpu = time.monotonic() - begun, used.ru_utime + used.ru_stime
    result.findings = sorted(path for path in set(found.iterdir()) - known if not path.name.startswith("slow-unit"))
    result.corpus = len(list(corpus.iterdir()))
    read_log(result, log)
    if result.findings or result.problem:
        tell(result)  # now, not after the other targets
    return result


def read_log(result: Result, log: Path) -> None:
    text = log.read_text("utf-8", "replace")
    executed = re.findall(r"stat::number_of_executed_units:\s+(\d+)", text)
    result.executed = int(executed[-1]) if executed else 0
    begun = re.findall(r"^#(\d+)\tINITED", text, re.MULTILINE)
    seen = re.findall(r"cov: (\d+) ft: (\d+)", text)
    result.coverage = "edges {}, features {}".format(*seen[-1] if seen else ("none", "none"))
    if result.findings:
        return
    if result.status != 0:
        result.problem = f"exit status {result.status} without an input; the end of {log}:\n{text[-3000:]}"
    elif not begun or result.executed <= int(begun[0]):
        result.problem = f"{result.executed} inputs were run, but for the seeds and the corpus none; see {log}"


def watch(targets: list[str], stop: threading.Event) -> None:
    """Now and then one line for each target: the last that its fuzzer said."""
    while not stop.wait(INTERVAL):
        for target in targets:
            log = WORK / f"{target}.log"
            lines = re.findall(
                r"^#\d+\t.*cov: .*$", log.read_text("utf-8", "replace") if log.exists() else "", re.MULTILINE
            )
            say(f"{target:<13} {lines[-1][:110] if lines else 'building or reading seeds'}")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def tell(result: Result) -> int:
    """Report one target; its exit status."""
    ran = f"{result.executed:,} inputs in {result.seconds:.0f} s ({result.cpu:.0f} s of a core)"
    say(f"{result.target:<13} {ran}, {result.coverage}, corpus {result.corpus:,}")
    for path in result.findings:
        data = path.read_bytes()
        log = (WORK / f"{result.target}.log").read_text("utf-8", "replace")
        reasons = re.findall(
            r"^(?:broken: .*|.*runtime error: .*|==\d+==ERROR: .*|\w*(?:Error|Exception)\b.*)$", log, re.MULTILINE
        )
        say(f"FOUND by {result.target}: {reasons[0][:2000] if reasons else path.name}")
        say(f"  input: {data!r}")
        say(f"  reproduce: python fuzz/run.py --target {result.target} --input {path}")
    if result.problem:
        say(f"FAILED: {result.target}: {result.problem}")
    return 1 if result.findings else 2 if result.problem else 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60, help="for each target; all run at the same time")
    parser.add_argument(
        "--total", type=int, help="seconds shared among the targets, as many at a time as there are cores"
    )
    parser.add_argument("--jobs", type=int, help="targets at a time; default: all, with --total as many as cores")
    parser.add_argument("--build", action="store_true", help="compile what is not compiled yet, and run nothing")
    parser.add_argument("--target", choices=TARGETS, action="append", help="default: all")
    parser.add_argument("--input", metavar="FILE", help="run one target on this input, once")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    args = parse(arguments)
    targets = [target for target in TARGETS if target in (args.target or TARGETS)]
    if args.build:
        for target in targets:
            command(target)
        return 0
    if args.input:
        if len(targets) != 1:
            raise SystemExit("--input needs one --target")
        call = [*command(targets[0]), "-timeout=60", str(Path(args.input).resolve())]
        return subprocess.run(call, cwd=seeds.ROOT, env=environment(), check=False).returncode
    rounds = max(1, args.total // ROUND) if args.total else 1
    parts = sum(SHARES[target] for target in targets)
    turns = {t: max(1, args.total * SHARES[t] // parts // rounds) if args.total else args.seconds for t in targets}
    at_once = args.jobs or (len(os.sched_getaffinity(0)) if args.total else len(targets))
    results = {target: Result(target) for target in targets}
    stop = threading.Event()
    watcher = threading.Thread(target=watch, args=(targets, stop), daemon=True)
    watcher.start()
    for _ in range(rounds):
        with ThreadPoolExecutor(at_once) as pool:
            for turn in pool.map(lambda target: run(target, turns[target]), targets):
                results[turn.target].add(turn)
    stop.set()
    return max(map(tell, results.values()))


if __name__ == "__main__":
    sys.exit(main())
