"""The report as JSON: the object as it is, in ASCII, so that no terminal and no pipe has to know its encoding."""

import json
from collections.abc import Mapping
from typing import Any


def render(report: Mapping[str, Any]) -> str:
    return json.dumps(report, indent=2, allow_nan=False) + "\n"
