"""facts(data): the facts of one frame, as docs/facts.md defines them. Slow, but obvious."""

from __future__ import annotations

from .judge import envelope_names, kind_of_object
from .model import (
    HARD_MAX_FRAME_BYTES,
    UNLIMITED,
    ByteError,
    EnvelopeMember,
    Facts,
    LimitError,
    Limits,
    Member,
)
from .observe import Observer
from .scan import Scanner
from .tokens import skip_space

__all__ = ["EnvelopeMember", "Facts", "Limits", "Member", "facts"]

BOM = b"\xef\xbb\xbf"
GARBAGE_TRIES = 8
DEFAULT_LIMITS = Limits()


def facts(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Facts:
    cap = HARD_MAX_FRAME_BYTES
    if limits.max_frame_bytes is not None:
        cap = min(cap, limits.max_frame_bytes)
    if len(data) > cap:
        return Facts(kind="invalid", fault="frame-too-large", fault_offset=cap)
    if skip_space(data, 0) == len(data):
        return Facts(kind="empty")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _parse_error("invalid-utf8", error.start)
    if data.startswith(BOM) and _is_json_text(data, len(BOM), limits):
        return _parse_error("utf8-bom", 0)

    observer = Observer(data)
    try:
        for event in Scanner(data, 0, limits).events():
            observer.take(event)
    except ByteError as stop:
        if stop.fault == "not-json":
            start = _object_after_garbage(data)
            if start is not None:
                return _parse_error("leading-garbage", stop.offset, start)
        return _parse_error(stop.fault, stop.offset)
    except LimitError as stop:
        batch = stop.fault == "batch-too-large"
        return Facts(
            kind="batch" if batch else "invalid",
            fault=stop.fault,
            fault_offset=stop.offset,
            envelope=observer.envelope,
        )
    return _clean(data, observer)


def _parse_error(fault: str, offset: int, json_start: int | None = None) -> Facts:
    return Facts(kind="parse-error", fault=fault, fault_offset=offset, json_start=json_start)


def _is_json_text(data: bytes, start: int, limits: Limits) -> bool:
    """Whether no byte fault stands from start on, before a limit stops the scan."""
    try:
        for _ in Scanner(data, start, limits).events():
            pass
    except ByteError:
        return False
    except LimitError:
        return True
    return True


def _object_after_garbage(data: bytes) -> int | None:
    """Where a complete object starts that runs to the end of the frame, of the first 8 tries."""
    start = -1
    for _ in range(GARBAGE_TRIES):
        start = data.find(b'{"', start + 1)
        if start < 0:
            return None
        if _is_json_text(data, start, UNLIMITED):
            return start
    return None


def _clean(data: bytes, observer: Observer) -> Facts:
    """A frame that neither a byte fault nor a limit ended."""
    result = Facts(
        top=observer.top,
        items=len(observer.item_spans),
        item_spans=observer.item_spans,
        envelope=observer.envelope,
        members=observer.members,
        depth=observer.depth,
        longest_number=observer.longest_number,
        largest_object=observer.largest_object,
        top_span=observer.top_span,
        key_spans=observer.key_spans,
        places=observer.places,
    )
    doubled = observer.places.get("duplicate-key", [])
    if doubled:
        result.duplicate_count = len(doubled)
        result.duplicate_offset = doubled[0].offset
    names = set(observer.places)
    start, stop = observer.top_span
    between = data[start:stop]
    if b"\n" in between or b"\r" in between:
        names.add("raw-newline")
    if data.endswith(b"\r"):
        names.add("trailing-cr")
    if observer.top == "object":
        names |= envelope_names(data, result)
    else:
        names.add("top-array" if observer.top == "array" else "top-scalar")
        if observer.top == "array" and not observer.item_spans:
            names.add("batch-empty")
    result.names = frozenset(names)
    if observer.top == "object":
        result.kind = kind_of_object(result)
    else:
        result.kind = "batch" if observer.top == "array" else "invalid"
    return result
