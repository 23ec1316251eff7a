"""What the native core tells depends on the frame alone: not on kernel, thread, place, or keys that collide."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.native import told
from tests.native.simdjson import CPP, INCLUDES, ROOT, compiler, run, simdjson_folder

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,  # compiles
    pytest.mark.skipif(sys.platform != "linux", reason="mmap and g++'s sanitizers"),
]

KERNELS = ("icelake", "haswell", "westmere", "fallback")
THREADS = 8
SOURCE = ROOT / "tests" / "native" / "told.cpp"
PLAIN = ("-std=c++17", "-O1", "-Wall", "-Wextra")
RACES = (*PLAIN, "-g1", "-fsanitize=thread")


def build(folder: Path, *flags: str) -> Path:
    """simdjson is compiled anew: a race detector must see all of it."""
    simdjson = simdjson_folder()
    run(compiler(), *flags, "-w", "-c", simdjson / "simdjson.cpp", "-o", folder / "simdjson.o")
    return link(folder, *flags)


def link(folder: Path, *flags: str) -> Path:
    includes = (*INCLUDES, f"-isystem{simdjson_folder()}")
    sources = (SOURCE, CPP / "api.cpp", folder / "simdjson.o")
    run(compiler(), *flags, *includes, *sources, "-lpthread", "-o", folder / "told")
    return folder / "told"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("plain"), *PLAIN)


def tell(program: Path, folder: Path, frames: list[told.Told], *more: str, kernel: str | None = None) -> list[str]:
    paths = told.write_frames(folder / "frames", frames), told.write_tables(folder / "tables")
    environment = dict(os.environ) | ({"SIMDJSON_FORCE_IMPLEMENTATION": kernel} if kernel else {})
    command = [program, *paths, *more]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=1200)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines()


def test_every_kernel_tells_the_same(plain: Path, tmp_path: Path) -> None:
    frames = told.vector_frames() + told.generated_frames(3000, seed=31)
    seen = {}
    for kernel in KERNELS:
        first, *rest = tell(plain, tmp_path, frames, kernel=kernel)
        if first == f"kernel {kernel}":
            assert len(rest) > 3 * len(frames)
            assert "0" * 16 not in rest, "a frame told something else at another place"
            seen[kernel] = rest
    assert len(seen) >= 2, "only one kernel runs here"
    assert all(rest == seen["fallback"] for rest in seen.values())


def test_where_an_allocation_fails_that_is_told_or_the_truth(plain: Path, tmp_path: Path) -> None:
    frames = told.vector_frames() + told.generated_frames(3000, seed=31)
    first, *usual = tell(plain, tmp_path, frames)
    again, *rest = tell(plain, tmp_path, frames, "all")
    assert (again, rest[: len(usual)]) == (first, usual)
    failing = rest[len(usual) :]
    if not failing:
        pytest.skip("the C library's own names of malloc are not those of glibc")
    assert len(failing) > len(frames) / 64
    assert "0" * 16 not in failing


def test_keys_whose_prints_collide_are_told_apart(plain: Path, tmp_path: Path) -> None:
    """With the seeds of a program that sets none: each such frame tells what one with other keys does."""
    pairs = told.colliding_frames()
    _, *rest = tell(plain, tmp_path, [frame for pair in pairs for frame in pair])
    results = [rest[3 * n : 3 * n + 3] for n in range(2 * len(pairs))]
    assert len(pairs) >= 4
    for n, (collides, _) in enumerate(pairs):
        assert results[2 * n] == results[2 * n + 1], collides
    _, *twins = tell(plain, tmp_path, [told.Told(b'{"a":0,"a":0}'), told.Told(b'{"a":0,"b":0}')])
    assert twins[:3] != twins[3:6], "doubled keys tell nothing else: this test would prove nothing"


def check_races(folder: Path, tmp_path: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    program = link(folder, *RACES, *flags)
    frames = told.vector_frames() + told.generated_frames(500, seed=32)
    paths = told.write_frames(tmp_path / "frames", frames), told.write_tables(tmp_path / "tables")
    environment = os.environ | {"TSAN_OPTIONS": "halt_on_error=1 exitcode=66"}
    # Without address randomisation: the sanitizer knows fewer layouts of memory than recent kernels choose from.
    command = ["setarch", "-R", program, *paths, str(THREADS)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=3000)


@pytest.fixture(scope="module")
def racing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("races")
    build(folder, *RACES)
    return folder


@pytest.mark.heavy
def test_threads_share_nothing_that_is_written(racing: Path, tmp_path: Path) -> None:
    done = check_races(racing, tmp_path)
    assert done.returncode == 0, done.stderr[-6000:]
    assert done.stdout.startswith(f"{THREADS} threads, ")


@pytest.mark.heavy
def test_a_race_would_be_noticed(racing: Path, tmp_path: Path) -> None:
    done = check_races(racing, tmp_path, "-DTOLD_RACE")
    assert done.returncode == 66, done.stdout + done.stderr[-2000:]
    assert "data race" in done.stderr
