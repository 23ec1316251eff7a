"""The codes of the error answers that a rule may ask for, with the text of each answer."""

from collections.abc import Mapping
from types import MappingProxyType

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
UNSUPPORTED_VERSION = -32022

# A rule that names another code is refused when it is registered: nothing could be sent.
CODES: Mapping[int, str] = MappingProxyType(
    {
        PARSE_ERROR: "Parse error",
        INVALID_REQUEST: "Invalid Request",
        METHOD_NOT_FOUND: "Method not found",
        INVALID_PARAMS: "Invalid params",
        UNSUPPORTED_VERSION: "Unsupported protocol version",
    }
)
