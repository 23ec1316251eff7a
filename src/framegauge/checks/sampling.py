"""The messages of a sampling request: tool calls and their results."""

from collections.abc import Iterator, Mapping
from typing import Any

from framegauge.checks.json_schema import Schemas
from framegauge.checks.model import VALUE, Check, Complaint, Path, objects_in


def _tool_messages(params: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    """Results of tools are alone in their message, and answer every use in the message before."""
    messages = params.get("messages")
    for at, message in objects_in(params, "messages"):
        path: Path = ("messages", at, "content")
        blocks = _blocks(message, path)
        if message.get("role") == "user" and any(block.get("type") == "tool_result" for block, _ in blocks):
            mixed = next((where for block, where in blocks if block.get("type") != "tool_result"), None)
            if mixed is not None:
                yield Complaint(VALUE, mixed, "a user message with a tool_result holds nothing but tool_result")
        elif message.get("role") == "assistant":
            uses = [(block, where) for block, where in blocks if block.get("type") == "tool_use"]
            answered = _answered(messages[at + 1] if uses and at + 1 < len(messages) else None)  # type: ignore[index, arg-type]
            for block, where in uses:
                if isinstance(block.get("id"), str) and block["id"] not in answered:
                    yield Complaint(VALUE, where, "the next message has no tool_result for this tool_use")


def _answered(message: Any) -> set[str]:
    """The ids of tool uses that a message answers."""
    if not isinstance(message, dict) or message.get("role") != "user":
        return set()
    results = [block.get("toolUseId") for block, _ in _blocks(message, ()) if block.get("type") == "tool_result"]
    return {each for each in results if isinstance(each, str)}


def _blocks(message: Mapping[str, Any], path: Path) -> list[tuple[Mapping[str, Any], Path]]:
    """Content is one block, or a list of them."""
    content = message.get("content")
    if isinstance(content, dict):
        return [(content, path)]
    return [(block, (*path, at)) for at, block in objects_in(message, "content")]


# A revision without such blocks refuses them, so that it is wrong in all.
CHECKS = (Check("CreateMessageRequestParams", _tool_messages),)
