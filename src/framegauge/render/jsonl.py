"""Lines of JSON: one for each finding of a scan, as soon as it is found; the summary, which is the report, last."""

import json
from collections.abc import Mapping
from typing import Any

_encode = json.JSONEncoder(allow_nan=False).encode


def render(item: Mapping[str, Any]) -> str:
    return _encode(item) + "\n"
