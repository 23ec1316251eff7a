"""How results are printed: one module per format, and this table.

A report is plain data: the object that `--format json` prints, of the schema `framegauge.scan/1`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from framegauge.report import json, text

FORMATS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "text": text.render,
    "json": json.render,
}

__all__ = ["FORMATS"]
