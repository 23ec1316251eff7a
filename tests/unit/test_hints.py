"""Hints: the likely mend, only where frame and facts tell it."""

from __future__ import annotations

import gzip
import random

import pytest

import framegauge as fg
from framegauge.rules import hints, registry
from framegauge.rules.hints import hint

REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def of_fault(frame: bytes) -> str | None:
    """The hint's id for the frame's fault."""
    facts = fg.classify(frame)
    assert facts.fault
    found = hint(facts.fault.rule, frame, facts.fault.offset, facts)
    return found and found[0]


def of(rule: str, frame: bytes, offset: int = 0) -> str | None:
    found = hint(rule, frame, offset, fg.classify(frame))
    return found and found[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16(encoding: str) -> None:
    assert of_fault(REQUEST.decode().encode(encoding)) == "utf-16-suspected"
    assert of_fault(b"\xfe\xff" + REQUEST.decode().encode("utf-16-be")) == "utf-16-suspected"


@pytest.mark.parametrize("frame", [gzip.compress(REQUEST, mtime=0), b"\x28\xb5\x2f\xfd\x20\x28\x41\x01\x00"])
def test_a_compressed_body(frame: bytes) -> None:
    assert of_fault(frame) == "body-still-encoded"


@pytest.mark.parametrize(
    "frame",
    [
        b"oops",
        b"\x00",
        b"\x00\x00\x00\x00",
        b"a\x00",
        b"{\x00}",
        b'{"a":"\xff"}',
        REQUEST + b"\x00",
        b"\x1f",
        b'{"a":1',
    ],
)
def test_no_encoding_is_guessed(frame: bytes) -> None:
    assert of_fault(frame) is None


def test_where_the_json_starts() -> None:
    assert of_fault(b"log: " + REQUEST) == "json-starts-at:5"
    assert of("leading-garbage", REQUEST) is None


@pytest.mark.parametrize(
    ("rule", "key", "name"),
    [
        ("key-case-variant", "Method", "method"),
        ("key-case-variant", "ID", "id"),
        ("key-case-variant", "\\u004dethod", "method"),
        ("key-lookalike", "param\u017f", "params"),
        ("key-lookalike", "re\\u017fult", "result"),
        ("key-lookalike", "i\u200bd", "id"),
        ("key-lookalike", "METHOD\\u0000", "method"),
        ("key-lookalike", "\ufeffid", "id"),
    ],
)
def test_the_member_that_was_meant(rule: str, key: str, name: str) -> None:
    frame = f'{{"{key}":1}}'.encode()
    assert rule in fg.classify(frame).facts
    assert of(rule, frame, 1) == f"did-you-mean:{name}"


@pytest.mark.parametrize("offset", [-1, 0, 2, 99])
def test_no_member_is_named_where_no_key_stands(offset: int) -> None:
    assert of("key-case-variant", b'{"ID":1}', offset) is None


def test_no_member_is_named_for_another_key() -> None:
    assert of("key-case-variant", b'{"Idx":1}', 1) is None
    assert of("key-case-variant", b'{"\\x":1}', 1) is None


@pytest.mark.parametrize(
    ("rule", "raw", "expected"),
    [
        ("id-not-integer-literal", b"1.0", "use-id:1"),
        ("id-not-integer-literal", b"1e2", "use-id:100"),
        ("id-not-integer-literal", b"-0", "use-id:0"),
        ("id-not-integer-literal", b"-120E-1", "use-id:-12"),
        ("id-not-integer-literal", b"1e60", "use-id:1" + "0" * 60),
        ("id-not-integer-literal", b"1e999999999", None),
        ("id-not-integer-literal", b"0e99999999999999999999", None),
        ("id-not-integer-literal", b"1e99999999999999999999", None),
        ("id-not-integer-literal", b"1." + b"0" * 200, None),
        ("id-not-integer", b"1.5", 'use-id:"1.5"'),
        ("id-unsafe-integer", b"9007199254740993", 'use-id:"9007199254740993"'),
        ("id-unsafe-integer", b"9" * 200, None),
    ],
)
def test_another_id(rule: str, raw: bytes, expected: str | None) -> None:
    frame = b'{"jsonrpc":"2.0","id":' + raw + b',"method":"m"}'
    assert rule in fg.classify(frame).facts
    assert of(rule, frame) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (b'"method":"notifications/initialized"', "omit-id"),
        (b'"method":"tools/list"', "demoted-to-notification:mcp"),
        (b'"method":"tools/list","params":{}', "demoted-to-notification:mcp"),
        (b'"method":"tools/list","x":1', None),
        (b'"method":"tools/list","params":[]', None),
        (b'"method":1', None),
        (b'"result":{}', None),
    ],
)
def test_a_null_id(members: bytes, expected: str | None) -> None:
    assert of("id-null", b'{"jsonrpc":"2.0","id":null,' + members + b"}") == expected


def test_an_id_of_a_wrong_type() -> None:
    for raw in (b"true", b"false", b"{}", b"[]"):
        assert of("id-type", b'{"jsonrpc":"2.0","id":' + raw + b',"method":"a"}') == "demoted-to-notification:mcp"
        assert of("id-type", b'{"jsonrpc":"2.0","id":' + raw + b',"result":{}}') is None
        assert of("id-type", b'{"id":' + raw + b',"method":"a"}') is None


def test_no_element_of_a_batch_was_seen_demoted() -> None:
    frame = b'[{"jsonrpc":"2.0","id":null,"method":"a"}]'
    [finding] = [found for found in fg.Gauge("2025-03-26").check(frame).findings if found.rule == "id-null"]
    assert (finding.path, finding.hint) == ("/0/id", None)


@pytest.mark.parametrize(
    ("members", "key", "expected"),
    [
        (b'"id":1,"id":2,"method":"a"', b'"id":2', "last-duplicate-wins"),
        (b'"id":1,"method":"a","m\\u0065thod":"b"', b'"m\\', "last-duplicate-wins"),
        (b'"id":1,"method":"a","params":{"id":1,"id":2}', b'"id":2', None),
        (b'"id":1,"method":"a","params":{},"params":{}', b'"params":{}}', None),
        (b'"id":1,"method":"a","x":1,"x":2', b'"x":2', None),
    ],
)
def test_of_two_members_the_last_one(members: bytes, key: bytes, expected: str | None) -> None:
    frame = b'{"jsonrpc":"2.0",' + members + b"}"
    assert of("duplicate-key", frame, frame.index(key)) == expected
    found = {finding.rule: finding for finding in fg.Gauge().check(frame).findings}
    assert found["duplicate-key"].offset == frame.index(key)


def test_what_is_always_said() -> None:
    assert of("embedded-newline", b"{\n}") == "pretty-printed"


def test_other_rules_have_none() -> None:
    assert of("no-such-rule", REQUEST) is None
    assert of("method-type", REQUEST) is None


def test_hints_are_for_rules_that_exist() -> None:
    for name in (*hints._HINTS, *hints._UNREADABLE):
        registry.by_id(name)


def test_no_bytes_make_it_fail() -> None:
    noise = random.Random(2607)
    for _ in range(3000):
        frame = bytes(noise.choices(b'{}[],:"\\u0aidID\x00\xff1.e', k=noise.randrange(16)))
        facts = fg.classify(frame)
        for name in hints._HINTS:
            found = hint(name, frame, noise.randrange(18), facts)
            if found:
                identifier, sentence = found
                assert identifier.isascii()
                assert sentence.endswith(".")
