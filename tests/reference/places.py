"""Where each rule of the envelope stands: docs/verdict.md, section 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import Place

if TYPE_CHECKING:
    from .model import Facts

KEY_RULES = ("duplicate-key", "key-case-variant", "key-lookalike", "escaped-key", "unknown-member")

# The member whose value is the place.
VALUE_RULES = {
    "jsonrpc-wrong": "/jsonrpc",
    "method-type": "/method",
    "method-reserved": "/method",
    "params-type": "/params",
    "params-not-object": "/params",
    "id-null": "/id",
    "id-type": "/id",
    "id-not-integer": "/id",
    "id-not-integer-literal": "/id",
    "id-unsafe-integer": "/id",
    "result-null": "/result",
    "result-not-object": "/result",
    "error-null": "/error",
    "error-not-object": "/error",
    "error-code-type": "/error/code",
    "error-code-not-integer": "/error/code",
    "error-code-out-of-range": "/error/code",
    "error-code-reserved": "/error/code",
    "error-code-retired": "/error/code",
    "error-code-legacy-range": "/error/code",
    "code-base-reserved": "/error/code",
    "code-2607-app-range": "/error/code",
    "error-message-type": "/error/message",
}

# The member that is missing; the place is the brace of the object that lacks it.
MISSING_RULES = {
    "jsonrpc-missing": "/jsonrpc",
    "id-missing": "/id",
    "no-method-result-error": "",
    "error-code-missing": "/error/code",
    "error-message-missing": "/error/message",
}

PAIR_RULES = {
    "method-and-result": ("method", "result"),
    "method-and-error": ("method", "error"),
    "result-and-error": ("result", "error"),
}

WHOLE_ARRAY = ("batch-not-allowed", "batch-unspecified", "batch-empty")

SEVERE_SURROGATES = ("lone-surrogate-id", "lone-surrogate-method", "lone-surrogate-key")


def place_of(rule: str, data: bytes, told: Facts) -> tuple[Place, int]:
    """The place that is reported, and the number of places."""
    start, stop = told.top_span
    if rule in KEY_RULES:
        places = told.places[rule]
        return places[0], len(places)
    if rule == "lone-surrogate":
        return _lone_surrogate(told)
    if rule == "escaped-value":
        members = [(name, told.envelope[name]) for name in ("jsonrpc", "method") if name in told.envelope]
        values = [Place(member.start, member.stop, f"/{name}") for name, member in members if member.escaped]
        return min(values), len(values)
    if rule in VALUE_RULES:
        return _value(VALUE_RULES[rule], told), 1
    if rule in MISSING_RULES:
        path = MISSING_RULES[rule]
        brace = told.envelope["error"].start if path.startswith("/error/") else start
        return Place(brace, brace + 1, path), 1
    if rule in PAIR_RULES:
        later = max(PAIR_RULES[rule], key=lambda name: told.key_spans[name])
        return Place(*told.key_spans[later], f"/{later}"), 1
    if rule == "not-object":
        return Place(start, stop, ""), 1
    if rule in WHOLE_ARRAY:
        return Place(start, start + 1, ""), 1
    if rule == "embedded-newline":
        places = [Place(at, at + 1, "") for at in range(start, stop) if data[at] in b"\n\r"]
        return places[0], len(places)
    assert rule == "crlf", rule
    return Place(len(data) - 1, len(data), ""), 1


def _lone_surrogate(told: Facts) -> tuple[Place, int]:
    everywhere = told.places["lone-surrogate"]
    severe = [place for name in SEVERE_SURROGATES for place in told.places.get(name, [])]
    return min(severe or everywhere), len(everywhere)


def _value(path: str, told: Facts) -> Place:
    name, _, inner = path[1:].partition("/")
    if not inner:
        member = told.envelope[name]
        return Place(member.start, member.stop, path)
    first = next(member for member in told.members[name] if member.key == inner)
    return Place(first.start, first.stop, path)
