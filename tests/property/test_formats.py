"""Formats and ranges: what the native checks say of made-up texts and numbers is what the slow reference says."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest

import framegauge as fg
from framegauge.protocol import FORMATS, Narrow
from tests.reference.formats import number_fault, text_fault
from tests.support.format_values import ODD, RIGHT, WRONG

GAUGE = fg.Gauge("2025-11-25")
SERVER = fg.Gauge("2026-07-28")
# Where each format is asked for: a frame with %s in its place.
FRAMES = {
    "base64": b'{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a:b","blob":%s}]}}',
    "iso8601": b'{"jsonrpc":"2.0","id":1,"result":{"taskId":"t","status":"working","createdAt":%s,'
    b'"lastUpdatedAt":"2025-11-25","ttl":null}}',
    "mime": b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"image","data":"","mimeType":%s}]}}',
    "uri": b'{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":%s,"text":""}]}}',
    "url": b'{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"m",'
    b'"elicitationId":"e","url":%s}}',
}
ASKED = {"base64": "resources/read", "iso8601": "tasks/get", "mime": "tools/call", "uri": "resources/read", "url": None}
PRIORITY = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"","annotations":{"priority":%s}}]}}'
TTL = b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"cacheScope":"public","ttlMs":%s}}'

ALPHABETS = {
    "base64": "AZaz09+/==\r\n-_ é\u0100",
    "iso8601": "0123456789--::TtWZz+., ",
    "mime": 'az09/;= \t!*+.-"(é',
    "uri": "azAZ09:/?#[]@!$&'()*+,;=%%4fé -._~\\\"{}|^`<>\x7f\x00",
    "url": "azAZ09:/?#[]@!$&'()*+,;=%%4fé -._~\\\"{}|^`<>\x7f\x00\u009f\u00a0",
}
ALPHABETS["url"] += "https:///"


def severity(frame: bytes, asked: str | None, gauge: fg.Gauge = GAUGE) -> str | None:
    """Of the one rule on values that may be broken."""
    findings = [each for each in gauge.check(frame, request_method=asked).findings if each.rule.endswith("-value")]
    assert len(findings) < 2
    return findings[0].severity if findings else None


def spelled(text: str, rng: Random) -> bytes:
    """A JSON string, with needless escapes now and then."""
    plain = json.dumps(text, ensure_ascii=rng.random() < 0.5)
    if rng.random() < 0.3 and text.isascii():
        return (
            b'"%s"' % "".join(f"\\u{ord(c):04x}" if rng.random() < 0.2 else json.dumps(c)[1:-1] for c in text).encode()
        )
    return (plain.replace("/", "\\/") if rng.random() < 0.3 else plain).encode("utf-8", "surrogatepass")


def some_text(name: str, rng: Random) -> str:
    """One of the known ones, a little changed, or anything of the letters that matter."""
    if rng.random() < 0.15:
        return "".join(rng.choices(ALPHABETS[name], k=rng.randrange(12)))
    text = rng.choice((*RIGHT[name], *RIGHT[name], *ODD.get(name, ()), *WRONG[name]))
    for _ in range(rng.choice((0, 1, 1, 2))):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(("", rng.choice(ALPHABETS[name]))) + text[at + rng.randrange(2) :]
    return text


def check_texts(name: str, count: int, seed: int) -> Counter[str | None]:
    rng, seen, narrow = Random(f"{name} {seed}"), Counter[str | None](), Narrow("string", name)
    for _ in range(count):
        text = some_text(name, rng)
        said = severity(FRAMES[name] % spelled(text, rng), ASKED[name])
        assert said == text_fault(text, narrow), text
        seen[said] += 1
    return seen


@pytest.mark.parametrize("name", FORMATS)
def test_texts(name: str) -> None:
    seen = check_texts(name, 3_000, seed=1)
    assert min(seen[None], seen["error"]) > 300, seen
    assert seen["warning"] > 100 or name not in ODD, seen


@pytest.mark.heavy
@pytest.mark.parametrize("name", FORMATS)
def test_many_texts(name: str) -> None:
    check_texts(name, 100_000, seed=2)


def test_base64_of_every_length_with_a_wrong_byte_anywhere() -> None:
    """Around the width of the blocks that it is read in."""
    narrow = Narrow("string", "base64")
    for size in range(1, 140):
        right = ("AZaz09+/" * 20)[:size]
        assert severity(FRAMES["base64"] % f'"{right}"'.encode(), "resources/read") == text_fault(right, narrow)
        if size % 4:
            continue
        for place in range(size):
            for wrong in ("*", "@", "=", "é", "\\n", "\\/"):
                text = right[:place] + wrong + right[place + 1 :]
                said = severity(FRAMES["base64"] % f'"{text}"'.encode(), "resources/read")
                assert said == text_fault(json.loads(f'"{text}"'), narrow), text


def some_number(rng: Random) -> str:
    whole = rng.choice(("0", "1", "2", "10", "9" * rng.randrange(1, 25), "1" + "0" * rng.randrange(25)))
    fraction = rng.choice(("", "", ".0", ".5", ".000", "." + "0" * rng.randrange(30) + "1", ".9"))
    exponent = rng.choice(
        ("", "", "e0", "E+1", "e-1", "e-2", "e-25", f"e{rng.randrange(-40, 40)}", "e-99999999999999999999")
    )
    return rng.choice(("", "", "-")) + whole + fraction + (exponent if rng.random() < 0.9 else "e99999999999999999999")


@pytest.mark.parametrize(
    ("frame", "asked", "gauge", "narrow"),
    [
        (PRIORITY, "tools/call", GAUGE, Narrow("number", low=0, high=1)),
        (TTL, "tools/list", SERVER, Narrow("number", low=0)),
    ],
)
def test_numbers(frame: bytes, asked: str, gauge: fg.Gauge, narrow: Narrow) -> None:
    rng, seen = Random(3), Counter[str | None]()
    for _ in range(5_000):
        token = some_number(rng).encode()
        said = severity(frame % token, asked, gauge)
        assert said == number_fault(token, narrow), token
        seen[said] += 1
    assert min(seen[None], seen["error"]) > 1_000, seen
