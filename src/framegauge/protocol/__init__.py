"""The revisions of the protocol as data: one file each in `data`, read by `revision`."""

from framegauge.protocol.notation import FORMATS, NUMBERS, Narrow, Shape, Spec
from framegauge.protocol.revision import EXTENSIONS, JSONRPC, LATEST, MCP, REVISIONS, Method, Revision, revision

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
