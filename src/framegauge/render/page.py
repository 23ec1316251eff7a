"""What the page of one rule holds, in any format."""

from collections.abc import Iterator, Mapping

from framegauge.protocol.revision import MCP, REVISIONS
from framegauge.ruleset.model import SEVERITIES, Rule, Severity

__all__ = ["examples", "facts", "paragraphs", "printable", "severity"]


def severity(rule: Rule) -> str:
    """How severe it is at most, and where: "error in every revision"."""
    found = rule.severities()
    return "; ".join(f"{level} in {_where(found, level)}" for level in SEVERITIES if level in found.values())


def printable(frame: str) -> str:
    """An example frame on a terminal or a page: \\xNN is a byte outside printable ASCII."""
    return "".join(_shown(byte) for byte in frame.encode("utf-8", "surrogateescape"))


def _shown(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F or byte == 0x0A else f"\\x{byte:02x}"


def facts(rule: Rule) -> Iterator[tuple[str, str]]:
    answers = sorted({str(row.answer) for row in rule.rows if row.answer is not None})
    yield "severity", severity(rule)
    yield "authority", ", ".join(rule.authority)
    yield "answer", ", ".join(answers) or "none"
    if rule.clauses:
        yield "clauses", ", ".join(rule.clauses)


def paragraphs(rule: Rule) -> tuple[tuple[str, str], ...]:
    return ("What it is", rule.what), ("Why it matters", rule.why), ("What to do", rule.fix)


def examples(rule: Rule) -> Iterator[tuple[str, str]]:
    for name, frame in (("Wrong", rule.bad), ("Right", rule.good)):
        if frame:
            yield name, printable(frame)


def _where(found: Mapping[str, Severity], level: Severity) -> str:
    where = [revision for revision in REVISIONS if found.get(revision) == level]
    if len(where) == len(REVISIONS):
        return "every revision"
    if where == list(MCP):
        return "every MCP revision"
    return ", ".join(where)
