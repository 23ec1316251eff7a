"""The known name that an unknown name resembles: docs/verdict.md section 6.11."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from framegauge.facts import METHOD_NAMES

__all__ = ["known_method", "similar"]

_WORD = re.compile(r"[A-Z]+[a-z0-9]*|[a-z0-9]+")
_AROUND = ("mcp", "notification", "request")  # words that are often added to a name, or left out
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


def similar(name: str, known: Iterable[str]) -> str | None:
    """The known name that is similar to this one, or None. The first condition that any of them meets decides."""
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
    known = METHOD_NAMES[1:]  # the first is not a name
    if name in known:
        return name
    near = similar(name, known)
    raise ValueError(f"no revision of MCP has the method {name!r}" + (f"; did you mean {near}?" if near else ""))


@lru_cache(maxsize=64)
def _prepared(known: tuple[str, ...]) -> tuple[_Known, ...]:
    """Once for each list of names: a peer may send many unknown ones."""
    return tuple(map(_known, sorted(known)))


def _known(name: str) -> _Known:
    """Words without order, case and the s of a plural: `listTools` has those of `tools/list`."""
    words = tuple(sorted(word.lower().removesuffix("s") for word in _WORD.findall(name)))
    core = tuple(word for word in words if word not in _AROUND)
    return _Known(name, name.lower(), words, core, frozenset(name))


def _closest(own: _Known, names: Iterable[_Known]) -> str | None:
    near = [
        (distance, each.name)
        for each in names
        # A cheap filter first: each of two changes inserts and removes at most one letter.
        if abs(len(own.name) - len(each.name)) <= _MOST
        and len(own.letters ^ each.letters) <= 2 * _MOST
        and (distance := _distance(own.name, each.name)) <= (1 if len(each.name) < _SHORT else _MOST)
    ]
    return min(near)[1] if near else None


def _distance(one: str, other: str) -> int:
    """Characters to insert, remove or replace, to turn one into the other."""
    row = list(range(len(other) + 1))
    for number, char in enumerate(one, 1):
        above, row[0] = row[0], number
        for at, its in enumerate(other, 1):
            above, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, above + (char != its))
    return row[-1]
