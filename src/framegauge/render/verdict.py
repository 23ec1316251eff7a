"""The verdict on one frame, for people and as JSON: what it is, each finding with its place, the answer owed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from framegauge.render.escape import cut, printable, table

_LONGEST = 200  # characters of a path or a name
_LONGEST_BODY = 2000  # characters of an answer
_LETTERS = {"error": "E", "warning": "W", "info": "I"}

Excerpt = tuple[str, int]  # safe text of the frame, and the column of the byte at fault


def render_json(verdict: Mapping[str, Any]) -> str:
    """One line, in ASCII, so that no terminal and no pipe has to know its encoding."""
    return json.dumps(verdict, allow_nan=False) + "\n"


def render_text(
    verdict: Mapping[str, Any],
    excerpts: Sequence[Excerpt],
    body: str | None,
    readings: Mapping[str, Sequence[str]] = MappingProxyType({}),
    unasked: bool = False,
) -> str:
    """`excerpts`: one for each finding; `body`: of the answer owed, safe to show; `readings`: lines by rules.

    `unasked`: nobody said what request the result answers.
    """
    lines = list(_head(verdict))
    for finding, excerpt in zip(verdict["findings"], excerpts, strict=True):
        lines += ["", *_finding(finding, *excerpt)]
    if not verdict["findings"]:
        lines += ["", "no findings"]
    if verdict["not_judged"]:
        lines += ["", f"not judged here: {', '.join(verdict['not_judged'])}"]
    if unasked:
        lines += ["", "not judged here: what the result holds; name the request that it answers with --request-method"]
    for rules, told in readings.items():
        lines += ["", f"who reads it how: {rules}", *(f"  {line}" for line in told)]
    return "\n".join([*lines, "", *_answer(verdict, body)]) + "\n"


def _head(verdict: Mapping[str, Any]) -> Iterator[str]:
    rows = [("kind", verdict["kind"]), ("revision", verdict["revision"])]
    rows += [(name, verdict[name]) for name in ("direction", "transport", "method", "id") if verdict[name] is not None]
    size = verdict["size"]
    rows.append(("size", "more than the limit" if size is None else f"{size:,} bytes"))
    yield from table([(name, cut(value, _LONGEST)) for name, value in rows])


def _finding(finding: Mapping[str, Any], excerpt: str, column: int) -> Iterator[str]:
    yield f"{finding['severity']}: {finding['rule']}: {printable(finding['message'])}"
    path = f", path {cut(finding['path'], _LONGEST)}" if finding["path"] else ""
    places = f", the first of {finding['count']:,} places" if finding["count"] > 1 else ""
    yield f"  at byte {finding['offset']:,}{path}{places}"
    yield f"  {excerpt}"
    yield " " * (column + 2) + "^"
    if finding["hint"]:
        yield f"  hint: {cut(finding['hint']['text'], 2 * _LONGEST)}"
    if finding["url"]:
        yield f"  see: {finding['url']}"


def _answer(verdict: Mapping[str, Any], body: str | None) -> Iterator[str]:
    if body is not None:
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
        return "it is no message, and nobody would understand an answer"
    if verdict["direction"] == "server-to-client":
        return "a client does not answer this"
    if verdict["kind"] == "batch":
        return "none of its elements is owed one"
    if verdict["method"] is not None:
        return "a notification is never answered" if verdict["id"] is None else "no rule that was judged asks for one"
    return "a response is never answered"


def render_matrix_json(verdicts: Mapping[str, Mapping[str, Any]]) -> str:
    return render_json({"revisions": verdicts})


def render_matrix_text(verdicts: Mapping[str, Mapping[str, Any]]) -> str:
    """Rules by revisions: the letter of the severity, E, W or I; below them the code of the answer and the status."""
    found = {
        name: {f["rule"]: _LETTERS[f["severity"]] for f in verdict["findings"]} for name, verdict in verdicts.items()
    }
    rules = dict.fromkeys(rule for findings in found.values() for rule in findings)
    rows = [("", *verdicts), ("kind", *(verdict["kind"] for verdict in verdicts.values()))]
    rows += [(rule, *(findings.get(rule, "-") for findings in found.values())) for rule in rules]
    rows.append(("answer", *map(_code, verdicts.values())))
    rows.append(("status", *(str(verdict["status"] or "-") for verdict in verdicts.values())))
    return "\n".join(table(rows)) + "\n"


def _code(verdict: Mapping[str, Any]) -> str:
    return str(verdict["reply"]["code"]) if verdict["reply"] else "own" if verdict["respond"] else "-"
