"""Scanning many recorded frames: paths in, one report out, in memory that does not grow with the input."""

from framegauge.bulk.report import FileResult, Finding, Report, RuleResult
from framegauge.bulk.scan import scan

__all__ = ["FileResult", "Finding", "Report", "RuleResult", "scan"]
