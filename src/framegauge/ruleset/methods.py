"""Methods: is it one of the revision, of that kind, sent by that side, and are these its params' names."""

from framegauge.protocol.features import IN_MCP
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_REQUEST, METHOD_NOT_FOUND
from framegauge.ruleset.model import Row, Rule, Severity
from framegauge.ruleset.places import Walk

_FOUND = (*references.spec("schema#methodnotfounderror", references.V2607), references.jsonrpc("error_object"))
_NOTIFICATIONS = (
    *references.spec("basic#notifications", references.V2607, references.V2511, references.V2506, references.V2503),
    *references.spec("basic/messages#notifications", references.V2411),
)
_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Turku"}}}'
_INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


def _row(severity: Severity, answer: int | None = None) -> Row:
    """Under MCP; what finds it is the walk over the methods and shapes of a revision."""
    return Row(facts=(), severity=severity, revisions=IN_MCP, answer=answer)


RULES = (
    Rule(
        id="unknown-method",
        at=(Walk("unknown_method"),),
        area="methods",
        title="No revision has this method",
        authority=("mcp",),
        message="no revision of MCP has this method",
        what="The method stands in none of the revisions and in no extension that this version knows. Names are "
        "compared exactly: Tools/List is another name than tools/list. A notification that nobody knows is worth an "
        "info, or an error where its name is nearly that of a method.",
        why="The receiver answers -32601 to a request. A notification is dropped without a word, so a misspelt one is "
        "never missed: the sender believes that it was heard.",
        fix="Write the name as the revision has it. For methods of your own agree on an extension, and leave this "
        "rule out with `ignore`.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/calls","params":{"name":"weather"}}',
        good=_CALL,
        clauses=("method-known", "method-unknown-notification", "env-method-exact", "method-tasks-prefix-reserved"),
        urls=_FOUND,
        rows=(_row("error", METHOD_NOT_FOUND), _row("info")),
    ),
    Rule(
        id="method-not-in-revision",
        at=(Walk("other_revision"),),
        area="methods",
        title="Another revision has this method",
        authority=("mcp",),
        message="this revision does not have the method; another one has",
        what="The method is one of MCP, but not of the revision that the frame is judged by: a later revision added "
        "it, or this one took it out, as 2026-07-28 did with initialize and ping.",
        why="A receiver of this revision answers that there is no such method. Usually the two sides do not agree on "
        "the revision, and then more than this one frame is at stake.",
        fix="Settle on a revision first, and send what that one has. In 2026-07-28 a server asks for sampling, "
        "elicitation or roots in a result with inputRequests.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping"}',
        good='{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{'
        '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}',
        clauses=("method-known", "method-removed-2607"),
        urls=(*references.spec("changelog#major-changes", references.V2607), *_FOUND),
        rows=(_row("error", METHOD_NOT_FOUND),),
    ),
    Rule(
        id="wrong-direction",
        at=(Walk("wrong_direction"),),
        area="methods",
        title="This side does not send this",
        authority=("mcp",),
        message="the side that sent this does not send it in this revision",
        what="A server sends what only clients send, such as tools/list, or a client what only servers send, such as "
        "sampling/createMessage. In 2026-07-28 servers send no requests at all, so clients send no responses. Found "
        "only where the direction is told.",
        why="The other side has no handler for it. Often the two ends of a pipe were swapped, or a recording was "
        "labelled the wrong way round.",
        fix="Let the other side send it. In 2026-07-28 a server asks for input in a result with inputRequests.",
        bad='{"jsonrpc":"2.0","id":1,"method":"roots/list"}',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        clauses=(
            *("method-direction", "method-server-requests-gone", "progress-direction"),
            *("stdio-no-server-requests", "stdio-no-client-responses"),
            *("http-no-server-requests", "http-no-client-responses"),
        ),
        urls=(
            *references.spec("basic/patterns", references.V2607),
            *references.spec("schema#jsonrpcrequest", references.V2607),
            references.schema(references.V2411),
        ),
        rows=(_row("error", INVALID_REQUEST),),
    ),
    Rule(
        id="notification-method-with-id",
        at=(Walk("with_id"),),
        area="methods",
        title="A notification's method with an id",
        authority=("mcp",),
        message="the method is a notification's, but the frame has an id",
        what="The method is defined as a notification, and the frame carries an id, which makes it a request.",
        why="There is no request of that name, so the receiver answers -32601 or nothing, and does not act on it. A "
        "sender that waits for an answer may wait for ever.",
        fix="Leave the member id out; null counts as an id too.",
        bad='{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}',
        good=_INITIALIZED,
        clauses=("env-known-notification-with-id", "env-notification-no-id"),
        urls=_NOTIFICATIONS,
        rows=(_row("error", METHOD_NOT_FOUND),),
    ),
    Rule(
        id="request-method-without-id",
        at=(Walk("without_id"),),
        area="methods",
        title="A request's method without an id",
        authority=("mcp",),
        message="the method is a request's, but the frame has no id",
        what="The method is defined as a request, and the frame carries no id, which makes it a notification.",
        why="Nobody may answer a notification. The work is done and its result dropped, or it is not done, and the "
        "sender cannot tell which.",
        fix="Add an id: a string or an integer that was not used in this session.",
        bad='{"jsonrpc":"2.0","method":"tools/list"}',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        clauses=("env-known-request-without-id", "env-request-has-id"),
        urls=references.REQUESTS,
        rows=(_row("error"),),
    ),
    Rule(
        id="unknown-param",
        at=(Walk("unknown_param"),),
        area="methods",
        title="A param that the method does not define",
        authority=("mcp",),
        message="the method does not define this param",
        what="Params has a member that the method's description does not have. Objects are open in every revision, so "
        "it is allowed; what stands in _meta or in arguments is not looked at.",
        why="Receivers ignore it. Where it is a misspelling, as args for arguments, the tool runs without what was "
        "meant for it, and nothing says so.",
        fix="Write the name as the revision has it, and put additions of your own into _meta.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","args":{"city":"Turku"}}}',
        good=_CALL,
        clauses=("tools-call-params", "env-extra-members", "mrtr-retry-where"),
        urls=(*references.spec("schema#calltoolrequestparams", references.V2607), references.schema(references.V2411)),
        rows=(_row("warning"),),
    ),
)
