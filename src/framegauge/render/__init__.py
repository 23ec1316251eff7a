"""How results are printed: one table of result and format. What each result is, `render.results` has."""

from collections.abc import Callable
from typing import Any

from framegauge.render import json, jsonl, markdown
from framegauge.render.text import matrix, rule, rules, scan, verdict

__all__ = ["FORMATS", "formats"]

# (result, format) -> the function that makes text of the result.
FORMATS: dict[tuple[str, str], Callable[[Any], str]] = {
    ("verdict", "text"): verdict.render,
    ("verdict", "json"): json.verdict,
    ("matrix", "text"): matrix.render,
    ("matrix", "json"): json.matrix,
    ("scan", "text"): scan.render,
    ("scan", "json"): json.scan,
    ("scan", "jsonl"): jsonl.render,
    ("finding", "jsonl"): jsonl.render,  # of a scan, as soon as it is found
    ("rules", "text"): rules.render,
    ("rules", "json"): json.rules,
    ("rule", "text"): rule.render,
    ("rule", "markdown"): markdown.rule,
}


def formats(result: str) -> tuple[str, ...]:
    """The formats of a result, the one for people first."""
    return tuple(style for name, style in FORMATS if name == result)
