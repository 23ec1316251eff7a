"""The report as lines of JSON: one for each finding, as soon as it is found; the summary, which is the report, last."""

import json
from collections.abc import Mapping
from typing import Any


def finding(found: Mapping[str, Any]) -> str:
    return json.dumps(found, allow_nan=False) + "\n"


def render(report: Mapping[str, Any]) -> str:
    return json.dumps(report, allow_nan=False) + "\n"
