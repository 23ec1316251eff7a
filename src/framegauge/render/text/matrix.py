"""One frame under every revision: rules by revisions."""

from collections.abc import Mapping
from typing import Any

from framegauge.render.escape import table
from framegauge.render.results import Matrix

_LETTERS = {"error": "E", "warning": "W", "info": "I"}


def render(verdicts: Matrix) -> str:
    """The letter of the severity, E, W or I; below the rules the code of the answer and the status."""
    found = {
        name: {f["rule"]: _LETTERS[f["severity"]] for f in verdict["findings"]} for name, verdict in verdicts.items()
    }
    rules = dict.fromkeys(rule for findings in found.values() for rule in findings)
    rows = [("", *verdicts), ("kind", *(verdict["kind"] for verdict in verdicts.values()))]
    rows += [(rule, *(findings.get(rule, "-") for findings in found.values())) for rule in rules]
    rows.append(("answer", *map(_code, verdicts.values())))
    rows.append(("status", *(str(verdict["status"] or "-") for verdict in verdicts.values())))
    return "\n".join(table(rows)) + "\n"


def _code(verdict: Mapping[str, Any]) -> str:
    return str(verdict["reply"]["code"]) if verdict["reply"] else "own" if verdict["respond"] else "-"
