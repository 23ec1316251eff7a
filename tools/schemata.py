"""Many C++ mutants in one program: each is a branch that the environment variable MUTANT turns on, by its number.

A comparison becomes `(g_mutant == 7 ? (a <= b) : (a < b))`; a statement `{ if (g_mutant != 8) { f(x); } }`. What the
compiler has to know, or what is not an expression of its own, cannot be switched like that: the compiler refuses it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutations import Mutant

SWITCH = """\
#include <cstdlib>
static const int g_mutant = getenv("MUTANT") ? atoi(getenv("MUTANT")) : 0;
"""

_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'')
_COMMENT_OR_LITERAL = re.compile(rf"(?P<comment>//[^\n]*|/\*.*?\*/)|{_LITERAL.pattern}", re.DOTALL)
# Tables that the compiler fills, and what fills them: here the program does, so that their numbers can be switched too.
_TABLE = re.compile(
    r"^constexpr (?!const )(?=[^\n(]* k\w+)|^  constexpr (?=\w+\(\) :|const )|^  static constexpr (?=void )",
    re.MULTILINE,
)
_FILLED = {"constexpr ": "static const ", "  constexpr ": "  ", "  static constexpr ": "  static "}
_LABEL = re.compile(r"\w+\s*:(?!:)")
_PRAGMA = re.compile(r"^ *#pragma[^\n]*\Z", re.MULTILINE)  # of the loop behind it
_RETURN = re.compile(r"\breturn\b")


class Switch(NamedTuple):
    """Where a mutant's branch is: around [start, stop) of the text."""

    start: int
    stop: int
    before: str
    after: str


def switch(number: int, mutant: Mutant, text: str) -> Switch | None:
    """None where it is not an expression or statement by its looks."""
    start, stop = mutant.start, mutant.stop
    bare = _COMMENT_OR_LITERAL.sub(lambda found: _blank(found.group()) if found["comment"] else found.group(), text)
    if not mutant.new:
        before, behind = bare[:start].rstrip(), bare[stop + 1 :].lstrip()
        ends_do = mutant.old.startswith("while") and mutant.old.endswith(")")
        if _LABEL.match(text, start) or behind.startswith("else") or ends_do or _PRAGMA.search(before):
            return None
        return Switch(start, stop + 1, f"{{ if (g_mutant != {number}) {{ ", " } }")
    if not mutant.new.startswith("(!") and not mutant.new[0].isdigit():
        start, stop = _expression(_blanked(_LITERAL, bare), start, stop)
    changed = bare[start : mutant.start] + mutant.new + bare[mutant.stop : stop]
    if "#" in _blanked(_LITERAL, changed):
        return None  # a line of the preprocessor
    changed, truth = " ".join(changed.split("\n")), "!!" if mutant.new.startswith("(!") else ""  # of a pointer too
    return Switch(start, stop, f"(g_mutant == {number} ? ({changed}) : {truth}(", "))")


def in_table(text: str, at: int) -> bool:
    """May the compiler refuse there what runs: it does not let a table be written past its end."""
    begun = [found.start() for found in _TABLE.finditer(text, 0, at)]
    return bool(begun) and not re.search(r"^(?:  )?\}|;\n(?=\S)", text[begun[-1] : at], re.MULTILINE)


def switched(text: str, switches: Iterable[Switch]) -> str:
    """The text with all of these branches; lines keep their numbers."""
    at = defaultdict[int, list[str]](list)
    for each in sorted(switches, key=lambda each: (each.start, -each.stop)):
        at[each.start].append(each.before)
        at[each.stop].insert(0, each.after)
    parts, done = [], 0
    for place in sorted(at):
        # What ends here comes before what begins here.
        parts += [text[done:place], *sorted(at[place], key=lambda part: not part.startswith((")", " }")))]
        done = place
    return _TABLE.sub(lambda found: _FILLED[found.group()], "".join([*parts, text[done:]]))


def refused(text: str, switches: dict[int, Switch], line: int, around: bool) -> set[int]:
    """The numbers of those that an error in that line may be due to.

    The error of a function that may end without a value is at its end: then it is the return before that. `around`:
    it may be anything around that line, between two lines that are not indented.
    """
    spans = {n: (text.count("\n", 0, s.start) + 1, text.count("\n", 0, s.stop) + 1) for n, s in switches.items()}

    def within(first: int, last: int) -> set[int]:
        return {n for n, (start, stop) in spans.items() if start <= last and stop >= first}

    rows = text.split("\n")
    if rows[line - 1].strip() == "}":
        before = [n for n, s in switches.items() if spans[n][1] < line and _RETURN.match(text, s.start)]
        return {max(before, key=lambda n: switches[n].start)} if before else set()
    if not around:
        return within(line, line)
    edges = [n for n, row in enumerate(rows, 1) if row and not row[0].isspace()]
    return within(max(n for n in edges if n <= line), min([n for n in edges if n > line], default=len(rows)))


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: _blank(found.group()), text)


def _expression(blank: str, start: int, stop: int) -> tuple[int, int]:
    """The largest expression without assignment, comma or `?:` of its own that [start, stop) is in."""
    depth, begin = 0, start
    while begin > 0:
        at = begin - 1
        ended = blank[at] in ";,?{}" or _lone_colon(blank, at) or _assigns(blank, at) or _RETURN.match(blank, at - 5)
        if depth == 0 and ended:
            break
        depth += (blank[at] in ")]}") - (blank[at] in "([{")
        if depth < 0:
            break
        begin = at
    depth, end = 0, stop
    while end < len(blank):
        c = blank[end]
        depth += (c in "([{") - (c in ")]}")
        if depth < 0 or (depth == 0 and (c in ";,?" or _lone_colon(blank, end))):
            break
        end += 1
    begin += len(blank[begin:start]) - len(blank[begin:start].lstrip())
    return begin, end


def _lone_colon(blank: str, at: int) -> bool:
    return blank[at] == ":" and ":" not in (blank[at - 1], blank[at + 1])


def _assigns(blank: str, at: int) -> bool:
    """Is there the last sign of `=`, `+=`, `<<=`, but not of `==`, `<=`?"""
    before = blank[at - 1]
    return blank[at] == "=" and blank[at + 1] != "=" and (before not in "=!<>" or blank[at - 2] == before != "=")
