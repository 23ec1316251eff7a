"""Frames on a line channel: standard input and output of a process, or a log with one frame a line."""

from framegauge.protocol.features import ALL, IN_MCP
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_REQUEST, PARSE_ERROR
from framegauge.ruleset.model import Row, Rule

_ON_STDIO = frozenset({"stdio"})
_PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

RULES = (
    Rule(
        id="empty-frame",
        at=("stage",),
        path="",
        area="lines",
        scope="line",
        title="A frame without content",
        authority=("interop",),
        message="the frame is empty",
        what="The frame has no byte, or only white space: a blank line, or an event with empty data. It is skipped "
        "and counted.",
        why="Blank lines come from two line feeds in a row. The text allows only messages on stdio, but there no SDK "
        "answers blank lines. As the body of an HTTP request a blank frame is an error: the SDKs answer 400 with "
        "-32700.",
        fix="End each message with exactly one line feed. Do not post an empty body.",
        bad=" ",
        good=_PING,
        clauses=("stdio-line-is-single",),
        urls=references.STDIO[:4],
        rows=(
            Row(facts=(), severity="info", revisions=ALL),
            Row(facts=(), severity="error", revisions=ALL, transports=frozenset({"http"}), answer=PARSE_ERROR),
        ),
    ),
    Rule(
        id="crlf",
        at=("facts",),
        path="",
        area="lines",
        scope="line",
        title="The line ends with CR LF",
        authority=("interop",),
        message="the line ends with a carriage return",
        what="A carriage return precedes the line feed. White space around JSON is allowed, so the message counts.",
        why="The text requires a newline and names no byte. Standard output in text mode writes CR LF on Windows. A "
        "reader that compares or logs lines byte by byte sees a different frame.",
        fix="Open the stream in binary mode, or set its newline to a line feed alone.",
        bad=_PING + "\r",
        good=_PING,
        clauses=("stdio-newline-delimited",),
        urls=references.STDIO,
        rows=(Row(facts=("trailing-cr",), severity="info", revisions=IN_MCP, transports=_ON_STDIO),),
    ),
    Rule(
        id="embedded-newline",
        at=("facts",),
        path="",
        area="lines",
        scope="line",
        title="A line feed inside a message",
        authority=("mcp",),
        message="the message must not have a line feed or carriage return between its parts",
        what="The message is one JSON text, but spread over several lines. On stdio a newline ends a message.",
        why="Each line is read as a message, and none of them is JSON. No SDK answers such a request over stdio; "
        "version 1 of the Python SDK logs a complaint for each piece. Over HTTP the same bytes are fine.",
        fix="Write compact JSON: no indent argument, no pretty printer between you and the pipe.",
        bad='{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "ping"\n}',
        good=_PING,
        clauses=("stdio-no-embedded-newline",),
        urls=references.STDIO,
        rows=(
            Row(
                facts=("raw-newline",),
                severity="error",
                revisions=IN_MCP,
                transports=_ON_STDIO,
                answer=INVALID_REQUEST,
            ),
        ),
    ),
    Rule(
        id="content-length-framing",
        at=("stage",),
        path="",
        area="lines",
        scope="line",
        title="A Content-Length header on a line channel",
        authority=("mcp",),
        message="this is a header of the Language Server Protocol; messages here end with a line feed",
        what="The line is Content-Length and a number, as the Language Server Protocol frames its messages.",
        why="The two protocols look alike, and a library for one is easily used for the other. The reader takes the "
        "header for a broken message, and may then wait for a line feed that never comes.",
        fix="Write each message on one line and end it with a line feed; no headers.",
        bad="Content-Length: 40",
        good=_PING,
        clauses=("stdio-stdout-only-mcp", "stdio-stdin-only-mcp"),
        urls=references.STDIO,
        rows=(Row(facts=(), severity="error", revisions=IN_MCP, transports=_ON_STDIO),),
    ),
)
