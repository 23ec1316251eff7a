"""How results are printed: one module per format, and these tables.

A report is plain data: of a scan the object that `--format json` prints, of the schema `framegauge.scan/1`; of one
frame that of `framegauge.verdict/1`, rendered by `framegauge.render.verdict`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from framegauge.render import json, jsonl, text

FORMATS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "text": text.render,
    "json": json.render,
    "jsonl": jsonl.render,
}
# Formats that have something to say about each finding, as soon as it is found.
EACH_FINDING: dict[str, Callable[[Mapping[str, Any]], str]] = {"jsonl": jsonl.finding}

__all__ = ["EACH_FINDING", "FORMATS"]
