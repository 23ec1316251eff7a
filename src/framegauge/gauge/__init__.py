"""Bytes to a verdict, on one frame or on the lines of a buffer."""

from framegauge.gauge import legality  # noqa: F401 - binds Frame.revisions
from framegauge.gauge.gauge import Gauge
from framegauge.gauge.lines import Verdicts
from framegauge.gauge.options import AUTO, DIRECTIONS, FIDELITIES, TRANSPORTS
from framegauge.native.finding import Finding
from framegauge.native.reply import Reply
from framegauge.native.verdict import Verdict

__all__ = ["AUTO", "DIRECTIONS", "FIDELITIES", "TRANSPORTS", "Finding", "Gauge", "Reply", "Verdict", "Verdicts"]
