"""Random mutations of frames, from a seed: the same seed gives the same bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

# Pieces that sit at the edges of the grammar, of UTF-8, of the limits' counters and of the envelope's names.
PIECES = tuple(
    piece.encode("latin-1")
    for piece in (
        '"',
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        " ",
        "\n",
        "\r",
        "\t",
        "\0",
        "\x0b",
        "\x0c",
        "\x1a",
        "\x1f",
        "\x7f",
        "\x80",
        "\xc3",
        "\xe2\x82",
        "\xed\xa0\x80",
        "\xf4\x90\x80\x80",
        "\xef\xbb\xbf",
        "\xc2\xa0",
        "\xf0\x9f\x8e\x89",
        "\xc5\xbf",
        "\xe2\x84\xaa",
        "0",
        "-",
        ".",
        "e",
        "E",
        "+",
        "1",
        "01",
        "1e5",
        "-0",
        "1.0",
        "1e400",
        "9007199254740993",
        "123456789012345678901",
        "true",
        "fals",
        "null",
        "nan",
        "NaN",
        "-Infinity",
        "None",
        "undefined",
        "'",
        "//",
        "/*",
        "\\u",
        "\\ud800",
        "\\udc00",
        "\\ud83d\\ude00",
        "\\u0000",
        "\\u00",
        "\\x",
        "\\\\",
        '\\"',
        "/",
        '""',
        "{}",
        "[]",
        ",,",
        "[50] ",
        "[12:00:00]",
        "log: ",
        '"id":1,',
        '"id":null,',
        '"ID":1,',
        '"jsonrpc":"2.0",',
        '"method":"m",',
        '"\\u0069d":2,',
        '"result":{},',
        '"error":{},',
        '"params":{"_meta":{}},',
        '"code":1.5,',
        '"a":1,"a":2,',
        "[[[[[[[[",
        "]]]]]]]]",
        '{"a":{"a":{"a":',
        "}}}",
    )
)


SCALAR = re.compile(rb'"(?:[^"\\\\]|\\\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null')
VALUES = tuple(
    value.encode()
    for value in (
        '""',
        '"2.0"',
        '"\\u0032.0"',
        '"1.0"',
        '"rpc.x"',
        '"a\\ud800"',
        '"tools/list"',
        "0",
        "-0",
        "1.0",
        "1.5",
        "1e2",
        "-1e-7",
        "9007199254740992",
        "9007199254740993",
        "-32601",
        "2147483648",
        "1e100",
        "true",
        "false",
        "null",
        "{}",
        "[]",
        "[1]",
        '{"a":1,"a":2}',
        '{"code":1,"message":"m"}',
        '{"code":"1"}',
        '{"_meta":{"progressToken":1,"n\\u0061me":2}}',
        '{"name":1,"name":2}',
        "[[[]]]",
        '"' + "x" * 100 + '\\n"',
    )
)
NAMES = tuple(
    name.encode()
    for name in (
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "ID",
        "Method",
        "i\\u0064",
        "\\u006dethod",
        "id\\u0000",
        "param\u017f",
        "re\u200bsult",
        "x",
        "_meta",
        "code",
        "message",
        "data",
        "name",
        "arguments",
        "",
        "\\ud800",
    )
)


def mutate(frame: bytes, rng: Random) -> bytes:
    """Half the time an edit that keeps the frame JSON where it was, else edits of bytes."""
    return mutate_values(frame, rng) if rng.random() < 0.5 else mutate_bytes(frame, rng)


def mutate_values(frame: bytes, rng: Random) -> bytes:
    """One to three values replaced, or members put in."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = [match.start() + 1 for match in re.finditer(rb'[{,](?=\s*")', frame)]
        scalars = list(SCALAR.finditer(frame))
        if scalars and rng.random() < 0.5:
            old = rng.choice(scalars)
            frame = frame[: old.start()] + rng.choice(VALUES) + frame[old.end() :]
        elif places:
            at = rng.choice(places)
            blank = rng.choice((b"", b"", b"", b" ", b"\n"))
            member = b'"' + rng.choice(NAMES) + b'":' + blank + rng.choice(VALUES) + b","
            frame = frame[:at] + member + frame[at:]
    return frame


def mutate_bytes(frame: bytes, rng: Random) -> bytes:
    """One to three edits: bytes changed, cut, doubled, moved, or a piece put in."""
    data = bytearray(frame)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        size = len(data)
        at = rng.randrange(size + 1)
        choice = rng.random()
        if choice < 0.15 and size:
            data[at % size] = rng.randrange(256)
        elif choice < 0.30 and size:
            del data[at : at + rng.choice((1, 1, 2, 5, 40))]
        elif choice < 0.60:
            data[at:at] = rng.choice(PIECES)
        elif choice < 0.75:
            piece = rng.choice(PIECES)
            data[at : at + len(piece)] = piece
        elif choice < 0.82:
            del data[at:]
        elif choice < 0.92 and size:
            start = rng.randrange(size)
            data[at:at] = data[start : start + rng.randrange(1, 40)]
        elif size > 1:
            other = rng.randrange(size)
            data[at % size], data[other] = data[other], data[at % size]
    return bytes(data)
