"""orjson and msgspec as third opinions on what is JSON, and why they may differ, as predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import orjson
from tests.property.test_mutations import NUMBER, strict_json_accepts

import framegauge as fg

if TYPE_CHECKING:
    from collections.abc import Callable

UNLIMITED = fg.Limits(None, None, None, None, None)


def orjson_accepts(frame: bytes) -> bool:
    try:
        orjson.loads(frame)
    except orjson.JSONDecodeError:
        return False
    return True


def msgspec_accepts(frame: bytes) -> bool:
    try:
        msgspec.json.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


PEERS: dict[str, Callable[[bytes], bool]] = {"orjson": orjson_accepts, "msgspec": msgspec_accepts}


def _beyond_a_double(accepts: Callable[[bytes], bool], frame: bytes, _: fg.Frame) -> bool:
    """RFC 8259 sets no range for numbers; a peer converts them. Each number alone is JSON that the peer refuses."""
    return any(strict_json_accepts(number) and not accepts(number) for number in NUMBER.findall(frame))


def _lone_surrogate(_: Callable[[bytes], bool], __: bytes, seen: fg.Frame) -> bool:
    """RFC 8259 allows the escape; a peer makes UTF-8 of the text."""
    return "lone-surrogate" in seen.facts


def _deep(_: Callable[[bytes], bool], __: bytes, seen: fg.Frame) -> bool:
    """Peers are recursive: orjson stops at 1,024 levels, msgspec at Python's limit."""
    return seen.depth > 200


# Of frames that are JSON by our word alone. In the other direction nothing is excused.
CLASSES = (_beyond_a_double, _lone_surrogate, _deep)


def differences(frame: bytes) -> list[str]:
    """What a peer says otherwise, and nobody has explained."""
    seen = fg.classify(frame, UNLIMITED)
    ours = seen.fault is None and seen.kind != fg.Kind.empty
    return [
        f"is this JSON: we say {ours}, {name} says {not ours}"
        for name, accepts in PEERS.items()
        if accepts(frame) != ours and not (ours and any(excuse(accepts, frame, seen) for excuse in CLASSES))
    ]
