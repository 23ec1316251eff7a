"""Scanning many recorded frames: paths in, one report out, in memory that does not grow with the input."""

from framegauge.bulk.scan import scan
from framegauge.bulk.summary import FileResult, Finding, Report, RuleResult

__all__ = ["FileResult", "Finding", "Report", "RuleResult", "scan"]
