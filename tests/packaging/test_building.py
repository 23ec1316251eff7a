"""What building and installing promise: the same sdist from the same files, and a wheel that needs no compiler."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.packaging.conftest import Archives

pytestmark = pytest.mark.slow

DATE = 1_700_000_000


def checkout(sdist: Path, folder: Path, date: int, mode: int) -> Path:
    """The sources, as somebody else would have them: of another date, with another umask."""
    with tarfile.open(sdist) as tar:
        tar.extractall(folder, filter="data")
    [top] = folder.iterdir()
    files = [path for path in top.rglob("*") if path.is_file()]
    assert len(files) > 100
    for path in files:
        path.chmod(mode)
        os.utime(path, (date, date))
    return top


def sdist_of(source: Path, folder: Path, date: int) -> bytes:
    ours = ("FRAMEGAUGE_", "SIMDJSON_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment["SOURCE_DATE_EPOCH"] = str(date)
    command = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(folder), str(source)]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    [archive] = folder.glob("*.tar.gz")
    return archive.read_bytes()


def test_two_checkouts_give_the_same_sdist(archives: Archives, tmp_path: Path) -> None:
    one = checkout(archives.sdist, tmp_path / "one", 1_000_000_000, 0o600)
    other = checkout(archives.sdist, tmp_path / "another", 1_500_000_000, 0o664)
    first = sdist_of(one, tmp_path / "first", DATE)
    assert sdist_of(other, tmp_path / "second", DATE) == first
    assert sdist_of(other, tmp_path / "third", DATE + 1) != first
    with tarfile.open(tmp_path / "first" / archives.sdist.name) as tar:
        assert {(member.mtime, member.uid, member.uname) for member in tar} == {(DATE, 0, "")}


# Run in the new environment: what is installed there, and that it works.
PROOF = """
from importlib.metadata import distributions
import framegauge
frame = framegauge.classify(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
print(sorted({found.name for found in distributions()}), frame.kind)
"""


def test_wheel_installs_without_compiler_index_or_other_packages(archives: Archives, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=False)
    folder = tmp_path / "empty" / ("Scripts" if sys.platform == "win32" else "bin")
    python = str(folder / "python")
    environment = {"PATH": str(folder), "CC": "no-compiler", "CXX": "no-compiler"}
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", str(archives.wheel)]
    subprocess.run(install, check=True, env=environment, cwd=tmp_path)
    done = subprocess.run([python, "-I", "-c", PROOF], check=True, env=environment, capture_output=True, text=True)
    assert done.stdout.split("\n")[0] == "['framegauge'] request"
    command = subprocess.run(
        [str(folder / "framegauge"), "check"], env=environment, input=b"{", capture_output=True, check=False
    )
    assert command.returncode == 1
    assert b"truncated" in command.stdout
