"""The native core compiles without a warning; $CXX names the compiler."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.native.simdjson import CPP, INCLUDES, compiler, simdjson_folder

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the flags are those of gcc and clang")


def complaints(*arguments: str) -> str:
    command = [compiler(), "-std=c++17", "-O2", "-Wall", "-Wextra", "-fsyntax-only", *INCLUDES]
    command += [f"-isystem{simdjson_folder()}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_core_compiles_without_a_warning() -> None:
    assert complaints(str(CPP / "api.cpp")) == ""


def test_a_warning_would_be_seen(tmp_path: Path) -> None:
    source = tmp_path / "unused.cpp"
    source.write_text('#include "json/bytes.hpp"\nstatic int unused(int x) { return 1; }\n', encoding="utf-8")
    assert complaints(str(source)).count("[-Wunused-parameter]") == 1
