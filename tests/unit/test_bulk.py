"""Lines, paths, excerpts and counts, without the command line around them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from framegauge import Kind, Limits
from framegauge.bulk import excerpt, find, lines, scan
from framegauge.bulk.scan import FIRST, LONGEST_METHOD, MOST_METHODS

if TYPE_CHECKING:
    from framegauge.bulk.lines import Line

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def read(data: bytes, limit: int | None = 100, buffer: int = 16) -> list[Line]:
    """Read with a buffer so small that most lines cross its end."""
    return list(lines.read_lines(io.BufferedReader(io.BytesIO(data), buffer), limit))


# --- lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"", []),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\nb", [b"a", b"b"]),
        (b"\n\na", [b"", b"", b"a"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"a\r\r\nb", [b"a\r", b"b"]),
        (b"a\rb\r", [b"a\rb\r"]),
        (b"a\x0b\x0c\x85\xe2\x80\xa8b\n", [b"a\x0b\x0c\x85\xe2\x80\xa8b"]),
        (b"x" * 100 + b"\r\n" + b"y" * 40, [b"x" * 100, b"y" * 40]),
    ],
)
def test_only_lf_ends_a_line_and_one_cr_before_it_is_dropped(data: bytes, texts: list[bytes]) -> None:
    found = read(data)
    assert [line.text for line in found] == texts
    assert [line.number for line in found] == list(range(1, len(texts) + 1))
    assert all(data[line.start :].startswith(line.text) for line in found)
    assert [line.start for line in found[1:]] + [len(data)] == [line.end for line in found] or not data


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
@pytest.mark.parametrize("size", [99, 100, 101, 102, 103, 104, 1000, lines.WINDOW, 2 * lines.WINDOW + 101])
def test_a_line_is_too_long_by_its_bytes_without_the_line_end(size: int, end: bytes) -> None:
    data = b"a\n" + b"x" * size + end + (b"b" if end else b"")
    found = read(data)
    assert [line.size for line in found] == [1, size, 1][: 3 if end else 2]
    assert found[1].end == 2 + size + len(end)
    assert len(found[1].text) == (size if size <= 100 else min(size, lines.HEAD, 102))
    assert found[-1].text == (b"b" if end else found[1].text)


def test_cr_and_lf_of_a_long_line_may_come_in_two_windows() -> None:
    most = 102  # what is read at first under a limit of 100
    for size in (most - 1, most, most + lines.WINDOW - 1):
        [line] = read(b"x" * size + b"\r\n")
        assert (line.size, line.end) == (size, size + 2)


def test_without_a_limit_every_line_is_whole() -> None:
    data = b"x" * 3_000_000
    assert [line.text for line in read(data + b"\n" + data, limit=None)] == [data, data]


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


def test_excerpt_cuts_between_characters() -> None:
    for shift in range(4):
        data = b"x" * shift + "\U0001f600".encode() * 100
        assert "\\x" not in excerpt.excerpt(data, 4 * 50 + shift)
    assert excerpt.excerpt(b"\x80" * 200, 100).count("\\x80") >= excerpt.WIDTH - 6


# --- reports ----------------------------------------------------------------------------------


def test_counts_and_places(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(PING + b"\r\n\n   \nlog line\n" + PING + PING)
    report = scan([log])
    assert (report.frames, report.bytes, report.complete) == (3, log.stat().st_size, True)
    assert report.kinds == {"request": 1, "empty": 2, "parse-error": 2}
    assert report.methods == {"ping": 1}
    places = {rule: (f.line, f.offset, f.fault_offset, f.size) for rule, r in report.rules.items() for f in r.first}
    assert places == {"not-json": (4, 47, 0, 8), "trailing-data": (5, 56, 40, 80)}


def test_a_limit_is_a_finding_and_too_long_a_line_has_its_real_length(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(PING + b"\n" + b"[" * 300 + b"\n" + b"x" * 5_000_000 + b"\n" + PING)
    report = scan([log], limits=Limits(max_frame_bytes=1000))
    [large] = report.rules["frame-too-large"].first
    assert (large.line, large.fault_offset, large.size) == (3, 1000, 5_000_000)
    assert large.excerpt == "x" * 60 + "..."
    assert report.rules["nesting-limit"].first[0].fault_offset == 256
    assert report.kinds == {"request": 2, "invalid": 2}
    assert report.bytes == log.stat().st_size


def test_the_first_findings_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"text\n" * 1000)
    result = scan([log]).rules["not-json"]
    assert (result.count, len(result.first), result.first[-1].line) == (1000, FIRST, FIRST)


def test_frames_cannot_make_the_report_large(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    methods = [f"m{i}" for i in range(MOST_METHODS - 1)] + ["x" * (LONGEST_METHOD + 1)] + ["last", "over", "last", "m0"]
    log.write_bytes(b"".join(b'{"jsonrpc":"2.0","method":"%s"}\n' % method.encode() for method in methods))
    report = scan([log])
    assert len(report.methods) == MOST_METHODS
    assert (report.methods["last"], report.methods["m0"], report.methods_other) == (2, 2, 2)


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
    size = len(PING) + 1
    assert seen == [(size * n, size * 6) for n in range(1, 7)]


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
