"""How keys of _meta and of extensions, and three values in _meta, are spelt: docs/verdict.md, section 6."""

from __future__ import annotations

import re

LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
NAME = "(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?"
KEY = re.compile(rf"(?:(?P<prefix>{LABEL}(?:\.{LABEL})*)/)?{NAME}")
WORDS = ("modelcontextprotocol", "mcp")
TRACE_KEYS = ("traceparent", "tracestate", "baggage")

TRACEPARENT = re.compile(
    "(?P<version>[0-9a-f]{2})-(?P<trace>[0-9a-f]{32})-(?P<parent>[0-9a-f]{16})-[0-9a-f]{2}(?P<more>-.*)?", re.DOTALL
)
STATE_KEY = "[a-z0-9][a-z0-9_*/@-]{0,255}"
STATE_VALUE = "[ -+\\--<>-~]{0,255}[!-+\\--<>-~]"
STATE_MEMBER = re.compile(rf"[ \t]*(?:{STATE_KEY}={STATE_VALUE}[ \t]*)?")
TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
PAIR = rf"{TOKEN}[ \t]*=[ \t]*[!#-+\--:<-\[\]-~]*"
BAGGAGE_MEMBER = re.compile(rf"[ \t]*{PAIR}[ \t]*(?:;[ \t]*(?:{PAIR}|{TOKEN})[ \t]*)*")


def prefix_of(key: str) -> str | None:
    """The prefix of a key that is well spelt, "" where it has none; None of one that is not."""
    match = KEY.fullmatch(key)
    return None if match is None else match["prefix"] or ""


def is_reserved(prefix: str, label: str) -> bool:
    """`label`: which of the labels says it."""
    labels = prefix.split(".")
    return len(labels) > 1 and labels[{"second": 1, "second last": -2}[label]] in WORDS


def is_trace(key: str, value: str) -> bool:
    if key == "traceparent":
        match = TRACEPARENT.fullmatch(value)
        if match is None or match["version"] == "ff" or (match["more"] and match["version"] == "00"):
            return False
        return {*match["trace"]} != {"0"} and {*match["parent"]} != {"0"}
    members = value.split(",")
    if key == "tracestate":
        return len(members) <= 32 and all(STATE_MEMBER.fullmatch(member) for member in members)
    return all(BAGGAGE_MEMBER.fullmatch(member) for member in members)
