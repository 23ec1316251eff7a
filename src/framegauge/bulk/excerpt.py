"""A few bytes of a frame, made safe to show: nothing in them can reach a terminal as anything but ASCII text."""

WIDTH = 60
BEFORE = 20


def excerpt(data: bytes, at: int) -> str:
    """Show at most 60 bytes around byte `at`, with dots where the frame goes on.

    What is no printable ASCII is escaped: \\xNN is a byte (a control character, or no UTF-8), \\uNNNN and \\UNNNNNNNN
    are characters. A backslash of the frame itself stays one.
    """
    start = max(0, min(at - BEFORE, len(data) - WIDTH))
    stop = min(len(data), start + WIDTH)
    start, stop = _whole_characters(data, start, at, stop)
    text = "".join(map(_escape, data[start:stop].decode("utf-8", "backslashreplace")))
    return ("..." if start else "") + text + ("..." if stop < len(data) else "")


def _whole_characters(data: bytes, start: int, at: int, stop: int) -> tuple[int, int]:
    """Cut between characters, or the cut itself would look like bad UTF-8. The byte at fault stays inside."""
    for _ in range(3):
        if 0 < start < at and data[start] & 0xC0 == 0x80:
            start += 1
        if at + 1 < stop < len(data) and data[stop] & 0xC0 == 0x80:
            stop -= 1
    return start, stop


def _escape(character: str) -> str:
    code = ord(character)
    if 0x20 <= code < 0x7F:
        return character
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
