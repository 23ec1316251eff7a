"""Where simdjson is, and a sanitized object of it that is compiled once: that takes half a minute."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "src" / "framegauge" / "native"
CPP = NATIVE / "cpp"
INCLUDES = (f"-I{NATIVE}", f"-I{CPP}")
CHECKS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
FLAGS = ("-std=c++17", "-O1", "-g1", "-Wall", "-Wextra", *CHECKS)


def refuse(reason: str) -> None:
    """Skip where somebody lacks a tool; fail where the tools are promised."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def compiler() -> str:
    found = shutil.which(os.environ.get("CXX", "g++"))
    if not found:
        refuse("no g++")
    return str(found)


def simdjson_folder() -> Path:
    """As setup.py finds it, but nothing is downloaded."""
    named = os.environ.get("SIMDJSON_DIR")
    places = [Path(named)] if named else [ROOT / "third_party" / "simdjson", ROOT / "build" / "simdjson"]
    for place in places:
        if (place / "simdjson.cpp").is_file():
            return place
    refuse(f"simdjson.cpp is not in {' or '.join(map(str, places))}")
    raise AssertionError


def run(*command: str | Path) -> None:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]


def sanitized_object(cache: Path) -> Path:
    """simdjson compiled with FLAGS; its name tells compiler, flags and source, so that a stale one is never taken."""
    source = simdjson_folder() / "simdjson.cpp"
    version = subprocess.run([compiler(), "--version"], capture_output=True, text=True, check=True).stdout
    key = hashlib.sha256(source.read_bytes() + repr((version, FLAGS)).encode()).hexdigest()[:16]
    target = cache / f"simdjson-{key}.o"
    if not target.is_file():
        part = cache / f"{target.name}.{os.getpid()}"
        run(compiler(), *FLAGS, "-w", "-c", source, "-o", part)
        part.replace(target)  # another run may have made it meanwhile: the same one
    return target
