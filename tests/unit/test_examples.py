"""The examples that come with the schema of 2026-07-28, each judged in the frame that it belongs to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.protocol import LATEST, revision
from tests.support import SHARED, or_skip

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOLDER = SHARED / "oracle" / "mcp" / LATEST / "examples" if SHARED else None
EXAMPLES = sorted(FOLDER.glob("*/*.json")) if FOLDER and FOLDER.is_dir() else []
METHODS = revision(LATEST).methods
Framed = tuple[dict[str, Any], str | None]  # a frame, and the method that it answers

# Published without ttlMs and cacheScope, which the schema and the text (cache-fields) require of a complete result.
FAULTY = {"ReadResourceResultResponse/read-resource-result-response": {("result-member-missing", "/result/cacheScope")}}

META = {"io.modelcontextprotocol/protocolVersion": LATEST, "io.modelcontextprotocol/clientCapabilities": {}}
CACHED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
CONTENT = ("AudioContent", "EmbeddedResource", "ImageContent", "ResourceLink", "TextContent")
FORM_FIELDS = (
    "BooleanSchema",
    "NumberSchema",
    "StringSchema",
    "TitledMultiSelectEnumSchema",
    "TitledSingleSelectEnumSchema",
    "UntitledMultiSelectEnumSchema",
    "UntitledSingleSelectEnumSchema",
)
FORM = "ElicitRequestFormParams"
ASKS = {
    "CreateMessageRequestParams": "sampling/createMessage",
    FORM: "elicitation/create",
    "ElicitRequestURLParams": "elicitation/create",
}


def request(method: str, **params: Any) -> Framed:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": META, **params}}, None


def result(method: str, **result: Any) -> Framed:
    return {"jsonrpc": "2.0", "id": 1, "result": result}, method


def asking(method: str, params: Any) -> Framed:
    return asking_for({"method": method, "params": params})


def asking_for(wanted: Any) -> Framed:
    return result("tools/call", resultType="input_required", inputRequests={"it": wanted})


def sampling(**params: Any) -> Framed:
    return asking("sampling/createMessage", {"maxTokens": 9, "messages": [], **params})


def form(field: Any) -> Framed:
    return asking(
        "elicitation/create", {"message": "m", "requestedSchema": {"type": "object", "properties": {"f": field}}}
    )


def responding(response: Any) -> Framed:
    return request("tools/call", name="n", inputResponses={"it": response})


WRAPS: dict[str, Callable[[Any], Framed]] = {
    **dict.fromkeys(CONTENT, lambda body: result("tools/call", resultType="complete", content=[body])),
    **dict.fromkeys(FORM_FIELDS, form),
    **dict.fromkeys(
        ("BlobResourceContents", "TextResourceContents"),
        lambda body: result("resources/read", **CACHED, contents=[body]),
    ),
    **dict.fromkeys(
        ("ToolResultContent", "ToolUseContent"), lambda body: sampling(messages=[{"role": "user", "content": body}])
    ),
    **dict.fromkeys(("CreateMessageRequest", "ElicitRequest", "ListRootsRequest"), asking_for),
    **dict.fromkeys(("CreateMessageResult", "ElicitResult", "ListRootsResult"), responding),
    "ClientCapabilities": lambda body: request(
        "server/discover", _meta={**META, "io.modelcontextprotocol/clientCapabilities": body}
    ),
    "InputRequests": lambda body: result("tools/call", resultType="input_required", inputRequests=body),
    "InputResponses": lambda body: request("tools/call", name="n", inputResponses=body),
    "InputRequiredResult": lambda body: result("tools/call", **body),
    "ModelPreferences": lambda body: sampling(modelPreferences=body),
    "PaginatedRequestParams": lambda body: request("tools/list", **body),
    "Resource": lambda body: result("resources/list", **CACHED, resources=[body]),
    "Root": lambda body: responding({"roots": [body]}),
    "SamplingMessage": lambda body: sampling(messages=[body]),
    "ServerCapabilities": lambda body: result(
        "server/discover", **CACHED, capabilities=body, supportedVersions=[LATEST]
    ),
    "Tool": lambda body: result("tools/list", **CACHED, tools=[body]),
}


def framed(name: str, body: dict[str, Any]) -> Framed:
    """`name`: of the type that the example is one of."""
    if name in WRAPS:
        return WRAPS[name](body)
    if name in ASKS:
        return asking(ASKS[name], body)
    if name.endswith("Error"):
        return (body if "error" in body else {"jsonrpc": "2.0", "id": 1, "error": body}), None
    if name.endswith(("Result", "ResultResponse")):
        return (body if "result" in body else {"jsonrpc": "2.0", "id": 1, "result": body}), answered(
            name.removesuffix("Response")
        )
    if name.endswith("Params"):
        [method] = [each for each in METHODS.values() if each.params is not None and each.params.shape == name]
        frame = {"jsonrpc": "2.0", "method": method.name, "params": body}
        return ({**frame, "id": 1} if method.kind == "request" else frame), None
    assert name.endswith(("Request", "Notification"))
    return body, None


def answered(shape: str) -> str:
    [method] = [name for name, each in METHODS.items() if each.result and shape in str(each.result.shape).split(" | ")]
    return method


@pytest.mark.parametrize(
    "path",
    or_skip(EXAMPLES, "the examples are not at hand"),
    ids=lambda path: f"{path.parent.name}/{path.stem}" if path else "",
)
def test_example(path: Path) -> None:
    frame, asked = framed(path.parent.name, json.loads(path.read_text("utf-8")))
    verdict = fg.Gauge(LATEST).check(json.dumps(frame).encode(), request_method=asked)
    # Many examples show what is deprecated.
    found = {(finding.rule, finding.path) for finding in verdict.findings if finding.rule != "deprecated-features"}
    assert found == FAULTY.get(f"{path.parent.name}/{path.stem}", set())


@pytest.mark.skipif(not EXAMPLES, reason="the examples are not at hand")
def test_all_examples_are_there() -> None:
    assert len(EXAMPLES) >= 100
    assert FAULTY.keys() <= {f"{path.parent.name}/{path.stem}" for path in EXAMPLES}
