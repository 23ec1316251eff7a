"""The verdict on one frame: what it is, each finding with its location, the answer owed."""

from collections.abc import Iterator, Mapping
from typing import Any

from framegauge.explain.excerpt import escaped, pointed
from framegauge.protocol.revision import JSONRPC
from framegauge.render.escape import cut, printable, table
from framegauge.render.results import Checked
from framegauge.render.text.readings import lines as lines_of

_LONGEST = 200  # characters of a path or a name
_LONGEST_BODY = 2000  # characters of an answer
_INDENT = 2


def render(checked: Checked) -> str:
    verdict = checked.verdict
    lines = list(_head(verdict))
    for finding in verdict["findings"]:
        lines += ["", *_finding(finding, checked.frame, checked.width)]
    if not verdict["findings"]:
        lines += ["", "no findings"]
    if verdict["not_judged"]:
        lines += ["", f"not judged here: {', '.join(verdict['not_judged'])}"]
    if checked.request_method is None and verdict["kind"] == "success" and verdict["revision"] != JSONRPC:
        lines += ["", "not judged here: what the result holds; name the request that it answers with --request-method"]
    lines += _readings(checked)
    return "\n".join([*lines, "", *_answer(verdict)]) + "\n"


def _head(verdict: Mapping[str, Any]) -> Iterator[str]:
    rows = [("kind", verdict["kind"]), ("revision", verdict["revision"])]
    rows += [(name, verdict[name]) for name in ("direction", "transport", "method", "id") if verdict[name] is not None]
    size = verdict["size"]
    rows.append(("size", "more than the limit" if size is None else f"{size:,} bytes"))
    yield from table([(name, cut(value, _LONGEST)) for name, value in rows])


def _finding(finding: Mapping[str, Any], frame: bytes, width: int) -> Iterator[str]:
    excerpt, column = pointed(frame, min(finding["offset"], len(frame)), width - _INDENT)
    yield f"{finding['severity']}: {finding['rule']}: {printable(finding['message'])}"
    path = f", path {cut(finding['path'], _LONGEST)}" if finding["path"] else ""
    places = f", the first of {finding['count']:,} places" if finding["count"] > 1 else ""
    yield f"  at byte {finding['offset']:,}{path}{places}"
    yield f"  {excerpt}"
    yield " " * (column + _INDENT) + "^"
    if finding["hint"]:
        yield f"  hint: {cut(finding['hint']['text'], 2 * _LONGEST)}"
    if finding["url"]:
        yield f"  see: {finding['url']}"


def _readings(checked: Checked) -> Iterator[str]:
    """What other readers did with such a frame; rules with the same lines share them."""
    by_lines: dict[tuple[str, ...], list[str]] = {}
    for rule, readings in checked.readings.items():
        by_lines.setdefault(tuple(lines_of(readings, checked.width - _INDENT)), []).append(rule)
    for lines, rules in by_lines.items():
        yield from ("", f"who reads it how: {', '.join(rules)}", *(f"  {line}" for line in lines))


def _answer(verdict: Mapping[str, Any]) -> Iterator[str]:
    if verdict["reply"]:
        body = escaped(verdict["reply"]["body"].encode())
        yield "answer owed"
        yield f"  {body}" if len(body) <= _LONGEST_BODY else f"  {body[:_LONGEST_BODY]}... (--format json has it whole)"
    else:
        yield f"answer owed: {_own_answer(verdict) if verdict['respond'] else 'none; ' + _why_none(verdict)}"
    if verdict["status"] is not None:
        yield f"HTTP status: {verdict['status']}"


def _own_answer(verdict: Mapping[str, Any]) -> str:
    return "those of its requests" if verdict["kind"] == "batch" else "the request's own result or error"


def _why_none(verdict: Mapping[str, Any]) -> str:
    """Why nothing is to be sent because of this frame."""
    if verdict["kind"] == "empty":
        return "a blank line is skipped"
    if any(finding["rule"] == "content-length-framing" for finding in verdict["findings"]):
        return "it is not a message, and its sender would not understand an answer"
    if verdict["direction"] == "server-to-client":
        return "a client does not answer this"
    if verdict["kind"] == "batch":
        return "none of its elements is owed one"
    if verdict["method"] is not None:
        return "a notification is never answered" if verdict["id"] is None else "no rule that was judged asks for one"
    return "a response is never answered"
