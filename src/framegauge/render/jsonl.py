"""The report as lines of JSON: one for each finding, as soon as it is found; the summary, which is the report, last."""

import json
from collections.abc import Mapping
from typing import Any

_encode = json.JSONEncoder(allow_nan=False).encode


def finding(found: Mapping[str, Any]) -> str:
    return _encode(found) + "\n"


def render(report: Mapping[str, Any]) -> str:
    return _encode(report) + "\n"
