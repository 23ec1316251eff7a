"""Measured readings for a terminal: the frames, and below them what happened and in which server."""

import textwrap
from collections.abc import Iterable, Iterator

from framegauge.behaviour.readers import Reading
from framegauge.render.readings import blocks


def lines(readings: Iterable[Reading], width: int) -> Iterator[str]:
    """Lines of at most that width, unless it is very small."""
    for block in blocks(readings):
        yield from textwrap.wrap("; ".join(block.frames), max(width, 40), subsequent_indent="  ")
        columns = [max(map(len, cells)) for cells in zip(*block.rows, strict=True)]
        before = ""
        for transport, what, who in block.rows:
            shown = transport if transport != before else ""
            start = f"  {shown:<{columns[0]}}  {what:<{columns[1]}}  "
            room = max(width, len(start) + 20)
            yield from textwrap.wrap(
                who, room, initial_indent=start, subsequent_indent=" " * len(start), break_on_hyphens=False
            )
            before = transport
