"""One rule as a page: text for the terminal, Markdown for the documentation."""

import textwrap
from collections.abc import Iterator, Mapping

from framegauge.protocol.revision import MCP, REVISIONS
from framegauge.ruleset.model import SEVERITIES, Rule, Severity

__all__ = ["WIDTH", "markdown", "printable", "severity", "text"]

WIDTH = 100  # of a page on a terminal


def text(rule: Rule) -> str:
    """The page for a terminal, in lines of at most 100 characters but for frames and addresses."""
    return "\n".join(_text(rule)) + "\n"


def markdown(rule: Rule) -> str:
    """The page as a section of the second level."""
    return "\n".join(_markdown(rule)) + "\n"


def severity(rule: Rule) -> str:
    """How severe it is at most, and where: "error in every revision"."""
    found = rule.severities()
    return "; ".join(f"{level} in {_where(found, level)}" for level in SEVERITIES if level in found.values())


def printable(frame: str) -> str:
    """An example frame on a terminal or a page: \\xNN stands for each byte that is no printable ASCII."""
    return "".join(_shown(byte) for byte in frame.encode("utf-8", "surrogateescape"))


def _shown(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F or byte == 0x0A else f"\\x{byte:02x}"


def _text(rule: Rule) -> Iterator[str]:
    yield f"{rule.id}: {rule.title}"
    yield ""
    for name, value in _table(rule):
        yield from textwrap.wrap(
            value, WIDTH, initial_indent=f"  {name:<9}  ", subsequent_indent=" " * 13, break_on_hyphens=False
        )
    for name, paragraph in _paragraphs(rule):
        yield from ("", name, *_wrapped(paragraph))
    for name, frame in _examples(rule):
        yield from ("", name, textwrap.indent(frame, "  "))
    if rule.urls:
        yield from ("", "Read", *(f"  {url}" for url in rule.urls))


def _markdown(rule: Rule) -> Iterator[str]:
    yield f"## {rule.id}"
    yield from ("", f"**{rule.title}**", "")
    yield from ("| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in _table(rule)))
    for name, paragraph in _paragraphs(rule):
        yield from ("", f"**{name}.** {_literal(paragraph)}")
    for name, frame in _examples(rule):
        yield from ("", f"{name}:", "", "```", frame, "```")
    if rule.urls:
        yield from ("", "Read:", "", *(f"- <{url}>" for url in rule.urls))


def _table(rule: Rule) -> Iterator[tuple[str, str]]:
    answers = sorted({str(row.answer) for row in rule.rows if row.answer is not None})
    yield "severity", severity(rule)
    yield "authority", ", ".join(rule.authority)
    yield "answer", ", ".join(answers) or "none"
    if rule.clauses:
        yield "clauses", ", ".join(rule.clauses)


def _paragraphs(rule: Rule) -> tuple[tuple[str, str], ...]:
    return ("What it is", rule.what), ("Why it matters", rule.why), ("What to do", rule.fix)


def _examples(rule: Rule) -> Iterator[tuple[str, str]]:
    for name, frame in (("Wrong", rule.bad), ("Right", rule.good)):
        if frame:
            yield name, printable(frame)


def _where(found: Mapping[str, Severity], level: Severity) -> str:
    where = [revision for revision in REVISIONS if found.get(revision) == level]
    if len(where) == len(REVISIONS):
        return "every revision"
    if where == list(MCP):
        return "every MCP revision"
    return ", ".join(where)


def _wrapped(paragraph: str) -> list[str]:
    return textwrap.wrap(
        paragraph, WIDTH, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _literal(paragraph: str) -> str:
    """Signs that Markdown would take for markup."""
    for sign in "\\*_<":
        paragraph = paragraph.replace(sign, "\\" + sign)
    return paragraph
