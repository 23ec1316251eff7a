"""The ledger of clauses: complete, true to the rules and the data, and each clause with a rule shown by a frame."""

from __future__ import annotations

import base64
import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from framegauge import Gauge
from framegauge.protocol import EXTENSIONS, MCP, revision
from framegauge.ruleset.registry import RULES, by_id
from tests.support import SHARED, VECTORS, or_skip

ROOT = Path(__file__).resolve().parents[2]


def generator() -> Any:
    path = ROOT / "tools" / "generate_clauses.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # a dataclass looks its module up
    spec.loader.exec_module(module)
    return module


TOOL = generator()
CLAUSES = {clause.id: clause for clause in TOOL.clauses()}
FRAMES: dict[str, dict[str, Any]] = tomllib.loads((VECTORS / "clauses.toml").read_text("utf-8"))
BROKEN = [name for name, vector in FRAMES.items() if "rule" in vector]
CLEAN = [name for name, vector in FRAMES.items() if "rule" not in vector]


def test_the_page_is_what_the_generator_writes() -> None:
    assert TOOL.TARGET.read_text("utf-8") == TOOL.render(), "run tools/generate_clauses.py"


def test_every_clause_has_its_line() -> None:
    page = TOOL.render()
    assert len(CLAUSES) == len(TOOL.clauses()) > 300
    for name in CLAUSES:
        assert page.count(f"\n| `{name}` |") == 1, name
    for line in page.splitlines():
        if line.startswith("|"):
            assert line.count("|") in (4, 6), line


# ---- what a row says


@pytest.mark.parametrize("name", CLAUSES)
def test_a_row(name: str) -> None:
    row = CLAUSES[name]
    assert row.judged
    assert set(row.judged) <= set(TOOL.JUDGED)
    assert row.names
    assert bool(row.why) or not {"open", "unseen"} & set(row.judged), "say what is not judged, or why"


def named_by_data() -> set[str]:
    found = [revision(name) for name in (*MCP, *EXTENSIONS)]
    methods = {clause for one in found for method in one.methods.values() for clause in method.clauses}
    return methods | {shape.clause for one in found for shape in one.shapes.values() if shape.clause}


def test_rules_and_data_name_clauses_that_exist() -> None:
    by_rules = {clause for rule in RULES for clause in rule.clauses}
    assert len(by_rules) > 50
    assert by_rules <= set(CLAUSES)
    assert len(named_by_data()) > 50
    assert named_by_data() <= set(CLAUSES)


def test_what_a_rule_names_is_judged() -> None:
    """A rule rests on its clauses, so each is judged by a frame: as broken, or as made use of."""
    for rule in RULES:
        for clause in rule.clauses:
            assert {"rule", "allows"} & set(CLAUSES[clause].judged), f"{rule.id}: {clause}"


def test_what_is_judged_by_a_rule_is_named() -> None:
    by_rules = {clause: {rule.id for rule in RULES if clause in rule.clauses} for clause in CLAUSES}
    data = named_by_data()
    for name, row in CLAUSES.items():
        if "rule" in row.judged:
            assert by_rules[name] or name in data, f"{name}: neither a rule nor the protocol data names it"
            shown = by_id(FRAMES[name]["rule"])
            assert shown.id in by_rules[name] or (name in data and shown.by_value), f"{name}: its vector shows another"


# ---- a frame for each


def test_each_clause_that_a_frame_decides_has_a_vector() -> None:
    assert sorted(BROKEN) == sorted(name for name, row in CLAUSES.items() if row.judged[0] == "rule")
    assert sorted(CLEAN) == sorted(name for name, row in CLAUSES.items() if row.judged[0] == "allows")
    assert len(BROKEN) > 100


def test_vectors_are_of_a_revision_that_has_the_clause() -> None:
    for name, vector in FRAMES.items():
        assert vector["revision"] in CLAUSES[name].names, name


def findings(vector: dict[str, Any], frame: bytes) -> tuple[list[tuple[str, str]], int | None]:
    """Rules and paths, and the code of the answer owed."""
    gauge = Gauge(vector["revision"], vector.get("direction"), vector.get("transport"))
    verdict = gauge.check(frame, request_method=vector.get("request_method"))
    found = [(finding.rule, finding.path) for finding in verdict.findings]
    return found, verdict.reply.code if verdict.reply else None


def frame_of(vector: dict[str, Any]) -> bytes:
    if "frame_b64" in vector:
        return base64.b64decode(vector["frame_b64"], validate=True)
    return str(vector["frame"]).encode("utf-8")


@pytest.mark.parametrize("name", BROKEN)
def test_a_frame_that_breaks_it(name: str) -> None:
    vector = FRAMES[name]
    assert findings(vector, frame_of(vector)) == ([(vector["rule"], vector["path"])], vector.get("code"))


@pytest.mark.parametrize("name", BROKEN)
def test_the_same_frame_mended(name: str) -> None:
    vector = FRAMES[name]
    assert vector["mended"].encode("utf-8") != frame_of(vector)
    advice = [tuple(each) for each in vector.get("mended_advice", [])]  # such as: the feature is deprecated
    assert findings(vector, vector["mended"].encode("utf-8")) == (advice, None)


@pytest.mark.parametrize("name", CLEAN)
def test_a_frame_that_makes_use_of_it(name: str) -> None:
    assert findings(FRAMES[name], frame_of(FRAMES[name])) == ([], None)


# ---- the catalogue


def catalogue() -> str:
    path = SHARED / "spec" / "spec-rules.md" if SHARED else None
    return path.read_text("utf-8").split("\n## C. ")[0] if path and path.is_file() else ""


def revisions_of(cell: str) -> frozenset[str]:
    """What a cell such as "J, 2411-2506 (updated: -2607)" names; legacy is 2411 to 2511."""
    years, cell = list(TOOL.SHORT), cell.replace("legacy", "2411\u20132511")
    found = {"J"} if re.search(r"\bJ\b", cell) else set()
    for first, last in re.findall(r"(\d{4})?(?:\u2013(\d{4}))?", cell):
        if first or last:
            start = years.index(first) if first else 1
            found.update(years[start : years.index(last or first) + 1])
    return frozenset(TOOL.SHORT[year] for year in found)


def level_of(cell: str) -> str:
    words = dict.fromkeys(re.findall(r"(?:MUST|SHOULD)(?: NOT)?|MAY|TYPE", cell))
    return ", ".join(words) or cell.split()[0]


@pytest.mark.parametrize("text", or_skip([catalogue()] if catalogue() else [], "the catalogue is not here"))
def test_the_ledger_holds_what_the_catalogue_holds(text: str) -> None:
    rows = re.findall(
        r"^\| `([a-z0-9-]+)` \| .* \| (\S.*?) \| (\S.*?) \| (\S.*?) \| [^|]* \| [^|]* \|$", text, re.MULTILINE
    )
    assert len(rows) == len(re.findall(r"^\| `", text, re.MULTILINE)) > 300
    assert [row[0] for row in rows] == list(CLAUSES)
    for name, layer, level, revisions in rows:
        clause = CLAUSES[name]
        assert clause.layer.split() == sorted(set(re.findall(r"L\d", layer))), name
        assert clause.level == level_of(level), name
        assert clause.names == revisions_of(revisions), name
