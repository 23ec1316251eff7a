"""Copies of the package that a test may change: what a change of the sources does, seen in a process of its own."""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import framegauge as fg
from tests.support import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = TESTS.parent
PACKAGE = Path(fg.__file__).parent
COMPILED = {".so", ".pyd"}
_LEFT_OUT = shutil.ignore_patterns("__pycache__")
_BUILT = {*COMPILED, ".json"}  # the JSON forms of the data are written by the build


class PackageCopy:
    """`folder`/src/framegauge, with the compiled modules. `more`: files and folders of the repository beside `src`.

    Processes import the package from the copy. They import `tests` from there too if it is one of `more`.
    """

    def __init__(self, folder: Path, more: Iterable[str] = ()) -> None:
        self.folder, self.package = folder, folder / "src" / "framegauge"
        shutil.copytree(PACKAGE, self.package, ignore=_LEFT_OUT)
        for name in more:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name, ignore=_LEFT_OUT)
            else:
                shutil.copy(ROOT / name, folder / name)

    def edit(self, file: str, old: str, new: str) -> None:
        """Replaces a text that stands once in a file of the package."""
        path = self.package / file
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
        path.write_text(text.replace(old, new), "utf-8")

    def changed(self) -> list[str]:
        """The source files of the package that differ from those of the original, or that only one of both has."""
        files = {
            path.relative_to(package).as_posix()
            for package in (PACKAGE, self.package)
            for path in package.rglob("*")
            if path.is_file() and path.suffix not in _BUILT and "__pycache__" not in path.parts
        }
        return sorted(name for name in files if not _same(PACKAGE / name, self.package / name))

    def rebuilt(self) -> list[str]:
        """The compiled modules that are not those of the original."""
        names = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.suffix in COMPILED]
        assert names
        return [str(name) for name in names if not _same(PACKAGE / name, self.package / name)]

    def run(self, *arguments: str, data: str = "", status: int = 0) -> str:
        """What Python prints with these arguments, in a process that has the copy."""
        done = subprocess.run(
            [sys.executable, *arguments],
            input=data,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (self.package.parent, self.folder, ROOT)))},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == status, done.stderr
        return done.stdout


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)
