"""The installed command, in processes of its own. The expected results of the sample are files in tests/vectors/cli;
after a wanted change, write the command's output there and read the difference.

The other files start it where the process is tested, and call `main` where only the options and the result are."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from framegauge.cli import main

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "vectors" / "cli"
COMMAND = shutil.which("framegauge", path=sysconfig.get_path("scripts")) or "framegauge is not installed"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
HOSTILE = b"\x1b]0;owned\x07\xe2\x80\xae\xff\x9b31m\r"

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals, links or pipes")


def run(
    *args: str | bytes | Path, data: bytes = b"", cwd: Path = ROOT, **env: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [COMMAND, *args], input=data, capture_output=True, cwd=cwd, env=os.environ | env, timeout=60, check=False
    )


def call(*args: str | bytes | Path, data: bytes = b"", cwd: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    """What `run` returns, by `main` in this process: a pipe for standard input, and files for what is printed."""
    reader, writer = os.pipe()

    def feed() -> None:
        with contextlib.suppress(BrokenPipeError), os.fdopen(writer, "wb", buffering=0) as pipe:
            pipe.write(data)

    feeder = threading.Thread(target=feed)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdout = io.TextIOWrapper(out, "utf-8", newline="\n", write_through=True)
        stderr = io.TextIOWrapper(err, "utf-8", "backslashreplace", newline="\n", write_through=True)
        with os.fdopen(reader, encoding="utf-8") as stdin, contextlib.chdir(cwd):
            feeder.start()
            with mock.patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr):
                status = main([os.fsdecode(arg) for arg in args])
        feeder.join(timeout=60)
        shown = []
        for text in (stdout, stderr):
            text.flush()
            file = text.detach()
            file.seek(0)
            shown.append(file.read())
    return subprocess.CompletedProcess(args, status, *shown)


def one_line(stderr: bytes) -> str:
    """The complaint: one line, no traceback."""
    lines = stderr.decode("ascii").splitlines()
    assert len(lines) == 1, stderr
    assert lines[0].startswith("framegauge: ")
    return lines[0]


# --- results ----------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["text", "json", "jsonl"])
def test_the_sample(style: str) -> None:
    done = run("scan", "src/framegauge/samples", "--format", style)
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout == (GOLDEN / f"sample.{style.replace('text', 'txt')}").read_bytes()


def test_module_and_command_are_the_same() -> None:
    command = [sys.executable, "-m", "framegauge", "scan", "src/framegauge/samples"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, (GOLDEN / "sample.txt").read_bytes())


def test_standard_input_lines_and_last_line_without_lf() -> None:
    done = run("scan", "-", "--format", "json", data=PING + b"\r\n\n" + PING)
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (report["frames"], report["bytes"], report["kinds"]["empty"]) == (2, 83, 1)
    assert report["files"] == [{"path": "-", "format": "ndjson", "frames": 2, "bytes": 83, "error": None}]


def test_a_line_across_the_ends_of_windows(tmp_path: Path) -> None:
    long = b'{"jsonrpc":"2.0","id":1,"result":{"text":"%s"}}\n' % (b"x" * 700_000)
    (tmp_path / "a.log").write_bytes(long * 5 + b"oops\n" + long)
    done = run("scan", "*.log", "--format", "json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert report["kinds"]["success"] == 6
    [finding] = report["rules"]["not-json"]["first"]
    assert (finding["line"], finding["offset"], finding["excerpt"]) == (6, 5 * len(long), "oops")


def test_version() -> None:
    done = run("--version", SIMDJSON_FORCE_IMPLEMENTATION="fallback")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0
    assert [line.split()[0] for line in lines] == ["framegauge", "simdjson", "kernel", "warning:"]
    assert lines[2] == "kernel fallback"
    assert b"warning" not in run("--version").stdout or b"kernel fallback" in run("--version").stdout


def test_help_explains_bytes_and_statuses() -> None:
    done = run("scan", "--help")
    assert done.returncode == 0
    assert b"BYTE from 0" in done.stdout
    assert b"exit status" in done.stdout


# --- exit status ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "options", "status"),
    [
        (PING, [], 0),
        (b"oops", [], 1),
        (b"oops", ["--fail-on", "warning"], 1),
        (b"oops", ["--fail-on", "never"], 0),
    ],
)
def test_status_of_findings(data: bytes, options: list[str], status: int) -> None:
    assert run("scan", "-", *options, data=data).returncode == status


@pytest.mark.parametrize("data", [b"", b"\n\n", b" \r\n\t\n"])
def test_no_frame_is_no_pass(data: bytes) -> None:
    done = run("scan", "-", "--fail-on", "never", data=data)
    assert done.returncode == 3
    assert "nothing was judged" in one_line(done.stderr)


def test_an_empty_folder_is_no_pass(tmp_path: Path) -> None:
    done = run("scan", tmp_path)
    assert done.returncode == 3
    assert "nothing was judged" in one_line(done.stderr)


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["scan"],
        ["nonsense"],
        ["scan", "x", "--format", "\x1b[31m"],
        ["scan", "x", "--wrong\x1b"],
        ["scan", "x", "--fail-on", "info"],
    ],
)
def test_wrong_usage(args: list[str]) -> None:
    done = run(*args)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "--help" in one_line(done.stderr)
    assert b"\x1b" not in done.stderr


# --- files ------------------------------------------------------------------------------------


def test_one_unreadable_file_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "bad.log").write_bytes(b"oops")
    done = run("scan", "missing.log", "bad.log", "--format", "json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert done.returncode == 3
    assert "missing.log" in one_line(done.stderr)
    assert (report["complete"], report["frames"]) == (False, 1)
    assert report["files"][0]["error"] == "No such file or directory"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
def test_a_file_that_fails_while_it_is_read() -> None:
    done = run("scan", "/proc/self/mem", "src/framegauge/samples")
    assert done.returncode == 3
    assert "/proc/self/mem: " in one_line(done.stderr)
    assert b"unreadable  1: /proc/self/mem" in done.stdout


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(PING)
    (tmp_path / "a.log").chmod(0)
    done = run("scan", tmp_path)
    assert done.returncode == 3
    assert "Permission denied" in one_line(done.stderr)


@posix
def test_hostile_names_and_frames_never_reach_the_terminal_raw(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for name in (HOSTILE, b"-x", b"--format"):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(HOSTILE + b'{"method":"\xe2\x80\xae"}\n' + PING)
    (tmp_path / "loop").symlink_to(tmp_path)
    for style in ("text", "json"):
        for paths in ([folder], ["--", HOSTILE, "-x", "--format"]):
            done = run("scan", f"--format={style}", *paths, cwd=tmp_path)
            assert (done.returncode, done.stderr) == (1, b"")
            assert done.stdout.isascii()
            assert not set(done.stdout) - set(range(32, 127)) - {10}
            assert (
                done.stdout.count(b"not-json")
                or done.stdout.count(b"leading-garbage")
                or done.stdout.count(b"invalid-utf8")
            )
    done = run("scan", HOSTILE + b"gone", cwd=tmp_path)
    assert done.returncode == 3
    assert not set(done.stderr) - set(range(32, 127)) - {10}
    one_line(done.stderr)


def test_names_are_printed_in_any_encoding(tmp_path: Path) -> None:
    (tmp_path / "büro.log").write_bytes(b"oops")
    assert "büro.log:1:0".encode() in run("scan", tmp_path, PYTHONIOENCODING="utf-8").stdout
    assert b"b\\xfcro.log:1:0" in run("scan", tmp_path, PYTHONIOENCODING="ascii").stdout


# --- --output ---------------------------------------------------------------------------------


def test_output_is_written_whole_and_replaces(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_text("old")
    done = run("scan", "src/framegauge/samples", "--format", "json", "--output", target)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    assert target.read_bytes() == (GOLDEN / "sample.json").read_bytes()
    assert list(tmp_path.iterdir()) == [target]


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(PING)
    for target in (tmp_path / "no" / "such" / "x", tmp_path, tmp_path / ("x" * 300), log):
        done = run("scan", log, "--output", target)
        assert done.returncode == 2
        assert "cannot write" in one_line(done.stderr)
    assert log.read_bytes() == PING
    assert list(tmp_path.iterdir()) == [log]


@posix
def test_output_through_links_and_to_devices(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    assert run("scan", "-", "--output", tmp_path / "link", data=PING).returncode == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes().startswith(b"files ")
    assert run("scan", "-", "--output", "/dev/null", data=PING).returncode == 0
    assert Path("/dev/null").is_char_device()
    assert run("scan", "-", "--output", "-", data=PING, cwd=tmp_path).stdout.startswith(b"files ")
    assert not (tmp_path / "-").exists()


@posix
def test_output_to_a_descriptor_leaves_what_stands_there(tmp_path: Path) -> None:
    log = tmp_path / "log"
    for mode, before in (("ab", b"old\n"), ("wb", b"")):
        log.write_bytes(b"old\n")
        with log.open(mode) as file:
            for target in ("/dev/stdout", f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}"):
                if Path(target).exists():
                    command = [COMMAND, "check", "-", "--output", target]
                    passed = (file.fileno(),)
                    subprocess.run(command, input=PING, stdout=file, pass_fds=passed, timeout=60, check=True)
            file.write(b"after\n")
        whole = log.read_bytes()
        assert whole.startswith(before + b"kind      request\n")
        assert whole.endswith(b"after\n")
        assert whole.count(b"kind ") >= 2
    assert run("check", "-", "--output", "/dev/stdout", data=PING).stdout.startswith(b"kind ")
    assert run("check", "-", "--output", "/dev/fd/99", data=PING).returncode == 2


@posix
def test_names_of_any_length_and_loops_of_links(tmp_path: Path) -> None:
    longest = "n" * 255
    assert run("check", "-", "--output", longest, data=PING, cwd=tmp_path).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == [longest]
    (tmp_path / "loop").symlink_to("loop")
    for target in (longest + "n", "loop"):
        done = run("check", "-", "--output", target, data=PING, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, b"")
        one_line(done.stderr)
    assert (tmp_path / "loop").is_symlink()


# --- pipes, terminals, signals, memory --------------------------------------------------------


@posix
@pytest.mark.parametrize("args", [["scan", "-", "--format", "json"], ["check"]])
def test_a_pipe_that_has_nothing_yet_is_not_at_its_end(args: list[str]) -> None:
    """O_NONBLOCK belongs to the pipe: another process may have set it."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with subprocess.Popen([COMMAND, *args], stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for piece in (PING[:9], PING[9:] + b"\n", b"broken\n"):
            time.sleep(0.4)
            os.write(writer, piece)
        os.close(writer)
        stdout, stderr = process.communicate(timeout=60)
    os.close(reader)
    assert (process.returncode, stderr) == (1, b"")
    assert b"trailing-data" in stdout if args == ["check"] else json.loads(stdout)["frames"] == 2


@posix
def test_a_working_folder_with_too_long_a_path(tmp_path: Path) -> None:
    def deep() -> None:
        for name in ["d" * 100] * 45:
            Path(name).mkdir()
            os.chdir(name)

    done = subprocess.run(
        [COMMAND, "check"], input=PING, capture_output=True, cwd=tmp_path, preexec_fn=deep, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("option", ["--version", "--help"])
@posix
def test_nowhere_to_print(option: str) -> None:
    done = subprocess.run(["sh", "-c", f"'{COMMAND}' {option} >&-"], capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "closed" in one_line(done.stderr)


@posix
@pytest.mark.parametrize("args", [["scan", "src/framegauge/samples"], ["--help"], ["--version"]])
def test_a_closed_pipe_ends_it_quietly(args: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([COMMAND, *args], stdout=writer, stderr=subprocess.PIPE, cwd=ROOT, timeout=60, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_device_is_no_success() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [COMMAND, "scan", "src/framegauge/samples"],
            stdout=full, stderr=subprocess.PIPE, cwd=ROOT, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "No space left" in one_line(done.stderr)


@posix
def test_closed_standard_streams() -> None:
    script = f'"{COMMAND}" scan - <&-; echo $?; "{COMMAND}" scan src/framegauge/samples >&-; echo $?'
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=ROOT, timeout=60, check=False)
    assert done.stdout.splitlines()[-2:] == [b"3", b"2"]
    assert [line.split(b":")[0] for line in done.stderr.splitlines()] == [b"framegauge"] * 2


@posix
def test_a_complaint_without_standard_error_is_no_result() -> None:
    script = f'"{COMMAND}" check no-such-file 2>&-; echo $?; "{COMMAND}" rules >&-; echo $?'
    done = subprocess.run(["sh", "-c", script], capture_output=True, cwd=ROOT, timeout=60, check=False)
    assert done.stdout.splitlines() == [b"3", b"2"]
    assert "it is closed" in one_line(done.stderr)


def reading(**options: Any) -> subprocess.Popen[bytes]:
    """A scan of standard input that is certainly at work: it took more than a pipe can hold."""
    process = subprocess.Popen([COMMAND, "scan", "-"], stdin=subprocess.PIPE, **options)
    assert process.stdin
    process.stdin.write((PING + b"\n") * 60_000)
    process.stdin.flush()
    return process


@posix
def test_interrupt() -> None:
    process = reading(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, b"")
    assert "interrupted" in one_line(stderr)


@posix
def test_progress_on_a_terminal_is_one_line_and_cleared(tmp_path: Path) -> None:
    primary, secondary = os.openpty()
    with (tmp_path / "out").open("wb") as out:
        process = reading(stdout=out, stderr=secondary)
        assert process.stdin
        time.sleep(0.3)
        process.stdin.write(PING)
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    os.close(secondary)
    shown = os.read(primary, 65536)
    os.close(primary)
    assert b" MB/s" in shown
    assert b"\n" not in shown
    assert shown.endswith(b"\r\x1b[K")


# Started by a small process: what is measured of a child includes the size of the one that forked it.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
sys.stdout.buffer.write(done.stdout)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
"""


@posix
def test_a_huge_line_takes_no_memory() -> None:
    command = [sys.executable, "-c", MEASURE, COMMAND, "scan", "-", "--format", "json"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin
    megabyte = b"x" * 1_000_000
    for _ in range(300):
        process.stdin.write(megabyte)
    process.stdin.write(b"\r\n" + PING)
    stdout, stderr = process.communicate(timeout=120)
    report = json.loads(stdout)
    [finding] = report["rules"]["frame-too-large"]["first"]
    assert (finding["size"], report["kinds"]["request"], report["bytes"]) == (300_000_001, 1, 300_000_042)
    peak = int(stderr) * (1 if sys.platform == "darwin" else 1024)
    assert 5_000_000 < peak < 120_000_000
