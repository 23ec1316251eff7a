"""A frame as a tree of values with their places. Only for frames that have no fault."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from .model import UNLIMITED
from .scan import Scanner
from .tokens import unescape

if TYPE_CHECKING:
    from .scan import Event


class Pair(NamedTuple):
    """A member: its key after unescaping, the span of the key with its quotes, its value."""

    key: str
    start: int
    stop: int
    value: Node


@dataclass
class Node:
    """One value. `type` is that of the scanner: object, array, string, number, true, false, null."""

    type: str
    start: int
    stop: int
    pairs: list[Pair] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def first(self, key: str) -> Node | None:
        return next((pair.value for pair in self.pairs if pair.key == key), None)

    def items_of(self, key: str) -> list[Node]:
        """Those of the arrays under that key."""
        return [item for pair in self.pairs if pair.key == key for item in pair.value.items]


def tree(data: bytes) -> Node:
    open_: list[tuple[Node, Event | None]] = []  # containers, and the key that the next value belongs to
    whole: Node | None = None
    for event in Scanner(data, 0, UNLIMITED).events():
        if event.name == "key":
            open_[-1] = (open_[-1][0], event)
        elif event.name == "close":
            open_.pop()[0].stop = event.stop
        else:
            node = Node(event.type, event.start, event.stop)
            if open_:
                _put(data, *open_[-1], node)
            else:
                whole = node
            if event.name == "open":
                open_.append((node, None))
    assert whole is not None
    return whole


def _put(data: bytes, parent: Node, key: Event | None, node: Node) -> None:
    if parent.type == "array":
        parent.items.append(node)
    else:
        assert key is not None
        parent.pairs.append(Pair(unescape(data[key.start : key.stop]), key.start, key.stop, node))
