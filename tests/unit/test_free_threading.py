"""Without a GIL: the modules do not claim to be safe there, so that importing them switches it on."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig

import pytest


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this interpreter always has a GIL")
def test_importing_switches_the_gil_on() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    code = "import sys; before = sys._is_gil_enabled(); import framegauge; print(before, sys._is_gil_enabled())"
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
