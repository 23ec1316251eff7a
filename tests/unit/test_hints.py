"""Hints: the likely mend, only where frame and facts tell it."""

from __future__ import annotations

import gzip
import random

import pytest

import framegauge as fg
from framegauge.explain import hints
from framegauge.explain.hints import hint
from framegauge.explain.similar_names import similar
from framegauge.protocol import EXTENSIONS, MCP, revision
from framegauge.protocol.revision import parse_spec
from framegauge.ruleset import registry
from tests.reference.meant import is_nearly

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
    assert of_fault("{}".encode("utf-16-le")) == "utf-16-suspected"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["{}", "null", "true", "fatal: no", "nothing", "None", ",{}", "}]", '"ab"', "12"])
def test_other_text_in_utf_16(text: str, encoding: str) -> None:
    assert of_fault(text.encode(encoding)) == "utf-16-suspected"


def test_behind_a_line_in_utf_16_the_json_starts() -> None:
    assert of_fault("listens on 8080\n".encode("utf-16-be") + REQUEST) == "json-starts-at:32"


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
        ("key-case-variant", "JSONRPC", "jsonrpc"),
        ("key-case-variant", "Error", "error"),
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


@pytest.mark.parametrize(
    ("method", "meant"),
    [
        ("tools/Call", "tools/call"),
        ("tool/call", "tools/call"),
        ("tools/calls", "tools/call"),
        ("listTools", "tools/list"),
        ("tools.list", "tools/list"),
        ("toolsList", "tools/list"),
        ("TOOLS/LIST", "tools/list"),
        ("mcp/tools/list", "tools/list"),
        ("prompts/gets", "prompts/get"),
        ("read_resource", "resources/read"),
        ("initialise", "initialize"),
        ("pnig", None),
        ("pin", "ping"),
        ("tools/exec", None),
        ("tools", None),
        ("textDocument/didOpen", None),
        ("", None),
        ("tools/li\u017ft", None),
        ("notifications/tools/listChanged", "notifications/tools/list_changed"),
        ("tools/list" * 1000, None),
        ("mcp/" * 22 + "//tools/list", "tools/list"),  # 100 characters
        ("mcp/" * 22 + "///tools/list", None),
    ],
)
def test_the_method_that_was_meant(method: str, meant: str | None) -> None:
    frame = f'{{"jsonrpc":"2.0","id":1,"method":"{method}"}}'.encode()
    assert of("unknown-method", frame, 33) == (meant and f"did-you-mean:{meant}")


@pytest.mark.parametrize(
    ("method", "meant"),
    [
        ("initialized", "notifications/initialized"),
        ("notifications/initialize", "notifications/initialized"),
        ("cancelled", "notifications/cancelled"),
        ("Tools/Call", "tools/call"),
    ],
)
def test_of_a_notification_the_notifications_come_first(method: str, meant: str) -> None:
    assert of("unknown-method", f'{{"jsonrpc":"2.0","method":"{method}"}}'.encode()) == f"did-you-mean:{meant}"


METHODS = sorted({name for text in map(revision, (*MCP, *EXTENSIONS)) for name in text.methods})


@pytest.mark.parametrize("method", METHODS)
def test_a_method_that_was_bent_is_found_again(method: str) -> None:
    bent = [method.upper(), method.replace("/", "."), method.replace("/", "_")]
    bent += [method + "s", f"mcp/{method}", method[:-1]]
    for name in bent:
        assert name in METHODS or similar(name, METHODS) is not None, name
        assert (similar(name, METHODS) is None) == (not any(is_nearly(name, each) for each in METHODS)), name


def test_names_are_nearly_known_by_the_definition() -> None:
    noise = random.Random(11)
    found = 0
    for _ in range(2_000):
        name = list(noise.choice(METHODS))
        for _ in range(noise.randrange(1, 5)):
            at = noise.randrange(len(name) + 1)
            name[at : at + noise.randrange(2)] = noise.choice(("", "a", "S", "/", "_", "x1", "é", "mcp."))
        text = "".join(name)
        nearly = any(is_nearly(text, each) for each in METHODS)
        assert (similar(text, METHODS) is not None) == nearly, text
        found += nearly
    assert 200 < found < 1_900


@pytest.mark.parametrize(
    ("method", "known"),
    [
        ("ping", "2024-11-05,2025-03-26,2025-06-18,2025-11-25"),
        ("server/discover", "2026-07-28"),
        ("tasks/update", "2026-07-28"),
        ("roots/list", "2024-11-05,2025-03-26,2025-06-18,2025-11-25"),  # later only within a result
        ("elicitation/create", "2025-06-18,2025-11-25"),
        ("harbour/ask", None),
    ],
)
def test_where_a_method_is_known(method: str, known: str | None) -> None:
    frame = f'{{"jsonrpc":"2.0","id":1,"method":"{method}"}}'.encode()
    assert of("method-not-in-revision", frame, 33) == (known and f"known-in:{known}")


@pytest.mark.parametrize(
    ("method", "key", "expected"),
    [
        ("tools/call", "args", "arguments"),
        ("tools/call", "input", "arguments"),
        ("tools/call", "parameters", "arguments"),
        ("tools/call", "arg", "arguments"),
        ("tools/call", "inputs", "arguments"),
        ("tools/call", "kwargs", "arguments"),
        ("tools/call", "argument", "arguments"),
        ("tools/call", "Arguments", "arguments"),
        ("tools/call", "\\u0061rgs", "arguments"),
        ("tools/call", "toolName", "name"),
        ("tools/call", "tool_name", "name"),
        ("tools/call", "tool", "name"),
        ("prompts/get", "prompt", "name"),
        ("prompts/get", "promptName", "name"),
        ("tools/call", "meta", "_meta"),
        ("tools/call", "timeout", None),
        ("resources/read", "url", "uri"),
        ("resources/read", "input", None),
        ("notifications/progress", "progrezz", "progress"),
        ("notifications/progress", "mezsage", "message"),
        ("notifications/progress", "mezzage", None),  # less than 8 characters: one may be wrong
        ("initialize", "protocol_version", "protocolVersion"),
        ("elicitation/create", "elicitation_id", "elicitationId"),
        ("harbour/ask", "args", None),
    ],
)
def test_the_param_that_was_meant(method: str, key: str, expected: str | None) -> None:
    start = f'{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{'
    frame = f'{start}"{key}":1}}}}'.encode()
    assert of("unknown-param", frame, len(start)) == (expected and f"did-you-mean:{expected}")


@pytest.mark.parametrize(
    ("method", "key", "known"),
    [
        ("tools/call", "task", "2025-11-25"),
        ("tools/call", "inputResponses", "2026-07-28"),
        ("tools/call", "\\u0074ask", "2025-11-25"),
        ("elicitation/create", "mode", "2025-11-25"),
        ("completion/complete", "context", "2025-06-18,2025-11-25,2026-07-28"),
    ],
)
def test_where_a_param_is_known(method: str, key: str, known: str) -> None:
    start = f'{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{'
    assert of("unknown-param", f'{start}"{key}":1}}}}'.encode(), len(start)) == f"known-in:{known}"


def test_params_of_which_nothing_is_said_have_no_names() -> None:
    assert hints._names(revision(MCP[-1]), None) == []
    assert hints._names(revision(MCP[-1]), parse_spec("object", {})) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (r'"{\"city\":\"Turku\"}"', "double-encoded-json"),
        (r'"\u007b\u007d"', "double-encoded-json"),
        ('"[1]"', None),
        ('"Turku"', None),
        (r'"{\"city\":"', None),
        ('"' + "[" * 100_000 + '"', None),
        ("[]", None),
        ("null", None),
    ],
)
def test_an_object_that_was_encoded_twice(arguments: str, expected: str | None) -> None:
    start = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","arguments":'
    assert of("arguments-not-object", f"{start}{arguments}}}}}".encode(), len(start)) == expected


def test_a_notification_with_an_id() -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}'
    assert of("notification-method-with-id", frame, 22) == "omit-id"


def test_a_member_below_the_envelope_is_named() -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"URI":"file:///a"}}'
    assert of("key-case-variant", frame, 60) == "did-you-mean:uri"


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
