"""The native tokenizer against the slow reference, fact by fact."""

from __future__ import annotations

from typing import Any

import framegauge as fg
from framegauge.native.tokenizer import element_offsets
from tests.reference.facts import Facts, Limits, facts
from tests.reference.names import ENVELOPE, KNOWN_MEMBERS, ROOM

DEFAULT = Limits()


def native_limits(limits: Limits) -> fg.Limits:
    return fg.Limits(
        limits.max_frame_bytes,
        limits.max_depth,
        limits.max_batch_items,
        limits.max_number_digits,
        limits.max_members,
    )


def differences(frame: bytes, limits: Limits = DEFAULT) -> list[str]:
    """What the two disagree on; empty where they agree."""
    seen = fg.classify(frame, native_limits(limits))
    told = facts(frame, limits)
    pairs: list[tuple[str, Any, Any]] = [
        ("kind", seen.kind.value, told.kind),
        ("fault", seen.fault and seen.fault.rule, told.fault),
        ("offset", seen.fault and seen.fault.offset, told.fault_offset),
        ("json_start", seen.fault and seen.fault.json_start, told.json_start),
    ]
    if told.fault is None or (seen.fault and seen.fault.is_limit):
        pairs += envelope_pairs(seen, told)
    if told.fault is None:
        pairs += fact_pairs(frame, seen, told)
    return [f"{name}: native {a!r}, reference {b!r}" for name, a, b in pairs if a != b]


def envelope_pairs(seen: fg.Frame, told: Facts) -> list[tuple[str, Any, Any]]:
    pairs: list[tuple[str, Any, Any]] = []
    for name in ENVELOPE:
        member, expected = seen.member(name), told.envelope.get(name)
        native = member and (str(member.type), member.start, member.stop, member.count, member.escaped)
        reference = expected and (expected.type, expected.start, expected.stop, expected.count, expected.escaped)
        pairs.append((name, native, reference))
    return pairs


def fact_pairs(frame: bytes, seen: fg.Frame, told: Facts) -> list[tuple[str, Any, Any]]:
    pairs: list[tuple[str, Any, Any]] = [
        ("facts", sorted(seen.facts), sorted(told.names)),
        ("items", seen.items, told.items),
        ("depth", seen.depth, told.depth),
        ("longest_number", seen.longest_number, told.longest_number),
        ("largest_object", seen.largest_object, told.largest_object),
        ("duplicates", seen.duplicates, told.duplicate_count),
        ("duplicate_offset", seen.duplicate_offset, told.duplicate_offset),
    ]
    for group, room in ROOM.items():
        native = [(m.name, str(m.type), m.start, m.stop) for m in seen.members(group)]
        reference = [
            (m.key if m.key in KNOWN_MEMBERS else None, m.type, m.start, m.stop)
            for m in told.members.get(group, [])[:room]
        ]
        pairs.append((f"members of {group}", native, reference))
    if told.kind == "batch":
        pairs.append(("elements", element_offsets(frame), told.item_spans))
    return pairs
