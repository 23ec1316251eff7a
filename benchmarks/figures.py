"""Figures of one run and the bounds they must keep, as text and as JSON. A bound compares two times of the same run."""

import argparse
import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import report
from measure import Lane


class Figure(NamedTuple):
    """What one contender took in ns per frame: median, least, median of processor time; and how much passes differ."""

    name: str
    nanoseconds: float
    least: float
    cpu: float
    gigabytes_per_second: float
    spread: float
    passes: tuple[int, ...]


class Bound(NamedTuple):
    """`name` must take at most `most` times what `base` takes."""

    name: str
    base: str
    most: float


class Kept(NamedTuple):
    """A bound with the ratio that was measured."""

    bound: Bound
    ratio: float
    cpu_ratio: float | None = None  # of processor time: to tell a slow program from a busy machine; never judged

    @property
    def holds(self) -> bool:
        return self.ratio <= self.bound.most

    def judged(self) -> dict[str, Any]:
        return {"ratio": self.ratio, "cpu_ratio": self.cpu_ratio, "holds": self.holds}

    @property
    def text(self) -> str:
        return f"{self.bound.name} / {self.bound.base}: {self.ratio:.3f}, bound {self.bound.most:.3f}"


def figure(lane: Lane, frames: int | None = None) -> Figure:
    """Of a lane; `frames`: how many one call reads, if it is more than one."""
    share = 1 if frames is None else frames
    return Figure(
        lane.contender.name,
        lane.nanoseconds / share,
        min(lane.passes) / len(lane.frames) / share,
        statistics.median(lane.cpu) / len(lane.frames) / share,
        lane.gigabytes_per_second,
        lane.spread,
        tuple(lane.passes),
    )


@dataclass(slots=True)
class Figures:
    """All that one script found out; it can be saved like a report."""

    schema: str
    settings: dict[str, Any]
    environment: dict[str, Any] = field(default_factory=report.environment)
    figures: list[Figure] = field(default_factory=list)
    bounds: list[Kept] = field(default_factory=list)
    values: dict[str, float | int | str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    def hold(self, bounds: Sequence[Bound]) -> None:
        """Judges the bounds whose two sides were both measured, and remarks on the others."""
        found = {each.name: each for each in self.figures}
        for bound in bounds:
            absent = [name for name in (bound.name, bound.base) if name not in found]
            if absent:
                self.remarks.append(f"{bound.name} / {bound.base} not judged: {' and '.join(absent)} not measured")
            else:
                left, right = found[bound.name], found[bound.base]
                self.bounds.append(Kept(bound, left.nanoseconds / right.nanoseconds, left.cpu / right.cpu))

    def limit(self, name: str, value: float, most: float, cpu: float | None = None) -> None:
        """Judges a value that is not a time of a contender; its ratio is to the most that is allowed.

        `cpu`: the same value in processor time, where it has one.
        """
        self.values[name] = round(value, 1)
        self.bounds.append(Kept(Bound(name, f"{most:,.0f}", 1.0), value / most, None if cpu is None else cpu / most))

    @property
    def missed(self) -> list[str]:
        return [kept.text for kept in self.bounds if not kept.holds]

    def to_json(self) -> str:
        content = {
            "schema": self.schema,
            "settings": self.settings,
            "environment": self.environment,
            "figures": [each._asdict() for each in self.figures],
            "bounds": [{**kept.bound._asdict(), **kept.judged()} for kept in self.bounds],
            "values": self.values,
            "remarks": self.remarks,
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def to_text(self) -> str:
        parts = [report.described(self.environment)]
        if self.figures:
            parts.append(report.aligned(_HEADINGS, [_cells(each) for each in self.figures]))
        if self.values:
            parts.append("\n".join(f"{name}: {value}" for name, value in self.values.items()))
        if self.bounds:
            rows = [(kept.bound.name, kept.bound.base, *_judged(kept)) for kept in self.bounds]
            parts.append(report.aligned(("what", "divided by", "ratio", "bound", "by cpu", ""), rows))
        if self.remarks:
            parts.append("\n".join(f"- {remark}" for remark in self.remarks))
        return "\n\n".join(parts) + "\n"


_HEADINGS = ("what", "", "ns/frame", "least", "cpu", "GB/s", "spread")


def _cells(each: Figure) -> tuple[str, ...]:
    speed, spread = f"{each.gigabytes_per_second:.3f}", f"{each.spread:.1%}"
    return each.name, "", f"{each.nanoseconds:,.1f}", f"{each.least:,.1f}", f"{each.cpu:,.1f}", speed, spread


def _judged(kept: Kept) -> tuple[str, ...]:
    cpu = "-" if kept.cpu_ratio is None else f"{kept.cpu_ratio:.3f}"
    return f"{kept.ratio:.3f}", f"{kept.bound.most:.3f}", cpu, "" if kept.holds else "MISSED"


def common_options(parser: argparse.ArgumentParser, rounds: int, seconds: float) -> None:
    parser.add_argument("--rounds", type=int, default=rounds, help=f"at most so many rounds (default {rounds})")
    parser.add_argument("--budget-seconds", type=float, default=seconds, help=f"for all timing (default {seconds:g})")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results", help="for JSON and text")


def publish(figures: Figures, folder: Path, stem: str) -> int:
    """Prints and saves; the exit status: 1 where a bound is missed."""
    figures.environment["load after"] = report.load_average()
    print(figures.to_text(), end="")
    for path in report.save(figures, folder, stem):
        report.complain(f"saved {path}")
    for text in figures.missed:
        report.complain(f"MISSED {text}")
    return 1 if figures.missed else 0
