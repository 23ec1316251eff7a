"""Values that fit what brackets behind a type say, and values that do not: by hand, from docs/verdict.md, section 6."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from framegauge.protocol import Narrow

RIGHT = {
    "base64": ("", "QQ==", "QUI=", "QUJD", "a+/9" * 30, "QR==", "/" * 100 + "AA=="),
    "iso8601": (
        "2025-11-25T10:30:00Z",
        "2024-02-29",
        "20251125T1030+0530",
        "2020-W53",
        "2025-11-25 10:30:00.25-00:00",
        "2000-02-29",
        "2016-12-31T23:59:60Z",
    ),
    "mime": ("image/png", "text/html; charset=utf-8", "application/vnd.a+json", "x/*"),
    "uri": ("file:///a/b", "urn:isbn:0", "a.b-c+1:", "HTTP://h?q#f", "x://[::1]/%C3%A9"),
    "url": ("https://a.example/", "mailto:a@b", "HTTP://päivä.example?q=%20", "file:///a"),
}
ODD: dict[str, tuple[str, ...]] = {  # worth a warning
    "base64": ("QUJD\r\nQUJD", "\n", "Q\nQ=\r="),
    "uri": ("file:///a b", "x:é", "a:%4g", "x:{y}", "a:\u0000"),
}
WRONG = {
    "base64": ("Q", "QQ", "QQ=", "QQ===", "=QQ=", "QQ==QQ==", "QU-_", "QU I", "é===", "A" * 99, "QUJD" * 20 + "QU*D"),
    "iso8601": (
        "",
        "now",
        "1764066600",
        "2025-02-29",
        "1900-02-29",
        "1900366",
        "2025-1-1",
        "2025-11-25T",
        "2025-11-25T10:30Zz",
        "2025-11-25T24:01",
        "2016-12-31T23:59:61Z",
    ),
    "mime": ("", "png", "image/", "/png", "image/png/x", "a b/c", "imagé/png"),
    "uri": ("", "a/b", "1a:b", "my_app:x", ":x", "é:x", "a b:c"),
    "url": (
        "",
        "a",
        "x:",
        "https:",
        "https:a",
        "http:///a",
        "https://?",
        "https://a b",
        "x:%",
        "my_app://x",
        "x:\u0000",
    ),
}


def right_texts(narrow: Narrow) -> tuple[str, ...]:
    if narrow.format:
        return RIGHT[narrow.format]
    return (*narrow.begins, *(f"{each.upper()}x é" for each in narrow.begins))


def wrong_texts(narrow: Narrow) -> list[tuple[str, str]]:
    """With the severity of each."""
    if narrow.format:
        odd = [(text, "warning") for text in ODD.get(narrow.format, ())]
        return [*odd, *((text, "warning" if narrow.mild else "error") for text in WRONG[narrow.format])]
    near = ("", "x", *(each[:-1] for each in narrow.begins), *(f" {each}" for each in narrow.begins))
    return [(text, "error") for text in near]


def right_numbers(narrow: Narrow) -> list[float]:
    """Integers: other numbers may not be allowed."""
    bounds = [bound for bound in (narrow.low, narrow.high) if bound is not None]
    return [*bounds, *(float(bound) for bound in bounds), *([10**30] if narrow.high is None else [])]


def wrong_numbers(narrow: Narrow) -> list[int]:
    low = [narrow.low - 1, -(10**30)] if narrow.low is not None else []
    return [*low, *([narrow.high + 1, 10**30] if narrow.high is not None else [])]


def wrong_values(narrow: Narrow, now: Any) -> list[tuple[Any, str]]:
    """With the severity of each. `now`: what stands there, of which an array's items are taken."""
    if narrow.of == "string":
        return [*wrong_texts(narrow)]
    severity = "warning" if narrow.mild else "error"
    if narrow.of == "number":
        return [(number, severity) for number in wrong_numbers(narrow)]
    assert narrow.high is not None
    return [(now[:1] * count, severity) for count in (narrow.high + 1, 3 * narrow.high)] if now else []
