"""The names that a gauge and its calls take."""

from collections.abc import Mapping
from typing import Any, Literal

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
