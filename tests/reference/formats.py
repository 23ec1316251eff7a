"""What a string has to be, and how large a number or an array may be: docs/verdict.md, section 6."""

from __future__ import annotations

import re
from calendar import isleap
from typing import TYPE_CHECKING

from .decimals import rounded_down

if TYPE_CHECKING:
    from framegauge.protocol import Narrow

FOUR = "[A-Za-z0-9+/]"
BASE64 = re.compile(f"(?:{FOUR}{{4}})*(?:{FOUR}{{2}}==|{FOUR}{{3}}=)?")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
CHARACTER = r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2}"
URI = re.compile(f"{SCHEME.pattern}(?:{CHARACTER})*")
URL = re.compile(f"{SCHEME.pattern}(?:{CHARACTER}|[\u00a0-\U0010ffff])+")
WEB = re.compile(r"(?i:https?)://[^/?#:].*", re.DOTALL)
TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`{|}~-]+"
MIME = re.compile(rf"{TOKEN}/{TOKEN}[ \t]*(?:;.*)?", re.DOTALL)
TWO = "[0-9]{2}"
DATES = (
    f"(?P<year>{TWO * 2})(?:-(?P<month>{TWO})(?:-(?P<day>{TWO}))?)?",
    f"(?P<year>{TWO * 2})(?P<month>{TWO})(?P<day>{TWO})",
    f"(?P<year>{TWO * 2})-W(?P<week>{TWO})(?:-(?P<weekday>[0-9]))?",
    f"(?P<year>{TWO * 2})W(?P<week>{TWO})(?P<weekday>[0-9])?",
    f"(?P<year>{TWO * 2})-?(?P<ordinal>[0-9]{{3}})",
    f"[+-](?P<year>{TWO * 3})-(?P<month>{TWO})-(?P<day>{TWO})",
)
CLOCK = f"(?P<hour>{TWO})(?::(?P<minute>{TWO})(?::(?P<second>{TWO}))?|(?P<minute2>{TWO})(?P<second2>{TWO})?)?"
OFFSET = f"[Zz]|[+-](?P<hours>{TWO})(?::?(?P<minutes>{TWO}))?"
TIMES = [re.compile(f"{date}(?:[Tt ]{CLOCK}(?:[.,][0-9]+)?(?:{OFFSET})?)?") for date in DATES]
DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def text_fault(text: str, narrow: Narrow) -> str | None:
    """The severity of what is wrong with it."""
    if narrow.begins:
        ascii_case = re.sub("[A-Z]+", lambda capitals: capitals[0].lower(), text)
        return None if ascii_case.startswith(narrow.begins) else _severity(narrow)
    assert narrow.format is not None
    fault = FAULTS[narrow.format](text)
    return "warning" if fault and narrow.mild else fault


def number_fault(token: bytes, narrow: Narrow) -> str | None:
    floor, exact = rounded_down(token)
    above = floor if exact else floor + 1
    low = narrow.low is not None and floor < narrow.low
    high = narrow.high is not None and above > narrow.high
    return _severity(narrow) if low or high else None


def array_fault(count: int, narrow: Narrow) -> str | None:
    assert narrow.high is not None
    return _severity(narrow) if count > narrow.high else None


def _severity(narrow: Narrow) -> str:
    return "warning" if narrow.mild else "error"


def _base64(text: str) -> str | None:
    if not BASE64.fullmatch(text.replace("\r", "").replace("\n", "")):
        return "error"
    return "warning" if "\r" in text or "\n" in text else None


def _iso8601(text: str) -> str | None:
    matches = [match for match in (time.fullmatch(text) for time in TIMES) if match]
    return None if any(_is_a_time(match) for match in matches) else "error"


def _is_a_time(match: re.Match[str]) -> bool:
    said = {name: int(digits) for name, digits in match.groupdict().items() if digits is not None}
    leap, month = isleap(said["year"]), said.get("month", 1)
    minute, second = (said.get(name, said.get(f"{name}2", 0)) for name in ("minute", "second"))
    hour = said.get("hour", 0)
    return (
        1 <= month <= 12
        and 1 <= said.get("day", 1) <= DAYS[month - 1] + (leap and month == 2)
        and 1 <= said.get("week", 1) <= 53
        and 1 <= said.get("weekday", 1) <= 7
        and 1 <= said.get("ordinal", 1) <= 365 + leap
        and (hour < 24 or (hour, minute, second) == (24, 0, 0))
        and minute < 60
        and second <= 60
        and said.get("hours", 0) < 24
        and said.get("minutes", 0) < 60
    )


def _mime(text: str) -> str | None:
    return None if MIME.fullmatch(text) else "error"


def _uri(text: str) -> str | None:
    if not SCHEME.match(text):
        return "error"
    return None if URI.fullmatch(text) else "warning"


def _url(text: str) -> str | None:
    if not URL.fullmatch(text):
        return "error"
    return "error" if re.match("(?i:https?):", text) and not WEB.fullmatch(text) else None


FAULTS = {"base64": _base64, "iso8601": _iso8601, "mime": _mime, "uri": _uri, "url": _url}
