"""What the protocol data does not say of values made from it, set right: whatever is changed then is one fault."""

from __future__ import annotations

from typing import Any

# Values made at random are no schemas; what is compared with the reference has this rule, clean frames have not.
RANDOM = ("jsonschema-valid",)


def tidied(value: Any) -> Any:
    """In place: names of tools that everybody can use, and messages of which no tool use waits for an answer."""
    for name, each in value.items() if isinstance(value, dict) else ():
        for at, item in enumerate(each if isinstance(each, list) else ()):
            if name == "tools" and isinstance(item, dict) and "name" in item:
                item["name"] = f"tool-{at}"
            if name == "messages" and isinstance(item, dict) and "content" in item:
                _tidy(item)
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        tidied(each)
    return value


def _tidy(message: dict[str, Any]) -> None:
    """Nothing is said of results of the assistant, and of uses of the user."""
    content = message["content"]
    kinds = {block.get("type") for block in (content if isinstance(content, list) else [content])}
    if "tool_use" in kinds:
        message["role"] = "user"
        if isinstance(content, list):
            content[:] = [block for block in content if block.get("type") != "tool_result"]
    elif "tool_result" in kinds:
        message["role"] = "assistant"
