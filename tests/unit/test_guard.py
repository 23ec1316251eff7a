"""The guards of speed refuse what is slower: instruction budgets, and the bounds of a run beside orjson."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.native.simdjson import refuse, simdjson_folder

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
COUNTED = ("small", "lines")
# One more load for every eighth byte: a few per cent.
SLOWED = "--flag=-DFG_DRIVER_SLOWED=8"

Check = Callable[..., subprocess.CompletedProcess[str]]


def module(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of the benchmarks, with its neighbours importable."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    assert spec
    assert spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture
def instructions(monkeypatch: pytest.MonkeyPatch) -> Any:
    return module("instructions", monkeypatch)


def test_every_compiler_has_a_budget_for_every_corpus(instructions: Any) -> None:
    budgets = instructions.load(instructions.BUDGETS)
    assert budgets
    for name, found in budgets.items():
        assert sorted(found) == sorted(instructions.CORPORA), name


def test_a_count_may_leave_its_budget_by_two_per_cent(instructions: Any) -> None:
    budget = {"instructions": 1000.0, "frames": "x"}
    for count in (980.1, 1000.0, 1019.9):
        assert instructions.complaint("small", budget | {"instructions": count}, budget) == ""
    slower = instructions.complaint("small", budget | {"instructions": 1021.0}, budget)
    assert slower == "small: 1021.0 instructions a frame, budget 1000.0 (+2.1%, allowed 2%)"
    assert "keep the gain" in instructions.complaint("small", budget | {"instructions": 979.0}, budget)
    assert "not the frames" in instructions.complaint("small", budget | {"frames": "y"}, budget)
    assert "no budget" in instructions.complaint("small", budget, None)


def test_an_unknown_compiler_is_told_and_not_judged(instructions: Any, capsys: pytest.CaptureFixture[str]) -> None:
    budget = {"small": {"instructions": 1000.0, "frames": "x"}}
    budgets = {"g++ 9.4": budget, "g++ 12.2": budget, "clang++ 13.0": budget}
    assert instructions.nearest(budgets, "g++ 12.2") == ("g++ 12.2", budget, True)
    known = instructions.nearest(budgets, "g++ 13.3")
    assert known == ("g++ 12.2", budget, False)
    assert instructions.check({"small": {"instructions": 2000.0, "frames": "x"}}, known, "g++ 13.3")
    shown = capsys.readouterr().out
    assert "2.000 of the budget of g++ 12.2" in shown
    assert "no budget for g++ 13.3: nothing was checked" in shown


def test_the_run_beside_orjson_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = module("guard", monkeypatch)
    rows = [
        {"corpus": bound.corpus, "contender": bound.peer, "auxiliary": False, "ratio_to_classify": bound.times}
        for bound in guard.BOUNDS
    ]
    assert guard.complaints(rows) == []
    assert len(guard.complaints(rows[1:])) == 1
    slower = [row | {"ratio_to_classify": 2.9} for row in rows]
    assert guard.complaints(slower)[0] == "small: orjson takes 2.90 times as long, 3 are the least"
    assert len(guard.complaints(slower)) == len(rows)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Runs instructions.py on its own budgets, so that it says the same with every compiler."""
    for tool in ("g++", "valgrind"):
        if not shutil.which(tool):
            refuse(f"no {tool}")
    folder = tmp_path_factory.mktemp("instructions")
    environment = os.environ | {"FRAMEGAUGE_BUILD": str(folder), "SIMDJSON_DIR": str(simdjson_folder())}
    command = [sys.executable, str(BENCHMARKS / "instructions.py"), "--budgets", str(folder / "budgets.json")]

    def call(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *options, *COUNTED], capture_output=True, text=True, check=False, env=environment
        )

    return call


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="valgrind")
def test_a_slower_build_fails(run: Check, tmp_path_factory: pytest.TempPathFactory) -> None:
    made = run("--update")
    assert made.returncode == 0, made.stderr
    again = run("--check")
    assert again.returncode == 0, again.stdout + again.stderr
    slower = run("--check", SLOWED)
    assert slower.returncode == 1, slower.stdout + slower.stderr
    for name in COUNTED:
        assert f"FAILED {name}: " in slower.stderr
    written = json.loads(next(tmp_path_factory.getbasetemp().glob("instructions*/budgets.json")).read_text("utf-8"))
    [budgets] = written["budgets"].values()
    for name in COUNTED:
        assert f"budget {budgets[name]['instructions']:.1f} (+" in slower.stderr
