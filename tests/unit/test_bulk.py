"""Windows, paths, excerpts and counts, without the command line around them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from framegauge import Gauge, Kind, Limits
from framegauge.archives import READERS, Reader
from framegauge.archives import ndjson as windows
from framegauge.archives.stream import Stopping
from framegauge.bulk import inputs as find
from framegauge.bulk import judge_window as judge
from framegauge.bulk import scan
from framegauge.bulk import workers as order
from framegauge.bulk.summary import FIRST, LONGEST_METHOD, MOST_METHODS
from framegauge.explain import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from framegauge.archives import Lines
    from framegauge.bulk import Finding, Report

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


# --- windows ----------------------------------------------------------------------------------


def read(data: bytes, limit: int | None = 100, size: int = 16) -> list[Lines]:
    """Read with windows so small that most lines cross their ends."""
    return list(windows.read_lines(io.BytesIO(data), limit, size))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 1000])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a",
        b"a\n",
        b"\n",
        b"\n\n\n",
        b"a\nbb\nccc",
        b"x" * 100 + b"\n" + b"y" * 99 + b"\nz",
        b"a\r\nb\rc\x0b\n" * 9,
    ],
)
def test_windows_are_whole_lines_and_all_there_is(data: bytes, size: int) -> None:
    found = read(data, size=size)
    assert b"".join(window.data for window in found) == data
    assert all(bytes(window.data).endswith(b"\n") for window in found[:-1])
    assert [window.start for window in found] + [len(data)] == [0] + [window.end for window in found] or not data
    assert all(window.too_long is None for window in found)


@pytest.mark.parametrize("size", [1, 3, 16, 101, 1000, 5000])
@pytest.mark.parametrize("line", [101, 102, 150, 1000])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nb", b"\nb\n"])
def test_a_line_that_is_too_long_is_told_by_its_size(line: int, end: bytes, size: int) -> None:
    found = read(b"a\n" + b"x" * line + end, size=size)
    if any(window.too_long for window in found):
        [long] = [window for window in found if window.too_long is not None]
        assert (long.start, long.end, long.too_long) == (2, 2 + line + (1 if end else 0), line)
        assert long.data == b"x" * windows.HEAD
    else:  # it was held with its end, and the gauge sees it
        assert line <= windows.HEAD + size
    assert found[-1].end == 2 + line + len(end)
    assert not end.endswith(b"b") or found[-1].data.endswith(b"b")


def test_without_a_limit_every_line_is_whole() -> None:
    data = b"x" * 3_000
    assert [window.data for window in read(data + b"\n" + data, limit=None)] == [data + b"\n", data]


class Pipe(io.BytesIO):
    def seekable(self) -> bool:
        return False


def test_windows_of_a_pipe_are_those_of_a_file() -> None:
    """A message over several lines is found as one, or not, whichever way it comes."""
    rng = Random(8)
    seen = 0
    for _ in range(300):
        data = b"\n".join(b"x" * rng.choice((0, 1, 3, 10, 40)) for _ in range(rng.randrange(60)))
        for limit in (None, 25):
            size = rng.randrange(8, 40)
            kinds = (io.BytesIO(data), Pipe(data))
            file, pipe = ([w._replace(data=bytes(w.data)) for w in windows.read_lines(of, limit, size)] for of in kinds)
            assert file == pipe
            seen += len(file)
    assert seen > 1000


def test_a_file_ends_where_nobody_wants_more_of_it() -> None:
    stopped = threading.Event()
    stream = io.BytesIO(b"x\n" * 30)
    stopping = Stopping(stream, stopped.is_set)
    found = windows.read_lines(stopping, None, 10)
    assert bytes(next(found).data) == b"x\n" * 5
    stopped.set()
    assert list(found) == []
    assert stream.tell() == 10


# --- threads ----------------------------------------------------------------------------------


@pytest.mark.parametrize("in_threads", [False, True])
@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_results_come_in_the_order_of_the_work(jobs: int, in_threads: bool) -> None:
    def slowly(n: int) -> int:
        time.sleep(0.002 * (n % 3 == 0))  # others overtake it
        return n * n

    for size in (0, 1, 2, 100):
        squares = order.in_order(slowly, range(size), jobs, stopped=threading.Event() if in_threads else None)
        assert list(squares) == [n * n for n in range(size)]


@pytest.mark.parametrize("in_threads", [False, True])
def test_work_is_asked_by_one_thread_at_a_time(in_threads: bool) -> None:
    """The caller's, where that has to be interrupted while it waits."""
    asking: list[str] = []
    asked = 0

    def work() -> Iterator[int]:
        nonlocal asked
        for n in range(50):
            asking.append(threading.current_thread().name)
            before, asked = asked, asked + 1
            time.sleep(0.001)
            assert before == n
            yield n

    stopped = threading.Event() if in_threads else None
    assert list(order.in_order(lambda n: n, work(), 3, stopped=stopped)) == list(range(50))
    here = threading.current_thread().name
    assert len(asking) == 50
    assert (here not in asking) if in_threads else set(asking) == {here}


def test_little_work_is_held_and_whoever_stops_early_does_not_wait_for_the_rest() -> None:
    asked: list[int] = []
    gate = threading.Event()

    def work() -> Iterator[int]:
        for n in range(1000):
            asked.append(n)
            if n == 3:
                gate.set()
            yield n

    results = order.in_order(lambda n: gate.wait(10) and n, work(), 2)
    assert next(results) == 0
    assert len(asked) <= 5
    results.close()
    assert len(asked) <= 5


def test_threads_that_wait_for_work_are_told_that_nobody_wants_more() -> None:
    stopped = threading.Event()

    def work() -> Iterator[int]:
        yield 0
        assert stopped.wait(10)

    results = order.in_order(lambda n: n, work(), 2, stopped=stopped)
    assert next(results) == 0
    started = time.monotonic()
    results.close()
    assert time.monotonic() - started < 5


@pytest.mark.parametrize("stopped", [None, threading.Event()])
def test_an_error_in_a_thread_reaches_the_caller(stopped: threading.Event | None) -> None:
    with pytest.raises(ZeroDivisionError):
        list(order.in_order(lambda n: 1 // n, [1, 0, 1], 2, stopped=stopped))
    failing = map(int, ["1", "none"])
    with pytest.raises(ValueError, match="none"):
        list(order.in_order(lambda n: n, failing, 2, stopped=stopped))


# --- paths ------------------------------------------------------------------------------------


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for name in ("b.log", "a.log", "sub/deep/c.bin", ".hidden", ".git/config", "sub/.x"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(PING + b"\n")
    return tmp_path


def below(path: str, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def names(found: find.Found, folder: Path) -> list[str]:
    return [below(source.path, folder) for source in found.sources]


def test_a_folder_is_read_in_order_and_what_is_hidden_is_said(logs: Path) -> None:
    found = find.find([logs])
    assert names(found, logs) == ["a.log", "b.log", "sub/deep/c.bin"]
    skipped = {below(item.path, logs): item.reason for item in found.skipped}
    assert skipped == {".git": "hidden", ".hidden": "hidden", "sub/.x": "hidden"}
    assert found.size == 3 * (len(PING) + 1)


def test_hidden_files_are_read_where_they_are_named(logs: Path) -> None:
    assert names(find.find([logs / ".hidden", logs / ".git"]), logs) == [".hidden", ".git/config"]


def test_patterns_are_expanded_unless_a_file_is_called_that(logs: Path) -> None:
    assert names(find.find([f"{logs}/*.log"]), logs) == ["a.log", "b.log"]
    assert names(find.find([f"{logs}/**/*.bin"]), logs) == ["sub/deep/c.bin"]
    [missing] = find.find([f"{logs}/*.nothing"]).sources
    assert missing.error
    (logs / "[ab].log").write_bytes(b"")
    assert names(find.find([f"{logs}/[ab].log"]), logs) == ["[ab].log"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")
def test_links_are_followed_and_nothing_is_read_twice(logs: Path) -> None:
    (logs / "loop").symlink_to(logs)
    (logs / "c.log").symlink_to("a.log")
    (logs / "dangling").symlink_to("nowhere")
    os.mkfifo(logs / "pipe")
    found = find.find([logs, logs / "a.log"])
    again = "already scanned under another name or path"
    reasons = {below(item.path, logs): item.reason for item in found.skipped if item.reason != "hidden"}
    assert reasons == {"c.log": again, "loop": again, "pipe": "not a regular file", "a.log": again}
    assert [source.error for source in found.sources if source.error] == ["No such file or directory"]
    # It is read where somebody names it, and not where a pattern does: nobody may write into it.
    assert below(find.find([f"{logs}/pip*"]).skipped[0].path, logs) == "pipe"
    assert names(find.find([logs / "pipe"]), logs) == ["pipe"]


@pytest.mark.skipif(sys.platform == "win32", reason="paths are too short for it")
def test_folders_may_be_deeper_than_the_stack_of_python(tmp_path: Path) -> None:
    here = Path.cwd()
    try:
        os.chdir(tmp_path)
        for _ in range(1100):
            Path("d").mkdir()
            os.chdir("d")
        os.chdir(tmp_path)
        assert find.find(["."]).sources == []
        [source] = find.find(["**/none"]).sources  # glob is recursive; where it gives up that is told
        assert source.error
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-r", tmp_path / "d"], check=True)  # pytest's own cleaning is recursive


@pytest.mark.parametrize("path", ["", "no\0such"])
def test_impossible_names_are_errors_of_that_file(path: str) -> None:
    [source] = find.find([path]).sources
    assert source.error


# --- excerpts ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b'{"a":1}', '{"a":1}'),
        (b"\x00\x1b[31m\x7f\t", "\\x00\\x1b[31m\\x7f\\x09"),
        (b"\xff\xc3(", "\\xff\\xc3("),
        ("é\u200b\u202e\ufeff\U0001f600".encode(), "\\u00e9\\u200b\\u202e\\ufeff\\U0001f600"),
        (b"", ""),
    ],
)
def test_excerpt_is_printable_ascii(data: bytes, shown: str) -> None:
    assert excerpt.excerpt(data, 0) == shown


def test_excerpt_shows_the_byte_at_fault_and_at_most_sixty() -> None:
    data = bytes(range(33, 127)) * 3
    for at in range(len(data) + 1):
        shown = excerpt.excerpt(data, at)
        inner = shown.removeprefix("...").removesuffix("...").encode()
        assert len(inner) == excerpt.WIDTH
        assert inner in data
        assert chr(data[min(at, len(data) - 1)]).encode() in inner
        assert shown.startswith("...") == (at > excerpt.BEFORE)


@pytest.mark.parametrize("width", [30, 60, 100])
def test_the_pointer_stands_below_the_byte(width: int) -> None:
    for data in (b"short", bytes(range(33, 127)) * 5, "\u202eé".encode() * 50 + b"!" + b"\x00\xff" * 90):
        for at in range(len(data) + 1):
            shown, column = excerpt.pointed(data, at, width)
            assert len(shown) <= width
            assert shown.isascii()
            assert shown.isprintable()
            if at == len(data):
                assert column == len(shown)
            elif 33 <= data[at] < 127:
                assert shown[column] == chr(data[at])
            elif data[at] & 0xC0 != 0x80:
                assert shown[column] == "\\"


def test_excerpt_cuts_between_characters() -> None:
    for shift in range(4):
        data = b"x" * shift + "\U0001f600".encode() * 100
        assert "\\x" not in excerpt.excerpt(data, 4 * 50 + shift)
    assert excerpt.excerpt(b"\x80" * 200, 100).count("\\x80") >= excerpt.WIDTH - 6


# --- reports ----------------------------------------------------------------------------------


def places(report: Report) -> dict[str, tuple[int, int, int, int]]:
    return {rule: (f.line, f.offset, f.fault_offset, f.size) for rule, r in report.rules.items() for f in r.first}


def test_counts_and_places(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(PING + b"\r\n\n   \nlog line\n" + PING + PING)
    report = scan([log], gauge=Gauge(ignore=["empty-frame"]))
    assert (report.frames, report.bytes, report.complete) == (3, log.stat().st_size, True)
    assert report.kinds == {"request": 1, "empty": 2, "parse-error": 2}
    assert report.methods == {"ping": 1}
    assert places(report) == {"not-json": (4, 47, 0, 8), "trailing-data": (5, 56, 40, 80)}


def test_a_limit_is_a_finding_and_too_long_a_line_has_its_real_length(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(PING + b"\n" + b"[" * 300 + b"\n" + b"x" * 9_000_000 + b"\n" + PING)
    report = scan([log], gauge=Gauge(limits=Limits(max_frame_bytes=1000)))
    [large] = report.rules["frame-too-large"].first
    assert (large.line, large.fault_offset, large.size) == (3, 1000, 9_000_000)
    assert large.excerpt == "x" * 60 + "..."
    assert report.rules["nesting-limit"].first[0].fault_offset == 256
    assert report.kinds == {"request": 2, "invalid": 2}
    assert report.bytes == log.stat().st_size


@pytest.mark.parametrize("size", [2_000, 9_000_000])  # inside a window, beyond it
def test_too_long_a_line_is_the_same_finding_wherever_windows_end(tmp_path: Path, size: int) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(PING + b"\n" + b"x" * size + b"\n")
    gauge = Gauge(limits=Limits(max_frame_bytes=1000))
    [found] = scan([log], gauge=gauge).rules["frame-too-large"].first
    assert (found.severity, found.path, found.count, found.line) == ("error", "", 1, 2)
    assert found.message == gauge.check(b"x" * size).findings[0].message
    assert found.excerpt == "x" * 60 + "..."
    assert not scan([log], gauge=Gauge(limits=gauge.limits, ignore=["frame-too-large"])).rules


def test_the_first_findings_are_kept_and_all_are_counted_and_told(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"text\n" * 1000)
    told: list[Finding] = []
    result = scan([log], on_finding=told.append).rules["not-json"]
    assert (result.count, len(result.first), result.first[-1].line) == (1000, FIRST, FIRST)
    assert [finding.line for finding in told] == list(range(1, 1001))


def test_many_findings_are_told_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"oops\n" * 500 + PING + b"\n" + b'{"id":null}\n' * 500)
    told: list[list[Finding]] = []
    for held in (10_000, 700, 0):
        monkeypatch.setattr(judge, "MOST_HELD", held)
        told.append([])
        scan([tmp_path], on_finding=told[-1].append)
    assert told[0] == told[1] == told[2]
    assert told[0][-1].line == 1001


def test_the_most_severe_counts(tmp_path: Path) -> None:
    """Of a rule with several severities the first 20 rows may be the mild ones."""
    log = tmp_path / "a.log"
    mild = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}\n'
    severe = b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n'
    log.write_bytes(mild * 100)
    assert scan([log]).rules["lone-surrogate"].severity == "warning"
    log.write_bytes(mild * 100 + severe + mild)
    result = scan([log]).rules["lone-surrogate"]
    assert (result.severity, result.count) == ("error", 102)
    assert {finding.severity for finding in result.first} == {"warning"}
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"%s"}]\n'
    log.write_bytes(batch % b"a" + batch % b"\\ud800")
    assert scan([log], gauge=Gauge(revision="2025-03-26")).rules["lone-surrogate"].severity == "error"


def test_lines_count_through_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [PING if n % 7 else b"oops %d" % n for n in range(1, 2000)]
    (tmp_path / "a").write_bytes(b"\n".join(lines))
    (tmp_path / "b").write_bytes(b"\noops 2")
    small = Reader(lambda stream, limit: windows.read_lines(stream, limit, 1000))
    monkeypatch.setitem(READERS, "ndjson", small)
    for jobs in (1, 3):
        told: list[Finding] = []
        scan([tmp_path], jobs=jobs, on_finding=told.append)
        assert all(f.excerpt == f"oops {f.line}" for f in told)
        assert len(told) == 1999 // 7 + 1
        assert told[0].offset == 6 * 41


def test_a_message_over_several_lines_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(PING + b'\n{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "method": "ping"\n}\n' + PING)
    report = scan([tmp_path], gauge=Gauge(transport="stdio"))
    assert {rule: (result.count, result.first[0].line) for rule, result in report.rules.items()} == {
        "embedded-newline": (1, 2)
    }


def test_frames_cannot_make_the_report_large(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    methods = [f"m{i}" for i in range(MOST_METHODS - 1)] + ["x" * (LONGEST_METHOD + 1)] + ["last", "over", "last", "m0"]
    methods += ["ping", "x" * 100_000, "\\u006d0"]
    log.write_bytes(b"".join(b'{"jsonrpc":"2.0","method":"%s"}\n' % method.encode() for method in methods))
    report = scan([log])
    assert len(report.other_methods) == MOST_METHODS
    assert (report.other_methods["last"], report.other_methods["m0"], report.methods_other) == (2, 3, 3)
    assert report.to_dict()["methods"] == dict(sorted((report.other_methods | report.methods).items()))
    assert report.methods == {"ping": 1}


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(PING)
    report = scan([tmp_path / "missing", tmp_path / "good"])
    assert [file.error for file in report.files] == ["No such file or directory", None]
    assert (report.complete, report.frames) == (False, 1)


def test_progress_is_told_of_every_byte(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).write_bytes((PING + b"\n") * 3)
    seen: list[tuple[int, int | None]] = []
    scan([tmp_path], progress=lambda done, total: seen.append((done, total)))
    size = 3 * (len(PING) + 1)
    assert seen == [(size, size * 2), (size * 2, size * 2)]


def test_the_dict_has_the_fields_of_the_contract(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    report = scan([tmp_path]).to_dict()
    assert report["schema"] == "framegauge.scan/1"
    contract = {"complete", "frames", "bytes", "files", "kinds", "methods", "rules", "not_judged"}
    assert contract <= set(report)
    assert set(report["files"][0]) >= {"path", "format", "frames", "bytes", "error"}
    [finding] = report["rules"]["not-json"]["first"]
    assert set(finding) >= {"file", "line", "offset", "fault_offset", "excerpt"}
    assert set(report["kinds"]) == {kind.value for kind in Kind}


@pytest.mark.parametrize("turned", [False, True])
def test_the_severity_of_a_rule_is_the_highest_of_any_line(turned: bool) -> None:
    """Whatever comes first, and also where the lines have the same facts and rules."""
    pairs = {
        "param-type": (
            b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"maxTokens":1.5,"messages":[]}}\n',
            b'{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"maxTokens":null,"messages":[]}}\n',
        ),
        "unknown-method": (
            b'{"jsonrpc":"2.0","method":"notifications/x"}\n',
            b'{"jsonrpc":"2.0","method":"notifications/initialised"}\n',
        ),
    }
    gauge = Gauge("2025-11-25")
    for rule, lines in pairs.items():
        assert gauge.check_lines(lines[0]).severities()[rule] != "error"
        assert gauge.check_lines(b"".join(lines[::-1] if turned else lines)).severities() == {rule: "error"}
