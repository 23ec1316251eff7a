"""The id: its type, its spelling, and messages that require it."""

from framegauge.protocol.features import ALL, IN_JSONRPC, IN_MCP, until
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_REQUEST
from framegauge.ruleset.model import Row, Rule

_PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
_ERROR = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'
_IDS = (*references.REQUESTS, references.jsonrpc("request_object"))
_REQUEST_ID = references.spec("schema#requestid", references.V2607)

RULES = (
    Rule(
        id="id-null",
        at=("facts",),
        area="envelope",
        title="The id is null",
        authority=("mcp",),
        message="the id is null",
        what="The member id is null. On a request MCP forbids it and JSON-RPC advises against it. On a success it is "
        "always wrong. On an error JSON-RPC requires it for an unreadable id, and no MCP schema allows it.",
        why="The Python SDKs (version 2 in its older mode) take a request with a null id for a notification: they do "
        "not answer, and the caller waits. The TypeScript SDKs refuse it over HTTP; over stdio no SDK answers. "
        "Official SDKs send null on errors.",
        fix="Give every request a string or an integer. Leave the member out of a notification.",
        bad='{"jsonrpc":"2.0","id":null,"method":"ping"}',
        good=_PING,
        clauses=("id-not-null-request", "id-null-discouraged-base", "id-error-null-base", "id-type-response"),
        urls=(
            *references.REQUESTS,
            *references.spec("schema#jsonrpcerrorresponse", references.V2607),
            references.schema(references.V2411),
            references.jsonrpc("request_object"),
            references.jsonrpc("response_object"),
        ),
        rows=(
            Row(facts=("id-null",), without=("method-absent",), severity="warning", revisions=IN_JSONRPC),
            Row(
                facts=("id-null",),
                without=("method-absent",),
                severity="error",
                revisions=IN_MCP,
                answer=INVALID_REQUEST,
            ),
            Row(
                facts=("id-null", "method-absent"),
                without=("result-absent",),
                severity="error",
                revisions=ALL,
                answer=INVALID_REQUEST,
            ),
            Row(
                facts=("id-null", "method-absent", "result-absent"),
                without=("error-absent",),
                severity="warning",
                revisions=IN_MCP,
            ),
        ),
    ),
    Rule(
        id="id-type",
        at=("facts",),
        area="envelope",
        title="The id is a boolean, an object or an array",
        authority=("jsonrpc",),
        message="the id must be a string or an integer",
        what="The id is true, false, an object or an array. It counts as unreadable, and no answer repeats it.",
        why="The Python SDKs (version 2 in its older mode) take such a request for a notification and never answer "
        "it. The TypeScript SDKs refuse it over HTTP; over stdio no SDK answers.",
        fix="Use a string or an integer.",
        bad='{"jsonrpc":"2.0","id":true,"method":"ping"}',
        good=_PING,
        clauses=("id-type-base", "id-type-mcp"),
        urls=_IDS,
        rows=(
            Row(facts=("id-boolean",), severity="error", revisions=ALL, answer=INVALID_REQUEST),
            Row(facts=("id-container",), severity="error", revisions=ALL, answer=INVALID_REQUEST),
        ),
    ),
    Rule(
        id="id-not-integer",
        at=("facts",),
        area="envelope",
        title="The id is a fraction",
        authority=("mcp",),
        message="the id must not be a fraction",
        what="The id is a number with a fractional part. MCP requires a string or an integer; JSON-RPC advises "
        "against fractions.",
        why="The Python SDKs (version 2 in its older mode) take such a request for a notification and never answer "
        "it. The TypeScript SDKs refuse it over HTTP; over stdio no SDK answers.",
        fix="Count requests with integers, or use strings. A time stamp makes a good string.",
        bad='{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        good=_PING,
        clauses=("id-type-mcp",),
        urls=_IDS,
        rows=(
            Row(facts=("id-not-integer",), severity="warning", revisions=IN_JSONRPC),
            Row(facts=("id-not-integer",), severity="error", revisions=IN_MCP, answer=INVALID_REQUEST),
        ),
    ),
    Rule(
        id="id-not-integer-literal",
        at=("facts",),
        area="envelope",
        title="An integer id in another spelling",
        authority=("interop",),
        message="the id is an integer, but written with a point, an exponent or as -0",
        what="The id has an integral value and an unusual spelling: 1.0, 1e2, -0. The texts can be read either way; "
        "it is accepted, and answers repeat it as sent.",
        why="The Python SDKs do not answer a request with id 1.0 or 1e2: they take it for a notification, or "
        "(version 2 in its newer mode) refuse it. The TypeScript SDKs answer to 1 and 100, so a caller that "
        "matches ids by text finds no answer. All of them answer -0 as 0.",
        fix="Write integers as integers. In languages with only floating point numbers, check the output of the JSON "
        "writer.",
        bad='{"jsonrpc":"2.0","id":1.0,"method":"ping"}',
        good=_PING,
        clauses=("id-integer-lexeme",),
        urls=(*_REQUEST_ID, references.schema(references.V2411)),
        rows=(Row(facts=("id-not-integer-literal",), severity="warning", revisions=ALL),),
    ),
    Rule(
        id="id-unsafe-integer",
        at=("facts",),
        area="envelope",
        title="An integer id beyond 2^53",
        authority=("interop",),
        message="the id is an integer beyond 2^53, which some readers round",
        what="The id is an integer above 2^53 or below -2^53. No text forbids it.",
        why="Readers with floating point numbers round it. The Python SDKs return such an id exactly. The TypeScript "
        "SDKs refuse the request: version 2 with a rounded id over HTTP, and both with silence over stdio.",
        fix="Use small integers, or send long ones as strings.",
        bad='{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
        good='{"jsonrpc":"2.0","id":"9007199254740993","method":"ping"}',
        clauses=("id-range",),
        urls=_REQUEST_ID,
        rows=(Row(facts=("id-unsafe-integer",), severity="warning", revisions=ALL),),
    ),
    Rule(
        id="id-missing",
        at=("facts",),
        path="/id",
        area="envelope",
        title="A response without an id",
        authority=("jsonrpc", "mcp"),
        message="the response has no id",
        what="A result without an id is always an error. An error without an id is wrong in JSON-RPC, which requires "
        "null there. MCP allows it since 2025-11-25 for a request with an unreadable id, and before that only "
        "over HTTP.",
        why="The response does not name its request, so that request stays open until a timeout.",
        fix="Return the id of the request exactly as received. Check that a falsy id (0, an empty string) is not "
        "dropped.",
        bad='{"jsonrpc":"2.0","result":{}}',
        good=_ERROR,
        clauses=(
            *("id-result-required", "id-error-null-base", "id-error-required-old"),
            *("id-error-optional", "id-error-idless-http"),
        ),
        urls=(
            *references.RESULTS,
            *references.spec("schema#jsonrpcerror", references.V2506),
            references.schema(references.V2503),
            references.schema(references.V2411),
            references.jsonrpc("response_object"),
        ),
        rows=(
            Row(facts=("result-without-id",), severity="error", revisions=ALL),
            Row(facts=("error-without-id",), severity="error", revisions=IN_JSONRPC),
            Row(
                facts=("error-without-id",),
                severity="warning",
                revisions=until("2025-11-25"),
                transports=frozenset({"stdio", "unknown"}),
            ),
        ),
    ),
)
