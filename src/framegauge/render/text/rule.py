"""The page of one rule for a terminal, in lines of at most the page's width except for frames and addresses."""

import textwrap
from collections.abc import Iterator

from framegauge.render import page
from framegauge.render.results import RulePage
from framegauge.render.text import readings


def render(shown: RulePage) -> str:
    return "\n".join(_lines(shown)) + "\n"


def _lines(shown: RulePage) -> Iterator[str]:
    rule, width = shown.rule, shown.width
    yield f"{rule.id}: {rule.title}"
    yield ""
    for name, value in page.facts(rule):
        yield from textwrap.wrap(
            value, width, initial_indent=f"  {name:<9}  ", subsequent_indent=" " * 13, break_on_hyphens=False
        )
    for name, paragraph in page.paragraphs(rule):
        yield from ("", name, *_wrapped(paragraph, width))
    for name, frame in page.examples(rule):
        yield from ("", name, textwrap.indent(frame, "  "))
    if rule.urls:
        yield from ("", "Read", *(f"  {url}" for url in rule.urls))
    if shown.readings:
        yield from ("", "Who reads it how", *(f"  {line}" for line in readings.lines(shown.readings, width - 2)))


def _wrapped(paragraph: str, width: int) -> list[str]:
    return textwrap.wrap(
        paragraph, width, initial_indent="  ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
