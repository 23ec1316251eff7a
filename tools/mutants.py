"""Mutation testing: makes one small change at a time, in native layer and rules, and counts what no test notices.

    python tools/mutants.py [--sample N] [--seed S] [--minutes M] [--state FILE] [--part native|rules] [FILE...]

A native mutant is compiled with tests/native/told.cpp and killed where it tells anything else of the vectors (or of
frames generated from a seed, which the tests compare with the reference), crashes, reads past a frame or does not end.
A mutant of the rules is killed by the unit tests about them. Survivors need a reason in tests/mutants.toml.
`--state` keeps results from run to run as long as no source changes; --minutes ends the run early.

Exit status: 0 every survivor has its reason; 1 some have none; 2 usage.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutations import Mutant, cpp, python
from tests.native import simdjson, told

import framegauge

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "framegauge"
NATIVE = PACKAGE / "native"
NATIVE_FILES = (
    "walk",
    "keys",
    "strings",
    "escapes_loop",
    "numbers",
    "finish",
    "faults",
    "lines",
    "table",
    "places",
    "near_miss",
)
RULE_FILES = (
    *sorted(path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "rules").glob("*.py")),
    "judging.py",
    "reply.py",
)
RULE_FILES = tuple(name for name in RULE_FILES if name not in ("rules/page.py", "rules/__init__.py"))  # a page of docs
KERNELS = ("haswell", "icelake", "westmere", "fallback")
SECONDS = 20  # for what takes less than one
MEMORY = 4 << 30
UNIT_TESTS = [
    f"tests/unit/test_{name}.py"
    for name in ("generated", "rules", "gauge_api", "hints", "own_rules", "protocol", "place")
]
RULE_TESTS = ["tests/unit/test_gauge.py::test_vector", *UNIT_TESTS]
INVALID, SURVIVED = "invalid", "survived"


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Native:
    """Compiles and runs mutants of the core. Everything but core.cpp is compiled once, simdjson's header too."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._simdjson = simdjson.simdjson_folder()
        self._common = [simdjson.compiler(), "-std=c++17", "-O0", "-w", "-Werror=return-type", f"-I{self._simdjson}"]
        self._before = folder / "before.h"
        self._before.write_text(f'#include <immintrin.h>\n#include "{self._simdjson}/simdjson.h"\n', "utf-8")
        simdjson.run(*self._common, "-x", "c++-header", self._before, "-o", f"{self._before}.gch")
        simdjson.run(*self._common, "-O1", "-c", self._simdjson / "simdjson.cpp", "-o", folder / "simdjson.o")
        teller = ROOT / "tests" / "native" / "told.cpp"
        simdjson.run(*self._common, "-O1", f"-I{NATIVE}", "-c", teller, "-o", folder / "told.o")
        self._sets = {
            "vectors": told.write_frames(folder / "vectors.bin", told.vector_frames()),
            "generated": told.write_frames(folder / "generated.bin", told.generated_frames(5000, 1)),
        }
        self._tables = told.write_tables(folder / "tables.txt")
        self._sources = folder / "native"
        shutil.copytree(NATIVE, self._sources, ignore=shutil.ignore_patterns("*.so", "*.py*", "*.pxd"))
        assert self._build(), "the sources themselves do not compile"
        self._expected = {key: self._tell(*key) for key in self._keys()}
        assert all(self._expected.values()), "the sources themselves fail"

    def _keys(self) -> list[tuple[str, str]]:
        return [(name, kernel) for name in self._sets for kernel in KERNELS]

    def _build(self) -> bool:
        command = [*self._common, "-include", self._before, f"-I{self._sources}", self._sources / "core.cpp"]
        command += [self.folder / "told.o", self.folder / "simdjson.o", "-lpthread", "-o", self.folder / "told"]
        return subprocess.run(list(map(str, command)), capture_output=True, check=False).returncode == 0

    def _tell(self, frames: str, kernel: str) -> bytes | None:
        """What the program prints; None where it fails. A kernel that is not there tells the same each time."""
        command = [self.folder / "told", self._sets[frames], self._tables]
        environment = os.environ | {"SIMDJSON_FORCE_IMPLEMENTATION": kernel}
        done = subprocess.run(
            command, env=environment, capture_output=True, check=False, preexec_fn=limited, timeout=10 * SECONDS
        )
        return done.stdout if done.returncode == 0 else None

    def judge(self, mutant: Mutant) -> str:
        """The set of frames that notices it, `invalid` where it does not compile, or `survived`."""
        path = self._sources / mutant.file
        original = path.read_text("utf-8")
        path.write_text(original[: mutant.start] + mutant.new + original[mutant.stop :], "utf-8")
        try:
            if not self._build():
                return INVALID
            return next((key[0] for key in self._keys() if self._tell(*key) != self._expected[key]), SURVIVED)
        finally:
            path.write_text(original, "utf-8")


class Rules:
    """Runs the unit tests about rules on a package that differs in one file."""

    def __init__(self, folder: Path) -> None:
        self._package = folder / "overlay" / "framegauge"
        built = Path(framegauge.__file__).parent  # beside the sources, or in an installed wheel
        for root, suffixes in ((PACKAGE, (".py", ".toml", ".pyx", ".pyi", ".h")), (built, (".so",))):
            for path in (path for path in root.rglob("*") if path.suffix in suffixes):
                target = self._package / path.relative_to(root)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(path)
        assert self._passes(), "the tests fail on the sources themselves"

    def _passes(self) -> bool:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *RULE_TESTS]
        environment = os.environ | {"PYTHONPATH": str(self._package.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=20 * SECONDS
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def judge(self, mutant: Mutant) -> str:
        path = self._package / mutant.file
        text = (PACKAGE / mutant.file).read_text("utf-8")
        changed = text[: mutant.start] + mutant.new + text[mutant.stop :]
        try:
            compile(changed, mutant.file, "exec")
        except SyntaxError:
            return INVALID
        path.unlink()
        path.write_text(changed, "utf-8")
        try:
            return SURVIVED if self._passes() else "tests"
        finally:
            path.unlink()
            path.symlink_to(PACKAGE / mutant.file)


def digest() -> str:
    """Of all that a result depends on."""
    paths = [*NATIVE.glob("*.h*"), NATIVE / "core.cpp", *PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.json")]
    paths += [
        *(ROOT / "tests" / "native").glob("told.*"),
        *Path(__file__).parent.glob("muta*.py"),
        *(ROOT / "tests" / "unit").glob("*.py"),
    ]
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:16]


class State:
    """Results by mutant, one a line in a file; those of other sources are left out."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._digest, self._known = path, digest(), dict[tuple[object, ...], str]()
        for line in path.read_text("utf-8").splitlines() if path and path.is_file() else []:
            row = json.loads(line)
            if row["sources"] == self._digest:
                self._known[tuple(row["mutant"])] = row["result"]

    def get(self, mutant: Mutant, judge: Callable[[Mutant], str]) -> str:
        if mutant not in self._known:
            self._known[mutant] = judge(mutant)
            if self._path:
                with self._path.open("a", encoding="utf-8") as file:
                    row = {"sources": self._digest, "mutant": mutant, "result": self._known[mutant]}
                    file.write(json.dumps(row) + "\n")
        return self._known[mutant]


def reason(mutant: Mutant, reasons: list[dict[str, str]]) -> str | None:
    """Why nobody can notice this one: by file, line and, where it is given, change."""
    for row in reasons:
        if row["file"] == mutant.file and row["line"] == mutant.line and row.get("change") in (None, mutant.change):
            return row["reason"]
    return None


def mutants(part: str, names: list[str]) -> list[Mutant]:
    if part == "native":
        found = [mutant for name in NATIVE_FILES for mutant in cpp(NATIVE / f"{name}.hpp")]
    else:
        found = [mutant for name in RULE_FILES for mutant in python(PACKAGE / name, name)]
    return [mutant for mutant in dict.fromkeys(found) if not names or mutant.file in names]


def run(part: str, options: argparse.Namespace, folder: Path, deadline: float) -> bool:
    """One line per survivor, then the score. True where every survivor has its reason."""
    state = State(options.state)
    reasons = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text("utf-8"))["survivor"]
    all_of_them = mutants(part, options.files)
    chosen = all_of_them
    if options.sample and options.sample < len(all_of_them):
        chosen = Random(options.seed).sample(all_of_them, options.sample)
    judge = (Native if part == "native" else Rules)(folder).judge
    results, unexplained = Counter[str](), 0
    for mutant in chosen:
        if time.monotonic() > deadline:
            break
        result = state.get(mutant, judge)
        results[result] += 1
        if result == SURVIVED:
            why = reason(mutant, reasons)
            unexplained += why is None
            results["explained"] += why is not None
            if why is None:
                print(f"SURVIVED {mutant.file}: {mutant.change}   in: {mutant.line}", flush=True)
    judged = sum(count for name, count in results.items() if name not in (INVALID, "explained"))
    killed = judged - results[SURVIVED]
    told_by = ", ".join(f"{results[name]} by {name}" for name in ("vectors", "generated", "tests") if results[name])
    print(
        f"{part}: {len(all_of_them)} mutants, {judged + results[INVALID]} tried (seed {options.seed}), "
        f"{results[INVALID]} do not compile; {killed} of {judged} killed ({killed / max(judged, 1):.1%}; {told_by}), "
        f"{results['explained']} survivors have a reason, {unexplained} have none"
    )
    return judged > 0 and unexplained == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="of each part so many; default: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--minutes", type=float, default=1e6, metavar="M", help="for each part")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep results here")
    parser.add_argument("--part", choices=("native", "rules"), help="default: both")
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="only mutants of these, like walk.hpp or rules/keys.py"
    )
    options = parser.parse_args()
    fine = True
    for part in [options.part] if options.part else ["native", "rules"]:
        with tempfile.TemporaryDirectory() as folder:
            fine &= run(part, options, Path(folder), time.monotonic() + 60 * options.minutes)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
