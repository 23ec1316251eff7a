"""Values of params, results and error data, by the specs of the method or the code."""

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
_RETURNED = (_row("error"),)  # in a result, which has no answer

RULES = (
    Rule(
        id="param-missing",
        at=(Value(("missing",), (Place("params"),)),),
        area="values",
        title="A required param is missing",
        authority=("mcp",),
        message="{member} is missing, which is required",
        what="The method requires a member that params, or an object in it, does not have. Or the method requires "
        "params, and the frame has none. If one of several members is enough and all are absent, the first is "
        "named.",
        why="The receiver cannot do the work and answers -32602. A lenient one fills in a value of its own.",
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
        title="A param has the wrong type",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A value in params has a JSON type that the method does not allow there. A fraction is only a warning "
        "if the prose requires an integer and the types of the protocol a number.",
        why="A typed receiver refuses the request with -32602. An untyped one fails later, at a place that does not "
        "show the reason.",
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
        title="A param has a wrong value",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A string in params is not one that the revision lists, such as a log level, a role, or the type of a "
        "content block; case counts. Or it is not of the required form: base64, a URL, a time. Or a number is "
        "out of range, such as a priority outside 0 to 1. Line breaks in base64, and characters in a URI "
        "outside RFC 3986, are only a warning. Or messages for sampling break the order of tool calls: a user "
        "message has other blocks beside tool_result, or a tool_use has no tool_result in the very next "
        "message.",
        why="The receiver does not know the value. It answers -32602, takes its default silently, or fails where it "
        "uses the value.",
        fix="Send one of the listed strings in exactly that spelling, or a value of the form that the message names.",
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
        title="The arguments are not an object",
        authority=("mcp",),
        message="arguments must be an object",
        what="The arguments of tools/call or prompts/get are an array, a string, null or another value that is not "
        "an object.",
        why="Arguments are named. Models write them as text, and a client that forwards this text without parsing "
        "sends a string that only looks like an object.",
        fix="Parse the text first and send the object, or leave arguments out.",
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
        title="The name of a tool or prompt is not a string",
        authority=("mcp",),
        message="the name must be a string",
        what="The name in tools/call or prompts/get is a number, null or another value that is not a string.",
        why="The value does not name a tool or prompt.",
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
        title="A cancellation without a request",
        authority=("mcp",),
        message="{member} is missing, so the cancelled request is unknown",
        what="The params of notifications/cancelled have no requestId, or are absent. Only a warning in 2025-11-25 "
        "if _meta has io.modelcontextprotocol/related-task: there the schema allows its absence.",
        why="The receiver does not know what to stop, so it ignores the notification and continues to work.",
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
        title="A progress token that is not a string or an integer",
        authority=("mcp",),
        message="the progress token must be a string or an integer",
        what="A progressToken, in the _meta of a request or in notifications/progress, is neither a string nor a "
        "number without a fraction.",
        why="Progress is matched by the token. A token that does not survive a round trip, or is null in every "
        "request, matches nothing or too much.",
        fix="Send a string or an integer that no other request in flight uses. Leave it out if no progress is "
        "required.",
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
        title="The _meta of params is not an object",
        authority=("mcp",),
        message="_meta must be an object",
        what="The _meta in params is null, a string or another value that is not an object.",
        why="Receivers read the progress token in it, and in 2026-07-28 the revision and the capabilities of the "
        "client.",
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
        title="A required member of _meta is missing",
        authority=("mcp",),
        message="{member} is missing, which every such request requires",
        what="Params are required and absent, or they lack a required _meta, or _meta lacks a required member. In "
        "2026-07-28 a request carries io.modelcontextprotocol/protocolVersion and "
        "io.modelcontextprotocol/clientCapabilities.",
        why="There is no handshake in 2026-07-28: each request names its revision and the capabilities of its "
        "sender. Otherwise the server answers -32602, over HTTP with status 400.",
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
        title="A required member of the result is missing",
        authority=("mcp",),
        message="{member} is missing, which is required",
        what="The result, or an object in it, lacks a member that the method requires. Found only if the method of "
        "the request is known, or in 2026-07-28 if resultType is input_required.",
        why="A typed client cannot read the answer, although the request was completed; its caller sees a failure.",
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
        title="A member of the result has the wrong type",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A value in the result has a JSON type that the method does not allow there. A fraction is only a "
        "warning if the prose requires an integer and the types of the protocol a number.",
        why="A typed client fails on the whole answer. Serializers often write absent optional members as null.",
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
        title="A member of the result has a wrong value",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="A string in the result is not one that the revision lists, such as the type of a content block, a "
        "role, or the action of an elicitation. Or it is not of the required form: base64, a MIME type, a URI, "
        "a time. Or a number is out of range, or a list too long. Line breaks in base64, characters in a URI "
        "outside RFC 3986, and a lastModified that is not a time are only a warning. In 2026-07-28 also an "
        "x-mcp-header in the inputSchema of a tool: it must be a token, unique in any case. It must be in a "
        "property of type string, integer or boolean that `properties` alone lead to. Over HTTP a client drops "
        "a tool without these.",
        why="The client does not know the value: it drops the block, or fails on the whole answer. A later revision "
        "may list the value.",
        fix="Send one of the listed strings in exactly that spelling, or a value of the form that the message names. "
        "Or agree on the revision that has this value.",
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
        why="Readers take an absent one for complete, because older servers omit it. So this finding is about the "
        "sender; do not drop the answer.",
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
        title="An unknown resultType",
        authority=("mcp",),
        message="neither the revision nor a known extension has this resultType",
        what="The resultType is a string that neither 2026-07-28 nor the tasks extension has. Another extension that "
        "both sides agreed on may define it.",
        why="A client that does not know the type must treat the result as invalid, because the state of the request "
        "is unknown.",
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
        title="The error lacks the data that its code requires",
        authority=("mcp",),
        message="{member} is missing, which an error of this code requires",
        what="The revision describes the data of this code, and data, or a member of it, is absent: -32021 and "
        "-32022 in 2026-07-28, -32042 in 2025-11-25.",
        why="The client should act on the data: choose another revision, name a capability, open an address. Without "
        "the data it cannot.",
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
        title="The data of the error does not fit its code",
        authority=("mcp",),
        message="the value here must be {wanted}",
        what="The revision describes the data of this code: -32021 and -32022 in 2026-07-28, -32042 in 2025-11-25. A "
        "value in it has another type, is not a listed string, or is not a URL.",
        why="The client should act on the data and cannot read it.",
        fix="Send the data that the revision describes for this code: requiredCapabilities is an object, supported a "
        "list of strings.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"Unsupported protocol version",'
        '"data":{"supported":"2026-07-28","requested":"2024-01-01"}}}',
        good=_UNSUPPORTED,
        clauses=("code-32021-shape", "code-32022-shape", "code-32042"),
        urls=_DATA,
        rows=(_row("error", _WITH_DATA), _row("warning", _WITH_DATA)),
    ),
)
