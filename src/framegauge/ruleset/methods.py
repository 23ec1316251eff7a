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
        what="None of the revisions and known extensions has the method. Names are compared exactly: Tools/List "
        "differs from tools/list. An unknown notification is an info, or an error if its name is similar to a "
        "method.",
        why="The receiver answers -32601 to a request. It drops a notification silently, so the sender of a misspelt "
        "one does not notice.",
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
        what="MCP has the method, but not in the revision of the frame: a later revision added it, or this one "
        "removed it, as 2026-07-28 did with initialize and ping.",
        why="A receiver of this revision does not have the method. Usually the two sides disagree on the revision, "
        "which affects more than this frame.",
        fix="Agree on a revision first, and send what it has. In 2026-07-28 a server requests sampling, elicitation "
        "or roots in a result with inputRequests.",
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
        title="A method that this side does not send",
        authority=("mcp",),
        message="this side does not send this in this revision",
        what="A server sends what only clients send, such as tools/list, or a client what only servers send, such as "
        "sampling/createMessage. In 2026-07-28 servers send no requests, so clients send no responses. Requires "
        "a known direction.",
        why="The other side has no handler for it. Often the two ends of a pipe were swapped, or a recording has the "
        "wrong labels.",
        fix="Send it from the other side. In 2026-07-28 a server requests input in a result with inputRequests.",
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
        title="The method of a notification with an id",
        authority=("mcp",),
        message="a frame with the method of a notification must not have an id",
        what="The method is defined as a notification, and the frame carries an id, which makes it a request.",
        why="There is no request of that name, so the receiver answers -32601 or nothing, and does not act on it. A "
        "sender that waits for an answer may wait forever.",
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
        title="The method of a request without an id",
        authority=("mcp",),
        message="a frame with the method of a request must have an id",
        what="The method is defined as a request, and the frame carries no id, which makes it a notification.",
        why="A receiver must not answer a notification. The work is done without a result, or is not done, and the "
        "sender does not learn which.",
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
        what="Params has a member that the method does not describe. Objects are open in every revision, so it is "
        "allowed. Members of _meta and of arguments are not checked.",
        why="Receivers ignore it. If it is a misspelling, as args for arguments, the tool runs without the intended "
        "value and without a report.",
        fix="Write the name as the revision has it, and put additions of your own into _meta.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","args":{"city":"Turku"}}}',
        good=_CALL,
        clauses=("tools-call-params", "env-extra-members", "mrtr-retry-where"),
        urls=(*references.spec("schema#calltoolrequestparams", references.V2607), references.schema(references.V2411)),
        rows=(_row("warning"),),
    ),
)
