"""framegauge check. The expected outputs stand beside the frames in tests/vectors/cli."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.behaviour import fitting
from framegauge.protocol import REVISIONS
from tests.integration.test_cli import COMMAND, GOLDEN, HOSTILE, PING, call, one_line, posix, run

if TYPE_CHECKING:
    from pathlib import Path

STATUS = {"clean": 0, "control": 1, "hostile": 1, "batch": 1}
NOT_IN_ALL = {("clean", "revisions.txt"), ("clean", "revisions.json")}  # clean, but not in the newest revision


@pytest.mark.parametrize("name", STATUS)
@pytest.mark.parametrize("suffix", ["txt", "json", "revisions.txt", "revisions.json"])
def test_the_outputs(name: str, suffix: str) -> None:
    options = ["--format", "json" if suffix.endswith("json") else "text"]
    options += ["--all-revisions"] if suffix.startswith("revisions") else []
    done = (run if suffix == "txt" else call)("check", GOLDEN / f"{name}.frame", *options)
    status = 1 if (name, suffix) in NOT_IN_ALL else STATUS[name]
    assert (done.returncode, done.stderr) == (status, b"")
    assert done.stdout == (GOLDEN / f"{name}.{suffix}").read_bytes()


def test_json_is_the_verdict_in_one_line() -> None:
    frame = (GOLDEN / "hostile.frame").read_bytes().removesuffix(b"\n")
    done = call("check", "-", "--format", "json", "--revision", "2025-11-25", "--transport", "http", data=frame)
    assert done.stdout.count(b"\n") == 1
    verdict = fg.Gauge("2025-11-25", transport="http").check(frame)
    assert json.loads(done.stdout) == {**verdict.to_dict(), "readings": readings_of(verdict, "http")}
    matrix = json.loads(call("check", "--all-revisions", "--format", "json", data=frame).stdout)
    assert matrix == {"revisions": {name: fg.Gauge(name).check(frame).to_dict() for name in REVISIONS}}


def readings_of(verdict: fg.Verdict, transport: str | None) -> list[dict[str, Any]]:
    return [
        {"rule": finding.rule, **reading.to_dict()}
        for finding in verdict.findings
        for reading in fitting(finding.rule, verdict.frame, finding.path, finding.hint and finding.hint[0], transport)
    ]


NULL_ID = b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}'
SERVERS = ["http"] * 7 + ["stdio"] * 7


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], SERVERS),
        (["--transport", "http"], ["http"] * 7),
        (["--transport", "stdio"], ["stdio"] * 7),
        (["--transport", "sse"], []),
        (["--direction", "client-to-server"], SERVERS),
        (["--direction", "server-to-client"], []),
        (["--ignore", "id-null"], []),
    ],
)
def test_readings_of_the_servers_that_were_asked(options: list[str], expected: list[str]) -> None:
    told = json.loads(call("check", "--format", "json", *options, data=NULL_ID).stdout)["readings"]
    assert sorted(reading["transport"] for reading in told) == expected
    assert {reading["rule"] for reading in told} <= {"id-null"}
    shown = call("check", *options, data=NULL_ID).stdout.decode("ascii")
    assert ("who reads it how: id-null" in shown) == bool(expected)


def test_readings_in_a_few_lines_below_the_findings() -> None:
    shown = call("check", data=NULL_ID).stdout.decode("ascii")
    _, _, below = shown.partition("\n\nwho reads it how: ")
    assert below.partition("\n\n")[0].splitlines() == [
        "id-null",
        "  a request whose id is null",
        "    http   no answer, HTTP 202     Python SDK 1.30.0, 2.3.0 in 2025-11-25; fastmcp 4.2.3",
        "           error -32600, HTTP 400  Python SDK 2.3.0 in 2026-07-28; TypeScript SDK 2.4.0",
        "           error -32700, HTTP 400  TypeScript SDK 1.32.2",
        "    stdio  no answer               all",
    ]


def test_rules_of_which_the_same_is_known_share_the_lines() -> None:
    shown = call("check", data=b"[]").stdout.decode("ascii")
    assert shown.count("who reads it how") == 1
    assert "who reads it how: batch-empty, batch-not-allowed, batch-unspecified\n" in shown


def test_nothing_is_said_of_what_was_not_measured() -> None:
    done = call("check", data=b'{"jsonrpc":')
    assert b"error: truncated" in done.stdout
    assert b"who reads it how" not in done.stdout
    assert json.loads(call("check", "--format", "json", data=b'{"jsonrpc":').stdout)["readings"] == []


@pytest.mark.parametrize("frame", [PING, PING + b"\n", PING + b"\r\n"])
def test_one_line_feed_at_the_end_is_dropped(frame: bytes) -> None:
    size = len(frame.removesuffix(b"\n"))
    assert json.loads(call("check", "--format", "json", data=frame).stdout)["size"] == size
    assert call("check", data=frame).returncode == 0


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        (PING, [], "the request's own result or error"),
        (b'{"jsonrpc":"2.0","method":"a"}', [], "none; a notification is never answered"),
        (b'{"jsonrpc":"1.0","method":"a"}', [], "none; a notification is never answered"),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', [], "none; a response is never answered"),
        (b'{"jsonrpc":"1.0","id":1,"result":{}}', [], "none; a response is never answered"),
        (b"oops", ["--direction", "server-to-client"], "none; a client does not answer this"),
        (b"Content-Length: 12", ["--transport", "stdio"], "none; it is not a message"),
        (b'[{"jsonrpc":"2.0","method":"a"}]', ["--revision", "2025-03-26"], "none; none of its elements is owed one"),
        (b"[%b]" % PING, ["--revision", "2025-03-26"], "those of its requests"),
        (b'{"jsonrpc":"1.0","id":1,"method":"a"}', ["--select", "not-json"], "none; no rule that was judged"),
        (b" ", [], "none; a blank line is skipped"),
    ],
)
def test_why_no_error_answer_is_owed(frame: bytes, options: list[str], said: str) -> None:
    assert f"answer owed: {said}" in call("check", *options, data=frame).stdout.decode("ascii")


def test_the_answer_owed_and_the_status() -> None:
    frame = b'{"jsonrpc":"2.0","id":"x","method":"a","params":null}'
    done = call("check", "--transport", "http", "--revision", "2026-07-28", data=frame)
    reply = fg.Gauge("2026-07-28", transport="http").check(frame).reply
    assert done.stdout.endswith(b"answer owed\n  " + reply.body() + b"\nHTTP status: 400\n")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 0),
        (["--fail-on", "warning"], 1),
        (["--fail-on", "never"], 0),
        (["--fail-on", "warning", "--ignore", "id-unsafe-integer,crlf"], 0),
        (["--fail-on", "warning", "--ignore", "crlf", "--ignore", "id-unsafe-integer"], 0),
        (["--fail-on", "warning", "--select", "crlf"], 0),
        (["--fail-on", "warning", "--select", "id-unsafe-integer"], 1),
    ],
)
def test_status(options: list[str], status: int) -> None:
    frame = b'{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'
    assert call("check", *options, data=frame).returncode == status


@pytest.mark.parametrize("frame", [b"", b"\n", b" \t\r\n\n"])
def test_a_blank_frame_is_no_pass(frame: bytes) -> None:
    done = call("check", "--fail-on", "never", data=frame)
    assert done.returncode == 3
    assert "nothing was judged" in one_line(done.stderr)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    for path in ("missing", "", tmp_path, HOSTILE):
        done = run("check", path, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (3, b"")
        assert "cannot read" in one_line(done.stderr)
        assert not set(done.stderr) - set(range(32, 127)) - {10}


@pytest.mark.parametrize(
    "args",
    [
        ["--revision", "2024-01-01"],
        ["--direction", "up"],
        ["--transport", "pigeon"],
        ["--select", "no-such-rule"],
        ["--select", ","],
        ["--ignore", "\x1b[31m"],
        ["--format", "jsonl"],
        ["a", "b"],
    ],
)
def test_wrong_usage(args: list[str]) -> None:
    done = call("check", *args, data=PING)
    assert (done.returncode, done.stdout) == (2, b"")
    assert one_line(done.stderr).isprintable()


@pytest.mark.parametrize(
    "frame",
    [
        HOSTILE,
        b'{"jsonrpc":"2.0","id":"' + HOSTILE + b'","method":"a"}',
        b'{"jsonrpc":"2.0","id":"\xe2\x80\xae\xe2\x80\x8b\xc2\x9b","method":"\xe2\x80\xae","params":1,"\xe2\x80\xae":1}',
        b'{"jsonrpc":"2.0","id":"\\u001b[31m","method":"\\u001b]0;x\\u0007","\\u001b":1,"id":2}',
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"\\ud800","\\ud800":{"\\ud800":1}}',
        b"\xff\xfe" * 500,
        b"\x00" * 1000,
        b"[" * 100_000,
        b'{"jsonrpc":"2.0","id":"' + b"\xf0\x9f\x98\x80" * 10_000 + b'","method":1}',
        b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 100_000 + b'","method":1}',
    ],
)
@pytest.mark.parametrize("options", [[], ["--all-revisions"], ["--format", "json"], ["--transport", "stdio"]])
def test_nothing_of_a_frame_reaches_the_terminal_raw(frame: bytes, options: list[str]) -> None:
    done = call("check", *options, data=frame)
    assert done.returncode == 1
    assert done.stderr == b""
    shown = done.stdout.decode("utf-8")
    assert all(character.isprintable() or character == "\n" for character in shown)
    if "json" not in options:
        assert max(map(len, shown.splitlines())) < 2500
        excerpts = [
            line
            for line, below in zip(shown.splitlines(), shown.splitlines()[1:], strict=False)
            if below.strip() == "^"
        ]
        assert excerpts or options == ["--all-revisions"]
        assert all(len(line) <= 100 for line in excerpts)


@posix
def test_a_frame_over_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    done = run("check", "huge", "--format", "json", cwd=tmp_path)
    verdict = json.loads(done.stdout)
    assert (done.returncode, [finding["rule"] for finding in verdict["findings"]]) == (1, ["frame-too-large"])
    assert verdict["size"] == 1 << 40
    (tmp_path / "fits").write_bytes(b" " * (fg.Limits().max_frame_bytes - len(PING)) + PING + b"\n")
    assert run("check", "fits", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(("tail", "size"), [(b"", 1000), (b"\n", 1000), (b"\n\n", 1001)])
@pytest.mark.parametrize("most", [10, 999, 800, 743, 744, 745])
def test_the_size_and_the_excerpt_are_those_of_the_whole_frame(
    tmp_path: Path, most: int, tail: bytes, size: int
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.framegauge.limits]\nmax_frame_bytes = {most}\n")
    (tmp_path / "f").write_bytes(b'{"jsonrpc":"2.0","id":1,"method":"%s"}' % (b"m" * 964) + tail)
    verdict = json.loads(call("check", "f", "--format", "json", cwd=tmp_path).stdout)
    assert [finding["rule"] for finding in verdict["findings"]] == ["frame-too-large"]
    assert verdict["size"] == size
    shown = call("check", "f", cwd=tmp_path).stdout.decode()
    assert f"size      {size:,} bytes\n" in shown
    if most < 900:
        assert "...\n" in shown


def test_the_size_of_a_stream_over_the_limit_is_not_made_up(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.framegauge.limits]\nmax_frame_bytes = 4\n")
    for data, size, text in ((b"[1,2]", 5, "5 bytes"), (b"[%s]" % (b" " * 9000), None, "more than the limit")):
        verdict = json.loads(run("check", "--format", "json", data=data, cwd=tmp_path).stdout)
        assert ([finding["rule"] for finding in verdict["findings"]], verdict["size"]) == (["frame-too-large"], size)
        assert f"size      {text}\n" in run("check", data=data, cwd=tmp_path).stdout.decode()
        matrix = json.loads(run("check", "--all-revisions", "--format", "json", data=data, cwd=tmp_path).stdout)
        assert {verdict["size"] for verdict in matrix["revisions"].values()} == {size}


@posix
def test_excerpts_fit_the_terminal() -> None:
    primary, secondary = os.openpty()
    env = os.environ | {"COLUMNS": "50"}
    frame = GOLDEN / "control.frame"
    done = subprocess.run([COMMAND, "check", frame], stdout=secondary, timeout=60, check=False, env=env)
    os.close(secondary)
    shown = os.read(primary, 65536).decode().splitlines()
    os.close(primary)
    assert done.returncode == 1
    [at] = [n for n, line in enumerate(shown) if line.strip() == "^"]
    assert len(shown[at - 1]) <= 50
    assert shown[at - 1][len(shown[at]) - 1 :].startswith("\\x07")


def test_output(tmp_path: Path) -> None:
    (tmp_path / "frame").write_bytes(PING)
    done = run("check", "frame", "--output", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert (tmp_path / "out").read_bytes().startswith(b"kind ")
    done = run("check", "frame", "--output", "frame", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "frame").read_bytes()) == (2, PING)
    assert "one of the inputs" in one_line(done.stderr)
    with (tmp_path / "frame").open("rb") as standard_input:
        command = [COMMAND, "check", "--output", "frame"]
        done = subprocess.run(command, stdin=standard_input, capture_output=True, cwd=tmp_path, timeout=60, check=False)
    assert (done.returncode, (tmp_path / "frame").read_bytes()) == (2, PING)
    assert "one of the inputs" in one_line(done.stderr)


RESULT = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"weather"}]}}\n'


def test_a_result_is_judged_by_the_method_that_it_answers() -> None:
    done = call("check", "--revision", "2025-11-25", data=RESULT)
    assert done.returncode == 0
    assert b"name the request that it answers with --request-method" in done.stdout
    for options in (["--revision", "jsonrpc-2.0"], ["--request-method", "tools/list"]):
        assert b"--request-method" not in call("check", *options, data=RESULT).stdout
    done = call("check", "--revision", "2025-11-25", "--request-method", "tools/list", "--format", "json", data=RESULT)
    assert done.returncode == 1
    [finding] = json.loads(done.stdout)["findings"]
    assert (finding["rule"], finding["path"]) == ("result-member-missing", "/result/tools/0/inputSchema")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--request-method", "tools/lists"], "did you mean tools/list?"),
        (["--request-method", "\u202eours"], "leave --request-method out"),
        (["--request-method", ""], "leave --request-method out"),
        (["--all-revisions", "--revision", "2025-11-25"], "leave --revision out"),
    ],
)
def test_options_that_cannot_be_meant(options: list[str], said: str) -> None:
    done = call("check", *options, data=RESULT)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in one_line(done.stderr)
    assert one_line(done.stderr).isprintable()
