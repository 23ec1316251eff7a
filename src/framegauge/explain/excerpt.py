"""A few bytes of a frame, made safe to show: nothing in them can reach a terminal as anything but ASCII text."""

import re

WIDTH = 60
BEFORE = 20
_DOTS = "..."
_NOT_PLAIN = re.compile("[^ -~]")


def excerpt(data: bytes | memoryview, at: int) -> str:
    """Show at most 60 bytes around byte `at`, with dots where the frame goes on.

    Everything outside printable ASCII is escaped: \\xNN is a byte (a control character, or outside UTF-8), \\uNNNN and
    \\UNNNNNNNN are characters. A backslash of the frame itself stays one.
    """
    start = max(0, min(at - BEFORE, len(data) - WIDTH))
    stop = min(len(data), start + WIDTH)
    start, stop = _whole_characters(data, start, at, stop)
    return (_DOTS if start else "") + escaped(data[start:stop]) + (_DOTS if stop < len(data) else "")


def pointed(data: bytes | memoryview, at: int, width: int) -> tuple[str, int]:
    """An excerpt of at most `width` columns (not less than 30), and the column where byte `at` is, or would follow."""
    room = max(width, 30) - 2 * len(_DOTS)
    start, stop = _whole_characters(data, max(0, at - room), at, min(len(data), at + room))
    before, after = _units(data[start:at])[::-1], _units(data[at:stop])
    # Two thirds are before the byte; what one side does not use belongs to the other.
    left = _fitting(before, max(room * 2 // 3, room - sum(map(len, after))))
    right = _fitting(after, room - sum(map(len, left)))
    dots = _DOTS if start or len(left) < len(before) else ""
    more = _DOTS if stop < len(data) or len(right) < len(after) else ""
    text = dots + "".join(left[::-1])
    return text + "".join(right) + more, len(text)


def _fitting(units: list[str], room: int) -> list[str]:
    """The first of them, as many as fit."""
    fitting: list[str] = []
    for unit in units:
        room -= len(unit)
        if room < 0:
            break
        fitting.append(unit)
    return fitting


def escaped(data: bytes | memoryview) -> str:
    """All of it as printable ASCII."""
    return _NOT_PLAIN.sub(lambda found: _escape(found.group()), _text(data))


def _units(data: bytes | memoryview) -> list[str]:
    """Each character, or byte outside UTF-8, as it is shown."""
    return list(map(_escape, _text(data)))


def _text(data: bytes | memoryview) -> str:
    return bytes(data).decode("utf-8", "surrogateescape")


def _whole_characters(data: bytes | memoryview, start: int, at: int, stop: int) -> tuple[int, int]:
    """Cut between characters, or the cut itself would look like bad UTF-8. The byte at fault stays inside."""
    for _ in range(3):
        if 0 < start < at and data[start] & 0xC0 == 0x80:
            start += 1
        if at + 1 < stop < len(data) and data[stop] & 0xC0 == 0x80:
            stop -= 1
    return start, stop


def _escape(character: str) -> str:
    if not _NOT_PLAIN.match(character):
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python writes a byte outside UTF-8
        code -= 0xDC00
        return f"\\x{code:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
