"""Who may import whom. A layer is a module or package directly below framegauge.

What the table does not allow is forbidden, and so is a layer that it does not name.
"""

from __future__ import annotations

import ast
import re
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
ALLOWED["cli"] = ALLOWED["__main__"] = {*ALLOWED, "__version__", "cli"}

EXCEPTIONS: set[tuple[str, str]] = set()


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
        return [f"{file}: {layer} is no layer of the table"]
    allowed = ALLOWED[layer] | {layer}

    def permitted(name: str) -> bool:
        parts = name.split(".")
        return any(".".join(parts[:size]) in allowed for size in range(1, len(parts) + 1))

    return [
        f"{file}: {layer} may not import {name}"
        for name in sorted(imports)
        if not permitted(name) and (file, name) not in EXCEPTIONS
    ]


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
    assert {"__init__.py", "facts.py", "bulk/scan.py", "render/text.py", "cli/__init__.py"} <= set(MODULES)
    assert "native/tokenizer.pyx" in MODULES
    assert MODULES["facts.py"] >= {"native.tokenizer.classify"}
    assert sum(map(len, MODULES.values())) > 30


@pytest.mark.parametrize("file", MODULES)
def test_imports_stay_within_the_table(file: str) -> None:
    assert violations(file, MODULES[file]) == []


def test_exceptions_are_still_needed() -> None:
    assert all(name in MODULES[file] for file, name in EXCEPTIONS)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("bulk/scan.py", "from framegauge.cli import main"),
        ("bulk/scan.py", "def f():\n    import framegauge.render.text"),
        ("render/text.py", "from framegauge.gauge import Gauge"),
        ("render/text.py", "from framegauge import bulk"),
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
