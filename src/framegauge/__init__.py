"""framegauge judges raw JSON-RPC 2.0 and MCP frames, before anything parses them.

`classify(data)` gives the facts of one frame: what it is, its id and method as sent, and the first byte at fault.
`Gauge(...).check(data)` gives the verdict: the rules it breaks, where, and the answer it is owed.
"""

from framegauge.facts import Fault, Frame, Kind, Limits, Member, MemberType, classify
from framegauge.gauge import Gauge
from framegauge.gauge.host_rules import OwnRule, own_rule
from framegauge.native.finding import Finding
from framegauge.native.message import Message
from framegauge.native.reply import Reply
from framegauge.native.verdict import Verdict
from framegauge.ruleset.model import Rule
from framegauge.ruleset.registry import rules


def __getattr__(name: str) -> str:
    if name == "__version__":  # on demand: reading metadata takes as long as the rest of the import
        from importlib.metadata import version

        return version("framegauge")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
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
    "__version__",
    "classify",
    "own_rule",
    "rules",
]
