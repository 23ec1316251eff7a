"""fg.Gauge on vectors, field cases, odd frames and recorded traffic: as written by hand, and as the reference says."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from tests.reference.rows import ALL, MCP
from tests.reference.verdict import Limits
from tests.support import SHARED
from tests.support.cases import check_each
from tests.support.comparison import flaws, gauge_summary, native_limits, options_of, verdict_differences, verdict_of
from tests.support.corpora import (
    field_cases,
    odd_frames,
    odd_verdicts,
    recorded_answers,
    recorded_posts,
    recorded_sessions,
)
from tests.support.expectations import check_field_case, check_odd_frame, check_vector
from tests.support.vectors import VerdictVector, all_vectors, vectors_by_file, verdict_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

FIELD_CASES = [case for case in field_cases() if case["layer"] in ("bytes", "envelope", "params")]
CASE_REVISIONS = [(case, revision) for case in FIELD_CASES for revision in case["revisions"]]
ODD = odd_verdicts()
ODD_ROWS = [(row, revision) for row in ODD["frames"] for revision in ODD["revisions"]]
REVISIONS = (*ALL, "auto")
ANYWHERE = dict.fromkeys(("revision", "direction", "transport"))

# Real faults: text on a channel that is for messages alone; a client that pings under a revision that has no ping.
RECORDED_ERRORS = {
    "afs-ts1.s2c.bin": {"not-json"},
    "hello-py1.s2c.bin": {"not-json"},
    "duck-fm-auto.c2s.bin": {"method-not-in-revision"},
    "time-fm-auto.c2s.bin": {"method-not-in-revision"},
}


@pytest.mark.parametrize("file", vectors_by_file())
def test_vectors(file: str) -> None:
    def check(vector: VerdictVector) -> None:
        check_vector(gauge_summary(vector.frame, **options_of(vector)), vector)
        assert verdict_differences(vector.frame, **options_of(vector)) == []

    check_each(vectors_by_file()[file], check, lambda vector: vector.id)


def wrong_anywhere(revision: str, wrong_in: Callable[..., list[str]]) -> list[tuple[str, dict[str, Any], list[str]]]:
    """Of each vector under that revision, in each direction and on each transport, what `wrong_in` finds wrong."""
    wrong = []
    # A case is a vector for each of its revisions; they differ in nothing that is kept here.
    once = {(v.frame, repr({**options_of(v), **ANYWHERE})): v for v in verdict_vectors()}
    for vector in once.values():
        for direction in ("client-to-server", "server-to-client"):
            for transport in (None, "stdio", "http", "sse"):
                options = {"revision": revision, "direction": direction, "transport": transport}
                found = wrong_in(vector.frame, **{**options_of(vector), **options})
                if found:
                    wrong.append((vector.id, options, found))
    return wrong


@pytest.mark.slow  # for the reference; without it the next test
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_vector_in_every_revision_and_transport(revision: str) -> None:
    assert wrong_anywhere(revision, verdict_differences) == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_no_verdict_of_a_vector_contradicts_itself(revision: str) -> None:
    assert wrong_anywhere(revision, lambda frame, **options: flaws(verdict_of(frame, **options))) == []


def test_every_vector_of_the_facts() -> None:
    wrong = []
    for vector in all_vectors():
        for revision in REVISIONS:
            found = verdict_differences(
                vector.frame, limits=Limits(**vector.limits), revision=revision, transport="stdio"
            )
            if found:
                wrong.append((vector.id, revision, found))
    assert wrong == []


@pytest.mark.skipif(not CASE_REVISIONS, reason="the field cases are not at hand")
def test_field_cases() -> None:
    check_each(CASE_REVISIONS, check_case, lambda pair: f"case {pair[0]['n']} in {pair[1]}")


def check_case(case_and_revision: tuple[dict[str, Any], str]) -> None:
    case, revision = case_and_revision
    limits = Limits(**{key: value for key, value in case.get("options", {}).items() if key.startswith("max_")})
    options = {"revision": revision, "direction": case["direction"], "transport": case.get("transport")}
    frames = [base64.b64decode(text) for text in case["frames_b64"]]
    check_field_case([gauge_summary(frame, limits=limits, **options) for frame in frames], case)
    gauge = fg.Gauge(limits=native_limits(limits), **options)
    found = [finding for frame in frames for finding in gauge.check(frame).findings]
    assert set(case["expect"].get("hints", ())) <= {finding.hint[0] for finding in found if finding.hint}
    for frame in frames:
        assert verdict_differences(frame, limits=limits, **options) == []


@pytest.mark.skipif(not odd_frames(modern=True), reason="the odd frames are not at hand")
def test_odd_frames() -> None:
    check_each(ODD_ROWS, check_odd_row, lambda pair: f"{pair[0]['name']} in {pair[1]}")


def check_odd_row(row_and_revision: tuple[dict[str, Any], str]) -> None:
    row, revision = row_and_revision
    frame = odd_frames(modern=revision == MCP[-1])[row["name"]]
    options = {"direction": ODD["direction"], "transport": ODD["transport"]}
    check_odd_frame(gauge_summary(frame, revision=revision, **options), row)
    for revision_judged in REVISIONS:
        assert verdict_differences(frame, revision=revision_judged, **options) == []


@pytest.mark.skipif(SHARED is None, reason="the recorded sessions are not at hand")
def test_recorded_sessions_have_real_errors_only() -> None:
    errors: dict[str, set[str]] = {}
    for file in recorded_sessions():
        direction = "client-to-server" if ".c2s." in file.name else "server-to-client"
        gauge = fg.Gauge(direction=direction, transport="stdio")
        for line in file.read_bytes().split(b"\n"):
            found = {finding.rule for finding in gauge.check(line).findings if finding.severity == "error"}
            if found:
                errors.setdefault(file.name, set()).update(found)
            assert verdict_differences(line, direction=direction, transport="stdio") == []
    assert errors == RECORDED_ERRORS


@pytest.mark.skipif(SHARED is None, reason="the recorded sessions are not at hand")
def test_recorded_results_are_what_their_methods_say() -> None:
    answers = recorded_answers()
    assert len(answers) > 400
    assert len({method for _, _, method in answers}) > 10
    for line, revision, method in answers:
        options = {"revision": revision, "request_method": method}
        assert verdict_differences(line, **options) == []
        assert gauge_summary(line, **options).findings.keys() <= {"deprecated-features"}, (line, options)


@pytest.mark.skipif(SHARED is None, reason="the recorded sessions are not at hand")
def test_recorded_posts_have_no_errors() -> None:
    posts = recorded_posts()
    assert len(posts) > 150
    gauge = fg.Gauge(direction="client-to-server", transport="http")
    for body, status in posts:
        verdict = gauge.check(body)
        assert verdict.ok
        assert verdict.status in (None, status)
        assert verdict_differences(body, direction="client-to-server", transport="http") == []
