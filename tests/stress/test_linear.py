"""Time grows with the bytes and no faster, whatever the frame: eight times as many, in CPU time of the thread."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge import bulk
from tests.support import TESTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OFF = fg.Limits(None, None, None, None, None)
GROWTH = 8
# A quadratic path takes 64 times as long; caches and a busy machine far less than three times 8.
MOST = 3 * GROWTH
SMALL = 64 << 10

CALL = b'{"jsonrpc":"2.0","id":null,"method":"m","params":{"a":1,"a":2}}'
FORTY = b"".join(b'"%02d":0,' % number for number in range(40))


def members(size: int, key: bytes) -> bytes:
    return b"{" + b",".join(key % number + b":0" for number in range(size // (len(key) + 8))) + b"}"


def nested(opening: bytes, inner: bytes, closing: bytes) -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        count = size // (len(opening) + len(closing))
        return opening * count + inner + closing * count

    return make


BLOCK = b'{"content":{"a":[[[[[{}]]]]],"b":{"c":{"d":{}}},"text":5,"type":"text"},"role":"nobody"}'


def call(method: bytes, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"method":%s,"params":%s}' % (method, params)


def image(data: bytes) -> bytes:
    content = b'{"type":"image","data":"%s","mimeType":"x/y"}' % data
    return call(b'"sampling/createMessage"', b'{"maxTokens":1,"messages":[{"role":"user","content":%s}]}' % content)


FRAMES: dict[str, Callable[[int], bytes]] = {
    "the same many keys at each level": nested(b"{" + FORTY + b'"in":', b"1", b"}"),
    "the same many keys, never closed": nested(b"{" + FORTY + b'"in":', b"1", b""),
    "the same many keys, each twice": nested(b"{" + FORTY + FORTY + b'"in":', b"1", b"}"),
    "keys with the same ends": lambda size: members(size, b'"leading-%08d-closing"'),
    "keys of one length": lambda size: members(size, b'"%08d"'),
    "one key again and again": lambda size: b"{" + b",".join([b'"a":1'] * (size // 6)) + b"}",
    "one long key again and again": lambda size: b"{" + b",".join([b'"%s":1' % (b"k" * 500)] * (size // 506)) + b"}",
    "an escaped key again and again": lambda size: b"{" + b",".join([b'"\\u0061b":1'] * (size // 12)) + b"}",
    "many envelope keys": lambda size: b"{" + b",".join([b'"id":1'] * (size // 7)) + b"}",
    "lone surrogates": lambda size: b'{"jsonrpc":"2.0","id":1,"method":"' + b"\\ud800" * (size // 6) + b'"}',
    "unknown params": lambda size: call(b'"tools/call"', members(size, b'"x%07d"')),
    "nearly known params": lambda size: call(b'"tools/call"', b"{" + b",".join([b'"Name":1'] * (size // 9)) + b"}"),
    "escaped params": lambda size: call(b'"tools/call"', b"{" + b",".join([b'"n\\u0061me":""'] * (size // 15)) + b"}"),
    "blocks that are told late": lambda size: call(
        b'"sampling/createMessage"', b'{"maxTokens":1,"messages":[' + b",".join([BLOCK] * (size // len(BLOCK))) + b"]}"
    ),
    "raw newlines": lambda size: b'{"jsonrpc":"2.0","id":1,"method":"m"' + b"\n" * size + b"}",
    "a batch of bad calls": lambda size: b"[" + b",".join([CALL] * (size // len(CALL))) + b"]",
    "a batch of batches": lambda size: b"[" + b",".join([b'[{"a":1,"a":2}]'] * (size // 16)) + b"]",
    "a huge id": lambda size: b'{"jsonrpc":"2.0","id":' + b"9" * size + b'.5,"method":1}',
    "brackets": nested(b"[", b"", b"]"),
    "brackets, never closed": nested(b"[", b"", b""),
    "text that looks like objects": lambda size: b'log {"' * (size // 6),
    "a bad byte at the end": lambda size: b'{"a":"' + b"x" * size + b"\xff",
}

VALUES: dict[str, Callable[[int], bytes]] = {
    "base64, every byte escaped": lambda size: image(b"\\/" * (size // 2)),
    "base64 in short lines": lambda size: image(b"A\\n" * (size // 3)),
    "a time with a long fraction": lambda size: call(
        b'"notifications/tasks/status"', b'{"createdAt":"2025-11-25T10:30:00.%s"}' % (b"0" * size)
    ),
    "a long URL": lambda size: call(
        b'"elicitation/create"', b'{"mode":"url","url":"https://a/%s"}' % (b"\\u0041%41" * (size // 9))
    ),
    "a priority of many digits": lambda size: call(
        b'"sampling/createMessage"', b'{"modelPreferences":{"costPriority":0.%s}}' % (b"9" * size)
    ),
}

LINES: dict[str, bytes] = {
    "all cut short": b'{"jsonrpc":"2.0","id":1,"method":"\n',
    "openings alone": b"{\n",
    "openings with a key": b'{"a":\n',
    "messages over lines": b'{"jsonrpc":"2.0",\n"id":1,\n"method":"m"}\n',
    "messages over lines, then more": b'{"a":\n1} x\n',
    "headers": b"Content-Length: 5\n",
    "batches": b"[%s]\n" % CALL,
    "nothing": b"\n",
    "carriage returns": b"\r\n",
    "text": b"text \\n text\n",
    "escapes and no end": b'{"a\\n":"\\n"\n',
}


def once(work: Callable[[Any], object], data: Any) -> float:
    """Of CPU time, so that others on the machine do not count."""
    start = time.thread_time()
    work(data)
    return time.thread_time() - start


def seconds(work: Callable[[Any], object], data: Any) -> float:
    return min(once(work, data) for _ in range(3))


def check_growth(work: Callable[[Any], object], make: Callable[[int], Any], size: int) -> None:
    """Begins larger where the clock would not tell anything.

    One quick run is enough: a neighbour may slow some of them down, but what is quadratic is so every time.
    """
    few = make(size)
    small = seconds(work, few)
    while small < 0.002 and size < 4 << 20:
        size *= 4
        few = make(size)
        small = seconds(work, few)
    many, large = make(size * GROWTH), float("inf")
    for _ in range(3):
        for _ in range(3):
            large = min(large, once(work, many))
            if large < MOST * max(small, 0.0005):
                return
        small = seconds(work, few)
    pytest.fail(f"{size} bytes: {small:.4f} s, {size * GROWTH}: {large:.4f} s")


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMES)
def test_facts(name: str) -> None:
    check_growth(lambda frame: fg.classify(frame, OFF), FRAMES[name], SMALL)


def everything(gauge: fg.Gauge) -> Callable[[bytes], object]:
    def ask(frame: bytes) -> object:
        verdict = gauge.check(frame)
        reply = verdict.reply
        return verdict.to_dict(), reply and reply.body(), [finding.hint for finding in verdict.findings]

    return ask


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMES)
def test_verdicts(name: str) -> None:
    gauge = fg.Gauge("2025-03-26", transport="http", direction="client-to-server", limits=OFF)
    check_growth(everything(gauge), FRAMES[name], SMALL // 8)


@pytest.mark.slow
@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    gauge = fg.Gauge("2025-11-25", limits=OFF)
    check_growth(everything(gauge), VALUES[name], SMALL // 8)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_lines(name: str) -> None:
    gauge = fg.Gauge("2025-03-26", transport="stdio")

    def ask(data: bytes) -> object:
        verdicts = gauge.check_lines(data)
        assert len(verdicts) == data.count(b"\n")
        return verdicts.rule_counts(), verdicts.kind_counts(), verdicts.other_methods()

    check_growth(ask, lambda size: LINES[name] * (size // len(LINES[name])), SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("all_of_them", [False, True])
def test_scans_with_a_finding_on_every_line(tmp_path: Path, all_of_them: bool) -> None:
    path = tmp_path / "log"
    found = []

    def ask(data: bytes) -> object:
        found.clear()
        path.write_bytes(data)
        return bulk.scan([str(path)], jobs=1, on_finding=found.append if all_of_them else None)

    check_growth(ask, lambda size: (CALL + b"\n") * (size // len(CALL)), SMALL)
    assert len(found) > 1000 or not all_of_them


@pytest.mark.slow
def test_own_rules() -> None:
    @fg.own_rule("complain")
    def complain(message: fg.Message) -> Any:
        return (f"element {n}" for n in range(len(message.data)))

    gauge = fg.Gauge(limits=OFF, rules=[complain])
    frame = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":[%s0]}}}'
    assert len(gauge.check(frame % b"").findings) > 50
    assert len(gauge.check(frame % (b"0," * 5000)).findings) == 1000
    check_growth(everything(gauge), lambda size: frame % (b"0," * (size // 2)), SMALL)


# A chain of findings that refer to each other would be followed, and freed, by recursion.
DEEP = """
import sys, threading
import framegauge as fg
threading.stack_size(128 << 10)
off = fg.Limits(None, None, None, None, None)
gauge = fg.Gauge("2025-03-26", transport="http", direction="client-to-server", limits=off)
call = b'{"jsonrpc":"2.0","id":null,"method":"m","params":{"a":1,"a":2}}'
frames = [
    b"[" + b",".join([call] * 30_000) + b"]",
    b"[" * 300_000 + b"]" * 300_000,
    b"[" * 300_000,
    b'{"a":' * 300_000 + b"1" + b"}" * 300_000,
    b'{"jsonrpc":"2.0","id":null,"method":"m","params":' + b'{"a":' * 300_000 + b"1" + b"}" * 300_001,
    b'{"a":' * 300_000,
    b'\\xef\\xbb\\xbf' + b'{"a":' * 300_000,
    b'text {"' * 300_000,
]
seen = []
def work():
    for frame in frames:
        verdict = gauge.check(frame)
        seen.append([(finding.rule, finding.path[:20], finding.hint, finding.count) for finding in verdict.findings])
        verdict.reply, verdict.status, verdict.respond
        gauge.check_lines(frame.replace(b",", b"\\n")).rule_counts()
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(len(seen), seen[0])
"""


def test_the_stack_does_not_grow_with_the_frame() -> None:
    """On a stack of 128 KiB: nothing is recursive."""
    done = subprocess.run(
        [sys.executable, "-c", DEEP], cwd=TESTS.parent, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("8 [("), done.stdout[:300]
    assert "'id-null', '/0/id'" in done.stdout
    assert ", 30000)" in done.stdout
