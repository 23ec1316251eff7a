"""What no shape says of nested values: docs/verdict.md, section 6. By the places where such values stand."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from jsonschema.validators import validator_for
from jsonschema_specifications import REGISTRY

from .rows import MCP, R2511, R2607, weigh

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .tree import Node

Steps = tuple[str, ...]  # below params or result
NAMES, SCHEMA = "tools-names", "jsonschema-valid"
SINCE_2511 = (R2511, R2607)
TCHAR = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
DIALECTS = [f"http://json-schema.org/draft-0{n}/schema" for n in (4, 6, 7)]
DIALECTS += [f"https://json-schema.org/draft/{n}/schema" for n in ("2019-09", "2020-12")]
MOST_VALUES, MOST_LEVELS = 20_000, 64
# Where a schema holds schemas: by name, in a list, or one.
BY_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
IN_LIST = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
ONE = (
    *("items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties"),
    *("propertyNames", "if", "then", "else", "not", "contentSchema"),
)


class Wrong(NamedTuple):
    """`rule`: an id, or value or type: that of params or result."""

    rule: str
    severity: str
    node: Node
    steps: Steps


class Nested:
    """Of the params or the result of one frame. `text`: what a string says."""

    def __init__(self, data: bytes, judged: Sequence[str], unescape: Any) -> None:
        self.data, self.judged, self.unescape = data, judged, unescape
        self.left = MOST_VALUES

    def params(self, method: str, params: Node) -> Iterator[Wrong]:
        if method == "sampling/createMessage" and self.judges(R2511):
            yield from self.sampling(params, (), tools=self.judged == (R2511,))
        elif method == "elicitation/create" and self.judges(R2511):
            yield from self.form(params, ())
        elif method == "notifications/tasks" and self.judges(R2607):
            yield from self.waiting(params)

    def result(self, asked: str, result: Node) -> Iterator[Wrong]:
        if asked == "tools/list":
            yield from self.list(result)
        elif self.judged == (R2607,):
            told = self.text(result.first("resultType"))
            if asked in ("tools/call", "prompts/get", "resources/read") and told == "input_required":
                yield from self.input_requests(result)
            if asked == "tasks/get":
                yield from self.waiting(result)

    def judges(self, revision: str) -> bool:
        """That revision has the method, and the others judged with it do not forbid it."""
        return tuple(self.judged) in ((revision,), MCP)

    def waiting(self, task: Node) -> Iterator[Wrong]:
        if self.text(task.first("status")) == "input_required":
            yield from self.input_requests(task)

    def input_requests(self, parent: Node) -> Iterator[Wrong]:
        requests = parent.first("inputRequests")
        for key, request in self.firsts(requests) if requests is not None else ():
            method, params = self.text(request.first("method")), request.first("params")
            where = ("inputRequests", key, "params")
            if params is None or params.type != "object":
                continue
            if method == "sampling/createMessage":
                yield from self.sampling(params, where, tools=True)
            elif method == "elicitation/create":
                yield from self.form(params, where)

    # ---- the tools of a list

    def list(self, result: Node) -> Iterator[Wrong]:
        tools = self.objects(result, "tools")
        names: Counter[str] = Counter()
        severity = weigh("warning", SINCE_2511, self.judged)
        for tool, steps in tools:
            name = tool.first("name")
            text = self.text(name)
            if name is None or text is None:
                continue
            names[text] += 1
            fits = re.fullmatch(r"[A-Za-z0-9_.-]+", text) and len(text) <= 128
            if severity is not None and (not fits or names[text] > 1):
                yield Wrong(NAMES, severity.severity, name, (*steps, "name"))
        for tool, steps in tools:
            schema = tool.first("inputSchema")
            if schema is not None and self.judged == (R2607,):
                yield from self.headers(schema, (*steps, "inputSchema"), set(), "root")
        for tool, steps in tools:
            yield from self.schemas_of(tool, steps)

    def headers(self, schema: Node, steps: Steps, seen: set[str], stands: str) -> Iterator[Wrong]:
        """`stands`: root, param (a property that properties alone lead to) or elsewhere."""
        for key, value in self.firsts(schema):
            within: list[tuple[Node, Steps, str]] = []
            if key == "x-mcp-header":
                name = self.text(value)
                bad = name is None or name == "" or any(char not in TCHAR for char in name)
                bad = bad or stands != "param" or not self.is_primitive(schema.first("type"))
                if bad or (name or "").lower() in seen:
                    yield Wrong("type" if name is None else "value", "error", value, (*steps, key))
                seen.add((name or "").lower())
            elif key in BY_NAME and value.type == "object":
                plain = key == "properties" and stands != "elsewhere"
                within = [(each, (key, name), "param" if plain else "elsewhere") for name, each in self.firsts(value)]
            elif key in IN_LIST and value.type == "array":
                within = [(each, (key, str(at)), "elsewhere") for at, each in enumerate(value.items)]
            elif key in ONE:
                within = [(value, (key,), "elsewhere")]
            for each, more, there in within:
                yield from self.headers(each, steps + more, seen, there)

    def is_primitive(self, types: Node | None) -> bool:
        if types is None:
            return False
        said = [self.text(each) for each in (types.items if types.type == "array" else [types])]
        return set(said) <= {"string", "integer", "boolean", "null"} and set(said) != {"null"} and said != []

    # ---- the messages of a sampling request

    def sampling(self, params: Node, steps: Steps, tools: bool) -> Iterator[Wrong]:
        messages = params.first("messages")
        listed = messages.items if messages is not None else []
        for at, message in enumerate(listed):
            where = (*steps, "messages", str(at), "content")
            role, blocks = self.text(message.first("role")), self.blocks(message, where)
            kinds = [self.text(block.first("type")) for block, _ in blocks]
            if role == "user" and "tool_result" in kinds:
                others = [one for one, kind in zip(blocks, kinds, strict=True) if kind != "tool_result"]
                for block, its in others[:1]:
                    yield Wrong("value", "error", block, its)
            if role == "assistant":
                answered = self.answered(listed[at + 1]) if at + 1 < len(listed) else []
                for (block, its), kind in zip(blocks, kinds, strict=True):
                    used = self.text(block.first("id"))
                    if kind == "tool_use" and used is not None and used not in answered:
                        yield Wrong("value", "error", block, its)
        for tool, its in self.objects(params, "tools") if tools else ():
            yield from self.schemas_of(tool, steps + its)

    def answered(self, message: Node) -> list[str | None]:
        if self.text(message.first("role")) != "user":
            return []
        blocks = [block for block, _ in self.blocks(message, ())]
        return [self.text(one.first("toolUseId")) for one in blocks if self.text(one.first("type")) == "tool_result"]

    def blocks(self, message: Node, steps: Steps) -> list[tuple[Node, Steps]]:
        content = message.first("content")
        if content is not None and content.type == "object":
            return [(content, steps)]
        items = content.items if content is not None else []
        return [(item, (*steps, str(at))) for at, item in enumerate(items) if item.type == "object"]

    def objects(self, parent: Node, name: str) -> list[tuple[Node, Steps]]:
        items = parent.first(name)
        listed = items.items if items is not None else []
        return [(item, (name, str(at))) for at, item in enumerate(listed) if item.type == "object"]

    # ---- schemas

    def form(self, params: Node, steps: Steps) -> Iterator[Wrong]:
        mode, schema = params.first("mode"), params.first("requestedSchema")
        if schema is not None and (mode is None or self.text(mode) == "form"):
            yield from self.schema(schema, (*steps, "requestedSchema"))

    def schemas_of(self, tool: Node, steps: Steps) -> Iterator[Wrong]:
        for key, value in self.firsts(tool):
            if key in ("inputSchema", "outputSchema"):
                yield from self.schema(value, (*steps, key))

    def schema(self, schema: Node, steps: Steps) -> Iterator[Wrong]:
        """The first value that the meta-schema of the dialect refuses, as the library has it."""
        found = weigh("error", SINCE_2511, self.judged)
        said = schema.first("$schema")
        dialect = self.text(said) if said is not None else DIALECTS[-1]
        dialect = DIALECTS[-1] if dialect is None else dialect.removesuffix("#")
        if schema.type != "object" or found is None or dialect not in DIALECTS:
            return
        size, levels = self.measured(schema)
        if size > self.left or levels > MOST_LEVELS:
            return
        self.left -= size
        meta = REGISTRY.contents(dialect)
        errors = validator_for(meta)(meta).iter_errors(self.plain(schema))
        paths = {tuple(map(str, error.absolute_path)) for error in errors}
        places = [(self.at(schema, path), path) for path in paths]
        for node, path in sorted(places, key=lambda place: place[0].start)[:1]:
            yield Wrong(SCHEMA, found.severity, node, steps + path)

    def at(self, node: Node, path: Steps) -> Node:
        for step in path:
            value = node.items[int(step)] if node.type == "array" else node.first(step)
            assert value is not None
            node = value
        return node

    def measured(self, node: Node) -> tuple[int, int]:
        """Values, a text of 100 characters counting as one more; levels of values within each other."""
        within = [value for _, value in self.firsts(node)] + node.items
        sizes = [self.measured(value) for value in within]
        keys = {pair.key for pair in node.pairs}
        own = 1 + (sum(map(len, keys)) + len(self.text(node) or "")) // 100
        return own + sum(size for size, _ in sizes), 1 + max((levels for _, levels in sizes), default=0)

    def plain(self, node: Node) -> Any:
        if node.type == "object":
            return {key: self.plain(value) for key, value in self.firsts(node)}
        if node.type == "array":
            return [self.plain(item) for item in node.items]
        return json.loads(self.data[node.start : node.stop])

    # ---- nodes

    def firsts(self, node: Node) -> list[tuple[str, Node]]:
        """The members, of doubled ones the first."""
        found: dict[str, Node] = {}
        for pair in node.pairs:
            found.setdefault(pair.key, pair.value)
        return list(found.items())

    def text(self, node: Node | None) -> str | None:
        if node is None or node.type != "string":
            return None
        text: str = self.unescape(self.data[node.start : node.stop])
        return text
