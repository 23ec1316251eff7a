"""The native core reads no byte outside a frame, wherever the frame stands: page_end.cpp under ASan and UBSan."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.native.simdjson import CPP, FLAGS, INCLUDES, compiler, run, sanitized_object, simdjson_folder
from tests.support.mutations import mutate
from tests.support.vectors import all_vectors

pytestmark = [
    pytest.mark.slow,  # compiles
    pytest.mark.skipif(sys.platform != "linux", reason="memfd and g++'s sanitizers"),
]

SEEDS = [vector.frame for vector in all_vectors()]
SMALL = [frame for frame in SEEDS if len(frame) < 3000]
FALLBACK = "fallback"
KERNELS = ("icelake", "haswell", "westmere", FALLBACK)


@pytest.fixture(scope="module")
def program(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page_end") / "page_end"
    sources = (CPP / "api.cpp", Path(__file__).with_suffix("").with_name("page_end.cpp"))
    simdjson = sanitized_object(pytestconfig.cache.mkdir("simdjson"))  # type: ignore[union-attr]
    run(compiler(), *FLAGS, *INCLUDES, f"-isystem{simdjson_folder()}", *sources, simdjson, "-o", target)
    return target


def mutations(count: int, seed: int) -> list[bytes]:
    rng = Random(seed)
    return [mutate(rng.choice(SMALL), rng) for _ in range(count)]


def cut_short() -> list[bytes]:
    """Every beginning of the short frames: whatever is read ahead then meets the end."""
    return [frame[:size] for frame in SMALL if len(frame) <= 160 for size in range(len(frame))]


def long_strings() -> list[bytes]:
    """Strings, escapes, numbers and keys of every size around the width of a register."""
    found = []
    for size in range(1, 140):
        text = b"a" * size
        found += [b'{"' + text + b'":"' + text + b'"}', b'["' + text + b'\\n"]', b'"' + b"\\u0041" * size + b'"']
        found += [b"9" * size, b"-1." + b"5" * size, b'{"' + b"\\t" * size + b'":1}', b'"' + b"\\ud83d\\ude00" * size]
        found += [b'{"method":"' + text + end + b'"}' for end in (b"", b"=", b"*", b"\\/", b":", b"%4", b"/x;")]
        found += [b'"' + text + b"\\ud83d\\ude0", b" " * size + b"\n", b'{"a":"' + text + b'\n"}', b"[" * size + b"{"]
    return found


def classify_all(program: Path, frames: list[bytes], file: Path, kernel: str) -> str:
    file.write_bytes(b"".join(len(frame).to_bytes(4, "little") + frame for frame in frames))
    environment = os.environ | {"SIMDJSON_FORCE_IMPLEMENTATION": kernel, "ASAN_OPTIONS": "detect_leaks=1"}
    done = subprocess.run([program, file], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-8000:]
    return done.stdout


def available(program: Path, kernel: str) -> bool:
    """Does this processor run that kernel? Where it does not, simdjson has none at all, and another name is told."""
    environment = os.environ | {"SIMDJSON_FORCE_IMPLEMENTATION": kernel}
    done = subprocess.run([program, os.devnull], env=environment, capture_output=True, text=True, check=True)
    return f"kernel {kernel}," in done.stdout


def check(program: Path, frames: list[bytes], file: Path, kernel: str) -> None:
    if not available(program, kernel):
        pytest.skip(f"this processor does not run {kernel}")
    told = classify_all(program, frames, file, kernel)
    count, _, kinds = told.partition(f" frames, kernel {kernel}, kinds ")
    assert int(count) == len(frames) > 3000
    assert all(int(kind) > 0 for kind in kinds.split()), told  # every kind was among them


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_byte_outside_a_frame_is_read(program: Path, kernel: str, tmp_path: Path) -> None:
    frames = SEEDS + mutations(6000, seed=11) + cut_short() + long_strings()
    check(program, frames, tmp_path / "frames", kernel)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(200, 208))
@pytest.mark.parametrize("kernel", KERNELS)
def test_no_byte_outside_many_frames_is_read(program: Path, kernel: str, seed: int, tmp_path: Path) -> None:
    check(program, mutations(60_000, seed), tmp_path / "frames", kernel)


def test_a_read_past_a_frame_would_be_noticed(program: Path) -> None:
    done = subprocess.run([program, "--past"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "SEGV" in done.stderr
    assert "page_end: a frame of 1 bytes: 00" in done.stderr


@pytest.mark.heavy
def test_the_largest_frame_there_may_be(program: Path) -> None:
    done = subprocess.run([program, "--huge"], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("not enough memory for a frame of 4 GiB")
    assert done.returncode == 0, done.stderr[-3000:]
