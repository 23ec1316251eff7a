"""Runs mutants of the rules: the tests that may notice one, in a fork of a process that has imported all else."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import resource
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mutations import INVALID, SURVIVED, Mutant

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "framegauge"
SECONDS = 60  # of the processor, for tests that take up to ten
_VECTORS = "gauge.py::test_vector"
# By the mutant's file, cheap ones first; "" is for all other files, which hold rules as data.
_TESTS = {
    "": (_VECTORS, "rules.py", "clauses.py", "protocol.py", "generated.py", "gauge_api.py"),
    "judging.py": (_VECTORS, "own_rules.py", "gauge_api.py", "reference_verdict.py"),
    "reply.py": (_VECTORS, "gauge_api.py", "reference_verdict.py"),
    "rules/hints.py": ("hints.py", _VECTORS),
    "rules/meant.py": ("hints.py",),
    "rules/model.py": (_VECTORS, "rules.py", "generated.py", "own_rules.py"),
    "rules/own.py": ("own_rules.py", "gauge_api.py"),
    "rules/place.py": ("place.py",),
}
_PRELOADED = ["pytest", "asyncio", "decimal", "difflib", "json", "random", "tomllib", "unittest.mock"]
# Without plugins and without a look into assertions, which nobody will read.
_OPTIONS = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider")


class _Changed(SourceFileLoader):
    """Loads one module from another text than its file holds."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        super().__init__(name, str(path))
        self._text = text

    def get_code(self, fullname: str) -> Any:
        return compile(self._text, self.get_filename(fullname), "exec")

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None


def passes(file: str, text: str, tests: tuple[str, ...]) -> None:
    """In a process of its own, whose exit status tells."""
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.chdir(ROOT)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1), os.dup2(quiet, 2)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT))
    name = ".".join(("framegauge", *Path(file).with_suffix("").parts))
    sys.meta_path.insert(0, _Changed(name, PACKAGE / file, text))
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.exit(pytest.main([*_OPTIONS, *(f"tests/unit/test_{test}" for test in tests)]))


class Rules:
    """Compares nothing: a mutant is noticed where a test fails."""

    def __init__(self) -> None:
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(_PRELOADED)
        for file, tests in _TESTS.items():
            path = file or "rules/ids.py"
            assert self._passes(path, (PACKAGE / path).read_text("utf-8"), tests), f"{tests} fail on the sources"

    def _passes(self, file: str, text: str, tests: tuple[str, ...]) -> bool:
        process = self._processes.Process(target=passes, args=(file, text, tests))
        process.start()
        process.join()
        return process.exitcode == 0

    def judge(self, mutant: Mutant) -> str:
        text = (PACKAGE / mutant.file).read_text("utf-8")
        changed = text[: mutant.start] + mutant.new + text[mutant.stop :]
        try:
            compile(changed, mutant.file, "exec")
        except SyntaxError:
            return INVALID
        return SURVIVED if self._passes(mutant.file, changed, _TESTS.get(mutant.file, _TESTS[""])) else "tests"
