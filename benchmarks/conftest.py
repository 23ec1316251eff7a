"""For `python -m pytest benchmarks`: the modules beside this file can be imported, and pytest-benchmark is there."""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config: pytest.Config) -> None:
    """Without the plugin every test would fail with an error about a fixture, which does not name the remedy."""
    if not config.pluginmanager.has_plugin("benchmark"):
        raise pytest.UsageError("pytest-benchmark is not installed: python -m pip install --group bench")


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_machine_info(machine_info: dict[str, Any]) -> None:
    """Leaves out the clock rate of the moment: with it, two runs on one machine would seem to be of two machines."""
    for name in [name for name in machine_info["cpu"] if name.startswith("hz_")]:
        del machine_info["cpu"][name]
