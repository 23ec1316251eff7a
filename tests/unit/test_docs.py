"""The pages of the rules: generated, complete, and readable where they are shown."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import framegauge as fg
from framegauge.behaviour import cases, readers, servers
from framegauge.render import FORMATS, page
from framegauge.render.results import RulePage

from .test_layers import ALLOWED

ROOT = Path(__file__).resolve().parents[2]
VERDICT = (ROOT / "docs" / "verdict.md").read_text("utf-8")


def generator() -> Any:
    path = ROOT / "tools" / "generate_docs.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES: dict[str, str] = generator().render()


def test_the_pages_are_what_the_generator_writes() -> None:
    folder = generator().FOLDER
    assert sorted(path.name for path in folder.iterdir()) == sorted(PAGES), "run tools/generate_docs.py"
    for name, content in PAGES.items():
        assert (folder / name).read_text("utf-8") == content, f"{name}: run tools/generate_docs.py"
    assert generator().READINGS.read_text("utf-8") == generator().render_readings(), "run tools/generate_docs.py"


def test_generated_blocks_are_what_the_generator_writes() -> None:
    for path, content in generator().render_blocks().items():
        assert path.read_text("utf-8") == content, f"{path.name}: run tools/generate_docs.py"


def test_the_tree_in_the_architecture_is_the_tree_on_disk() -> None:
    page_ = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    block = page_.partition("<!-- generated: tree -->")[2].partition("<!-- /generated -->")[0]
    source = ROOT / "src" / "framegauge"
    names = re.findall(r"[\w./]+", block)
    for path in source.rglob("*"):
        if path.suffix in (".py", ".pyx", ".hpp", ".cpp", ".h") and path.name[:2] != "__":
            assert names.count(path.stem) + names.count(path.name) >= 1, path
    folders = {f"{path.parent.relative_to(source).as_posix()}/" for path in source.glob("*/**/__init__.py")}
    folders |= {f"{path.relative_to(source).as_posix()}/" for path in source.glob("native/cpp/**") if path.is_dir()}
    assert {name for name in names if name.endswith("/")} - {"src/framegauge/"} == folders


def test_every_layer_is_in_the_architecture() -> None:
    page_ = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    for layer, allowed in ALLOWED.items():
        [row] = re.findall(rf"^\| `{layer}` \| (.*) \|$", page_, re.MULTILINE)
        assert row == "every layer above" or set(re.findall(r"`(\w+)`", row)) == allowed


def test_every_row_is_in_the_verdict() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|(?:.* \|)? (?:error|warning|info) \|.*$", VERDICT, re.MULTILINE)
    assert sorted(rows) == sorted(
        rule.id for rule in fg.rules() if rule.area != "host" for _ in (*rule.rows, *rule.codes)
    )  # fmt: skip


def test_every_rule_has_its_section_and_its_line() -> None:
    assert sorted(PAGES) == [
        "bytes.md", "envelope.md", "host.md", "index.md", "limits.md", "lines.md", "methods.md", "values.md",
    ]  # fmt: skip
    for rule in fg.rules():
        assert PAGES[f"{rule.area}.md"].count(f"\n## {rule.id}\n") == 1
        assert PAGES["index.md"].count(f"| [{rule.id}]({rule.area}.md#{rule.id}) |") == 1


def test_what_was_measured_stands_with_its_rule() -> None:
    told = {rule.id for rule in fg.rules() if readers(rule.id)}
    assert len(told) >= 25
    for rule in fg.rules():
        section = PAGES[f"{rule.area}.md"].partition(f"\n## {rule.id}\n")[2].partition("\n## ")[0]
        assert ("**Who reads it how.**" in section) == (rule.id in told)
        assert all(reading.frame.replace("\\", "\\\\") in section for reading in readers(rule.id))


def test_the_page_of_readings_names_every_server_and_every_frame() -> None:
    shown = generator().render_readings()
    for server in servers().values():
        assert f"| `{server.package}` | {server.version} | {server.revision} | {server.transport} |" in shown
    for case in cases():
        assert case.frame.replace("\\", "\\\\") in shown


def test_tables_are_tables() -> None:
    for name, content in PAGES.items():
        assert content.isascii(), name
        for line in content.splitlines():
            if line.startswith("|"):
                assert line.count("|") in (3, 5), line


@pytest.mark.parametrize("rule", fg.rules(), ids=lambda rule: rule.id)
def test_a_page_on_a_terminal(rule: fg.Rule) -> None:
    shown = FORMATS["rule", "text"](RulePage(rule, ()))
    assert shown.startswith(f"{rule.id}: {rule.title}\n")
    assert shown.isascii()
    assert not set(shown.encode()) - set(range(32, 127)) - {10}
    ends = [at for at in (shown.find("\nWrong\n"), shown.find("\nRead\n")) if at >= 0]
    prose = shown[: min(ends, default=len(shown))]
    assert max(map(len, prose.splitlines())) <= 100
    words = re.sub(r"\s+", " ", prose)
    for paragraph in (rule.what, rule.why, rule.fix):
        assert paragraph in words
    for url in rule.urls:
        assert f"  {url}\n" in shown


def test_severity_is_told_in_words() -> None:
    told = {rule.id: page.severity(rule) for rule in fg.rules()}
    assert told["not-json"] == "error in every revision"
    assert told["result-null"] == "error in every MCP revision"
    assert told["id-not-integer"] == "error in every MCP revision; warning in jsonrpc-2.0"
    assert told["batch-empty"] == "error in jsonrpc-2.0, 2024-11-05, 2025-03-26"


def test_examples_are_printable() -> None:
    assert page.printable('{"é":"\udcff\x1b\t"}\n\r') == '{"\\xc3\\xa9":"\\xff\\x1b\\x09"}\n\\x0d'
