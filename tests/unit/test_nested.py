"""What no shape says of nested values: when Python looks, what it costs, and what cannot be judged here."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.bulk import scan
from framegauge.checks import json_schema as schemas
from framegauge.checks.json_schema import NotJudged, Schemas
from framegauge.checks.registry import CHECKS, OWN_RULES
from framegauge.gauge.nested import leading, span
from framegauge.gauge.value_program import data_of
from framegauge.gauge.value_rules import CHECKED, LOOKED_FOR
from framegauge.protocol import MCP
from framegauge.protocol.merge import Merged
from framegauge.protocol.notation import parse_shapes
from framegauge.ruleset.places import Check
from framegauge.ruleset.registry import RULES
from tests.reference.tree import Node, tree
from tests.support.comparison import verdict_differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SCHEMA, NAMES = "jsonschema-valid", "tools-names"
TEXT = {"role": "user", "content": {"type": "text", "text": "x"}}
USE = {"type": "tool_use", "id": "a", "name": "n", "input": {}}
DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#"}
RESULT = {"type": "tool_result", "toolUseId": "a", "content": []}


def written(frame: Any) -> bytes:
    return json.dumps(frame, separators=(",", ":")).encode()


def tools(*listed: Any) -> bytes:
    result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": listed}
    return written({"jsonrpc": "2.0", "id": 1, "result": result})


def tool(**schema: Any) -> dict[str, Any]:
    return {"name": "weather", "inputSchema": {"type": "object", **schema}}


def sampling(*messages: Any, **more: Any) -> bytes:
    params = {"messages": messages, "maxTokens": 9, **more}
    return written({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": params})


def message(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "content": blocks}


def check(frame: bytes, revision: str = "2026-07-28", **options: Any) -> fg.Verdict:
    return fg.Gauge(revision, **options).check(frame, request_method="tools/list")


def rules(verdict: fg.Verdict) -> list[str]:
    return [finding.rule for finding in verdict.findings]


BAD = tools(tool(properties={"a": {"type": "text"}}))


# ---- when Python looks

LAZY = """
import sys
import framegauge as fg
gauge = fg.Gauge("2025-11-25")
frames = [{frames}]
for frame in frames[:-1]:
    assert gauge.check(frame).ok, frame
gauge.check_lines(b"\\n".join(frames[:-1]))
late = ("jsonschema", "framegauge.gauge.nested")
print([name for name in sys.modules if name in late])
gauge.check(frames[-1])
print(sorted(name for name in sys.modules if name in ("jsonschema", "framegauge.gauge.nested")))
"""


def modules(*frames: bytes) -> list[str]:
    """Which modules are there before, and after the last of these frames."""
    source = LAZY.format(frames=", ".join(map(repr, frames)))
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


PLAIN = (
    sampling(TEXT, {"role": "assistant", "content": {"type": "text", "text": "tool_use"}}),
    written({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a b", "arguments": {}}}),
    written({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    tools(tool()),
)


def test_other_frames_are_not_looked_into() -> None:
    before, after = modules(*PLAIN, sampling(message("assistant", USE)))
    assert "framegauge.gauge.nested" not in before
    assert "jsonschema" not in before
    assert after == "['framegauge.gauge.nested']"


def test_jsonschema_is_imported_for_the_first_schema() -> None:
    before, after = modules(*PLAIN, sampling(TEXT, tools=[tool()]))
    assert "jsonschema" not in before
    assert after == "['framegauge.gauge.nested', 'jsonschema']"


def test_lines_say_what_check_says() -> None:
    frames = [
        sampling(TEXT),
        sampling(message("assistant", USE)),
        sampling(message("user", RESULT, {"type": "text", "text": ""})),
    ]
    gauge = fg.Gauge("2025-11-25")
    lines = gauge.check_lines(b"\n".join(frames))
    assert lines.rule_counts() == {"param-value": 2}
    assert lines.severities() == {"param-value": "error"}
    assert lines.rows_with("param-value", 9) == [1, 2]
    for row, frame in enumerate(frames):
        assert lines.verdict(row).to_dict() == gauge.check(frame).to_dict()


def test_a_clean_frame_that_was_looked_into_is_clean() -> None:
    frame = sampling(message("assistant", USE), message("user", RESULT))
    gauge = fg.Gauge("2025-11-25")
    for data in (frame, bytearray(frame), memoryview(frame)):
        verdict = gauge.check(data)
        assert verdict.ok
        assert verdict.findings == ()
        assert verdict.respond
        assert verdict.reply is None
    assert gauge.check_lines(frame).rule_counts() == {}
    assert list(memoryview(gauge.check_lines(frame).rules)) == [0, 0]


@pytest.mark.parametrize("turned", [False, True])
def test_elsewhere_a_milder_one_is_not_counted(turned: bool) -> None:
    """A line feed in base64 is a warning of the same rule; its place and count are those of the error."""
    image = {"type": "image", "data": "AA\n==", "mimeType": "a/b"}
    messages = [message("user", image), message("assistant", USE)]
    [finding] = fg.Gauge("2025-11-25").check(sampling(*messages[:: -1 if turned else 1])).findings
    assert (finding.rule, finding.severity, finding.count) == ("param-value", "error", 1)
    assert finding.path == f"/params/messages/{0 if turned else 1}/content/0"


def test_elements_of_a_batch_are_looked_into() -> None:
    batch = b"[" + sampling(message("assistant", USE)) + b"," + sampling(TEXT) + b"]"
    verdict = fg.Gauge("auto", direction="server-to-client").check(batch)
    assert [(finding.rule, finding.path) for finding in verdict.findings if finding.severity == "error"] == [
        ("param-value", "/0/params/messages/0/content/0")
    ]
    assert [item.ok for item in verdict.items] == [False, True]


def test_the_answer_names_the_rule() -> None:
    gauge = fg.Gauge("2025-11-25", "server-to-client")
    for frame, rule in (
        (sampling(message("assistant", USE)), "param-value"),
        (sampling(TEXT, tools=[tool(title=1)]), SCHEMA),
    ):
        reply = gauge.check(frame).reply
        assert reply is not None
        assert (reply.code, reply.data) == (-32602, {"rule": rule})


def test_a_rule_that_is_not_selected_is_not_found() -> None:
    both = tools(tool(properties={"a": {"type": "text"}}), {"name": "a b", "inputSchema": {"type": "object"}})
    assert rules(check(both)) == [SCHEMA, NAMES]
    assert rules(check(both, ignore=[SCHEMA])) == [NAMES]
    assert rules(check(both, select=[SCHEMA])) == [SCHEMA]
    assert rules(check(both, select=[NAMES])) == [NAMES]
    assert rules(check(both, select=["id-null"])) == []


def test_what_shapes_find_and_what_python_finds_is_one_finding() -> None:
    frame = sampling(message("assistant", {"type": "video"}, USE), message("assistant", USE, {"type": "video"}))
    (finding,) = fg.Gauge("2025-11-25").check(frame).findings
    assert (finding.rule, finding.count, finding.path) == ("param-value", 4, "/params/messages/0/content/0/type")


def test_messages_say_what_is_wrong() -> None:
    for frame, words in (
        (BAD, "not a valid schema of JSON Schema 2020-12"),
        (tools(tool(title=1)), 'not a valid schema of JSON Schema 2020-12: type "string"'),
        (tools(tool(minLength=-1)), "2020-12: minimum 0"),
        (tools(tool(multipleOf=0)), "2020-12: exclusiveMinimum 0"),
        (tools(tool(allOf=[])), "2020-12: minItems 1"),
        (tools(tool(required=["a", "a"])), "2020-12: uniqueItems true"),
        (tools(tool(required="aa")), '2020-12: type "array"'),
        (tools(tool(**{"$id": "a#b"})), '2020-12: pattern "^[^#]*#?$"'),
        (tools(tool(properties={"a": {"x-mcp-header": "A"}})), "type string, integer or boolean"),
        (tools(tool(properties={"a": {"type": "string", "x-mcp-header": 1}})), "x-mcp-header must be a string"),
        (tools(tool(), tool()), "another tool of this list has the same name"),
    ):
        (finding,) = check(frame).findings
        assert words in finding.message
        assert finding.message.isascii()
        assert finding.message.isprintable()


def test_what_is_looked_into_is_what_there_are_checks_for() -> None:
    found = {rule for checks in CHECKS.values() for check in checks for rule in check.rules}
    ours = {each for each in found if each in OWN_RULES}
    assert ours == set(OWN_RULES)
    assert ours | {"param-value", *(f"result-member-{each}" for each in found - ours)} == CHECKED
    named_by_rules = {(each.shape, rule.id) for rule in RULES for each in rule.at if isinstance(each, Check)}
    areas = {"CreateMessageRequestParams": ("param-", "result-member-"), "ListToolsResult": ("result-member-",)}
    assert named_by_rules == {
        (shape, rule if rule in ours else area + rule)
        for shape, checks in CHECKS.items()
        for check in checks
        for rule in check.rules
        for area in (("",) if rule in ours else areas[shape])
    }
    named = {name for revision in MCP for name in data_of(revision).shapes}
    assert {*CHECKS, *LOOKED_FOR} <= named


def test_what_leads_to_a_check(monkeypatch: pytest.MonkeyPatch) -> None:
    leads = {
        "Tool": {"name": "string"},
        "Member": {"x": "null", "tool": "Tool"},
        "Items": {"tools": "[Tool]"},
        "Each": {"tools": "{[Tool]}"},
        "Case": {"@tag": "x", "@cases": {"a": "Other", "b": "Tool"}},
        "Default": {"@tag": "x", "@cases": {"a": "Other"}, "@default": "Tool"},
        "Far": {"first": "[Default]"},
    }
    others = {"Other": {"x": "object"}, "None": {"y": "[Other]"}, "Cases": {"@tag": "x", "@cases": {"a": "Other"}}}
    said = Merged({}, parse_shapes({**others, **leads}), {}, (), None)
    monkeypatch.setattr("framegauge.gauge.nested.data_of", lambda _: said)
    assert leading.__wrapped__("invented") == leads.keys()


# ---- what cannot be judged here


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    schemas._validator.cache_clear()
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    yield
    schemas._validator.cache_clear()


@pytest.mark.usefixtures("no_library")
def test_without_the_library_schemas_are_not_judged(tmp_path: Path) -> None:
    verdict = check(BAD)
    assert (verdict.ok, rules(verdict), verdict.not_judged) == (True, [], {SCHEMA})
    assert verdict.to_dict()["not_judged"] == [SCHEMA]
    assert check(tools()).not_judged == frozenset()
    assert check(BAD, "2025-06-18").not_judged == frozenset()
    assert check(BAD, ignore=[SCHEMA]).not_judged == frozenset()
    asking = sampling(TEXT, tools=[tool()])
    batch = fg.Gauge().check(b"[" + written({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + b"]")
    assert batch.not_judged == frozenset()
    log = tmp_path / "log.ndjson"
    log.write_bytes(b"\n".join([asking, sampling(TEXT), asking]))
    report = scan([str(log)], gauge=fg.Gauge("2025-11-25"), jobs=1).to_dict()
    assert report["not_judged"] == {SCHEMA: 2}
    assert report["rules"] == {}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "text"}
    for _ in range(levels):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    "bad",
    [
        {"$schema": "https://example.com/dialect", "type": "object", "title": 1},
        {"type": "object", "title": 1, "enum": [0] * schemas.MOST_VALUES},
        {"type": "object", "title": 1, "description": "x" * 100 * schemas.MOST_VALUES},
        {"type": "object", "title": 1, "x" * 100 * schemas.MOST_VALUES: 1},
        {"type": "object", "title": 1, "not": nested(schemas.MOST_LEVELS - 2)},
    ],
    ids=["dialect", "values", "text", "key", "levels"],
)
def test_some_schemas_are_not_judged(bad: dict[str, Any]) -> None:
    verdict = check(tools({"name": "a", "inputSchema": bad}, tool(title=1)))
    assert verdict.not_judged == {SCHEMA}
    assert [(finding.rule, finding.path, finding.count) for finding in verdict.findings] == [
        (SCHEMA, "/result/tools/1/inputSchema/title", 1)
    ]


def test_the_deepest_schema_that_is_judged() -> None:
    verdict = check(tools(tool(**{"not": nested(schemas.MOST_LEVELS - 3)})))
    assert verdict.not_judged == frozenset()
    assert rules(verdict) == [SCHEMA]


@pytest.mark.parametrize(
    ("schema", "judged"),
    [
        ({"enum": [0] * (20_000 - 2)}, True),
        ({"enum": [0] * (20_000 - 1)}, False),
        ({"title": "x" * (100 * (20_000 - 1) - 1)}, True),  # two values, and 19,998 for the text
        ({"title": "x" * (100 * (20_000 - 1))}, False),
        ({"x" * (100 * (20_000 - 1) - 1): 0}, True),
        ({"x" * (100 * (20_000 - 3)): 0, "y" * 99: 0}, True),
        ({"x" * (100 * (20_000 - 3)): 0, "y" * 100: 0}, False),
        (nested(64 - 2), True),
        (nested(64 - 1), False),
    ],
    ids=["values", "a value more", "text", "a longer text", "key", "keys", "longer keys", "levels", "a level more"],
)
def test_how_large_a_schema_may_be(schema: dict[str, Any], judged: bool) -> None:
    """The numbers are those of the rule's page: 20,000 values, of which 100 characters are one, and 64 levels."""
    one = Schemas()
    with contextlib.nullcontext() if judged else pytest.raises(NotJudged):
        one.fault(schema)
    assert one.unjudged is not judged


def test_the_schemas_of_a_frame_share_what_may_be_judged() -> None:
    half = {"enum": [0] * (10_000 - 2)}
    frame = tools(*({"name": name, "inputSchema": {"type": "object"}, "outputSchema": half} for name in "ab"))
    assert check(frame).not_judged == {SCHEMA}  # the two inputSchema are four values more
    one = Schemas()
    assert one.fault(half) is one.fault(half) is None
    with pytest.raises(NotJudged):
        one.fault({})


@pytest.mark.parametrize(
    ("stack", "judged"), [(0, True), (32 << 10, False), ((512 << 10) - 1, False), (512 << 10, True)]
)
def test_threads_with_little_stack_judge_no_schema(stack: int, judged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of how much new threads get. 0: as much as the system has for them."""
    monkeypatch.setattr("threading.stack_size", lambda: stack)
    assert check(BAD).not_judged == (frozenset() if judged else {SCHEMA})


def test_a_very_deep_frame_is_not_looked_into() -> None:
    deep = json.loads("[" * 300 + "]" * 300)
    gauge = fg.Gauge("2025-11-25", limits=fg.Limits(max_depth=None))
    verdict = gauge.check(sampling(message("assistant", USE), metadata={"deep": deep}))
    assert verdict.ok
    assert verdict.not_judged == {SCHEMA, NAMES, "param-value"}


@pytest.mark.parametrize(
    "schema",
    [{"items": nested(schemas.MOST_LEVELS - 3)}, {"items": nested(schemas.MOST_LEVELS - 3), **DRAFT_7}, {}],
    ids=["2020-12", "draft-07", "empty"],  # in this order: the last wants the library imported
)
def test_a_deep_stack_is_no_exception(schema: dict[str, Any]) -> None:
    """Wherever the stack ends: in our own code, in the library, or in what that has in Rust, which would panic."""
    gauge = fg.Gauge("2026-07-28")
    frame = tools({"name": "weather", "inputSchema": schema})
    seen: list[fg.Verdict] = []

    def deeper() -> None:
        with contextlib.suppress(RecursionError):
            deeper()
        if len(seen) < 800:
            seen.append(gauge.check(frame, request_method="tools/list"))

    with contextlib.suppress(RecursionError):  # the deepest cannot even call
        deeper()
    assert any(verdict.not_judged == {SCHEMA} for verdict in seen)
    assert any(verdict.not_judged >= {SCHEMA, NAMES} for verdict in seen)
    assert any(SCHEMA not in verdict.not_judged for verdict in seen)


@pytest.mark.parametrize("stack", [128 << 10, 1 << 20])
def test_a_small_stack_ends_no_process(stack: int) -> None:
    frame = tools(tool(items=nested(schemas.MOST_LEVELS - 3), **DRAFT_7))
    script = f"""if True:
        import threading
        import framegauge as fg

        threading.stack_size({stack})
        frame = {frame!r}
        gauge = fg.Gauge("2026-07-28")
        thread = threading.Thread(target=lambda: print(gauge.check(frame, request_method="tools/list")))
        thread.start()
        thread.join()
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    said = "ok []" if stack < 1 << 19 else "not ok ['jsonschema-valid']"
    assert (done.returncode, done.stdout) == (0, f"<Verdict success {said}>\n"), done.stderr


# ---- hostile values


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a socket was asked for")

    monkeypatch.setattr("socket.socket", refuse)
    here = "http://127.0.0.1:9/schema.json"
    for schema in (
        {"$ref": here},
        {"$schema": here},
        {"$id": here, "$dynamicRef": "#x"},
        {"allOf": [{"$ref": "#/none"}]},
    ):
        verdict = check(tools(tool(**schema)))
        assert verdict.ok


def bomb(levels: int) -> dict[str, Any]:
    """Each definition refers twice to the next."""
    ref = [{"$ref": f"#/$defs/{n + 1}"} for n in range(levels)]
    return {"$defs": {str(n): {"allOf": [ref[n], ref[n]]} for n in range(levels)}, "$ref": "#/$defs/0"}


BIG = 40_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "frame",
    [
        tools(*({"name": str(n), "inputSchema": {"type": "object", "title": 1}} for n in range(BIG))),
        tools(tool(enum=[[n, str(n), None] for n in range(BIG)])),
        tools(
            tool(required=[{"a": n} for n in range(5_000)], **{"$schema": "http://json-schema.org/draft-04/schema#"})
        ),
        tools(
            tool(
                enum=[n if n % 2 else str(n) for n in range(15_000)],
                **{"$schema": "http://json-schema.org/draft-04/schema#"},
            )
        ),
        tools(
            tool(
                properties={"a": {"enum": [n if n % 2 else str(n) for n in range(15_000)]}},
                **{"$schema": "http://json-schema.org/draft-04/schema#"},
            )
        ),
        tools(tool(properties={str(n): {"type": "string", "x-mcp-header": f"H{n}"} for n in range(BIG)})),
        tools(tool(**bomb(1_000))),
        tools(tool(items=nested(50), type="object", title="x" * 1_000_000)),
        sampling(*[message("assistant", USE)] * BIG),
        sampling(message("assistant", *({**USE, "id": str(n)} for n in range(BIG))), message("user", *[RESULT] * BIG)),
        sampling(*[message("user", RESULT, {"type": "text", "text": ""})] * BIG),
        sampling(message("assistant", USE), stopSequences=["x"] * 10 * BIG),
    ],
    ids=[
        "tools",
        "values",
        "required",
        "enum",
        "deeper",
        "headers",
        "bomb",
        "levels",
        "uses",
        "ids",
        "mixed",
        "beside",
    ],
)
def test_hostile_values_cost_little(frame: bytes) -> None:
    """Linear, and bounded where a library has a say: seconds would be the square."""
    start = time.process_time()
    verdict = fg.Gauge("2026-07-28" if b'"result"' in frame[:40] else "2025-11-25").check(
        frame, request_method="tools/list"
    )
    assert verdict.kind in ("request", "success")
    assert time.process_time() - start < 8


def test_numbers_that_hash_to_one_value_cost_no_more_than_others() -> None:
    def seconds(factor: int) -> float:
        numbers = [n * factor for n in range(19_000)]
        frame = tools(tool(enum=numbers, **{"$schema": "http://json-schema.org/draft-04/schema#"}))
        check(frame)
        start = time.process_time()
        assert check(frame).not_judged == frozenset()
        return time.process_time() - start

    assert seconds(sys.hash_info.modulus) < 10 * seconds(sys.hash_info.modulus - 1)  # 80 times, once


@pytest.mark.parametrize("keyword", ["items", "dependencies", "additionalProperties"])
def test_a_long_text_below_many_levels_is_held_once(keyword: str) -> None:
    """Not in the complaint of each level: such a frame of 7 MB took 1.7 GB and minutes."""
    schema: dict[str, Any] = {"type": "text", "description": "\x7f" * 500_000}
    for _ in range(25):
        schema = {keyword: {"a": schema} if keyword == "dependencies" else schema}
    frame = tools(tool(**DRAFT_7, **schema))
    check(tools(tool(**DRAFT_7)))  # imports
    assert rules(check(frame)) == [SCHEMA]
    assert _most_memory(lambda: check(frame)) < 8 * len(frame)


@pytest.mark.parametrize(
    "frame",
    [
        tools(*[{"name": "", "inputSchema": {"type": "object"}}] * 20_000),
        tools(tool(allOf=[{}] * 200_000)),
        tools(tool(allOf=[{"x-mcp-header": 1}] * 50_000)),
        sampling(*[message("assistant", USE, USE)] * 10_000),
    ],
    ids=["names", "schemas", "headers", "uses"],
)
def test_memory_is_that_of_the_decoded_frame(frame: bytes) -> None:
    """Nothing is listed of which only the first is told: that took 93 bytes for each of the frame."""
    gauge = fg.Gauge("2026-07-28" if b'"result"' in frame[:40] else "2025-11-25")
    gauge.check(tools(tool()), request_method="tools/list")  # imports
    decoded = _most_memory(lambda: json.loads(frame))
    assert _most_memory(lambda: gauge.check(frame, request_method="tools/list")) < 1.7 * decoded + (1 << 20)


def _most_memory(call: Callable[[], Any]) -> int:
    tracemalloc.start()
    call()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


@pytest.mark.parametrize(
    ("enum", "unique"),
    [
        ([1, 1.0], False),
        ([1, True], True),
        ([[1], [True]], True),
        ([{"a": 1, "b": [0]}, {"b": [0.0], "a": 1e0}], False),
        ([{}, []], True),
        ([None, "null", False, 0], True),
        ([1e23, 10**23], True),
        ([-0.0, 0], False),
    ],
)
@pytest.mark.parametrize("deeper", [False, True])
def test_unique_items(enum: list[Any], unique: bool, deeper: bool) -> None:
    draft_4 = {"$schema": "http://json-schema.org/draft-04/schema#"}
    schema = {"properties": {"a": {"enum": enum}}} if deeper else {"enum": enum}
    assert (check(tools(tool(**draft_4, **schema))).findings == ()) is unique


# ---- places


def spans(node: Node, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], int, int]]:
    yield path, node.start, node.stop
    seen = set()
    for pair in node.pairs:
        if pair.key not in seen:
            yield from spans(pair.value, (*path, pair.key))
        seen.add(pair.key)
    for index, item in enumerate(node.items):
        yield from spans(item, (*path, index))


def test_spans() -> None:
    text = ' {"a" : [1, "\\"[" , {"b/~":null,"":{}}, []], "\\u00e9": 1e5 ,"é":2, "\\ud800":[[-0.0]], "\U0001f600x":"é" '
    text += ',"a":true}\n'
    raw, found = text.encode(), 0
    for path, start, stop in spans(tree(raw)):
        assert span(raw, path) == (start, stop), path
        found += 1
    assert found == 13


@pytest.mark.parametrize(
    ("items", "is_one"),
    [("1,1.0", True), ("0,-0.0", True), ("[1,{}],[1e0,{}]", True), ("1,true", False), ("[0],[false]", False)]
    + [(f"{'9' * 700}{a},{'9' * 700}{b}", a == b) for a in (1, 2) for b in (1, 2)]
    + [(f"-{'9' * 700},{'9' * 700}", False)],
)
def test_numbers_that_are_one(items: str, is_one: bool) -> None:
    schema = {"$schema": "http://json-schema.org/draft-04/schema#", "enum": ["here"]}
    for frame in (tools(tool(**schema)), tools(tool(**schema, properties={"a": {"enum": ["here"]}}))):
        frame = frame.replace(b'"here"', items.encode())
        assert rules(check(frame)) == ([SCHEMA] if is_one else [])
        assert not verdict_differences(frame, revision="2026-07-28", request_method="tools/list")


def test_numbers_that_nobody_counts_with() -> None:
    limits = fg.Limits(max_number_digits=None)
    number = b"9" * 10_000
    frame = tools(tool(minLength=0)).replace(b'"minLength":0', b'"minLength":%b,"maximum":1e999,"title":7' % number)
    (finding,) = check(frame, limits=limits).findings
    assert finding.path == "/result/tools/0/inputSchema/title"
