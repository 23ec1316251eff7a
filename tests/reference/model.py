"""What goes in and what comes out: Limits, Facts, and the two ways a scan can end early."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Limits:
    """The host's settings; None switches one off."""

    max_frame_bytes: int | None = 16 * 2**20
    max_depth: int | None = 256
    max_batch_items: int | None = 100
    max_number_digits: int | None = 1024
    max_members: int | None = 65536


UNLIMITED = Limits(None, None, None, None, None)

# Above this a frame is too large whatever the settings say.
HARD_MAX_FRAME_BYTES = 4 * 2**30 - 1


@dataclass(frozen=True)
class EnvelopeMember:
    """One of the six: its first occurrence, and how often it stood."""

    type: str
    start: int
    stop: int
    count: int
    escaped: bool


class Member(NamedTuple):
    """A member of params, result, error or `_meta`: decoded key, and the value's type and span."""

    key: str
    type: str
    start: int
    stop: int


class Place(NamedTuple):
    """Where something stands: a span of the frame, and the RFC 6901 pointer of the member concerned."""

    offset: int
    end: int
    path: str


@dataclass
class Facts:
    kind: str = ""
    fault: str | None = None
    fault_offset: int | None = None
    json_start: int | None = None
    top: str | None = None
    items: int = 0
    item_spans: list[tuple[int, int]] = field(default_factory=list)
    envelope: dict[str, EnvelopeMember] = field(default_factory=dict)
    members: dict[str, list[Member]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    depth: int = 0
    longest_number: int = 0
    largest_object: int = 0
    duplicate_count: int = 0
    duplicate_offset: int | None = None
    top_span: tuple[int, int] = (0, 0)
    key_spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    places: dict[str, list[Place]] = field(default_factory=dict)


class ByteError(Exception):
    """The bytes are not one JSON text."""

    def __init__(self, fault: str, offset: int) -> None:
        super().__init__(fault, offset)
        self.fault = fault
        self.offset = offset


class LimitError(Exception):
    """A limit was exceeded; the scan stops here."""

    def __init__(self, fault: str, offset: int) -> None:
        super().__init__(fault, offset)
        self.fault = fault
        self.offset = offset
