"""Lines nearly built like another one: the same members, other values; or one thing that makes all the difference."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

# Strings, punctuation, and whatever else stands there without a blank.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+')

STRINGS = (
    b'""',
    b'"a"',
    b'"an ordinary text, longer than sixteen bytes and than thirty-two"',
    b'"2.0"',
    b'"\\u0032.0"',
    b'"text"',
    b'"te\\u0078t"',
    b'"Text"',
    b'"user"',
    b'"info"',
    b'"loud"',
    b'"tools/call"',
    b'"tools/list"',
    b'"rpc.x"',
    b'"no/such"',
    b'"2025-11-25"',
    b'"2024-11-05"',
    b'"1999-01-01"',
    b'"file:///berth/7"',
    b'"no uri"',
    b'"1file:///a"',
    b'"file:///a "',
    b'"file:///a b"',
    b'"YQ=="',
    b'"YQ="',
    b'"image/png"',
    b'"2031-01-01T00:00:00Z"',
    '"zürich \u2014"'.encode(),
    b'"\\n\\t\\"\\\\"',
    b'"\\ud83d\\ude00"',
    b'"\\ud800"',
    b'"\\udc00 and more"',
    b'"\\x"',
    b'"\\u12g4"',
    b'"' + b"word " * 130 + b'"',
    b'"' + b"\\n" * 70 + b'"',
    b'"' + b"\\n" * 60 + b'\\ud800"',
    b'"a" ',
    b'"a"x',
)
NUMBERS = (
    b"0",
    b"-0",
    b"7",
    b"-7",
    b"123456789012345",
    b"1234567890123456",
    b"9007199254740993",
    b"1.0",
    b"1.5",
    b"1e2",
    b"1e-400",
    b"-32601",
    b"-32000",
    b"400",
    b"00",
    b"1.",
    b".5",
    b"-",
    b"+1",
    b"1x",
    b"9" * 40,
    b"9" * 300,
    b"1.0 ",
)
OTHERS = (b"true", b"false", b"null", b"True", b"nul", b"truely", b"true ", b"{}", b"[]", b"[1]", b'{"a":1}', b"")
KEYS = (
    b'"a"',
    b'"id"',
    b'"method"',
    b'"Method"',
    b'"meth\\u006fd"',
    b'"_meta"',
    b'"type"',
    b'"name"',
    b'"params"',
    b'"a key of more than sixteen bytes"',
)


def _other(token: bytes, rng: Random) -> bytes:
    """Mostly of the same type."""
    if rng.random() < 0.1:
        return rng.choice(rng.choice((STRINGS, NUMBERS, OTHERS)))
    if token[:1] == b'"':
        return rng.choice(STRINGS)
    return rng.choice(NUMBERS if token[:1].isdigit() or token[:1] == b"-" else OTHERS)


def sibling(frame: bytes, rng: Random) -> bytes:
    """The frame with none, one or two of its values changed; seldom another token, or a blank more."""
    tokens: list[bytes] = _TOKEN.findall(frame)
    keys = [n for n, token in enumerate(tokens[:-1]) if tokens[n + 1] == b":" and token[:1] == b'"']
    values = [n for n, token in enumerate(tokens) if token not in b"{}[]:," and n not in keys]
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        if values:
            n = rng.choice(values)
            tokens[n] = _other(tokens[n], rng)
    chance = rng.random() if tokens else 1.0
    if chance < 0.05 and keys:
        tokens[rng.choice(keys)] = rng.choice(KEYS)
    elif chance < 0.1 and keys:
        tokens[rng.choice(keys)] = tokens[rng.choice(keys)]
    elif chance < 0.15:
        tokens[rng.randrange(len(tokens))] += rng.choice((b" ", b"\t", b"  "))
    elif chance < 0.18:
        del tokens[rng.randrange(len(tokens))]
    elif chance < 0.21:
        tokens.insert(rng.randrange(len(tokens) + 1), rng.choice((b",", b"}", b"]", b"1", b"\x0c", b"\x1a")))
    return b"".join(tokens)


IDS = (
    *(b"0", b"7", b"12", b"123456789012345", b"1234567890123456", b"00", b"007", b"-0", b"-7", b"1.0", b"1e2", b"7 "),
    *(b'""', b'"a"', b'"0"', b'"a text that is longer than any of the others"', '"zürich"'.encode(), b'"a" '),
    *(b'"\\n"', b'"\\\\"', b'"\\x"', b'"\\ud800"', b'"a" "b"', b"null", b"true", b"{}", b"[]", b'{"a":1}', b""),
    *(b" 7", b'  "a"'),
)
NO_STRINGS = (b'"\xff"', b'"a', b'a"', b'"\\"')
_ID = re.compile(rb'("id"[ ]*:[ ]*)("(?:[^"\\]|\\.)*"|[^ ",{}\[\]]+)')


def with_id(frame: bytes, value: bytes) -> bytes:
    """The frame with that value of what is the first id in its text."""
    return _ID.sub(lambda found: found[1] + value, frame, count=1)


# Calls at the bounds of what is kept of a line, and some whose values have blanks behind them.
_CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":%s}}'
BOUNDS = (
    *(
        _CALL % (b"[" + b",".join([value] * count) + b"]")
        for value in (b'"a"', b"7", b"true")
        for count in (9, 10, 11, 12, 13, 20)
    ),
    *(_CALL % (b'{"%s":1}' % (b"k" * size)) for size in (100, 200, 230, 235, 240, 245, 250, 260, 300, 400, 900)),
    b'{"jsonrpc":"2.0","id":123456789012345,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1234567890123456,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":"a" ,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1 ,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":"a","method":"ping" }',
    b'{"jsonrpc" : "2.0" , "id" : 7 , "method" : "ping"}',
    b'{"jsonrpc":"2.0","method":"resources/read","id":2,"params":{"uri":"file:///a"}}',
    b'{"jsonrpc":"2.0","method":"tools/call","id":2,"params":{"name":"\\n","arguments":{"a":"\\t","b":"c"}}}',
)

_TOOL = rb'{"name":"berth_%d","description":"Says \"where\" a ship\tis.","inputSchema":{"type":"object"}}'
_TOOLS = b'{"tools":[' + b",".join(_TOOL % number for number in range(20)) + b"]}"


def padded(frame: bytes, size: int) -> bytes:
    """The frame with as many more letters in its text `...` that it is `size` bytes long."""
    return frame.replace(b"...", b"x" * (size - len(frame) + 3))


# Lines so long that they are compared as a whole but for their id; members in the order of several implementations.
_PADDED = b'{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"..."}]}}'
ANY_ID = (
    b'{"jsonrpc":"2.0","id":3,"result":' + _TOOLS + b"}",
    b'{"result":' + _TOOLS + b',"jsonrpc":"2.0","id":3}',
    b'{"result":' + _TOOLS + b',"id":"berth","jsonrpc":"2.0"}',
    b'{"id":"berth","result":' + _TOOLS + b',"jsonrpc":"2.0"}',
    b'{"jsonrpc": "2.0", "id": 3, "result": ' + _TOOLS + b"}",
    b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","arguments":' + _TOOLS + b"}}",
    b'{"jsonrpc":"2.0","method":"tools/call","id":3,"params":{"name":"x","arguments":' + _TOOLS + b"}}",
    b'{"jsonrpc":"2.0","params":{"name":"x","arguments":' + _TOOLS + b'},"method":"tools/call","id":3}',
    b'{"jsonrpc":"2.0","params":{"name":"x","arguments":' + _TOOLS + b'},"id":3,"method":"tools/call"}',
    *(padded(_PADDED, size) for size in (1026, 65000)),
)
# Of these the whole line has to be the same: blanks follow the id, there is none, or not any other would do.
ONE_ID = (
    b'{"jsonrpc":"2.0","id":3 ,"result":' + _TOOLS + b"}",
    b'{"jsonrpc":"2.0","id":"berth" ,"result":' + _TOOLS + b"}",
    b'{"jsonrpc":"2.0","id":-3,"result":' + _TOOLS + b"}",
    b'{"jsonrpc":"2.0","id":null,"result":' + _TOOLS + b"}",
    b'{"jsonrpc":"2.0","id":"","result":' + _TOOLS + b"}",
    b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":' + _TOOLS + b"}}",
    *(padded(_PADDED, size) for size in (1025, 65535, 65536)),
)
# A byte too short to be compared so.
SHORTER = padded(_PADDED, 1024)
# Too long, or no call and no answer.
NOT_KEPT = (
    padded(_PADDED, 65537),
    b'{"jsonrpc":"2.0","id":3,"result":' + _TOOLS + b',"id":4}',
    b'{"jsonrpc":"2.0","result":' + _TOOLS + b"}",
    b'[{"jsonrpc":"2.0","id":3,"result":' + _TOOLS + b"}]",
)
LONG = (*ANY_ID, *ONE_ID, SHORTER, *NOT_KEPT)

# Values that are read, more than are kept.
MANY_READ = (
    b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user",'
    b'"content":{"type":"text","annotations":{"audience":[' + b",".join([b'"user"'] * 8 + [b'"User"']) + b"]}}}]}}"
)

_SAMPLING = (
    b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage",'
    b'"params":{"maxTokens":1,"messages":[{"role":"user","content":%s}]}}'
)
_ELICITATION = (
    b'{"jsonrpc":"2.0","id":1,"method":"elicitation/create",'
    b'"params":{"mode":"url","message":"x","elicitationId":"x","url":"%s"}}'
)
_INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"x","version":"1","icons":[{"src":"%s"}]}}}'
)
# Texts that have to fit a format, and what does.
FORMATTED = (
    (_SAMPLING % b'{"type":"image","data":"%s","mimeType":"image/png"}', b"YWJj"),
    (_SAMPLING % b'{"type":"image","data":"YQ==","mimeType":"%s"}', b"image/png"),
    (_SAMPLING % b'{"type":"text","text":"x","annotations":{"lastModified":"%s"}}', b"2031-01-01T00:00:00Z"),
    (_ELICITATION, b"https://berth.example/"),
    (_INITIALIZE, b"https://berth.example/7.png"),
)


def formatted_buffer(frame: bytes, fitting: bytes) -> bytes:
    """The frame with a text that fits, and some with a character more in front, amid or behind."""
    middle = len(fitting) // 2
    texts = []
    for more in (b"!", b"1", b" ", b"=", b"/", b"x", b"\x00", "é".encode()):
        texts += [more + fitting, fitting + more, fitting[:middle] + more + fitting[middle:]]
    texts += [fitting[1:], fitting[:-1], b"", fitting[:1]]
    return b"\n".join([frame % fitting] * 4 + [frame % text for wrong in texts for text in (wrong, fitting)])


def alike_buffer(frame: bytes, rng: Random) -> bytes:
    """The frame often enough to be known by its pattern, and lines that differ from it in little; of a long one few."""
    frame = re.sub(rb"[\r\n]", b"", frame)
    few = len(frame) > 10_000
    others = [frame] * 4 + [sibling(frame, rng) for _ in range(4 if few else 24)]
    for _ in range(2 if few else 12):
        other = rng.choice(IDS if rng.random() < 0.99 else NO_STRINGS)
        others.append(with_id(rng.choice((frame, rng.choice(others))), other))
    if len(frame) > 1000:  # behind so many blanks that only these are hashed, where that goes from the line's beginning
        others += [b" " * blanks + frame for blanks in (1040, 1060, 1040, 1060, 1100, 1040)]
    rng.shuffle(others)
    return b"\n".join([frame] * 3 + others + [frame] * (3 if few else 30))
