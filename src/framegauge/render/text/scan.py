"""The report for people: findings first, one line each, then the sums."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from framegauge.render.escape import printable

_SEVERITIES = ("error", "warning", "info")  # in this order
_SHOWN = 5  # paths that are named where only their number matters


def render(report: Mapping[str, Any]) -> str:
    return "\n".join([*_findings(report["rules"]), *_sums(report)]) + "\n"


def _findings(rules: Mapping[str, Any]) -> Iterator[str]:
    for rule, result in sorted(rules.items(), key=lambda item: _SEVERITIES.index(item[1]["severity"])):
        for finding in result["first"]:
            place = f"{printable(finding['file'])}:{finding['line']}:{finding['fault_offset']}"
            size = f"  ({finding['size']:,} bytes)" if rule == "frame-too-large" else ""
            yield f"{place}: {finding['severity']} {rule}  {finding['excerpt']}{size}"
        more = result["count"] - len(result["first"])
        if more:
            yield f"... and {more:,} more frames: {rule}"
    if rules:
        yield ""


def _sums(report: Mapping[str, Any]) -> Iterator[str]:
    files = report["files"]
    unread = [file["path"] for file in files if file["error"] is not None]
    yield from _table({"files": len(files), "frames": report["frames"], "bytes": report["bytes"]})
    if unread:
        yield f"unreadable  {_listed(unread)}"
    if report["skipped"]:
        yield "skipped  " + _listed(f"{item['path']} ({item['reason']})" for item in report["skipped"])
    kinds = {kind: count for kind, count in report["kinds"].items() if count}
    if kinds:
        yield from ("", "kinds", *_table(kinds, "  "))
    if report["rules"]:
        counts = {f"{rule} ({result['severity']})": result["count"] for rule, result in report["rules"].items()}
        yield from ("", "frames per rule", *_table(counts, "  "))
    if report["not_judged"]:
        yield from ("", "frames that a rule cannot judge here", *_table(report["not_judged"], "  "))


def _table(rows: Mapping[str, int], indent: str = "") -> list[str]:
    """Align names to the left and counts to the right, the rows in the order given."""
    names, counts = max(map(len, rows)), max(len(f"{count:,}") for count in rows.values())
    return [f"{indent}{name:<{names}}  {count:>{counts},}" for name, count in rows.items()]


def _listed(paths: Iterable[str]) -> str:
    """Name the first few."""
    named = [printable(path) for path in paths]
    more = f", and {len(named) - _SHOWN:,} more" if len(named) > _SHOWN else ""
    return f"{len(named):,}: " + ", ".join(named[:_SHOWN]) + more
