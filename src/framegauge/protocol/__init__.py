"""What the protocol's revisions say, as data: one file each in `data`, read by `revision`."""

from framegauge.protocol.revision import JSONRPC, LATEST, MCP, REVISIONS, Revision, revision

__all__ = ["JSONRPC", "LATEST", "MCP", "REVISIONS", "Revision", "revision"]
