"""Plain English of the trade in docs, comments, docstrings and help texts.

The words below read like a translation. A sentence has at most 30 words, so that one reading is enough. Quotes (code,
ids of rules, names of the protocol) are left out. Comments and docstrings of Python sources are held to the same,
and no name there is one of NAMES.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from framegauge.cli import _parser

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]

WORDS = {
    r"told|tells?|telling": "reports, observed, shows",
    r"says?|said|saying": "declares, states, spec",
    r"meant": "suggestion, intended",
    r"mend(?:s|ed|ing)?": "fix",
    r"wants": "requires",
    r"stands?|stood": "is",
    r"but for": "except",
    r"(?<!there )(?:is|are|was|were) no(?! longer)": "is not a",
    r"whoever|nobody|somebody": "caller, host",
    r"anew": "again",
    r"dear(?:er|est|ly)?": "slow, costly",
    r"doubled": "duplicate",
    r"own rules?": "host rule",
    r"twins?": "duplicate, copy",
}
LONGEST = 30
SOURCES = ROOT / "src" / "framegauge"
NAMES = {"dear", "meant", "mend", "nobody", "said", "says", "somebody", "stands", "tells", "told", "twin", "wants"}
FOLDERS = ("", "docs", "docs/rules", "benchmarks", "fuzz")

PAGES = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("*.md"))


def wrong_words(text: str) -> list[str]:
    return [
        f"{found[0]!r} (rather: {rather})"
        for word, rather in WORDS.items()
        for found in re.finditer(rf"(?i)\b(?:{word})\b", text)
    ]


def sentences(paragraph: str) -> list[str]:
    return [part for part in re.split(r"(?<=[.?!])[\"')*]*\s+", paragraph) if part.strip()]


def count(sentence: str) -> int:
    return len([word for word in sentence.split() if re.search(r"\w", word)])


def complaints(paragraphs: Iterator[tuple[int, str]], longest: int = LONGEST) -> list[str]:
    found = []
    for line, text in paragraphs:
        found += [f"line {line}: {wrong}" for wrong in wrong_words(text)]
        for sentence in sentences(text):
            if (words := count(sentence)) > longest:
                found.append(f"line {line}: {words} words: {sentence[:70]}")
    return found


def prose(page: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, list items, cells and headings of a page, without code and addresses; each with its line."""
    page = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), page, flags=re.MULTILINE | re.DOTALL)
    page = re.sub(r"<!--.*?-->", "", page)
    page = re.sub(r"(`+)(?!`).+?\1", lambda code: "`x`" + "\n" * code[0].count("\n"), page, flags=re.DOTALL)
    page = re.sub(r"`x`(?:,? (?:and |or |to )?`x`)+", "`x`", page)  # a list of names is read at once
    page = re.sub(r"\]\([^)]*\)", "]", page)
    buffer: list[str] = []
    start = 1
    for number, line in enumerate([*page.split("\n"), ""], 1):
        separate = not line.strip() or re.match(r"\s*(?:[-*]|\d+\.) |#|\||    ", line)
        if separate and buffer:
            yield start, " ".join(buffer)
            buffer = []
        if line.startswith("|"):
            yield from ((number, part.strip()) for part in re.split(r"\||;", line.strip("|")))  # a cell may be a list
        elif line.strip() and not line.startswith("    "):
            if not buffer:
                start = number
            buffer.append(line.strip())


def quotes_out(text: str) -> str:
    text = re.sub(r"(`+)[^`]+\1", "`x`", text)
    return re.sub(r"`x`(?:,? (?:and |or |to )?`x`)+", "`x`", text)


def paragraphs(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Of a docstring or a help text: paragraphs, items of a list, and indented lines by themselves."""
    buffer: list[str] = []
    for number, each in enumerate([*text.split("\n"), ""], line):
        alone = re.match(r"\s*(?:- |[0-9] |[0-9]{3} )|\s{4,}\S", each) and number > line
        if buffer and (alone or not each.strip()):
            yield number, quotes_out(" ".join(buffer))
            buffer = []
        if each.strip():
            buffer.append(each.strip())


def comments(source: str) -> Iterator[tuple[int, str]]:
    """The comments of a Python file; lines of a comment that follow each other are one text."""
    buffer: list[str] = []
    last = (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or re.match(r"# (?:noqa|type:|fmt:)", token.string):
            continue
        if buffer and (token.start != (last[0] + 1, last[1]) or not token.line.strip().startswith("#")):
            yield last[0], quotes_out(" ".join(buffer))
            buffer = []
        buffer.append(token.string.strip("# -"))
        last = token.start
    if buffer:
        yield last[0], quotes_out(" ".join(buffer))


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            yield from paragraphs(ast.get_docstring(node) or "", getattr(node, "lineno", 1))


def messages(source: str) -> Iterator[tuple[int, str]]:
    """Strings that are texts for people: those of several words. Only their words are looked at."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.count(" ") > 1:
            yield node.lineno, quotes_out(" ".join(node.value.split()))


def names(source: str) -> set[str]:
    return {
        token.string for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.NAME
    }


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The command, and every command below it."""
    top = _parser([])
    [commands] = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return {"framegauge": top, **commands.choices}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages(path: Path) -> None:
    assert complaints(prose(path.read_text("utf-8"))) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lines_of_pages_fit_the_width_of_the_sources(path: Path) -> None:
    page = re.sub(r"^```.*?^```$", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    wide = [line for line in page.split("\n") if len(line) > 120]
    assert [line for line in wide if not line.startswith("|")] == []
    assert wide == [] or path.name != "verdict.md"


def test_the_pages_were_found() -> None:
    names = {path.relative_to(ROOT).as_posix() for path in PAGES}
    assert {"README.md", "CONTRIBUTING.md", "docs/verdict.md", "benchmarks/README.md", "fuzz/README.md"} <= names


@pytest.mark.parametrize(
    "text",
    ["what it says", "It has to be told.", "the id is no string", "all but for this", "a twin", "one two " * 16],
)
def test_complaints_are_made(text: str) -> None:
    assert complaints(prose(text))


@pytest.mark.parametrize(
    "text",
    [
        "`said` and `told`",
        "there is no id",
        "```\nsays\n```\n",
        "One. " * 40,
        "is no longer",
        "[a](says.md)",
        "<!-- says -->",
    ],
)
def test_quotes_are_left_out(text: str) -> None:
    assert not complaints(prose(text))


@pytest.mark.parametrize("name", parsers())
def test_help_texts(name: str) -> None:
    parser = parsers()[name]
    texts = [parser.description or "", parser.epilog or "", *(action.help or "" for action in parser._actions)]
    assert [wrong for text in texts for wrong in complaints(paragraphs(text, 1))] == []


MODULES = sorted(SOURCES.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_python_sources(path: Path) -> None:
    source = path.read_text("utf-8")
    assert complaints(comments(source)) + complaints(docstrings(source)) == []
    assert complaints(messages(source), longest=10**6) == []
    assert not names(source) & NAMES


def test_sources_are_read() -> None:
    source = '''"""One.\n\nTwo says\nso."""\n# a\n# b told\nx = f"{1} stands for it"  # c\n'''
    assert [text for _, text in docstrings(source)] == ["One.", "Two says so."]
    assert [text for _, text in comments(source)] == ["a b told", "c"]
    assert len(complaints(docstrings(source)) + complaints(comments(source)) + complaints(messages(source))) >= 3
    assert names("told = 1") & NAMES


NATIVE = sorted(
    path
    for path in (SOURCES / "native").rglob("*")
    if path.suffix in (".pyx", ".pxd", ".pyi", ".hpp", ".cpp", ".h") and path.name != "names.hpp"
)


@pytest.mark.parametrize("path", NATIVE, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_native_comments(path: Path) -> None:
    """Words only: comments on tables of bits are long by nature."""
    sign = r"//|/?\*+/?" if path.suffix in (".hpp", ".cpp", ".h") else "#"
    source = path.read_text("utf-8")
    found = re.findall(rf"(?m)(?:^|\s)(?:{sign})\s(.*)$", source)
    if path.suffix in (".pyx", ".pxd", ".pyi"):
        found += re.findall(r'"""(.*?)"""', source, re.DOTALL)
    text = quotes_out(re.sub(r"\s+", " ", " ".join(found)))
    assert wrong_words(text) == []
