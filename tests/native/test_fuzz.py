"""The fuzz harnesses can fail: each finds a promise that is broken on purpose."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from fuzz import build, seeds
from fuzz.run import OPTIONS, environment

from tests.native.simdjson import refuse

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.heavy,  # compiles, and runs fuzzers
    pytest.mark.skipif(sys.platform != "linux", reason="libFuzzer with sanitizers"),
]
SECONDS = 300  # that a search may take; each takes a few on a quiet machine

# The harness, the number of the planted fault in native.hpp, and what it has to say.
PLANTED = [
    ("frames", 1, "broken: the facts depend on the kernel"),
    ("frames", 2, "broken: the facts depend on where the frame stands"),
    ("frames", 3, "ERROR: AddressSanitizer: heap-buffer-overflow"),
    ("lines", 4, "broken: a row depends on chunk or kernel"),
    ("lines", 5, "broken: kind or facts differ from the line alone"),
    ("shapes", 6, "broken: what is found depends on where the frame stands"),
    ("lines", 7, "broken: rules differ from the line alone"),
    ("shapes", 8, "broken: what is found depends on the kernel"),
    ("lines", 9, "broken: a row depends on the lines before"),
    ("lines", 10, "broken: a row depends on the long lines before"),
]
# The harness, what is broken before it starts, and a pattern of what it has to say: which check is first is chance.
PATCHED = [
    (
        "differential",
        "import tests.support.comparison as c; c.facts = lambda data, limits, f=c.facts: f(data, c.DEFAULT)",
        "native",
    ),
    ("differential", "from fuzz import peers; peers.CLASSES = peers.CLASSES[1:]", "is this JSON: we say True"),
    (
        "differential",
        "import framegauge.gauge.value_rules as s; s._PLACES = {k: v for k, v in s._PLACES.items() if not k[2]}",
        "name-type|request-id-missing",
    ),
    (
        "differential",
        "import framegauge.gauge.value_program as s; s.FORMATS = s.FORMATS | {'mime': s.FORMATS['uri']}",
        "result-member-value",
    ),
    ("differential", "import framegauge.gauge.value_program as s; s._TRACE = s._TRACE[:2]", "meta-trace-keys"),
    (
        "differential",
        "import framegauge.gauge.value_program as s; s._RESERVED = (None, 'second last', 'second')",
        "reserved-prefix",
    ),
    ("differential", "from framegauge.checks import headers as n; n._PRIMITIVE -= {'boolean'}", "x-mcp-header"),
    (
        "differential",
        "from framegauge.checks import json_schema as s; s._plain = lambda value: value",
        "jsonschema-valid",
    ),
    (
        "differential",
        "import framegauge.gauge.lines as v; v.Verdicts._settle = lambda *_: None",
        r"columns and verdict|assert verdicts\.severities\(\) == highest",
    ),
    ("readers", "import framegauge.cli.scan as s; s.printable = str", "AssertionError"),
    ("readers", "import framegauge.cli.config as c; c._wrong_limits = lambda _: None", "Uncaught Python exception"),
]
# Modules that made gauges before have what they are compiled to in these caches.
FORGET = (
    "from framegauge.gauge.fact_program import table_for; from framegauge.gauge.value_program import shapes_of; "
    "table_for.cache_clear(); shapes_of.cache_clear()"
)


def search(command: list[str], target: str, folder: Path) -> str:
    """Fuzz from the seeds until something is found; what was said."""
    seeds.write(target, folder / "seeds")
    (folder / "corpus").mkdir()
    options = [*OPTIONS, f"-max_total_time={SECONDS}", f"-artifact_prefix={folder}/"]
    done = subprocess.run(
        [*command, *options, str(folder / "corpus"), str(folder / "seeds")],
        cwd=seeds.ROOT,
        env=environment(),
        capture_output=True,
        check=False,
        timeout=SECONDS + 200,
    )
    assert list(folder.glob("crash-*")), done.stderr[-3000:]
    assert done.returncode != 0
    return (done.stdout + done.stderr).decode("utf-8", "replace")


@pytest.fixture(scope="session")
def programs(pytestconfig: pytest.Config) -> Path:
    try:
        build.compiler()
    except SystemExit as error:
        refuse(str(error))
    return pytestconfig.cache.mkdir("fuzz")  # type: ignore[union-attr]


@pytest.mark.parametrize(("target", "number", "says"), PLANTED)
def test_a_planted_fault_is_found(programs: Path, tmp_path: Path, target: str, number: int, says: str) -> None:
    program = build.program(target, programs, planted=number)
    assert says in search([str(program)], target, tmp_path)


@pytest.mark.parametrize(("target", "patch", "says"), PATCHED)
def test_a_patched_fault_is_found(tmp_path: Path, target: str, patch: str, says: str) -> None:
    if importlib.util.find_spec("atheris") is None:
        refuse("no atheris: python -m pip install --group fuzz")
    script = tmp_path / "patched.py"
    script.write_text(f"import sys; sys.path.insert(0, {os.fspath(seeds.ROOT)!r})\n")
    with script.open("a") as file:
        file.write(f"from fuzz import {target}\n{patch}\n{FORGET}\n{target}.main()\n")
    assert re.search(says, search([sys.executable, str(script)], target, tmp_path))
