"""Why no test can observe some mutants: tests/mutants.toml, by the place and by the kind of change.

A table names a file and a function, class or table of it, as the tool prints them (`*` is any text). Its keys are a
category and a reason, its values the changes: `< -> <=`, `1 -> *`, or `1 -> 0 @ kSlack` of lines with that text.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mutations import Mutant

CATEGORIES = {
    "equivalent": "every input has the same result",
    "cost": "time, memory, or how soon it is given back",
    "unreachable": "the contract, the processor or the compiler keeps the place from it",
    "elsewhere": "a test that does not run here observes it, and is named",
}


class Row(NamedTuple):
    file: str
    where: str
    change: str
    text: str  # that the line has
    reason: str

    def fits(self, mutant: Mutant) -> bool:
        return (
            fits(self.file, mutant.file)
            and fits(self.where, mutant.where)
            and fits(self.change, mutant.change)
            and self.text in mutant.line
        )

    def __str__(self) -> str:
        return f"{self.file}, {self.where}: {self.change}{' @ ' + self.text if self.text else ''}"


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("*"))))


def fits(pattern: str, text: str) -> bool:
    return _pattern(pattern).fullmatch(text) is not None


def rows(text: str) -> Iterator[Row]:
    for file, places in tomllib.loads(text).items():
        for where, reasons in places.items():
            for reason, changes in reasons.items():
                category = reason.partition(": ")[0]
                assert category in CATEGORIES, f"{file}, {where}: no category {category!r}"
                for change in changes:
                    what, _, within = change.partition(" @ ")
                    yield Row(file, where, what, within, reason)


class Reasons:
    def __init__(self, path: Path) -> None:
        self._rows = list(rows(path.read_text("utf-8")))
        self._of_file = defaultdict[str, list[Row]](list)

    def _about(self, file: str) -> list[Row]:
        if file not in self._of_file:
            self._of_file[file] = [row for row in self._rows if fits(row.file, file)]
        return self._of_file[file]

    def of(self, mutant: Mutant) -> str | None:
        return next((row.reason for row in self._about(mutant.file) if row.fits(mutant)), None)

    def stale(self, mutants: Iterable[Mutant], files: Iterable[str], whole: bool) -> list[Row]:
        """Of rows about these files, those without a mutant; of rows about several files only if all are tried."""
        left = {row for file in files for row in self._about(file) if whole or "*" not in row.file}
        for mutant in mutants:
            left -= {row for row in self._about(mutant.file) if row in left and row.fits(mutant)}
        return [row for row in self._rows if row in left]
