"""Values: what params, results and error data hold, by what the revision says of the method or the code."""

from framegauge.protocol.features import IN_MCP, with_feature
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_PARAMS
from framegauge.ruleset.model import Row, Rule, Severity
from framegauge.ruleset.places import Check, Place, Value

_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Turku"}}}'
_DISCOVER = (
    '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{'
    '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
)
_RESULT = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"14 degrees"}]}}'
_UNSUPPORTED = (
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version",'
    '"data":{"supported":["2026-07-28"],"requested":"2024-01-01"}}}'
)
_PARAMS = (*references.spec("schema#invalidparamserror", references.V2607), references.schema(references.V2411))
_CALLING = (*references.spec("schema#calltoolrequestparams", references.V2607), references.schema(references.V2411))
_RESULTS = (*references.spec("schema#result", references.V2607), references.schema(references.V2411))
_DATA = (
    *references.spec("schema#missingrequiredclientcapabilityerror", references.V2607),
    *references.spec("schema#unsupportedprotocolversionerror", references.V2607),
    *references.spec("client/elicitation#url-elicitation-required-error", references.V2511),
)
_META = (
    *references.spec("basic#meta", references.V2607, references.V2511, references.V2506),
    references.schema(references.V2411),
)
_PROGRESS = (
    *references.spec("basic/patterns/progress#progress-flow", references.V2607),
    *references.spec(
        "basic/utilities/progress#progress-flow", references.V2511, references.V2506, references.V2503, references.V2411
    ),
)
_CANCELLED = (
    *references.spec("schema#cancellednotificationparams", references.V2607, references.V2511),
    references.schema(references.V2411),
)
_WITH_DATA = with_feature("error_data")


def _row(severity: Severity, revisions: frozenset[str] = IN_MCP, answer: int | None = None) -> Row:
    """What finds it is the walk over the methods and shapes of a revision."""
    return Row(facts=(), severity=severity, revisions=revisions, answer=answer)


_REFUSED = (_row("error", answer=INVALID_PARAMS),)  # in params
_RETURNED = (_row("error"),)  # in a result, which nobody answers

RULES = (
    Rule(
        id="param-missing",
        at=(Value(("missing",), (Place("params"),)),),
        area="values",
        title="A param that must be there is missing",
        authority=("mcp",),
        message="{member} is missing, which must be there",
        what="The method wants a member that params, or an object in it, does not have; or the method wants params "
        "and the frame has none. Where one of several members is enough and none is there, the first is named.",
        why="The receiver cannot do what it was asked and answers -32602. A lenient one fills in something of its own.",
        fix="Add the member that the path names, as the revision describes it.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"city":"Turku"}}}',
        good=_CALL,
        clauses=("env-params-required", "tools-call-params", "code-32602"),
        urls=_PARAMS,
        rows=_REFUSED,
    ),
    Rule(
        id="param-type",
        at=(Value(("type",), (Place("params"),)),),
        area="values",
        title="A param of the wrong type",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A value in params has a JSON type that the method does not allow there. A number with a fraction, where "
        "the prose says integer and the types of the protocol say number, is only a warning.",
        why="A typed receiver refuses the request with -32602; an untyped one fails later, at a place that does not "
        "tell why.",
        fix="Send the type that the revision describes. Leave a member out rather than send null.",
        bad='{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":null}}',
        good='{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///harbour/log.txt"}}',
        clauses=("resources-read-params", "complete-params", "sampling-params", "elicit-form", "code-32602"),
        urls=_PARAMS,
        rows=(*_REFUSED, _row("warning")),
    ),
    Rule(
        id="param-value",
        at=(
            Value(("value",), (Place("params"),)),
            Check("CreateMessageRequestParams", needs=("ToolUseContent", "ToolResultContent")),
        ),
        area="values",
        title="A param with a value that does not fit",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A string in params is none of those that the revision lists for it (a log level, a role, the type of a "
        "content block; case counts), or not what the text says it is: base64, a URL, a time. Or a number is out of "
        "its range, as a priority outside 0 to 1. Line breaks in base64, and characters in a URI that RFC 3986 does "
        "not have, are only a warning. Or messages for sampling break the order of tool calls: a user message holds "
        "other blocks beside tool_result, or a tool_use has no tool_result in the very next message.",
        why="The receiver has no meaning for it and answers -32602, or takes its default without a word; or it fails "
        "where it makes use of the value.",
        fix="Send one of the listed strings, written exactly so, or a value of the form that the message names.",
        bad='{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warn"}}',
        good='{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"warning"}}',
        clauses=(
            *("log-setlevel", "meta-loglevel", "complete-params", "sampling-params", "elicit-url", "code-32602"),
            *("sampling-tool-result-only", "sampling-tool-balance"),
        ),
        urls=_PARAMS,
        rows=(*_REFUSED, _row("warning")),
    ),
    Rule(
        id="arguments-not-object",
        at=(Value(("type",), (Place("params", "arguments", ("tools/call", "prompts/get")),)),),
        area="values",
        title="The arguments are no object",
        authority=("mcp",),
        message="arguments is not an object",
        what="The arguments of tools/call or prompts/get are an array, a string, null or another value that is no "
        "object.",
        why="Arguments go by name. Models write them as text, and a client that passes this text on without parsing "
        "it sends a string that only looks like an object.",
        fix="Parse the text first and send the object, or leave arguments out where there are none.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather",'
        '"arguments":"{\\"city\\":\\"Turku\\"}"}}',
        good=_CALL,
        clauses=("tools-call-params", "prompts-get-params"),
        urls=_CALLING,
        rows=_REFUSED,
    ),
    Rule(
        id="name-type",
        at=(Value(("type",), (Place("params", "name", ("tools/call", "prompts/get")),)),),
        area="values",
        title="The name of a tool or prompt is no string",
        authority=("mcp",),
        message="the name is not a string",
        what="The name in tools/call or prompts/get is a number, null or another value that is no string.",
        why="It names no tool or prompt, whatever the receiver makes of it.",
        fix="Send the name exactly as tools/list or prompts/list gave it.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
        good=_CALL,
        clauses=("tools-call-params", "prompts-get-params"),
        urls=_CALLING,
        rows=_REFUSED,
    ),
    Rule(
        id="request-id-missing",
        at=(Value(("missing",), (Place("params", "requestId", ("notifications/cancelled",)),)),),
        area="values",
        title="A cancellation that names no request",
        authority=("mcp",),
        message="{member} is missing: nothing says which request is cancelled",
        what="The params of notifications/cancelled have no requestId, or there are none. Only a warning in 2025-11-25 "
        "where _meta has io.modelcontextprotocol/related-task: there the schema lets it be absent.",
        why="The receiver cannot tell what to stop, so it ignores the notification and goes on working.",
        fix="Add requestId with the id of the request, of the same JSON type. In 2025-11-25 a task is cancelled by "
        "tasks/cancel.",
        bad='{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"timeout"}}',
        good='{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"timeout"}}',
        clauses=("cancel-params",),
        urls=_CANCELLED,
        rows=(*_REFUSED, _row("warning")),
    ),
    Rule(
        id="progress-token-type",
        at=(Value(("type",), (Place("any", "progressToken"),)),),
        area="values",
        title="A progress token that is no string or integer",
        authority=("mcp",),
        message="the progress token must be a string or an integer",
        what="A progressToken, in the _meta of a request or in notifications/progress, is neither a string nor a "
        "number without a fraction.",
        why="Progress is matched by the token. One that does not survive a round trip, or is null for everybody, "
        "matches nothing or too much.",
        fix="Send a string or an integer that no other request in flight uses; leave it out where no progress is "
        "wanted.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","_meta":{"progressToken":null}}}',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather",'
        '"_meta":{"progressToken":"p-1"}}}',
        clauses=("progress-token-type", "meta-progress-token"),
        urls=_PROGRESS,
        rows=_REFUSED,
    ),
    Rule(
        id="meta-not-object",
        at=(Value(("type",), (Place("params", "_meta"),)),),
        area="values",
        title="The _meta of params is no object",
        authority=("mcp",),
        message="_meta is not an object",
        what="The _meta in params is null, a string or another value that is no object.",
        why="Receivers look into it for the progress token, and in 2026-07-28 for the revision and the client's "
        "capabilities.",
        fix="Send an object, or before 2026-07-28 leave _meta out.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","_meta":null}}',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","_meta":{}}}',
        clauses=("meta-object",),
        urls=(*references.spec("schema#metaobject", references.V2607), references.schema(references.V2411)),
        rows=_REFUSED,
    ),
    Rule(
        id="meta-required-missing",
        at=(Value(("missing",), (Place("params", "_meta"), Place("meta"))),),
        area="values",
        title="The _meta of params lacks a member",
        authority=("mcp",),
        message="{member} is missing, which every such request carries",
        what="There are no params, or no _meta in them, where it must be there; or it lacks a member that must be: in "
        "2026-07-28 a request carries io.modelcontextprotocol/protocolVersion and "
        "io.modelcontextprotocol/clientCapabilities.",
        why="There is no handshake in 2026-07-28: each request says by itself what it is written for and what its "
        "sender can do. Without that the server answers -32602, over HTTP with status 400.",
        fix="Send both members with every request; capabilities may be an empty object.",
        bad='{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{'
        '"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
        good=_DISCOVER,
        clauses=("meta-request-required",),
        urls=_META,
        rows=_REFUSED,
    ),
    Rule(
        id="result-member-missing",
        at=(Value(("missing",), (Place("result"),)),),
        area="values",
        title="A member of the result is missing",
        authority=("mcp",),
        message="{member} is missing, which must be there",
        what="The result, or an object in it, lacks a member that the method's result must have. Found only where the "
        "method of the request is known, or in 2026-07-28 where resultType says that input is required.",
        why="A typed client cannot read the answer, although the request was done; its caller sees a failure.",
        fix="Add the member that the path names. An empty list is [], not an absent member.",
        bad='{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"degrees":14}}}',
        good=_RESULT,
        clauses=("res-result-shape", "tools-result-content", "tools-content-types"),
        urls=_RESULTS,
        rows=_RETURNED,
    ),
    Rule(
        id="result-member-type",
        at=(
            Value(("type",), (Place("result"),)),
            Check("ListToolsResult", needs=("Tool",)),
        ),
        area="values",
        title="A member of the result is of the wrong type",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A value in the result has a JSON type that the method's result does not allow there. A number with a "
        "fraction, where the prose says integer and the types of the protocol say number, is only a warning.",
        why="A typed client fails on the whole answer. Often optional members are written as null by a serializer "
        "that was not told to leave them out.",
        fix="Send the type that the revision describes, and leave optional members out instead of sending null.",
        bad='{"jsonrpc":"2.0","id":1,"result":{"content":"14 degrees"}}',
        good=_RESULT,
        clauses=("res-result-shape", "tools-result-content", "resources-read-result", "prompts-get-result"),
        urls=_RESULTS,
        rows=(*_RETURNED, _row("warning")),
    ),
    Rule(
        id="result-member-value",
        at=(
            Value(("value",), (Place("result"),)),
            Check("ListToolsResult", needs=("Tool",)),
            Check("CreateMessageRequestParams", needs=("ToolUseContent", "ToolResultContent")),
        ),
        area="values",
        title="A member of the result has a value that does not fit",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A string in the result is none of those that the revision lists for it, such as the type of a content "
        "block, a role, or the action of an elicitation; or it is not what the text says it is: base64, a MIME type, a "
        "URI, a time. Or a number is out of its range, or a list longer than it may be. Line breaks in base64, "
        "characters in a URI that RFC 3986 does not have, and a lastModified that is no time are only a warning. Or, "
        "in 2026-07-28, an x-mcp-header in the inputSchema of a tool is no token, is there twice but for case, or "
        "stands elsewhere than in a property of type string, integer or boolean that `properties` alone lead to: over "
        "HTTP a client drops such a tool.",
        why="The client has no meaning for it: it drops the block, or fails on the whole answer. A later revision may "
        "have added a listed value.",
        fix="Send one of the listed strings, written exactly so, or a value of the form that the message names; or "
        "settle on the revision that has this one.",
        bad='{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"markdown","text":"14 degrees"}]}}',
        good=_RESULT,
        clauses=(
            "res-result-shape",
            "tools-content-types",
            "elicit-result",
            "tools-x-mcp-header",
            "resources-binary-encoded",
            "resources-custom-scheme",
            "prompts-media-base64",
            "complete-max-100",
            "annotation-values",
            "icon-scheme",
            "roots-result",
            "cache-fields",
        ),
        urls=_RESULTS,
        rows=(*_RETURNED, _row("warning")),
    ),
    Rule(
        id="result-type-missing",
        at=(Value(("missing",), (Place("result", "resultType"),)),),
        area="values",
        title="The result has no resultType",
        authority=("mcp",),
        message="the result has no {member}",
        what="In 2026-07-28 every result carries resultType. This one does not.",
        why="Readers take an absent one for complete, which older servers rely on. So this is a report on the sender "
        "and no reason to drop the answer.",
        fix='Add "resultType":"complete" to every result that is not input_required.',
        bad='{"jsonrpc":"2.0","id":1,"result":{}}',
        good='{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}',
        clauses=("res-resulttype-required", "res-resulttype-absent-ok"),
        urls=references.spec("basic#resulttype", references.V2607),
        rows=(_row("error", with_feature("result_type")),),
    ),
    Rule(
        id="result-type-unknown",
        at=(Value(("value",), (Place("result", "resultType"),)),),
        area="values",
        title="A resultType that nothing here defines",
        authority=("mcp",),
        message="this resultType is neither of the revision nor of an extension that is known here",
        what="The resultType is a string that neither 2026-07-28 nor the tasks extension has. Another extension, "
        "agreed on by both sides, may define it.",
        why="A client that does not know the type has to treat the result as invalid: it cannot tell whether the "
        "request is done.",
        fix="Send complete or input_required, or declare the extension that defines the type.",
        bad='{"jsonrpc":"2.0","id":1,"result":{"resultType":"done"}}',
        good='{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}',
        clauses=("res-resulttype-known",),
        urls=references.spec("basic#resulttype", references.V2607),
        rows=(_row("warning", with_feature("result_type")),),
    ),
    Rule(
        id="error-data-missing",
        at=(Value(("missing",), (Place("error"),)),),
        area="values",
        title="The error lacks the data that its code demands",
        authority=("mcp",),
        message="{member} is missing, which an error of this code carries",
        what="The code is one whose data the revision describes, and data, or a member of it, is not there: -32021 "
        "and -32022 in 2026-07-28, -32042 in 2025-11-25.",
        why="The client is meant to act on the data: to choose another revision, to name a capability, to open an "
        "address. Without it the error is a dead end.",
        fix="Add the member that the path names, as the revision describes it for this code.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version"}}',
        good=_UNSUPPORTED,
        clauses=("code-32021-shape", "code-32022-shape", "code-32042"),
        urls=_DATA,
        rows=(_row("error", _WITH_DATA),),
    ),
    Rule(
        id="error-data-type",
        at=(Value(("type", "value"), (Place("error"),)),),
        area="values",
        title="The error's data is not what its code demands",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="The code is one whose data the revision describes, and a value in it has another type, or is none of "
        "the listed strings, or no URL where one is due: -32021 and -32022 in 2026-07-28, -32042 in 2025-11-25.",
        why="The client is meant to act on the data and cannot read it.",
        fix="Send what the revision describes for this code: requiredCapabilities is an object, supported a list of "
        "strings.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version",'
        '"data":{"supported":"2026-07-28","requested":"2024-01-01"}}}',
        good=_UNSUPPORTED,
        clauses=("code-32021-shape", "code-32022-shape", "code-32042"),
        urls=_DATA,
        rows=(_row("error", _WITH_DATA), _row("warning", _WITH_DATA)),
    ),
)
