"""The members of one message: version, method, params, and which of them exclude each other."""

from framegauge.protocol.features import ALL, IN_MCP
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_PARAMS, INVALID_REQUEST
from framegauge.ruleset.model import Row, Rule

_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}'
_PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
_RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}'
_ERROR = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'


def _always(fact: str, answer: int = INVALID_REQUEST) -> tuple[Row, ...]:
    """An error in every revision."""
    return (Row(facts=(fact,), severity="error", revisions=ALL, answer=answer),)


RULES = (
    Rule(
        id="not-object",
        at=("facts",),
        path="",
        area="envelope",
        title="The frame is not an object",
        authority=("jsonrpc",),
        message="a message must be an object; this is a single value",
        what="The frame is valid JSON, but a string, a number, true, false or null.",
        why="Nothing in it can be answered or matched. Over HTTP the SDKs refuse it with three different codes "
        "(-32600, -32602, -32700); over stdio none of them answers.",
        fix="Send an object with jsonrpc and method, result or error. A message that was encoded twice arrives as "
        "one string: encode it once.",
        bad='"ping"',
        good=_PING,
        clauses=("json-top-level",),
        urls=references.INVALID_REQUEST,
        rows=_always("top-scalar"),
    ),
    Rule(
        id="jsonrpc-missing",
        at=("facts",),
        path="/jsonrpc",
        area="envelope",
        title="The member jsonrpc is missing",
        authority=("jsonrpc",),
        message="the member jsonrpc is missing",
        what="The object has no member jsonrpc, which every message carries.",
        why="No SDK takes such a message for a request. Over HTTP they refuse it, most of them without its id. Over "
        "stdio they do not answer, so the caller waits until a timeout.",
        fix='Add "jsonrpc":"2.0".',
        bad='{"id":1,"method":"ping"}',
        good=_PING,
        clauses=("env-jsonrpc-version", "env-follow-jsonrpc"),
        urls=(*references.INVALID_REQUEST, *references.MESSAGES),
        rows=_always("jsonrpc-missing"),
    ),
    Rule(
        id="jsonrpc-wrong",
        at=("facts",),
        area="envelope",
        title='The member jsonrpc is not "2.0"',
        authority=("jsonrpc",),
        message='the member jsonrpc is not the string "2.0"',
        what="The member jsonrpc is another string, or not a string: the number 2.0 is wrong.",
        why="The SDKs refuse the number 2.0 and the string 1.0 alike: with an error over HTTP, without an answer "
        "over stdio.",
        fix='Write "jsonrpc":"2.0", in quotes.',
        bad='{"jsonrpc":2.0,"id":1,"method":"ping"}',
        good=_PING,
        clauses=("env-jsonrpc-version", "env-follow-jsonrpc"),
        urls=(*references.INVALID_REQUEST, *references.MESSAGES),
        rows=_always("jsonrpc-wrong"),
    ),
    Rule(
        id="method-type",
        at=("facts",),
        area="envelope",
        title="The method is not a string",
        authority=("jsonrpc",),
        message="the method is not a string",
        what="The member method is a number, an object, null or another value that is not a string.",
        why="The SDKs refuse it over HTTP without the id. Over stdio they do not answer, so the caller does not know "
        "which of its requests failed.",
        fix="Send the name of the method as a string; leave the member out of a response.",
        bad='{"jsonrpc":"2.0","id":1,"method":7}',
        good=_PING,
        clauses=("env-method-string",),
        urls=references.INVALID_REQUEST,
        rows=_always("method-type"),
    ),
    Rule(
        id="method-reserved",
        at=("facts",),
        area="envelope",
        title="The method begins with rpc.",
        authority=("jsonrpc",),
        message="method names that begin with rpc. are reserved",
        what="The method begins with rpc and a point. JSON-RPC keeps these names for itself and its extensions.",
        why="An extension of JSON-RPC may give the name a meaning of its own.",
        fix="Choose another prefix.",
        bad='{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}',
        good=_PING,
        clauses=("env-method-rpc-prefix",),
        urls=(references.jsonrpc("request_object"), references.jsonrpc("extensions")),
        rows=(Row(facts=("method-reserved",), severity="warning", revisions=ALL),),
    ),
    Rule(
        id="params-type",
        at=("facts",),
        area="envelope",
        title="The params are neither object nor array",
        authority=("jsonrpc",),
        message="params must be an object or absent; it is null or a single value",
        what="The member params is there, but it is null, a string, a number, true or false.",
        why="Null for absent is the usual case, and SDKs differ. The Python SDKs answer such a call by its id. The "
        "TypeScript SDKs refuse the message, over stdio without an answer.",
        fix="Leave params out where there are none, or send {}.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
        good=_PING,
        clauses=("env-params-structured",),
        urls=(references.jsonrpc("parameter_structures"),),
        rows=_always("params-scalar"),
    ),
    Rule(
        id="params-not-object",
        at=("facts",),
        area="envelope",
        title="The params are an array",
        authority=("mcp",),
        message="params must not be an array; MCP has only named parameters",
        what="The params are given by position. JSON-RPC allows that, no MCP revision does.",
        why="The SDKs refuse it: over HTTP with three different codes, most of them without the id; over stdio they "
        "do not answer.",
        fix="Send an object with the names of the parameters.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["now"]}',
        good=_CALL,
        clauses=("env-params-object",),
        urls=references.REQUESTS,
        rows=(Row(facts=("params-array",), severity="error", revisions=IN_MCP, answer=INVALID_PARAMS),),
    ),
    Rule(
        id="no-method-result-error",
        at=("facts",),
        path="",
        area="envelope",
        title="The message has no method, no result and no error",
        authority=("jsonrpc",),
        message="there is no method, result or error",
        what="The object has neither method nor result nor error, so it is neither a request nor a notification nor "
        "a response.",
        why="A reader cannot classify the message. A misspelt member is the usual reason, and then the sender waits "
        "for an answer.",
        fix="Look for a near miss among the members, such as Method or results. A success without content has an "
        "empty result: {}.",
        bad='{"jsonrpc":"2.0","id":1}',
        good=_RESULT,
        clauses=("env-unclassifiable",),
        urls=references.INVALID_REQUEST,
        rows=_always("no-method-result-error"),
    ),
    Rule(
        id="method-and-result",
        at=("facts",),
        area="envelope",
        title="Method and result in one message",
        authority=("jsonrpc",),
        message="a message must not have both method and result",
        what="The object is a request by its method and a response by its result.",
        why="Readers take either. The Python SDKs run it as a request; the TypeScript SDKs refuse it, silently over "
        "stdio. A gateway that reads it as a response lets a call pass unseen.",
        fix="Send a request without result, or a response without method.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
        good=_PING,
        clauses=("res-exactly-one", "env-mixed-kinds"),
        urls=(*references.spec("schema#jsonrpcmessage", references.V2607), references.jsonrpc("response_object")),
        rows=_always("method-and-result"),
    ),
    Rule(
        id="method-and-error",
        at=("facts",),
        area="envelope",
        title="Method and error in one message",
        authority=("jsonrpc",),
        message="a message must not have both method and error",
        what="The object is a request by its method and a response by its error.",
        why="Two readers in one chain may differ: one settles a request, the other runs a call.",
        fix="Send a request without error, or a response without method.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":-32603,"message":"Internal error"}}',
        good=_ERROR,
        clauses=("res-exactly-one", "env-mixed-kinds"),
        urls=(*references.spec("schema#jsonrpcmessage", references.V2607), references.jsonrpc("response_object")),
        rows=_always("method-and-error"),
    ),
    Rule(
        id="result-and-error",
        at=("facts",),
        area="envelope",
        title="Result and error in one message",
        authority=("jsonrpc",),
        message="a response must not have both result and error",
        what="A response has both members. Presence counts, also of a null.",
        why="Whether the request failed depends on which member the reader looks at first. JSON-RPC 1.0 always sent "
        "both, one of them null.",
        fix="Send result alone for a success and error alone for a failure.",
        bad='{"jsonrpc":"2.0","id":1,"result":{},"error":null}',
        good=_RESULT,
        clauses=("res-exactly-one", "env-mixed-kinds"),
        urls=(
            *references.spec("basic#responses", references.V2506, references.V2503),
            *references.spec("basic/messages#responses", references.V2411),
            references.jsonrpc("response_object"),
        ),
        rows=_always("result-and-error"),
    ),
)
