"""Judging every line of many files into one Report, which is plain data."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator

from framegauge.archives import open_records
from framegauge.archives.record import Record
from framegauge.bulk.inputs import Found, find, reason
from framegauge.bulk.judge_window import Judge
from framegauge.bulk.part import Part, Task
from framegauge.bulk.summary import FIRST, MOST_METHODS, SHRUNK, FileResult, Finding, Report, RuleResult
from framegauge.bulk.workers import in_order
from framegauge.facts import Kind
from framegauge.gauge import Gauge

Progress = Callable[[int, int | None], None]


def scan(
    paths: Iterable[str | os.PathLike[str]],
    *,
    gauge: Gauge | None = None,
    jobs: int | None = None,
    on_finding: Callable[[Finding], None] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Judge every line of the files, folders and patterns; `-` is standard input.

    `gauge`: a Gauge, or None for its defaults. `jobs`: threads; None: as many as there are cores. `on_finding` is
    called for every finding, in the order of files and lines; the report has the first of each rule. `progress` is
    called with the bytes judged so far and those to read, None where that is unknown. A file that cannot be read never
    raises: its entry in `files` has the `error`. Memory does not grow with the input.
    """
    found = find(paths)
    report = Report(skipped=found.skipped)
    judge = Judge(gauge or Gauge(), all_findings=on_finding is not None)
    merging = _Merging(report, judge, on_finding)
    # A pipe may keep its reader waiting, which has to be this thread: the others cannot be interrupted.
    stopped = None if found.size is None else threading.Event()
    tasks = _tasks(found, report, judge.limit, stopped)
    for part in in_order(judge, tasks, _cores() if jobs is None else jobs, stopped=stopped):
        merging.add(part)
        if progress:
            progress(merging.done, found.size)
    return report


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tasks(found: Found, report: Report, longest: int | None, event: threading.Event | None) -> Iterator[Task]:
    """What all files hold. Opens one file at a time, and notes in the report what cannot be read."""
    stopped = None if event is None else event.is_set
    for source in found.sources:
        file = FileResult(source.path, error=source.error)
        report.files.append(file)
        if file.error is not None:
            continue
        try:
            with open_records(source.path, longest=longest, stopped=stopped) as records:
                file.format = records.format
                for read in records:
                    yield Task(file, read)
                shrunk = source.size is not None and records.tell() < source.size
        except OSError as error:
            file.error = reason(error)
        else:
            file.error = SHRUNK if shrunk else None


class _Merging:
    """Adds the parts to the report, in their order."""

    def __init__(self, report: Report, judge: Judge, on_finding: Callable[[Finding], None] | None) -> None:
        self.done = 0  # bytes
        self._report = report
        self._judge = judge
        self._on_finding = on_finding
        self._file: FileResult | None = None
        self._lines = 0  # of this file, in the parts before

    def add(self, part: Part) -> None:
        report, file, read = self._report, part.task.file, part.task.read
        if file is not self._file:
            self._file, self._lines = file, 0
        file.frames += part.kinds.total() - part.kinds[Kind.empty.value]
        file.bytes = read.end
        self.done += read.end - read.start
        report.kinds.update(part.kinds)
        report.methods.update(part.known_methods)
        self._add_methods(part)
        report.not_judged.update(part.not_judged)
        for rule, result in part.rules.items():
            total = report.rules.setdefault(rule, RuleResult(result.severity))
            total.raise_to(result.severity)
            total.count += result.count
        self._add_findings(part)
        self._lines += part.lines

    def _add_methods(self, part: Part) -> None:
        names = self._report.other_methods
        self._report.methods_other += part.methods_other
        for name, count in part.methods.items():
            if name in names or len(names) < MOST_METHODS:
                names[name] += count
            else:
                self._report.methods_other += count

    def _add_findings(self, part: Part) -> None:
        before = 0 if isinstance(part.task.read, Record) else self._lines
        for finding in self._judge.findings(part):
            finding.line += before
            self._report.keep(finding)
            if self._on_finding:
                self._on_finding(finding)
        for rule in part.rules:
            if len(self._report.rules[rule].first) == FIRST:
                self._judge.listed.add(rule)
