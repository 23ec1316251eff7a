"""Writes docs/clauses.md: every clause, and the rules that judge it. `--missing` prints those that no rule judges yet.

Run it after changing tools/clauses.toml, the clauses that a rule or the protocol data names, or a vector in
tests/vectors/clauses.toml: `python tools/generate_clauses.py`. A test renders the page and compares.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from framegauge.protocol import EXTENSIONS, JSONRPC, MCP, revision
from framegauge.ruleset.registry import RULES, by_id

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "tools" / "clauses.toml"
TARGET = ROOT / "docs" / "clauses.md"
VECTORS = ROOT / "tests" / "vectors" / "clauses.toml"
JUDGED = {
    "rule": "one frame shows it, and the rule named here judges it; in brackets the methods or shapes that "
    "define the value",
    "allows": "it forbids nothing that one frame shows: a frame that makes use of it is clean",
    "session": "needs more than one frame; comes with sessions",
    "transport": "needs HTTP headers or status, or the stream; comes with gateways",
    "open": "one frame shows it, and no rule judges it yet; after a rule: that part of it",
    "unseen": "no recording can show it",
}
SHORT = {"J": JSONRPC, **{name[2:4] + name[5:7]: name for name in MCP}}
_LEGEND = """\
clauses. Each is a sentence of JSON-RPC 2.0 or of an MCP revision about messages, with a name of this project. The
links to the texts are with [the rules](rules/index.md).

J is jsonrpc-2.0; 2411, 2503, 2506, 2511 and 2607 are the MCP revisions. Layers: L0 bytes, L1 envelope, L2 params and
results of one frame, L3 several frames, L4 transport; none: of no frame. Levels are the words of the text; TYPE: only
in its types."""
_DEMANDS = {"MUST", "MUST NOT", "TYPE"}


@dataclass(frozen=True, slots=True)
class Clause:
    """One row of clauses.toml."""

    id: str
    area: str
    layer: str
    level: str
    revisions: str
    by: str
    why: str = ""

    @property
    def judged(self) -> list[str]:
        return self.by.split()

    @property
    def names(self) -> frozenset[str]:
        """The revisions by their full names."""
        years, found = list(SHORT), set[str]()
        for part in self.revisions.split():
            first, _, last = part.partition("-")
            found.update(years[years.index(first) : years.index(last or first) + 1])
        return frozenset(SHORT[year] for year in found)

    @property
    def demands(self) -> bool:
        """Is it of a layer that one frame belongs to, and does it demand something?"""
        return bool({"L0", "L1", "L2"} & set(self.layer.split()) and _DEMANDS & set(self.level.split(", ")))


def clauses() -> tuple[Clause, ...]:
    raw = tomllib.loads(SOURCE.read_text("utf-8"))
    return tuple(Clause(id=name, area=area, **said) for area, rows in raw.items() for name, said in rows.items())


def by_rules() -> dict[str, list[str]]:
    """Clause -> the rules that name it, and the one that its vector shows."""
    found: dict[str, list[str]] = {}
    for rule in RULES:
        for clause in rule.clauses:
            found.setdefault(clause, []).append(rule.id)
    for clause, vector in tomllib.loads(VECTORS.read_text("utf-8")).items():
        rule_id = vector.get("rule")
        if rule_id and rule_id not in found.setdefault(clause, []):
            found[clause].append(rule_id)
    return found


def by_data() -> dict[str, list[str]]:
    """Clause -> the methods that name it, or the shapes where no method does."""
    methods: dict[str, dict[str, None]] = {}
    shapes: dict[str, dict[str, None]] = {}
    for found in map(revision, (*MCP, *EXTENSIONS)):
        for method in found.methods.values():
            for clause in method.clauses:
                methods.setdefault(clause, {})[method.name] = None
        for shape in found.shapes.values():
            if shape.clause and " | " not in shape.name:  # no shape of the file, but made of several
                shapes.setdefault(shape.clause, {})[shape.name] = None
    return {clause: list(names) for clause, names in (shapes | methods).items()}


def render() -> str:
    rows, rules, data = clauses(), by_rules(), by_data()
    counts = Counter(row.judged[0] for row in rows)
    lines = [
        "<!-- Written by tools/generate_clauses.py; do not edit. -->",
        "# Clauses",
        "",
        f"{len(rows)} {_LEGEND}",
        "",
        *("| judged by | clauses | |", "|---|---|---|"),
        *(f"| {kind} | {counts[kind]} | {meaning} |" for kind, meaning in JUDGED.items()),
        "",
        "A clause that is judged in two ways counts under the first.",
    ]
    for area in dict.fromkeys(row.area for row in rows):
        lines += ["", f"## {area}", "", "| clause | layer | level | revisions | judged by |", "|---|---|---|---|---|"]
        lines += [
            f"| `{row.id}` | {row.layer} | {row.level} | {row.revisions} | {_where(row, rules, data)} |"
            for row in rows
            if row.area == area
        ]
    return "\n".join(lines) + "\n"


def _where(row: Clause, rules: dict[str, list[str]], data: dict[str, list[str]]) -> str:
    words = []
    for kind in row.judged:
        if kind == "rule":
            words.append(", ".join(f"[{name}](rules/{by_id(name).area}.md#{name})" for name in rules[row.id]))
            words += [f"({', '.join(f'`{name}`' for name in data[row.id])})"] if row.id in data else []
        else:
            words.append(f"*{kind}*")
    return " ".join(words) + (f": {row.why}" if row.why else "")


def missing() -> list[str]:
    """The clauses of L0 to L2 that demand something and have no rule, or none for a part of them; open ones first."""
    kinds = ("open", "rule open", "session", "transport", "unseen")
    rows = [row for row in clauses() if row.demands and row.by in kinds]
    rows.sort(key=lambda row: kinds.index(row.by))
    return [
        f"{row.by:<9}  {row.id:<28}  {row.layer:<8}  {row.level:<15}  {row.revisions:<11}  {row.why}" for row in rows
    ]


if __name__ == "__main__":
    if sys.argv[1:] == ["--missing"]:
        print("\n".join(line.rstrip() for line in missing()))
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        TARGET.write_text(render(), encoding="utf-8", newline="\n")
