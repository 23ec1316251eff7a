"""The text form of gauges names every field: one that is unknown, missing, repeated or too large is refused."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.native.gauges import compiled
from tests.native.simdjson import INCLUDES, ROOT, compiler, run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow  # compiles

PROGRAM = """
#include "gauges.hpp"
int main(int, char** argv) {
  for (const auto& gauge : load_gauges(argv[1])) {
    printf("%u %zu %zu ", gauge->table.row_count, gauge->specs.size(), gauge->methods.size());
    const fg_spec* spec = gauge->specs.data();
    while (!spec->bounded) spec++;
    printf("%d %d %u\\n", spec->low, gauge->errors.back().code, gauge->protocol.rules[2].value);
  }
}
"""
LINES = list(compiled("2025-11-25", None, None, ("2025-11-25",), bounds=(-12, 105)))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gauges")
    (folder / "read.cpp").write_text(PROGRAM)
    include = f"-I{ROOT / 'tests' / 'native'}"
    run(compiler(), "-std=c++17", "-Wall", "-Wextra", *INCLUDES, include, folder / "read.cpp", "-o", folder / "read")
    return folder / "read"


def read(program: Path, lines: list[str]) -> subprocess.CompletedProcess[str]:
    path = program.parent / "gauges"
    path.write_text("".join(line + "\n" for line in lines))
    return subprocess.run([program, path], capture_output=True, text=True, check=False)


def field(kind: str, name: str) -> str:
    """The field of the last row of that kind."""
    line = [line for line in LINES if line.startswith(f"{kind} ")][-1]
    return re.findall(rf" {name}=(\S+)", line)[0]


def turn(line: str) -> str:
    """The same row, its fields in the opposite order."""
    kind, *fields = line.split()
    return " ".join([kind, *reversed(fields)])


def test_rows_are_read_by_name(program: Path) -> None:
    counts = [sum(line.startswith(f"{kind} ") for line in LINES) for kind in ("row", "spec", "method")]
    assert min(counts) > 30
    values = ["-12", field("error", "code"), field("place", "value")]
    assert read(program, LINES).stdout.split() == [*map(str, counts), *values]
    turned = [turn(line) if "=" in line else line for line in LINES]
    assert read(program, turned).stdout == read(program, LINES).stdout


@pytest.mark.parametrize("kind", ["row", "spec", "shape", "member", "case", "method", "error", "place", "protocol"])
@pytest.mark.parametrize(
    ("pattern", "by"),
    [
        (r" (\w+)=(\S+)$", ""),
        (r" (\w+)=(\S+)$", r" x\1=\2"),
        (r"$", " more=1"),
        (r" (\w+)=(\S+)$", r" \1=\2 \1=\2"),
        (r"=\S+$", "=99999999999999999999999x"),
        (r"=\S+$", "=-9999999999"),
        (r"=\S+$", "="),
        (r"$", " 1"),
    ],
)
def test_another_field_is_refused(program: Path, kind: str, pattern: str, by: str) -> None:
    at = next(n for n, line in enumerate(LINES) if line.startswith(f"{kind} "))
    done = read(program, [*LINES[:at], re.sub(pattern, by, LINES[at], count=1), *LINES[at + 1 :]])
    assert done.returncode == 3
    assert "not a line of gauges" in done.stderr


def test_another_kind_is_refused(program: Path) -> None:
    assert read(program, [*LINES, "rows a=1"]).returncode == 3
    assert read(program, [*LINES, "infos 1"]).returncode == 3
