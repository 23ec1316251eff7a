"""What no shape describes: tools, sampling, schemas; judged as the slow reference does, alone, in batches, as lines."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema.validators import validator_for
from jsonschema_specifications import REGISTRY

import framegauge as fg
from framegauge.checks.json_schema import _DIALECTS, Schemas
from framegauge.protocol import MCP
from tests.support.comparison import reference_summary, verdict_differences

if TYPE_CHECKING:
    from collections.abc import Callable

DIALECTS = (*_DIALECTS, "http://json-schema.org/draft-07/schema#", "https://example.com/none", "")
VALUES = (
    *(None, True, 0, -1, 1.5, 10**40, "", "string", "x", [], {}, {"a": 1}),
    *(["a", "a"], ["a", 1, {}, None], ["string", "null"], [1, True, 1.0], [{"a": 0}, {"a": -0.0}], [[1], [True]]),
)
TYPES = ("string", "integer", "boolean", "number", "object", "array", "null", ["string", "null"], ["null"], "text")
NAMES = ("weather", "get_x-1.0", "", "a b", "é", "x" * 128, "x" * 129, "weather", "Weather")
HEADERS = ("Region", "region", "REGION", "a b", "", "X-1", 7, None, "é", "a\n", "~!")
KEYWORDS = (
    *("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies", "allOf", "anyOf"),
    *("oneOf", "prefixItems", "items", "additionalItems", "contains", "additionalProperties", "propertyNames", "if"),
    *("then", "else", "not", "contentSchema", "unevaluatedItems", "type", "enum", "const", "required", "minLength"),
    *("multipleOf", "maximum", "exclusiveMinimum", "pattern", "format", "uniqueItems", "minItems", "title", "default"),
    *("$ref", "$id", "$anchor", "$comment", "$vocabulary", "dependentRequired", "examples", "x-mcp-header", "id"),
)


def some_schema(rng: Random, depth: int = 3) -> Any:
    """More or less a schema."""
    if depth == 0 or rng.random() < 0.05:
        return rng.choice((True, {}, {"type": rng.choice(TYPES)}, rng.choice(VALUES)))
    made: dict[str, Any] = {}
    if rng.random() < 0.7:
        made["type"] = rng.choice(TYPES[:6])
    if rng.random() < 0.4:
        made["x-mcp-header"] = rng.choice(HEADERS)
    if rng.random() < 0.6:
        made["properties"] = {name: some_schema(rng, depth - 1) for name in rng.sample(("a", "b", "x-mcp-header"), 2)}
    for keyword in rng.sample(KEYWORDS, rng.randrange(3)):
        inner: list[Callable[[], Any]] = [
            lambda: rng.choice(VALUES),
            lambda: some_schema(rng, depth - 1),
            lambda: [some_schema(rng, depth - 1) for _ in range(rng.randrange(3))],
            lambda: {name: some_schema(rng, depth - 1) for name in ("a", "b~/c")},
        ]
        made[keyword] = rng.choice(inner)()
    keys = list(made)
    rng.shuffle(keys)
    return {key: made[key] for key in keys}


def whole_schema(rng: Random) -> Any:
    schema = some_schema(rng)
    if isinstance(schema, dict):
        schema = dict(schema)
        schema["type"] = "object" if rng.random() < 0.9 else rng.choice(TYPES)
        if rng.random() < 0.4:
            schema["$schema"] = rng.choice(DIALECTS) if rng.random() < 0.9 else rng.choice(VALUES)
    return schema


def some_tools(rng: Random) -> list[Any]:
    tools = []
    for _ in range(rng.randrange(4)):
        tool = {"name": rng.choice(NAMES), "inputSchema": whole_schema(rng)}
        if rng.random() < 0.5:
            tool["outputSchema"] = whole_schema(rng)
        tools.append(dict(rng.sample(list(tool.items()), len(tool))))
    return [*tools, rng.choice(VALUES)] if rng.random() < 0.1 else tools


def some_block(rng: Random) -> Any:
    used = rng.choice(("a", "b", "c", 7))
    return rng.choice(
        (
            {"type": "text", "text": "x"},
            {"type": "tool_use", "id": used, "name": "n", "input": {}},
            {"type": "tool_result", "toolUseId": used, "content": []},
            {"toolUseId": used, "content": [], "type": "tool_result"},
            rng.choice(VALUES),
        )
    )


def some_sampling(rng: Random) -> dict[str, Any]:
    messages = []
    for _ in range(rng.randrange(5)):
        blocks = [some_block(rng) for _ in range(rng.randrange(4))]
        content = some_block(rng) if rng.random() < 0.3 else blocks
        messages.append({"role": rng.choice(("user", "assistant", "assistant", "user", "x")), "content": content})
    params: dict[str, Any] = {"messages": messages, "maxTokens": rng.choice((1, 1.5))}
    return {"tools": some_tools(rng), **params} if rng.random() < 0.3 else params


def some_form(rng: Random) -> dict[str, Any]:
    schema = rng.choice(
        (whole_schema(rng), {"type": "object", "properties": {"a": {"type": "string", "minLength": -1}}})
    )
    form = {"message": "m", "requestedSchema": schema}
    return form | {"mode": rng.choice(("form", "url", "x", 1))} if rng.random() < 0.4 else form


def some_frame(rng: Random) -> tuple[dict[str, Any], str | None]:
    """The frame, and the method that it answers."""
    head: dict[str, Any] = {"jsonrpc": "2.0", "id": 1}
    sampling = {"method": "sampling/createMessage", "params": some_sampling(rng)}
    form = {"method": "elicitation/create", "params": some_form(rng)}
    asks = {"a": rng.choice((sampling, form)), "b/~": rng.choice((sampling, {"method": "roots/list"}, 7))}
    task = {"taskId": "t", "status": rng.choice(("input_required", "working")), "inputRequests": asks, "ttlMs": 1}
    task |= {"createdAt": "2031-01-01T00:00:00Z", "lastUpdatedAt": "2031-01-01T00:00:00Z"}
    chance = rng.random()
    if chance < 0.35:
        more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return head | {"result": {"tools": some_tools(rng), **more}}, "tools/list"
    if chance < 0.6:
        return head | sampling, None
    if chance < 0.75:
        return head | form, None
    if chance < 0.85:
        asked = rng.choice(("tools/call", "prompts/get", "resources/read", "tools/list"))
        return head | {"result": {"resultType": "input_required", "inputRequests": asks, "content": []}}, asked
    if chance < 0.95:
        return head | {"result": {"resultType": "complete", **task}}, "tasks/get"
    return {"jsonrpc": "2.0", "method": "notifications/tasks", "params": task}, None


def written(rng: Random, frame: Any) -> bytes:
    text = json.dumps(frame, ensure_ascii=rng.random() < 0.5)
    for _ in range(rng.choice((0, 0, 0, 1, 3))):  # doubled members
        at = rng.randrange(len(text))
        twice = text[: text.find("{", at) + 1] + '"content":[],' + text[text.find("{", at) + 1 :]
        text = twice if text.find("{", at) > 0 else text
    return text.encode()


def check(count: int, seed: int) -> Counter[tuple[str, str]]:
    rng, seen = Random(seed), Counter[tuple[str, str]]()
    for _ in range(count):
        made, asked = some_frame(rng)
        frame = written(rng, made if rng.random() < 0.9 else [made, some_frame(rng)[0]])
        revision = rng.choice((*MCP[3:], *MCP[3:], *MCP, "auto"))
        found = verdict_differences(frame, revision=revision, request_method=asked)
        assert not found, (frame, revision, asked, found)
        told = reference_summary(frame, revision=revision, request_method=asked)
        seen.update((rule, finding.severity) for rule, finding in told.findings.items())
        lines_say_the_same(fg.Gauge(revision), frame)
    return seen


def lines_say_the_same(gauge: fg.Gauge, frame: bytes) -> None:
    lines = gauge.check_lines(frame)
    severities = {finding.rule: finding.severity for finding in gauge.check(frame).findings}
    assert lines.rule_counts() == dict.fromkeys(severities, 1), frame
    assert lines.severities() == severities, frame


DUE = {
    ("tools-names", "warning"),
    ("jsonschema-valid", "error"),
    ("jsonschema-valid", "warning"),
    ("param-value", "error"),
    ("result-member-value", "error"),
    ("result-member-type", "error"),
}


def test_nested_values_are_judged_as_the_reference_judges_them() -> None:
    assert check(600, 11) >= Counter(dict.fromkeys(DUE, 10))


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(20))
def test_many_nested_values(seed: int) -> None:
    check(1_000, seed)


def test_one_meta_schema_says_what_the_published_ones_say() -> None:
    rng, refused = Random(5), Counter[str]()
    for _ in range(600):
        dialect = rng.choice(list(_DIALECTS))
        schema = some_schema(rng)
        if not isinstance(schema, dict):
            continue
        schema = {**schema, "$schema": dialect}
        meta = REGISTRY.contents(dialect)
        errors = list(validator_for(meta)(meta).iter_errors(schema))
        fault = Schemas().fault(schema)
        assert (fault is None) == (errors == []), schema
        if fault is not None:
            assert fault.path in {tuple(error.absolute_path) for error in errors}
            refused[dialect] += 1
    assert all(refused[dialect] > 20 for dialect in _DIALECTS)
