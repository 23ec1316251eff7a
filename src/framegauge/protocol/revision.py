"""The revisions, oldest first, and what each of them says as data. Whoever asks `if revision ==` lacks a datum here."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

__all__ = ["JSONRPC", "LATEST", "MCP", "REVISIONS", "BatchPolicy", "HttpStatus", "Revision", "UnreadableId", "revision"]

JSONRPC = "jsonrpc-2.0"
MCP = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
REVISIONS = (JSONRPC, *MCP)
LATEST = MCP[-1]

BatchPolicy = Literal["judged", "refused"]
UnreadableId = Literal["null", "omit"]

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class HttpStatus:
    """The status that HTTP owes a client; None where the text names none."""

    error: int | None  # with an error answer
    unknown_method: int | None  # with -32601
    batch: int | None  # an array where none may be sent
    notification: int | None  # accepted, without a body
    response: int | None  # the same for a response


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision. A constant of the protocol is here, a judgement on a frame in `framegauge.rules`."""

    name: str
    title: str
    date: str
    url: str
    batch: BatchPolicy  # are the elements of a top-level array judged, or is the array refused
    error_id: Mapping[str, UnreadableId]  # by transport: how an id that could not be read is written
    fractional_id: bool  # can an id that is no integer be echoed
    client_replies: bool  # may a client send error answers
    status: HttpStatus
    error_codes: Mapping[int, str]  # the codes that the text gives a meaning


@cache
def revision(name: str) -> Revision:
    """The revision of that name; its file is read once."""
    if name not in REVISIONS:
        raise ValueError(f"unknown revision {name!r}; it is one of {', '.join(REVISIONS)}")
    import tomllib  # only here: who judges no frame need not wait for it

    raw: dict[str, Any] = tomllib.loads((_DATA / f"{name}.toml").read_text("utf-8"))
    status = raw.get("status", {})
    return Revision(
        name=name,
        title=raw["title"],
        date=str(raw["date"]),
        url=raw["url"],
        batch=raw["batch"],
        error_id=MappingProxyType(raw["error_id"]),
        fractional_id=raw["fractional_id"],
        client_replies=raw["client_replies"],
        status=HttpStatus(**{field: status.get(field) for field in HttpStatus.__slots__}),
        error_codes=MappingProxyType({int(code): meaning for code, meaning in raw["error_codes"].items()}),
    )
