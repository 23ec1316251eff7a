"""Bytes to a verdict, on one frame or on the lines of a buffer."""

from framegauge.gauge import legality  # noqa: F401 - binds Frame.revisions
from framegauge.gauge.gauge import Gauge
from framegauge.gauge.lines import Verdicts
from framegauge.gauge.options import AUTO, DIRECTIONS, FIDELITIES, TRANSPORTS
from framegauge.native.verdict import Finding, Reply, Verdict

__all__ = ["AUTO", "DIRECTIONS", "FIDELITIES", "TRANSPORTS", "Finding", "Gauge", "Reply", "Verdict", "Verdicts"]
