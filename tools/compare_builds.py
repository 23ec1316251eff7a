"""Compares the verdicts of two builds, so that a change of structure can prove that it changes no verdict.

    python tools/compare_builds.py dump FILE [--frames FILE]   judge all frames with the installed framegauge
    python tools/compare_builds.py diff OLD NEW                list what differs between two dumps
    python tools/compare_builds.py frames FILE                 collect the frames of this checkout

`frames` takes every vector of tests/vectors and, where they are at hand, the recorded sessions and public cases beside
the checkout. `dump` judges each frame under all revisions, directions and transports, under each other option and
argument, and all frames as one buffer of lines. Of a verdict it digests the kind, ok, respond, status, reply with body,
not_judged, items, and of each finding all except its message, the text of its hint and its url. The texts have a digest
of their own. Run `dump` with the interpreter of each build: it needs that build and the standard library alone.

Exit status: 0 no difference; 1 differences; 2 usage.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import itertools
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIRECTIONS = (None, "client-to-server", "server-to-client")
TRANSPORTS = (None, "stdio", "http", "sse")
TEXTS = ("message", "url")
CHUNKS = (64, 1 << 18)


# ---- frames


def collected() -> list[bytes]:
    """Every frame of the vectors, the recordings and the cases, each once, in the order of their discovery."""
    found: dict[bytes, None] = {}
    loads = {".json": json.loads, ".toml": tomllib.loads}
    for path in sorted((ROOT / "tests" / "vectors").rglob("*")):
        if path.suffix in loads:
            found.update(dict.fromkeys(_frames_in(loads[path.suffix](path.read_text("utf-8")))))
    shared = ROOT.parent / "shared"
    for path in sorted((shared / "captures").glob("*/*.bin")):
        found.update(dict.fromkeys(path.read_bytes().split(b"\n")))
    for path in sorted([*(shared / "captures").glob("*/*.jsonl"), *(shared / "cases").glob("*.jsonl")]):
        for line in path.read_text("utf-8").splitlines():
            found.update(dict.fromkeys(_frames_in(json.loads(line))))
    return [frame for frame in found if len(frame) < 1 << 18]


def _frames_in(value: Any) -> list[bytes]:
    """The frames in a document: members with certain names."""
    found: list[bytes] = []
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("frame", "text") and isinstance(each, str):
                found.append(each.encode("utf-8", "surrogatepass"))
            elif key.endswith("_b64"):
                parts = each if isinstance(each, list) else [each]
                if all(isinstance(part, str) for part in parts):
                    chunks = [base64.b64decode(part) for part in parts]
                    found += [b"".join(chunks)] if key.endswith("chunks_b64") else chunks
            else:
                found += _frames_in(each)
    elif isinstance(value, list):
        found += [frame for each in value for frame in _frames_in(each)]
    return found


def write_frames(path: Path) -> int:
    frames = collected()
    path.write_text("".join(base64.b64encode(frame).decode() + "\n" for frame in frames))
    return len(frames)


def read_frames(path: Path) -> list[bytes]:
    return [base64.b64decode(line) for line in path.read_text().split("\n")[:-1]]


# ---- verdicts


def finding(each: Any) -> dict[str, Any]:
    hint = each.hint
    return {
        "rule": each.rule,
        "severity": each.severity,
        "authority": list(each.authority),
        "offset": each.offset,
        "end": each.end,
        "path": each.path,
        "count": each.count,
        "hint": None if hint is None else hint[0],
        "revisions": sorted(each.revisions),
        "related": list(each.related),
    }


def texts(verdict: Any) -> list[Any]:
    """What is for people."""
    found = [[each.message, each.url, each.hint] for each in verdict.findings]
    return [*found, *map(texts, verdict.items)]


def described(verdict: Any) -> dict[str, Any]:
    reply = verdict.reply
    frame = verdict.frame
    return {
        "kind": str(verdict.kind),
        "ok": verdict.ok,
        "revision": verdict.revision,
        "revisions": sorted(frame.revisions),
        "respond": verdict.respond,
        "status": verdict.status,
        "reply": None
        if reply is None
        else [reply.code, repr(reply.id), reply.message, reply.data, reply.status, reply.body().decode()],
        "not_judged": sorted(verdict.not_judged),
        "findings": [finding(each) for each in verdict.findings],
        "items": [described(item) for item in verdict.items],
    }


def digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=8).hexdigest()


def settings(fg: Any, revisions: tuple[str, ...]) -> dict[str, Any]:
    """Gauges by name: every revision, direction and transport, and each other option once per revision."""
    found = {}
    for revision, direction, transport in itertools.product(revisions, DIRECTIONS, TRANSPORTS):
        found[f"{revision} {direction} {transport}"] = fg.Gauge(revision, direction, transport)
    for revision in revisions:
        found[f"{revision} error_id null"] = fg.Gauge(revision, transport="http", error_id="null")
        found[f"{revision} error_id omit"] = fg.Gauge(revision, transport="http", error_id="omit")
        found[f"{revision} bom"] = fg.Gauge(revision, transport="stdio", allow_bom=True)
        tight = fg.Limits(max_frame_bytes=300, max_depth=4, max_batch_items=2, max_number_digits=8, max_members=5)
        found[f"{revision} tight"] = fg.Gauge(revision, limits=tight)
    return found


def calls() -> dict[str, dict[str, Any]]:
    """Arguments of single calls."""
    headers = {"MCP-Protocol-Version": "2025-06-18"}
    return {
        "fidelity text": {"fidelity": "text"},
        "fidelity value": {"fidelity": "value"},
        "headers": {"headers": headers},
        "direction": {"direction": "server-to-client"},
        "revision": {"revision": "2025-03-26"},
        **{
            f"answers {method}": {"request_method": method}
            for method in ("tools/call", "tools/list", "initialize", "server/discover", "prompts/get", "no/such")
        },
    }


def dump(frames: list[bytes]) -> dict[str, Any]:
    import framegauge as fg

    revisions = ("auto", "jsonrpc-2.0", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
    gauges = settings(fg, revisions)
    plain = {revision: fg.Gauge(revision) for revision in revisions}
    rows: dict[str, Any] = {}
    for frame in frames:
        name = hashlib.blake2b(frame, digest_size=8).hexdigest()
        row: dict[str, str] = {}
        said: list[Any] = []
        for setting, gauge in gauges.items():
            verdict = gauge.check(frame)
            row[setting] = digest(described(verdict))
            if verdict.findings:
                said.append(texts(verdict))
        for call, options in calls().items():
            for revision in ("auto", "2025-06-18", "2026-07-28"):
                row[f"{revision} {call}"] = digest(described(plain[revision].check(frame, **options)))
        rows[name] = {"frame": repr(frame[:200]), "verdicts": row, "texts": digest(said)}
    return {"frames": rows, "lines": lines(fg, frames, revisions), "surface": surface(fg)}


def lines(fg: Any, frames: list[bytes], revisions: tuple[str, ...]) -> dict[str, str]:
    """All frames as one buffer, twice, so that the second half is known by the line cache."""
    buffer = b"\n".join(frames)
    buffer = b"\n".join([buffer, buffer, b""])
    found = {}
    for revision, transport in itertools.product(revisions, (None, "stdio")):
        rows = fg.Gauge(revision, transport=transport).check_lines(buffer)
        columns = [
            bytes(getattr(rows, name))
            for name in ("offset", "length", "kind", "facts", "rules", "fault", "fault_offset", "id_start", "id_stop")
        ]
        columns += [bytes(getattr(rows, name)) for name in ("method", "method_start", "method_stop")]
        whole = hashlib.blake2b(digest_size=8)
        for column in columns:
            whole.update(column)
        found[f"{revision} {transport}"] = whole.hexdigest()
        summary = [rows.kind_counts(), rows.rule_counts(), rows.severities(), dict(rows.not_judged), rows.consumed]
        found[f"{revision} {transport} counts"] = digest(summary)
    return found


def surface(fg: Any) -> dict[str, Any]:
    """Names that users rely on: they may be added to, never renamed."""
    rules = fg.rules()
    return {
        "all": sorted(fg.__all__),
        "members": {name: [each for each in dir(getattr(fg, name)) if each[0] != "_"] for name in sorted(fg.__all__)},
        "rule_bits": list(fg.Gauge().check_lines(b"{}\n").rule_bits),
        "rules": {
            rule.id: digest([list(rule.authority), list(rule.clauses), dict(rule.severities())]) for rule in rules
        },
    }


# ---- differences


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    found = []
    for name in old["frames"].keys() | new["frames"].keys():
        before, after = old["frames"].get(name), new["frames"].get(name)
        if before is None or after is None:
            found.append(f"frame {name} is in one dump only")
            continue
        wrong = [key for key in before["verdicts"] if before["verdicts"][key] != after["verdicts"].get(key)]
        if wrong:
            found.append(f"verdict {before['frame']}: {len(wrong)} settings, first {wrong[0]}")
    found += [f"lines {key}" for key, value in old["lines"].items() if new["lines"].get(key) != value]
    before, after = old["surface"], new["surface"]
    found += [f"name {name} is gone" for name in before["all"] if name not in after["all"]]
    for name, members in before.get("members", {}).items():
        found += [f"{name}.{each} is gone" for each in members if each not in after["members"].get(name, ())]
    if after["rule_bits"][: len(before["rule_bits"])] != before["rule_bits"]:
        found.append("rule_bits changed other than by appending")
    found += [f"rule {name} changed" for name, value in before["rules"].items() if after["rules"].get(name) != value]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("frames")
    command.add_argument("file", type=Path)
    command = commands.add_parser("dump")
    command.add_argument("file", type=Path)
    command.add_argument("--frames", type=Path)
    command = commands.add_parser("diff")
    command.add_argument("old", type=Path)
    command.add_argument("new", type=Path)
    args = parser.parse_args()
    if args.command == "frames":
        print(f"{write_frames(args.file)} frames")
        return 0
    if args.command == "dump":
        frames = read_frames(args.frames) if args.frames else collected()
        args.file.write_text(json.dumps(dump(frames), indent=0))
        print(f"{len(frames)} frames judged")
        return 0
    old, new = (json.loads(path.read_text()) for path in (args.old, args.new))
    found = differences(old, new)
    said = sum(
        old["frames"][name]["texts"] != row["texts"] for name, row in new["frames"].items() if name in old["frames"]
    )
    print(*found[:40], sep="\n", end="\n" if found else "")
    print(f"{len(new['frames'])} frames, {len(found)} differences; the texts of {said} frames differ")
    return 1 if found or not new["frames"] else 0


if __name__ == "__main__":
    sys.exit(main())
