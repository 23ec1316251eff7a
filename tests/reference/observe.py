"""Collects what section 4 asks for while the events of a scan go by, and where it stood."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .model import EnvelopeMember, Member, Place
from .names import ENVELOPE, KNOWN_MEMBERS, default_ignorable
from .tokens import count_digits, lone_surrogates, unescape

if TYPE_CHECKING:
    from .scan import Event

_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def ascii_lower(text: str) -> str:
    return text.translate(_ASCII_LOWER)


def skeleton(key: str) -> str:
    """The key without what a careless reader may fold or drop."""
    folded = ascii_lower(key).replace("\u017f", "s").replace("\u212a", "k")
    return "".join(char for char in folded if char != "\0" and not default_ignorable(char))


def pointer_step(key: str) -> str:
    """One step of an RFC 6901 pointer. An unpaired surrogate has no UTF-8: U+FFFD stands for it."""
    whole = "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in key)
    return whole.replace("~", "~0").replace("/", "~1")


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
    values: int = 0  # complete values


class Observer:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.stack: list[Container] = []
        self.places: dict[str, list[Place]] = {}  # by fact name
        self.top: str | None = None
        self.top_span = (0, 0)
        self.item_spans: list[tuple[int, int]] = []
        self.envelope: dict[str, EnvelopeMember] = {}
        self.members: dict[str, list[Member]] = {}
        self.meta_seen = False
        self.depth = 0
        self.longest_number = 0
        self.largest_object = 0
        self.key_spans: dict[str, tuple[int, int]] = {}  # of the envelope, first occurrences

    def note(self, name: str, start: int, stop: int) -> None:
        self.places.setdefault(name, []).append(Place(start, stop, self.path()))

    def path(self) -> str:
        """RFC 6901 pointer of the member or element that is being read."""
        steps = [parent.key if parent.type == "object" else str(parent.values) for parent in self.stack]
        return "".join("/" + pointer_step(step) for step in steps)

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
        self._surrogates("lone-surrogate", event)
        if not container.key_is_first:
            self.note("duplicate-key", event.start, event.stop)
        if container.role == "envelope":
            self._envelope_key(event, key, escaped, container.key_is_first)
        elif container.role != "" and escaped and key in KNOWN_MEMBERS:
            self.note("escaped-key", event.start, event.stop)
        if container.role in ("params", "result") and key == "_meta":
            if self.meta_seen:
                container.key_is_first = False  # described where it stands first
            self.meta_seen = True

    def _envelope_key(self, event: Event, key: str, escaped: bool, first: bool) -> None:
        start, stop = event.start, event.stop
        self._surrogates("lone-surrogate-key", event)
        if key in ENVELOPE:
            self.key_spans.setdefault(key, (start, stop))
            if escaped:
                self.note("escaped-key", start, stop)
            if not first:
                self.note("duplicate-envelope", start, stop)
        elif ascii_lower(key) in ENVELOPE:
            self.note("key-case-variant", start, stop)
        elif skeleton(key) in ENVELOPE:
            self.note("key-lookalike", start, stop)
        else:
            self.note("unknown-member", start, stop)

    def _surrogates(self, name: str, event: Event) -> None:
        for offset in lone_surrogates(self.data[event.start : event.stop]):
            self.note(name, event.start + offset, event.start + offset + 6)

    def _scalar(self, event: Event) -> None:
        token = self.data[event.start : event.stop]
        if event.type == "number":
            self.longest_number = max(self.longest_number, count_digits(token))
        if event.type == "string":
            self._surrogates("lone-surrogate", event)
            parent = self.stack[-1] if self.stack else None
            if parent and parent.role == "envelope" and parent.key_is_first and parent.key in ("id", "method"):
                self._surrogates(f"lone-surrogate-{parent.key}", event)
        self._value(event.type, event.start, event.stop)

    def _value(self, type_: str, start: int, stop: int) -> None:
        """A value is complete; the innermost open container is its parent."""
        if not self.stack:
            self.top = type_
            self.top_span = (start, stop)
            return
        parent = self.stack[-1]
        parent.values += 1
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
