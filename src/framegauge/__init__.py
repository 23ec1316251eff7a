"""framegauge judges raw JSON-RPC 2.0 and MCP frames, before anything parses them.

`classify(data)` gives the facts of one frame: what it is, its id and method as sent, and the first byte at fault.
`Gauge(...).check(data)` gives the verdict: the rules it breaks, where, and the answer it is owed.
"""

from typing import TYPE_CHECKING, Any

from framegauge.facts import (
    FACT_NAMES,
    FAULT_NAMES,
    KIND_NAMES,
    MARK_NAMES,
    METHOD_NAMES,
    Fault,
    Frame,
    Kind,
    Limits,
    Member,
    MemberType,
    classify,
)
from framegauge.gauge import Gauge, Verdicts
from framegauge.gauge.host_rules import OwnRule, own_rule
from framegauge.native.finding import Finding
from framegauge.native.message import Message
from framegauge.native.reply import Reply
from framegauge.native.verdict import Verdict
from framegauge.ruleset.model import Rule
from framegauge.ruleset.registry import rules

if TYPE_CHECKING:
    from framegauge import archives, bulk

# Resolved when first asked for: a host that checks frames needs none of them, and they take as long as the rest.
_LAZY_MODULES = ("archives", "bulk")


def __getattr__(name: str) -> Any:
    if name == "__version__":  # reading metadata takes as long as the rest of the import
        from importlib.metadata import version

        return version("framegauge")
    if name in _LAZY_MODULES:
        from importlib import import_module

        return import_module(f"framegauge.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "FACT_NAMES",
    "FAULT_NAMES",
    "KIND_NAMES",
    "MARK_NAMES",
    "METHOD_NAMES",
    "Fault",
    "Finding",
    "Frame",
    "Gauge",
    "Kind",
    "Limits",
    "Member",
    "MemberType",
    "Message",
    "OwnRule",
    "Reply",
    "Rule",
    "Verdict",
    "Verdicts",
    "__version__",
    "archives",
    "bulk",
    "classify",
    "own_rule",
    "rules",
]
