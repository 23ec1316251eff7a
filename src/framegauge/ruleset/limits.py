"""The host's own limits. No protocol text sets one, so what exceeds them is not malformed."""

from framegauge.protocol.features import ALL
from framegauge.ruleset import references
from framegauge.ruleset.codes import INVALID_REQUEST
from framegauge.ruleset.model import Row, Rule

_FAULT = (Row(facts=(), severity="error", revisions=ALL, answer=INVALID_REQUEST),)
_CLAUSES = ("json-limits",)
# RFC 8259 first, which allows readers to set limits: MCP sets none.
_URLS = (references.json_text("9"), *references.spec("basic/transports#messages", references.V2607))

RULES = (
    Rule(
        id="frame-too-large",
        at=("fault",),
        area="limits",
        title="The frame is longer than the host allows",
        authority=("limit",),
        message="the frame is longer than the {offset} bytes that are allowed",
        what="The frame has more bytes than max_frame_bytes, or more than 4 GiB - 1 without that limit. It was not "
        "read, so there is no id.",
        why="A parser holds a frame in memory, often several times. A limit before the parser keeps one message from "
        "exhausting a gateway.",
        fix="Send large content as a resource, or in pages. If such frames are intended, raise max_frame_bytes.",
        clauses=_CLAUSES,
        urls=_URLS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="nesting-limit",
        at=("fault",),
        area="limits",
        title="Brackets are nested too deeply",
        authority=("limit",),
        message="the bracket at byte {offset} is nested more deeply than allowed",
        what="An object or array opens at a level above max_depth; the outermost bracket is level 1.",
        why="Recursive parsers fail at different depths. Over HTTP, at 250 levels version 2 of the Python SDK (in "
        "its older mode) and FastMCP answer -32700, and others accept. At 5,000 the Python SDKs fail, version 1 "
        "with status 500, and the TypeScript SDKs accept.",
        fix="Flatten the value. If such depth is intended, raise max_depth, and make sure that every reader can "
        "follow.",
        clauses=_CLAUSES,
        urls=_URLS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="number-too-long",
        at=("fault",),
        area="limits",
        title="A number has too many digits",
        authority=("limit",),
        message="the number at byte {offset} has more digits than allowed",
        what="A number has more than max_number_digits digits, all of its parts counted.",
        why="Converting digits can take quadratic time, and some readers refuse. For an id of 5,000 digits version 1 "
        "of the Python SDK fails with status 500; the others answer -32700 or -32600.",
        fix="Send such a value as a string. If long numbers are intended, raise max_number_digits.",
        clauses=_CLAUSES,
        urls=_URLS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="too-many-members",
        at=("fault",),
        area="limits",
        title="An object has too many members",
        authority=("limit",),
        message="the key at byte {offset} is one more than an object may have",
        what="One object has more than max_members members, duplicate keys counted.",
        why="Objects become hash tables in every reader. Very many keys, or keys that collide on purpose, cost far "
        "more than their bytes suggest.",
        fix="Send a list, or several messages. If such objects are intended, raise max_members.",
        clauses=_CLAUSES,
        urls=_URLS,
        rows=_FAULT,
        path="",
    ),
    Rule(
        id="batch-too-large",
        at=("fault",),
        area="limits",
        title="A batch has too many elements",
        authority=("limit",),
        message="the element at byte {offset} is one more than a batch may have",
        what="The array at the top level has more elements than max_batch_items. None of them is judged.",
        why="Each element may be a request that costs work and an answer, so a small frame can cause much work.",
        fix="Send several smaller batches, or single messages. If such batches are intended, raise max_batch_items.",
        clauses=_CLAUSES,
        urls=_URLS,
        rows=_FAULT,
        path="",
    ),
)
