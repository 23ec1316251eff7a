"""Writes docs/rules: an index of all rules and a page for each area, from what the rules say of themselves; and
docs/who-reads-it-how.md, from the measured readings.

Run it after changing a rule or a reading: `python tools/generate_docs.py`. A test renders the pages and compares.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from framegauge.behaviour import cases, readers, servers
from framegauge.render import page
from framegauge.render import readings as words
from framegauge.ruleset.registry import RULES

if TYPE_CHECKING:
    from framegauge.ruleset.model import Rule

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "rules"
READINGS = FOLDER.parent / "who-reads-it-how.md"
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

_MEASURED = """\
What servers made with real SDKs did with frames that are odd in one way. `framegauge check` shows it below the
findings, `framegauge explain RULE` and the pages of the rules show it by rule, `framegauge.behaviour` has it as data.

Every server has a tool that echoes a text, and was sent each frame below once; where nothing else is said, the frame is
a call of that tool with id 7. Over HTTP it was the body of a POST with the headers that belong to the unharmed request,
after an `initialize` for 2025-11-25 and without one for 2026-07-28; no other stream was open on which an answer might
have come. Over stdio it was one line, and a request that is well came right after it: "no answer" means that this
request was answered and the frame was not, and does not tell a dropped frame from one taken for a notification. The
HTTP server of the Python SDK 2.3.0 was measured twice under 2025-11-25, with JSON answers and with streams, and did the
same. Every server was still alive after every frame.

How clients read answers is not in here. Neither is a frame with two faults: `check` tells nothing of those.

What happened, in words:

| | |
|---|---|
| answered | with a result under the id of the request, or as said |
| error -32600, HTTP 400 | an error answer of that code and status |
| no answer, HTTP 202 | a request was accepted as a notification is, without a body |
| accepted, HTTP 202 | the same for a frame that is no request |
| only a log notification | over stdio, `notifications/message` and no answer |
| the last one counts | of two members of the same name, shown by the answer |
| U+FFFD in its text | the tool received that character in place of bytes that are no UTF-8 |
| with the tool's error | the result says `isError`; here because the tool has no such argument |
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
    sections = [page.markdown(rule) + _who_reads_it_how(rule) for rule in _rules(area)]
    return "\n".join([_NOTE, f"# Rules: {area}", "", intro, "", *sections])


def _who_reads_it_how(rule: Rule) -> str:
    found = readers(rule.id)
    return "\n".join(["", "**Who reads it how.**", "", *words.markdown(found), ""]) if found else ""


def render_readings() -> str:
    """The page of all readings."""
    lines = [_NOTE, "# Who reads it how", "", _MEASURED, "", "## Servers", ""]
    lines += ["| SDK | package | version | revision | transport |", "|---|---|---|---|---|"]
    lines += [f"| {s.sdk} | `{s.package}` | {s.version} | {s.revision} | {s.transport} |" for s in servers().values()]
    lines += ["", "## Readings", ""]
    lines += words.markdown(reading for case in cases() for reading in case.readings)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in render().items():
        (FOLDER / name).write_text(content, encoding="utf-8", newline="\n")
    READINGS.write_text(render_readings(), encoding="utf-8", newline="\n")
