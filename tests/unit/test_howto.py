"""The pages for users are true: what they tell to type prints what they show."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("authors.md", "archives.md", "ci.md", "embedding.md")
SESSION = """\
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"nmae":"greet"}}
"""


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for name in PAGES:
        text = (DOCS / name).read_text("utf-8")
        found += [(name, block) for block in re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    return found


def steps(block: str) -> list[tuple[str, str]]:
    """Commands, each with what it prints: `$ command`, and `> ` before what is typed on further lines."""
    found: list[tuple[str, str]] = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        more = next((n for n, line in enumerate(lines[1:], 1) if not line.startswith("> ")), len(lines))
        command = lines[0] + "".join(line[2:] for line in lines[1:more])
        found.append((command, "".join(lines[more:])))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "session.ndjson").write_text(SESSION, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CONSOLE = [(name, *step) for name, block in blocks("console") for step in steps(block)]


@pytest.mark.skipif(sys.platform == "win32", reason="the pages speak of a POSIX shell")
@pytest.mark.parametrize(
    ("name", "command", "shown"), CONSOLE, ids=[f"{name}-{n}" for n, (name, *_) in enumerate(CONSOLE)]
)
def test_a_command_prints_what_is_shown(name: str, command: str, shown: str, folder: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (shown, ""), name


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", sorted({name for name, _ in blocks("pycon")}))
def test_an_example_prints_what_it_says(name: str) -> None:
    text = "\n".join(block for page, block in blocks("pycon") if page == name)
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert len(test.examples) >= 6
    results = doctest.DocTestRunner(verbose=False).run(test)
    assert (results.failed, results.attempted) == (0, len(test.examples))


def test_every_page_has_something_to_run() -> None:
    assert {name for name, _ in blocks("console") + blocks("pycon")} == set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", (DOCS / name).read_text("utf-8"))
    assert links or name == "ci.md"
    assert [link for link in links if not (DOCS / link).exists()] == []


def test_rules_that_are_named_exist() -> None:
    from framegauge import rules

    known = {rule.id for rule in rules()}
    table = re.findall(r"^\| .* \| (.*`.*) \|$", (DOCS / "authors.md").read_text("utf-8"), re.MULTILINE)
    named = {name for row in table for name in re.findall(r"`([a-z-]+)`", row)} - {"args"}
    assert len(named) >= 15
    assert named <= known
