"""Results as Markdown, for the documentation."""

import textwrap
from collections.abc import Iterable, Iterator

from framegauge.behaviour.readers import Reading
from framegauge.render import page
from framegauge.render.readings import blocks
from framegauge.render.results import RulePage

_WIDTH = 118  # of a line of the source
_HEADING = ("frame", "transport", "what happened", "who")


def rule(shown: RulePage) -> str:
    """The page of a rule as a section of the second level."""
    return "\n".join(_rule(shown)) + "\n"


def readings(measured: Iterable[Reading]) -> Iterator[str]:
    """The lines of a table."""
    yield from (f"| {' | '.join(_HEADING)} |", "|---" * len(_HEADING) + "|")
    for block in blocks(measured):
        frames = "; ".join(block.frames).replace("\\", "\\\\")
        for number, row in enumerate(block.rows):
            yield f"| {frames if number == 0 else ''} | {' | '.join(row)} |"


def _rule(shown: RulePage) -> Iterator[str]:
    rule = shown.rule
    yield f"## {rule.id}"
    yield from ("", f"**{rule.title}**", "")
    yield from ("| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in page.facts(rule)))
    for name, paragraph in page.paragraphs(rule):
        yield from ("", *_wrapped(f"**{name}.** {_literal(paragraph)}"))
    for name, frame in page.examples(rule):
        yield from ("", f"{name}:", "", "```", frame, "```")
    if rule.urls:
        yield from ("", "Read:", "", *(f"- <{url}>" for url in rule.urls))
    if shown.readings:
        yield from ("", "**Who reads it how.**", "", *readings(shown.readings))


def _wrapped(paragraph: str) -> list[str]:
    return textwrap.wrap(paragraph, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _literal(paragraph: str) -> str:
    """Signs that Markdown would take for markup."""
    for sign in "\\*_<":
        paragraph = paragraph.replace(sign, "\\" + sign)
    return paragraph
