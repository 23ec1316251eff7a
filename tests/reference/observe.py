"""Collects what section 4 asks for while the events of a scan go by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .model import EnvelopeMember, Member
from .names import ENVELOPE, KNOWN_MEMBERS, default_ignorable
from .tokens import count_digits, has_lone_surrogate, unescape

if TYPE_CHECKING:
    from .scan import Event

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def ascii_lower(text: str) -> str:
    return text.translate(_ASCII_LOWER)


def skeleton(key: str) -> str:
    """The key without what a careless reader may fold or drop."""
    folded = ascii_lower(key).replace("\u017f", "s").replace("\u212a", "k")
    return "".join(char for char in folded if char != "\0" and not default_ignorable(char))


@dataclass
class Container:
    """An open bracket. `role` says which tracked object it is, "" for none."""

    type: str
    start: int
    role: str
    seen: set[str] = field(default_factory=set)
    members: int = 0
    key: str = ""
    key_is_first: bool = False


class Observer:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.stack: list[Container] = []
        self.names: set[str] = set()
        self.top: str | None = None
        self.top_span = (0, 0)
        self.item_spans: list[tuple[int, int]] = []
        self.envelope: dict[str, EnvelopeMember] = {}
        self.members: dict[str, list[Member]] = {}
        self.meta_seen = False
        self.depth = 0
        self.longest_number = 0
        self.largest_object = 0
        self.duplicate_count = 0
        self.duplicate_offset: int | None = None

    def take(self, event: Event) -> None:
        if event.name == "open":
            self._open(event)
        elif event.name == "close":
            container = self.stack.pop()
            self._value(container.type, container.start, event.stop)
        elif event.name == "key":
            self._key(event)
        else:
            self._scalar(event)

    def _open(self, event: Event) -> None:
        role = self._role() if event.type == "object" else ""
        self.stack.append(Container(event.type, event.start, role))
        self.depth = max(self.depth, len(self.stack))
        if role in ("params", "result", "error", "_meta"):
            self.members[role] = []

    def _role(self) -> str:
        """The role of the object that begins here."""
        if not self.stack:
            return "envelope"
        parent = self.stack[-1]
        if parent.role == "envelope" and parent.key_is_first:
            return parent.key if parent.key in ("params", "result", "error") else ""
        if parent.role in ("params", "result") and parent.key == "_meta" and parent.key_is_first:
            return "_meta"
        return ""

    def _key(self, event: Event) -> None:
        token = self.data[event.start : event.stop]
        escaped = b"\\" in token
        key = unescape(token)
        container = self.stack[-1]
        container.members += 1
        container.key = key
        container.key_is_first = key not in container.seen
        container.seen.add(key)
        self.largest_object = max(self.largest_object, container.members)
        if escaped and has_lone_surrogate(key):
            self.names.add("lone-surrogate")
        if not container.key_is_first:
            self.names.add("duplicate-key")
            self.duplicate_count += 1
            if self.duplicate_offset is None:
                self.duplicate_offset = event.start
        if container.role == "envelope":
            self._envelope_key(key, escaped, container.key_is_first)
        elif container.role != "" and escaped and key in KNOWN_MEMBERS:
            self.names.add("escaped-key")
        if container.role in ("params", "result") and key == "_meta":
            if self.meta_seen:
                container.key_is_first = False  # described where it stands first
            self.meta_seen = True

    def _envelope_key(self, key: str, escaped: bool, first: bool) -> None:
        if escaped and has_lone_surrogate(key):
            self.names.add("lone-surrogate-key")
        if key in ENVELOPE:
            if escaped:
                self.names.add("escaped-key")
            if not first:
                self.names.add("duplicate-envelope")
            return
        self.names.add("unknown-member")
        if ascii_lower(key) in ENVELOPE:
            self.names.add("key-case-variant")
        elif skeleton(key) in ENVELOPE:
            self.names.add("key-lookalike")

    def _scalar(self, event: Event) -> None:
        token = self.data[event.start : event.stop]
        if event.type == "number":
            self.longest_number = max(self.longest_number, count_digits(token))
        if event.type == "string" and b"\\" in token and has_lone_surrogate(unescape(token)):
            self.names.add("lone-surrogate")
        self._value(event.type, event.start, event.stop)

    def _value(self, type_: str, start: int, stop: int) -> None:
        """A value is complete; the innermost open container is its parent."""
        if not self.stack:
            self.top = type_
            self.top_span = (start, stop)
            return
        parent = self.stack[-1]
        if parent.type == "array":
            if len(self.stack) == 1:
                self.item_spans.append((start, stop))
        elif parent.role == "envelope":
            self._envelope_value(parent.key, type_, start, stop)
        elif parent.role != "":
            self.members[parent.role].append(Member(parent.key, type_, start, stop))

    def _envelope_value(self, key: str, type_: str, start: int, stop: int) -> None:
        if key not in ENVELOPE:
            return
        first = self.envelope.get(key)
        if first is not None:
            self.envelope[key] = replace(first, count=first.count + 1)
            return
        escaped = type_ == "string" and b"\\" in self.data[start:stop]
        self.envelope[key] = EnvelopeMember(type_, start, stop, 1, escaped)
