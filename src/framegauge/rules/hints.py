"""The likely mend of one finding, where frame and facts tell it."""

import json
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from framegauge.facts import Frame, Kind
from framegauge.rules.place import pointer

__all__ = ["Hint", "hint"]

Hint = tuple[str, str]  # the hint's id, and one sentence

_ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")
_KEY = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_ENCODINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LOOKED_AT = 32  # bytes that are looked at for UTF-16
_LONGEST_ID = 64  # bytes of an id that is written anew
# What was measured (framegauge.behaviour, which a test compares): the package whose servers take a request with such an
# id for a notification, and the members of which every SDK's servers take the last one.
DEMOTING = "mcp"
TWICE = ("/id", "/method")
_FAULTLESS = frozenset({"params-absent", "result-absent", "error-absent"})  # facts of a request that is well
_NO_ID_AT_ALL = frozenset({"id-null", "id-boolean", "id-container"})
_FOLDED = str.maketrans({"\u017f": "s", "\u212a": "k"})


def hint(rule_id: str, frame: bytes, offset: int, facts: Frame) -> Hint | None:
    """The hint for a finding of that rule at that byte, or None where there is nothing to say."""
    if rule_id in _UNREADABLE:
        encoding = _encoding(frame)
        if encoding:
            return encoding
    find = _HINTS.get(rule_id)
    return find(frame, offset, facts) if find else None


def _encoding(frame: bytes) -> Hint | None:
    for magic, name in _ENCODINGS.items():
        if frame.startswith(magic):
            return "body-still-encoded", f"The frame is compressed with {name}; undo the content encoding first."
    if frame.startswith(_UTF16_MARKS) or _has_every_other_byte_nul(frame[:_LOOKED_AT]):
        return "utf-16-suspected", "The frame looks like UTF-16; encode it as UTF-8."
    return None


def _has_every_other_byte_nul(start: bytes) -> bool:
    halves = start[::2], start[1::2]
    return len(start) >= 4 and any(not any(one) and all(other) for one, other in (halves, halves[::-1]))


def _json_start(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    start = facts.fault.json_start if facts.fault else None
    if start is None:
        return None
    return f"json-starts-at:{start}", f"A complete object runs from byte {start} to the end of the frame."


def _meant_member(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    key = _KEY.match(frame, offset)
    if not key:
        return None
    try:
        text: str = json.loads(key.group(), strict=False)
    except ValueError:
        return None
    # What makes a lookalike of a name is not ASCII, but for case and NUL: without that the name is left.
    folded = text.translate(_FOLDED).encode("ascii", "ignore").replace(b"\0", b"").decode().lower()
    if folded not in _ENVELOPE:
        return None
    return f"did-you-mean:{folded}", f"The member's name is {folded}, written exactly so."


def _integer_id(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    raw = facts.id
    if raw is None or len(raw) > _LONGEST_ID:
        return None
    try:
        value = Decimal(raw.decode("ascii"))
    except (InvalidOperation, ValueError):
        return None
    if not value.is_finite() or value.adjusted() > _LONGEST_ID or value != value.to_integral_value():
        return None
    return _use(str(int(value)))


def _string_id(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    raw = facts.id
    if raw is None or len(raw) > _LONGEST_ID or not raw.isascii():
        return None
    return _use(f'"{raw.decode()}"')


def _use(raw: str) -> Hint:
    return f"use-id:{raw}", f"Send the id as {raw}, which every reader keeps as it is."


def _no_id(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    if facts.method is not None and facts.method.startswith("notifications/"):
        return "omit-id", "The method is a notification's; leave the member id out."
    return _demoted(frame, offset, facts)


def _demoted(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    """Of a request that has no other fault: of others it was not measured."""
    faults = facts.facts - _FAULTLESS
    if len(faults) != 1 or not faults <= _NO_ID_AT_ALL:
        return None
    sentence = "Over HTTP, servers of the Python SDK may accept it with 202 as a notification, and not answer."
    return f"demoted-to-notification:{DEMOTING}", sentence


def _one_line(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    return "pretty-printed", "The message was written with line breaks; write it compactly, on one line."


def _last_wins(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    if facts.kind != Kind.invalid or pointer(frame, offset) not in TWICE:
        return None
    return "last-duplicate-wins", "The official SDKs' servers take the last one; other readers may take the first."


# Where bytes that are no JSON text at all may stop a reader.
_UNREADABLE = ("invalid-utf8", "not-json", "leading-garbage", "trailing-data", "truncated", "raw-control-char")
_HINTS: dict[str, Callable[[bytes, int, Frame], Hint | None]] = {
    "leading-garbage": _json_start,
    "key-case-variant": _meant_member,
    "key-lookalike": _meant_member,
    "id-not-integer-literal": _integer_id,
    "id-not-integer": _string_id,
    "id-unsafe-integer": _string_id,
    "id-null": _no_id,
    "id-type": _demoted,
    "embedded-newline": _one_line,
    "duplicate-key": _last_wins,
}
