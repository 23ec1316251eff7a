"""What is compared: framegauge, simdjson's stage 1 alone, and what a user would write today.

Every contender takes the bytes of one frame. The peers return the kind as a short string and let
their parser's exception pass for a frame they refuse. The four peers that published ratios refer to
(`with_orjson`, `with_json`, `with_msgspec_raw`, `mcp_sdk`) can be loaded from a file that defines
them; the ones below do the same work per frame.
"""

import functools
import hashlib
import importlib
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple

CONTENDERS_VARIABLE = "FRAMEGAUGE_CONTENDERS"

Call = Callable[[bytes], Any]
Answer = Literal["frame", "kind", "count"]


class Contender(NamedTuple):
    """A call to time; `answer` says what it returns and so how its answers are proved."""

    name: str
    call: Call
    answer: Answer


class Line(NamedTuple):
    """All contenders of a run, those left out with the reason, and where the peers came from."""

    contenders: tuple[Contender, ...]
    left_out: dict[str, str]
    peers_from: str


CLASSIFY = "classify"
CLASSIFY_READ = "classify + .kind .fault"
STAGE_1 = "simdjson stage 1 alone"
ORJSON = "orjson"

# --- framegauge ---


def _classify() -> Call:
    classify: Call = importlib.import_module("framegauge").classify
    return classify


def _classify_read() -> Call:
    """The call as a user makes it: from a Python function, reading what it is called for."""
    classify = _classify()

    def classify_and_read(data: bytes) -> Any:
        frame = classify(data)
        if frame.fault is not None:
            return _with_fault(frame)
        return frame.kind

    return classify_and_read


def _with_fault(frame: Any) -> Any:
    """Off the path of clean frames, where a user would look at the fault."""
    return frame.kind


def _stage_1() -> Call:
    stage1: Call = importlib.import_module("framegauge.native.tokenizer").stage1
    return stage1


# --- the four peers that ratios refer to ---


def _kind(message: Any) -> str:
    """The least that tells the kinds apart; truly less than `classify` checks."""
    if type(message) is not dict or message.get("jsonrpc") != "2.0":
        return "invalid"
    if type(message.get("method")) is str:
        if "id" not in message:
            return "notification"
        return "request" if type(message["id"]) in (int, str) else "invalid"
    if "id" in message and ("result" in message) != ("error" in message):
        return "success" if "result" in message else "error"
    return "invalid"


def _orjson() -> Call:
    orjson = importlib.import_module("orjson")

    def with_orjson(data: bytes) -> str:
        return _kind(orjson.loads(data))

    return with_orjson


def _json() -> Call:
    def with_json(data: bytes) -> str:
        return _kind(json.loads(data))

    return with_json


def msgspec_envelope(msgspec: Any) -> type:
    """The six members; the three that carry payloads stay raw bytes."""
    absent = msgspec.UnsetType
    types = {
        "jsonrpc": str | absent,
        "id": int | str | None | absent,
        "method": str | absent,
        "params": msgspec.Raw | absent,
        "result": msgspec.Raw | absent,
        "error": msgspec.Raw | absent,
    }
    fields = [(name, member_type, msgspec.UNSET) for name, member_type in types.items()]
    envelope: type = msgspec.defstruct("Envelope", fields)
    return envelope


def _msgspec_raw() -> Call:
    msgspec = importlib.import_module("msgspec")
    decode = importlib.import_module("msgspec.json").Decoder(msgspec_envelope(msgspec)).decode
    absent = msgspec.UNSET

    def with_msgspec_raw(data: bytes) -> str:
        envelope = decode(data)
        if envelope.jsonrpc != "2.0":
            return "invalid"
        if envelope.method is not absent:
            return "notification" if envelope.id is absent else "request"
        if envelope.result is not absent:
            return "success" if envelope.error is absent else "invalid"
        return "invalid" if envelope.error is absent else "error"

    return with_msgspec_raw


def _mcp_sdk() -> Call:
    """The official SDK's own entry point for raw bytes: an adapter in 2.x, a model in 1.x."""
    types = importlib.import_module("mcp.types")
    adapter = getattr(types, "jsonrpc_message_adapter", None)
    model = types.JSONRPCMessage
    validate = model.model_validate_json if adapter is None else adapter.validate_json

    def with_mcp_sdk(data: bytes) -> str:
        message = validate(data)
        message = getattr(message, "root", message)
        return {
            "JSONRPCRequest": "request",
            "JSONRPCNotification": "notification",
            "JSONRPCError": "error",
        }.get(type(message).__name__, "success")

    return with_mcp_sdk


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("given_contenders", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- further peers ---


def _pysimdjson() -> Call:
    """One parser for all frames, the checks on its lazy objects, no conversion of values.

    Looking up an absent key costs a C++ exception (over a microsecond), so the names are taken
    once: the quickest of the three ways that were tried.
    """
    simdjson = importlib.import_module("simdjson")
    parse, lazy_object = simdjson.Parser().parse, simdjson.Object

    def with_pysimdjson(data: bytes) -> str:
        message = parse(data)
        if type(message) is not lazy_object:
            return "invalid"
        names = set(message)
        if "jsonrpc" not in names or message["jsonrpc"] != "2.0":
            return "invalid"
        if "method" in names and type(message["method"]) is str:
            if "id" not in names:
                return "notification"
            return "request" if type(message["id"]) in (int, str) else "invalid"
        if "id" in names and ("result" in names) != ("error" in names):
            return "success" if "result" in names else "error"
        return "invalid"

    return with_pysimdjson


def _jiter() -> Call:
    from_json = importlib.import_module("jiter").from_json

    def with_jiter(data: bytes) -> str:
        return _kind(from_json(data))

    return with_jiter


# --- the line-up ---

_OWN_PEERS: dict[str, tuple[str, Callable[[], Call]]] = {
    ORJSON: ("with_orjson", _orjson),
    "json": ("with_json", _json),
    "msgspec Raw": ("with_msgspec_raw", _msgspec_raw),
    "mcp SDK": ("mcp_sdk", _mcp_sdk),
}


def _peer_makers(path: Path | None) -> tuple[dict[str, Callable[[], Call]], str]:
    if path is None:
        return {name: make for name, (_, make) in _OWN_PEERS.items()}, "built in"
    given = _load_file(path)
    makers: dict[str, Callable[[], Call]] = {}
    for name, (attribute, _) in _OWN_PEERS.items():
        found = getattr(given, attribute)
        # mcp_sdk() makes its contender, the others are contenders themselves.
        makers[name] = found if attribute == "mcp_sdk" else functools.partial(_same, found)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return makers, f"{path.name} (sha256 {digest})"


def _same(call: Call) -> Call:
    return call


def line_up(path: Path | None = None) -> Line:
    """Every contender that can be made here; the four peers from the file at `path` if given."""
    peers, peers_from = _peer_makers(path)
    makers: list[tuple[str, Answer, Callable[[], Call]]] = [
        (CLASSIFY, "frame", _classify),
        (CLASSIFY_READ, "kind", _classify_read),
        (STAGE_1, "count", _stage_1),
        *((name, "kind", make) for name, make in peers.items()),
        ("pysimdjson", "kind", _pysimdjson),
        ("jiter", "kind", _jiter),
    ]
    contenders: list[Contender] = []
    left_out: dict[str, str] = {}
    for name, answer, make in makers:
        try:
            contenders.append(Contender(name, make(), answer))
        except (ImportError, AttributeError) as error:
            left_out[name] = f"{type(error).__name__}: {error}"
    return Line(tuple(contenders), left_out, peers_from)
