"""The native tokenizer on vectors, JSONTestSuite and recorded traffic: equal to the reference, fact by fact."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

import framegauge as fg
from tests.reference.facts import Limits
from tests.support import SHARED
from tests.support.cases import check_each
from tests.support.comparison import differences, native_limits
from tests.support.corpora import field_cases, json_test_suite, recorded_frames
from tests.support.vectors import AREAS, Vector, vectors

if TYPE_CHECKING:
    from pathlib import Path

SUITE = json_test_suite()
NO_SUITE = "JSONTestSuite is not at hand"


@pytest.mark.parametrize("area", AREAS)
def test_vectors(area: str) -> None:
    check_each(vectors(area), check_vector, lambda vector: vector.id)


def check_vector(vector: Vector) -> None:
    limits = Limits(**vector.limits)
    seen = fg.classify(vector.frame, native_limits(limits))
    raw = vector.raw
    fault = seen.fault
    assert (seen.kind, fault and fault.rule, fault and fault.offset) == (raw["kind"], raw["fault"], raw["offset"])
    assert set(raw["facts"]) <= seen.facts
    if "id" in raw:
        assert seen.id == (None if raw["id"] is None else raw["id"].encode())
    assert differences(vector.frame, limits) == []


@pytest.mark.skipif(not SUITE, reason=NO_SUITE)
@pytest.mark.parametrize("embedded", [False, True], ids=["alone", "as params"])
def test_json_test_suite(embedded: bool) -> None:
    check_each(SUITE, lambda path: check_text(path, embedded), lambda path: path.name)


def check_text(path: Path, embedded: bool) -> None:
    text = path.read_bytes()
    frame = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":' + text + b"}}" if embedded else text
    assert differences(frame) == []
    fault = fg.classify(frame).fault
    if path.name.startswith("y_"):
        assert fault is None
    if path.name.startswith("n_") and (text.strip() or not embedded):
        blank = not text.strip(b" \t\r\n")
        assert fault is not None or blank


@pytest.mark.skipif(not field_cases(), reason="the field cases are not at hand")
def test_field_cases() -> None:
    check_each(field_cases(), check_case, lambda case: f"case {case['n']}")


def check_case(case: dict[str, object]) -> None:
    frames = case["frames_b64"]
    assert isinstance(frames, list)
    assert frames
    for text in frames:
        assert differences(base64.b64decode(text)) == []


@pytest.mark.skipif(SHARED is None, reason="the recorded sessions are not at hand")
def test_recorded_traffic_equals_the_reference() -> None:
    frames = recorded_frames()
    assert len(frames) > 1000
    wrong = [(frame[:80], found) for frame in frames if (found := differences(frame))]
    assert wrong == []
