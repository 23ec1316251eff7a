"""Which wheels a release has: what cibuildwheel makes of the configuration and the workflow, against a written list."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ROW = re.compile(r"- \{ runner: [\w.-]+, platform: (\w+), archs: (\w+) \}")

pytestmark = pytest.mark.heavy  # nothing takes long, but only there is cibuildwheel installed


def identifiers(platform: str, arch: str) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CIBW_")}
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers"]
    command += ["--platform", platform, "--archs", arch, str(ROOT)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_cibuildwheel_makes_the_wheels_that_are_listed() -> None:
    if importlib.util.find_spec("cibuildwheel") is None:
        assert os.environ.get("CI") != "true", "cibuildwheel is missing: the group `wheels` has it"
        pytest.skip("cibuildwheel is not installed: the group `wheels` has it")
    rows = ROW.findall((ROOT / ".github" / "workflows" / "wheels.yml").read_text("utf-8"))
    assert len(rows) == 5
    lines = (HERE / "expected_identifiers.txt").read_text("utf-8").splitlines()
    expected = [line for line in lines if not line.startswith("#")]
    assert [name for row in rows for name in identifiers(*row)] == expected
    assert len(expected) == len(set(expected)) > 40
