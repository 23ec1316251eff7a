"""The slow reference of verdicts against vectors written by hand, the field cases, odd frames and recorded traffic."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from framegauge.ruleset import registry
from tests.reference import shapes
from tests.reference.names import KINDS
from tests.reference.rows import ALL, MCP, ROWS
from tests.reference.rows import RULES as ENVELOPE_RULES
from tests.reference.verdict import Limits, judge
from tests.support import SHARED, VECTORS
from tests.support.cases import check_each
from tests.support.comparison import options_of, reference_summary
from tests.support.corpora import field_cases, odd_frames, odd_verdicts, recorded_posts, recorded_sessions
from tests.support.expectations import check_field_case, check_odd_frame, check_vector
from tests.support.vectors import EXPECTED, VerdictVector, vectors_by_file, verdict_vectors

RULES = (*ENVELOPE_RULES, *shapes.RULES)
DOCS = Path(__file__).resolve().parents[2] / "docs"
RULE_VECTORS = verdict_vectors()
FIELD_CASES = [case for case in field_cases() if case["layer"] in ("bytes", "envelope")]
CASE_REVISIONS = [(case, revision) for case in FIELD_CASES for revision in case["revisions"]]
ODD = odd_verdicts()
ODD_ROWS = [(row, revision) for row in ODD["frames"] for revision in ODD["revisions"]]
NO_ODD = "the odd frames are not at hand"


# --- vectors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("file", vectors_by_file())
def test_vectors(file: str) -> None:
    def check(vector: VerdictVector) -> None:
        check_vector(reference_summary(vector.frame, **options_of(vector)), vector)
        if vector.expect["respond"] and vector.expect["code"] is None:
            got = judge(vector.frame, **options_of(vector)).id
            assert (got.decode("utf-8") if got is not None else None) == vector.expect["id"]

    check_each(vectors_by_file()[file], check, lambda vector: vector.id)


def test_every_rule_has_good_and_bad_vectors() -> None:
    check_each(RULES, check_good_and_bad, str)


def check_good_and_bad(rule: str) -> None:
    vectors = vectors_by_file()[rule]
    assert {vector.name.split("-")[0] for vector in vectors} == {"bad", "good"}
    for vector in vectors:
        flagged = any(finding["rule"] == rule for finding in vector.expect["findings"])
        assert flagged == vector.bad, vector.id


def test_every_file_is_of_a_rule() -> None:
    assert {path.name for path in (VECTORS / "rules").iterdir()} == {f"{rule}.toml" for rule in RULES}


def test_a_rule_on_methods_and_values_has_a_vector_for_each_revision() -> None:
    check_each(shapes.RULES, check_revisions_and_severities, str)


def check_revisions_and_severities(rule: str) -> None:
    vectors = vectors_by_file()[rule]
    assert {vector.revision for vector in vectors} >= {"auto", *shapes.REVISIONS_OF[rule]}
    bad = {vector.revision for vector in vectors if vector.bad}
    assert bad >= set(shapes.REVISIONS_OF[rule]) or rule == "meta-required-missing"
    severities = {
        finding["severity"]
        for vector in vectors
        for finding in vector.expect["findings"]
        if finding["rule"] == rule and vector.revision != "auto"  # where it may be milder
    }
    assert severities == {row.severity for row in registry.by_id(rule).rows}


def test_a_rule_that_differs_by_revision_has_a_vector_for_each() -> None:
    differing = {row.rule for row in ROWS if set(row.revisions) != set(ALL)}
    assert len(differing) > 10
    for rule in differing & set(ENVELOPE_RULES):
        assert {vector.revision for vector in vectors_by_file()[rule]} >= set(ALL), rule


def test_vectors_use_known_keys_and_names_only() -> None:
    options = {"direction", "transport", "limits", "allow_bom", "error_id", "request_method"}
    for vector in RULE_VECTORS:
        assert set(vector.raw) <= {"name", "revisions", *options, "frame", "frame_b64", *EXPECTED}, vector.id
        assert ("frame" in vector.raw) != ("frame_b64" in vector.raw), vector.id
        assert vector.revision in (*ALL, "auto"), vector.id
        assert vector.direction in (None, "client-to-server", "server-to-client"), vector.id
        assert vector.transport in (None, "stdio", "http", "sse"), vector.id
        assert vector.expect.get("kind", "invalid") in KINDS, vector.id
        for finding in vector.expect["findings"]:
            assert set(finding) == {"rule", "severity", "offset", "count", "path"}, vector.id
            assert finding["rule"] in RULES, vector.id


def test_no_two_vectors_are_the_same() -> None:
    seen, names = dict[str, str](), set[str]()
    for vector in RULE_VECTORS:
        assert vector.id not in names
        names.add(vector.id)
        text = vector.folder + repr((vector.frame, sorted(options_of(vector).items(), key=str)))
        assert text not in seen, (vector.id, seen[text])
        seen[text] = vector.id


def test_cases_that_differ_by_revision_alone_are_one() -> None:
    cases = {(vector.folder, vector.name): vector.raw for vector in RULE_VECTORS}
    seen: dict[str, str] = {}
    for (folder, name), raw in cases.items():
        rest = {key: value for key, value in raw.items() if key not in ("name", "revisions")}
        text = folder + json.dumps(rest, sort_keys=True)
        assert text not in seen, (folder, name, seen[text])
        seen[text] = name


def test_every_rule_is_in_the_documents() -> None:
    text = (DOCS / "verdict.md").read_text(encoding="utf-8") + (DOCS / "facts.md").read_text(encoding="utf-8")
    assert [rule for rule in RULES if f"`{rule}`" not in text] == []


# --- what auto means --------------------------------------------------------------------------


def test_auto_is_the_five_revisions_together() -> None:
    judged, by_facts = 0, set(ENVELOPE_RULES) - set(shapes.NEAR_KEYS)
    # A case is a vector for each of its revisions; with "auto" for all of them they are the same.
    once = {(v.frame, repr({**options_of(v), "revision": "auto"})): v for v in RULE_VECTORS}
    for vector in once.values():
        options = {**options_of(vector), "revision": "auto"}
        together = judge(vector.frame, **options)
        if together.revision != "auto" or (together.kind == "batch" and together.items):
            continue
        judged += 1
        alone = {revision: judge(vector.frame, **{**options, "revision": revision}).findings for revision in MCP}
        rules = {rule for findings in alone.values() for rule in findings} & by_facts
        assert rules == together.findings.keys() & by_facts, vector.id
        for rule in rules:
            finding = together.findings[rule]
            holds_in = {revision for revision in MCP if rule in alone[revision]}
            severities = {alone[revision][rule].severity for revision in holds_in}
            assert finding.revisions == holds_in, vector.id
            if len(holds_in) < len(MCP):
                severities = {"warning" if severity == "error" else severity for severity in severities}
            assert {finding.severity} == severities, (vector.id, rule)
    assert judged > 500


# --- field cases, odd frames, recorded traffic ------------------------------------------------


@pytest.mark.skipif(not FIELD_CASES, reason="the field cases are not at hand")
def test_field_cases_are_many() -> None:
    assert len(FIELD_CASES) >= 60


@pytest.mark.skipif(not CASE_REVISIONS, reason="the field cases are not at hand")
def test_field_cases() -> None:
    check_each(CASE_REVISIONS, check_case, lambda pair: f"case {pair[0]['n']} in {pair[1]}")


def check_case(case_and_revision: tuple[dict[str, Any], str]) -> None:
    case, revision = case_and_revision
    limits = Limits(**{key: value for key, value in case.get("options", {}).items() if key.startswith("max_")})
    options = {"revision": revision, "direction": case["direction"], "transport": case.get("transport")}
    frames = [base64.b64decode(text) for text in case["frames_b64"]]
    check_field_case([reference_summary(frame, limits, **options) for frame in frames], case)
    last = judge(frames[-1], limits=limits, **options)
    assert (last.id.decode("utf-8") if last.id is not None else None) == case["expect"]["id"]


@pytest.mark.skipif(not odd_frames(modern=True), reason=NO_ODD)
def test_odd_frames() -> None:
    check_each(ODD_ROWS, check_odd_row, lambda pair: f"{pair[0]['name']} in {pair[1]}")


def check_odd_row(row_and_revision: tuple[dict[str, Any], str]) -> None:
    row, revision = row_and_revision
    frames = odd_frames(modern=revision == MCP[-1])
    options = {"direction": ODD["direction"], "transport": ODD["transport"]}
    check_odd_frame(reference_summary(frames[row["name"]], revision=revision, **options), row)
    got = judge(frames[row["name"]], revision, **options).id
    assert (got.decode("utf-8") if got is not None else None) == row["id"]


@pytest.mark.skipif(not odd_frames(modern=True), reason=NO_ODD)
@pytest.mark.parametrize("modern", [False, True])
def test_every_odd_frame_has_its_row(modern: bool) -> None:
    assert [row["name"] for row in ODD["frames"]] == list(odd_frames(modern))
    assert all(re.search(r"\b[AD]-\d", row["why"]) for row in ODD["frames"])


# Real faults: text on a channel that is for messages alone; a client that pings under a revision that has no ping.
RECORDED_ERRORS = {
    "afs-ts1.s2c.bin": {"not-json"},
    "hello-py1.s2c.bin": {"not-json"},
    "duck-fm-auto.c2s.bin": {"method-not-in-revision"},
    "time-fm-auto.c2s.bin": {"method-not-in-revision"},
}


@pytest.mark.skipif(SHARED is None, reason="the recorded sessions are not at hand")
def test_recorded_sessions_have_real_errors_only() -> None:
    errors: dict[str, set[str]] = {}
    for file in recorded_sessions():
        direction = "client-to-server" if ".c2s." in file.name else "server-to-client"
        for line in file.read_bytes().split(b"\n"):
            found = reference_summary(line, direction=direction, transport="stdio").errors
            if found:
                errors.setdefault(file.name, set()).update(found)
    assert errors == RECORDED_ERRORS


@pytest.mark.skipif(SHARED is None, reason="the recorded sessions are not at hand")
def test_recorded_posts_have_no_errors_and_the_status_owed() -> None:
    posts = recorded_posts()
    assert len(posts) > 150
    for body, status in posts:
        verdict = reference_summary(body, direction="client-to-server", transport="http")
        assert verdict.errors == set(), body
        assert verdict.status in (None, status), body
    assert any(reference_summary(body, transport="http").status == 202 for body, _ in posts)
