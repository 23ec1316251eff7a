"""Mutation testing: makes one small change at a time, in native layer and rules, and counts what no test notices.

    python tools/mutants.py [--part native|rules] [--sample N] [--minutes M] [--state FILE] [FILE...]
    python tools/mutants.py --stale

A native mutant runs in tests/native/told.cpp and is killed where that prints anything else for the vectors (or for
frames generated from a seed, which the tests compare with the reference), crashes, reads past a frame or does not end.
A mutant of the rules is killed where a vector gets another verdict than is written there, where other frames get
another one than before (the tests compare these with the reference), or by the unit tests about it. Survivors need a
reason in tests/mutants.toml (see reasons.py). `--state` keeps results from run to run; --minutes ends the run early.

Exit status: 0 every survivor has its reason (or, with --floor, so many of a hundred mutants are killed or have one),
every reason a mutant, and --least mutants were tried; 1 not so; 2 usage.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutants_rules import PACKAGE, ROOT, Rules
from mutations import INVALID, SURVIVED, Mutant, cpp, python
from reasons import Reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NATIVE = PACKAGE / "native"
CPP = NATIVE / "cpp"
NATIVE_FILES = (
    "api.cpp",
    *sorted(path.relative_to(CPP).as_posix() for path in CPP.rglob("*.hpp") if path.name != "names.hpp"),  # generated
)
# Rules as data and what reads them; not what cuts excerpts for people.
RULE_FOLDERS = ("protocol", "ruleset", "checks", "gauge", "explain")
RULE_FILES = tuple(
    path.relative_to(PACKAGE).as_posix()
    for folder in RULE_FOLDERS
    for path in sorted((PACKAGE / folder).glob("*.py"))
    if path.name != "excerpt.py"
)


def digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:16]


class State:
    """Results by mutant, one a line in a file.

    Those of other sources are left out. What was noticed once is taken to be noticed as long as the sources stay; a
    survivor is tried again when a test, a vector or these tools have changed.
    """

    def __init__(self, path: Path | None, part: str) -> None:
        tests = ROOT / "tests"
        sources = [*NATIVE.glob("*.h"), *CPP.rglob("*.*pp")] if part == "native" else [*PACKAGE.rglob("*.py")]
        others = [path for path in (tests / "vectors").rglob("*.*") if path.is_file()]
        others += [*(tests / "native").glob("*.*"), *(tests / "support").glob("*.py")]
        others += Path(__file__).parent.glob("*muta*.py")
        others += [Path(__file__).parent / name for name in ("schemata.py", "scopes.py")]
        folders = [] if part == "native" else [tests / name for name in ("unit", "property", "reference")]
        others += [path for folder in (tests, *folders) for path in folder.glob("*.py")]
        self._path, self._sources, self._all = path, digest(sources), digest([*sources, *others])
        self._known = dict[tuple[object, ...], str]()
        for line in path.read_text("utf-8").splitlines() if path and path.is_file() else []:
            row = json.loads(line)
            if row["sources"] == self._sources and (row["result"] != SURVIVED or row["all"] == self._all):
                self._known[tuple(row["mutant"])] = row["result"]

    def get(self, mutant: Mutant, judge: Callable[[Mutant], str]) -> str:
        if mutant not in self._known:
            self._known[mutant] = judge(mutant)
            if self._path:
                with self._path.open("a", encoding="utf-8") as file:
                    row = {"sources": self._sources, "all": self._all, "mutant": mutant, "result": self._known[mutant]}
                    file.write(json.dumps(row) + "\n")
        return self._known[mutant]


def shown(mutant: Mutant) -> str:
    return f"{mutant.file}, {mutant.where}: {mutant.change}   in: {mutant.line}"


def mutants(part: str, names: list[str]) -> list[Mutant]:
    known = NATIVE_FILES if part == "native" else RULE_FILES
    chosen = [name for name in names or known if name in known]
    found = [
        mutant
        for name in chosen
        for mutant in (cpp(CPP / name, name) if part == "native" else python(PACKAGE / name, name))
    ]
    return list(dict.fromkeys(found))


def judge_of_native(folder: Path, chosen: list[Mutant]) -> Callable[[Mutant], str]:
    from mutants_native import Native  # here: what forks for the rules must not have imported the package

    return Native(folder, chosen).judge


def run(part: str, options: argparse.Namespace, folder: Path, deadline: float) -> bool:
    """One line per survivor, then the score. True where every survivor has its reason."""
    state = State(options.state, part)
    reasons = Reasons(ROOT / "tests" / "mutants.toml")
    all_of_them = mutants(part, options.files)
    files = options.files or (NATIVE_FILES if part == "native" else RULE_FILES)
    stale = reasons.stale(all_of_them, files, whole=not options.files)
    for row in stale:
        print(f"NOT THERE {row}", flush=True)
    if options.stale:
        return not stale
    chosen = all_of_them
    if options.sample and options.sample < len(all_of_them):
        chosen = Random(options.seed).sample(all_of_them, options.sample)
    judge = judge_of_native(folder, chosen) if part == "native" else Rules(folder).judge
    results, unexplained = Counter[str](), 0
    for mutant in chosen:
        if time.monotonic() > deadline:
            break
        result = state.get(mutant, judge)
        results[result] += 1
        if result == SURVIVED:
            why = reasons.of(mutant)
            unexplained += why is None
            results["explained"] += why is not None
            if why is None:
                print(f"SURVIVED {shown(mutant)}", flush=True)
    judged = sum(count for name, count in results.items() if name not in (INVALID, "explained"))
    killed = judged - results[SURVIVED]
    told_by = ", ".join(f"{results[name]} by {name}" for name in ("vectors", "generated", "tests") if results[name])
    print(
        f"{part}: {len(all_of_them)} mutants, {judged + results[INVALID]} tried (seed {options.seed}), "
        f"{results[INVALID]} do not compile; {killed} of {judged} killed ({killed / max(judged, 1):.1%}; {told_by}), "
        f"{results['explained']} survivors have a reason, {unexplained} have none"
    )
    enough = 100 * (judged - unexplained) >= options.floor * judged
    return judged >= options.least and enough and not stale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="of each part so many; default: all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--minutes", type=float, default=1e6, metavar="M", help="for each part")
    parser.add_argument("--floor", type=float, default=100, metavar="P", help="percent; default: 100")
    parser.add_argument("--least", type=int, default=1, metavar="N", help="for each part; fewer tried is a failure")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep results here")
    parser.add_argument("--stale", action="store_true", help="only list the reasons that fit no mutant: some seconds")
    parser.add_argument("--part", choices=("native", "rules"), help="default: both")
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="only mutants of these, like frame/walk.hpp or ruleset/keys.py"
    )
    options = parser.parse_args()
    fine = True
    for part in [options.part] if options.part else ["native", "rules"]:
        with tempfile.TemporaryDirectory() as folder:
            fine &= run(part, options, Path(folder), time.monotonic() + 60 * options.minutes)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
