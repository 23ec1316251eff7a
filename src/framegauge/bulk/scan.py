"""Judging every line of many files into one Report, which is plain data."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO

from framegauge.bulk.excerpt import excerpt
from framegauge.bulk.find import STDIN, Skipped, find, reason
from framegauge.bulk.lines import WINDOW, Line, read_lines
from framegauge.native.tokenizer import Kind, Limits, classify

FIRST = 20  # findings of one rule that are kept whole; the others are counted
MOST_METHODS = 1000  # different methods that are counted by name: frames could name any number of them
LONGEST_METHOD = 128  # characters

Progress = Callable[[int, int | None], None]


@dataclass(slots=True)
class Finding:
    """Where a frame is at fault: its line (from 1), the line's offset in the file, the byte in the line, its size."""

    file: str
    line: int
    offset: int
    fault_offset: int
    size: int
    excerpt: str


@dataclass(slots=True)
class RuleResult:
    severity: str
    count: int = 0
    first: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class FileResult:
    path: str
    format: str = "ndjson"
    frames: int = 0
    bytes: int = 0
    error: str | None = None


@dataclass(slots=True)
class Report:
    """What a scan found. Blank lines count as kind `empty` and not as frames."""

    files: list[FileResult] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    methods_other: int = 0  # frames whose method is not counted by name
    rules: dict[str, RuleResult] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def frames(self) -> int:
        return sum(file.frames for file in self.files)

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)

    @property
    def complete(self) -> bool:
        """Was everything read that should be?"""
        return all(file.error is None for file in self.files)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON-ready object that `framegauge scan --format json` prints."""
        rules = {rule: asdict(result) for rule, result in sorted(self.rules.items())}
        for result in rules.values():
            for finding in result["first"]:
                finding["file"] = _shown(finding["file"])
        return {
            "schema": "framegauge.scan/1",
            "complete": self.complete,
            "frames": self.frames,
            "bytes": self.bytes,
            "files": [asdict(file) | {"path": _shown(file.path)} for file in self.files],
            "skipped": [{"path": _shown(item.path), "reason": item.reason} for item in self.skipped],
            "kinds": {kind.value: self.kinds[kind.value] for kind in Kind},
            "methods": dict(sorted(self.methods.items())),
            "methods_other": self.methods_other,
            "rules": rules,
            "not_judged": {},
        }


def scan(
    paths: Iterable[str | os.PathLike[str]], *, limits: Limits | None = None, progress: Progress | None = None
) -> Report:
    """Judge every line of the files, folders and patterns; `-` is standard input.

    `limits`: a Limits, or None for the defaults. `progress` is called after every line with the bytes read so far and
    those to read, None where that is unknown. A file that cannot be read never raises: its entry in `files` has the
    `error`. Memory holds one frame of at most `max_frame_bytes` and the report.
    """
    found = find(paths)
    report = Report(skipped=found.skipped)
    scanner = _Scanner(report, limits or Limits(), progress, found.size)
    for source in found.sources:
        result = FileResult(source.path, error=source.error)
        report.files.append(result)
        if source.error is None:
            scanner.read(result)
    return report


def _shown(path: str) -> str:
    """Return the path as text that any JSON reader takes: bytes of a name that are no UTF-8 become \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _open(path: str) -> BinaryIO:
    if path != STDIN:
        return open(path, "rb", buffering=WINDOW)
    if sys.stdin is None:
        raise OSError("standard input is closed")
    return open(sys.stdin.fileno(), "rb", buffering=WINDOW, closefd=False)


class _Scanner:
    def __init__(self, report: Report, limits: Limits, progress: Progress | None, total: int | None) -> None:
        self._report = report
        self._limits = limits
        self._progress = progress
        self._total = total
        self._done = 0  # bytes of the files before this one

    def read(self, file: FileResult) -> None:
        try:
            with _open(file.path) as stream:
                for line in read_lines(stream, self._limits.max_frame_bytes):
                    self._judge(file, line)
                    file.bytes = line.end
                    if self._progress:
                        self._progress(self._done + line.end, self._total)
        except OSError as error:
            file.error = reason(error)
        self._done += file.bytes

    def _judge(self, file: FileResult, line: Line) -> None:
        if line.size > len(line.text):  # read_lines kept its beginning only
            file.frames += 1
            self._report.kinds[Kind.invalid.value] += 1
            self._add(file, line, "frame-too-large", self._limits.max_frame_bytes or 0)
            return
        frame = classify(line.text, self._limits)
        self._report.kinds[frame.kind.value] += 1
        if frame.kind == Kind.empty:
            return
        file.frames += 1
        method = frame.method
        if method is not None:
            self._count_method(method)
        if frame.fault:
            self._add(file, line, frame.fault.rule, frame.fault.offset)

    def _count_method(self, method: str) -> None:
        methods = self._report.methods
        if method in methods or (len(methods) < MOST_METHODS and len(method) <= LONGEST_METHOD):
            methods[method] += 1
        else:
            self._report.methods_other += 1

    def _add(self, file: FileResult, line: Line, rule: str, at: int) -> None:
        result = self._report.rules.setdefault(rule, RuleResult("error"))
        result.count += 1
        if len(result.first) < FIRST:
            # Beyond the text: the line was too long, and its beginning is all there is.
            shown = excerpt(line.text, at if at <= len(line.text) else 0)
            result.first.append(Finding(file.path, line.number, line.start, at, line.size, shown))
