"""Rules of our Cython sources that neither Cython nor ruff checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "framegauge"
SOURCES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
    for suffix in ("pyx", "pxd")
    for path in sorted(PACKAGE.rglob(f"*.{suffix}"))
}

# An object result tells an exception by itself; what is not in this list is a C type, or is to be added here.
OBJECTS = {
    "object",
    "bytes",
    "str",
    "list",
    "dict",
    "tuple",
    "Frame",
    "Fault",
    "Member",
    "Limits",
    "Finding",
    "Verdict",
    "Reply",
    "Table",
    "Column",
    "Shapes",
}
FUNCTION = re.compile(
    r"^ *cdef +(?:inline +)?(?:api +)?((?:const +)?\w[\w ]*?[ *]+)?(\w+)\(([^#\n]*)\)([^)#\n]*)", re.M
)


def functions(source: str) -> list[tuple[str, str, str]]:
    """(name, result type, what stands behind the parameters) of every cdef function."""
    return [(name, result.strip(), behind) for result, name, _, behind in FUNCTION.findall(source)]


def unchecked_functions(source: str) -> list[str]:
    """cdef functions with a C result that say neither noexcept nor except: Cython would ask after every call."""
    return [
        name
        for name, result, behind in functions(source)
        if result not in OBJECTS and not re.search(r"\b(noexcept|except)\b", behind)
    ]


def objects_without_gil(source: str) -> list[str]:
    """Lines in a `with nogil` block that reach through self; Cython refuses only some of them."""
    found, indent = [], -1
    for line in source.splitlines():
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth <= indent:
            indent = -1
        if indent >= 0 and re.search(r"\bself\b", line):
            found.append(line.strip())
        if re.match(r" *with nogil:", line):
            indent = depth
    return found


def directives(source: str) -> list[str]:
    """`# cython:` comments, which would win over setup.py: a debug build would lose its checks."""
    found = re.findall(r"^# *cython: *(.*)$", source, re.M)
    return [entry.strip() for line in found for entry in line.split(",") if not entry.strip().startswith("binding")]


def test_there_is_something_to_check() -> None:
    assert {"native/tokenizer.pyx", "native/tokenizer.pxd", "native/core.pxd"} <= set(SOURCES)
    tokenizer = SOURCES["native/tokenizer.pyx"]
    found = {name for name, _, _ in functions(tokenizer)}
    assert found >= {"_names", "_limit", "_fault", "_keep_copy", "classify_bytes", "_use_pool"}
    assert "with nogil:" in tokenizer


@pytest.mark.parametrize("file", SOURCES)
@pytest.mark.parametrize("rule", [objects_without_gil, directives], ids=lambda rule: rule.__name__)
def test_a_source_keeps_to_the_rules(file: str, rule: object) -> None:
    assert callable(rule)
    assert rule(SOURCES[file]) == []


def test_functions_say_how_they_fail() -> None:
    assert [name for source in SOURCES.values() for name in unchecked_functions(source)] == []


def test_breaches_are_noticed() -> None:
    bad = "cdef int f(int a):\n    pass\ncdef inline void g() :\ncdef const char* h(x) nogil\ncdef bytes k():\n"
    assert unchecked_functions(bad) == ["f", "g", "h"]
    assert unchecked_functions("cdef int f(int a) except -1:\ncdef uint32_t g(str n, v) except? 0xF:\n") == []
    assert objects_without_gil("    with nogil:\n        a = self.b\n    c = self.d\n") == ["a = self.b"]
    assert directives("# cython: binding=False, boundscheck=False\n") == ["boundscheck=False"]


@pytest.mark.parametrize("name", [name for name in SOURCES if name.endswith(".pyx")])
def test_no_list_comprehension(name: str) -> None:
    """Cython 3.3.1 frees an element twice where a comprehension's list cannot grow: append, map, or a set or dict."""
    found = re.findall(r"\[[^\[\]#]* for [^\[\]]* in [^#]*\]", re.sub(r'"""[\s\S]*?"""', "", SOURCES[name]))
    assert found == []
