"""Runs mutants of the rules in forks of a process that imported all else: verdicts on frames, then tests."""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import pickle
import resource
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from mutations import INVALID, SURVIVED, Mutant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.machinery import ModuleSpec

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "framegauge"
SECONDS = 30  # of the processor, for tests that take up to ten
NOTICED = {11: "vectors", 12: "generated"}  # by exit status
# Where lines are judged; of what reads files only a few.
_LINES = (
    "property/test_lines.py",
    *(f"bulk.py::test_the_{name}" for name in ("most_severe_counts", "severity_of_a_rule_is_the_highest_of_any_line")),
)
# Where what is found there is added to the rest.
_NESTED = (
    "nested.py::test_elements_of_a_batch_are_looked_into",
    "nested.py::test_elsewhere_a_milder_one_is_not_counted",
)
# Every way into a gauge and out of it.
_GAUGE = ("own_rules.py", *_NESTED, "gauge_api.py", *_LINES)
# By the mutant's file, or the folder it is in, cheap ones first; those of tests/unit without their folder.
_TESTS = {
    "ruleset": ("docs.py", "rules.py", "clauses.py", "generated.py"),
    "ruleset/model.py": ("docs.py", "rules.py", "generated.py", "own_rules.py"),
    "ruleset/tools.py": ("docs.py", "rules.py", "clauses.py", "nested.py"),
    "checks": ("nested.py", "clauses.py"),
    "checks/json_schema.py": (
        "nested.py",
        "property/test_nested.py::test_one_meta_schema_says_what_the_published_ones_say",
    ),
    "explain": ("docs.py", "hints.py"),
    "explain/pointer.py": ("place.py",),
    "explain/similar_names.py": ("hints.py",),
    "gauge": _GAUGE,
    "gauge/answers.py": ("gauge_api.py",),
    "gauge/host_rules.py": ("own_rules.py", "gauge_api.py"),
    "gauge/lines.py": (
        *_LINES,
        "bulk_calls.py::test_messages_over_lines_where_calls_end",
        "gauge_api.py::test_what_is_no_buffer_is_a_type_error",
    ),
    "gauge/nested.py": ("nested.py",),
    "gauge/value_program.py": ("protocol.py", "shapes.py"),
    "gauge/value_rules.py": ("rules.py", "nested.py"),
    "gauge/legality.py": ("api.py",),
    "gauge/view.py": ("place.py", "hints.py", *_GAUGE),
    "protocol": ("protocol.py", "protocol_data.py"),
    "protocol/merge.py": ("merging.py",),
}
# The reference reads the revisions with these modules too: what is compared with it would change with them.
_SHARED_WITH_THE_REFERENCE = tuple(f"protocol/{name}.py" for name in ("__init__", "revision", "notation"))
_OF_LINES = "gauge/lines.py"  # no single frame comes there
_PRELOADED = ["pytest", "asyncio", "decimal", "difflib", "json", "jsonschema", "random", "tomllib", "unittest.mock"]
_NOT_OF_SPEED = "not (linear or cost_little or memory or no_process or imported_for)"
# Without plugins and without a look into assertions, which no one reads. Speed and memory are measured elsewhere,
# and what runs in a process of its own would read the sources.
_OPTIONS = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-k", _NOT_OF_SPEED)


class _Changed(SourceFileLoader):
    """Loads one module from another text than its file holds."""

    def __init__(self, file: str, text: str) -> None:
        name = ".".join(("framegauge", *Path(file).with_suffix("").parts)).removesuffix(".__init__")
        super().__init__(name, str(PACKAGE / file))
        self._text = text

    def get_code(self, fullname: str) -> Any:
        return compile(self._text, self.get_filename(fullname), "exec", dont_inherit=True)  # this module's __future__

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None


def some_frames(rng: Random) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """With options: of those that the unit tests and the property tests compare with the reference."""
    from tests.property import test_calls, test_nested
    from tests.reference.rows import ALL
    from tests.support.comparison import options_of
    from tests.support.mcp_calls import some_call
    from tests.support.vectors import verdict_vectors

    for vector in verdict_vectors():
        where = {
            "revision": rng.choice((*ALL, "auto")),
            "direction": rng.choice(("client-to-server", "server-to-client")),
        }
        yield vector.frame, options_of(vector) | where | {"transport": rng.choice((None, "stdio", "http", "sse"))}
    for _ in range(800):
        call = some_call(rng, damages=rng.choice((0, 1, 1, 2, 3)))
        yield call.frame, test_calls.some_options(rng, call)
    for _ in range(400):
        made, asked = test_nested.some_frame(rng)
        frame = test_nested.written(rng, made if rng.random() < 0.9 else [made])
        yield frame, {"revision": rng.choice((*ALL[-2:], "auto")), "request_method": asked}


def write_frames(path: Path) -> None:
    """The vectors, and other frames with their verdicts."""
    from tests.support.comparison import gauge_summary
    from tests.support.vectors import verdict_vectors

    frames = [(frame, options, repr(gauge_summary(frame, **options))) for frame, options in some_frames(Random(1))]
    path.write_bytes(pickle.dumps((verdict_vectors(), frames)))


def judge_frames(path: Path, file: str, tests: tuple[str, ...]) -> None:
    """Ends this process where a frame has another verdict, or a test fails."""
    from tests.support.comparison import flaws, gauge_summary, of_gauge, options_of, verdict_of
    from tests.support.expectations import check_vector

    vectors, frames = pickle.loads(path.read_bytes()) if file != _OF_LINES else ((), ())
    for vector in vectors:
        verdict = verdict_of(vector.frame, **options_of(vector))
        assert not flaws(verdict)
        check_vector(of_gauge(verdict), vector)
    for frame, options, before in [] if file.startswith(_SHARED_WITH_THE_REFERENCE) else frames:
        if repr(gauge_summary(frame, **options)) != before:
            os._exit(12)
    import pytest

    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os._exit(pytest.main([*_OPTIONS, *map(path_of, tests)]))


def path_of(test: str) -> str:
    return f"tests/{test}" if "/" in test else f"tests/unit/test_{test}"


def in_a_fork(work: Callable[..., None], compiled: Path, file: str, text: str, *arguments: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    os.chdir(ROOT)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1), os.dup2(quiet, 2)
    # What is not changed is compiled once for all forks, and nothing is left behind in anybody's cache.
    sys.pycache_prefix, sys.dont_write_bytecode = str(compiled), False
    sys.path.insert(0, str(ROOT))
    sys.meta_path.insert(0, _Changed(file, text))
    try:
        work(*arguments)
    except BaseException:  # whatever a mutant may raise
        os._exit(11)


class Rules:
    """A mutant is noticed where frames of `write_frames` have another verdict, or where one of its tests fails."""

    def __init__(self, folder: Path) -> None:
        self._frames, self._compiled = folder / "frames", folder / "compiled"
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(_PRELOADED)
        written = self._run(write_frames, "ruleset/ids.py", None, self._frames)
        assert written == 0, "the sources themselves fail"
        self._fine = set[tuple[str, ...]]()  # tests that pass on the sources themselves

    def _judge(self, file: str, text: str) -> int:
        tests = _TESTS.get(file) or _TESTS[file.partition("/")[0]]
        if tests not in self._fine:
            assert self._run(judge_frames, file, None, self._frames, file, tests) == 0, f"{tests} fail on the sources"
            self._fine.add(tests)
        return self._run(judge_frames, file, text, self._frames, file, tests)

    def _run(self, work: Callable[..., None], file: str, text: str | None, *arguments: Any) -> int:
        """The exit status."""
        text = (PACKAGE / file).read_text("utf-8") if text is None else text
        process = self._processes.Process(target=in_a_fork, args=(work, self._compiled, file, text, *arguments))
        process.start()
        process.join()
        assert process.exitcode is not None
        return process.exitcode

    def judge(self, mutant: Mutant) -> str:
        text = (PACKAGE / mutant.file).read_text("utf-8")
        changed = text[: mutant.start] + mutant.new + text[mutant.stop :]
        try:
            compile(changed, mutant.file, "exec")
        except SyntaxError:
            return INVALID
        status = self._judge(mutant.file, changed)
        return NOTICED.get(status, "tests") if status else SURVIVED
