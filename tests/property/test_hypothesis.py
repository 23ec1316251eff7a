"""Frames that hypothesis builds from their structure: native against reference, and what must hold of any frame.

The profile `heavy` runs twenty times as many examples and is not derandomized: `-m heavy`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import framegauge as fg
from tests.reference.facts import Limits
from tests.reference.names import KNOWN_MEMBERS
from tests.reference.rows import ALL
from tests.support.comparison import differences, verdict_differences
from tests.support.mcp_calls import some_call
from tests.support.mutations import PIECES

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS = {
    "default": Limits(),
    "tight": Limits(max_frame_bytes=400, max_depth=4, max_batch_items=2, max_number_digits=5, max_members=4),
    "none": Limits(None, None, None, None, None),
}
COMMON: dict[str, Any] = {
    "deadline": None,  # a shared machine stalls
    "database": None,
    "suppress_health_check": list(HealthCheck),
}
QUICK = settings(max_examples=150, derandomize=os.environ.get("CI") == "true", **COMMON)
HEAVY = settings(max_examples=3_000, **COMMON)

# ---- strategies: everything is bytes, so that odd spellings survive

BLANK = st.one_of(
    st.just(b""),
    st.just(b""),
    st.sampled_from([b" ", b"\n", b"\r\n", b"\t", b"\r", b"  \n\t"]),
    st.integers(1, 70).map(lambda count: b" " * count),
)


def escaped(char: str) -> st.SearchStrategy[bytes]:
    """Some spelling of one character inside a string."""
    units = char.encode("utf-16-be", "surrogatepass")
    low = b"".join(b"\\u%04x" % int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2))
    spellings = [low, low.upper().replace(b"\\U", b"\\u")]
    short = {
        '"': b'\\"',
        "\\": b"\\\\",
        "/": b"\\/",
        "\b": b"\\b",
        "\f": b"\\f",
        "\n": b"\\n",
        "\r": b"\\r",
        "\t": b"\\t",
    }
    if char in short:
        spellings.append(short[char])
    if char not in '"\\' and char >= " " and not "\ud800" <= char <= "\udfff":
        spellings += [char.encode()] * 4
    return st.sampled_from(spellings)


def spell(text: str) -> st.SearchStrategy[bytes]:
    """The JSON string of a text, each of its characters in some spelling."""
    return st.tuples(*map(escaped, text)).map(lambda parts: b'"' + b"".join(parts) + b'"')


CHARACTERS = st.one_of(
    st.characters(codec="utf-8"),
    st.sampled_from(
        '"\\/\b\n\0\x1f\x7f \u00e9\u017f\u212a\u200b\u2028\ufeff\U0001f389\U000e0041\ud800\udbff\udc00\udfff'
    ),
)
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=12), st.text("ab\\", max_size=150), st.text("\ud83d\ude00é", max_size=40)
)
STRINGS = TEXTS.flatmap(spell)
DIGITS = st.text("0123456789", min_size=1, max_size=25).map(str.encode)
NUMBERS = st.one_of(
    st.sampled_from(
        [b"0", b"-0", b"1", b"-1", b"1.0", b"1e2", b"1E+2", b"1e-2", b"10e-1", b"0.10e1", b"0e99999999999"]
    ),
    st.sampled_from([b"9007199254740992", b"9007199254740993", b"-9007199254740993", b"90071992547409930e-1"]),
    st.sampled_from([b"2147483647", b"2147483648", b"-2147483648", b"-2147483649", b"-21474836480e-1", b"1e400"]),
    st.integers().map(lambda n: b"%d" % n),
    st.tuples(st.integers(-(10**6), 10**6), DIGITS, st.sampled_from([b"", b"e1", b"E-3", b"e+20"])).map(
        lambda parts: b"%d.%s%s" % parts
    ),
)
SCALARS = st.one_of(STRINGS, NUMBERS, st.sampled_from([b"true", b"false", b"null", b'""', b"{}", b"[]"]))
NAMES = st.one_of(
    st.sampled_from(["a", "b", "id", "a\0", "A", ""]),
    st.sampled_from(sorted(KNOWN_MEMBERS)),
    TEXTS,
)
KEYS = NAMES.flatmap(spell)


@st.composite
def joined(draw: st.DrawFn, brackets: bytes, parts: list[bytes]) -> bytes:
    """The parts with commas between them and white space around every token."""
    texts = [draw(BLANK) + part + draw(BLANK) for part in parts]
    return brackets[:1] + (b",".join(texts) or draw(BLANK)) + brackets[1:]


def pair(key: bytes, value: bytes) -> st.SearchStrategy[bytes]:
    return st.tuples(BLANK, BLANK).map(lambda blanks: key + blanks[0] + b":" + blanks[1] + value)


def pairs(keys: st.SearchStrategy[bytes], values: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.tuples(keys, values).flatmap(lambda both: pair(*both))


def arrays(values: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.lists(values, max_size=5).flatmap(lambda parts: joined(b"[]", parts))


def objects(values: st.SearchStrategy[bytes], most: int = 6) -> st.SearchStrategy[bytes]:
    return st.lists(pairs(KEYS, values), max_size=most).flatmap(lambda parts: joined(b"{}", parts))


def nested(values: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Deep, so that levels pass the limit and the words of 64 levels each."""
    ends = st.sampled_from([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"b":[', b"]}]"), (b'{"a":1,"a":[', b"]}")])
    return st.tuples(st.integers(1, 140), ends, values).map(
        lambda parts: parts[1][0] * parts[0] + parts[2] + parts[1][1] * parts[0]
    )


def many(values: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Objects of more than 32 keys, some of them twice."""
    return st.tuples(st.lists(st.integers(0, 90), min_size=28, max_size=80), values).map(
        lambda parts: b"{" + b",".join(b'"k%d":%s' % (n, parts[1]) for n in parts[0]) + b"}"
    )


JSON = st.recursive(SCALARS, lambda values: st.one_of(arrays(values), objects(values)), max_leaves=8)
VALUES = st.one_of(JSON, JSON, JSON, nested(SCALARS), many(SCALARS))

ENVELOPE_VALUES: dict[str, st.SearchStrategy[bytes]] = {
    "jsonrpc": st.one_of(st.just(b'"2.0"'), st.just(b'"2.0"'), spell("2.0"), SCALARS),
    "id": st.one_of(SCALARS, NUMBERS, VALUES),
    "method": st.one_of(st.just(b'"tools/call"'), spell("rpc.x"), STRINGS, SCALARS),
    "params": st.one_of(objects(VALUES, 30), objects(objects(SCALARS)), VALUES),
    "result": st.one_of(objects(VALUES, 20), VALUES),
    "error": st.one_of(
        st.lists(
            st.one_of(
                pairs(spell("code"), st.one_of(NUMBERS, SCALARS)),
                pairs(spell("message"), SCALARS),
                pairs(KEYS, SCALARS),
            ),
            max_size=12,
        ).flatmap(lambda parts: joined(b"{}", parts)),
        VALUES,
    ),
}
ODD_KEYS = st.sampled_from(
    ["ID", "Id", "method\0", "re\u200bsult", "par\u0061ms", "iD", "\u017f", "error\u00ad", "jsonRpc"]
)


def member(name: str) -> st.SearchStrategy[bytes]:
    key = st.one_of(st.just(b'"' + name.encode() + b'"'), spell(name))
    return pairs(key, ENVELOPE_VALUES[name])


MEMBERS = st.one_of(*map(member, ENVELOPE_VALUES), pairs(ODD_KEYS.flatmap(spell), SCALARS), pairs(KEYS, SCALARS))
USUAL = st.sampled_from(
    [("id", "method", "params"), ("method", "params"), ("id", "result"), ("id", "error"), ("id", "method"), ("error",)]
).flatmap(lambda names: st.tuples(member("jsonrpc"), *map(member, names)))
ENVELOPES = (
    st.tuples(USUAL, st.lists(MEMBERS, max_size=2))
    .flatmap(lambda parts: st.permutations([*parts[0], *parts[1]]))
    .flatmap(lambda parts: joined(b"{}", list(parts)))
)
PLAIN = {
    "jsonrpc": st.just(b'"2.0"'),
    "id": st.one_of(NUMBERS, STRINGS, st.just(b"null")),
    "method": STRINGS,
    "params": st.one_of(objects(VALUES), arrays(SCALARS)),
    "result": objects(VALUES),
    "error": st.tuples(NUMBERS, STRINGS).map(lambda both: b'{"code":%s,"message":%s}' % both),
}
# Messages as they should be, so that examples do not stop at the envelope.
MESSAGES = (
    st.sampled_from(
        [
            ("id", "method"),
            ("id", "method", "params"),
            ("method",),
            ("method", "params"),
            ("id", "result"),
            ("id", "error"),
        ]
    )
    .flatmap(
        lambda names: st.tuples(*(pairs(st.just(b'"%s"' % name.encode()), PLAIN[name]) for name in ("jsonrpc", *names)))
    )
    .flatmap(lambda parts: joined(b"{}", list(parts)))
)
CALLS = st.tuples(st.randoms(use_true_random=False), st.integers(0, 3)).map(lambda both: some_call(*both).frame)
OBJECTS = st.one_of(
    MESSAGES, MESSAGES, ENVELOPES, ENVELOPES, CALLS, st.lists(MEMBERS, max_size=7).flatmap(lambda p: joined(b"{}", p))
)
BATCHES = st.lists(st.one_of(OBJECTS, VALUES), max_size=4).flatmap(lambda parts: joined(b"[]", parts))
TEXTS_AROUND = st.tuples(BLANK, st.one_of(OBJECTS, OBJECTS, BATCHES, VALUES), BLANK).map(b"".join)
RAW = st.one_of(
    st.binary(max_size=80),
    st.lists(st.one_of(st.sampled_from(PIECES), st.binary(min_size=1, max_size=2)), max_size=20).map(b"".join),
    st.text('{}[],:"\\ \n0123456789.eE+-truefalsnNaI', max_size=40).map(str.encode),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A good text with one piece put in, or one stretch taken out."""
    text = draw(TEXTS_AROUND)
    start = draw(st.integers(0, len(text)))
    stop = draw(st.one_of(st.just(start), st.integers(start, min(len(text), start + 5))))
    return text[:start] + draw(st.one_of(st.just(b""), st.sampled_from(PIECES))) + text[stop:]


FRAMES = st.one_of(TEXTS_AROUND, TEXTS_AROUND, damaged(), RAW)

# ---- properties


def check_against_reference(frame: bytes, limits: str) -> None:
    assert differences(frame, LIMITS[limits]) == []


def check_verdicts(frame: bytes, revision: str, direction: str | None) -> None:
    assert verdict_differences(frame, revision=revision, direction=direction) == []


def good(frame: bytes) -> fg.Frame:
    seen = fg.classify(frame, fg.Limits(None, None, None, None, None))
    assume(seen.fault is None and seen.kind != "empty")
    return seen


def check_garbage(frame: bytes, piece: bytes) -> None:
    """Something other than white space behind a whole object or array makes it a parse error."""
    good(frame)
    assume(frame.strip(b" \t\r\n")[:1] in (b"{", b"[") and piece.strip(b" \t\r\n"))
    assert fg.classify(frame + piece).kind in ("parse-error", "invalid", "batch")
    assert fg.classify(frame + piece, fg.Limits(None, None, None, None, None)).kind == "parse-error"


def check_cut(frame: bytes, share: float) -> None:
    """An object that is cut short is no object, wherever the cut is; and it was cut, which the fault says."""
    good(frame)
    text = frame.strip(b" \t\r\n")
    assume(text[:1] in (b"{", b"["))
    cut = text[: 1 + int(share * (len(text) - 1))]
    assume(len(cut) < len(text))
    seen = fg.classify(cut, fg.Limits(None, None, None, None, None))
    assert seen.kind == "parse-error"
    assert seen.fault is not None
    assert seen.fault.rule in ("truncated", "invalid-utf8")
    assert seen.fault.rule == "invalid-utf8" or seen.fault.offset == len(cut)


def summary(frame: bytes, seen: fg.Frame, shift: int) -> tuple[Any, ...]:
    """What must not depend on where the text stands: all but size and last byte; offsets from its start."""
    members = [m for m in map(seen.member, ENVELOPE_VALUES) if m]
    members += [m for group in ("params", "result", "error", "_meta") for m in seen.members(group)]
    fault = seen.fault and (seen.fault.rule, seen.fault.offset - shift)
    doubled = seen.duplicate_offset is not None and seen.duplicate_offset - shift
    return (
        *(
            seen.kind,
            fault,
            seen.id,
            seen.method,
            seen.facts - {"trailing-cr"},
            seen.items,
            seen.depth,
            seen.duplicates,
            doubled,
        ),
        [(m.name, m.type, m.start - shift, m.stop - shift, bytes(m.raw(frame))) for m in members],
    )


def check_blanks(text: bytes, before: bytes, after: bytes) -> None:
    """White space around a text changes offsets, and nothing else."""
    text = text.strip(b" \t\r\n")
    limits = fg.Limits(None, 9, 9, 30, 9)
    seen, moved = fg.classify(text, limits), fg.classify(before + text + after, limits)
    assume(text and (seen.fault is None or seen.fault.is_limit))
    assert summary(before + text + after, moved, len(before)) == summary(text, seen, 0)


def check_renamed(names: list[str], values: list[bytes], keys: list[bytes]) -> None:
    """A key in another spelling is the same key: kind, id and method stay."""

    def frame(spelled: list[bytes]) -> fg.Frame:
        parts = (b"%s:%s" % both for both in zip(spelled, values, strict=True))
        return fg.classify(b"{" + b",".join(parts) + b"}", fg.Limits(None, None, None, None, None))

    plain, other = frame([b'"' + name.encode() + b'"' for name in names]), frame(keys)
    assert (plain.kind, plain.id, plain.method, plain.error_code) == (
        other.kind,
        other.id,
        other.method,
        other.error_code,
    )
    assert plain.fault is None
    assert plain.facts - {"escaped-key"} == other.facts - {"escaped-key"}
    assert plain.revisions == other.revisions


@st.composite
def renamed(draw: st.DrawFn) -> tuple[list[str], list[bytes], list[bytes]]:
    names = draw(st.lists(st.sampled_from([*ENVELOPE_VALUES, "jsonrpc", "id", "method"]), min_size=1, max_size=5))
    values = [draw(ENVELOPE_VALUES[name]) for name in names]
    return names, values, [draw(spell(name)) for name in names]


BLANKS = st.one_of(
    BLANK, st.tuples(st.integers(0, 600), BLANK).map(lambda parts: parts[1] + b" " * parts[0] + parts[1])
)


@QUICK
@given(FRAMES, st.sampled_from([*LIMITS]))
@example(b"", "tight")
def test_frames_equal_the_reference(frame: bytes, limits: str) -> None:
    check_against_reference(frame, limits)


@QUICK
@given(FRAMES, st.sampled_from((*ALL, "auto")), st.sampled_from((None, "client-to-server", "server-to-client")))
def test_verdicts_equal_the_reference(frame: bytes, revision: str, direction: str | None) -> None:
    check_verdicts(frame, revision, direction)


@QUICK
@given(TEXTS_AROUND, st.one_of(RAW, TEXTS_AROUND))
@example(b"{}", b"\0")
@example(b"[]", b"\xef\xbb\xbf")
def test_garbage_behind_a_frame_is_a_parse_error(frame: bytes, piece: bytes) -> None:
    check_garbage(frame, piece)


@QUICK
@given(TEXTS_AROUND, st.floats(0, 1))
def test_a_frame_that_is_cut_short_is_a_parse_error(frame: bytes, share: float) -> None:
    check_cut(frame, share)


@QUICK
@given(TEXTS_AROUND, BLANK, BLANKS)
def test_blanks_around_a_frame_change_only_offsets(text: bytes, before: bytes, after: bytes) -> None:
    check_blanks(text, before, after)


@QUICK
@given(OBJECTS, BLANKS)
@example(b"{}", b" " * 600 + b"\n")
def test_many_blanks_before_a_frame_change_only_offsets(text: bytes, before: bytes) -> None:
    check_blanks(text, before, b"")


@QUICK
@given(renamed())
def test_another_spelling_of_a_key_is_the_same_key(frames: tuple[list[str], list[bytes], list[bytes]]) -> None:
    check_renamed(*frames)


PROPERTIES: dict[str, Callable[[], None]] = {
    "reference": HEAVY(given(FRAMES, st.sampled_from([*LIMITS]))(check_against_reference)),
    "verdicts": HEAVY(
        given(FRAMES, st.sampled_from((*ALL, "auto")), st.sampled_from((None, "client-to-server", "server-to-client")))(
            check_verdicts
        )
    ),
    "garbage": HEAVY(given(TEXTS_AROUND, st.one_of(RAW, TEXTS_AROUND))(check_garbage)),
    "cut": HEAVY(given(TEXTS_AROUND, st.floats(0, 1))(check_cut)),
    "blanks": HEAVY(given(TEXTS_AROUND, BLANK, BLANKS)(check_blanks)),
    "renamed": HEAVY(given(renamed())(lambda frames: check_renamed(*frames))),
}


@pytest.mark.heavy
@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_with_many_examples(name: str) -> None:
    PROPERTIES[name]()


def test_the_strategies_reach_every_kind() -> None:
    """A strategy that only makes parse errors would let all of the above pass."""
    kinds: dict[str, int] = {}

    @settings(QUICK, derandomize=True, max_examples=1_500)
    @given(FRAMES)
    def collect(frame: bytes) -> None:
        kind = fg.classify(frame).kind
        kinds[kind] = kinds.get(kind, 0) + 1

    collect()
    assert set(kinds) == set(fg.Kind), kinds
    assert sum(kinds.values()) >= 1_200
    assert kinds["request"] + kinds["notification"] + kinds["success"] + kinds["error"] > 60, kinds
