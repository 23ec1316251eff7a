"""The frame is not one JSON text. UTF-8 is decided first, then the grammar of RFC 8259; the first fault counts."""

from framegauge.protocol.features import ALL
from framegauge.ruleset import references
from framegauge.ruleset.codes import PARSE_ERROR
from framegauge.ruleset.model import Row, Rule

_FAULT = (Row(facts=(), severity="error", revisions=ALL, answer=PARSE_ERROR),)
_GRAMMAR = (*references.PARSE_ERROR, references.json_text("2"))
_STRINGS = (*references.PARSE_ERROR, references.json_text("7"))
_NUMBERS = (*references.PARSE_ERROR, references.json_text("6"))
_PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'

RULES = (
    Rule(
        id="invalid-utf8",
        at=("fault",),
        area="bytes",
        title="Bytes that are not UTF-8",
        authority=("json",),
        message="byte {offset} is not part of any UTF-8 character",
        what="A sequence of bytes that UTF-8 does not allow. It is a stray or missing continuation byte, an overlong "
        "form, half of a surrogate pair, a value above U+10FFFF, or cut short by the end.",
        why="Readers disagree. Over stdio the SDKs answer such a request, so they read other text than was sent. "
        "Over HTTP the TypeScript SDKs do the same, FastMCP and version 2 of the Python SDK answer -32700, and "
        "version 1 fails with status 500.",
        fix="Encode the whole frame as UTF-8. Decode text from elsewhere (a file, a terminal, a database) with its "
        "real encoding first.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"caf\udce9"}}',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"café"}}',
        clauses=("json-utf8",),
        urls=(
            *references.spec("basic/transports#messages", references.V2607),
            *references.spec("basic/transports", references.V2511, references.V2506, references.V2503),
            references.json_text("8.1"),
        ),
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="utf8-bom",
        at=("fault",),
        area="bytes",
        title="A byte order mark before the JSON",
        authority=("json",),
        message="the frame begins with a byte order mark (EF BB BF)",
        what="The frame starts with the three bytes EF BB BF and is otherwise one JSON text.",
        why="JSON forbids writers to add the mark and only allows readers to skip it. Over HTTP the TypeScript SDKs "
        "accept it and FastMCP answers -32700. Over stdio none of the SDKs answers, and the caller waits.",
        fix="Write without the mark. In Python that is the encoding utf-8, not utf-8-sig. A host with such a peer "
        "can set allow_bom: the mark is skipped then, and this is a warning.",
        bad="\ufeff" + _PING,
        good=_PING,
        clauses=("json-bom",),
        urls=(*references.spec("basic/transports#messages", references.V2607), references.json_text("8.1")),
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="not-json",
        at=("fault",),
        area="bytes",
        title="Text that is not JSON",
        authority=("json",),
        message="not JSON from byte {offset} on",
        what="The frame is other text: a log line, a banner, colour codes, output of a shell. Nothing in it looks "
        "like the beginning of a message.",
        why="On a line channel it is nearly always a print that went to standard output, where only messages may go. "
        "No SDK answers such a line on stdio; over HTTP they answer -32700.",
        fix="Send logs to standard error. Look for print calls, progress bars, and for start scripts that greet.",
        bad="INFO server started on port 8080",
        good=_PING,
        clauses=("json-well-formed",),
        urls=_GRAMMAR,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="leading-garbage",
        at=("fault",),
        area="bytes",
        title="Other text in front of a complete object",
        authority=("json",),
        message="not JSON from byte {offset} on; a complete object begins later and runs to the end",
        what="A complete JSON object ends the frame, and other text is before it.",
        why="Two writers share one stream: a log prefix, a prompt or half a line got in front of a message. The "
        "message is lost, and a caller may wait for it.",
        fix="Give messages a stream of their own, write each with its line feed in one call, and send the rest to "
        "standard error.",
        bad="12:00:01 sending " + _PING,
        good=_PING,
        clauses=("json-well-formed", "stdio-stdout-only-mcp"),
        urls=(*references.STDIO, *_GRAMMAR),
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="trailing-data",
        at=("fault",),
        area="bytes",
        title="Data after the message",
        authority=("json",),
        message="the message is complete before byte {offset}, and more data follow",
        what="After a complete object or array there is more than white space: a second message, a NUL, other text.",
        why="One frame is one message. Over HTTP the SDKs answer -32700. Over stdio they drop the frame with the "
        "good message in it.",
        fix="Separate messages with a line feed, and write only the bytes of the message. A NUL at the end is often "
        "the terminator of a C string.",
        bad=_PING + _PING,
        good=_PING,
        clauses=("json-single-value",),
        urls=(*references.STDIO[:3], references.json_text("2")),
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="truncated",
        at=("fault",),
        area="bytes",
        title="The frame ends too early",
        authority=("json",),
        message="the frame ends at byte {offset}, inside a value",
        what="Every byte is a legal beginning of a message, but the end is missing.",
        why="The frame was cut: a buffer was too small, a pipe was read in pieces, or the writer died. As JSON it is "
        "a parse error, and its id cannot be trusted.",
        fix="Read up to the line feed (or the length that HTTP states) before parsing, and write messages whole.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/ca',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}',
        clauses=("json-well-formed",),
        urls=_GRAMMAR,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="raw-control-char",
        at=("fault",),
        area="bytes",
        title="A raw control character in a string",
        authority=("json",),
        message="the control character at byte {offset} must be escaped in a string",
        what="A byte below 0x20 (tab, line feed, escape, NUL) is in a string without an escape. JSON requires the "
        "escape.",
        why="The SDKs answer -32700 over HTTP and nothing over stdio. A raw line feed does more harm on a line "
        "channel: it cuts the message in two.",
        fix="Let a JSON library write the string. By hand: \\n, \\t, \\u001b and so on.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\tb"}}',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\\tb"}}',
        clauses=("json-well-formed",),
        urls=_STRINGS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="non-finite-number",
        at=("fault",),
        area="bytes",
        title="NaN or Infinity",
        authority=("json",),
        message="NaN and Infinity are not JSON numbers (byte {offset})",
        what="The value is NaN, Infinity or -Infinity. JSON has no spelling for these.",
        why="Python writes and reads them by default, so two Python peers never notice: the Python SDKs answer such "
        "a request. The TypeScript SDKs refuse it: -32700 over HTTP, silence over stdio.",
        fix="Send null, leave the member out, or send a string that both sides agree on. In Python, json.dumps with "
        "allow_nan=False finds the place.",
        bad='{"jsonrpc":"2.0","id":1,"result":{"mean":NaN}}',
        good='{"jsonrpc":"2.0","id":1,"result":{"mean":null}}',
        clauses=("json-well-formed",),
        urls=_NUMBERS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="bad-number",
        at=("fault",),
        area="bytes",
        title="A number that JSON does not allow",
        authority=("json",),
        message="the number at byte {offset} must not be spelled like this in JSON",
        what="A superfluous leading zero, a leading plus, a point without digits on both sides, an exponent without "
        "digits, a hexadecimal number, or letters directly after a number.",
        why="Languages read these spellings differently, for example 012 as twelve or ten. In JSON the whole frame "
        "is a parse error.",
        fix="Write the number in plain decimal form, or as a string if its spelling matters.",
        bad='{"jsonrpc":"2.0","id":007,"method":"ping"}',
        good='{"jsonrpc":"2.0","id":7,"method":"ping"}',
        clauses=("json-well-formed",),
        urls=_NUMBERS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="bad-escape",
        at=("fault",),
        area="bytes",
        title="An escape that JSON does not have",
        authority=("json",),
        message="the escape at byte {offset} does not exist in JSON",
        what="After a backslash in a string there must be one of eight letters and signs, or a u with four "
        "hexadecimal digits.",
        why="Windows paths and regular expressions pasted into a string look like this. The frame is a parse error "
        "as a whole.",
        fix="Double the backslash, or let a JSON library write the string.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"C:\\data"}}',
        good='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"C:\\\\data"}}',
        clauses=("json-well-formed",),
        urls=_STRINGS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="bad-literal",
        at=("fault",),
        area="bytes",
        title="A word or quote that JSON does not have",
        authority=("json",),
        message="the word, quote or comment at byte {offset} is not JSON",
        what="True, None, undefined, a word without quotes, single quotes or a comment. JSON has true, false, null "
        "and strings in double quotes, and no comments.",
        why="The frame was not printed by a JSON writer. It is the text of a Python dict or a JavaScript object, or "
        "a configuration file with comments.",
        fix="Use json.dumps, JSON.stringify or their like. Remove comments before sending.",
        bad="{'jsonrpc':'2.0','id':1,'method':'ping'}",
        good=_PING,
        clauses=("json-well-formed",),
        urls=(*references.PARSE_ERROR, references.json_text("3")),
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="bad-structure",
        at=("fault",),
        area="bytes",
        title="A comma, colon, bracket or key out of place",
        authority=("json",),
        message="the byte at {offset} must not be there",
        what="A comma or colon is missing, repeated or trailing, a bracket does not match the opening one, or a key "
        "is not a string.",
        why="A trailing comma is the usual case, from templates and from lists written by hand. The SDKs answer "
        "-32700 over HTTP. Over stdio the frame is dropped, and its sender waits.",
        fix="Let a JSON library write the frame.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping",}',
        good=_PING,
        clauses=("json-well-formed",),
        urls=(*references.PARSE_ERROR, references.json_text("4"), references.json_text("5")),
        rows=_FAULT,
        path="",
    ),
)
