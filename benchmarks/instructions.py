"""Instruction counts of the native core under callgrind: exact, repeatable, whatever else the machine does.

    python benchmarks/instructions.py                 counts per corpus (a frame's mean)
    python benchmarks/instructions.py --check         the same against the budgets of this compiler in instructions.json
    python benchmarks/instructions.py --update        makes what is counted now this compiler's budgets
    python benchmarks/instructions.py --adversarial   hostile families: counts per byte at 1 MiB and 16 MiB, memory

The driver is built here from the sources of this checkout; valgrind and a C++ compiler are needed. valgrind knows
no AVX-512, so the kernel is pinned to AVX2 and these counts are of that code. `lines` is the scanner of whole buffers;
what ends in `-judged` runs the rules of a gauge too.

Exit status: 0 done; 1 a count is more than 2 % off its budget, or a family not linear; 2 usage, or a tool is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from tests.native import gauges

import archive
import corpora
import hostile

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "src" / "framegauge" / "native"
CPP = NATIVE / "cpp"
BUDGETS = Path(__file__).with_suffix(".json")
SCHEMA = "framegauge.instructions/1"
KERNEL = "haswell"
MIB = 1 << 20
MOST_FRAMES = 2000
MOST_LINES = 12_000  # so many that most are of a known pattern
LINES = "lines"
JUDGED = "-judged"
REVISION = "2025-11-25"  # of the gauge
CORPORA = (
    *("small", "medium", "escapes-1m", "rows-1m", "keys-10k", "base64-1m", LINES),
    *(f"{name}{JUDGED}" for name in ("small", "medium", LINES)),
)
TOLERANCE = 0.02
# Growth of instructions per byte from 1 MiB to 16 MiB, and bytes of memory per byte of input, that count as linear.
MAX_GROWTH = 1.05
MAX_MEMORY = 16.0


class Budget(TypedDict):
    """Mean instructions per frame, and a digest of the frames they were counted on."""

    instructions: float
    frames: str


class Known(NamedTuple):
    """The budgets to compare with, and whether they are of this very compiler."""

    compiler: str
    budgets: dict[str, Budget]
    exact: bool


Budgets = dict[str, dict[str, Budget]]

# --- building and counting ---


def simdjson_folder() -> Path:
    named = os.environ.get("SIMDJSON_DIR")
    for folder in (named, ROOT / "third_party" / "simdjson", ROOT / "build" / "simdjson"):
        if folder and Path(folder, "simdjson.cpp").is_file():
            return Path(folder)
    raise FileNotFoundError("simdjson.cpp not found: build the package once, or set SIMDJSON_DIR")


def build_driver(folder: Path, *flags: str) -> Path:
    """Compiles driver.cpp and the core; simdjson only once per folder, it takes half a minute."""
    simdjson, objects = simdjson_folder(), folder / "simdjson.o"
    common = ["g++", "-std=c++17", "-O3", "-DNDEBUG", f"-I{NATIVE}", f"-I{CPP}", f"-I{simdjson}", *flags]
    if not objects.exists():
        subprocess.run([*common, "-c", str(simdjson / "simdjson.cpp"), "-o", str(objects)], check=True)
    driver = folder / "driver"
    sources = [str(ROOT / "benchmarks" / "driver.cpp"), str(CPP / "api.cpp"), str(objects)]
    subprocess.run([*common, *sources, "-o", str(driver)], check=True)
    return driver


def compiler() -> str:
    """For instance "g++ 12.2": what counts depend on besides the sources. A patch release is not told apart."""
    text = subprocess.run(["g++", "--version"], check=True, capture_output=True, text=True).stdout
    name = "clang++" if "clang" in text else "g++"
    version = subprocess.run(["g++", "-dumpfullversion", "-dumpversion"], check=True, capture_output=True, text=True)
    return f"{name} {'.'.join(version.stdout.strip().split('.')[:2])}"


def write_frames(path: Path, frames: list[bytes]) -> Path:
    path.write_bytes(b"".join(struct.pack("<I", len(frame)) + frame for frame in frames))
    return path


def environment() -> dict[str, str]:
    return {**os.environ, "SIMDJSON_FORCE_IMPLEMENTATION": KERNEL}


def collected(driver: Path, frames: Path, rounds: int, *mode: str) -> int:
    """Instructions of a whole run."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        str(driver),
        str(frames),
        str(rounds),
        *mode,
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    assert f"kernel {KERNEL}" in done.stdout, done.stdout
    match = re.search(r"Collected : (\d+)", done.stderr)
    assert match, done.stderr
    return int(match[1])


def per_round(driver: Path, frames: Path, *mode: str) -> int:
    """Instructions of one round over the file: the second, when scratch memory is there, without loading and start."""
    return collected(driver, frames, 2, *mode) - collected(driver, frames, 1, *mode)


def peak_memory(driver: Path, frames: Path, *mode: str) -> int:
    """Bytes: the most that a run holds resident, the loaded frames included."""
    command = [str(driver), str(frames), "1", *mode]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    match = re.search(r"peak (\d+) KiB", done.stdout)
    assert match, done.stdout
    return int(match[1]) * 1024


def frames_of(name: str) -> list[bytes]:
    """What is counted: the corpus, or the beginning of the archive with one line in a hundred that is no JSON."""
    if name == LINES:
        return list(islice(archive.lines(sys.maxsize, bad_every=100), MOST_LINES))
    return [entry.data for entry in corpora.clean(name).frames[:MOST_FRAMES]]


def count(driver: Path, folder: Path, name: str) -> Budget:
    corpus = name.removesuffix(JUDGED)
    frames, mode = frames_of(corpus), list[str]()
    path = folder / f"{name}.bin"
    if corpus != name:
        gauge = folder / "gauge.txt"
        gauge.write_text("\n".join(gauges.compiled(REVISION, None, None, ())), "ascii")
        mode.append(f"judged={gauge}")
    if corpus == LINES:
        path.write_bytes(b"".join(frames))
        mode.append("lines")
    else:
        write_frames(path, frames)
    total = per_round(driver, path, *mode)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return {"instructions": round(total / len(frames), 1), "frames": digest}


# --- budgets ---


def load(path: Path) -> Budgets:
    if not path.exists():
        return {}
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    if content["schema"] != SCHEMA:
        raise ValueError(f"{path}: schema {content['schema']!r} is not {SCHEMA!r}")
    budgets: Budgets = content["budgets"]
    return budgets


def save(path: Path, budgets: Budgets) -> None:
    content = {"schema": SCHEMA, "kernel": KERNEL, "budgets": dict(sorted(budgets.items()))}
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def _version(name: str) -> tuple[str, float]:
    family, _, version = name.partition(" ")
    major, _, minor = version.partition(".")
    return family, int(major) + int(minor or 0) / 1000


def nearest(budgets: Budgets, name: str) -> Known:
    """The budgets of this compiler, else of the nearest version, of the same family if there is one."""
    if name in budgets:
        return Known(name, budgets[name], True)
    if not budgets:
        raise ValueError("there are no budgets: make some with --update")
    family, version = _version(name)

    def distance(other: str) -> tuple[bool, float]:
        other_family, other_version = _version(other)
        return other_family != family, abs(other_version - version)

    found = min(budgets, key=distance)
    return Known(found, budgets[found], False)


def complaint(name: str, counted: Budget, budget: Budget | None) -> str:
    """What is wrong with a count; empty if nothing is."""
    if budget is None:
        return f"{name}: no budget; make one with --update"
    if counted["frames"] != budget["frames"]:
        return f"{name}: these are not the frames of the budget; make a new one with --update"
    ratio = counted["instructions"] / budget["instructions"]
    if abs(ratio - 1) <= TOLERANCE:
        return ""
    found, allowed = f"{counted['instructions']:.1f}", f"{budget['instructions']:.1f}"
    mend = "" if ratio > 1 else "; keep the gain with --update"
    return f"{name}: {found} instructions a frame, budget {allowed} ({ratio - 1:+.1%}, allowed {TOLERANCE:.0%}){mend}"


def check(counted: dict[str, Budget], known: Known, current: str) -> bool:
    """Prints every ratio; True where nothing is wrong, or nothing can be said."""
    for name, found in counted.items():
        budget = known.budgets.get(name)
        ratio = f"{found['instructions'] / budget['instructions']:.3f}" if budget else "-"
        print(f"{name:14} {ratio:>7} of the budget of {known.compiler}")
    complaints = [text for name, found in counted.items() if (text := complaint(name, found, known.budgets.get(name)))]
    if not known.exact:
        print(f"no budget for {current}: nothing was checked; the ratios are to the nearest, {known.compiler}")
        return True
    for text in complaints:
        print(f"FAILED {text}", file=sys.stderr)
    return not complaints


# --- hostile families ---


def adversarial(driver: Path, folder: Path, only: list[str], unlimited: bool) -> bool:
    """One line per family; True where all are linear."""
    mode = ["unlimited"] if unlimited else []
    print(f"{'family':28} {'Ir/B 1 MiB':>11} {'Ir/B 16 MiB':>12} {'growth':>7} {'memory B/B':>11}")
    fine = True
    baseline = peak_memory(driver, write_frames(folder / "tiny.bin", [b"{}"]))
    for name in only or hostile.ADVERSARIAL_NAMES:
        rates, memory = [], 0.0
        for size in (MIB, 16 * MIB):
            data = hostile.adversarial(name, size).data
            path = write_frames(folder / "hostile.bin", [data])
            rates.append(per_round(driver, path, *mode) / len(data))
            memory = (peak_memory(driver, path, *mode) - baseline) / len(data) - 1.0
        growth = rates[1] / rates[0]
        bad = growth > MAX_GROWTH or memory > MAX_MEMORY
        fine &= not bad
        note = "  <-- NOT LINEAR" if bad else ""
        print(f"{name:28} {rates[0]:11.2f} {rates[1]:12.2f} {growth:7.3f} {memory:11.2f}{note}", flush=True)
    return fine


# --- the run ---


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the budgets")
    parser.add_argument("--update", action="store_true", help="rewrite the budgets of this compiler")
    parser.add_argument("--budgets", type=Path, default=BUDGETS, metavar="FILE", help="default: instructions.json")
    parser.add_argument("--adversarial", action="store_true", help="hostile families instead of corpora")
    parser.add_argument("--unlimited", action="store_true", help="with every limit off; only with --adversarial")
    parser.add_argument("--flag", action="append", default=[], help="one more flag for the compiler, as --flag=-O1")
    parser.add_argument("names", nargs="*", help="corpora or families; default: all")
    options = parser.parse_args(arguments)
    known = hostile.ADVERSARIAL_NAMES if options.adversarial else CORPORA
    for name in options.names:
        if name not in known:
            parser.error(f"{name} is not one of {', '.join(known)}")
    return options


def _run(options: argparse.Namespace, folder: Path) -> bool:
    driver = build_driver(folder, *options.flag)
    if options.adversarial:
        return adversarial(driver, folder, options.names, options.unlimited)
    counted: dict[str, Budget] = {}
    for name in options.names or CORPORA:
        counted[name] = count(driver, folder, name)
        print(f"{name:14} {counted[name]['instructions']:14.1f} instructions a frame", flush=True)
    budgets, current = load(options.budgets), compiler()
    if options.update:
        save(options.budgets, budgets | {current: budgets.get(current, {}) | counted})
        print(f"{options.budgets}: budgets of {current} written")
    return not options.check or check(counted, nearest(load(options.budgets), current), current)


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    missing = [tool for tool in ("g++", "valgrind") if not shutil.which(tool)]
    if missing:
        print(f"error: {' and '.join(missing)} needed and not found", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(os.environ.get("FRAMEGAUGE_BUILD", temp))
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return 0 if _run(options, folder) else 1
        except (FileNotFoundError, ValueError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
