"""What is printed: one plain shape for each result, and the schemas of those that are JSON objects.

`verdict` is a Checked, `matrix` a Matrix, `scan` and `finding` are objects of `bulk`, `rules` is a sequence of Rule,
`rule` a RulePage.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from framegauge.behaviour.readers import Reading
from framegauge.ruleset.model import Rule

WIDTH = 100  # columns where there is no terminal
SCHEMAS = {"verdict": "framegauge.verdict/1", "scan": "framegauge.scan/1", "rules": "framegauge.rules/1"}

Matrix = Mapping[str, Mapping[str, Any]]  # revision -> the verdict on the same frame, as in Checked


class Checked(NamedTuple):
    """One frame, judged. `verdict`: the object of the schema framegauge.verdict/1.

    `frame`: its bytes, or as many as may be shown. `readings`: by rule, the reactions of other readers.
    `request_method`: that of the request that the frame answers; None if unknown.
    """

    verdict: Mapping[str, Any]
    frame: bytes
    readings: Mapping[str, Sequence[Reading]]
    request_method: str | None = None
    width: int = WIDTH


class RulePage(NamedTuple):
    """One rule and the readings of frames that break it."""

    rule: Rule
    readings: Sequence[Reading]
    width: int = WIDTH
