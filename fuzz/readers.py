# Invariant: whatever bytes stand in a frame, a file, a file's name, a configuration or an argument, `framegauge` ends
# with a documented exit status and never with a traceback. Standard output is JSON where JSON was asked for, the status
# follows from it, complaints are one line each, and neither stream shows a control or bidi character.
#
# Input: a byte for the way of calling, three for options, the parts separated by 0x1E: see MODES.
"""The command line on foreign bytes, in this process. Run by run.py."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import atheris

with atheris.instrument_imports(include=["framegauge"]):
    from framegauge import cli

from fuzz.seeds import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Callable

HEADER = 4
STATUSES = {0, 1, 2, 3}
FAILING = {"error": {"error"}, "warning": {"error", "warning"}, "never": set[str]()}
COMMON: list[list[str]] = [
    ["", "2024-11-05", "2025-03-26", "2025-11-25", "2026-07-28", "jsonrpc-2.0", "auto"],
    ["", "stdio", "http", "sse"],
    ["", "client-to-server", "server-to-client"],
    ["error", "warning", "never"],
    ["text", "json", "jsonl"],
    ["", "--output=out"],
    ["", "--all-revisions"],
    ["", "--jobs=2"],
    ["utf-8", "ascii", "latin-1"],
]


class Call:
    """One call: arguments, what stands on standard input, and the encoding of standard output."""

    def __init__(self, command: str, number: int) -> None:
        digits = []
        for values in COMMON:
            number, digit = divmod(number, len(values))
            digits.append(values[digit])
        revision, transport, direction, self.fail_on, style, output, matrix, jobs, self.encoding = digits
        self.matrix = command == "check" and bool(matrix)
        self.style = "json" if command == "check" and style == "jsonl" else style
        self.arguments = [command, f"--format={self.style}", f"--fail-on={self.fail_on}"]
        for name, value in (("revision", revision), ("transport", transport), ("direction", direction)):
            self.arguments += [f"--{name}={value}"] if value else []
        self.arguments += [output] if output else []
        self.arguments += ["--all-revisions"] if self.matrix else []
        self.arguments += [jobs] if jobs and command == "scan" else []
        self.output = "out" if output else None
        self.stdin = b""
        self.known = True  # what is printed follows from the options above


def tamed(part: bytes) -> str:
    """A name or argument that stays in this folder: nothing outside it may be read or written."""
    return os.fsdecode(part[:100].replace(b"\0", b"").replace(b"..", b"__").lstrip(b"/"))


def one_frame(parts: list[bytes], number: int) -> Call:
    call = Call("check", number)
    call.stdin = SEPARATOR.join(parts)
    return call


def files(parts: list[bytes], number: int) -> Call:
    """Names and contents by turns; every name is a path to scan, whether the file could be made or not."""
    call = Call("scan", number)
    names = [tamed(part) for part in parts[::2]][:8]
    for name, content in zip(names, parts[1::2], strict=False):
        make(name, content)
    call.stdin = parts[-1]
    call.arguments += ["--", *names]
    return call


def make(name: str, content: bytes) -> None:
    with suppress(OSError, ValueError):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        with open(name, "wb") as file:
            file.write(content)


def configured(parts: list[bytes], number: int) -> Call:
    call = Call("check" if number % 2 else "scan", number // 2)
    make("pyproject.toml", parts[0])
    call.stdin = parts[-1]
    call.arguments += ["-"]
    return call


def arguments(parts: list[bytes], number: int) -> Call:
    """The command line itself; the last part is also a file and standard input."""
    call = Call("check", number)
    make("a.log", parts[-1])
    call.stdin = parts[-1]
    call.arguments = [tamed(part).replace("/", "_") for part in parts[:12]]
    call.known = False
    return call


MODES: tuple[Callable[[list[bytes], int], Call], ...] = (one_frame, files, configured, arguments)


def run(call: Call, stdin: io.BufferedRandom) -> tuple[Any, str, str]:
    """Exit status, standard output, standard error."""
    stdin.seek(0)
    stdin.truncate()
    stdin.write(call.stdin)
    stdin.flush()
    stdin.seek(0)
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors, newline="\n")
        for encoding, errors in ((call.encoding, "strict"), ("utf-8", "backslashreplace"))
    )
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = stdin, out, err
    try:
        status = cli.main(call.arguments)
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    out.flush()
    err.flush()
    shown, complaints = (stream.detach().getvalue() for stream in (out, err))
    return status, shown.decode(call.encoding), complaints.decode("utf-8")


def check(call: Call, status: Any, out: str, err: str) -> None:
    assert status in STATUSES, status
    for text in (out, err):
        odd = {character for character in text if not character.isprintable()} - {"\n"}
        assert not odd, (odd, text)
    assert all(line.startswith("framegauge: ") for line in err.splitlines()), err
    assert status < 2 or err, "a failure that says nothing"
    if status == 2:
        assert (out, err.count("\n")) == ("", 1), (out, err)
    elif call.known:
        check_result(call, status, out)
    assert not [name for name in os.listdir() if name.endswith(".part") and name.startswith(".out")]


def check_result(call: Call, status: int, out: str) -> None:
    if call.output and os.path.exists(call.output):
        assert out == ""
        with open(call.output, encoding="utf-8", newline="\n") as file:
            out = file.read()
    assert out or status == 3, "no result"
    if call.style == "text" or not out:
        return
    lines = out.removesuffix("\n").split("\n") if call.style == "jsonl" else [out]
    objects = [json.loads(line, parse_constant=refuse) for line in lines]
    severities = set().union(*map(severities_of, objects))
    if status != 3:
        assert (status == 1) == bool(severities & FAILING[call.fail_on]), (status, severities)


def refuse(constant: str) -> None:
    raise AssertionError(constant)


def severities_of(value: Any) -> set[str]:
    """All that stands as a severity anywhere in a result; what counts of a batch's elements, the batch says itself."""
    if isinstance(value, list):
        return set().union(*map(severities_of, value))
    if not isinstance(value, dict):
        return set()
    own = {value["severity"]} if isinstance(value.get("severity"), str) else set()
    return own.union(*(severities_of(each) for name, each in value.items() if name != "items"))


def main() -> None:
    home = tempfile.mkdtemp(prefix="framegauge-readers-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    work = os.path.join(home, "work")
    stdin = open(os.path.join(home, "stdin"), "w+b")  # noqa: SIM115

    def test_one_input(data: bytes) -> int:
        if len(data) < HEADER:
            return -1
        os.makedirs(work)
        os.chdir(work)
        try:
            call = MODES[data[0] % len(MODES)](data[HEADER:].split(SEPARATOR), int.from_bytes(data[1:HEADER], "little"))
            check(call, *run(call, stdin))
        finally:
            os.chdir(home)
            shutil.rmtree(work)
        return 0

    atheris.Setup(sys.argv, test_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
