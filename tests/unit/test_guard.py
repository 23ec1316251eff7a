"""The guards of speed refuse what is slower: instruction budgets, bounds of a run beside orjson and of ways to call."""

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

import framegauge
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


def test_a_way_into_the_gauge_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = module("ways", monkeypatch)
    from figures import Figures, figure
    from measure import Lane

    def missed(plain: int, taken: int, **bound: float) -> list[str]:
        frames = [b"{}"] * 10
        lanes = [
            Lane(ways.Contender(name, len, "count"), frames, passes=[time * 10] * 3, cpu=[time * 10] * 3)
            for name, time in (("plain", plain), ("way", taken))
        ]
        result = Figures("test/1", {}, figures=[figure(lane) for lane in lanes])
        ways.judge([ways.Way(lanes[1], lanes[0], **bound)], result)
        assert len(result.bounds) == 1
        return list(result.missed)

    assert missed(1000, 1299, times=1.3) == missed(1000, 1249, more=250.0) == []
    assert missed(1000, 1301, times=1.3) == ["way / plain: 1.301, bound 1.300"]
    assert missed(1000, 1251, more=250.0) == ["way, ns more / 250: 1.004, bound 1.000"]


def test_a_way_that_gives_another_verdict_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = module("ways", monkeypatch)
    check = framegauge.Gauge(ways.REVISION).check
    frame = b'{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
    ways._same("plain", check, check, [frame])
    with pytest.raises(ways.WrongError, match="direction is not the verdict"):
        ways._same("direction", lambda data: check(data, direction=ways.DIRECTION), check, [frame])
    with pytest.raises(ways.WrongError, match="changes nothing"):
        ways._differs("direction", check(frame), check(frame))


def test_a_new_result_replaces_the_older_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    figures = module("figures", monkeypatch)
    for remark in ("older", "newer"):
        assert figures.publish(figures.Figures("test/1", {}, remarks=[remark]), tmp_path, "gauge") == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gauge.json", "gauge.txt"]
    saved = json.loads((tmp_path / "gauge.json").read_text("utf-8"))
    assert saved["remarks"] == ["newer"]
    assert saved["environment"]["date"]


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
