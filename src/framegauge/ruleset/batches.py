"""Arrays at the top level: which revisions allow them, and which elements."""

from framegauge.protocol.features import ALL, IN_MCP, with_feature
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_REQUEST
from framegauge.ruleset.model import Row, Rule

_PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
_BATCH = f'[{_PING},{{"jsonrpc":"2.0","id":2,"method":"ping"}}]'
_JUDGED = with_feature("batch_judged")
_DEFINED = with_feature("batch_defined")
_SENDING = references.spec("basic/transports#sending-messages-to-the-server", references.V2503)


def _judged(revisions: frozenset[str]) -> tuple[Row, ...]:
    """Found by judging the elements, so the row has no facts."""
    return (Row(facts=(), severity="error", revisions=revisions, answer=INVALID_REQUEST),)


RULES = (
    Rule(
        id="batch-not-allowed",
        at=("facts",),
        path="",
        area="envelope",
        title="An array where one message is due",
        authority=("mcp",),
        message="a frame must be one message; this revision has no batches",
        what="The frame is an array of messages. MCP has had no batches since 2025-06-18. The whole array is "
        "refused, and none of its elements is judged.",
        why="Implementations differ. Over HTTP the TypeScript SDKs (version 2 in its older mode) run a batch; the "
        "Python SDKs refuse it with -32602 or -32600. Over stdio none answers, so all its requests wait. A "
        "gateway that checks single messages misses a batch.",
        fix="Send each message in a frame of its own, even if the array has only one.",
        bad=_BATCH,
        good=_PING,
        clauses=("batch-removed", "removed-batching"),
        urls=(
            *references.spec("basic/transports/streamable-http#sending-messages", references.V2607),
            *references.spec("basic/transports#sending-messages-to-the-server", references.V2511, references.V2506),
            *references.spec("changelog#major-changes", references.V2506),
        ),
        rows=(Row(facts=("top-array",), severity="error", revisions=ALL - _JUDGED, answer=INVALID_REQUEST),),
    ),
    Rule(
        id="batch-unspecified",
        at=("facts",),
        path="",
        area="envelope",
        title="An array in a revision that does not define batches",
        authority=("interop",),
        message="this revision does not define batches",
        what="The frame is an array. 2024-11-05 refers to JSON-RPC, which has batches, and lists none among its "
        "messages. Its elements are judged as JSON-RPC has it.",
        why="A peer may read the silence either way, and answer the array as a whole, its elements, or nothing.",
        fix="Send each message in a frame of its own.",
        bad=_BATCH,
        good=_PING,
        clauses=("batch-2411-undefined",),
        urls=(
            *references.spec("basic/lifecycle#initialization", references.V2503),
            references.schema(references.V2411),
        ),
        rows=(Row(facts=("top-array",), severity="warning", revisions=(IN_MCP & _JUDGED) - _DEFINED),),
    ),
    Rule(
        id="batch-empty",
        at=("facts",),
        path="",
        area="envelope",
        title="An empty batch",
        authority=("jsonrpc", "mcp"),
        message="a batch must not be empty",
        what="The frame is an array without elements. A batch requires at least one.",
        why="There is nothing to do and yet an answer is owed: one error, not an array. Over HTTP version 1 of the "
        "TypeScript SDK accepts it with status 202; the other SDKs answer an error.",
        fix="Send nothing instead.",
        bad="[]",
        good=_BATCH,
        clauses=("batch-base-nonempty", "batch-2503-nonempty"),
        urls=(*_SENDING, references.schema(references.V2503), references.jsonrpc("batch")),
        rows=(Row(facts=("batch-empty",), severity="error", revisions=_JUDGED, answer=INVALID_REQUEST),),
    ),
    Rule(
        id="batch-nested",
        at=("stage",),
        area="envelope",
        title="A batch in a batch",
        authority=("jsonrpc", "mcp"),
        message="an element must not be an array (byte {offset})",
        what="An element of the batch is an array itself.",
        why="No text defines an inner batch. Its messages are not run, and their senders wait.",
        fix="Put all messages into one flat array, or send them one by one.",
        bad=f"[[{_PING}]]",
        good=_BATCH,
        clauses=("batch-2503-no-nesting",),
        urls=(references.schema(references.V2503), references.jsonrpc("batch")),
        rows=_judged(_JUDGED),
    ),
    Rule(
        id="batch-mixed",
        at=("stage",),
        area="envelope",
        title="Requests and responses in one batch",
        authority=("mcp",),
        message="a batch must not have both calls and responses",
        what="One array has requests or notifications, and results or errors. 2025-03-26 defines arrays of the one "
        "and of the other.",
        why="Calls are answered and responses are not, so a mixture can be neither refused nor answered as a whole "
        "without harm.",
        fix="Send responses in an array of their own.",
        bad=f'[{_PING},{{"jsonrpc":"2.0","id":7,"result":{{}}}}]',
        good=_BATCH,
        clauses=("batch-2503-kinds",),
        urls=(*_SENDING, references.schema(references.V2503)),
        rows=_judged(_DEFINED),
    ),
    Rule(
        id="batch-initialize",
        at=("stage",),
        area="envelope",
        title="An initialize in a batch",
        authority=("mcp",),
        message="initialize must not be in a batch",
        what="An element of the batch is the request initialize.",
        why="Until initialize is answered the two sides have agreed on no revision, and thus on no batches.",
        fix="Send initialize as a frame of its own, and wait for its result.",
        bad='[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},'
        '"clientInfo":{"name":"c","version":"1"}}}]',
        good='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},'
        '"clientInfo":{"name":"c","version":"1"}}}',
        clauses=("batch-2503-no-initialize",),
        urls=references.spec("basic/lifecycle#initialization", references.V2503),
        rows=_judged(_DEFINED),
    ),
    Rule(
        id="batch-item-invalid",
        at=("stage",),
        area="envelope",
        title="An element that is not a valid message",
        authority=("jsonrpc",),
        message="the element at byte {offset} is not a valid message",
        what="An element of the batch is not an object, or is not a valid message. Each such element gets its own "
        "error; the others are judged as usual.",
        why="The answer is an array in which these errors have no id. Their sender learns how many elements failed, "
        "and not which.",
        fix="Look at the findings of the element itself.",
        bad=f"[{_PING},1]",
        good=_BATCH,
        clauses=("batch-base-bad-element",),
        urls=(references.jsonrpc("batch"), references.jsonrpc("examples")),
        rows=_judged(_JUDGED),
    ),
)
