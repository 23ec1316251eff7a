"""For `python -m pytest benchmarks`: the modules beside this file can be imported, and pytest-benchmark is there."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config: pytest.Config) -> None:
    """Without the plugin every test would fail with an error about a fixture, which does not name the remedy."""
    if not config.pluginmanager.has_plugin("benchmark"):
        raise pytest.UsageError("pytest-benchmark is not installed: python -m pip install --group bench")
