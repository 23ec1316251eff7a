"""Small changes to sources, one at a time, for mutants.py: C++ by tokens, Python by its syntax tree."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

import scopes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Span = Callable[[ast.expr | ast.stmt], tuple[int, int]]
    Edit = tuple[int, int, str]


INVALID, SURVIVED = "invalid", "survived"  # what may come of one; else what noticed it


class Mutant(NamedTuple):
    """Bytes [start, stop) of a file become `new`."""

    file: str  # its path below native/cpp or in the package
    where: str  # the function, class or table that it is in
    start: int
    stop: int
    old: str
    new: str
    line: str  # that it is in, without blanks around
    nth: int  # of the same texts in that line

    @property
    def change(self) -> str:
        """For instance `< -> <=`, with `#2` of the second in its line; long ones are cut."""
        change = " -> ".join(" ".join(text.split())[:60] for text in (self.old, self.new or "(nothing)"))
        return change + (f" #{self.nth}" if self.nth > 1 else "")


_FLIPS = {
    "==": "!=",
    "!=": "==",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "&&": "||",
    "||": "&&",
}

# ---- C++ ----

_CPP = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|template[ ]<[^>]*>
      |static_assert[^;]*;|(?:static_cast|reinterpret_cast|std::unique_ptr|Stack|take_object|take_escaped_key|take_escaped_value)<[^<>]*>)
    |(?P<number>\b(?:0x[0-9A-Fa-f]+|\d+)u?\b)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<operator>==|!=|<=|>=|<<=?|>>=?|&&|\|\||->|\+\+|--|[-+*/%&|^]=|[<>(){};:,=])""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
# What begins with another word than a statement may, or is a declaration, which cannot be left out: a type and a name.
_NO_STATEMENT = re.compile(
    r"(?:const|constexpr|static|using|typedef|struct|class|enum|case|default|public|private|goto|else|do|namespace|"
    r"friend|explicit|inline|template|FG_[A-Z]+)\b|[}~#]|(?!return|delete|throw)(?:\w+::)*\w+(?:<[^;()]*>)?(?:\s+|\s*[&*]+\s*)(?:const\s+)?\w+\s*(?:[=;,({\[:]|$)"
)


class _Source:
    """A file's text, and its mutants by what they change."""

    def __init__(self, path: Path, name: str, scope_of: Callable[[str], Callable[[int], str]]) -> None:
        self.name, self.text = name, path.read_text("utf-8")
        self._where = scope_of(self.text)

    def mutant(self, start: int, stop: int, new: str) -> Mutant:
        begin = self.text.rfind("\n", 0, start) + 1
        line, old = self.text[begin:].split("\n", 1)[0], self.text[start:stop]
        nth = self.text.count(old, begin, start) + 1
        return Mutant(self.name, self._where(start), start, stop, old, new, line.strip(), nth)


def cpp(path: Path, name: str) -> Iterator[Mutant]:
    """Comparisons, connectives, numbers, conditions and statements. What does not compile is not a mutant."""
    source = _Source(path, name, scopes.cpp)
    text = source.text
    begun = 0  # where the statement at hand begins
    depth = 0  # of round brackets
    blocks = 0
    for found in _CPP.finditer(text):
        token, at = found.group(), found.start()
        if found["skip"] or found["word"]:
            if token in ("if", "while"):
                yield from _negated(source, found.end())
            if found["skip"] and token.startswith(("//", "/*", "#", "static_assert")) and not text[begun:at].strip():
                begun = found.end()
            continue
        if found["number"]:
            yield from _numbers(source, at, token)
        elif token in _FLIPS and text[at - 1] == " ":
            yield source.mutant(at, found.end(), _FLIPS[token])
        depth += (token == "(") - (token == ")")
        blocks += (token == "{") - (token == "}")
        if depth == 0 and token in "{};":
            statement = text[begun:at].strip()
            if token == ";" and blocks > 1 and statement and not _NO_STATEMENT.match(statement):
                start = begun + len(text[begun:at]) - len(text[begun:at].lstrip())
                yield source.mutant(start, at, "")
            begun = found.end()


def _numbers(source: _Source, at: int, token: str) -> Iterator[Mutant]:
    suffix = "u" if token.endswith("u") else ""
    value = int(token.removesuffix("u"), 0)
    for new in (value + 1, value - 1):
        if new >= 0:
            yield source.mutant(at, at + len(token), (hex(new) if "x" in token else str(new)) + suffix)


def _negated(source: _Source, at: int) -> Iterator[Mutant]:
    """The condition in the brackets that open next."""
    text = source.text
    start = text.find("(", at)
    if text[at:start].strip():
        return  # if constexpr
    depth, stop = 0, start
    while stop < len(text):
        depth += (text[stop] == "(") - (text[stop] == ")")
        stop += 1
        if depth == 0:
            break
    yield source.mutant(start, stop, f"(!{text[start:stop]})")


# ---- Python ----

_COMPARE = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_WORDS = {"error": "warning", "warning": "error"}


def python(path: Path, name: str) -> Iterator[Mutant]:
    """As for C++; also severities, and elements that are left out of tuples, lists and sets: rules are data."""
    source = _Source(path, name, scopes.python)
    text = source.text
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(text)

    def span(node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        rows = text.splitlines()
        first = len(rows[node.lineno - 1].encode()[: node.col_offset].decode())
        last = len(rows[node.end_lineno - 1].encode()[: node.end_col_offset].decode())
        return starts[node.lineno - 1] + first, starts[node.end_lineno - 1] + last

    for node in _without_types(tree):
        for start, stop, new in _edits(node, span, text):
            yield source.mutant(start, stop, new)


def _without_types(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes except annotations, subscripts, what only type checkers or a star import, and a last `return None`."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "slice"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _returns_none_at_the_end(node, child):
                yield from _without_types(child)


def _returns_none_at_the_end(node: ast.AST, child: ast.AST) -> bool:
    """As the function does without it."""
    return (
        isinstance(node, ast.FunctionDef)
        and child is node.body[-1]
        and isinstance(child, ast.Return)
        and isinstance(child.value, ast.Constant)
        and child.value.value is None
    )


def _edits(node: ast.AST, span: Span, text: str) -> Iterator[Edit]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        start, stop = span(node.left)[1], span(node.comparators[0])[0]
        between = text[start:stop]
        if "(" not in between and ")" not in between:
            yield start, stop, f" {_COMPARE[type(node.ops[0])]} "
    elif isinstance(node, ast.BoolOp):
        start, stop = span(node.values[0])[1], span(node.values[1])[0]
        word = "and" if isinstance(node.op, ast.And) else "or"
        if text[start:stop].strip() == word:
            yield start, stop, text[start:stop].replace(word, "or" if word == "and" else "and")
    elif isinstance(node, ast.Constant):
        yield from _constant(node, span)
    elif isinstance(node, ast.Tuple | ast.List | ast.Set) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield from _left_out(node, span, text)
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.Return | ast.Continue | ast.Break) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)  # a docstring
    ):
        yield *span(node), "pass"
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        start, stop = span(node.test)
        yield start, stop, f"(not ({text[start:stop]}))"


def _constant(node: ast.Constant, span: Span) -> Iterator[Edit]:
    value = node.value
    if isinstance(value, bool):
        yield *span(node), str(not value)
    elif isinstance(value, int):
        yield *span(node), str(value + 1)
        yield *span(node), str(value - 1)
    elif isinstance(value, str) and value in _WORDS:
        yield *span(node), repr(_WORDS[value])


def _left_out(node: ast.Tuple | ast.List | ast.Set, span: Span, text: str) -> Iterator[Edit]:
    """One element less; the comma behind it goes too."""
    if isinstance(node, ast.Set) and len(node.elts) == 1:
        return
    for element in node.elts:
        start, stop = span(element)
        comma = re.compile(r"\s*,").match(text, stop)
        if comma and not (len(node.elts) == 2 and element is node.elts[1]):
            yield start, comma.end(), ""
