"""Results and errors: what a response carries."""

from framegauge.protocol.features import ALL, IN_JSONRPC, IN_MCP, with_feature
from framegauge.ruleset import references
from framegauge.ruleset.model import CodeRow, Row, Rule

_RESULT = '{"jsonrpc":"2.0","id":1,"result":{}}'
_ERROR = '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}'
# What JSON-RPC keeps for itself, but for what it defines and for implementation-defined errors.
_UNDEFINED = ((-32768, -32701), (-32699, -32604), (-32599, -32100))
_RANGES = with_feature("error_ranges")
_OBJECT = (*references.spec("basic#error-responses", references.V2607), references.jsonrpc("response_object"))


def _always(fact: str) -> tuple[Row, ...]:
    """An error in every revision that no answer is owed for: it stands in an answer."""
    return (Row(facts=(fact,), severity="error", revisions=ALL),)


def _in_mcp(fact: str) -> tuple[Row, ...]:
    return (Row(facts=(fact,), severity="error", revisions=IN_MCP),)


RULES = (
    Rule(
        id="result-null",
        area="envelope",
        title="The result is null",
        authority=("mcp",),
        message="the result is null; in MCP it is an object",
        what="The response succeeds with null. JSON-RPC allows any value, MCP wants an object.",
        why="A reader that expects an object cannot read the answer, although the request was done.",
        fix="Send {} where there is nothing to say; from 2026-07-28 on a result also carries resultType.",
        bad='{"jsonrpc":"2.0","id":1,"result":null}',
        good=_RESULT,
        clauses=("res-result-object",),
        urls=references.RESULTS,
        rows=_in_mcp("result-null"),
    ),
    Rule(
        id="result-not-object",
        area="envelope",
        title="The result is no object",
        authority=("mcp",),
        message="the result is not an object, as MCP wants it",
        what="The response succeeds with an array, a string, a number, true or false. JSON-RPC allows any value, MCP "
        "wants an object.",
        why="A reader that expects an object cannot read the answer, although the request was done.",
        fix="Wrap the value as the method defines it: a list of tools is the member tools of an object.",
        bad='{"jsonrpc":"2.0","id":1,"result":[]}',
        good=_RESULT,
        clauses=("res-result-object",),
        urls=references.RESULTS,
        rows=_in_mcp("result-not-object"),
    ),
    Rule(
        id="error-null",
        area="envelope",
        title="The error is null",
        authority=("jsonrpc",),
        message="the error is null; it is an object",
        what="The response fails, and its error is null.",
        why="The member stands there, so the request has failed, but there is neither a code nor a message to go by. "
        "A reader that asks whether error is true sees no failure and no result.",
        fix="Send an object with code and message, or leave error out and send a result.",
        bad='{"jsonrpc":"2.0","id":1,"error":null}',
        good=_ERROR,
        clauses=("err-object",),
        urls=_OBJECT,
        rows=_always("error-null"),
    ),
    Rule(
        id="error-not-object",
        area="envelope",
        title="The error is no object",
        authority=("jsonrpc", "mcp"),
        message="the error is not an object",
        what="The response fails, and its error is a string, a number, an array, true or false.",
        why="The code and the message are missing. The frame still settles its request, or that would stay open.",
        fix="Put the text into message and add a code.",
        bad='{"jsonrpc":"2.0","id":1,"error":"failed"}',
        good=_ERROR,
        clauses=("err-object",),
        urls=_OBJECT,
        rows=_always("error-not-object"),
    ),
    Rule(
        id="error-code-missing",
        path="/error/code",
        area="envelope",
        title="The error has no code",
        authority=("jsonrpc", "mcp"),
        message="the error has no code",
        what="The error object lacks the member code.",
        why="Programs decide by the code whether to try again, to fall back to an older revision, or to give up.",
        fix="Add an integer: one that the text defines, or for your own purposes one outside -32768 to -32000.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"message":"failed"}}',
        good=_ERROR,
        clauses=("err-code-integer",),
        urls=references.ERRORS,
        rows=_always("error-code-missing"),
    ),
    Rule(
        id="error-code-type",
        area="envelope",
        title="The error's code is no number",
        authority=("jsonrpc", "mcp"),
        message="the error's code is not a number",
        what="The member code is a string, null or something else that is no number.",
        why="Names such as ECONNREFUSED, or a number in quotes, come from other error types. A typed reader fails on "
        "the whole response, and its request stays open.",
        fix="Send an integer, and put the name into data.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":"-32603","message":"Internal error"}}',
        good=_ERROR,
        clauses=("err-code-integer",),
        urls=references.ERRORS,
        rows=_always("error-code-type"),
    ),
    Rule(
        id="error-code-not-integer",
        area="envelope",
        title="The error's code is not written as an integer",
        authority=("jsonrpc", "mcp"),
        message="the error's code is not written as an integer",
        what="The code has a fractional part, which is an error, or an integral value in another spelling, such as "
        "-32603.0, which is a warning.",
        why="A code is compared for equality. A reader with integer codes fails on the response, or cuts the "
        "fraction off.",
        fix="Write a plain integer.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"failed"}}',
        good=_ERROR,
        clauses=("err-code-integer",),
        urls=references.ERRORS,
        rows=(
            *_always("error-code-not-integer"),
            Row(facts=("error-code-not-integer-literal",), severity="warning", revisions=ALL),
        ),
    ),
    Rule(
        id="error-code-out-of-range",
        area="envelope",
        title="The error's code does not fit 32 bits",
        authority=("interop",),
        message="the error's code does not fit a signed integer of 32 bits",
        what="The code is an integer below -2147483648 or above 2147483647. No text sets a range.",
        why="Many readers keep codes in 32 bits, where it overflows or is refused.",
        fix="Use a small code, and put long numbers into data.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":4294967296,"message":"failed"}}',
        good=_ERROR,
        clauses=("err-code-integer",),
        urls=references.ERRORS,
        rows=(Row(facts=("error-code-out-of-range",), severity="warning", revisions=ALL),),
    ),
    Rule(
        id="error-message-missing",
        path="/error/message",
        area="envelope",
        title="The error has no message",
        authority=("jsonrpc", "mcp"),
        message="the error has no message",
        what="The error object lacks the member message.",
        why="There is nothing to show or to log, and a typed reader fails on the whole response.",
        fix="Add one short sentence that says what went wrong.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}',
        good=_ERROR,
        clauses=("err-message-string",),
        urls=references.ERRORS,
        rows=_always("error-message-missing"),
    ),
    Rule(
        id="error-message-type",
        area="envelope",
        title="The error's message is no string",
        authority=("jsonrpc", "mcp"),
        message="the error's message is not a string",
        what="The member message is null, an object or something else that is no string.",
        why="A typed reader fails on the whole response, and the reason of the failure is lost with it.",
        fix="Send one short sentence as a string, and put structured detail into data.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":{"text":"failed"}}}',
        good=_ERROR,
        clauses=("err-message-string",),
        urls=references.ERRORS,
        rows=_always("error-message-type"),
    ),
    Rule(
        id="error-code-reserved",
        area="envelope",
        title="A code that belongs to MCP and has no meaning yet",
        authority=("mcp",),
        message="the error's code is in the range that MCP keeps for itself, and is not defined",
        what="The code lies in -32099 to -32020, which 2026-07-28 reserves for codes that MCP defines. So far these "
        "are -32020, -32021 and -32022.",
        why="A later revision may give the code a meaning, and then clients act on it. This is a report on the "
        "sender and no reason to drop the response.",
        fix="Use a defined code with its meaning, or one of your own outside -32768 to -32000.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"quota exceeded"}}',
        good='{"jsonrpc":"2.0","id":1,"error":{"code":1050,"message":"quota exceeded"}}',
        clauses=("code-2607-mcp-range", "code-2607-defined"),
        urls=references.ERROR_CODES,
        codes=(CodeRow(ranges=((-32099, -32043), (-32041, -32023)), severity="error", revisions=_RANGES),),
    ),
    Rule(
        id="error-code-retired",
        area="envelope",
        title="A code that is no longer sent",
        authority=("mcp",),
        message="the error's code is retired in this revision",
        what="The code is -32002 (resource not found) or -32042 (URL elicitation required). Since 2026-07-28 neither "
        "is sent or given another meaning.",
        why="Clients of that revision need not know it; for -32002 they are advised to. This is a report on the "
        "sender and no reason to drop the response.",
        fix="For a resource that is not found send -32602.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Resource not found"}}',
        good='{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Resource not found"}}',
        clauses=("code-2607-retired",),
        urls=(*references.ERROR_CODES, *references.spec("server/resources#error-handling", references.V2607)),
        codes=(CodeRow(ranges=((-32002, -32002), (-32042, -32042)), severity="error", revisions=_RANGES),),
    ),
    Rule(
        id="error-code-legacy-range",
        area="envelope",
        title="A code from the range for old implementations",
        authority=("mcp",),
        message="the error's code is in a range that new implementations should not use",
        what="The code lies in -32019 to -32000 and is not -32002. Since 2026-07-28 no new codes are made there, and "
        "readers give them no meaning.",
        why="The number tells a client of that revision nothing, so it cannot act on it.",
        fix="Use a code of your own outside -32768 to -32000.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not ready"}}',
        good='{"jsonrpc":"2.0","id":1,"error":{"code":1000,"message":"not ready"}}',
        clauses=("code-2607-legacy-range",),
        urls=references.ERROR_CODES,
        codes=(CodeRow(ranges=((-32019, -32003), (-32001, -32000)), severity="info", revisions=_RANGES),),
    ),
    Rule(
        id="code-base-reserved",
        area="envelope",
        title="A code that JSON-RPC keeps for later",
        authority=("jsonrpc",),
        message="the error's code is one that JSON-RPC keeps for later",
        what="The code lies in -32768 to -32100 and is none of the five that JSON-RPC defines there. The range is "
        "reserved; only -32099 to -32000 are for errors of an implementation.",
        why="A later text may give the code a meaning. Until then it has none, and a reader can only guess.",
        fix="Use a defined code, one of -32099 to -32000, or one of your own outside -32768 to -32000.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32500,"message":"busy"}}',
        good='{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"busy"}}',
        clauses=("code-base-reserved",),
        urls=(references.jsonrpc("error_object"),),
        codes=(CodeRow(ranges=_UNDEFINED, severity="warning", revisions=IN_JSONRPC),),
    ),
    Rule(
        id="code-2607-app-range",
        area="envelope",
        title="A code of one's own in the range of JSON-RPC",
        authority=("mcp",),
        message="the error's code is in the range of JSON-RPC, and nothing defines it",
        what="The code lies in -32768 to -32100 and is none of the five that JSON-RPC defines there. In 2026-07-28 "
        "codes for purposes of one's own should lie outside -32768 to -32000. The rest of that range has rules of its "
        "own.",
        why="A later text may give the code a meaning, and then clients act on it.",
        fix="Use a defined code, or one of your own outside -32768 to -32000.",
        bad='{"jsonrpc":"2.0","id":1,"error":{"code":-32500,"message":"busy"}}',
        good='{"jsonrpc":"2.0","id":1,"error":{"code":1500,"message":"busy"}}',
        clauses=("code-2607-app-range",),
        urls=references.ERROR_CODES,
        codes=(CodeRow(ranges=_UNDEFINED, severity="warning", revisions=_RANGES),),
    ),
)
