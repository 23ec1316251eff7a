"""scan where a window has more rows than one call judges."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from framegauge import Gauge
from framegauge.archives import ndjson as windows
from framegauge.bulk import judge_window as judge
from framegauge.bulk import scan

if TYPE_CHECKING:
    from pathlib import Path

    from framegauge.bulk import Finding

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def test_lines_count_through_calls_that_end_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of short lines there are more in a window than one call judges."""
    calls: list[int] = []
    verdicts = judge.Verdicts

    def counted(*args: Any, **options: Any) -> Any:
        made = verdicts(*args, **options)
        calls.append(len(made))
        return made

    monkeypatch.setattr(judge, "Verdicts", counted)
    (tmp_path / "a").write_bytes((b"\n" * 69_999 + b"oops\n") * 16 + b"{\n" * 300_000 + b"oops")
    told: list[Finding] = []
    report = scan([tmp_path], jobs=1, on_finding=told.append)
    assert [f.line for f in told if f.excerpt == "oops"] == [70_000 * n for n in range(1, 17)] + [16 * 70_000 + 300_001]
    assert report.kinds["empty"] == 16 * 69_999
    assert len(calls) > 5
    assert max(calls) <= 2 * judge.MOST_ROWS


def pretty(items: int) -> bytes:
    arguments = {"a": list(range(items))}
    call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "x", "arguments": arguments}}
    return json.dumps(call, indent=1).encode() + b"\n"


@pytest.mark.parametrize(
    ("lines", "items", "found"),
    [(255_000, (40_000,), 1), (262_100, (100, 100_000, 100), 3), (250_000, (5_000,) * 6, 6), (9, (262_130,), 1)],
)
def test_messages_over_lines_where_calls_end(tmp_path: Path, lines: int, items: tuple[int, ...], found: int) -> None:
    """A call ends in the middle of them; the next one begins with that message."""
    data = b"{}\n" * lines + b"".join(map(pretty, items)) + PING + b"\n"
    (tmp_path / "a").write_bytes(data)
    assert len(data) < windows.WINDOW
    report = scan([tmp_path / "a"], gauge=Gauge("2025-11-25"))
    whole = Gauge("2025-11-25").check_lines(data).rule_counts()
    assert {rule: result.count for rule, result in report.rules.items()} == whole
    assert whole["embedded-newline"] == found
    assert "not-json" not in whole


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_gets_shorter_is_not_read_as_a_whole(tmp_path: Path, jobs: int) -> None:
    """As one is that a log rotation cuts; what was there is reported."""
    file = tmp_path / "a.log"
    file.write_bytes(b"oops\n" + (PING + b"\n") * 2_000_000)
    size, left = file.stat().st_size, 3 * windows.WINDOW
    report = scan([file], jobs=jobs, on_finding=lambda _: os.truncate(file, left))
    [told] = report.files
    assert told.error == "it got shorter while it was read"
    assert left <= told.bytes < size
    assert scan([file], jobs=jobs).files[0].error is None
