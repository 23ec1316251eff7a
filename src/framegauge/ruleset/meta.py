"""Keys of _meta and of extensions, the version in _meta, and what a revision advises against."""

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
        what="A request names in _meta a protocol version that the host does not list. The host lists the revision "
        "of the gauge, or all five if that is auto. Version strings are compared exactly.",
        why="The server answers -32022, over HTTP with status 400, and names its versions. The request itself is not "
        "processed.",
        fix="Choose one of the versions that the answer lists in supported, and send the request again in that "
        "revision.",
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
        title="A misspelt key of _meta",
        authority=("mcp",),
        message="a key of _meta must be an optional prefix with a slash, and a name",
        what="The revision does not allow this key of _meta. A key is a name, with an optional prefix and a slash "
        "before it. The prefix is labels with dots between; a label is a letter, then letters, digits and inner "
        "hyphens. The name is empty, or begins and ends with a letter or digit, with hyphens, dots and "
        "underscores inside.",
        why="Receivers need not refuse it. But such keys have no owner, so two programs may use one for different "
        "things. A reader that splits keys at the slash fails on it.",
        fix="Write a prefix from a domain of yours in reverse order, then a slash and a plain name: "
        "com.example/trace-id.",
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
        title="A key of _meta with a prefix that is reserved for MCP",
        authority=("mcp",),
        message="the prefix of this key is reserved for MCP, and this revision has no such key",
        what="The prefix of a key of _meta is reserved for MCP, and the revision does not define the key. Since "
        "2025-11-25 the second label of such a prefix is modelcontextprotocol or mcp; in 2025-06-18 it is the "
        "last but one.",
        why="A later revision may define the key with another meaning. Or the frame was written for another "
        "revision, and the key has no effect in this one.",
        fix="Use a prefix from a domain of your own. If another revision has the key, agree on that revision.",
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
        title="A trace context outside the W3C form",
        authority=("mcp",),
        message="the value here must have the form that W3C defines for this key",
        what="The value of traceparent, tracestate or baggage in _meta is not a string, or not of the form of Trace "
        "Context or Baggage by W3C. For tracestate that is the grammar and at most 32 members, for baggage the "
        "grammar. Duplicate members are not checked.",
        why="A tracing library silently drops what it cannot read and starts a new trace. This call is then missing "
        "from its trace.",
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
        title="The name of an extension without a prefix, or misspelt",
        authority=("mcp",),
        message="the name of an extension must be a prefix, a slash and a name, like a key of _meta",
        what="A key of extensions, in the capabilities of a client or a server, has no prefix, or is misspelt for a "
        "key of _meta.",
        why="The other side looks an extension up by its whole name, does not find it, and continues without it.",
        fix="Write the name as the text of the extension has it, as in io.modelcontextprotocol/tasks.",
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
        message="this feature is deprecated in this revision",
        what="The frame uses roots, sampling or logging, which 2026-07-28 deprecates. It declares such a capability, "
        "sets a log level, sends a log message, or requests input of that kind. The values thisServer and "
        "allServers of includeContext count too.",
        why="The frame is valid, and receivers accept it. A later revision may remove the feature, so new programs "
        "should not use it.",
        fix="No change is required now. In new programs use the replacement that the revision names.",
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
        title="Structured content without a text block",
        authority=("mcp",),
        message="structuredContent requires a copy as a text block in content",
        what="The result of a tool has structuredContent, and its content has no block of type text. The text of a "
        "block is not compared. Found only if the method of the request is known.",
        why="Clients that do not know structuredContent show only content, and so do many models: for them the tool "
        "has returned nothing.",
        fix="Add a block of type text with the structured content as JSON.",
        bad=_COPIED % "",
        good=_COPIED % '{"type":"text","text":"{\\"degrees\\":14}"}',
        clauses=("tools-structured-text-copy",),
        urls=references.spec("server/tools#structured-content", references.V2607, references.V2511, references.V2506),
        rows=_row("warning", with_feature("text_copy")),
    ),
)
