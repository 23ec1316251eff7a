"""A revision is one file: what rules say of revisions follows from the files, and a new file needs nothing else."""

from __future__ import annotations

import ast
import base64
import json
import re
import runpy
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.protocol import JSONRPC, MCP, REVISIONS, revision
from framegauge.protocol.features import ALL, IN_JSONRPC, IN_MCP, since, until, with_feature
from framegauge.protocol.revision import load
from framegauge.ruleset import references
from tests.support.package_copy import PACKAGE, ROOT, PackageCopy

if TYPE_CHECKING:
    from pathlib import Path

NEW, LATER = "2027-03-01", "2027-06-01"
NEWEST = next(name for name in reversed(MCP) if name not in (NEW, LATER))  # also where these two are there
METHOD = """
[methods."tools/preview"]
kind = "request"
from = "client"
params = "CallToolRequestParams!"
url = "https://example.org"
"""
PREVIEW = (
    '{"jsonrpc":"2.0","id":1,"method":"tools/preview","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{},'
    f'"io.modelcontextprotocol/protocolVersion":"{NEWEST}"}}}}}}'
)
SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"direction": "client-to-server", "transport": "http"},
    {"direction": "server-to-client", "transport": "stdio"},
)

# ---- sets of revisions


def test_since_and_until_part_the_revisions_of_mcp() -> None:
    for place, date in enumerate(MCP):
        assert since(date) == set(MCP[place:])
        assert until(date) == set(MCP[:place])
    assert since(MCP[0]) == IN_MCP == ALL - IN_JSONRPC


@pytest.mark.parametrize("of", [since, until])
def test_a_date_without_a_revision_is_refused(of: Any) -> None:
    with pytest.raises(ValueError, match="there is no revision '2025-11-26'"):
        of("2025-11-26")
    with pytest.raises(ValueError, match="there is no revision"):
        of(JSONRPC)


def test_a_feature_that_no_revision_has_is_refused() -> None:
    with pytest.raises(ValueError, match="no revision has the feature 'batchs'"):
        with_feature("batchs")


@pytest.mark.parametrize(
    ("feature", "names"),
    {
        "batch_judged": (JSONRPC, "2024-11-05", "2025-03-26"),
        "batch_defined": ("2025-03-26",),
        "meta_keys": ("2025-06-18", "2025-11-25", "2026-07-28"),
        "text_copy": ("2025-06-18", "2025-11-25", "2026-07-28"),
        "error_data": ("2025-11-25", "2026-07-28"),
        "tool_names": ("2025-11-25", "2026-07-28"),
        "schema_dialects": ("2025-11-25", "2026-07-28"),
        "deprecations": ("2026-07-28",),
        "error_ranges": ("2026-07-28",),
        "extension_keys": ("2026-07-28",),
        "meta_version": ("2026-07-28",),
        "param_headers": ("2026-07-28",),
        "result_type": ("2026-07-28",),
        "trace_keys": ("2026-07-28",),
    }.items(),
)
def test_features_are_those_of_the_texts(feature: str, names: tuple[str, ...]) -> None:
    assert with_feature(feature) == set(names)


def test_every_feature_of_a_revision_is_used_by_a_rule_or_check() -> None:
    sources = [*PACKAGE.glob("ruleset/*.py"), *PACKAGE.glob("checks/*.py")]
    text = "".join(path.read_text("utf-8") for path in sources)
    features = {feature for name in REVISIONS for feature in revision(name).features}
    assert len(features) > 10
    assert [feature for feature in sorted(features) if f'with_feature("{feature}")' not in text] == []


def test_an_extension_holds_from_the_revision_of_its_file_on(tmp_path: Path) -> None:
    for name in (NEWEST, f"{NEWEST}+tasks"):
        shutil.copy(PACKAGE / "protocol" / "data" / f"{name}.toml", tmp_path)
    shutil.copy(tmp_path / f"{NEWEST}.toml", tmp_path / f"{NEW}.toml")
    assert "tasks/update" in load(f"{NEW}+tasks", tmp_path).methods
    newer = (tmp_path / f"{NEWEST}+tasks.toml").read_text("utf-8").replace("tasks/update", "tasks/change")
    (tmp_path / f"{NEW}+tasks.toml").write_text(newer, "utf-8")
    assert "tasks/change" in load(f"{NEW}+tasks", tmp_path).methods
    assert "tasks/change" not in load(f"{NEWEST}+tasks", tmp_path).methods


# ---- dates in the code

DATE = re.compile(r"20\d\d-\d\d-\d\d")
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".h", ".hpp", ".cpp"}
RULE_TEXTS = {"title", "message", "what", "why", "fix", "bad", "good"}


def dates_in(source: str, path: str) -> list[str]:
    """The dates of a module that are not in texts for people, nor arguments of since() or until().

    Texts are docstrings, the texts of rules, in a module of rules also the example frames, and addresses: a revision
    has a name in `references`, which only the functions that make addresses may be called with.
    """
    found: list[str] = []

    def walk(node: ast.AST, text: bool, address: bool) -> None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not text and DATE.search(node.value):
            if not (path.startswith("ruleset/") and node.value.startswith(("{", '"'))):
                found.append(node.value)
        elif isinstance(node, ast.Attribute) and re.fullmatch(r"V\d{4}", node.attr) and not address:
            found.append(node.attr)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        in_text = text or called in ("since", "until")
        in_address = address or called in ("references.spec", "references.schema")
        for child in ast.iter_child_nodes(node):
            is_text = called == "Rule" and isinstance(child, ast.keyword) and child.arg in RULE_TEXTS
            walk(child, in_text or is_text, in_address)

    walk(ast.parse(source), False, False)
    return found


def test_no_code_names_a_revision() -> None:
    found: dict[str, list[str]] = {}
    files = [path for path in sorted(PACKAGE.rglob("*")) if path.suffix in SUFFIXES and "data" not in path.parts]
    assert len(files) > 80
    for path in files:
        name, text = path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")
        found[name] = dates_in(text, name) if path.suffix == ".py" else DATE.findall(text)
    assert found.pop("ruleset/references.py") == ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
    assert {name: dates for name, dates in found.items() if dates} == {}


def test_references_are_addresses() -> None:
    shared = {name: value for name, value in vars(references).items() if name.isupper() and name[0] != "_"}
    addresses = {name: value for name, value in shared.items() if not re.fullmatch(r"V\d{4}", name)}
    assert len(addresses) > 5
    assert [name for name, value in addresses.items() if not all(each.startswith("https://") for each in value)] == []


@pytest.mark.parametrize(
    "line",
    [
        'NEWEST = frozenset({"2026-07-28"})',
        'Row(facts=(), severity="error", revisions=frozenset({references.V2607}))',
        'if revision == "2025-06-18": pass',
        'Rule(rows=with_dates("2025-06-18"))',
        'x = f"{a} 2025-06-18"',
    ],
)
def test_a_date_in_the_code_is_noticed(line: str) -> None:
    assert len(dates_in(line, "ruleset/x.py")) == 1


@pytest.mark.parametrize(
    "line",
    [
        'since("2026-07-28") & until("2027-01-01")',
        'Rule(bad=frame.replace("2026-07-28", "2031-01-01"), what="since 2025-06-18")',
        'Rule(urls=(*references.spec("basic#meta", references.V2607), references.schema(references.V2411)))',
        '_FRAME = \'{"protocolVersion":"2025-06-18"}\'',
        '"""As in 2025-11-25."""',
    ],
)
def test_a_date_for_people_is_allowed(line: str) -> None:
    assert dates_in(line, "ruleset/x.py") == []


# ---- a new file


def renewed(frame: bytes) -> bytes:
    """A frame of the newest revision as one of the new revision; both dates have ten characters."""
    return frame.replace(NEWEST.encode(), NEW.encode())


def described(verdict: fg.Verdict) -> dict[str, Any]:
    """All of a verdict except texts for people, which may name the other revisions."""
    reply, frame = verdict.reply, verdict.frame
    return {
        "kind": verdict.kind,
        "ok": verdict.ok,
        "revision": verdict.revision,
        "legal": sorted(frame.revisions),
        "respond": verdict.respond,
        "status": verdict.status,
        "reply": reply and [reply.code, reply.data, reply.status, reply.body().decode()],
        "not_judged": sorted(verdict.not_judged),
        "findings": [
            [each.rule, each.severity, each.offset, each.end, each.path, each.count, sorted(each.revisions)]
            for each in verdict.findings
        ],
        "items": [described(item) for item in verdict.items],
    }


def judged(name: str, frames: list[bytes]) -> list[str]:
    """The verdicts under one revision, as text, each beside the revisions that it would name more or less of."""
    gauges = [fg.Gauge(name, **setting) for setting in SETTINGS]  # type: ignore[arg-type]
    texts = []
    for frame in frames:
        for gauge in gauges:
            said = described(gauge.check(frame))
            for part in (said, *said["items"]):
                part["legal"] = [each for each in part["legal"] if each == name or each not in (NEWEST, NEW, LATER)]
            texts.append(json.dumps(said))
    return texts


def errors(frames: list[bytes]) -> list[list[str]]:
    """The errors under auto."""
    gauges = [fg.Gauge(**setting) for setting in SETTINGS]  # type: ignore[arg-type]
    return [
        sorted({each.rule for each in gauge.check(frame).findings if each.severity == "error"})
        for frame in frames
        for gauge in gauges
    ]


def answer() -> None:
    """In a process of its own, whose package has more revisions: frames from stdin, what is compared to stdout."""
    frames = [base64.b64decode(line) for line in sys.stdin]
    found = {"as new": judged(NEW, [renewed(frame) for frame in frames]), "newest": judged(NEWEST, frames)}
    found["preview"] = [judged(name, [PREVIEW.replace(NEWEST, name).encode()])[0] for name in (NEW, LATER)]
    print(json.dumps({**found, "errors": errors(frames), "from": fg.__file__, "MCP": MCP}))


@pytest.fixture(scope="module")
def frames() -> list[bytes]:
    collected: list[bytes] = runpy.run_path(str(ROOT / "tools" / "compare_builds.py"))["collected"]()
    assert len(collected) > 1000
    return collected


@pytest.fixture(scope="module")
def with_new_file(frames: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a copy of the package says that has the newest revision's file under two new dates, and no other change.

    The later one has a method more.
    """
    copy = PackageCopy(tmp_path_factory.mktemp("revision"))
    data = copy.package / "protocol" / "data"
    text = (data / f"{NEWEST}.toml").read_text("utf-8")
    (data / f"{NEW}.toml").write_text(text.replace(NEWEST, NEW), "utf-8")
    (data / f"{LATER}.toml").write_text(text.replace(NEWEST, LATER) + METHOD, "utf-8")
    given = "".join(base64.b64encode(frame).decode() + "\n" for frame in frames)
    found: dict[str, Any] = json.loads(
        copy.run("-c", "from tests.unit.test_revisions import answer; answer()", data=given)
    )
    assert (found["from"], found["MCP"]) == (str(copy.package / "__init__.py"), [*MCP, NEW, LATER])
    return found


def test_a_copy_of_the_newest_file_gives_its_verdicts(with_new_file: dict[str, Any]) -> None:
    as_new = [text.replace(NEW, NEWEST) for text in with_new_file["as new"]]
    assert len(as_new) > 1000
    differences = [pair for pair in zip(as_new, with_new_file["newest"], strict=True) if pair[0] != pair[1]]
    assert differences == []


def test_a_new_file_changes_no_verdict_of_the_newest_revision(
    with_new_file: dict[str, Any], frames: list[bytes]
) -> None:
    assert with_new_file["newest"] == judged(NEWEST, frames)


def test_a_new_file_makes_no_error_milder_under_auto(with_new_file: dict[str, Any], frames: list[bytes]) -> None:
    before = errors(frames)
    assert sum(map(len, before)) > 1000
    milder = [pair for pair in zip(before, with_new_file["errors"], strict=True) if not set(pair[0]) <= set(pair[1])]
    assert milder == []


def test_a_method_of_a_new_file_needs_no_number(with_new_file: dict[str, Any]) -> None:
    before, later = (json.loads(text)["findings"] for text in with_new_file["preview"])
    assert [finding[0] for finding in before] == ["method-not-in-revision"]
    assert [(finding[0], finding[4]) for finding in later] == [("param-missing", "/params/name")]
