"""Writes docs/rules: an index of all rules and a page for each area, from what the rules say of themselves.

Run it after changing a rule: `python tools/generate_docs.py`. A test renders the pages and compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from framegauge.rules import page
from framegauge.rules.registry import RULES

if TYPE_CHECKING:
    from framegauge.rules.model import Rule

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "rules"
AREAS = {
    "bytes": "The frame is not one JSON text. UTF-8 is decided first, then the grammar; the first fault counts.",
    "limits": "The host's own limits. No protocol text sets one, so what exceeds them is not called malformed.",
    "lines": "Frames on a line channel: standard input and output of a process, or a log with one frame a line.",
    "envelope": "One message, or a batch of them: members, ids, results and errors.",
    "methods": "What a revision of MCP says of a method: whether it has it, of which kind it is, and who sends it.",
    "values": "What params, results and error data hold by a revision of MCP, nested values too; the path says where.",
    "host": "Rules that a host gives to the gauge itself; see [writing a rule](../writing-a-rule.md).",
}
_NOTE = "<!-- Written by tools/generate_docs.py; do not edit. -->"

_LEGEND = """\
An error makes the verdict not ok; a warning or an info does not. The severity here is the highest that a rule can have
in that revision; its page says when it is lower.

The authority says on whose word: `mcp` a revision of the Model Context Protocol, `jsonrpc` JSON-RPC 2.0, `json` RFC
8259, `limit` the host's own setting. `interop` and `security` rest on no text, but on what happens where readers
differ. The clauses of a rule are this project's names for the sentences it comes from; the links lead to them."""


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
    sections = [page.markdown(rule) for rule in _rules(area)]
    return "\n".join([_NOTE, f"# Rules: {area}", "", intro, "", *sections])


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in render().items():
        (FOLDER / name).write_text(content, encoding="utf-8", newline="\n")
