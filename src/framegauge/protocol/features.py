"""Where a rule holds: sets of revisions, computed from the files of the revisions.

A rule names a feature, or the date of the first or last text with a statement. It never lists revisions, so that
a new file alone puts its revision into every set.
"""

from collections.abc import Mapping
from functools import cache

from framegauge.protocol.revision import JSONRPC, MCP, REVISIONS, revision

__all__ = ["ALL", "IN_JSONRPC", "IN_MCP", "since", "until", "with_feature"]

ALL = frozenset(REVISIONS)
IN_MCP = frozenset(MCP)
IN_JSONRPC = frozenset({JSONRPC})


def since(date: str) -> frozenset[str]:
    """The revisions of MCP from that one on."""
    return frozenset(MCP[_place(date) :])


def until(date: str) -> frozenset[str]:
    """The revisions of MCP before that one."""
    return frozenset(MCP[: _place(date)])


def with_feature(name: str) -> frozenset[str]:
    """The revisions that have a feature; ValueError where none of them has it."""
    try:
        return _by_feature()[name]
    except KeyError:
        known = ", ".join(sorted(_by_feature()))
        raise ValueError(f"no revision has the feature {name!r}; there are {known}") from None


def _place(date: str) -> int:
    if date not in MCP:
        raise ValueError(f"there is no revision {date!r}; there are {', '.join(MCP)}")
    return MCP.index(date)


@cache
def _by_feature() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for name in REVISIONS:
        for feature in revision(name).features:
            found.setdefault(feature, set()).add(name)
    return {feature: frozenset(names) for feature, names in found.items()}
