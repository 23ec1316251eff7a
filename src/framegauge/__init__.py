"""framegauge judges raw JSON-RPC 2.0 and MCP frames, before anything parses them.

`classify(data)` gives the facts of one frame: what it is, its id and method as sent, and the first byte at fault.
"""

from importlib.metadata import version

from framegauge.facts import Fault, Frame, Kind, Limits, Member, MemberType, classify

__version__ = version("framegauge")
__all__ = ["Fault", "Frame", "Kind", "Limits", "Member", "MemberType", "__version__", "classify"]
