"""Frames to measure on: generated from a fixed seed, labelled with their kind while they are made.

These are *clean* corpora: frames as servers and clients send them, sized to separate the costs (per call, per token,
per byte). What a hostile peer would send is in hostile.py.
"""

import base64
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import count as counted
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

SEED = 20261129
CAPTURES_VARIABLE = "FRAMEGAUGE_CAPTURES"


class Labelled(NamedTuple):
    """One frame and the kind it has, known from how it was made."""

    kind: str
    data: bytes


class Corpus(NamedTuple):
    """Frames measured together; `clean` means that every contender should get every kind right."""

    name: str
    frames: tuple[Labelled, ...]
    clean: bool

    @property
    def size(self) -> int:
        return sum(len(frame.data) for frame in self.frames)

    @property
    def digest(self) -> str:
        """Tells whether two runs measured the same bytes (another Python may draw differently)."""
        total = hashlib.sha256()
        for frame in self.frames:
            total.update(frame.data)
            total.update(b"\n")
        return total.hexdigest()[:16]


# --- vocabulary ---

_VOCABULARY = """
wagon gauge siding ledger harbour ticket signal lantern bridge kettle invoice orchard meadow parcel
the of to in for when with without each before after over under every last first next late early
counts returns holds carries moves loads opens joins splits checks keeps drops sends finds marks
query record column folder branch commit window button market weather session token cursor schema
number string object array value default optional limit offset page total status buffer names
"""
WORDS = tuple(_VOCABULARY.split())
NON_ASCII = (
    "é",
    "ß",
    "crème",
    "Zürich",
    "東京",
    "данные",
    "→",
    "…",
    "🚂",
    "κλειδί",
    "„so“",
    "데이터",
)
TOOLS = tuple(
    f"{area}_{action}"
    for area in ("ledger", "wagon", "folder", "page", "mail", "image", "route")
    for action in ("open", "find", "write", "tail")
)
NOTICES = (
    "notifications/progress",
    "notifications/message",
    "notifications/cancelled",
    "notifications/resources/updated",
    "notifications/tools/list_changed",
)
ERROR_CODES = (-32700, -32600, -32601, -32602, -32603, -32002, -32000)


def _phrase(rng: Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def _identifier(rng: Random) -> int | str:
    """Mostly counters, as the SDKs send; some UUIDs and prefixed strings."""
    draw = rng.random()
    if draw < 0.72:
        return rng.randrange(12_000)
    raw = f"{rng.getrandbits(128):032x}"
    if draw < 0.9:
        return f"{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"
    return f"call-{raw[:7]}"


def _encode(rng: Random, members: dict[str, Any], ascii_only: bool | None = None) -> bytes:
    """Implementations differ in member order, separators and escaping: so do the frames."""
    version = {"jsonrpc": "2.0"}
    message = version | members if rng.random() < 0.65 else members | version
    if rng.random() < 0.1:
        keys = list(message)
        rng.shuffle(keys)
        message = {key: message[key] for key in keys}
    separators = (", ", ": ") if rng.random() < 0.12 else (",", ":")
    if ascii_only is None:
        ascii_only = rng.random() < 0.3
    return json.dumps(message, separators=separators, ensure_ascii=ascii_only).encode()


def _request(rng: Random, method: str, params: dict[str, Any] | None = None) -> Labelled:
    members: dict[str, Any] = {"id": _identifier(rng), "method": method}
    if params is not None:
        members["params"] = params
    return Labelled("request", _encode(rng, members))


def _success(rng: Random, result: dict[str, Any], ascii_only: bool | None = None) -> Labelled:
    return Labelled("success", _encode(rng, {"id": _identifier(rng), "result": result}, ascii_only))


# --- small frames ---


def _sentence(rng: Random, low: int, high: int) -> str:
    text = _phrase(rng, rng.randint(low, high))
    if rng.random() < 0.2:
        text = text.replace(" ", "\n", rng.randint(1, 2))
    if rng.random() < 0.1:
        text += f' "{_phrase(rng, 1)}"'
    if rng.random() < 0.12:
        text += " " + rng.choice(NON_ASCII)
    return text


def _argument(rng: Random) -> tuple[str, Any]:
    makers: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("path", lambda: "/srv/data/" + "/".join(rng.choices(WORDS, k=rng.randint(1, 4))) + ".md"),
        ("url", lambda: f"https://example.org/{rng.choice(WORDS)}?page={rng.randrange(90)}"),
        ("text", lambda: _sentence(rng, 1, 9)),
        ("limit", lambda: rng.randrange(2_000)),
        ("ratio", lambda: round(rng.uniform(-9, 9), rng.randint(1, 5))),
        ("force", lambda: rng.random() < 0.5),
        ("since", lambda: None),
        ("tags", lambda: rng.choices(WORDS, k=rng.randint(0, 3))),
        ("filter", lambda: {"column": rng.choice(WORDS), "above": rng.randrange(50)}),
    )
    name, make = rng.choice(makers)
    return name, make()


def _small_call(rng: Random) -> Labelled:
    arguments = dict(_argument(rng) for _ in range(rng.randint(0, 4)))
    params: dict[str, Any] = {"name": rng.choice(TOOLS), "arguments": arguments}
    if rng.random() < 0.35:
        params["_meta"] = {"progressToken": rng.randrange(5_000)}
    return _request(rng, "tools/call", params)


def _small_listing(rng: Random) -> Labelled:
    method = rng.choice(("tools/list", "prompts/list", "resources/list", "ping"))
    if rng.random() < 0.5:
        return _request(rng, method)
    cursor = base64.b64encode(rng.randbytes(12)).decode()
    return _request(rng, method, {} if method == "ping" else {"cursor": cursor})


def _small_initialize(rng: Random) -> Labelled:
    params: dict[str, Any] = {
        "protocolVersion": rng.choice(("2025-03-26", "2025-06-18", "2025-11-25")),
        "capabilities": rng.choice(({}, {"sampling": {}}, {"roots": {"listChanged": True}})),
        "clientInfo": {
            "name": rng.choice(WORDS),
            "version": f"{rng.randrange(4)}.{rng.randrange(30)}.0",
        },
    }
    return _request(rng, "initialize", params)


def _small_notice(rng: Random) -> Labelled:
    method = rng.choice(NOTICES)
    payloads: dict[str, dict[str, Any]] = {
        "notifications/progress": {
            "progressToken": rng.randrange(5_000),
            "progress": round(rng.uniform(0, 100), rng.randint(0, 3)),
            "total": 100,
            "message": _sentence(rng, 1, 5),
        },
        "notifications/message": {
            "level": rng.choice(("debug", "info", "warning", "error")),
            "logger": rng.choice(WORDS),
            "data": _sentence(rng, 2, 16),
        },
        "notifications/cancelled": {"requestId": _identifier(rng), "reason": _sentence(rng, 1, 6)},
        "notifications/resources/updated": {
            "uri": f"file:///srv/{rng.choice(WORDS)}/{rng.randrange(900)}",
        },
    }
    members: dict[str, Any] = {"method": method}
    if method in payloads:
        members["params"] = payloads[method]
    return Labelled("notification", _encode(rng, members))


def _small_error(rng: Random) -> Labelled:
    error: dict[str, Any] = {"code": rng.choice(ERROR_CODES), "message": _sentence(rng, 2, 9)}
    if rng.random() < 0.25:
        error["data"] = {"field": rng.choice(WORDS), "given": rng.randrange(99)}
    return Labelled("error", _encode(rng, {"id": _identifier(rng), "error": error}))


def _small_result(rng: Random) -> Labelled:
    result: dict[str, Any] = {"content": [{"type": "text", "text": _sentence(rng, 1, 26)}]}
    if rng.random() < 0.5:
        result["isError"] = rng.random() < 0.1
    if rng.random() < 0.2:
        result["structuredContent"] = {
            "degrees": round(rng.uniform(-20, 40), 2),
            "count": rng.randrange(500),
        }
    return _success(rng, result)


_SMALL_MIX: dict[Callable[[Random], Labelled], int] = {
    _small_call: 34,
    _small_result: 33,
    _small_notice: 14,
    _small_error: 8,
    _small_listing: 7,
    _small_initialize: 4,
}


def _small(rng: Random) -> Iterator[Labelled]:
    """Distinct frames only: a few hundred are learnt by branch predictors, a third faster."""
    makers, weights = list(_SMALL_MIX), list(_SMALL_MIX.values())
    seen: set[bytes] = set()
    while len(seen) < 6_000:
        frame = rng.choices(makers, weights)[0](rng)
        if 60 <= len(frame.data) <= 300 and frame.data not in seen:
            seen.add(frame.data)
            yield frame


# --- medium frames ---


def _schema_leaf(rng: Random) -> dict[str, Any]:
    draw = rng.random()
    if draw < 0.5:
        return {"type": "string", "description": _sentence(rng, 4, 18)}
    if draw < 0.68:
        return {
            "type": "integer",
            "minimum": 0,
            "maximum": rng.choice((10, 500, 65_535)),
            "default": 1,
        }
    if draw < 0.8:
        return {
            "type": "boolean",
            "default": rng.random() < 0.5,
            "description": _sentence(rng, 3, 8),
        }
    if draw < 0.9:
        return {"type": "array", "items": {"type": rng.choice(("string", "number"))}}
    return {"enum": rng.choices(WORDS, k=4), "default": None}


def _schema(rng: Random, depth: int = 0) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for _ in range(rng.randint(1, 6)):
        nested = depth < 3 and rng.random() < 0.08
        name = "_".join(rng.choices(WORDS, k=2))
        properties[name] = _schema(rng, depth + 1) if nested else _schema_leaf(rng)
    return {"type": "object", "properties": properties, "required": list(properties)[:2]}


def _tool(rng: Random, number: int) -> dict[str, Any]:
    tool = {
        "name": f"{rng.choice(TOOLS)}_{number}",
        "title": _phrase(rng, 3).title(),
        "description": _sentence(rng, 8, 60),
        "inputSchema": _schema(rng) | {"additionalProperties": False},
    }
    if rng.random() < 0.7:
        tool["annotations"] = {"readOnlyHint": rng.random() < 0.5, "openWorldHint": False}
    return tool


def _medium(rng: Random) -> Iterator[Labelled]:
    count = 0
    while count < 60:
        tools = [_tool(rng, number) for number in range(rng.randint(8, 70))]
        frame = _success(rng, {"tools": tools})
        if 5_000 <= len(frame.data) <= 50_000:
            count += 1
            yield frame


# --- large frames ---


def _code_line(rng: Random) -> str:
    indent = "    " * rng.randint(0, 4)
    draw = rng.random()
    if draw < 0.25:
        return f'{indent}{rng.choice(WORDS)} = "{_phrase(rng, 3)}"'
    if draw < 0.5:
        return f"{indent}if {rng.choice(WORDS)}[{rng.randrange(64)}] != {rng.choice(WORDS)}:"
    if draw < 0.65:
        return f"{indent}def {rng.choice(WORDS)}({', '.join(rng.choices(WORDS, k=3))}):"
    if draw < 0.73:
        return ""
    if draw < 0.83:
        tabs = "\t" * rng.randint(1, 3)
        return f"{tabs}root = r'D:\\{rng.choice(WORDS)}\\{rng.choice(WORDS)}'"
    if draw < 0.93:
        return f"{indent}# {_phrase(rng, 6)} {rng.choice(NON_ASCII)}"
    return f"\x1b[3{rng.randrange(8)}m{_phrase(rng, 4)}\x1b[0m"  # terminal colours become \u001b


def _lines(rng: Random, size: int, line: Callable[[Random], str], end: str) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(line(rng))
        length += len(parts[-1]) + len(end)
    return end.join(parts)


def _code(rng: Random, size: int, count: int) -> Iterator[Labelled]:
    """Every second frame with ASCII only, so that \\uXXXX comes in runs as well as alone."""
    for number in range(count):
        text = _lines(rng, int(size * 0.93), _code_line, "\n")
        content = [{"type": "text", "text": text}]
        yield _success(rng, {"content": content, "isError": False}, ascii_only=number % 2 == 0)


def _prose(rng: Random) -> Iterator[Labelled]:
    for _ in range(4):
        text = _lines(rng, 1_000_000, lambda draw: _phrase(draw, 60), "\n\n")
        yield _success(rng, {"content": [{"type": "text", "text": text}]})


def _base64(rng: Random) -> Iterator[Labelled]:
    for _ in range(4):
        data = base64.b64encode(rng.randbytes(750_000)).decode()
        image = {"type": "image", "mimeType": "image/png", "data": data}
        yield _success(rng, {"content": [{"type": "text", "text": _phrase(rng, 8)}, image]})


def _row(rng: Random, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "station": f"{_phrase(rng, 4)} / {_phrase(rng, 2)}",
        "load": round(rng.uniform(0, 5_000), 3),
        "open": rng.random() < 0.5,
        "labels": rng.choices(WORDS, k=2),
    }


def large(count: int) -> tuple[Labelled, ...]:
    """Frames of about 80 kB, as an archive has them now and then: code, each eighth rows, each eighth base64."""
    rng = Random(f"{SEED}/large")
    frames = list(_code(rng, 80_000, count))
    for number in range(3, count, 8):
        rows = [_row(rng, row) for row in range(600)]
        frames[number] = _success(rng, {"content": [], "structuredContent": {"rows": rows}})
    for number in range(7, count, 8):
        image = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(rng.randbytes(60_000)).decode()}
        frames[number] = _success(rng, {"content": [image]})
    return tuple(frames)


def _rows(rng: Random) -> Iterator[Labelled]:
    # 7,500 rows of five members stay below the limit on members.
    for _ in range(4):
        rows = [_row(rng, number) for number in range(7_500)]
        yield _success(rng, {"content": [], "structuredContent": {"rows": rows}}, ascii_only=True)


def _wide_object(rng: Random) -> Iterator[Labelled]:
    for _ in range(8):
        names = (f"{rng.choice(WORDS)}.{number}" for number in range(10_000))
        yield _success(rng, {name: rng.randrange(1_000_000) for name in names})


_CLEAN: dict[str, Callable[[Random], Iterable[Labelled]]] = {
    "small": _small,
    "medium": _medium,
    "escapes-1m": lambda rng: _code(rng, 1_000_000, 4),
    "escapes-4m": lambda rng: _code(rng, 4_000_000, 2),
    "prose-1m": _prose,
    "base64-1m": _base64,
    "rows-1m": _rows,
    "keys-10k": _wide_object,
}
CLEAN_NAMES = tuple(_CLEAN)


def clean(name: str) -> Corpus:
    """The clean corpus of this name, the same bytes every time."""
    rng = Random(f"{SEED}/{name}")
    return Corpus(name, tuple(_CLEAN[name](rng)), clean=True)


def drawn_anew(name: str) -> Iterator[Labelled]:
    """Frames of that corpus without end: other ones every time."""
    for number in counted():
        yield from _CLEAN[name](Random(f"{SEED}/{name}/{number}"))


# --- recorded frames ---


def kind_by_contract(message: Any) -> str:
    """The kind of a parsed message, in the plainest words; doubled members are not looked for."""
    if isinstance(message, list):
        return "batch"
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return "invalid"
    if isinstance(message.get("id"), bool | dict | list):
        return "invalid"
    if not isinstance(message.get("params", {}), dict | list):
        return "invalid"
    leading = [name for name in ("method", "result", "error") if name in message]
    if len(leading) != 1:
        return "invalid"
    if leading == ["method"]:
        if not isinstance(message["method"], str):
            return "invalid"
        return "request" if "id" in message else "notification"
    if leading == ["result"]:
        return "success" if "id" in message else "invalid"
    return "error"


def _captured_lines(folder: Path) -> Iterator[bytes]:
    for place in (folder, folder / "stdio", folder / "more"):
        for pattern in ("*.c2s.bin", "*.s2c.bin"):
            for path in sorted(place.glob(pattern)):
                yield from path.read_bytes().split(b"\n")


def recorded(path: str | os.PathLike[str] | None = None) -> Corpus:
    """Real stdio frames from a folder of captures, without the lines that are not JSON (logs)."""
    folder = path or os.environ.get(CAPTURES_VARIABLE)
    if not folder:
        raise FileNotFoundError(f"no captures folder: give one, or set {CAPTURES_VARIABLE}")
    frames: list[Labelled] = []
    for line in _captured_lines(Path(folder)):
        try:
            message = json.loads(line)
        except ValueError:
            continue
        frames.append(Labelled(kind_by_contract(message), line))
    if not frames:
        raise FileNotFoundError(f"no recorded frames (*.c2s.bin, *.s2c.bin) below {folder}")
    return Corpus("recorded", tuple(frames), clean=False)
