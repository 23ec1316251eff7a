"""Values that others made fit the data: the published examples, and what recorded clients and servers sent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from framegauge.protocol import MCP, Narrow, Revision, Shape, Spec, revision
from tests.reference.formats import array_fault, number_fault, text_fault
from tests.support import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

needs_shared = pytest.mark.skipif(SHARED is None, reason="needs the examples and recordings in ../shared")

NARROWED = {"string": str, "number": (int, float), "array": list}
VERSION = "io.modelcontextprotocol/protocolVersion"
# Published without ttlMs and cacheScope, which its own schema requires.
UNFIT = {"ReadResourceResultResponse/read-resource-result-response.json": 2}


def types_of(value: Any) -> set[str]:
    match value:
        case None:
            return {"null"}
        case bool():
            return {"boolean"}
        case int() | float():
            whole = {"integer"} if isinstance(value, int) or value.is_integer() else set()
            return {"number", "integral", *whole}
    return {{str: "string", list: "array", dict: "object"}[type(value)]}


def faults(value: Any, spec: Spec, said: Revision, at: str) -> Iterator[str]:
    """What is wrong with a value: the plainest reading of the model."""
    if not types_of(value) & spec.types:
        yield f"{at}: {value!r} is none of {', '.join(sorted(spec.types))}"
    elif isinstance(value, str) and spec.values and value not in spec.values:
        yield f"{at}: {value!r} is none of {', '.join(spec.values)}"
    elif spec.narrow and isinstance(value, NARROWED[spec.narrow.of]) and fault_of(value, spec.narrow):
        yield f"{at}: {value!r} is not {spec.narrow}"
    elif isinstance(value, list) and spec.items:
        for index, item in enumerate(value):
            yield from faults(item, spec.items, said, f"{at}[{index}]")
    elif isinstance(value, dict):
        for key, each in value.items() if spec.each else ():
            yield from faults(each, spec.each or spec, said, f"{at}.{key}")
        if spec.shape:
            yield from shape_faults(value, said.shapes[spec.shape], said, at)


def fault_of(value: Any, narrow: Narrow) -> str | None:
    if isinstance(value, str):
        return text_fault(value, narrow)
    return array_fault(len(value), narrow) if isinstance(value, list) else number_fault(repr(value).encode(), narrow)


def shape_faults(value: dict[str, Any], shape: Shape, said: Revision, at: str) -> Iterator[str]:
    told = [name for member, name in zip(shape.one_of, shape.either, strict=False) if member in value]
    if told:
        yield from shape_faults(value, said.shapes[told[0]], said, at)
        return
    if shape.tag:
        case = shape.cases.get(value[shape.tag]) if shape.tag in value else shape.default
        yield from shape_faults(value, said.shapes[case], said, at) if case else [f"{at}: no case of {shape.name}"]
        return
    for name, spec in shape.members.items():
        if name in value:
            yield from faults(value[name], spec, said, f"{at}.{name}")
        elif spec.required:
            yield f"{at}: no {name}"
    if shape.one_of and not value.keys() & set(shape.one_of):
        yield f"{at}: none of {', '.join(shape.one_of)}"


def an_object(name: str) -> Spec:
    return Spec(frozenset({"object"}), shape=name)


TEXT = {"type": "text", "text": "x"}
TASK = {"taskId": "t", "status": "working", "createdAt": "2025-11-25", "lastUpdatedAt": "2025-11-25", "ttl": None}
FORM = {"message": "x", "requestedSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}


@pytest.mark.parametrize(
    ("name", "shape", "value", "wrong"),
    [
        ("2024-11-05", "CallToolResult", {"content": [TEXT]}, []),
        ("2024-11-05", "CallToolResult", {"content": [{**TEXT, "type": "audio"}]}, ["it.content[0]: no case of"]),
        (
            "2024-11-05",
            "CallToolResult",
            {"content": [{"type": "text"}], "isError": 1},
            [".content[0]: no text", "isError: 1"],
        ),
        (
            "2024-11-05",
            "GetPromptRequest.params",
            {"name": "x", "arguments": {"a": 1}},
            ["it.arguments.a: 1 is none of string"],
        ),
        ("2025-06-18", "ResourceContents", {"uri": "x:y"}, ["it: none of text, blob"]),
        ("2025-06-18", "ResourceContents", {"uri": "x", "text": ""}, ["it.uri: 'x' is not"]),
        ("2025-06-18", "ElicitResult", {"action": "accept", "content": {"n": 1.5}}, []),
        (
            "2025-06-18",
            "ElicitResult",
            {"action": "accept", "content": {"n": ["x"]}},
            ["it.content.n: ['x'] is none of"],
        ),
        ("2025-11-25", "ElicitResult", {"action": "agree", "content": {"n": ["x"]}}, ["it.action: 'agree' is none of"]),
        ("2025-11-25", "CallToolResult | CreateTaskResult", {"task": TASK}, []),
        ("2025-11-25", "CallToolResult | CreateTaskResult", {}, ["it: none of content, task"]),
        (
            "2025-11-25",
            "CallToolResult | CreateTaskResult",
            {"task": {**TASK, "ttl": "x"}},
            ["it.task.ttl: 'x' is none of"],
        ),
        ("2025-11-25", "CreateMessageResult | CreateTaskResult", {"task": TASK, "role": 5}, []),
        (
            "2025-11-25",
            "CreateMessageResult | CreateTaskResult",
            {"content": TEXT, "task": 5},
            [" no model", " no role"],
        ),
        ("2025-11-25", "ElicitRequestParams", FORM, []),
        ("2025-11-25", "ElicitRequestParams", {"mode": "url", **FORM}, ["it: no elicitationId", "it: no url"]),
        ("2025-11-25", "ElicitRequestParams", {"mode": "x", **FORM}, ["it: no case of ElicitRequestParams"]),
        (
            "2026-07-28",
            "RequestParams",
            {"_meta": {}},
            ["it._meta: no io.modelcontextprotocol/clientCapabilities", VERSION],
        ),
        ("2026-07-28", "CallToolResult | InputRequiredResult", {"content": [], "resultType": "complete"}, []),
        ("2026-07-28", "CallToolResult | InputRequiredResult", {"resultType": "task"}, ["it: no case of"]),
        (
            "2026-07-28",
            "CallToolResult | InputRequiredResult",
            {"resultType": "input_required"},
            ["it: none of inputRequests"],
        ),
        ("2026-07-28", "CallToolResult", {"content": [], "resultType": "complete", "structuredContent": None}, []),
        ("2026-07-28+tasks", "GetTaskResult", {"status": "failed", "error": {"code": 1, "message": "x"}}, [" no "] * 5),
    ],
)
def test_what_fits_and_what_does_not(name: str, shape: str, value: dict[str, Any], wrong: list[str]) -> None:
    found = sorted(faults(value, an_object(shape), revision(name), "it"))
    assert len(found) == len(wrong)
    assert all(part in fault for part, fault in zip(wrong, found, strict=True))


def of_example(name: str, value: dict[str, Any], said: Revision) -> list[tuple[Any, Spec]]:
    """What of an example the data speaks of, and how; nothing of the errors without described data."""
    if name.endswith(("Request", "Notification")):
        params = said.methods[value["method"]].params
        return [(value.get("params", {}), params)] if params else []
    if name in ("InputRequests", "InputResponses"):
        return [(each, an_object(name[:-1])) for each in value.values()]
    if name.endswith("ResultResponse"):
        return [(value["result"], an_object(name.removesuffix("Response")))]
    if name.endswith("Error"):
        data = said.error_data.get(value["error"]["code"]) if "error" in value else None
        return [(value["error"]["data"], data)] if data else []
    for ending, shape in (("ResourceContents", "ResourceContents"), ("EnumSchema", "PrimitiveSchemaDefinition")):
        if name.endswith(ending):
            return [(value, an_object(shape))]
    return [(value, an_object(name))]


@needs_shared
def test_the_published_examples_fit() -> None:
    assert SHARED is not None
    folder, said = SHARED / "oracle" / "mcp" / "2026-07-28" / "examples", revision("2026-07-28")
    seen, unfit = 0, {}
    for path in sorted(folder.glob("*/*.json")):
        for value, spec in of_example(path.parent.name, json.loads(path.read_text("utf-8")), said):
            seen += 1
            if wrong := list(faults(value, spec, said, path.parent.name)):
                unfit[f"{path.parent.name}/{path.name}"] = len(wrong)
    assert seen > 110
    assert unfit == UNFIT


def objects(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in path.read_bytes().split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        found += [value] if isinstance(value, dict) else []
    return found


def recorded(client: list[dict[str, Any]], server: list[dict[str, Any]]) -> Iterator[tuple[str, str, Any, bool]]:
    """Revision, method, value, and whether it is a result: of every message whose method is known."""
    results = [one["result"] for one in server if isinstance(one.get("result"), dict)]
    agreed = next((one["protocolVersion"] for one in results if one.get("protocolVersion") in MCP), None)

    def era(message: dict[str, Any]) -> str | None:
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        return meta.get(VERSION, agreed) if isinstance(meta, dict) else agreed

    for mine, theirs in ((client, server), (server, client)):
        asked = {json.dumps(one["id"]): one for one in mine if "id" in one and "method" in one}
        for one in mine:
            if "params" in one and "method" in one:
                yield era(one) or "", one["method"], one["params"], False
        for one in theirs:
            request = asked.get(json.dumps(one.get("id")))
            if request and "result" in one and "method" not in one:
                yield era(request) or "", request["method"], one["result"], True


@needs_shared
def test_what_was_recorded_fits() -> None:
    assert SHARED is not None
    seen, wrong = 0, []
    for path in sorted((SHARED / "captures").rglob("*.c2s.bin")):
        client, server = objects(path), objects(path.with_name(path.name.replace(".c2s.", ".s2c.")))
        for name, method, value, is_result in recorded(client, server):
            said = revision(name) if name in MCP else None
            known = said.methods.get(method) if said else None
            spec = (known.result if is_result else known.params) if known else None
            if said and spec:
                seen += 1
                wrong += [f"{path.name}, {method}: {one}" for one in faults(value, spec, said, "it")]
    assert seen > 900
    assert wrong == []
