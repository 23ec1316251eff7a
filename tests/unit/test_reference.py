"""The slow reference against vectors written by hand, JSONTestSuite and the field cases."""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from tests.reference.evidence import described
from tests.reference.facts import Facts, Limits, facts
from tests.reference.names import BYTE_FAULTS, FACT_NAMES, KINDS, KNOWN_MEMBERS, LIMIT_FAULTS
from tests.support.cases import check_each
from tests.support.corpora import field_cases, json_test_suite
from tests.support.vectors import AREAS, Vector, all_vectors, vectors

if TYPE_CHECKING:
    from pathlib import Path

VECTORS = all_vectors()
FIELD_CASES = [case for case in field_cases() if case["layer"] in ("bytes", "envelope")]
SUITE = json_test_suite()
NO_CASES = "the field cases are not at hand"
NO_SUITE = "JSONTestSuite is not at hand"

SIZES = ("items", "depth", "longest_number", "largest_object")
DUPLICATES = ("duplicate_count", "duplicate_offset")


def raw_text(frame: bytes, start: int, stop: int) -> str:
    return frame[start:stop].decode("utf-8")


# --- vectors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("area", AREAS)
def test_vectors(area: str) -> None:
    check_each(vectors(area), check_vector, lambda vector: vector.id)


def check_vector(vector: Vector) -> None:
    raw = vector.raw
    got = facts(vector.frame, Limits(**vector.limits))
    assert (got.kind, got.fault, got.fault_offset) == (raw["kind"], raw["fault"], raw["offset"])
    assert got.json_start == raw.get("json_start")
    assert set(raw["facts"]) <= got.names
    assert not set(raw["absent"]) & got.names
    if raw.get("exactly"):
        assert set(raw["facts"]) == got.names
    for name in (*SIZES, *DUPLICATES):
        if name in raw:
            assert getattr(got, name) == raw[name], name
    if "item_spans" in raw:
        assert [list(span) for span in got.item_spans] == raw["item_spans"]
    check_envelope(vector, got)
    if "members" in raw:
        assert set(got.members) == set(raw["members"])
        for owner, expected in raw["members"].items():
            members = [
                [member.key, member.type, raw_text(vector.frame, member.start, member.stop)]
                for member in described(got, owner)
            ]
            assert len(members) == len(expected), owner
            for seen, row in zip(members, expected, strict=True):
                assert seen[: len(row)] == row


def check_envelope(vector: Vector, got: Facts) -> None:
    expected: dict[str, str | None] = dict(vector.raw.get("raw", {}))
    if "id" in vector.raw:
        expected["id"] = vector.raw["id"]
    for name, text in expected.items():
        member = got.envelope.get(name)
        if text is None:
            assert member is None
        else:
            assert member is not None, name
            assert raw_text(vector.frame, member.start, member.stop) == text
            assert member.escaped == (member.type == "string" and "\\" in text)
    for name, count in vector.raw.get("counts", {}).items():
        assert got.envelope[name].count == count


def test_vector_names_are_unique() -> None:
    for area in AREAS:
        names = [vector.name for vector in vectors(area)]
        assert len(names) == len(set(names)), area


def test_vectors_use_known_keys_and_names_only() -> None:
    allowed = {
        *("name", "group", "frame", "frame_b64", "limits", "kind", "fault", "offset"),
        *("json_start", "facts", "absent", "exactly", "id", "raw", "counts", "members"),
        *("item_spans", *SIZES, *DUPLICATES),
    }
    for vector in VECTORS:
        assert set(vector.raw) <= allowed, vector.id
        assert ("frame" in vector.raw) != ("frame_b64" in vector.raw), vector.id
        assert {*vector.raw["facts"], *vector.raw["absent"]} <= set(FACT_NAMES), vector.id
        assert vector.raw["kind"] in KINDS, vector.id
        assert vector.raw["fault"] in (None, *BYTE_FAULTS, *LIMIT_FAULTS), vector.id


@pytest.mark.parametrize("side", ["facts", "absent"])
def test_every_fact_is_set_by_one_vector_and_not_by_another(side: str) -> None:
    assert set(FACT_NAMES) - {name for vector in VECTORS for name in vector.raw[side]} == set()


def test_every_fault_and_kind_has_several_vectors() -> None:
    faults, kinds = (Counter(vector.raw[name] for vector in VECTORS) for name in ("fault", "kind"))
    assert {fault: faults[fault] for fault in (*BYTE_FAULTS, *LIMIT_FAULTS) if faults[fault] < 5} == {}
    assert {kind: kinds[kind] for kind in KINDS if kinds[kind] < 3} == {}


def test_every_obligation_has_its_group() -> None:
    obligations = {
        "id-positive",
        "id-zero",
        "id-negative",
        "id-string",
        "id-empty-string",
        "id-null",
        "id-fractional",
        "id-boolean",
        "id-spelling-kept",
        "notification-by-absent-id",
        "result-error-exclusivity",
        "response-is-never-a-call",
        "wrong-version",
        "non-string-method",
        "scalar-params",
        "extra-array-around-a-request",
    }
    assert obligations - {vector.group for vector in VECTORS} == set()


# --- shape and cost ---------------------------------------------------------------------------


def test_a_fault_resets_everything_else() -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"method":"a","id":2,,}'
    expected = Facts(kind="parse-error", fault="bad-structure", fault_offset=44)
    assert asdict(facts(frame)) == asdict(expected)


def test_default_member_limit() -> None:
    members = b",".join(b'"%d":0' % number for number in range(65536))
    assert facts(b"{%b}" % members).largest_object == 65536
    over = facts(b'{%b,"x":0}' % members)
    assert (over.kind, over.fault) == ("invalid", "too-many-members")
    assert over.fault_offset == len(members) + 2


def test_default_frame_limit() -> None:
    frame = b'"%b"' % (b"x" * (16 * 2**20 - 2))
    assert facts(frame).names == {"top-scalar"}
    over = facts(frame + b" ")
    assert (over.kind, over.fault, over.fault_offset) == ("invalid", "frame-too-large", 16 * 2**20)


def test_depth_costs_no_recursion() -> None:
    depth = 100_000
    assert facts(b"[" * depth + b"]" * depth, Limits(max_depth=None)).depth == depth
    nested = facts(b'{"a":' * depth + b"1" + b"}" * depth, Limits(max_depth=None))
    assert (nested.kind, nested.depth) == ("invalid", depth)
    assert facts(b"[" * depth, Limits(max_depth=None)).fault == "truncated"
    assert facts(b"[" * depth).fault == "nesting-limit"


def test_numbers_are_never_built() -> None:
    off = Limits(max_number_digits=None)
    exponent = facts(b'{"id":1e%b}' % (b"9" * 200_000), off)
    assert "id-unsafe-integer" in exponent.names
    mantissa = facts(b'{"id":%b}' % (b"9" * 200_000), off)
    assert "id-unsafe-integer" in mantissa.names
    assert mantissa.longest_number == 200_000


def test_the_known_names_are_filled_in() -> None:
    assert len(KNOWN_MEMBERS) == 76


# --- field cases ------------------------------------------------------------------------------

# Rules of the field cases that are a fact under the same name, read at the frame's own level.
FACT_RULES = frozenset(FACT_NAMES) - {"escaped-jsonrpc", "escaped-method"}
# Rules that stand for one of several facts.
RULE_FACTS = {
    "escaped-value": {"escaped-jsonrpc", "escaped-method"},
    "id-type": {"id-boolean", "id-container"},
    "params-type": {"params-scalar"},
    "params-not-object": {"params-array"},
    "not-object": {"top-scalar"},
    "batch-not-allowed": {"top-array"},
    "batch-unspecified": {"top-array"},
    "id-missing": {"id-absent"},
}


def case_limits(case: dict[str, Any]) -> Limits:
    return Limits(**{k: v for k, v in case.get("options", {}).items() if k.startswith("max_")})


@pytest.mark.skipif(not FIELD_CASES, reason=NO_CASES)
def test_field_cases_are_many() -> None:
    assert len(FIELD_CASES) >= 60


@pytest.mark.skipif(not FIELD_CASES, reason=NO_CASES)
def test_field_cases() -> None:
    check_each(FIELD_CASES, check_case, lambda case: f"case {case['n']}")


def check_case(case: dict[str, Any]) -> None:
    expect = case["expect"]
    frames = [base64.b64decode(frame) for frame in case["frames_b64"]]
    results = [facts(frame, case_limits(case)) for frame in frames]
    if len(frames) > 1:
        assert [result.kind for result in results] == expect["frame_kinds"]
        frame, got = frames[expect["at"]], results[expect["at"]]
    else:
        frame, got = frames[0], results[0]
        assert got.kind == expect["kind"]

    reported = {*expect["violations"], *expect["advice"]}
    faults = reported & {*BYTE_FAULTS, *LIMIT_FAULTS}
    assert faults == ({got.fault} if got.fault else set())
    for rule in reported:
        if rule in FACT_RULES:
            assert rule in got.names, rule
        elif rule in RULE_FACTS:
            assert RULE_FACTS[rule] & got.names, rule
    if expect["id"] is not None and len(frames) == 1:
        member = got.envelope["id"]
        assert raw_text(frame, member.start, member.stop) == expect["id"]


# --- JSONTestSuite ----------------------------------------------------------------------------

# Files that RFC 8259 leaves open: the fault, or None where accepted; and why.
OPEN_FILES: dict[str, tuple[str | None, str]] = {
    "number_double_huge_neg_exp": (None, "a number is read, never built"),
    "number_huge_exp": (None, "a number is read, never built"),
    "number_neg_int_huge_exp": (None, "a number is read, never built"),
    "number_pos_double_huge_exp": (None, "a number is read, never built"),
    "number_real_neg_overflow": (None, "a number is read, never built"),
    "number_real_pos_overflow": (None, "a number is read, never built"),
    "number_real_underflow": (None, "a number is read, never built"),
    "number_too_big_neg_int": (None, "a number is read, never built"),
    "number_too_big_pos_int": (None, "a number is read, never built"),
    "number_very_big_negative_int": (None, "a number is read, never built"),
    "object_key_lone_2nd_surrogate": (None, "lone surrogate: a fact"),
    "string_1st_surrogate_but_2nd_missing": (None, "lone surrogate: a fact"),
    "string_1st_valid_surrogate_2nd_invalid": (None, "lone surrogate: a fact"),
    "string_UTF-16LE_with_BOM": ("invalid-utf8", "FF never stands in UTF-8"),
    "string_UTF-8_invalid_sequence": ("invalid-utf8", "FF never stands in UTF-8"),
    "string_UTF8_surrogate_U+D800": ("invalid-utf8", "a surrogate has no UTF-8"),
    "string_incomplete_surrogate_and_escape_valid": (None, "lone surrogate: a fact"),
    "string_incomplete_surrogate_pair": (None, "lone surrogate: a fact"),
    "string_incomplete_surrogates_escape_valid": (None, "lone surrogate: a fact"),
    "string_invalid_lonely_surrogate": (None, "lone surrogate: a fact"),
    "string_invalid_surrogate": (None, "lone surrogate: a fact"),
    "string_invalid_utf-8": ("invalid-utf8", "FF never stands in UTF-8"),
    "string_inverted_surrogates_U+1D11E": (None, "lone surrogate: a fact"),
    "string_iso_latin_1": ("invalid-utf8", "Latin-1 is not UTF-8"),
    "string_lone_second_surrogate": (None, "lone surrogate: a fact"),
    "string_lone_utf8_continuation_byte": ("invalid-utf8", "a continuation byte alone"),
    "string_not_in_unicode_range": ("invalid-utf8", "above U+10FFFF"),
    "string_overlong_sequence_2_bytes": ("invalid-utf8", "overlong"),
    "string_overlong_sequence_6_bytes": ("invalid-utf8", "overlong"),
    "string_overlong_sequence_6_bytes_null": ("invalid-utf8", "overlong"),
    "string_truncated-utf-8": ("invalid-utf8", "cut short"),
    "string_utf16BE_no_BOM": ("invalid-utf8", "E9 without continuation"),
    "string_utf16LE_no_BOM": ("invalid-utf8", "E9 without continuation"),
    "structure_500_nested_arrays": ("nesting-limit", "deeper than the default 256"),
    "structure_UTF-8_BOM_empty_object": ("utf8-bom", "a mark before good JSON"),
}

# Refused for their depth before their real fault is reached.
DEEP_FILES = ("n_structure_100000_opening_arrays", "n_structure_open_array_object")


@pytest.mark.skipif(not SUITE, reason=NO_SUITE)
def test_suite_is_complete() -> None:
    stems = {path.stem for path in SUITE}
    assert sum(stem.startswith("y_") for stem in stems) >= 90
    assert sum(stem.startswith("n_") for stem in stems) >= 180
    assert {stem[2:] for stem in stems if stem.startswith("i_")} == set(OPEN_FILES)
    assert set(DEEP_FILES) <= stems


@pytest.mark.skipif(not SUITE, reason=NO_SUITE)
def test_suite_files() -> None:
    check_each(SUITE, check_suite_file, lambda path: path.stem)


def check_suite_file(path: Path) -> None:
    got = facts(path.read_bytes())
    if path.stem.startswith("y_"):
        assert got.fault is None
    elif path.stem.startswith("i_"):
        assert got.fault == OPEN_FILES[path.stem[2:]][0]
    elif path.stem in DEEP_FILES:
        assert (got.kind, got.fault) == ("invalid", "nesting-limit")
        unlimited = facts(path.read_bytes(), Limits(max_depth=None))
        assert (unlimited.kind, unlimited.fault) == ("parse-error", "truncated")
    elif got.kind == "empty":
        assert path.stem in ("n_structure_no_data", "n_single_space")
    else:
        assert got.kind == "parse-error"
        assert got.fault in BYTE_FAULTS
