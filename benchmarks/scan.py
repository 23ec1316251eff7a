"""Times the command `framegauge scan` on a large file, and its memory: `python benchmarks/scan.py --cache FOLDER`.

The same bytes are judged by one thread of a plain program (plain.py) that reads blocks and calls `Gauge.check_lines`.
Each is a process of its own, timed from its start to its end, and started by a small launcher: the peak memory that a
system reports of a process includes what its parent held when it was started.

Exit status: 0 done, 1 a bound is missed or a process failed, 2 usage, or the command is not installed.
"""

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import archive
import report
from figures import Bound, Figure, Figures, common_options, publish
from plain import REVISION, judge

COMMAND = "framegauge scan"
PLAIN = "check_lines, one thread"
BOUNDS = (Bound(COMMAND, PLAIN, 0.7),)
MOST_MEMORY = 300 * 1_000_000
ACCEPTED = (0, 1)  # done, with or without findings

# Runs a command: its exit status, nanoseconds, and the most that it, or one child of its own, held resident.
_LAUNCHER = """
import os, sys, time
start = time.perf_counter_ns()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
took, used = time.perf_counter_ns() - start, int((usage.ru_utime + usage.ru_stime) * 1e9)
print(os.waitstatus_to_exitcode(status), took, used, usage.ru_maxrss)
"""


class Launched(NamedTuple):
    nanoseconds: int
    cpu: int
    memory: int  # bytes


def launch(command: Sequence[str]) -> Launched:
    """The command's time and peak memory. RuntimeError where it fails."""
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, *command]
    done = subprocess.run(launcher, check=False, stdout=subprocess.PIPE, text=True)
    found = done.stdout.split()[-4:] if done.returncode == 0 else (-1, 0, 0, 0)
    status, nanoseconds, cpu, memory = map(int, found)
    if status not in ACCEPTED:
        raise RuntimeError(f"exit status {status} of {' '.join(command)}")
    return Launched(nanoseconds, cpu, memory * (1 if sys.platform == "darwin" else 1024))


def race(commands: dict[str, list[str]], rounds: int, seconds: float) -> dict[str, list[Launched]]:
    """Rounds of one process each in random order; an untimed one first, so that the file is in memory."""
    passes: dict[str, list[Launched]] = {name: [] for name in commands}
    order = random.Random(COMMAND)
    for command in commands.values():
        launch(command)
    start = time.monotonic()
    for number in range(1, rounds + 1):
        for name in order.sample(list(commands), len(commands)):
            passes[name].append(launch(commands[name]))
        spent = time.monotonic() - start
        if number >= min(rounds, 3) and spent + spent / number > seconds:
            break
    return passes


def _figure(name: str, passes: Sequence[Launched], frames: int, size: int) -> Figure:
    times = [each.nanoseconds for each in passes]
    median = statistics.median(times)
    low, _, high = statistics.quantiles(times, n=4) if len(times) > 1 else (0, 0, 0)
    cpu = statistics.median(each.cpu for each in passes)
    spread = (high - low) / 2 / median
    return Figure(name, median / frames, min(times) / frames, cpu / frames, size / median, spread, tuple(times))


def _counts(path: Path) -> dict[str, int]:
    content = json.loads(path.read_text("utf-8"))
    return {kind: count for kind, count in content["kinds"].items() if count}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    common_options(parser, 9, 120)
    parser.add_argument("--cache", type=Path, required=True, help="folder where the file is written once")
    parser.add_argument(
        "--size", type=int, default=2000, metavar="MB", help="of the file, in 10^6 bytes (default 2000)"
    )
    return parser.parse_args(arguments)


def _command() -> str | None:
    """The command of this interpreter's own installation, so that both processes run the same code."""
    beside = Path(sys.executable).with_name("framegauge")
    return str(beside) if beside.exists() else shutil.which("framegauge")


def _measure(options: argparse.Namespace, command: str, folder: Path) -> Figures:
    path = archive.repeated(options.cache, archive.cached(options.cache, 200), options.size)
    output = folder / "scan.json"
    commands = {
        COMMAND: [command, "scan", str(path), "--revision", REVISION, "--format", "json", "--output", str(output)],
        PLAIN: [sys.executable, str(Path(__file__).with_name("plain.py")), str(path)],
    }
    result = Figures("framegauge.benchmark.scan/1", {"megabytes": options.size, "file": path.name})
    passes = race(commands, options.rounds, options.budget_seconds)
    counts, expected = _counts(output), judge(path)
    if counts != expected:
        raise RuntimeError(f"wrong: {COMMAND} counts {counts}, check_lines {expected}")
    frames, size = sum(counts.values()), path.stat().st_size
    result.figures += [_figure(name, found, frames, size) for name, found in passes.items()]
    result.values |= {"frames": frames, "bytes": size}
    for name, found in passes.items():
        result.values[f"peak memory of {name}, MB"] = round(max(each.memory for each in found) / 1e6, 1)
        result.values[f"wall time of {name}, s"] = round(statistics.median(each.nanoseconds for each in found) / 1e9, 3)
    result.hold(BOUNDS)
    result.limit("peak memory in bytes", max(each.memory for each in passes[COMMAND]), MOST_MEMORY)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    command = _command()
    if command is None:
        report.complain("error: the command framegauge is not installed for this interpreter")
        return 2
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = _measure(options, command, Path(folder))
    except RuntimeError as error:
        report.complain(str(error))
        return 1
    return publish(result, options.output, "scan")


if __name__ == "__main__":
    sys.exit(main())
