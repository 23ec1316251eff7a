"""What the protocol's revisions say, as data: one file each in `data`, read by `revision`."""

from framegauge.protocol.revision import EXTENSIONS, JSONRPC, LATEST, MCP, REVISIONS, Method, Revision, revision
from framegauge.protocol.shape import FORMATS, NUMBERS, Narrow, Shape, Spec

__all__ = [
    "EXTENSIONS",
    "FORMATS",
    "JSONRPC",
    "LATEST",
    "MCP",
    "NUMBERS",
    "REVISIONS",
    "Method",
    "Narrow",
    "Revision",
    "Shape",
    "Spec",
    "revision",
]
