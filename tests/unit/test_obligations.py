"""What every judge of JSON-RPC frames owes, told on `classify` alone: ids, kinds, versions, params, batches."""

from __future__ import annotations

import pytest

import framegauge as fg


def frame(*members: bytes, jsonrpc: bytes = b'"jsonrpc":"2.0"') -> fg.Frame:
    return fg.classify(b"{" + b",".join([jsonrpc, *members]) + b"}")


def request(identifier: bytes) -> fg.Frame:
    return frame(b'"id":' + identifier, b'"method":"tools/list"')


# ---- ids

PLAIN_IDS = {
    "positive": b"1",
    "zero": b"0",
    "negative": b"-7",
    "string": b'"req-1"',
    "empty string": b'""',
    "null": b"null",
    "fractional": b"1.5",
    "string that looks like a number": b'"1"',
    "largest safe integer": b"9007199254740992",
}


@pytest.mark.parametrize("identifier", PLAIN_IDS.values(), ids=PLAIN_IDS)
def test_any_string_number_or_null_id_makes_a_request(identifier: bytes) -> None:
    seen = request(identifier)
    assert (seen.kind, seen.id, seen.method) == ("request", identifier, "tools/list")


@pytest.mark.parametrize(
    ("identifier", "named"),
    [
        (b"1", set()),
        (b"0", set()),
        (b"-7", set()),
        (b"1.5", {"id-not-integer"}),
        (b"null", {"id-null"}),
        (b'""', {"id-string", "id-empty"}),
        (b'"0"', {"id-string"}),
        (b"9007199254740992", set()),
        (b"9007199254740993", {"id-unsafe-integer"}),
        (b"-9007199254740993", {"id-unsafe-integer"}),
        (b"1.0", {"id-not-integer-literal"}),
        (b"-0", {"id-not-integer-literal"}),
    ],
)
def test_what_is_odd_about_an_id_is_a_fact(identifier: bytes, named: set[str]) -> None:
    assert {name for name in request(identifier).facts if name.startswith("id-")} == named


@pytest.mark.parametrize("identifier", [b"true", b"false"])
def test_a_boolean_is_no_number_and_no_id(identifier: bytes) -> None:
    """In Python, and wherever else booleans are numbers, `true` would pass for 1 and `false` for 0."""
    seen = request(identifier)
    assert (seen.kind, seen.id) == ("invalid", identifier)
    assert "id-boolean" in seen.facts
    assert seen.revisions == frozenset()


@pytest.mark.parametrize("identifier", [b"{}", b"[]", b"[1]", b'{"a":1}'])
def test_a_container_is_no_id(identifier: bytes) -> None:
    seen = request(identifier)
    assert (seen.kind, seen.id) == ("invalid", identifier)
    assert "id-container" in seen.facts


SPELLINGS = [
    b"1.0",
    b"1e2",
    b"1E+2",
    b"-0",
    b"-0.0",
    b"0.1e1",
    b"123456789012345678901234567890",
    b"-123456789012345678901234567890",
    rb'"\u0031"',
    rb'"\/\"\\"',
    rb'"\ud83d\ude00"',
    rb'"\ud800"',
    '"é\u2028"'.encode(),
    b'" 1 "',
]


@pytest.mark.parametrize("identifier", SPELLINGS)
@pytest.mark.parametrize("kind", [b'"method":"m"', b'"result":{}', b'"error":{"code":1,"message":"m"}'])
def test_an_id_is_kept_byte_for_byte(identifier: bytes, kind: bytes) -> None:
    for seen in (frame(b'"id":' + identifier, kind), frame(kind, b'"id" : ' + identifier + b" ")):
        assert seen.kind in ("request", "success", "error")
        assert seen.id == identifier


@pytest.mark.parametrize("identifier", [b"007", b"-01", b"+1", b".5", b"1.", b"0x1", b"1_000"])
def test_a_number_that_is_no_json_is_a_parse_error(identifier: bytes) -> None:
    seen = request(identifier)
    assert (seen.kind, seen.id) == ("parse-error", None)
    assert seen.fault is not None
    assert (seen.fault.rule, seen.fault.offset) == ("bad-number", 22)


def test_no_id_is_not_a_null_id() -> None:
    assert (request(b"null").kind, request(b"null").id) == ("request", b"null")
    absent = frame(b'"method":"m"')
    assert (absent.kind, absent.id) == ("notification", None)


# ---- presence, never truth


@pytest.mark.parametrize("falsy", [b"0", b"-0", b"0.0", b'""', b"null"])
def test_a_falsy_id_does_not_make_a_notification(falsy: bytes) -> None:
    assert request(falsy).kind == "request"


def test_a_notification_has_no_id_at_all() -> None:
    seen = frame(b'"method":"notifications/initialized"', b'"params":{"id":1}')
    assert (seen.kind, seen.id) == ("notification", None)
    assert "id-absent" in seen.facts


@pytest.mark.parametrize("method", [b'""', b'" "', b'"rpc.x"'])
def test_an_odd_method_is_a_method(method: bytes) -> None:
    assert frame(b'"id":1', b'"method":' + method).kind == "request"


# ---- responses

ERROR = b'"error":{"code":-32603,"message":"m"}'


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ((b'"result":{}',), "success"),
        ((b'"result":null',), "success"),
        ((b'"result":false',), "success"),
        ((ERROR,), "error"),
        ((b'"error":null',), "error"),
        ((b'"result":{}', ERROR), "invalid"),
        ((b'"result":null', ERROR), "invalid"),
        ((b'"result":{}', b'"error":null'), "invalid"),
        ((b'"result":null', b'"error":null'), "invalid"),
        ((), "invalid"),
    ],
)
def test_a_response_has_either_result_or_error(members: tuple[bytes, ...], kind: str) -> None:
    seen = frame(b'"id":1', *members)
    assert seen.kind == kind
    assert ("result-and-error" in seen.facts) == (len(members) == 2)
    assert ("no-method-result-error" in seen.facts) == (not members)


def test_a_result_without_id_answers_nothing_and_an_error_may() -> None:
    assert frame(b'"result":{}').kind == "invalid"
    assert frame(ERROR).kind == "error"


@pytest.mark.parametrize("answer", [b'"result":{}', b'"result":null', ERROR, b'"error":null'])
@pytest.mark.parametrize("method", [b'"method":"tools/call"', b'"method":null', b'"method":""', b'"method":1'])
@pytest.mark.parametrize("identifier", [(), (b'"id":1',), (b'"id":null',)])
def test_a_response_is_never_taken_for_a_call(answer: bytes, method: bytes, identifier: tuple[bytes, ...]) -> None:
    for members in ((*identifier, method, answer), (answer, method, *identifier), (answer, *identifier, method)):
        seen = frame(*members)
        assert seen.kind == "invalid"
        assert seen.revisions == frozenset()
        assert seen.facts & {"method-and-result", "method-and-error"}


# ---- version, method, params


@pytest.mark.parametrize("version", [b'"1.0"', b"2.0", b"2", b"null", b"[]", b'["2.0"]', b'"2"', b'"2.0 "', b'"2.00"'])
def test_a_wrong_version_is_invalid(version: bytes) -> None:
    seen = frame(b'"id":1', b'"method":"m"', jsonrpc=b'"jsonrpc":' + version)
    assert (seen.kind, seen.id) == ("invalid", b"1")
    assert "jsonrpc-wrong" in seen.facts


def test_a_missing_version_is_invalid() -> None:
    seen = fg.classify(b'{"id":1,"method":"m"}')
    assert (seen.kind, seen.id) == ("invalid", b"1")
    assert "jsonrpc-missing" in seen.facts


def test_a_version_may_be_escaped() -> None:
    seen = frame(b'"id":1', b'"method":"m"', jsonrpc=rb'"jsonrpc":"\u0032.0"')
    assert seen.kind == "request"
    assert "escaped-jsonrpc" in seen.facts


@pytest.mark.parametrize("method", [b"1", b"null", b"true", b"[]", b'["m"]', b"{}"])
def test_a_method_that_is_no_string_is_invalid(method: bytes) -> None:
    seen = frame(b'"id":1', b'"method":' + method)
    assert (seen.kind, seen.id, seen.method) == ("invalid", b"1", None)
    assert "method-type" in seen.facts


@pytest.mark.parametrize("params", [b"null", b"1", b'"x"', b"true", b"false"])
def test_scalar_params_are_invalid(params: bytes) -> None:
    for members in ((b'"id":1', b'"method":"m"'), (b'"method":"m"',)):
        seen = frame(*members, b'"params":' + params)
        assert seen.kind == "invalid"
        assert "params-scalar" in seen.facts


@pytest.mark.parametrize("params", [b"{}", b"[]", b'{"a":null}', b"[null]"])
def test_structured_params_are_fine(params: bytes) -> None:
    assert frame(b'"id":1', b'"method":"m"', b'"params":' + params).kind == "request"


@pytest.mark.parametrize("text", [b"1", b'"x"', b"null", b"true", b"-1.5"])
def test_a_scalar_is_no_message(text: bytes) -> None:
    seen = fg.classify(text)
    assert (seen.kind, seen.id, seen.method) == ("invalid", None, None)
    assert "top-scalar" in seen.facts


def test_an_extra_array_around_a_request_is_a_batch() -> None:
    seen = fg.classify(b'[{"jsonrpc":"2.0","id":1,"method":"m"}]')
    assert (seen.kind, seen.items, seen.id, seen.method) == ("batch", 1, None, None)
    assert fg.classify(b"[]").kind == "batch"
    assert fg.classify(b'[[{"jsonrpc":"2.0","id":1,"method":"m"}]]').items == 1


@pytest.mark.parametrize("blank", [b"", b" ", b"\n", b"\r\n", b" \t\r\n" * 300])
def test_nothing_is_an_empty_frame(blank: bytes) -> None:
    seen = fg.classify(blank)
    assert (seen.kind, seen.fault, seen.id) == ("empty", None, None)


# ---- doubled keys


@pytest.mark.parametrize("other", [rb'"\u0069d":2', rb'"i\u0064":2', rb'"\u0069\u0064":2', b'"id":1', b'"id":null'])
def test_a_doubled_id_is_seen_through_escapes(other: bytes) -> None:
    seen = frame(b'"id":1', b'"method":"m"', other)
    assert (seen.kind, seen.id, seen.duplicates) == ("invalid", b"1", 1)
    assert seen.facts >= {"duplicate-key", "duplicate-envelope"}
    assert seen.duplicate_offset == len(b'{"jsonrpc":"2.0","id":1,"method":"m",')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'"a"', rb'"\u0061"'),
        (rb'"\u0061"', b'"a"'),
        (b'"/"', rb'"\/"'),
        ('"é"'.encode(), rb'"\u00E9"'),
        ('"\U0001f389"'.encode(), rb'"\ud83c\udf89"'),
        (rb'"\n"', rb'"\u000a"'),
        (rb'"\ud800"', rb'"\uD800"'),
        (b'""', b'""'),
    ],
)
def test_doubled_keys_are_seen_at_any_depth(one: bytes, other: bytes) -> None:
    inner = b"{" + one + b":1," + other + b":2}"
    for params in (inner, b'{"arguments":' + inner + b"}", b"[[" + inner + b"]]"):
        seen = frame(b'"id":1', b'"method":"m"', b'"params":' + params)
        assert (seen.kind, seen.duplicates) == ("request", 1)
        assert "duplicate-key" in seen.facts
        assert seen.revisions == frozenset()


@pytest.mark.parametrize(
    ("one", "other"),
    [(b'"a"', b'"A"'), (b'"a"', rb'"a\u0000"'), (rb'"\ud800"', rb'"\ud801"'), (b'""', b'" "'), (b'"id"', b'"Id"')],
)
def test_different_keys_are_no_double(one: bytes, other: bytes) -> None:
    seen = frame(b'"method":"m"', b'"params":{' + one + b":1," + other + b":2}")
    assert (seen.kind, seen.duplicates, seen.duplicate_offset) == ("notification", 0, None)


# ---- limits keep what was read

LIMITED = {
    "nesting-limit": (fg.Limits(max_depth=3), b"[[[1]]]"),
    "number-too-long": (fg.Limits(max_number_digits=4), b"[12345]"),
    "too-many-members": (fg.Limits(max_members=4), b'{"a":1,"b":2,"c":3,"d":4,"e":5}'),
}


@pytest.mark.parametrize("rule", LIMITED)
def test_a_limit_keeps_the_id_that_was_read_before(rule: str) -> None:
    limits, params = LIMITED[rule]
    before = fg.classify(b'{"jsonrpc":"2.0","id":1,"method":"m","params":' + params + b"}", limits)
    after = fg.classify(b'{"jsonrpc":"2.0","method":"m","params":' + params + b',"id":1}', limits)
    for seen, identifier in ((before, b"1"), (after, None)):
        assert seen.fault is not None
        assert (seen.kind, seen.fault.rule, seen.fault.is_limit) == ("invalid", rule, True)
        assert (seen.id, seen.method) == (identifier, "m")


@pytest.mark.parametrize("rule", LIMITED)
def test_the_id_is_kept_where_what_follows_a_limit_is_broken(rule: str) -> None:
    """Nothing after the limit is read, so the fault behind it must not cost the id."""
    limits, params = LIMITED[rule]
    for tail in (b"", b'"', b"\x01", b"}{", b'"\x00"'):
        seen = fg.classify(b'{"jsonrpc":"2.0","id":"x","method":"m","params":' + params[:-1] + tail, limits)
        assert seen.fault is not None
        assert (seen.fault.rule, seen.id) == (rule, b'"x"')


def test_a_frame_that_is_too_large_has_no_id() -> None:
    seen = fg.classify(b'{"jsonrpc":"2.0","id":1,"method":"m"}', fg.Limits(max_frame_bytes=36))
    assert seen.fault is not None
    assert (seen.kind, seen.fault.rule, seen.fault.offset, seen.id) == ("invalid", "frame-too-large", 36, None)


def test_a_batch_that_is_too_large_stays_a_batch() -> None:
    seen = fg.classify(b"[1,2,3]", fg.Limits(max_batch_items=2))
    assert seen.fault is not None
    assert (seen.kind, seen.fault.rule, seen.fault.offset) == ("batch", "batch-too-large", 5)


# ---- where a fact ends

GOOD = b'{"jsonrpc":"2.0","id":1,"method":"m"}'


@pytest.mark.parametrize("blanks", [0, 1, 31, 32, 510, 511])
@pytest.mark.parametrize("newline", [b"\n", b"\r"])
def test_newlines_around_a_frame_are_no_raw_newlines(blanks: int, newline: bytes) -> None:
    for text in (b" " * blanks + newline + GOOD, GOOD + b" " * blanks + newline):
        assert "raw-newline" not in fg.classify(text).facts


@pytest.mark.parametrize("blanks", [512, 600, 5000])
def test_a_newline_far_before_the_first_token_is_no_raw_newline(blanks: int) -> None:
    assert "raw-newline" not in fg.classify(b" " * blanks + b"\n" + GOOD).facts


@pytest.mark.parametrize("before", [0, 500, 511, 512, 513, 5000])
def test_a_newline_between_tokens_is_a_raw_newline(before: int) -> None:
    text = b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * before + b'"\n}'
    assert "raw-newline" in fg.classify(text).facts
