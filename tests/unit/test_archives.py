"""The seam through which scan reads: which format a file has, and what its reader yields."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.archives import READERS, Lines, Reader, Record, open_records
from framegauge.bulk import scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from framegauge.archives.stream import Stream
    from framegauge.bulk import Finding

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
CLIENT, SERVER = "client-to-server", "server-to-client"
MARK = b"#traffic\n"


def read_traffic(stream: Stream, longest: int | None) -> Iterator[Record]:
    """A format for these tests: a mark, then lines of a time, a direction and a frame as JSON text."""
    data = stream.read(1 << 20)
    assert longest is None or longest > 0
    start = len(MARK)
    for number, line in enumerate(data[start:].splitlines(keepends=True), 2):
        at, direction, frame = json.loads(line)
        yield Record(start, start + len(line), number, frame.encode("latin-1"), direction, at)
        start += len(line)


TRAFFIC = Reader(read_traffic, (".traffic",), lambda head: head.startswith(MARK))


def traffic(*frames: tuple[float, str | None, bytes]) -> bytes:
    entries = [json.dumps([at, direction, frame.decode("latin-1")]).encode() + b"\n" for at, direction, frame in frames]
    return MARK + b"".join(entries)


@pytest.fixture(autouse=True)
def _with_traffic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, "traffic", TRAFFIC)


def test_lines_are_the_format_of_any_file(tmp_path: Path) -> None:
    for name, data in {"a.log": PING, "b": b"", "c.ndjson": PING + b"\n" + PING, "d.har": b"\xff\n"}.items():
        (tmp_path / name).write_bytes(data)
        with open_records(tmp_path / name) as records:
            assert records.format == "ndjson"
            pieces = list(records)
            assert records.tell() == len(data)
        assert b"".join(bytes(piece.data) for piece in pieces if isinstance(piece, Lines)) == data


@pytest.mark.parametrize("name", ["a.traffic", "A.TRAFFIC", "a.log", "a"])
def test_a_format_is_known_by_suffix_or_first_bytes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(traffic((1.5, SERVER, PING)))
    with open_records(str(tmp_path / name)) as records:
        assert records.format == "traffic"
        [record] = records
    assert record == Record(len(MARK), (tmp_path / name).stat().st_size, 2, PING, SERVER, 1.5)
    with open_records(tmp_path / name, "ndjson") as records:
        assert [type(piece) for piece in records] == [Lines]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_first_bytes_of_a_pipe_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    data = traffic(*((float(n), None, PING) for n in range(2000)))
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    with open_records(path) as records:
        assert (records.format, len(list(records))) == ("traffic", 2000)
    writer.join()


def test_refused() -> None:
    with pytest.raises(ValueError, match="format is one of auto, ndjson, traffic; not 'har'"):
        open_records("a", "har")
    with pytest.raises(FileNotFoundError):
        open_records("/no/such/file")


def test_a_line_longer_than_a_window_and_the_limit_is_not_held(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (9 << 20) + b"\n" + PING)
    with open_records(tmp_path / "a", longest=200) as records:
        long, rest = records
    assert isinstance(long, Lines)
    assert isinstance(rest, Lines)
    assert (long.too_long, len(long.data) < 200, rest.data) == (9 << 20, True, PING)


def test_a_file_is_closed_where_its_reader_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Any] = []

    def begins(head: bytes) -> bool:
        raise MemoryError

    monkeypatch.setitem(READERS, "traffic", TRAFFIC._replace(begins=begins))
    real = fg.archives.open_stream
    monkeypatch.setattr(fg.archives, "open_stream", lambda path: closed.append(real(path)) or closed[0])
    (tmp_path / "a").write_bytes(PING)
    with pytest.raises(MemoryError):
        open_records(tmp_path / "a")
    assert closed[0].closed


# --- records in a scan ------------------------------------------------------------------------

TOOLS = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
SAMPLE = b'{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
FRAMES = (
    (1.0, None, PING),
    (2.0, SERVER, TOOLS),  # only a client sends it
    (3.0, CLIENT, TOOLS),
    (4.0, CLIENT, SAMPLE),  # only a server sends it
    (5.0, None, b"oops"),
    (6.0, None, b'{"jsonrpc":"2.0","id":1,"method":"mine"}'),
    (7.0, None, b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 200 + b'"}'),
    (8.0, None, b" "),
    (9.0, None, b'[{"jsonrpc":"2.0","id":null,"method":"ping"},{"jsonrpc":"2.0","id":null,"method":"ping"}]'),
)


@pytest.mark.parametrize("jobs", [1, 3])
def test_records_are_judged_one_by_one(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "a").write_bytes(traffic(*FRAMES))
    gauge = fg.Gauge("2025-03-26")
    found: list[Finding] = []
    report = scan([tmp_path / "a"], gauge=gauge, jobs=jobs, on_finding=found.append)
    [file] = report.files
    assert (file.format, file.frames, file.error) == ("traffic", len(FRAMES) - 1, None)
    assert file.bytes == (tmp_path / "a").stat().st_size
    verdicts = [gauge.check(frame, direction=direction) for _, direction, frame in FRAMES]
    expected = [(n, each.rule, each.offset, each.path) for n, v in enumerate(verdicts, 2) for each in v.findings]
    assert [(each.line, each.rule, each.fault_offset, each.path) for each in found] == expected
    assert [each.line for each in found if each.rule == "wrong-direction"] == [3, 5]
    assert {rule: result.count for rule, result in report.rules.items()} == {
        rule: sum(any(each.rule == rule for each in v.findings) for v in verdicts)
        for rule in {each.rule for v in verdicts for each in v.findings}
    }
    assert report.rules["id-null"].count == 1  # frames, not places
    assert report.methods == {"ping": 1, "tools/list": 2, "roots/list": 1}
    assert (report.other_methods, report.methods_other) == ({"mine": 1}, 1)
    assert report.kinds["empty"] == 1
    data = (tmp_path / "a").read_bytes()
    assert all(data[each.offset - 1 : each.offset + 1] == b"\n[" for each in found)


def test_records_and_lines_in_one_scan(tmp_path: Path) -> None:
    (tmp_path / "a.traffic").write_bytes(traffic((1.0, None, PING), (2.0, None, b"oops")))
    (tmp_path / "b").write_bytes(PING + b"\noops\n")
    report = scan([tmp_path])
    assert [file.format for file in report.files] == ["traffic", "ndjson"]
    assert [(each.file[-1], each.line) for each in report.rules["not-json"].first] == [("c", 3), ("b", 2)]
    assert report.rules["not-json"].count == 2


def test_only_the_first_of_each_rule_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(traffic(*((float(n), None, b"oops") for n in range(50))))
    result = scan([tmp_path], jobs=1).rules["not-json"]
    assert (result.count, [each.line for each in result.first]) == (50, list(range(2, 22)))


def test_a_file_that_cannot_be_opened_has_no_format(tmp_path: Path) -> None:
    report = scan([tmp_path / "none"])
    assert report.files[0].format is None
    assert report.to_dict()["files"][0]["format"] is None
