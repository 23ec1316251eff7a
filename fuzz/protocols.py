"""What every revision says of methods and values, as the gauge compiles it, in C++: for harnesses that know no Python.

And, as they stand between the quotes of a JSON string, texts and keys that are right at one place and wrong at another.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from tests.native.gauges import compiled
from tests.support.mcp_calls import MAP_KEYS, NEARLY

from framegauge.gauge import AUTO
from framegauge.protocol import MCP

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = (*MCP, AUTO)


def write(path: Path) -> Path:
    """The header that shaped.hpp includes."""
    text = "".join(line + "\n" for line in _header())
    if not path.exists() or path.read_text("ascii") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "ascii")
    return path


def _header() -> Iterator[str]:
    yield "// Made by fuzz/protocols.py."
    yield f"constexpr uint32_t kJudgeCount = {len(NAMES)};"
    yield from _strings("kJudgeNames", NAMES)
    yield "static const char kGauges[] ="  # as gauges.hpp reads them
    for name in NAMES:
        yield from (f"{_quoted(line)}{_quoted(chr(10))}" for line in compiled(name, None, None, _versions(name)))
    yield ";"
    yield from _strings("kTexts", (json.dumps(text)[1:-1] for text in (*NEARLY, *MAP_KEYS)))


def _versions(name: str) -> tuple[str, ...]:
    """That the host lists."""
    return MCP if name == AUTO else (name,)


def _strings(name: str, texts: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    yield f"static const char* const {name}[] = {{"
    yield from (f"{_quoted(text)}," for text in texts)
    yield "};"


def _quoted(text: str) -> str:
    return '"' + re.sub(rb'[^ -~]|["\\?]', lambda found: b"\\%03o" % found[0][0], text.encode()).decode("ascii") + '"'
