"""The native tokenizer on vectors, JSONTestSuite and recorded traffic: equal to the reference, fact by fact."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest

import framegauge as fg
from tests.reference.facts import Limits
from tests.support import SHARED, or_skip
from tests.support.comparison import differences, native_limits
from tests.support.corpora import field_cases, json_test_suite, recorded_frames
from tests.support.vectors import Vector, all_vectors

if TYPE_CHECKING:
    from pathlib import Path

SUITE = json_test_suite()
NO_SUITE = "JSONTestSuite is not at hand"


@pytest.mark.parametrize("vector", all_vectors(), ids=lambda vector: vector.id)
def test_vector(vector: Vector) -> None:
    limits = Limits(**vector.limits)
    seen = fg.classify(vector.frame, native_limits(limits))
    raw = vector.raw
    fault = seen.fault
    assert (seen.kind, fault and fault.rule, fault and fault.offset) == (raw["kind"], raw["fault"], raw["offset"])
    assert set(raw["facts"]) <= seen.facts
    if "id" in raw:
        assert seen.id == (None if raw["id"] is None else raw["id"].encode())
    assert differences(vector.frame, limits) == []


@pytest.mark.parametrize("path", or_skip(SUITE, NO_SUITE), ids=lambda path: path.name if path else "-")
@pytest.mark.parametrize("embedded", [False, True], ids=["alone", "as params"])
def test_json_test_suite(path: Path, embedded: bool) -> None:
    text = path.read_bytes()
    frame = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":' + text + b"}}" if embedded else text
    assert differences(frame) == []
    fault = fg.classify(frame).fault
    if path.name.startswith("y_"):
        assert fault is None
    if path.name.startswith("n_") and (text.strip() or not embedded):
        blank = not text.strip(b" \t\r\n")
        assert fault is not None or blank


@pytest.mark.parametrize(
    "case", or_skip(field_cases(), "the field cases are not at hand"), ids=lambda c: str(c and c["n"])
)
def test_field_case(case: dict[str, object]) -> None:
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
