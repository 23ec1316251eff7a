"""A check that forgets to declare what it read costs speed and never a verdict.

One program has a switch for every call that declares a reading or refines one. It compares the rows of similar lines
with those of each line alone, once for each call that is left out.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from framegauge.native.tokenizer import kernel
from tests.native import told
from tests.native.simdjson import CPP, NATIVE, ROOT, compiler, run, simdjson_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,  # compiles
    pytest.mark.skipif(sys.platform != "linux", reason="built with g++"),
    pytest.mark.skipif(kernel() not in ("haswell", "icelake"), reason="short lines are cached with AVX2 only"),
]

REFINEMENTS = ("integer", "fits", "any_id")
_CALL = re.compile(
    rf"(?<![\w.])(?:(?P<by>read_->)(?P<name>{'|'.join(REFINEMENTS)}|worthless|text)"
    rf"|(?P<own>any_id|text|worthless))\((?P<argument>[^;{{}}()]*)\)(?=[;\s])"
)
# A value is recorded where its bytes are handed out, and the frame's own ones where the list is made. These calls are
# what everything rests on: without one of them rows differ, which shows that this test would see it.
_RECORDS = "text"


class Call(NamedTuple):
    """A call that can be left out, by its number from 1 on."""

    file: str
    name: str


def switched(text: str, file: str, calls: list[Call]) -> str:
    """The text with a switch around each such call."""

    def switch(found: re.Match[str]) -> str:
        calls.append(Call(file, found["name"] or found["own"]))
        return f"(g_dropped == {len(calls)} ? void() : {found[0]})"

    lines = []
    for line in text.split("\n"):
        declares = line.lstrip().startswith(("//", "void ", "FG_INLINE ", "return ", "Text ", "const Text "))
        lines.append(line if declares else _CALL.sub(switch, line))
    return "\n".join(lines)


def sources(folder: Path) -> list[Call]:
    """A copy of the native sources with switches."""
    calls: list[Call] = []
    shutil.copytree(NATIVE, folder / "native", ignore=shutil.ignore_patterns("*.so", "*.py*", "*.pxd", "*.pxi"))
    for name in ("values_read.hpp", "tokens.hpp", "value_rules.hpp"):
        path = folder / "native" / "cpp" / "rules" / name
        path.write_text(switched(path.read_text("utf-8"), name, calls), "utf-8")
    return calls


def build(folder: Path) -> list[Call]:
    calls = sources(folder)
    before, simdjson = folder / "before.h", simdjson_folder()
    before.write_text("#pragma once\ninline int g_dropped = 0;\n", "utf-8")
    flags = ("-std=c++17", "-O1", "-w", f"-I{simdjson}", "-include", before)
    includes = (f"-I{folder / 'native'}", f"-I{folder / 'native' / 'cpp'}")
    program, core = ROOT / "tests" / "native" / "dropped.cpp", folder / "native" / "cpp" / "api.cpp"
    run(compiler(), *flags, *includes, program, core, simdjson / "simdjson.cpp", "-o", folder / "dropped")
    return calls


def buffers(count: int) -> Iterator[bytes]:
    return (each.frame for each in told.alike_lines(count, seed=5))


class Run(NamedTuple):
    """Of one call that was left out: rows that differ from those of the line alone, and lines that were not walked."""

    differing: int
    known: int


def results(folder: Path, calls: list[Call], count: int) -> list[Run]:
    tables, data = told.write_tables(folder / "tables"), folder / "buffers"
    data.write_bytes(b"".join(struct.pack("<I", len(each)) + each for each in buffers(count)))
    command = [folder / "dropped", tables, data, str(len(calls))]
    environment = os.environ | {"SIMDJSON_FORCE_IMPLEMENTATION": "haswell"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=1800)
    found = [Run(*map(int, line.split()[1:])) for line in done.stdout.splitlines()]
    assert len(found) == len(calls) + 1
    return found


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Call]]:
    folder = tmp_path_factory.mktemp("dropped")
    return folder, build(folder)


def check(folder: Path, calls: list[Call], count: int) -> None:
    whole, *dropped = results(folder, calls, count)
    assert whole.differing == 0
    assert whole.known > 1000
    for call, found in zip(calls, dropped, strict=True):
        if call.name == _RECORDS:
            assert found.differing > 0, f"{call}: this test would not see it"
        else:
            assert found.differing == 0, call
        if call.name in REFINEMENTS:
            assert found.known < whole.known, f"{call}: nothing is known by it"


def test_the_calls_are_found(tmp_path: Path) -> None:
    calls = sources(tmp_path)
    names = [call.name for call in calls]
    assert {*REFINEMENTS, "worthless", _RECORDS} == set(names)
    assert names.count(_RECORDS) == 3  # of the envelope, of described members, of whatever rules look into
    written = "".join(path.read_text("utf-8") for path in CPP.rglob("*.hpp"))
    assert len(re.findall(r"read_->", written)) == sum(call.file != "values_read.hpp" for call in calls)


def test_a_call_that_is_left_out_changes_no_verdict(program: tuple[Path, list[Call]]) -> None:
    check(*program, count=60)


@pytest.mark.heavy
def test_a_call_that_is_left_out_changes_no_verdict_of_many_lines(program: tuple[Path, list[Call]]) -> None:
    check(*program, count=2000)
