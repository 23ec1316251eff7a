"""Spelling of the keys and strings of a message: duplicates, similar names, escapes."""

from framegauge.protocol.features import ALL
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_PARAMS, INVALID_REQUEST
from framegauge.ruleset.model import Row, Rule
from framegauge.ruleset.places import Walk

_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}'
_PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
_NAMES = (references.jsonrpc("conventions"),)


def _error(fact: str) -> Row:
    return Row(facts=(fact,), severity="error", revisions=ALL, answer=INVALID_REQUEST)


def _warning(fact: str) -> Row:
    return Row(facts=(fact,), severity="warning", revisions=ALL)


RULES = (
    Rule(
        id="duplicate-key",
        at=("facts",),
        area="envelope",
        title="A key occurs twice in one object",
        authority=("interop", "security"),
        message="the key at byte {offset} occurs a second time in its object",
        what="An object has the same key twice after unescaping, at any depth. JSON recommends unique names; the "
        "behaviour of readers on others is not predictable.",
        why="All the SDKs take the last one. A gateway that takes the first judges another message than the one that "
        "is run. Of a method given twice, one may be allowed and the other forbidden.",
        fix="Write each key once. The usual source are objects merged as text instead of as data.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}',
        good=_PING,
        clauses=("json-duplicate-keys", "mrtr-keys-unique"),
        urls=(
            *references.spec("basic/patterns/mrtr#server-requirements-basic-workflow", references.V2607),
            references.json_text("4"),
        ),
        rows=(
            _error("duplicate-envelope"),
            Row(
                facts=("duplicate-key",),
                without=("duplicate-envelope",),
                severity="error",
                revisions=ALL,
                answer=INVALID_PARAMS,
            ),
        ),
    ),
    Rule(
        id="key-case-variant",
        at=(
            "facts",
            Walk("case_variant", INVALID_PARAMS),
        ),
        area="envelope",
        title="A key with the wrong case",
        authority=("security",),
        message="the key at byte {offset} is a member's name in the wrong case",
        what="A member of the message, or of the params, the _meta, the result or the error in it, differs from a "
        "known name by upper and lower case. Names match exactly, so it is another member and unknown.",
        why="A reader that ignores case sees a member that others do not. Alone, it is a missing member: the SDKs "
        "refuse Method over HTTP and do not answer it over stdio.",
        fix="Write the name exactly as the protocol does: jsonrpc, id, method, params, result, error, code and "
        "message in lower case, progressToken and requestId with one capital.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}',
        good=_PING,
        clauses=("json-member-case",),
        urls=_NAMES,
        rows=(_error("key-case-variant"),),
    ),
    Rule(
        id="key-lookalike",
        at=(
            "facts",
            Walk("lookalike", INVALID_PARAMS),
        ),
        area="envelope",
        title="A key that only looks like a known member",
        authority=("security",),
        message="the key at byte {offset} only looks like the name of a member",
        what="A member of the message, or of the params, the _meta, the result or the error in it, resembles a known "
        "name. It is equal after case folding beyond ASCII (the long s, the Kelvin sign), or without invisible "
        "characters and NUL.",
        why="It looks right to a person and to a reader that normalises, and is unknown to all others. One part of a "
        "chain checks another message than the next one reads.",
        fix="Write the names in plain ASCII. By accident such a key comes only from formatted text.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{"name":"now"}}',
        good=_CALL,
        clauses=("json-member-case",),
        urls=_NAMES,
        rows=(_error("key-lookalike"),),
    ),
    Rule(
        id="escaped-key",
        at=("facts",),
        area="envelope",
        title="A member's name is written with escapes",
        authority=("security",),
        message="the key at byte {offset} is a member's name written with escapes",
        what="The name of a known member is written with backslash escapes. It is the same name: keys are compared "
        "after unescaping.",
        why="All the SDKs understand it; filters that search the bytes do not. JSON writers do not escape such "
        "letters, so the sender may intend to evade a filter.",
        fix="Write the name as it is, and let filters compare unescaped keys.",
        bad='{"jsonrpc":"2.0","id":1,"m\\u0065thod":"ping"}',
        good=_PING,
        clauses=("json-key-unescape",),
        urls=_NAMES,
        rows=(_warning("escaped-key"),),
    ),
    Rule(
        id="escaped-value",
        at=("facts",),
        area="envelope",
        title="The version or method is written with escapes",
        authority=("security",),
        message="the value at byte {offset} is written with escapes",
        what="The value of jsonrpc or of method is a string with backslash escapes. It is the same value.",
        why="A filter that searches the bytes for a method does not find it, and the reader behind it does.",
        fix="Write the value as it is, and let filters compare unescaped text. A writer that escapes every slash "
        "causes this too.",
        bad='{"jsonrpc":"2.0","id":1,"method":"tools\\/call","params":{"name":"now"}}',
        good=_CALL,
        clauses=("json-key-unescape",),
        urls=_NAMES,
        rows=(_warning("escaped-jsonrpc"), _warning("escaped-method")),
    ),
    Rule(
        id="lone-surrogate",
        at=("facts",),
        area="envelope",
        title="Half of a surrogate pair",
        authority=("json",),
        message="the escape at byte {offset} is half of a surrogate pair",
        what="A \\u escape is one half of a pair; only both halves are a character. The grammar of JSON allows it; "
        "UTF-8 cannot express it. In a string id, a method or a key of the message it is an error, elsewhere a "
        "warning.",
        why="Readers differ: version 1 of the Python SDK fails with status 500, FastMCP answers -32700, the "
        "TypeScript SDKs accept it. A string cut in the middle of an emoji looks like this.",
        fix="Cut strings between characters, or write the text as UTF-8 without escapes.",
        bad='{"jsonrpc":"2.0","id":"\\ud83d","method":"ping"}',
        good='{"jsonrpc":"2.0","id":"\\ud83d\\ude00","method":"ping"}',
        urls=(references.json_text("8.2"),),
        rows=(
            _error("lone-surrogate-id"),
            _error("lone-surrogate-method"),
            _error("lone-surrogate-key"),
            _warning("lone-surrogate"),
        ),
    ),
    Rule(
        id="unknown-member",
        at=("facts",),
        area="envelope",
        title="An unknown member of the message",
        authority=("interop",),
        message="the member at byte {offset} is unknown",
        what="The message has a member beside jsonrpc, id, method, params, result and error. Every schema allows it.",
        why="The Python SDKs ignore it. The TypeScript SDKs refuse the whole message: with an error over HTTP, "
        "without an answer over stdio.",
        fix="Put such data under _meta in params or result.",
        bad='{"jsonrpc":"2.0","id":1,"method":"ping","trace":"a1"}',
        good='{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"example.com/trace":"a1"}}}',
        clauses=("env-extra-members",),
        urls=(*references.spec("schema#jsonrpcrequest", references.V2607), references.schema(references.V2411)),
        rows=(Row(facts=("unknown-member",), severity="info", revisions=ALL),),
    ),
)
