"""Writes src/framegauge/behaviour/data/servers.toml: what servers of real SDKs did with frames that are odd.

Made of recorded answers that lie outside this repository: `python tools/generate_behaviour.py FOLDER`, where FOLDER
holds `baseline/*.json` and `scripts/cases.py`; by default it is `captures` in `shared` beside the repository.
A test makes the file anew and compares, where the recordings are at hand.

Nothing is written but what follows from the bytes sent and the bytes answered.
"""

from __future__ import annotations

import json
import runpy
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

import framegauge as fg
from framegauge.native.tokenizer import ENVELOPE_NAMES
from framegauge.protocol import LATEST, REVISIONS

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src" / "framegauge" / "behaviour" / "data" / "servers.toml"
RECORDINGS = ROOT.parent / "shared" / "captures"

_NOTE = "# Written by tools/generate_behaviour.py from recorded answers; do not edit.\n"
_VALID = "valid request"
_UNKNOWN_METHOD = "method empty string"  # the case whose answer is that to a method which the server does not know


class Endpoint(NamedTuple):
    """One server, one transport, one revision; `files`: its recordings, which all have to tell the same."""

    id: str
    sdk: str
    package: str
    version: str
    revision: str
    transport: str
    files: tuple[str, ...]


def _endpoints() -> tuple[Endpoint, ...]:
    old, new = "2025-11-25", "2026-07-28"
    ts2 = "@modelcontextprotocol/server"
    rows = (
        ("python-1", "Python SDK", "mcp", "1.30.0", old, ("py1-json",), ("stdio-py1",)),
        ("python-2", "Python SDK", "mcp", "2.3.0", old, ("py2-legacy-json", "py2-legacy-sse"), ("stdio-py2-legacy",)),
        ("python-2-new", "Python SDK", "mcp", "2.3.0", new, ("py2-modern",), ("stdio-py2-modern",)),
        ("fastmcp", "fastmcp", "fastmcp", "4.2.3", old, ("fm-json",), ("stdio-fm",)),
        ("ts-1", "TypeScript SDK", "@modelcontextprotocol/sdk", "1.32.2", old, ("ts1-json",), ("stdio-ts1",)),
        ("ts-2", "TypeScript SDK", ts2, "2.4.0", old, ("ts2-legacy",), ("stdio-ts2-legacy",)),
        ("ts-2-new", "TypeScript SDK", ts2, "2.4.0", new, ("ts2-modern",), ("stdio-ts2-modern",)),
    )
    return tuple(
        Endpoint(f"{row[0]}-{transport}", *row[1:5], transport, files)
        for row in rows
        for transport, files in (("http", row[5]), ("stdio", row[6]))
    )


ENDPOINTS = _endpoints()

# The recordings' name of a case -> its id here, and the frame in words.
CASES = {
    "valid request": ("valid", "a request without a fault"),
    "batch of two requests": ("batch", "an array of two requests"),
    "empty array": ("batch-empty", "an empty array"),
    "id null": ("id-null", "a request whose id is null"),
    "duplicate key id (7 then 8)": ("id-twice", "a request with two ids"),
    "duplicate key method (nope then tools/call)": ("method-twice-known-last", "two methods, the last one known"),
    "duplicate key method (tools/call then nope)": ("method-twice-known-first", "two methods, the first one known"),
    "id true": ("id-true", "a request whose id is true"),
    "id 1.5": ("id-1.5", "a request whose id is 1.5"),
    "id 1.0": ("id-1.0", "a request whose id is 1.0"),
    "id 1e2": ("id-1e2", "a request whose id is 1e2"),
    "id 2^53+1": ("id-2-53", "a request whose id is 2^53 + 1"),
    "id 2^64+1": ("id-2-64", "a request whose id is 2^64 + 1"),
    "id 5000 digits": ("id-5000-digits", "a request whose id has 5,000 digits"),
    "id -0": ("id-minus-0", "a request whose id is -0"),
    "id empty string": ("id-empty", "a request whose id is an empty string"),
    "id object": ("id-object", "a request whose id is an object"),
    "bad UTF-8 (0xFF) in string": ("byte-ff", "the byte FF in a string"),
    "overlong UTF-8 (C0 80) in string": ("bytes-c0-80", "the bytes C0 80 in a string"),
    "CESU surrogate bytes (ED A0 80)": ("bytes-ed-a0-80", "the bytes ED A0 80 in a string"),
    "UTF-8 BOM before object": ("bom", "a byte order mark before the request"),
    "UTF-16LE body": ("utf-16", "a request in UTF-16, little-endian"),
    "NaN in params": ("nan", "NaN in the params"),
    "1e999 in params": ("1e999", "1e999 in the params"),
    "lone surrogate escape": ("lone-surrogate", "an unpaired \\ud800 in a string of the params"),
    "raw control char (0x01) in string": ("byte-01", "the byte 01 in a string"),
    "raw DEL/U+2028 in string": ("del-and-2028", "DEL and U+2028 in a string"),
    "trailing garbage": ("letter-behind", "a letter behind the request"),
    "two objects concatenated": ("two-in-one", "two requests with nothing between them"),
    "trailing NUL byte": ("nul-behind", "a NUL behind the request"),
    "trailing comma": ("comma-behind-last", "a comma behind the last member"),
    "escaped key m\\u0065thod": ("escaped-method", "the key method written with an escape"),
    "key Method (capital)": ("method-capital", "the key Method instead of method"),
    "extra top-level member": ("member-extra", "a request with one more member, x"),
    "jsonrpc missing": ("jsonrpc-missing", "a request without jsonrpc"),
    'jsonrpc "1.0"': ("jsonrpc-1.0", 'a request whose jsonrpc is "1.0"'),
    "jsonrpc 2.0 (number)": ("jsonrpc-number", "a request whose jsonrpc is the number 2.0"),
    "method number": ("method-number", "a request whose method is a number"),
    "method empty string": ("method-empty", "a request whose method is an empty string"),
    "params array": ("params-array", "a request whose params are an array"),
    "params null": ("params-null", "a request whose params are null"),
    "method + result in one object": ("method-and-result", "a request that has a result too"),
    "result + error": ("result-and-error", "a response with a result and an error"),
    "response, unknown id": ("response-unasked", "a response to no request"),
    "notification": ("notification", "a notification of an unknown method"),
    "scalar 1": ("scalar", "the number 1"),
    "JSON null": ("null", "null"),
    "empty body / empty line": ("nothing", "an empty body or line"),
    "not JSON": ("word", "a word outside JSON"),
    "nesting 100": ("nested-100", "arrays 100 deep in the params"),
    "nesting 250": ("nested-250", "arrays 250 deep in the params"),
    "nesting 5000": ("nested-5000", "arrays 5,000 deep in the params"),
    "bare CR between tokens": ("cr-between", "a CR between two tokens"),
    "LF between tokens": ("lf-between", "an LF between two tokens"),
}


def render(folder: Path = RECORDINGS) -> str:
    """The whole file, from the recordings in that folder."""
    build = runpy.run_path(str(folder / "scripts" / "cases.py"))["build"]
    frames = {revision: dict(build(revision == LATEST)) for revision in ("2025-11-25", "2026-07-28")}
    told = {endpoint: _told(folder, endpoint, frames[endpoint.revision]) for endpoint in ENDPOINTS}
    parts = [_NOTE, *map(_endpoint, ENDPOINTS)]
    for name in CASES:
        judged = _alike(name, [_judged(of[name], of[_VALID]) for of in frames.values()])
        parts.append(_case(name, judged, {endpoint: of[name] for endpoint, of in told.items()}))
    return "\n".join(parts)


def _told(folder: Path, endpoint: Endpoint, frames: dict[str, bytes]) -> dict[str, dict[str, Any]]:
    """Case -> what the endpoint did; ValueError where two recordings of it differ, or a case is not known."""
    versions = []
    for file in endpoint.files:
        rows = {row["case"]: row for row in json.loads((folder / "baseline" / f"{file}.json").read_text("utf-8"))}
        if not rows.keys() == frames.keys() == CASES.keys():
            raise ValueError(f"{file}: other cases than expected: {rows.keys() ^ CASES.keys()}")
        plain = {name: _reaction(frames[name], row) for name, row in rows.items()}
        versions.append({name: _with_last(frames[name], plain[name], plain) for name in plain})
    if any(version != versions[0] for version in versions):
        raise ValueError(f"{endpoint.id}: its recordings differ")
    return versions[0]


def _reaction(frame: bytes, row: dict[str, Any]) -> dict[str, Any]:
    """What one answer shows; keys without a value are left out."""
    text = row["body"] if "status" in row else row["answer"]
    if "<<" in text or not row.get("alive", True):
        raise ValueError(f"{row['case']}: the server died or did not end its answer")
    messages = _messages(text, "status" in row)
    status = {"status": int(row["status"])} if "status" in row else {}
    if not messages:
        return {"outcome": _without_answer(frame, row), **status}
    kinds = {fg.classify(message).kind for message in messages}
    if kinds == {fg.Kind.notification} and "status" not in row:
        return {"outcome": "logged"}
    if kinds == {fg.Kind.error} and len(messages) == 1:
        return {"outcome": "refused", **status, **_refusal(frame, messages[0])}
    if kinds != {fg.Kind.success}:
        raise ValueError(f"{row['case']}: {kinds} has no name yet")
    if len(messages) > 1:
        return {"outcome": "answered", **status, "answers": len(messages)}
    return {"outcome": "answered", **status, **_result(frame, messages[0])}


def _messages(text: str, http: bool) -> list[bytes]:
    """The frames of an answer: a body, the events of a stream, the elements of an array, the lines of a process."""
    if not text.strip():
        return []
    if not http:
        return [line.encode() for line in text.split(" | ")]
    lines = text.replace("\r\n", "\n").split("\n")  # not splitlines: U+2028 may stand in a string
    events = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    bodies = [event for event in events if event] or [text]
    if bodies[0].startswith("["):
        return [json.dumps(item).encode() for item in json.loads(bodies[0])]
    return [body.encode() for body in bodies]


def _without_answer(frame: bytes, row: dict[str, Any]) -> str:
    if "status" not in row:
        return "silent"
    if row["status"] != "202":
        raise ValueError(f"{row['case']}: status {row['status']} without a body has no name yet")
    envelope = fg.classify(frame)
    return "demoted" if envelope.member("method") and envelope.member("id") else "accepted"


def _refusal(frame: bytes, answer: bytes) -> dict[str, Any]:
    return {"code": json.loads(answer)["error"]["code"], **_id(answer), **_notes(_spelling(frame, answer))}


def _result(frame: bytes, answer: bytes) -> dict[str, Any]:
    result = json.loads(answer)["result"]
    text = result["content"][0]["text"]
    return _id(answer) | _notes(
        "tool-error" if result.get("isError") else None,
        "text-replaced" if "\ufffd" in text else None,
        "text-surrogate" if any("\ud800" <= c <= "\udfff" for c in text) and fg.classify(frame).fault else None,
        _spelling(frame, answer),
    )


def _spelling(frame: bytes, answer: bytes) -> str | None:
    """How the number that the answer has for an id differs from the one sent, where that stood once."""
    sent, back = fg.classify(frame), fg.classify(answer)
    numbers = _decimal(sent.id), _decimal(back.id)
    if None in numbers or sent.id == back.id or "duplicate-key" in sent.facts:
        return None
    return "respelled-id" if numbers[0] == numbers[1] else "rounded-id"


def _with_last(frame: bytes, told: dict[str, Any], others: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The same with the note that of two members the last one was taken, where the answer proves it."""
    if "duplicate-key" not in fg.classify(frame).facts:
        return told
    pairs: list[tuple[str, Any]] = json.loads(frame, object_pairs_hook=list)
    ids = [str(value) for key, value in pairs if key == "id"]
    methods = [value for key, value in pairs if key == "method"]
    if len(ids) > 1:
        proven = told["outcome"] == "answered" and told["id"] == ids[-1] != ids[0]
    elif methods[-1] == "tools/call":
        proven = told["outcome"] == "answered"
    else:
        proven = told == others[_UNKNOWN_METHOD]
    return told | _notes("last-duplicate-wins") if proven else told


def _notes(*notes: str | None) -> dict[str, Any]:
    given = [note for note in notes if note]
    return {"notes": given} if given else {}


def _id(answer: bytes) -> dict[str, Any]:
    raw = fg.classify(answer).id
    return {} if raw is None else {"id": raw.decode()}


def _decimal(raw: bytes | None) -> Decimal | None:
    try:
        return None if raw is None else Decimal(raw.decode("ascii"))
    except (InvalidOperation, UnicodeDecodeError):
        return None


def _judged(frame: bytes, valid: bytes) -> dict[str, Any]:
    """What the frame is, and the rules that find something in it under some revision, but nothing in the valid one."""
    facts, sound = fg.classify(frame), _found(valid)
    found = {rule: finding for (revision, rule), finding in _found(frame).items() if (revision, rule) not in sound}
    hints = {finding.hint[0] for finding in found.values() if finding.hint and finding.hint[0] == "utf-16-suspected"}
    paths = {finding.path for finding in found.values() if finding.path[1:] in ENVELOPE_NAMES}
    if len(paths) > 1:
        raise ValueError(f"which of {paths} is at fault?")
    return {
        "kind": facts.kind.value,
        "rules": sorted(found),
        "facts": [] if facts.fault else sorted(facts.facts),
        **({"path": paths.pop()} if paths else {}),
        **({"hint": hints.pop()} if hints else {}),
    }


def _found(frame: bytes) -> dict[tuple[str, str], fg.Finding]:
    """By revision and rule."""
    return {
        (revision, finding.rule): finding
        for revision in REVISIONS
        for finding in fg.Gauge(revision, transport="stdio").check(frame).findings
    }


def _alike(name: str, judged: list[dict[str, Any]]) -> dict[str, Any]:
    """The frame as it was sent under one revision and under the other: of one shape, with the rules of both."""
    rules = sorted({rule for one in judged for rule in one["rules"]})
    first, second = ({**one, "rules": rules} for one in judged)
    if first != second:
        raise ValueError(f"{name}: two cases, {first} and {second}")
    return first


def _endpoint(endpoint: Endpoint) -> str:
    fields = endpoint._asdict()
    del fields["files"]
    return "\n".join(["[[endpoint]]", *(f"{key} = {_toml(value)}" for key, value in fields.items()), ""])


def _case(name: str, judged: dict[str, Any], told: dict[Endpoint, dict[str, Any]]) -> str:
    identifier, title = CASES[name]
    groups: dict[str, list[str]] = {}
    for endpoint, reaction in told.items():
        said = ", ".join(f"{key} = {_toml(value)}" for key, value in reaction.items())
        groups.setdefault(said, []).append(endpoint.id)
    fields = {"id": identifier, "frame": title, **judged}
    lines = ["[[case]]", *(f"{key} = {_toml(value)}" for key, value in fields.items()), "readings = ["]
    lines += [f"  {{ {said}, by = {_toml(by)} }}," for said, by in groups.items()]
    return "\n".join([*lines, "]", ""])


def _toml(value: Any) -> str:
    """As JSON has it, which TOML reads as the same for strings, integers and lists of strings."""
    return json.dumps(value)


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(render(*map(Path, sys.argv[1:2])), encoding="utf-8", newline="\n")
