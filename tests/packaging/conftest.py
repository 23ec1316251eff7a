"""The archives under test: those in $FRAMEGAUGE_DIST or, without it, freshly built ones."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


# Not sources: what other tests write and remove while an archive is packed, and what is large.
CACHES = (".hypothesis", "*_cache", "__pycache__", "*.egg-info", "*.so", "*.pyd")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "venv", "build", "dist", "third_party", *CACHES)


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one process where there are several: the archives are built once."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.xdist_group("packaging"))


@dataclass(frozen=True)
class Archives:
    sdist: Path
    wheel: Path


def build(folder: Path, checkout: Path) -> None:
    """Build an sdist of a copy of the checkout, and a wheel of the sdist with no index to download anything from."""
    shutil.copytree(ROOT, checkout, ignore=LEFT_OUT)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FRAMEGAUGE_")}
    here = next(filter(Path.is_dir, (ROOT / "third_party" / "simdjson", ROOT / "build" / "simdjson")), None)
    if here:  # which setup.py would have found in the checkout itself
        environment.setdefault("SIMDJSON_DIR", str(here))
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(folder), str(checkout)]
    subprocess.run(command, check=True, env=environment)
    environment |= {"PIP_NO_INDEX": "1"}
    environment.pop("SIMDJSON_DIR", None)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*command, *map(str, folder.glob("*.tar.gz"))], check=True, env=environment)


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    given = os.environ.get("FRAMEGAUGE_DIST")
    folder = Path(given) if given else tmp_path_factory.mktemp("dist")
    if not given:
        build(folder, tmp_path_factory.mktemp("checkout") / "framegauge")
    [sdist] = folder.glob("framegauge-*.tar.gz")
    [wheel] = folder.glob("framegauge-*.whl")
    return Archives(sdist, wheel)
