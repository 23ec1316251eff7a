"""The names and the kind that follow from a frame without a byte fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .decimals import INT32_MAX, INT32_MIN, MAX_SAFE, integrality
from .names import ROOM
from .tokens import has_lone_surrogate, unescape

if TYPE_CHECKING:
    from .model import EnvelopeMember, Facts

_NOT_OBJECT = ("array", "string", "number", "true", "false")
_SCALAR = ("string", "number", "true", "false", "null")


def envelope_names(data: bytes, facts: Facts) -> set[str]:
    """Names of an object at the top level that its members' types and values decide."""
    envelope = facts.envelope
    names = set()
    names |= _jsonrpc(data, envelope.get("jsonrpc"))
    names |= _id(data, envelope.get("id"))
    names |= _method(data, envelope.get("method"))
    names |= _params(envelope.get("params"))
    names |= _absent_null_not_object("result", envelope.get("result"))
    names |= _absent_null_not_object("error", envelope.get("error"))
    names |= _together("method" in envelope, "result" in envelope, "error" in envelope)
    names |= _without_id(envelope)
    if "error" in envelope and envelope["error"].type == "object":
        names |= _error(data, facts)
    if any(len(facts.members.get(owner, ())) > room for owner, room in ROOM.items()):
        names.add("member-overflow")
    return names


def _text(data: bytes, member: EnvelopeMember) -> str:
    return unescape(data[member.start : member.stop])


def _jsonrpc(data: bytes, member: EnvelopeMember | None) -> set[str]:
    if member is None:
        return {"jsonrpc-missing"}
    if member.type != "string":
        return {"jsonrpc-wrong"}
    names = set()
    if member.escaped:
        names.add("escaped-jsonrpc")
    if _text(data, member) != "2.0":
        names.add("jsonrpc-wrong")
    return names


def _id(data: bytes, member: EnvelopeMember | None) -> set[str]:
    if member is None:
        return {"id-absent"}
    if member.type == "null":
        return {"id-null"}
    if member.type in ("true", "false"):
        return {"id-boolean"}
    if member.type in ("object", "array"):
        return {"id-container"}
    if member.type == "string":
        names = {"id-string"}
        text = _text(data, member)
        if text == "":
            names.add("id-empty")
        if has_lone_surrogate(text):
            names.add("lone-surrogate-id")
        return names
    number = integrality(data[member.start : member.stop])
    if not number.integral:
        return {"id-not-integer"}
    names = set()
    if not number.plain:
        names.add("id-not-integer-literal")
    if number.outside(-MAX_SAFE, MAX_SAFE):
        names.add("id-unsafe-integer")
    return names


def _method(data: bytes, member: EnvelopeMember | None) -> set[str]:
    if member is None:
        return {"method-absent"}
    if member.type != "string":
        return {"method-type"}
    names = set()
    text = _text(data, member)
    if member.escaped:
        names.add("escaped-method")
    if text.startswith("rpc."):
        names.add("method-reserved")
    if has_lone_surrogate(text):
        names.add("lone-surrogate-method")
    return names


def _params(member: EnvelopeMember | None) -> set[str]:
    if member is None:
        return {"params-absent"}
    if member.type in _SCALAR:
        return {"params-scalar"}
    return {"params-array"} if member.type == "array" else set()


def _absent_null_not_object(name: str, member: EnvelopeMember | None) -> set[str]:
    if member is None:
        return {f"{name}-absent"}
    if member.type == "null":
        return {f"{name}-null"}
    return {f"{name}-not-object"} if member.type in _NOT_OBJECT else set()


def _together(method: bool, result: bool, error: bool) -> set[str]:
    names = set()
    if method and result:
        names.add("method-and-result")
    if method and error:
        names.add("method-and-error")
    if result and error:
        names.add("result-and-error")
    if not (method or result or error):
        names.add("no-method-result-error")
    return names


def _without_id(envelope: dict[str, EnvelopeMember]) -> set[str]:
    if "id" in envelope or "method" in envelope:
        return set()
    if "result" in envelope:
        return {"result-without-id"}
    return {"error-without-id"} if "error" in envelope else set()


def _error(data: bytes, facts: Facts) -> set[str]:
    names = set()
    code = next((m for m in facts.members["error"] if m.key == "code"), None)
    message = next((m for m in facts.members["error"] if m.key == "message"), None)
    if code is None:
        names.add("error-code-missing")
    elif code.type != "number":
        names.add("error-code-type")
    else:
        number = integrality(data[code.start : code.stop])
        if not number.integral:
            names.add("error-code-not-integer")
        elif not number.plain:
            names.add("error-code-not-integer-literal")
        if number.outside(INT32_MIN, INT32_MAX):
            names.add("error-code-out-of-range")
    if message is None:
        names.add("error-message-missing")
    elif message.type != "string":
        names.add("error-message-type")
    return names


# Each of these makes an object no message (section 1, point 6).
_INVALIDATES = frozenset(
    {
        "jsonrpc-missing",
        "jsonrpc-wrong",
        "duplicate-envelope",
        "id-boolean",
        "id-container",
        "method-type",
        "params-scalar",
        "method-and-result",
        "method-and-error",
        "result-and-error",
        "no-method-result-error",
    }
)


def kind_of_object(facts: Facts) -> str:
    """Points 6 and 7 of section 1, for an object that no limit stopped."""
    present = facts.envelope
    if facts.names & _INVALIDATES:
        return "invalid"
    if "method" in present:
        return "request" if "id" in present else "notification"
    if "result" in present:
        return "success" if "id" in present else "invalid"
    return "error"
