"""The code that a place of a source is in: `Walk::member`, `_Compiler.shape`, or the name of a table."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SKIPPED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""",
    re.DOTALL | re.MULTILINE,
)
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|template\s*<[^>]*>|alignas\([^)]*\)")
_TYPE = re.compile(r"^(?:typedef\s+)?(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)")
_FUNCTION = re.compile(r"(?P<name>(?:\w+::)*~?(?:operator\s*\S+?|\w+))\s*\(")
_NO_FUNCTION = ("if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "defined", "static_assert")
_DECLARED = re.compile(r"(\w+)\s*(?:\[[^=;]*|:\s*\w+\s*)?(?:[={;]|$)")


def cpp(text: str) -> Callable[[int], str]:
    """For an offset, the name; namespaces are left out. Empty where nothing named is around."""
    bare = _SKIPPED.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)
    bare = _ATTRIBUTE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), bare)
    starts, names = zip(*_spans(bare), strict=True)
    return lambda at: names[bisect_right(starts, at) - 1]


def _spans(bare: str) -> Iterator[tuple[int, str]]:
    """Offsets from which on, up to the next, the name is this one."""
    around: list[tuple[str, bool]] = []  # a name or nothing, and whether it is of a function
    begun = 0  # where the declaration at hand begins
    round_brackets = 0
    yield 0, ""
    for found in re.finditer(r"[{};()]", bare):
        token, at = found.group(), found.start()
        round_brackets += (token == "(") - (token == ")")
        if token in "()":
            continue
        in_function = any(function for _, function in around)
        header = bare[begun:at].strip()
        path = [name for name, _ in around if name]
        start = begun + len(bare[begun:at]) - len(bare[begun:at].lstrip())
        if token == "{":
            name, function = ("", False) if in_function or round_brackets else _named(header)
            initializer = not name and not in_function and header and not header.startswith(("namespace", "extern"))
            if name or initializer:
                yield start, "::".join([*path, name or _declared(header)])
            around.append((name, function or bool(initializer)))
            begun = at + 1
        elif token == "}":
            name, function = around.pop() if around else ("", False)
            if function and not any(f for _, f in around) and not re.match(r"\s*[;,]", bare[at + 1 :]):
                yield at + 1, "::".join(n for n, _ in around if n)
            begun = at + 1
        elif not round_brackets:
            if not in_function:
                if header:
                    yield start, "::".join([*path, _declared(header)])
                yield at + 1, "::".join(path)
            begun = at + 1


def _named(header: str) -> tuple[str, bool]:
    """The name of what a `{` opens and whether it is a function; nothing for namespaces and initializers."""
    header = re.sub(r"^(?:public|private|protected)\s*:\s*", "", header).strip()
    if found := _TYPE.match(header):
        return found[1], False
    if header.startswith(("namespace", "extern")):
        return "", False
    found = _FUNCTION.search(header)
    if found and found["name"] not in _NO_FUNCTION and "=" not in header[: found.start()]:
        return found["name"], True
    return "", False


def _declared(header: str) -> str:
    found = re.search(r"(?:operator\s*\S+?|~?\w+)(?=\s*\()", header) if "(" in header.partition("=")[0] else None
    if found:
        return found.group()
    left = header.partition("=")[0].partition("{")[0]
    words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]|:\s*\d+", " ", left))
    return words[-1] if words else ""


def python(text: str) -> Callable[[int], str]:
    """For an offset in characters, the qualified name of the function, class or module variable."""
    rows = text.splitlines(keepends=True)
    starts = list(accumulate(map(len, rows), initial=0))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(rows[line - 1].encode()[:column].decode())

    spans = list(_python_spans(ast.parse(text), offset, ""))

    def name(at: int) -> str:
        return max((span for span in spans if span[0] <= at < span[1]), default=(0, 0, "<module>"))[2]

    return name


def _python_spans(
    node: ast.AST, offset: Callable[[int, int], int], path: str, in_function: bool = False
) -> Iterator[tuple[int, int, str]]:
    """Outer ones first."""
    for child in ast.iter_child_nodes(node):
        name, function = path, isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        first, named = getattr(child, "lineno", 0), ""
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = named = f"{path}.{child.name}".strip(".")
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
        elif isinstance(child, ast.Assign | ast.AnnAssign) and not in_function:
            target = child.targets[0] if isinstance(child, ast.Assign) else child.target
            named = f"{path}.{target.id}".strip(".") if isinstance(target, ast.Name) else ""
        if named:
            assert isinstance(child, ast.stmt)
            yield offset(first, 0), offset(child.end_lineno or first, child.end_col_offset or 0), named
        yield from _python_spans(child, offset, name, in_function or function)
