"""Readers of single tokens. Each takes the frame and a position and looks at nothing before it."""

from __future__ import annotations

import re
from typing import NamedTuple

from .model import ByteError

LITERALS = {b"true": "true", b"false": "false", b"null": "null"}
NON_FINITE = (b"NaN", b"Infinity")
FOREIGN_WORDS = (*NON_FINITE, b"True", b"False", b"None", b"undefined")

_SPACE = re.compile(rb"[ \t\n\r]*")
_WORD = re.compile(rb"(?![0-9])[A-Za-z0-9_$\x80-\xff]+")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_HEX = re.compile(rb"[0-9A-Fa-f]{0,4}")
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_ZEROS_NUMBER = re.compile(rb"-?0[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_EXPONENT_MARK = re.compile(rb"[eE][+-]?")
_SIMPLE_ESCAPES = {
    b'"': '"',
    b"\\": "\\",
    b"/": "/",
    b"b": "\b",
    b"f": "\f",
    b"n": "\n",
    b"r": "\r",
    b"t": "\t",
}


def byte_at(data: bytes, pos: int) -> bytes:
    """The byte at pos, or b"" at the end of the frame."""
    return data[pos : pos + 1]


def is_digit(byte: bytes) -> bool:
    return byte != b"" and byte in b"0123456789"


def skip_space(data: bytes, pos: int) -> int:
    match = _SPACE.match(data, pos)
    assert match is not None
    return match.end()


def word_at(data: bytes, pos: int) -> bytes:
    """The word that starts at pos, or b""."""
    match = _WORD.match(data, pos)
    return match.group() if match else b""


def is_comment(data: bytes, pos: int) -> bool:
    return data[pos : pos + 2] in (b"//", b"/*")


def is_minus_infinity(data: bytes, pos: int) -> bool:
    return byte_at(data, pos) == b"-" and word_at(data, pos + 1) == b"Infinity"


def string_stop(data: bytes, pos: int) -> int:
    """The offset after the closing quote of the string whose opening quote is at pos."""
    pos += 1
    while True:
        match = _PLAIN.match(data, pos)
        assert match is not None
        pos = match.end()
        byte = byte_at(data, pos)
        if byte == b"":
            raise ByteError("truncated", len(data))
        if byte == b'"':
            return pos + 1
        if byte != b"\\":
            raise ByteError("raw-control-char", pos)
        pos = _escape_stop(data, pos)


def _escape_stop(data: bytes, pos: int) -> int:
    """The offset after the escape whose backslash is at pos."""
    letter = byte_at(data, pos + 1)
    if letter == b"":
        raise ByteError("truncated", len(data))
    if letter in _SIMPLE_ESCAPES:
        return pos + 2
    if letter != b"u":
        raise ByteError("bad-escape", pos)
    match = _HEX.match(data, pos + 2)
    assert match is not None
    if match.end() == pos + 6:
        return pos + 6
    if match.end() == len(data):
        raise ByteError("truncated", len(data))
    raise ByteError("bad-escape", pos)


def unescape(token: bytes) -> str:
    """The text of a good string token, quotes included. A lone surrogate stays one code point."""
    body = token[1:-1]
    if b"\\" not in body:
        return body.decode("utf-8")
    units: list[str] = []
    pos = 0
    while pos < len(body):
        slash = body.find(b"\\", pos)
        if slash < 0:
            slash = len(body)
        units.append(body[pos:slash].decode("utf-8"))
        pos = slash
        if pos == len(body):
            break
        letter = byte_at(body, pos + 1)
        if letter != b"u":
            units.append(_SIMPLE_ESCAPES[letter])
            pos += 2
            continue
        unit = int(body[pos + 2 : pos + 6], 16)
        pos += 6
        if 0xD800 <= unit <= 0xDBFF and body[pos : pos + 2] == b"\\u":
            low = int(body[pos + 2 : pos + 6], 16)
            if 0xDC00 <= low <= 0xDFFF:
                unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)
                pos += 6
        units.append(chr(unit))
    return "".join(units)


def has_lone_surrogate(text: str) -> bool:
    return _SURROGATE.search(text) is not None


def lone_surrogates(token: bytes) -> list[int]:
    """Offsets of the unpaired surrogate escapes in a good string token."""
    found: list[int] = []
    high = None  # offset of a high surrogate that ends where the next escape begins
    pos = token.find(b"\\")
    while pos >= 0:
        unit = int(token[pos + 2 : pos + 6], 16) if token[pos + 1 : pos + 2] == b"u" else 0
        paired = 0xDC00 <= unit <= 0xDFFF and high == pos - 6
        if paired:
            found.pop()
        elif 0xD800 <= unit <= 0xDFFF:
            found.append(pos)
        high = pos if 0xD800 <= unit <= 0xDBFF else None
        pos = token.find(b"\\", pos + (6 if token[pos + 1 : pos + 2] == b"u" else 2))
    return found


class Number(NamedTuple):
    """A number token.

    `digits` counts the digits of its legal beginning. `state` is `good`, `cut` (the frame ends
    where a digit is due), `zeros` (superfluous leading zeros and nothing else) or `bad`.
    """

    stop: int
    digits: int
    state: str


def number_at(data: bytes, pos: int) -> Number | None:
    """The number at pos, or None where no digit stands (after an optional minus)."""
    match = _NUMBER.match(data, pos)
    if match is None:
        return None
    digits = count_digits(match.group())
    stop = match.end()
    if match.group() in (b"0", b"-0"):
        if byte_at(data, stop) in (b"x", b"X"):
            return Number(stop, digits, "bad")
        zeros = _ZEROS_NUMBER.match(data, pos)
        if zeros is not None:
            dangling = _dangling_stop(data, zeros)
            return Number(zeros.end(), digits, "zeros" if dangling is None else "bad")
    dangling = _dangling_stop(data, match)
    if dangling is None:
        return Number(stop, digits, "good")
    return Number(stop, digits, "cut" if dangling == len(data) else "bad")


def _dangling_stop(data: bytes, number: re.Match[bytes]) -> int | None:
    """The offset after a point or exponent mark that stands there without its digits, or None."""
    fraction, exponent = number.groups()
    stop = number.end()
    if exponent is not None:
        return None
    mark = _EXPONENT_MARK.match(data, stop)
    if mark is not None:
        return mark.end()
    if fraction is None and byte_at(data, stop) == b".":
        return stop + 1
    return None


def count_digits(number: bytes) -> int:
    return sum(number.count(digit) for digit in (b"%d" % value for value in range(10)))
