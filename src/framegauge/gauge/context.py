"""What a frame is judged by, as plain data: the revision, the direction, the transport, the rules that apply."""

from functools import lru_cache
from typing import NamedTuple

from framegauge.facts import Limits
from framegauge.gauge.options import AUTO, SERVER_TO_CLIENT, ErrorId
from framegauge.protocol import LATEST, MCP, Revision, revision
from framegauge.ruleset.model import Rule, Severity
from framegauge.ruleset.registry import by_id


class Context(NamedTuple):
    """The key of a compiled table, and what its verdicts are completed by."""

    revision: str
    direction: str | None
    transport: str | None
    limits: Limits
    error_id: ErrorId
    selected: frozenset[str]  # ids of rules
    listed: tuple[str, ...]  # the revisions that the host supports
    element: bool = False  # of a batch: no line, no status, no evidence of its own

    @property
    def spec(self) -> Revision:
        """The revision whose answers are given: of `auto` the newest."""
        return revision(LATEST if self.revision == AUTO else self.revision)

    @property
    def revisions(self) -> frozenset[str]:
        return _revisions(self.revision)

    @property
    def judges_batches(self) -> bool:
        return any(revision(name).batch == "judged" for name in self.revisions)

    @property
    def from_client(self) -> bool:
        return self.direction != SERVER_TO_CLIENT

    @property
    def posted(self) -> bool:
        """Is an HTTP status owed?"""
        return self.transport == "http" and self.from_client and not self.element

    def severity(self, rule: str) -> tuple[Severity, frozenset[str]] | None:
        """How severe a rule without facts is here, and in which revisions it holds; None where it does not exist."""
        if rule not in self.selected:
            return None
        # A row on http is about what clients post.
        posted = self.from_client or self.transport != "http"
        return severity_of(by_id(rule), self.revisions, self.transport if posted else None)


@lru_cache(maxsize=64)
def _revisions(name: str) -> frozenset[str]:
    return frozenset(MCP if name == AUTO else (name,))


def severity_of(rule: Rule, revisions: frozenset[str], transport: str | None) -> tuple[Severity, frozenset[str]] | None:
    """Of a rule whose facts, if any, are present: the last row that holds on this transport.

    In only some of several revisions it is a warning at most.
    """
    for row in reversed(rule.rows):
        holds = row.revisions & revisions
        if holds and (row.transports is None or (transport or "unknown") in row.transports):
            return at_most(row.severity, holds == revisions), holds
    return None


def at_most(severity: Severity, everywhere: bool) -> Severity:
    return severity if everywhere or severity != "error" else "warning"
