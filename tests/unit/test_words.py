"""Plain English of the trade in docs, comments, docstrings and help texts.

The words below read like a translation. A sentence has at most 30 words, so that one reading is enough. Quotes (code,
ids of rules, names of the protocol) are left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
# Generated from texts of the protocol, or from the rules while these are rewritten.
NOT_PROSE = {"docs/clauses.md"}
FOLDERS = ("", "docs", "docs/rules", "benchmarks", "fuzz")

PAGES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).glob("*.md")
    if path.relative_to(ROOT).as_posix() not in NOT_PROSE and folder != "docs/rules"
)


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
