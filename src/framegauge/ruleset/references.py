"""Addresses of the texts that several rules share. The revisions of a rule are in its rows."""

_SPEC = "https://modelcontextprotocol.io/specification/"
_SCHEMA = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/"


def spec(page: str, *revisions: str) -> tuple[str, ...]:
    """A page of the specification in each of these revisions."""
    return tuple(f"{_SPEC}{revision}/{page}" for revision in revisions)


def schema(revision: str) -> str:
    """The schema of a revision that has no schema page."""
    return f"{_SCHEMA}{revision}/schema.ts"


def jsonrpc(section: str) -> str:
    return f"https://www.jsonrpc.org/specification#{section}"


def json_text(section: str) -> str:
    return f"https://www.rfc-editor.org/rfc/rfc8259#section-{section}"


V2411, V2503, V2506, V2511, V2607 = "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"
_TO_2503 = (V2511, V2506, V2503)

PARSE_ERROR = (*spec("schema#parseerror", V2607), jsonrpc("error_object"))
INVALID_REQUEST = (*spec("schema#invalidrequesterror", V2607), jsonrpc("request_object"))
STDIO = (*spec("basic/transports/stdio", V2607), *spec("basic/transports#stdio", *_TO_2503, V2411))
MESSAGES = (*spec("basic#messages", V2607, *_TO_2503), *spec("basic/messages", V2411))
REQUESTS = (*spec("basic#requests", V2607, *_TO_2503), *spec("basic/messages#requests", V2411))
RESULTS = (
    *spec("basic#result-responses", V2607, V2511),
    *spec("basic#responses", V2506, V2503),
    *spec("basic/messages#responses", V2411),
)
ERRORS = (
    *spec("basic#error-responses", V2607, V2511),
    *spec("basic#responses", V2506, V2503),
    *spec("basic/messages#responses", V2411),
    jsonrpc("response_object"),
)
ERROR_CODES = spec("basic#error-codes", V2607)
