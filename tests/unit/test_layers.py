"""Who may import whom, whatever the place of the import: in a function and under TYPE_CHECKING it counts too.

A layer is a module or package directly below framegauge. What the table does not allow is forbidden, and so is a layer
that it does not name.
"""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src" / "framegauge"

# Rooms from the ground up; a room may import itself and the named ones.
ALLOWED: dict[str, set[str]] = {
    "native": set(),
    "facts": {"native"},
    "protocol": set(),
    "ruleset": {"facts", "protocol"},
    "behaviour": {"facts", "protocol"},
    "checks": {"facts", "protocol", "ruleset"},
    "explain": {"facts", "protocol", "ruleset"},
    "gauge": {"native", "facts", "protocol", "ruleset", "behaviour", "checks", "explain"},
    "session": {"native", "facts", "protocol", "ruleset", "behaviour", "checks", "explain", "gauge"},
    "archives": {"facts"},
    "bulk": {"facts", "explain", "gauge", "session", "archives"},
    "render": {"protocol", "ruleset", "behaviour", "explain"},
    "adapters": {"native", "facts", "gauge", "session", "archives"},
    "metrics": {"native", "facts", "gauge", "session", "archives"},
    "web": {"facts", "behaviour", "gauge", "session", "archives", "bulk", "render"},
}
ALLOWED["__init__"] = set(ALLOWED)  # the facade re-exports
ALLOWED["cli"] = {*ALLOWED}
ALLOWED["__main__"] = {"cli"}

# The files of gauge/ from the ground up; a file may import those above it.
GAUGE = (
    "legality",
    "options",
    "context",
    "value_rules",
    "value_program",
    "answers",
    "fact_program",
    "findings",
    "nested",
    "more",
    "batches",
    "host_rules",
    "slow_path",
    "lines",
    "view",
    "gauge",
    "__init__",
)


def python_imports(source: str) -> set[str]:
    """Every name imported from framegauge, without that prefix; anywhere in the module."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.partition(".")[2] for name in found if name.split(".")[0] == "framegauge"}


def cython_imports(source: str) -> set[str]:
    """The same of a .pyx or .pxd, which Python cannot parse: one import in a line, or names in parentheses."""
    found = re.findall(r"^\s*from framegauge\.?([\w.]*) c?import ([^(\n]+|\([^)]+\))", source, re.MULTILINE)
    names = {f"{module}.{name.strip()}".strip(".") for module, names in found for name in names.strip("()").split(",")}
    return {name for name in names if name} | set(
        re.findall(r"^\s*c?import framegauge\.([\w.]+)", source, re.MULTILINE)
    )


def violations(file: str, imports: set[str]) -> list[str]:
    layer = file.split("/")[0].partition(".")[0]
    if layer not in ALLOWED:
        return [f"{file}: {layer} is not a layer of the table"]
    return [
        f"{file}: {layer} may not import {name}"
        for name in sorted(imports)
        if room(name) not in ALLOWED[layer] | {layer}
    ]


def room(name: str) -> str:
    """The layer of an imported name; a name of the facade itself, such as __version__, is in its own."""
    first = name.split(".")[0]
    return (
        first if any((SOURCES / path).exists() for path in (first, f"{first}.py")) or first in ALLOWED else "__init__"
    )


def modules() -> dict[str, set[str]]:
    """Every source file and what it imports."""
    found = {}
    for path in sorted(SOURCES.rglob("*.py*")):
        if path.suffix in (".py", ".pyi", ".pyx", ".pxd"):
            read = cython_imports if path.suffix in (".pyx", ".pxd") else python_imports
            found[path.relative_to(SOURCES).as_posix()] = read(path.read_text("utf-8"))
    return found


MODULES = modules()


def test_the_sources_were_found() -> None:
    assert {"__init__.py", "facts.py", "bulk/scan.py", "render/json.py", "cli/__init__.py"} <= set(MODULES)
    assert "native/tokenizer.pyx" in MODULES
    assert MODULES["facts.py"] >= {"native.tokenizer.classify"}
    assert sum(map(len, MODULES.values())) > 30


@pytest.mark.parametrize("file", MODULES)
def test_imports_stay_within_the_table(file: str) -> None:
    assert violations(file, MODULES[file]) == []


def test_the_table_goes_up() -> None:
    layers = list(ALLOWED)
    assert all(set(layers[:place]) >= ALLOWED[layer] for place, layer in enumerate(layers))
    assert not any("cli" in allowed for layer, allowed in ALLOWED.items() if layer != "__main__")


# ---- modules -------------------------------------------------------------------------------------


def module(file: str) -> str:
    """The module of a file; the .pyx, .pxd and .pyi of a compiled one are one module."""
    return re.sub(r"/__init__$", "", file.rpartition(".")[0]).replace("/", ".")


def graph(files: dict[str, set[str]]) -> dict[str, set[str]]:
    """Module -> the modules that it imports by name."""
    known = {module(file) for file in files}
    found: dict[str, set[str]] = {name: set() for name in known}
    for file, imports in files.items():
        for name in imports:
            parts = name.split(".")
            named = (".".join(parts[:size]) for size in range(len(parts), 0, -1))
            found[module(file)].add(next((each for each in named if each in known), "__init__"))
    return {name: imports - {name} for name, imports in found.items()}


def circle(files: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph(files)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(MODULES) == []


def test_a_circle_is_noticed() -> None:
    source = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from framegauge.bulk.scan import scan"
    assert "bulk.scan" in circle(MODULES | {"bulk/inputs.py": python_imports(source)})
    source = "def f():\n    from framegauge.gauge import Gauge"
    assert "gauge" in circle(MODULES | {"gauge/context.py": python_imports(source)})
    assert "__init__" in circle(MODULES | {"facts.py": python_imports("import framegauge")})


def upwards(files: dict[str, set[str]]) -> list[str]:
    """Imports within gauge/ that do not follow GAUGE."""
    modules = graph(files)
    order = {"gauge" if name == "__init__" else f"gauge.{name}": place for place, name in enumerate(GAUGE)}
    return [
        f"{name} imports {other}"
        for name in sorted(modules)
        for other in sorted(modules[name])
        if name in order and other in order and order[name] < order[other]
    ]


def test_files_of_the_gauge_import_in_one_direction() -> None:
    assert {Path(file).stem for file in MODULES if file.startswith("gauge/")} == set(GAUGE)
    assert upwards(MODULES) == []
    nested = python_imports("def f():\n    from framegauge.gauge.slow_path import SlowPath")
    assert upwards(MODULES | {"gauge/nested.py": nested}) == ["gauge.nested imports gauge.slow_path"]


# ---- the checks check ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("bulk/scan.py", "from framegauge.cli import main"),
        ("bulk/scan.py", "def f():\n    import framegauge.render.text"),
        ("bulk/scan.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from framegauge.web.app import App"),
        ("render/json.py", "from framegauge.gauge import Gauge"),
        ("render/json.py", "from framegauge import bulk"),
        ("archives/har.py", "from framegauge.gauge import Gauge"),
        ("session/session.py", "from framegauge.bulk import scan"),
        ("adapters/asgi.py", "from framegauge.metrics import Metrics"),
        ("facts.py", "from framegauge import classify"),
        ("__init__.py", "from framegauge.cli import main"),
        ("helpers.py", "import os"),
    ],
)
def test_violations_are_noticed(file: str, source: str) -> None:
    assert violations(file, python_imports(source))


def test_cython_imports_are_read() -> None:
    source = (
        "from framegauge.native.core cimport *\ncimport framegauge.cli\n    from framegauge.a import (\n  b,\n c)\n"
    )
    assert cython_imports(source) == {"native.core.*", "cli", "a.b", "a.c"}


# ---- the core: bytes, the facts of a frame, rules on it, lines ----

CPP = SOURCES / "native" / "cpp"
FLOORS = ("json", "frame", "rules", "lines")  # from the ground up; api.cpp is above them
PUBLIC = {"core.h", "framegauge.h", "simdjson.h"}


def includes(source: str) -> list[str]:
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', source, re.MULTILINE)


def climbs(file: str, named: list[str]) -> list[str]:
    """The includes of a file of native/cpp that are not of its own floor or one below."""
    floors = (*FLOORS, "api.cpp")
    own = file.split("/")[0]
    if own not in floors:
        return [f"{file}: {own} is not a floor"]
    allowed = floors[: floors.index(own) + 1]
    return [f"{file} includes {name}" for name in named if name not in PUBLIC and name.split("/")[0] not in allowed]


HEADERS = {
    path.relative_to(CPP).as_posix(): includes(path.read_text("utf-8"))
    for path in sorted(CPP.rglob("*"))
    if path.suffix in (".hpp", ".cpp", ".h")
}


def test_the_headers_were_found() -> None:
    assert {file.split("/")[0] for file in HEADERS} == {*FLOORS, "api.cpp"}
    assert HEADERS["frame/walk.hpp"] == ["frame/walk_members.hpp"]
    assert "lines/line_scan.hpp" in HEADERS["api.cpp"]


@pytest.mark.parametrize("file", HEADERS)
def test_headers_include_downwards(file: str) -> None:
    assert climbs(file, HEADERS[file]) == []
    assert all((CPP / name).is_file() for name in HEADERS[file] if name not in PUBLIC)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("rules/value_rules.hpp", '#include "lines/line_cache.hpp"'),
        ("json/keys.hpp", '#  include "frame/names.hpp"'),
        ("frame/walk.hpp", '#pragma once\n #include "rules/formats.hpp"\n'),
        ("lines/line_scan.hpp", '#include "short.hpp"'),
        ("pairing/ids.hpp", ""),
    ],
)
def test_a_climb_is_noticed(file: str, source: str) -> None:
    assert climbs(file, includes(source))
