"""Frames of the sizes and shapes that the vectors are too short for: long strings, wide and deep objects."""

from __future__ import annotations

import json
import string
from random import Random

from tests.reference.names import DEFAULT_IGNORABLE

ESCAPES = (
    "\\n",
    '\\"',
    "\\\\",
    "\\t",
    "\\u00e9",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\udc00",
    "\\u001b",
    "\\/",
    "a",
    "bc ",
    "é",
    "日本",
    "😀",
)


def long_string(rng: Random, size: int) -> str:
    """Text as it stands in JSON, with escapes and surrogates at every alignment to a 64-byte block."""
    text = ""
    dense = rng.random()
    while len(text) < size:
        text += rng.choice(ESCAPES) if rng.random() < dense else rng.choice("abcdefghijk lmnop")
    return text


def wide_object(rng: Random, keys: int) -> str:
    names = [rng.choice(("k", "a-longer-key-", "é", "")) + str(i) for i in range(keys)]
    if rng.random() < 0.5:
        names[rng.randrange(keys)] = rng.choice(names)
    return "{" + ",".join(f'"{name}":{rng.choice(("1", "null", "{}", "[1,2]", chr(34) * 2))}' for name in names) + "}"


def deep_value(rng: Random, levels: int) -> str:
    opened = [rng.choice(("[", '{"a":')) for _ in range(levels)]
    return "".join(opened) + "1" + "".join("]" if bracket == "[" else "}" for bracket in reversed(opened))


def request(params: str) -> bytes:
    return ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"n","arguments":' + params + "}}").encode()


def result(text: str) -> bytes:
    return (
        '{"result":{"content":[{"type":"text","text":"' + text + '"}],"isError":false},"jsonrpc":"2.0","id":"a-1"}'
    ).encode()


def tools_list(rng: Random) -> bytes:
    tool = {
        "name": "t",
        "description": "reads\na file",
        "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
    }
    frame = {"jsonrpc": "2.0", "id": rng.randrange(99), "result": {"tools": [tool] * rng.randrange(1, 9)}}
    return json.dumps(
        frame, indent=rng.choice((None, None, 1)), separators=rng.choice(((",", ":"), (", ", ": ")))
    ).encode()


def lookalike_frames() -> list[bytes]:
    """An envelope key with each character at the edges of those that readers drop, and next to them."""
    edges = {point for low, high in DEFAULT_IGNORABLE for point in (low - 1, low, high, high + 1)}
    points = sorted(edges | {0x17F, 0x212A})
    return [b'{"i%sd":1}' % chr(point).encode() for point in points]


def escape_frames(count: int, seed: int) -> list[bytes]:
    """Long strings of escapes: halves of surrogate pairs, runs of backslashes, now and then a bad escape."""
    rng = Random(seed)
    halves = (r"\ud83d", r"\udc00", r"\ud83d\udc00", "ud83d", "udc00", "d8", "u")
    pieces = (*halves, r"\\", r"\\" * 2, r"\n", r"\u00e9", "xy", "x" * 59)
    frames = []
    for _ in range(count):
        text = "".join(rng.choices(pieces, k=rng.randrange(10, 60)))
        if rng.random() < 0.2:
            text += rng.choice((r"\x", r"\u12", r"\u12g4", r"\u")) + "y" * rng.randrange(90)
        frames.append(('{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":"' + text + '"}}').encode())
    return frames


def pair_frames() -> list[bytes]:
    """Nothing but a low half behind what is a high one or looks like it, at several places of a block."""
    before = ("", r"\\", "ab", *(r"\n" + "x" * size for size in (0, 40, 51, 53, 55, 57, 59, 61)))
    highs = (r"\ud83d", r"\\\ud83d", r"\\ud83d", r"\nd83d", r"\u00e9", r"\ud83", "ud83d", "xud83d", "")
    texts = [f"{start}{high}{low}" for start in before for high in highs for low in (r"\udc00", "x")]
    return [f'"{text}{"y" * 100}"'.encode() for text in texts]


def digit_frames() -> list[bytes]:
    """Characters next to the hexadecimal digits, and some of these, as each digit of an escape in a long string."""
    digits = "/09:@AFG`afgdDu- "
    escapes = ["0123"[:place] + digit + "0123"[place + 1 :] for digit in digits for place in range(4)]
    return [f'["\\n{"x" * 20}\\u{escape}{"y" * 100}"]'.encode() for escape in escapes]


def spelled_frames() -> list[bytes]:
    """Two keys each: one with a short escape, one with the same character, or one near it, written in full."""
    points = (*range(0x07, 0x10), 0x22, 0x2F, 0x5C, *b"bfnrtu")
    return [b'{"a\\%c":0,"a\\u%04x":0}' % (short, point) for short in b'"\\/bfnrt' for point in points]


def split_strings() -> list[bytes]:
    """Two lines each: a string that the backslash before the line feed seems to carry on into the next one.

    With the line feed behind it each fills 64 bytes, as do the whole lines between them: chunks of that size hold one.
    """
    found = []
    for first in (b'"\\\n"', b'["\\\n" ', b'{"a":"x\\\n" '):
        for last in (b'{"jsonrpc":"2.0","method":"%s"}', b'["%s"]'):
            room = 63 - len(last % b"")
            found += [last % (b"m" * room), first + last % (b"m" * (room - len(first)))]
    return found


def cut_arrays() -> list[bytes]:
    """Every beginning of arrays in arrays."""
    whole = (b'[[[]],[1,[2]],["a"]]', b'[{"a":[]},[{}], [ ] ]')
    return list(dict.fromkeys(text[:size] for text in whole for size in range(1, len(text) + 1)))


def utf8_frames() -> list[bytes]:
    """Sequences just inside and just outside of what Table 3-7 of the Unicode standard allows, whole and cut short."""
    leads = (*b"\x7f\x80\xbf\xc0\xc1\xc2\xc3\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff",)
    seconds = (*b"\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0",)
    found = [bytes((lead, second, 0x80, 0xBF)[:size]) for lead in leads for second in seconds for size in (1, 2, 3, 4)]
    found += [bytes((lead, 0x90, third, 0x80)) for lead in (0xE1, 0xF1) for third in seconds]
    found += [bytes((0xF1, 0x90, 0x80, fourth)) for fourth in seconds]
    texts = list(dict.fromkeys(found))
    return [b'{"a":"%s"}' % text for text in texts] + [b'{"a":"%s' % text for text in texts] + texts


def edge_frames() -> list[bytes]:
    """One backslash or line feed at each distance from its neighbours at which blocks of 16 to 512 bytes end."""
    sizes = (*range(1, 84), *range(120, 136), *range(250, 262), *range(490, 524))
    long, found = b"y" * 600, []
    for size in sizes:
        text, blanks = b"x" * size, b" " * size
        found += [b'{"a":"%s\\n"}' % text, b'{"a":"%s\\x"}' % text, b'{"a":"\\n%s\\u00e9"}' % text, b'["%s\\"]' % text]
        found += [
            b'{"a":"%s\\U00e9"}' % text,
            b'{"a":"\\n%s\\a0041%s"}' % (text, text),
            b'{"a":"\\n%s\\a0041"}' % text,
            b'["\\n%s\\u00g1%s"]' % (text, long),
        ]
        found += [b'{"a":1%s\n}' % blanks, b'{"a":1%s\r%s}' % (blanks, blanks[:40]), b'["%s\n"]' % text]
    # Long strings are left out of the search for line feeds, which goes on behind the first 512 bytes.
    for size in (*range(40), *range(60, 70)):
        blanks = b" " * size
        found += [b'{"a":"%s","b":%s\n"%s"}' % (long, blanks, long), b'{"a":"%s","b":\n%s"%s"}' % (long, blanks, long)]
    return found


def numbers() -> list[str]:
    """Integers and fractions around 0, 1 and the bounds of a gauge in told.py, each written in several ways."""
    found = []
    for whole in (*range(-14, -10), *range(-2, 13), *range(19, 22), *range(99, 107), 1999, 2000, 2001):
        sign, digits = "-" * (whole < 0), str(abs(whole))
        behind = ("", ".0", ".5", "e0", ".50e1", "e1") + ("0e-1", "5e-1", "00E-2") * (whole != 0)
        found += [f"{sign}{digits}{more}" for more in behind]
        found += [f"{sign}0.{zeros}{digits}e{len(digits)}" for zeros in ("", "0")]
        found += [f"{sign}{digits[0]}.{digits[1:]}0e{len(digits) - 1}"]
    return found


def number_frames() -> list[bytes]:
    """Answers with each of numbers() where the schemas say what is the least and the largest."""
    answer = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"","annotations":{"priority":%s}}]}}'
    return [answer % number.encode() for number in numbers()]


def padded_frames() -> list[bytes]:
    """Members that name a revision, until no member has room, and then another name; before or behind other objects."""
    version = "io.modelcontextprotocol/protocolVersion"
    telling = ("_meta", "protocolVersion", version)
    found = []
    for often in (7, 8, 23, 24, 25, 31, 32, 33):
        for name in telling:
            for last in (*telling, "x"):
                text = ",".join([f'"{name}":{{"a":{n}}}' for n in range(often)] + [f'"{last}":"2025-06-18"'])
                found += [f'{{"result":{{"tools":[],"_meta":1}},"error":{{"code":1}},"params":{{{text}}}}}']
                found += [
                    f'{{"error":{{"code":1,"message":"m"}},"params":{{"_meta":{{"{version}":1}}}},"result":{{{text}}}}}'
                ]
                found += [f'{{"params":{{"name":1}},"result":{{"_meta":{{{text}}}}},"error":{{{text}}}}}']
    return [frame.encode() for frame in found]


def twin_frames() -> list[bytes]:
    """One key twice, as it is and escaped: of each length, and with each bit of a character set."""
    long = string.ascii_letters * 2
    keys = [long[:size] for size in range(1, 73)]
    points = (0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, *(1 << bit for bit in range(7, 21)), 0x1F600, 0x10FFFF)
    keys += [chr(point) + more for point in points for more in ("", "x" * 20) if not 0xD800 <= point < 0xE000]
    found = []
    for key in keys:
        units = key.encode("utf-16-be")
        escaped = "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
        object_ = f'{{"{key}":1,"{escaped}":2}}'
        found += [object_, f'{{"jsonrpc":"2.0","method":"m","params":{object_}}}', f'[[{object_}],{{"a":[{object_}]}}]']
    return [frame.encode() for frame in found]


def grown_frames() -> list[bytes]:
    """An object that goes on, and doubles a key, behind one that makes the memory for keys grow."""
    found = []
    for size in (*range(28, 36), 63, 64, 65, 100, 200, 300, 700):
        inner = "{" + ",".join(f'"m{n}":0' for n in range(size)) + "}"
        for value in (inner, f"[{inner}]", f'{{"x":{inner},"y":0,"z":0,"y":0}}'):
            open_, close = '{"jsonrpc":"2.0","method":"m","params":', "}"
            members = f'{{"a":0,"inner":{value},"b":0,"c":0,"b":0,"a":0}}'
            found += [f'{{"jsonrpc":"2.0","a":0,"method":"m","inner":{value},"b":0,"c":0,"b":0,"a":0}}']
            found += [
                open_ + members + close,
                f'{open_}{{"_meta":{members}}}{close}',
                f"{open_}[{members},{members}]{close}",
            ]
    return [frame.encode() for frame in found]


def line_buffers() -> list[bytes]:
    """Lines that are read on into the next ones, or leave something for these; and buffers that end anywhere."""
    whole = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,{"b":[]},[[]]],"c":{"d":"e","f":{}}}}'
    found = [b"%s\n%s" % (whole, whole[:stop]) for stop in range(1, len(whole))]
    found += [b"%s\n%s" % (whole[:stop], whole) for stop in range(1, len(whole))]
    # An answer without an object behind one with an object of which something is said.
    room = b",".join(b'"p%d":0' % number for number in range(40))
    for member, value in ((b"result", b'{"_meta":1,"Content":[]}'), (b"error", b'{"code":1,"message":"m","Data":1}')):
        answer = b'{"jsonrpc":"2.0","id":1,"%s":%s,"params":{%s}}'
        lines = [answer % (member, said, room) for said in (value, b"1")]
        lines += [answer % (b"result", b"1", room), answer % (b"error", b"1", room)]
        found += [b"\n".join((first, second)) for first in lines for second in lines]
    # A carriage return before a long string that the line above has been read on to.
    for opened in (b"", b'{"a":', b"[", b'{"params":{"a":[0,'):
        for before, behind in ((b"", b""), (b"\r", b""), (b"  \r ", b""), (b"", b"\r"), (b" ", b" ")):
            line = b'{"b":%s1,"c":"%s",%s"d":1}' % (before, b"x" * 600, behind)
            found.append(b"\n".join((opened, line, whole)))
    # Objects of more and more members that do not end.
    for size in (31, 33, 64, 200):
        members = b",".join(b'"m%d":0' % number for number in range(size))
        found += [b'{"params":{"a":{%s,"b":\n%s' % (members, whole), b'{"a":0,%s,"b":\n{%s,"c":\n' % (members, members)]
        found += [b'{"params":{"a":{%s}}}\n{"params":{%s,"a":{%s,"m0":1}\n%s' % (members, members, members, whole)]
    # Whole blocks of 64 bytes, with a backslash or none in the last one.
    for size in (64, 128, 4032, 4096):
        for tail in (b'{"a":"\\n"}\n', b'{"a":"n"}\n', b"{}\n\n\n\n"):
            found.append(whole + b" " * ((size - len(whole) - 1 - len(tail)) % size) + b"\n" + tail)
    # One line, and with it about as much as is looked at to guess how many there are.
    found += [b" " * (size - 1) + b"\n" for size in (255, 256, 257, 511, 512, 65535, 65536, 65537)]
    return found


def bracket_frames() -> list[bytes]:
    """Text that is no JSON behind brackets alone, which make it a log line, and behind more than those."""
    openings = (
        "[",
        "[ ",
        "[[",
        "[[[ ",
        "{",
        "[{",
        "[]",
        "[] ",
        "{}",
        "[[]",
        "[{}",
        "[[],",
        "[{}, ",
        "[[[]],",
        "[1,",
        '["",',
        "[1",
        "[[] [",
    )
    texts = ("text", "text]", "x: 1]", "12 x]", "-", "-x", "é", "tru", "truth", "NaN", "None", "+1", ".", "/* */", "\\")
    return [(opening + text).encode() for opening in openings for text in texts]


def structured_frames(count: int, seed: int) -> list[bytes]:
    rng = Random(seed)
    frames = []
    for i in range(count):
        shape = i % 5
        if shape == 0:
            frames.append(result(long_string(rng, rng.randrange(60, 900))))
        elif shape == 1:
            frames.append(request(wide_object(rng, rng.randrange(20, 90))))
        elif shape == 2:
            frames.append(request(deep_value(rng, rng.randrange(1, 200))))
        elif shape == 3:
            frames.append(tools_list(rng))
        else:
            batch = [request(wide_object(rng, 3)).decode() for _ in range(rng.randrange(1, 4))]
            frames.append(("[" + ",".join(batch) + "]").encode())
    return frames
