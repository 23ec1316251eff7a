"""Writes the generated pages and blocks of docs.

docs/rules has an index and a page for each area, from the texts of the rules. docs/who-reads-it-how.md has the measured
readings. docs/verdict.md has the tables of rows and answers, between markers; docs/architecture.md has the tree of the
sources and the table of layers of tests/unit/test_layers.py.

Run it after a change of a rule, a reading, a module or a layer: `python tools/generate_docs.py`. A test compares.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from framegauge.behaviour import cases, readers, servers
from framegauge.protocol.revision import JSONRPC, MCP, REVISIONS
from framegauge.render import markdown, page
from framegauge.render.results import RulePage
from framegauge.ruleset.codes import CODES
from framegauge.ruleset.model import CodeRow, Row
from framegauge.ruleset.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from framegauge.ruleset.model import Rule

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "rules"
READINGS = FOLDER.parent / "who-reads-it-how.md"
AREAS = {
    "bytes": "The frame is not one JSON text. UTF-8 is checked first, then the grammar; the first fault counts.",
    "limits": "Limits of the host. No protocol text sets a limit, so a frame beyond one is not malformed.",
    "lines": "Frames on a line channel: standard input and output of a process, or a log with one frame a line.",
    "envelope": "One message, or a batch of them: members, ids, results and errors.",
    "methods": "Methods of a revision of MCP: whether it has them, their kind, and who sends them.",
    "values": "Params, results and error data of a revision of MCP, with nested values; the path is the location.",
    "host": "Rules that a host gives to a gauge; see [writing a host rule](../writing-a-rule.md).",
}
_NOTE = "<!-- Written by tools/generate_docs.py; do not edit. -->"

_LEGEND = """\
An error makes the verdict not ok; a warning or an info does not. The severity below is the highest that a rule can have
in a revision. The page of a rule lists all of its severities.

| authority | the rule rests on |
|---|---|
| `mcp` | a revision of the Model Context Protocol |
| `jsonrpc` | JSON-RPC 2.0 |
| `json` | RFC 8259 |
| `limit` | a setting of the host |
| `interop`, `security` | differences between readers, not a text |

The clauses of a rule are names that this project gives to sentences of the texts; the links lead to the texts."""

_MEASURED = """\
How servers made with real SDKs reacted to frames that are odd in one way. `framegauge check` shows the readings below
the findings. `framegauge explain RULE` and the pages of the rules show them by rule. `framegauge.behaviour` has them as
data.

Every server has a tool that echoes a text, and got each frame once. Unless noted, the frame is a call of that tool with
id 7.

| transport | how the frame was sent |
|---|---|
| HTTP | the body of a POST, with the headers of the unchanged request and without another open stream |
| HTTP, 2025-11-25 | after an `initialize` |
| HTTP, 2026-07-28 | without an `initialize` |
| stdio | one line, directly before a correct request |

"no answer" over stdio: the server answered the correct request and not the frame. It may have dropped the frame, or
have taken it for a notification. The HTTP server of the Python SDK 2.3.0 was measured twice under 2025-11-25, with JSON
answers and with streams; the results were equal. Every server was alive after every frame.

How clients read answers was not measured. Frames with two faults were not measured; `check` shows no readings for them.

| reading | meaning |
|---|---|
| answered | with a result under the id of the request, or as noted |
| error -32600, HTTP 400 | an error answer of that code and status |
| no answer, HTTP 202 | a request was accepted like a notification, without a body |
| accepted, HTTP 202 | the same for a frame that is not a request |
| only a log notification | over stdio, `notifications/message` and no answer |
| the last one counts | of two members of the same name, as the answer shows |
| U+FFFD in its text | the tool received that character in place of bytes outside UTF-8 |
| with the tool's error | the result has `isError`, because the tool does not have such an argument |
| all | every server below on that transport |"""


def render() -> dict[str, str]:
    """File name -> content."""
    pages = {f"{area}.md": _area(area, intro) for area, intro in AREAS.items()}
    return {"index.md": _index(), **pages}


def _rules(area: str) -> list[Rule]:
    return [rule for rule in RULES if rule.area == area]


def _index() -> str:
    lines = [_NOTE, "# Rules", "", f"{len(RULES)} rules.", "", _LEGEND]
    for area, intro in AREAS.items():
        lines += ["", f"## [{area}]({area}.md)", "", intro, "", "| rule | what | severity | authority |"]
        lines.append("|---|---|---|---|")
        lines += [
            f"| [{rule.id}]({area}.md#{rule.id}) | {rule.title} | {page.severity(rule)} | {', '.join(rule.authority)} |"
            for rule in _rules(area)
        ]
    return "\n".join(lines) + "\n"


def _area(area: str, intro: str) -> str:
    sections = [markdown.rule(RulePage(rule, readers(rule.id))) for rule in _rules(area)]
    return "\n".join([_NOTE, f"# Rules: {area}", "", intro, "", *sections])


def render_readings() -> str:
    """The page of all readings."""
    lines = [_NOTE, "# Who reads it how", "", _MEASURED, "", "## Servers", ""]
    lines += ["| SDK | package | version | revision | transport |", "|---|---|---|---|---|"]
    lines += [f"| {s.sdk} | `{s.package}` | {s.version} | {s.revision} | {s.transport} |" for s in servers().values()]
    lines += ["", "## Readings", ""]
    lines += markdown.readings(reading for case in cases() for reading in case.readings)
    return "\n".join(lines) + "\n"


# ---- blocks of pages that people write

_SHORT = {JSONRPC: "`J`", **{revision: revision[2:4] + revision[5:7] for revision in MCP}}
_CODE = {".py", ".pyx", ".hpp", ".cpp", ".h"}


def render_blocks() -> dict[Path, str]:
    """Page -> its text with each generated block as it has to be."""
    return dict(
        [
            _filled("verdict.md", {"rows": _rows(), "answers": _answers(), "values": _values()}),
            _filled("architecture.md", {"tree": _tree(), "layers": _layers()}),
        ]
    )


def _filled(name: str, blocks: dict[str, list[str]]) -> tuple[Path, str]:
    """The page with its blocks as they have to be."""
    path = ROOT / "docs" / name
    text = path.read_text("utf-8")
    for block, lines in blocks.items():
        start, end = f"<!-- generated: {block} -->\n", "<!-- /generated -->"
        before, _, rest = text.partition(start)
        if not rest:
            raise SystemExit(f"{name} has no block {block}")
        text = before + start + "\n".join(lines) + "\n" + end + rest.partition(end)[2]
    return path, text


def _revisions(names: Iterable[str]) -> str:
    named = set(names)
    if named == set(REVISIONS):
        return "all"
    if named == set(MCP):
        return "MCP"
    return " ".join(_SHORT[revision] for revision in REVISIONS if revision in named)


def _condition(rule: Rule, row: Row | CodeRow) -> str:
    """What a row requires, as a cell."""
    if isinstance(row, CodeRow):
        return "`error.code` " + ", ".join(
            str(low) if low == high else f"{low}..{high}" for low, high in sorted(row.ranges)
        )
    facts = ", ".join(f"`{fact}`" for fact in row.facts)
    lacks = ", ".join(f"`{fact}`" for fact in row.without)
    if facts:
        return facts + (f", not {lacks}" if lacks else "")
    if rule.is_fault:
        return "the fault"
    return "section 4" if rule.id.startswith("batch-") else "above"


def _rows() -> list[str]:
    """Every row of a rule that facts, faults or codes find."""
    lines = []
    for area in ("bytes", "limits", "lines", "envelope"):
        lines += ["", f"### {area.title()}", "", "| rule | facts | severity | revisions | transport | answer |"]
        lines.append("|---|---|---|---|---|---|")
        for rule in _rules(area):
            rows: list[Row | CodeRow] = [*rule.rows, *rule.codes]
            for row in rows:
                transports, answer = (row.transports or (), row.answer) if isinstance(row, Row) else ((), None)
                cells = [f"`{rule.id}`", _condition(rule, row), row.severity, _revisions(row.revisions)]
                cells += [" ".join(sorted(transports)), str(answer or "")]
                lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def _answers() -> list[str]:
    """Code -> its message, and the rules it is owed for, in the order of their numbers."""
    lines = []
    for code, message in sorted(CODES.items()):
        owed = [rule for rule in RULES if any(row.answer == code for row in rule.rows)]
        lines += ["", f"**{code}** `{message}`:", *_wrapped(f"`{rule.id}`" for rule in owed)]
    return [*lines, ""]


def _wrapped(names: Iterable[str]) -> list[str]:
    return textwrap.wrap(", ".join(names) + ".", 118, break_on_hyphens=False)


def _values() -> list[str]:
    """Severity and answer of the rules on methods and values."""
    lines = ["", "| rule | severity | revisions | answer |", "|---|---|---|---|"]
    for rule in RULES:
        if rule.area in ("methods", "values"):
            for row in rule.rows:
                cells = [f"`{rule.id}`", row.severity, _revisions(row.revisions), str(row.answer or "")]
                lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


_FOLDERS = {
    "cpp": "the core, in C++",
    "json": "bytes to tokens",
    "frame": "tokens to the facts of one frame",
    "rules": "rows and specs, run over facts and values",
    "lines": "many frames of one buffer",
    "line_cache": "lines that resemble an earlier one",
}


def _tree() -> list[str]:
    """The sources as they are on disk: each package with its modules."""
    source = ROOT / "src" / "framegauge"
    modules = [path for path in sorted(source.glob("*.py")) if path.name[:2] != "__"]
    lines = ["", "```", "src/framegauge/", *(f"  {path.name:<14}{_purpose(path)}" for path in modules)]
    for folder in sorted(path.parent for path in source.glob("*/__init__.py")):
        lines += [f"  {folder.name + '/':<14}{_purpose(folder / '__init__.py')}", *_modules(folder)]
        for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
            name = inner.relative_to(source).as_posix() + "/"
            lines += [f"  {name:<14}{_purpose(inner / '__init__.py')}", *_modules(inner)]
        for inner in sorted(path for path in folder.glob("cpp/**") if path.is_dir()):
            lines += [f"  {inner.relative_to(source).as_posix() + '/':<32}{_FOLDERS[inner.name]}", *_modules(inner)]
    return [*lines, "```", ""]


def _purpose(path: Path) -> str:
    """The first sentence of the docstring."""
    text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return re.split(r"[.:](?:\s|$)", text)[0]


def _modules(folder: Path) -> list[str]:
    """Names of the files that hold code, in lines of the page's width."""
    files = (path for path in folder.iterdir() if path.suffix in _CODE)
    names = sorted({path.stem if path.suffix == ".py" else path.name for path in files} - {"__init__"})
    return textwrap.wrap(" ".join(names), 110, initial_indent="    ", subsequent_indent="    ")


def _layers() -> list[str]:
    """The table that tests/unit/test_layers.py enforces."""
    spec = importlib.util.spec_from_file_location("layers", ROOT / "tests" / "unit" / "test_layers.py")
    assert spec
    assert spec.loader
    layers = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(layers)
    lines = ["", "| layer | may import |", "|---|---|"]
    for layer, allowed in layers.ALLOWED.items():
        everything = set(layers.ALLOWED) - {"__init__", "__main__", "cli"} <= allowed
        named = "every layer above" if everything else ", ".join(f"`{name}`" for name in sorted(allowed))
        lines.append(f"| `{layer}` | {named or 'nothing of framegauge'} |")
    return [*lines, ""]


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in render().items():
        (FOLDER / name).write_text(content, encoding="utf-8", newline="\n")
    READINGS.write_text(render_readings(), encoding="utf-8", newline="\n")
    for path, text in render_blocks().items():
        path.write_text(text, encoding="utf-8", newline="\n")
