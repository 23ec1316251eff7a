"""Which of the known names was meant by one that is not known: docs/verdict.md section 6, a nearly right name."""

import re
from collections.abc import Iterable

__all__ = ["meant"]

_WORD = re.compile(r"[A-Z]+[a-z0-9]*|[a-z0-9]+")
_AROUND = ("mcp", "notification", "request")  # words that are put before a name, or left out
_LONGEST = 100  # characters of a name that is looked at
_SHORT = 8  # characters below which a name may have one wrong character only


def meant(name: str, known: Iterable[str]) -> str | None:
    """The known name that this one nearly is, or None. The first way to be near that any of them fits decides."""
    names = sorted(known)
    if len(name) > _LONGEST or not name.isascii():
        return None
    words = _words(name)
    core = _without_prefix(words)
    return (
        next((each for each in names if each.lower() == name.lower()), None)
        or next((each for each in names if words and _words(each) == words), None)
        or _closest(name, names)
        or next((each for each in names if core and _without_prefix(_words(each)) == core), None)
    )


def _words(name: str) -> list[str]:
    """In no order, without case and the s of a plural: `listTools` has those of `tools/list`."""
    return sorted(word.lower().removesuffix("s") for word in _WORD.findall(name))


def _without_prefix(words: list[str]) -> list[str]:
    return [word for word in words if word not in _AROUND]


def _closest(name: str, names: list[str]) -> str | None:
    near = [
        (distance, each) for each in names if (distance := _distance(name, each)) <= (1 if len(each) < _SHORT else 2)
    ]
    return min(near)[1] if near else None


def _distance(one: str, other: str) -> int:
    """Characters to put in, take out or replace, to make one the other."""
    if abs(len(one) - len(other)) > 2:
        return 3  # more than anybody asks for
    row = list(range(len(other) + 1))
    for number, char in enumerate(one, 1):
        above, row[0] = row[0], number
        for at, its in enumerate(other, 1):
            above, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, above + (char != its))
    return row[-1]
