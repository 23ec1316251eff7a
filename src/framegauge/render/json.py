"""Results as JSON, in ASCII, so that no terminal and no pipe has to know its encoding."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from framegauge.protocol.revision import REVISIONS
from framegauge.render.results import SCHEMAS, Checked, Matrix
from framegauge.ruleset.model import Rule


def verdict(checked: Checked) -> str:
    """One line: the verdict, and the readings of its findings."""
    found = [{"rule": rule, **each.to_dict()} for rule, readings in checked.readings.items() for each in readings]
    return _line({**checked.verdict, "readings": found})


def matrix(verdicts: Matrix) -> str:
    """One line: a verdict for each revision."""
    return _line({"revisions": verdicts})


def scan(report: Mapping[str, Any]) -> str:
    return json.dumps(report, indent=2, allow_nan=False) + "\n"


def rules(listed: Sequence[Rule]) -> str:
    found = [
        {
            "id": rule.id,
            "area": rule.area,
            "title": rule.title,
            "authority": rule.authority,
            "severities": {revision: level for revision in REVISIONS if (level := rule.severities().get(revision))},
            "clauses": rule.clauses,
            "urls": rule.urls,
        }
        for rule in listed
    ]
    return json.dumps({"schema": SCHEMAS["rules"], "rules": found}, indent=2) + "\n"


def _line(value: Any) -> str:
    return json.dumps(value, allow_nan=False) + "\n"
