"""The checks, by the name of the shape they look at, in the order in which they are run."""

from collections.abc import Mapping

from framegauge.checks import headers, sampling, tools
from framegauge.checks.model import TYPE, VALUE, Check
from framegauge.checks.tools import SCHEMA

__all__ = ["CHECKS", "OWN_RULES", "SCHEMA"]

_ALL = (*tools.CHECKS, *headers.CHECKS, *sampling.CHECKS)
CHECKS: Mapping[str, tuple[Check, ...]] = {
    shape: tuple(check for check in _ALL if check.shape == shape)
    for shape in dict.fromkeys(check.shape for check in _ALL)
}
# Rules that are found by their checks alone, wherever the object is.
OWN_RULES = tuple(dict.fromkeys(rule for check in _ALL for rule in check.rules if rule not in (VALUE, TYPE)))
