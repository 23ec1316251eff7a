"""The vocabulary of one frame: kind, members, facts and the host's limits."""

from framegauge.native.tokenizer import (
    FACT_NAMES,
    FAULT_NAMES,
    KIND_NAMES,
    MARK_NAMES,
    METHOD_NAMES,
    Fault,
    Frame,
    Kind,
    Limits,
    Member,
    MemberType,
    classify,
)

__all__ = [
    "FACT_NAMES",
    "FAULT_NAMES",
    "KIND_NAMES",
    "MARK_NAMES",
    "METHOD_NAMES",
    "Fault",
    "Frame",
    "Kind",
    "Limits",
    "Member",
    "MemberType",
    "classify",
]
