"""Which of the known names was meant by one that is not known: docs/verdict.md section 6, a nearly right name."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from framegauge.facts import METHOD_NAMES

__all__ = ["known_method", "meant"]

_WORD = re.compile(r"[A-Z]+[a-z0-9]*|[a-z0-9]+")
_AROUND = ("mcp", "notification", "request")  # words that are put before a name, or left out
_LONGEST = 100  # characters of a name that is looked at
_MOST = 2  # wrong characters in a name
_SHORT = 8  # characters below which a name may have one wrong character only


class _Known(NamedTuple):
    """A name that there is, and what it is compared by."""

    name: str
    lower: str
    words: tuple[str, ...]
    core: tuple[str, ...]
    letters: frozenset[str]


def meant(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one nearly is, or None. The first way to be near that any of them fits decides."""
    if len(name) > _LONGEST or not name.isascii():
        return None
    names, own = _prepared(tuple(known)), _known(name)
    return (
        next((each.name for each in names if each.lower == own.lower), None)
        or next((each.name for each in names if own.words and each.words == own.words), None)
        or _closest(own, names)
        or next((each.name for each in names if own.core and each.core == own.core), None)
    )


def known_method(name: str) -> str:
    """That name, where a revision of MCP has the method; ValueError names the closest where none has it."""
    known = METHOD_NAMES[1:]  # the first stands for any other
    if name in known:
        return name
    near = meant(name, known)
    raise ValueError(f"no revision of MCP has the method {name!r}" + (f"; did you mean {near}?" if near else ""))


@lru_cache(maxsize=64)
def _prepared(known: tuple[str, ...]) -> tuple[_Known, ...]:
    """Once for each list of names: a peer may send many unknown ones."""
    return tuple(map(_known, sorted(known)))


def _known(name: str) -> _Known:
    """Words are in no order, without case and the s of a plural: `listTools` has those of `tools/list`."""
    words = tuple(sorted(word.lower().removesuffix("s") for word in _WORD.findall(name)))
    core = tuple(word for word in words if word not in _AROUND)
    return _Known(name, name.lower(), words, core, frozenset(name))


def _closest(own: _Known, names: Iterable[_Known]) -> str | None:
    near = [
        (distance, each.name)
        for each in names
        # A cheap look before the dear one: each of two changes puts in one letter and takes out one at most.
        if abs(len(own.name) - len(each.name)) <= _MOST
        and len(own.letters ^ each.letters) <= 2 * _MOST
        and (distance := _distance(own.name, each.name)) <= (1 if len(each.name) < _SHORT else _MOST)
    ]
    return min(near)[1] if near else None


def _distance(one: str, other: str) -> int:
    """Characters to put in, take out or replace, to make one the other."""
    row = list(range(len(other) + 1))
    for number, char in enumerate(one, 1):
        above, row[0] = row[0], number
        for at, its in enumerate(other, 1):
            above, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, above + (char != its))
    return row[-1]
