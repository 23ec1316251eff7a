"""The likely fix of one finding, if frame and facts show it."""

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache

from framegauge.explain.pointer import pointer
from framegauge.explain.similar_names import similar
from framegauge.facts import Frame, Kind
from framegauge.protocol import EXTENSIONS, MCP, Revision, Spec, revision

__all__ = ["Hint", "hint", "similar_method"]

Hint = tuple[str, str]  # the hint's id, and one sentence

_KEY = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_ENCODINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LOOKED_AT = 32  # bytes that are looked at for UTF-16
_LONGEST_ID = 64  # bytes of an id that is written again
# As measured; a test compares them with framegauge.behaviour. DEMOTING: the package whose servers take a request with
# such an id for a notification. TWICE: members of which the servers of every SDK take the last occurrence.
DEMOTING = "mcp"
TWICE = ("/id", "/method")
_FAULTLESS = frozenset({"params-absent", "result-absent", "error-absent"})  # facts of a correct request
_NO_ID_AT_ALL = frozenset({"id-null", "id-boolean", "id-container"})
_FOLDED = str.maketrans({"\u017f": "s", "\u212a": "k"})


def hint(rule_id: str, frame: bytes, offset: int, facts: Frame) -> Hint | None:
    """The hint for a finding of that rule at that byte, or None."""
    if rule_id in _UNREADABLE:
        encoding = _encoding(frame)
        if encoding:
            return encoding
    find = _HINTS.get(rule_id)
    return find(frame, offset, facts) if find else None


def _encoding(frame: bytes) -> Hint | None:
    for magic, name in _ENCODINGS.items():
        if frame.startswith(magic):
            return "body-still-encoded", f"The frame is compressed with {name}; undo the content encoding first."
    if frame.startswith(_UTF16_MARKS) or _has_every_other_byte_nul(frame[:_LOOKED_AT]):
        return "utf-16-suspected", "The frame looks like UTF-16; encode it as UTF-8."
    return None


def _has_every_other_byte_nul(start: bytes) -> bool:
    halves = start[::2], start[1::2]
    return len(start) >= 4 and any(not any(one) and all(other) for one, other in (halves, halves[::-1]))


def _json_start(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    start = facts.fault.json_start if facts.fault else None
    if start is None:
        return None
    return f"json-starts-at:{start}", f"A complete object runs from byte {start} to the end of the frame."


def _similar_member(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    text = _string_at(frame, offset)
    if text is None:
        return None
    # A lookalike differs by case, NUL and characters outside ASCII. Without them the name is left.
    folded = text.translate(_FOLDED).encode("ascii", "ignore").replace(b"\0", b"").decode().lower()
    name = _member_names().get(folded)
    return (f"did-you-mean:{name}", f"The member's name is {name}, written exactly so.") if name else None


def _integer_id(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    raw = facts.id
    if raw is None or len(raw) > _LONGEST_ID:
        return None
    try:
        value = Decimal(raw.decode("ascii"))
    except (InvalidOperation, ValueError):
        return None
    if not value.is_finite() or value.adjusted() > _LONGEST_ID or value != value.to_integral_value():
        return None
    return _use(str(int(value)))


def _string_id(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    raw = facts.id
    if raw is None or len(raw) > _LONGEST_ID or not raw.isascii():
        return None
    return _use(f'"{raw.decode()}"')


def _use(raw: str) -> Hint:
    return f"use-id:{raw}", f"Send the id as {raw}, which every reader keeps as it is."


def _no_id(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    if facts.method is not None and facts.method.startswith("notifications/"):
        return "omit-id", "The method is a notification's; leave the member id out."
    return _demoted(frame, offset, facts)


def _demoted(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    """For a request without another fault; other requests were not measured."""
    faults = facts.facts - _FAULTLESS
    if len(faults) != 1 or not faults <= _NO_ID_AT_ALL:
        return None
    sentence = "Over HTTP, servers of the Python SDK may accept it with 202 as a notification, and not answer."
    return f"demoted-to-notification:{DEMOTING}", sentence


def _one_line(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    return "pretty-printed", "The message was written with line breaks; write it compactly, on one line."


def _last_wins(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    if facts.kind != Kind.invalid or pointer(frame, offset) not in TWICE:
        return None
    return "last-duplicate-wins", "The official SDKs' servers take the last one; other readers may take the first."


# ---- methods and values ----

# Common wrong names, for params that have the member on the right.
_OTHER_NAMES = {
    **dict.fromkeys(("args", "arg", "input", "inputs", "kwargs", "parameters", "params"), "arguments"),
    **dict.fromkeys(("tool", "toolName", "tool_name", "prompt", "promptName", "prompt_name"), "name"),
}


@cache
def _texts() -> Mapping[str, tuple[Revision, ...]]:
    """Each revision of MCP, and with it its extensions."""
    return {name: tuple(map(revision, (name, *_extensions(name)))) for name in MCP}


def _extensions(name: str) -> list[str]:
    return [each for each in EXTENSIONS if each.startswith(f"{name}+")]


@cache
def _member_names() -> Mapping[str, str]:
    """The names of all members that any revision describes, by their lower case.

    All envelope members are among these, except jsonrpc.
    """
    shapes = (shape for texts in _texts().values() for text in texts for shape in text.shapes.values())
    return {name.lower(): name for name in ("jsonrpc", *(name for shape in shapes for name in shape.members))}


@lru_cache(maxsize=256)
def similar_method(name: str, kind: Kind) -> str | None:
    """The method of any revision that is similar to a name, preferably of that kind."""
    notifications, others = _methods()
    alike = notifications if kind == Kind.notification else others
    return similar(name, alike) or similar(name, notifications + others)


@cache
def _methods() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The notifications of all revisions, and their other methods."""
    kinds = {
        name: method.kind for texts in _texts().values() for text in texts for name, method in text.methods.items()
    }
    notifications = tuple(name for name, kind in kinds.items() if kind == "notification")
    return notifications, tuple(name for name in kinds if name not in notifications)


def _similar_method(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    method = similar_method(facts.method, facts.kind) if facts.method is not None else None
    return (f"did-you-mean:{method}", f"The method's name is {method}, written exactly so.") if method else None


def _where_it_is(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    method = facts.method or ""
    return _known_in(
        "method", [name for name, texts in _texts().items() if any(_framed(text, method) for text in texts)]
    )


def _framed(text: Revision, method: str) -> bool:
    """Does the revision have the method, and for a frame of its own?"""
    return method in text.methods and text.methods[method].kind != "input-request"


def _known_in(what: str, having: list[str]) -> Hint | None:
    return (f"known-in:{','.join(having)}", f"The {what} exists in {', '.join(having)}.") if having else None


def _similar_param(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    key, method = _string_at(frame, offset), facts.method or ""
    known = _params_of(method)
    if key is None:
        return None
    if key in known:
        return _known_in("param", [name for name in _texts() if key in _params_in(name, method)])
    name = _OTHER_NAMES.get(key)
    found = name if name in known else similar(key, known)
    return (f"did-you-mean:{found}", f"The param's name is {found}, written exactly so.") if found else None


@lru_cache(maxsize=256)
def _params_of(method: str) -> frozenset[str]:
    """The names of params that any revision describes for a method."""
    return frozenset(name for revision in _texts() for name in _params_in(revision, method))


@lru_cache(maxsize=1024)
def _params_in(name: str, method: str) -> frozenset[str]:
    texts = [text for text in _texts()[name] if _framed(text, method)]
    return frozenset(name for text in texts for name in _names(text, text.methods[method].params))


def _names(text: Revision, spec: Spec | None) -> list[str]:
    if spec is None or spec.shape is None:
        return []
    shape = text.shapes[spec.shape]
    cases = [text.shapes[case] for case in (*shape.cases.values(), *filter(None, [shape.default]))]
    return [name for each in (shape, *cases) for name in each.members]


def _encoded_twice(frame: bytes, offset: int, facts: Frame) -> Hint | None:
    text = _string_at(frame, offset)
    try:
        value = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return "double-encoded-json", "The string holds an object as text; send the object itself."


def _string_at(frame: bytes, offset: int) -> str | None:
    """The string that starts there, unescaped."""
    token = _KEY.match(frame, offset)
    try:
        text: str | None = json.loads(token.group()) if token else None
    except ValueError:
        return None
    return text


# Where bytes of another encoding may stop a reader. If an object follows them, its own hint shows more.
_UNREADABLE = ("invalid-utf8", "not-json", "raw-control-char", "bad-literal", "bad-structure")
_HINTS: dict[str, Callable[[bytes, int, Frame], Hint | None]] = {
    "leading-garbage": _json_start,
    "key-case-variant": _similar_member,
    "key-lookalike": _similar_member,
    "id-not-integer-literal": _integer_id,
    "id-not-integer": _string_id,
    "id-unsafe-integer": _string_id,
    "id-null": _no_id,
    "id-type": _demoted,
    "embedded-newline": _one_line,
    "duplicate-key": _last_wins,
    "unknown-method": _similar_method,
    "method-not-in-revision": _where_it_is,
    "notification-method-with-id": _no_id,
    "unknown-param": _similar_param,
    "arguments-not-object": _encoded_twice,
}
