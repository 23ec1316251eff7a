"""Keys of _meta and of extensions, what _meta says of the version, and what a revision advises against."""

from framegauge.protocol.features import with_feature
from framegauge.ruleset import references
from framegauge.ruleset.codes import UNSUPPORTED_VERSION
from framegauge.ruleset.model import Row, Rule, Severity
from framegauge.ruleset.places import Keys, Walk

_META = references.spec("basic#meta", references.V2607, references.V2511, references.V2506)
_CLIENT = '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":'
_COPIED = '{"jsonrpc":"2.0","id":1,"result":{"content":[%s],"structuredContent":{"degrees":14}}}'


def _discover(capabilities: str = "{}", more: str = "") -> str:
    meta = "{" + _CLIENT + capabilities + more + "}"
    return '{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":' + meta + "}}"


def _call(meta: str) -> str:
    return '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather","_meta":{' + meta + "}}}"


def _row(severity: Severity, revisions: frozenset[str]) -> tuple[Row, ...]:
    """What finds it is the walk over the methods and shapes of a revision."""
    return (Row(facts=(), severity=severity, revisions=revisions),)


RULES = (
    Rule(
        id="protocol-version-unsupported",
        at=(Walk("unlisted"),),
        area="values",
        title="A version that the host does not list",
        authority=("mcp",),
        message="the host does not list this version",
        what="A request names in _meta a protocol version that is none of the host's: those are the revision of the "
        "gauge, or all five where that is auto. Version strings are compared exactly.",
        why="The server answers -32022, over HTTP with status 400, and names the versions that it has. What the "
        "request asks for is not looked at.",
        fix="Choose one of the versions that the answer lists in supported, and send the request again as that "
        "revision has it.",
        bad=_discover().replace("2026-07-28", "2031-01-01"),
        good=_discover(),
        clauses=("stateless-version-supported",),
        urls=references.spec("basic/versioning#protocol-version-negotiation", references.V2607),
        rows=(Row(facts=(), severity="error", revisions=with_feature("meta_version"), answer=UNSUPPORTED_VERSION),),
    ),
    Rule(
        id="meta-key-format",
        at=(Keys("meta_key"),),
        area="values",
        title="A key of _meta that is misspelt",
        authority=("mcp",),
        message="this is no key as _meta has them: an optional prefix with a slash, and a name",
        what="A key of _meta is not written as the revision wants it. A key is a name, which may be empty, perhaps "
        "with a prefix and a slash before it. The prefix is labels with dots between them, each from a letter to a "
        "letter or digit, with hyphens inside; the name begins and ends with a letter or digit and may have hyphens, "
        "dots and underscores inside.",
        why="No receiver has to refuse it. But other keys of that kind are nobody's, so two programs can mean "
        "different things by one, and a reader that takes keys apart at the slash fails on it.",
        fix="Write a prefix from a domain of yours, backwards, then a slash and a plain name: com.example/trace-id.",
        bad=_call('"_trace":7'),
        good=_call('"com.example/trace":7'),
        clauses=("meta-key-format",),
        urls=_META,
        rows=_row("warning", with_feature("meta_keys")),
    ),
    Rule(
        id="meta-reserved-prefix",
        at=(Keys("reserved_prefix"),),
        area="values",
        title="A key of _meta with a prefix that is MCP's own",
        authority=("mcp",),
        message="the prefix of this key is kept for MCP, and this revision has no such key",
        what="The prefix of a key of _meta is one that only MCP may use, and the revision does not define the key. Of "
        "the labels of the prefix the second says modelcontextprotocol or mcp since 2025-11-25; in 2025-06-18 it is "
        "the last but one.",
        why="A later revision may define the key and give it another meaning. Or the frame was written for another "
        "revision than the one it is judged by, which gives nothing for this key.",
        fix="Use a prefix from a domain of your own. Where the key is one of another revision, settle on that one.",
        bad=_call('"io.modelcontextprotocol/shade":7'),
        good=_call('"com.example/shade":7'),
        clauses=("meta-reserved-prefix-2506", "meta-reserved-prefix-2511"),
        urls=_META,
        rows=_row("warning", with_feature("meta_keys")),
    ),
    Rule(
        id="meta-trace-keys",
        at=(Keys("trace_value"),),
        area="values",
        title="A trace context that is not written as W3C has it",
        authority=("mcp",),
        message="the value here is not written as W3C describes it for this key",
        what="The value of traceparent, tracestate or baggage in _meta is no string, or not one that Trace Context or "
        "Baggage of W3C allows. Of tracestate that is the grammar and at most 32 members, of baggage the grammar; "
        "whether a member is named twice is not looked at.",
        why="A tracing library drops what it cannot read and starts a new trace, so that this call is missing from "
        "the one it belongs to, and nothing says why.",
        fix="Copy the three values as the tracing library writes them into HTTP headers: small hexadecimal digits, "
        "no id that is all zeros.",
        bad=_discover(more=',"traceparent":"4bf92f3577b34da6"'),
        good=_discover(more=',"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"'),
        clauses=("meta-trace-keys",),
        urls=references.spec("basic#meta", references.V2607),
        rows=_row("warning", with_feature("trace_keys")),
    ),
    Rule(
        id="meta-extension-ids",
        at=(Keys("extension_key"),),
        area="values",
        title="An extension's name without a prefix, or misspelt",
        authority=("mcp",),
        message="this is no name of an extension: a prefix, a slash and a name, as keys of _meta have them",
        what="A key of extensions, in the capabilities of a client or a server, has no prefix, or is not written as "
        "a key of _meta.",
        why="The other side looks an extension up by its whole name and finds none, so it goes on as if that were "
        "not declared.",
        fix="Write the name as the extension's own text has it, as in io.modelcontextprotocol/tasks.",
        bad=_discover('{"extensions":{"tasks":{}}}'),
        good=_discover('{"extensions":{"io.modelcontextprotocol/tasks":{}}}'),
        clauses=("meta-extension-ids",),
        urls=(
            *references.spec("basic/versioning#extension-negotiation", references.V2607),
            *references.spec("schema#clientcapabilities", references.V2607),
        ),
        rows=_row("warning", with_feature("extension_keys")),
    ),
    Rule(
        id="deprecated-features",
        at=(Walk("deprecated"),),
        area="values",
        title="A feature that the revision deprecates",
        authority=("mcp",),
        message="what stands here is deprecated in this revision",
        what="The frame makes use of roots, sampling or logging, which 2026-07-28 deprecates: a capability is "
        "declared, a log level is asked for, a log message is sent, or input of that kind is. Of includeContext the "
        "values thisServer and allServers count.",
        why="It is right as it is, and receivers take it. A later revision may do without, so new programs should not "
        "begin with it.",
        fix="Nothing has to change now. For something new, take what the revision names in its place.",
        bad=_discover('{"sampling":{}}'),
        good=_discover(),
        clauses=("deprecated-features",),
        urls=references.spec("deprecated#deprecated", references.V2607),
        rows=_row("info", with_feature("deprecations")),
    ),
    Rule(
        id="tools-structured-text-copy",
        at=(Walk("text_copy"),),
        area="values",
        title="Structured content that no text repeats",
        authority=("mcp",),
        message="structuredContent stands alone: no block of content is text",
        what="The result of a tool has structuredContent, and its content has no block of type text. Whether such a "
        "block says the same is not looked at. Found only where the method of the request is known.",
        why="Clients that do not know structuredContent show content alone, and so does many a model see: for them "
        "the tool has returned nothing.",
        fix="Add a block of type text with the structured content as JSON.",
        bad=_COPIED % "",
        good=_COPIED % '{"type":"text","text":"{\\"degrees\\":14}"}',
        clauses=("tools-structured-text-copy",),
        urls=references.spec("server/tools#structured-content", references.V2607, references.V2511, references.V2506),
        rows=_row("warning", with_feature("text_copy")),
    ),
)
