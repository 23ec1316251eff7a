"""Keys of _meta and of extensions, and values that W3C describes: the native checks say what the reference says."""

from __future__ import annotations

from collections import Counter
from functools import cache
from random import Random
from typing import TYPE_CHECKING

import pytest

import framegauge as fg
from framegauge.protocol import revision
from tests.property.test_formats import spelled
from tests.reference.meta import TRACE_KEYS, is_reserved, is_trace, prefix_of
from tests.reference.observe import skeleton
from tests.support.mcp_calls import MAP_KEYS, MAP_VALUES

if TYPE_CHECKING:
    from collections.abc import Callable

# Which label of a prefix makes it MCP's own.
LABELS = {"2025-06-18": "second last", "2025-11-25": "second", "2026-07-28": "second"}
GAUGES = {name: fg.Gauge(name) for name in LABELS}
META = b'{"jsonrpc":"2.0","id":1,"result":{"_meta":{%s:%s},"content":[],"resultType":"complete"}}'
EXTENSION = (
    b'{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":[],"capabilities":{"extensions":'
    b'{%s:{}}},"serverInfo":{"name":"n","version":"1"},"ttlMs":0,"cacheScope":"public"}}'
)
RULES = ("meta-key-format", "meta-reserved-prefix", "meta-trace-keys", "meta-extension-ids")
PARTS = (
    *(
        "mcp",
        "modelcontextprotocol",
        "io",
        "com.",
        ".",
        "/",
        "-",
        "_",
        "a",
        "Z9",
        "0",
        "é",
        " ",
        "MCP",
        "mcpx",
        "x" * 17,
    ),
    *("modelcontextprotoco", "modelcontextprotocolx", "\x7f", "\0", "\u0130", ":", "@", "[", "`", "{"),
)
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
RIGHT = {
    "traceparent": (PARENT, f"01{PARENT[2:]}", f"cc{PARENT[2:]}-what the future holds", f"fe{PARENT[2:]}-"),
    "tracestate": (
        *("", "a=1", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", " a=1 ,\tb=2\t", ",,a=~", "0_-*/@=! -"),
        *(",".join(["k=v"] * 32), "k" * 256 + "=" + "v" * 256, "a= b", "a=b  ,"),
    ),
    "baggage": ("k=v", "k=", "a = 1 ; p ; q = 2 , b=%20", "!#$%&'*+.^_`|~-=!#[]~", "k==", "a=1;p,b=2;q=;r"),
}
ALPHABETS = {
    "traceparent": "0123456789abcdef--fF0gG@`/:é",
    "tracestate": 'az09_-*/@=,, \t~!AZ{}"\\;\x7f\n\0é`[:',
    "baggage": "az09AZ=;, \t!#$%&'*+-.^_`|~\"\\()/<>?@[]{}\x7f\n\0é",
}


def some_key(rng: Random) -> str:
    """A known one, a little changed, or a few of the parts that matter."""
    text = rng.choice(MAP_KEYS) if rng.random() < 0.3 else "".join(rng.choices(PARTS, k=rng.randrange(7)))
    return changed(text, PARTS, rng)


def changed(text: str, pieces: str | tuple[str, ...], rng: Random) -> str:
    for _ in range(rng.choice((0, 0, 1, 2))):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(("", rng.choice(pieces))) + text[at + rng.randrange(2) :]
    return text


def some_value(key: str, rng: Random) -> str:
    if rng.random() < 0.15:
        return "".join(rng.choices(ALPHABETS[key], k=rng.randrange(12)))
    long = [text * rng.choice((1, 1, 2, 3)) for text in RIGHT[key]]
    known = [text for text in MAP_VALUES if isinstance(text, str)]
    return changed(rng.choice((*long, *long, *known)), ALPHABETS[key], rng)


def found(gauge: fg.Gauge, frame: bytes, asked: str) -> list[str]:
    return [each.rule for each in gauge.check(frame, request_method=asked).findings if each.rule in RULES]


@cache
def described(name: str) -> set[str]:
    return {member for shape in revision(name).shapes.values() if shape.keys == "meta" for member in shape.members}


def expected(key: str, name: str) -> list[str]:
    prefix = prefix_of(key)
    if prefix is None:
        return ["meta-key-format"]
    reserved = is_reserved(prefix, LABELS[name]) and key not in described(name)
    return ["meta-reserved-prefix"] if reserved else []


def is_nearly_described(key: str, name: str) -> bool:
    """Then it is another rule."""
    return key not in described(name) and skeleton(key) in skeletons(name)


@cache
def skeletons(name: str) -> set[str]:
    return {skeleton(key) for key in described(name)}


def check_keys(count: int, seed: int) -> Counter[str]:
    rng, seen = Random(seed), Counter[str]()
    for _ in range(count):
        key, name = some_key(rng), rng.choice(list(LABELS))
        if key in TRACE_KEYS or is_nearly_described(key, name):
            continue
        said = found(GAUGES[name], META % (spelled(key, rng), b"1"), "tools/call")
        assert said == expected(key, name), (key, name)
        seen.update(said or ["right"])
    return seen


def check_ids(count: int, seed: int) -> Counter[str]:
    rng, seen = Random(seed), Counter[str]()
    for _ in range(count):
        key = some_key(rng)
        said = found(GAUGES["2026-07-28"], EXTENSION % spelled(key, rng), "server/discover")
        assert said == ([] if prefix_of(key) else ["meta-extension-ids"]), key
        seen.update(said or ["right"])
    return seen


def check_traces(count: int, seed: int) -> Counter[str]:
    rng, seen = Random(seed), Counter[str]()
    for _ in range(count):
        key = rng.choice(TRACE_KEYS)
        value = some_value(key, rng)
        said = found(GAUGES["2026-07-28"], META % (spelled(key, rng), spelled(value, rng)), "tools/call")
        assert said == ([] if is_trace(key, value) else ["meta-trace-keys"]), (key, value)
        seen[f"{key} {said}"] += 1
    return seen


CHECKS = (check_keys, check_ids, check_traces)


@pytest.mark.parametrize("check", CHECKS)
def test_some(check: Callable[[int, int], Counter[str]]) -> None:
    seen = check(4_000, 1)
    assert len(seen) == {check_keys: 3, check_ids: 2, check_traces: 6}[check]
    assert min(seen.values()) > 100, seen


@pytest.mark.heavy
@pytest.mark.parametrize("check", CHECKS)
def test_many(check: Callable[[int, int], Counter[str]]) -> None:
    check(200_000, 2)
