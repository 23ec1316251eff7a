"""What a check is: code for one shape of the protocol data, and what it yields."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from framegauge.checks.json_schema import Schemas
from framegauge.protocol.features import IN_MCP

Path = tuple[str | int, ...]  # below the object that is looked at
VALUE, TYPE = "value", "type"  # the rule of the place: param-value, result-member-type


class Complaint(NamedTuple):
    """`rule`: VALUE, TYPE, or the id of a rule. `text`: in place of the rule's own message; None: that."""

    rule: str
    path: Path
    text: str | None = None


class Check(NamedTuple):
    """`run`: (object, the frame's Schemas) to complaints. `revisions`: those in which it holds."""

    shape: str  # of the object, by its name in the protocol data
    run: Callable[[Mapping[str, Any], Schemas], Iterator[Complaint]]
    rules: tuple[str, ...] = (VALUE,)
    revisions: frozenset[str] = IN_MCP


def objects_in(parent: Mapping[str, Any], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The items of that member which are objects, with their numbers."""
    value = parent.get(name)
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield at, item
