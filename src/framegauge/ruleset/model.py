"""A rule as data. The native layer runs the rows; nothing here looks at a frame."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from framegauge.ruleset.places import At

Severity = Literal["error", "warning", "info"]
Authority = Literal["mcp", "jsonrpc", "json", "interop", "security", "limit"]
Scope = Literal["frame", "line", "session", "transport"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Row(NamedTuple):
    """When a rule is found: all of these facts, none of those, under these revisions, on these transports.

    A transport that was not given is `unknown`. The native layer does not run a row without facts. The fault or kind
    of the frame, or a step of the gauge finds that rule, and the row has its severity.
    """

    facts: tuple[str, ...]
    severity: Severity
    revisions: frozenset[str]
    without: tuple[str, ...] = ()
    transports: frozenset[str] | None = None  # None: on any
    answer: int | None = None  # the code owed for it where it is an error


class CodeRow(NamedTuple):
    """A rule on the number of error.code: found where it lies in one of these ranges, ends included."""

    ranges: tuple[tuple[int, int], ...]
    severity: Severity
    revisions: frozenset[str]


class Rule(NamedTuple):
    """One named way for a frame to be wrong; its page is made of these texts.

    - `message`: the line in a finding. Fields: {offset}, the missing {member}, and {wanted} for the required value.
    - `what`, `why`, `fix`: a paragraph each.
    - `bad`, `good`: example frames, with bytes outside UTF-8 by surrogateescape.
    - `clauses`: ids of the clauses it comes from. `urls`: the texts, the newest first.
    """

    id: str
    at: tuple[At, ...]  # where it applies
    area: str  # bytes, limits, lines, envelope, host, methods, values
    title: str
    authority: tuple[Authority, ...]
    message: str
    what: str
    why: str
    fix: str
    bad: str = ""
    good: str = ""
    clauses: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    codes: tuple[CodeRow, ...] = ()
    path: str | None = None  # of every finding; None: the pointer of the member at its place
    scope: Scope = (
        "frame"  # what it is about; rules of scope session or transport have a number only if check finds them
    )

    def severities(self) -> Mapping[str, Severity]:
        """The most severe it can be under each revision it exists in."""
        found: dict[str, Severity] = {}
        rows: tuple[Row | CodeRow, ...] = (*self.rows, *self.codes)
        for row in rows:
            for revision in row.revisions:
                if revision not in found or SEVERITIES.index(row.severity) < SEVERITIES.index(found[revision]):
                    found[revision] = row.severity
        return found

    @property
    def is_fault(self) -> bool:
        """Is it found where the frame cannot be read on?"""
        return "fault" in self.at

    @property
    def by_value(self) -> bool:
        """Is it found by the specs of methods and values?"""
        return any(not isinstance(place, str) for place in self.at)

    @property
    def answer(self) -> int | None:
        """The code owed for it where it is an error."""
        return next((row.answer for row in self.rows if row.answer is not None), None)

    @property
    def milder(self) -> Severity:
        """Its severity if it is not an error: that of its mildest row."""
        return max((row.severity for row in self.rows), key=SEVERITIES.index)
