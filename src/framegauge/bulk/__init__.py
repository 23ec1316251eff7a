"""Scanning many recorded frames: paths in, one report out, in memory that does not grow with the input."""

from framegauge.bulk.scan import FileResult, Finding, Report, RuleResult, scan

__all__ = ["FileResult", "Finding", "Report", "RuleResult", "scan"]
