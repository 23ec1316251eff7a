"""What a frame itself says: its revision, its id, the value of error.code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .decimals import INT32_MAX, INT32_MIN, integrality
from .names import EVIDENCE, ROOM
from .rows import CODE_LEGACY, CODE_RESERVED, CODE_RETIRED, CODE_UNDEFINED, MCP, J
from .tokens import unescape

if TYPE_CHECKING:
    from .model import Facts, Member

META_VERSION = "io.modelcontextprotocol/protocolVersion"
JSONRPC_CODES = (-32700, -32600, -32601, -32602, -32603)
DEFINED_CODES = (-32020, -32021, -32022)
RETIRED_CODES = (-32002, -32042)


def revision_of(data: bytes, told: Facts) -> str | None:
    """The revision that the frame names (section 2), or None."""
    if told.fault is not None or told.top != "object":
        return None
    candidates = [_text(data, _first(_params_meta(told), META_VERSION))]
    if told.kind == "request" and method_of(data, told) == "initialize":
        candidates.append(_text(data, _first(described(told, "params"), "protocolVersion")))
    if told.kind == "success":
        candidates.append(_text(data, _first(described(told, "result"), "protocolVersion")))
    return next((text for text in candidates if text in MCP), None)


def unlisted_version(data: bytes, told: Facts, listed: tuple[str, ...]) -> Member | None:
    """The version that a request names in `_meta` and that is none of these."""
    version = _first(_params_meta(told), META_VERSION) if told.kind == "request" else None
    text = _text(data, version)
    return None if text is None or text in listed else version


def names_task(told: Facts) -> bool:
    """Does `_meta` of the params say to which task the message belongs?"""
    return _first(_params_meta(told), "io.modelcontextprotocol/related-task") is not None


def described(told: Facts, owner: str) -> list[Member]:
    """The members of one object that there is room for (section 4)."""
    members = told.members.get(owner, [])
    kept = members[: ROOM[owner]]
    for late in members[len(kept) :]:
        others = [member for member in kept if member.key not in EVIDENCE]
        if late.key in EVIDENCE and others and all(member.key != late.key for member in kept):
            kept.remove(others[-1])
            kept.append(late)
    return kept


def _params_meta(told: Facts) -> list[Member]:
    """The described members of `_meta`, where the `_meta` that is described stands in params."""
    params = told.envelope.get("params")
    if params is None:
        return []
    return [member for member in described(told, "_meta") if params.start < member.start < params.stop]


def _first(members: list[Member], key: str) -> Member | None:
    return next((member for member in members if member.key == key), None)


def _text(data: bytes, member: Member | None) -> str | None:
    if member is None or member.type != "string":
        return None
    return unescape(data[member.start : member.stop])


def method_of(data: bytes, told: Facts) -> str | None:
    """The method, where it is a string."""
    member = told.envelope.get("method")
    if member is None or member.type != "string":
        return None
    return unescape(data[member.start : member.stop])


def readable_id(data: bytes, told: Facts, revision: str) -> bytes | None:
    """The raw text of an id that an answer may carry (section 3), or None."""
    member = told.envelope.get("id")
    if member is None or member.count != 1 or member.type not in ("string", "number"):
        return None
    raw = data[member.start : member.stop]
    if member.type == "number" and revision != J and not integrality(raw).integral:
        return None
    return raw


def code_names(data: bytes, told: Facts) -> set[str]:
    """The ranges that error.code lies in."""
    code = _first(told.members.get("error", []), "code")
    if code is None or code.type != "number":
        return set()
    number = integrality(data[code.start : code.stop])
    value = number.value
    if not number.integral or value is None or not INT32_MIN <= value <= INT32_MAX:
        return set()
    names = set()
    if -32768 <= value <= -32100 and value not in JSONRPC_CODES:
        names.add(CODE_UNDEFINED)
    if -32099 <= value <= -32020 and value not in (*DEFINED_CODES, *RETIRED_CODES):
        names.add(CODE_RESERVED)
    if value in RETIRED_CODES:
        names.add(CODE_RETIRED)
    if -32019 <= value <= -32000 and value != -32002:
        names.add(CODE_LEGACY)
    return names
