"""The measured readings in words: which frames, what happened, and in which servers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from framegauge.behaviour.readers import Reading, Server

__all__ = ["Block", "Row", "blocks", "event"]

_NOTES = {
    "respelled-id": "the id written otherwise",
    "rounded-id": "the id rounded",
    "text-replaced": "U+FFFD in its text",
    "text-surrogate": "a lone surrogate in its text",
    "tool-error": "with the tool's error",
}
_LAST = "last-duplicate-wins"


class Row(NamedTuple):
    """What happened on one transport, and by whom."""

    transport: str
    event: str
    who: str


class Block(NamedTuple):
    """Frames that every server treated alike, in words, and how they treated them."""

    frames: tuple[str, ...]
    rows: tuple[Row, ...]


def blocks(readings: Iterable[Reading]) -> tuple[Block, ...]:
    """The readings by frame; frames with the same rows are together."""
    by_frame: dict[str, list[Reading]] = {}
    for reading in readings:
        by_frame.setdefault(reading.frame, []).append(reading)
    found: dict[tuple[Row, ...], list[str]] = {}
    for frame, readings_of_it in by_frame.items():
        found.setdefault(tuple(_rows(readings_of_it)), []).append(frame)
    return tuple(Block(tuple(frames), rows) for rows, frames in found.items())


def event(reading: Reading) -> str:
    """What happened, short."""
    if _LAST in reading.notes:
        return "the last one counts"
    status = "" if reading.status is None else f", HTTP {reading.status}"
    words = {
        "answered": "answered" if reading.answers == 1 else f"{reading.answers} answers",
        "refused": f"error {reading.code}{status}",
        "demoted": "no answer, HTTP 202",
        "accepted": "accepted, HTTP 202",
        "logged": "only a log notification",
        "silent": "no answer",
    }[reading.outcome]
    return ", ".join([words, *(_NOTES[note] for note in reading.notes)])


def _rows(readings: Sequence[Reading]) -> Iterator[Row]:
    """Of one frame: http before stdio, and of each what most servers did before what few did."""
    for transport in sorted({reading.server.transport for reading in readings}):
        here = [reading for reading in readings if reading.server.transport == transport]
        groups: dict[str, list[Server]] = {}
        for reading in here:
            groups.setdefault(event(reading), []).append(reading.server)
        for what, group in sorted(groups.items(), key=lambda item: -len(item[1])):
            yield Row(transport, what, _who(group, [reading.server for reading in here]))


def _who(group: Sequence[Server], everyone: Sequence[Server]) -> str:
    """SDKs and versions; the revision too, where the same version did something else in another one."""
    if len(group) == len(everyone) > 1:
        return "all"
    by_sdk: dict[str, list[str]] = {}
    for server in group:
        release = (server.sdk, server.version)
        split = {one for one in everyone if (one.sdk, one.version) == release} - set(group)
        version = f"{server.version} in {server.revision}" if split else server.version
        versions = by_sdk.setdefault(server.sdk, [])
        if version not in versions:
            versions.append(version)
    return "; ".join(f"{sdk} {', '.join(versions)}" for sdk, versions in by_sdk.items())
