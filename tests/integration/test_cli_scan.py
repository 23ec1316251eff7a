"""framegauge scan on many lines, threads and options, and the configuration that it shares with check."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import framegauge as fg
from tests.integration.test_cli import COMMAND, HOSTILE, MEASURE, PING, ROOT, call, one_line, posix, run

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = (ROOT / "src/framegauge/samples/session.ndjson").read_bytes().removesuffix(b"\n") + b"\n"
UNSAFE = b'{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}\n'


def write_large(path: Path, size: int) -> None:
    """Whole sessions of the sample, clean lines between them."""
    block = (PING + b"\n") * 20_000 + SAMPLE
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)


def peak(*args: str | Path, timeout: int) -> tuple[bytes, int]:
    """What the command prints, and the most memory it took, in bytes."""
    command = [sys.executable, "-c", MEASURE, COMMAND, *args]
    done = subprocess.run(command, capture_output=True, timeout=timeout, check=True)
    return done.stdout, int(done.stderr.split()[-1]) * (1 if sys.platform == "darwin" else 1024)


# --- threads and memory -----------------------------------------------------------------------


@pytest.mark.parametrize("style", ["text", "json", "jsonl"])
def test_the_number_of_threads_changes_nothing(tmp_path: Path, style: str) -> None:
    write_large(tmp_path / "a.log", 12_000_000)
    for n in range(20):
        (tmp_path / f"b{n}.log").write_bytes(SAMPLE[n:])
    (tmp_path / "long.log").write_bytes(SAMPLE + b"x" * 17_000_000 + b"\n" + SAMPLE)
    one, four = (run("scan", ".", "--jobs", jobs, "--format", style, cwd=tmp_path) for jobs in ("1", "4"))
    assert (one.returncode, one.stderr) == (1, b"")
    assert one.stdout == four.stdout


@posix
@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    write_large(tmp_path / "a.log", 300_000_000)
    stdout, most = peak("scan", tmp_path / "a.log", "--format", "json", timeout=300)
    report = json.loads(stdout)
    sessions = report["kinds"]["empty"]
    assert report["bytes"] == (tmp_path / "a.log").stat().st_size
    assert report["frames"] == sessions * (20_000 + 52)
    assert {rule: result["count"] for rule, result in report["rules"].items()}["not-json"] == sessions
    assert 20_000_000 < most < 150_000_000


@posix
@pytest.mark.slow
@pytest.mark.parametrize("line", [b"\n", b"x\n"])
def test_memory_does_not_grow_with_the_lines(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "a.log").write_bytes(line * 4_000_000)
    _, most = peak("scan", tmp_path / "a.log", "--jobs", "2", timeout=300)
    assert most < 250_000_000


@posix
@pytest.mark.heavy
def test_memory_with_two_gigabytes(tmp_path: Path) -> None:
    write_large(tmp_path / "a.log", 2_000_000_000)
    stdout, most = peak("scan", tmp_path / "a.log", "--format", "json", timeout=900)
    assert json.loads(stdout)["bytes"] > 2_000_000_000
    assert most < 300_000_000


SIGNALS = (("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "terminated"), ("SIGHUP", 129, "hung up"))
LONG_SCANS = ([], ["--jobs", "1"], ["--format", "jsonl", "--output", "out"])


@posix
@pytest.mark.parametrize(
    ("options", "number", "status", "said"),
    # Each signal and each scan; the other pairs when there is time.
    [
        pytest.param(options, *each, marks=() if n == m or not m else pytest.mark.heavy)
        for n, options in enumerate(LONG_SCANS)
        for m, each in enumerate(SIGNALS)
    ],
)
def test_a_signal_ends_a_long_scan(tmp_path: Path, options: list[str], number: str, status: int, said: str) -> None:
    write_large(tmp_path / "a.log", 20_000_000)
    command = [COMMAND, "scan", *options, "a.log", "-"]
    with (tmp_path / "endless").open("wb") as file:
        file.truncate(1 << 36)  # 64 GiB of one line
    with (tmp_path / "endless").open("rb") as endless:
        process = subprocess.Popen(command, stdin=endless, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
        time.sleep(1)
        process.send_signal(signal.Signals[number])
        sent = time.monotonic()
        stdout, stderr = process.communicate(timeout=60)
    assert time.monotonic() - sent < 2
    assert process.returncode == status
    assert not stdout
    assert said in one_line(stderr)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))


@posix
@pytest.mark.parametrize(("number", "statuses"), [("SIGINT", (130, -signal.SIGINT)), ("SIGTERM", (143,))])
def test_signals_that_follow_the_first(tmp_path: Path, number: str, statuses: tuple[int, ...]) -> None:
    """A second Ctrl-C ends the program, where it is not at its end already; a second SIGTERM changes nothing."""
    with (tmp_path / "endless").open("wb") as file:
        file.truncate(1 << 36)  # 64 GiB of one line
    command = [COMMAND, "scan", "endless"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    time.sleep(1)
    for _ in range(6):
        process.send_signal(signal.Signals[number])
        time.sleep(0.03)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode in statuses
    assert not stdout
    if process.returncode > 0 or stderr:
        one_line(stderr)


@posix
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_findings_printed_before_a_signal_are_no_result(tmp_path: Path, number: str) -> None:
    (tmp_path / "a.log").write_bytes(b"oops\n" * 3_000_000)
    command = [COMMAND, "scan", "a.log", "--format", "jsonl"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    assert process.stdout
    first = json.loads(process.stdout.readline())
    process.send_signal(signal.Signals[number])
    stdout, stderr = process.communicate(timeout=60)
    assert first["rule"] == "not-json"
    assert process.returncode in (130, 143)
    one_line(stderr)
    assert b"framegauge.scan" not in stdout.splitlines()[-1]


# Runs the command with so many bytes more than it has when all is imported.
SHORT_OF_MEMORY = """
import resource, sys
import framegauge.bulk, framegauge.cli.scan
from framegauge.cli import main
framegauge.Gauge("2025-11-25").check_lines(b"{}")
pages = int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("more", [2, 14])
def test_too_little_memory_is_told(tmp_path: Path, jobs: str, more: int) -> None:
    """Not enough for a window, a thread, the rows of a window of short lines."""
    (tmp_path / "a.log").write_bytes(b"{}\n" * 6_000_000)
    options = ["scan", "--jobs", jobs, "--revision", "2025-11-25", "a.log"]
    done = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY, str(more << 20), *options],
        capture_output=True,
        check=False,
        timeout=60,
        cwd=tmp_path,
    )
    assert done.returncode == 3, done.stderr
    assert "not enough memory" in one_line(done.stderr)
    assert not done.stdout


# --- jsonl ------------------------------------------------------------------------------------


def test_jsonl_has_every_finding_and_the_summary_last(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes((b"oops\n" + PING + b"\n" + UNSAFE) * 100)
    done = run("scan", "a.log", "--format", "jsonl", cwd=tmp_path)
    *findings, summary = map(json.loads, done.stdout.splitlines())
    assert summary == json.loads(run("scan", "a.log", "--format", "json", cwd=tmp_path).stdout)
    assert [(f["line"], f["rule"]) for f in findings] == [
        place for n in range(0, 300, 3) for place in ((n + 1, "not-json"), (n + 3, "id-unsafe-integer"))
    ]
    judged = fg.Gauge().check(UNSAFE).findings[0].to_dict()
    assert findings[1] == {
        "file": "a.log",
        "line": 3,
        "offset": 46,
        "fault_offset": 22,
        "size": 55,
        "rule": "id-unsafe-integer",
        "severity": "warning",
        "path": "/id",
        "count": 1,
        "excerpt": UNSAFE.decode().strip(),
        **{name: judged[name] for name in ("message", "authority", "hint", "url", "revisions")},
    }
    assert summary["rules"]["id-unsafe-integer"]["first"][0] == {k: v for k, v in findings[1].items() if k != "rule"}


@posix
def test_a_reader_that_goes_away_ends_jsonl_quietly(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"oops\n" * 100_000)
    script = f'"{COMMAND}" scan a.log --format jsonl | head -n 1; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", script], capture_output=True, cwd=tmp_path, timeout=60, check=False)
    assert done.stdout.splitlines()[-1] == b"141"
    assert done.stderr == b""


def test_jsonl_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"oops\n" * 3)
    for target, status in (("out", 1), ("a.log", 2)):
        done = run("scan", ".", "--format", "jsonl", "--output", target, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (status, b"")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.log", "out"]
    assert (tmp_path / "a.log").read_bytes() == b"oops\n" * 3
    *findings, summary = map(json.loads, (tmp_path / "out").read_bytes().splitlines())
    assert (len(findings), summary["frames"], summary["skipped"]) == (3, 3, [])


# --- how it is judged -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "warning", "--ignore", "id-unsafe-integer"], 0),
        (["--fail-on", "warning", "--select", "id-null,id-type", "--select", "id-unsafe-integer"], 1),
        (["--fail-on", "warning", "--select", "id-null"], 0),
    ],
)
def test_status_by_severity_and_selection(options: list[str], status: int) -> None:
    assert call("scan", "-", *options, data=UNSAFE).returncode == status


def test_the_gauge_is_the_one_asked_for() -> None:
    data = b"[" + PING + b"]\n" + PING + b"\r\n"

    def rules(*options: str) -> dict[str, str]:
        done = call("scan", "-", "--format", "json", *options, data=data)
        return {rule: result["severity"] for rule, result in json.loads(done.stdout)["rules"].items()}

    assert rules("--revision", "2025-11-25") == {"batch-not-allowed": "error"}
    assert rules("--revision", "2025-03-26") == {}
    assert rules("--revision", "2025-03-26", "--transport", "stdio") == {"crlf": "info"}


@pytest.mark.parametrize(
    "options",
    [
        ["--jobs", "0"],
        ["--jobs", "-1"],
        ["--jobs", "x"],
        ["--jobs", "9" * 5000],
        ["--select", "nope"],
        ["--ignore", "\x9b"],
    ],
)
def test_wrong_usage(options: list[str]) -> None:
    done = call("scan", "-", *options, data=PING)
    assert (done.returncode, done.stdout) == (2, b"")
    assert one_line(done.stderr).isprintable()


def test_frames_never_reach_the_terminal_raw(tmp_path: Path) -> None:
    bad = [
        HOSTILE,
        b"\xff" * 300,
        b'{"id":"' + HOSTILE + b'","\xe2\x80\xae":1}',
        b'{"\\u001b":1,"\\u001b":2}',
        b"[" * 5000,
    ]
    (tmp_path / "a.log").write_bytes(b"\n".join(bad * 30))
    for style in ("text", "json", "jsonl"):
        for transport in ("stdio", "http"):
            done = call("scan", "a.log", "--format", style, "--transport", transport, cwd=tmp_path)
            assert (done.returncode, done.stderr) == (1, b"")
            assert not set(done.stdout) - set(range(32, 127)) - {10}


# --- configuration ----------------------------------------------------------------------------


def configured(folder: Path, section: str) -> None:
    (folder / "pyproject.toml").write_text(section, "utf-8")


def test_configuration_is_found_above_and_the_command_line_wins(tmp_path: Path) -> None:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    configured(
        tmp_path,
        '[tool.framegauge]\nignore = ["id-unsafe-integer"]\nrevision = "2025-11-25"\ndirection = "client-to-server"\n'
        'transport = "stdio"\nlimits = { max_depth = 2 }\n',
    )
    for folder in (tmp_path, tmp_path / "sub" / "deep"):
        for command in (["scan", "-"], ["check"]):
            options = [*command, "--fail-on", "warning"]
            assert call(*options, data=UNSAFE, cwd=folder).returncode == 0
            assert call(*options, "--no-config", data=UNSAFE, cwd=folder).returncode == 1
            assert call(*options, "--ignore", "crlf", data=UNSAFE, cwd=folder).returncode == 1
            assert call(*options, data=b"[[[]]]", cwd=folder).returncode == 1
    said = json.loads(call("check", "--format", "json", data=b"[[[]]]", cwd=tmp_path).stdout)
    assert [finding["rule"] for finding in said["findings"]] == ["nesting-limit"]
    assert (said["revision"], said["direction"], said["transport"]) == ("2025-11-25", "client-to-server", "stdio")
    said = json.loads(call("check", "--format", "json", "--revision", "2026-07-28", data=PING, cwd=tmp_path).stdout)
    assert said["revision"] == "2026-07-28"


def test_the_first_file_ends_the_search(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    configured(tmp_path, '[tool.framegauge]\nignore = ["id-unsafe-integer"]\n')
    configured(tmp_path / "sub", "[tool.other]\nx = 1\n")
    assert run("check", "--fail-on", "warning", data=UNSAFE, cwd=tmp_path / "sub").returncode == 1


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("colour = 1", "colour"),
        ('select = "id-null"', "select is a list"),
        ("select = [1]", "select is a list"),
        ("select = []", "select names no rule"),
        ('select = ["crlf"]\nignore = ["crlf"]', "ignore names every rule"),
        ('ignore = ["id-nul"]', "did you mean id-null"),
        ('revision = "2020-01-01"', "revision is one of"),
        ("revision = 2025-11-25", "revision is one of"),
        ("transport = []", "transport is one of"),
        ("direction = true", "direction is one of"),
        ("limits = 3", "limits is a table"),
        ("limits = { max_deep = 3 }", "max_deep"),
        ("limits = { max_depth = true }", "max_depth is an integer"),
        ("limits = { max_depth = -1 }", "max_depth is an integer"),
        ("limits = { max_depth = 99999999999999999999999 }", "max_depth is an integer"),
        ('"\\u001b[31m\\u202e" = 1', "has no key"),
        ("= nonsense", "cannot be read"),
        ("\udcff", "cannot be read"),
    ],
)
def test_a_wrong_configuration_is_one_line(tmp_path: Path, section: str, said: str) -> None:
    text = f"[tool.framegauge]\n{section}\n"
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    frame = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'  # good in all
    for command in (["scan", "-"], ["check", "--all-revisions"]):
        done = call(*command, data=frame, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, b"")
        assert said in one_line(done.stderr)
        assert one_line(done.stderr).isprintable()
        assert call(*command, "--no-config", data=frame, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nframegauge = 3\n", "x = " + "[" * 5000])
def test_a_file_of_another_shape_is_one_line(tmp_path: Path, text: str) -> None:
    configured(tmp_path, text)
    done = run("check", data=PING, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    one_line(done.stderr)
