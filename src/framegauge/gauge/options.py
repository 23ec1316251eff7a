"""The names that a gauge and its calls take, and the revision that headers name."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from framegauge.protocol import MCP
from framegauge.ruleset.registry import RULES

AUTO = "auto"
CLIENT_TO_SERVER, SERVER_TO_CLIENT = "client-to-server", "server-to-client"
DIRECTIONS = (CLIENT_TO_SERVER, SERVER_TO_CLIENT)
TRANSPORTS = ("stdio", "http", "sse")
FIDELITIES = ("bytes", "text", "tokens", "value")
ERROR_IDS = ("spec", "null", "omit")
ErrorId = Literal["spec", "null", "omit"]

# What a record below a grade cannot show: the program that parsed and wrote it again erased it.
LOST: Mapping[str, frozenset[str]] = {
    "bytes": frozenset(),
    "text": frozenset({"invalid-utf8", "utf8-bom", "crlf", "embedded-newline", "content-length-framing"}),
    "tokens": frozenset({rule.id for rule in RULES if rule.area in ("bytes", "lines")}),
    "value": frozenset({rule.id for rule in RULES if rule.area in ("bytes", "lines")})
    | {"duplicate-key", "escaped-key", "escaped-value", "lone-surrogate", "id-not-integer-literal", "number-too-long"},
}


def one_of(what: str, value: Any, allowed: tuple[str, ...]) -> Any:
    """`value`, where it is allowed; ValueError that lists the allowed values."""
    if value not in allowed:
        raise ValueError(f"{what} {value!r} is not known; it is one of {', '.join(allowed)}")
    return value


def revision_from_headers(headers: Mapping[str, str] | Iterable[tuple[Any, Any]]) -> str | None:
    """The revision that an MCP-Protocol-Version header names."""
    try:
        pairs = [(name, value) for name, value in (headers.items() if isinstance(headers, Mapping) else headers)]
    except (TypeError, ValueError):
        raise TypeError("headers is a mapping, or a list of pairs of a name and a value") from None
    for name, value in pairs:
        if _as_text(name).lower() == "mcp-protocol-version" and _as_text(value).strip() in MCP:
            return _as_text(value).strip()
    return None


def _as_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
