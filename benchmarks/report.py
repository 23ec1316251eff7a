"""One table of a run as text and as JSON, with what is needed to judge the figures."""

import importlib
import importlib.metadata
import json
import math
import os
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from contenders import CLASSIFY, CLASSIFY_READ
from corpora import Corpus
from measure import Lane, reference

_PACKAGES = (
    "framegauge",
    "orjson",
    "msgspec",
    "pysimdjson",
    "jiter",
    "mcp",
    "mcp-types",
    "pydantic",
    "pydantic-core",
    "duckdb",
)
# Where the native layer may say which simdjson kernel it chose, newest spelling first.
_KERNEL_NAMES = ("kernel", "kernel_name", "implementation")
_HEADINGS = ("corpus", "contender", "frames", "ns/frame", "GB/s", "x", "x read", "spread")

Row = dict[str, Any]


@dataclass(slots=True)
class Report:
    """What a run found; filled corpus by corpus."""

    settings: dict[str, Any]
    environment: dict[str, Any]
    corpora: list[dict[str, Any]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, corpus: Corpus, lanes: Sequence[Lane], loop: float) -> None:
        self.corpora.append(
            {
                "name": corpus.name,
                "frames": len(corpus.frames),
                "bytes": corpus.size,
                "digest": corpus.digest,
                "empty_loop_ns": round(loop, 2),
            }
        )
        self.rows += [_row(corpus, lane, lanes) for lane in lanes]

    def to_json(self) -> str:
        content = {
            "schema": "framegauge.benchmark/1",
            "settings": self.settings,
            "environment": self.environment,
            "corpora": self.corpora,
            "rows": self.rows,
            "remarks": self.remarks,
        }
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    def to_text(self) -> str:
        parts = [described(self.environment), _table(self.rows)]
        if self.remarks:
            parts.append("\n".join(f"- {remark}" for remark in self.remarks))
        return "\n\n".join(parts) + "\n"


def _row(corpus: Corpus, lane: Lane, lanes: Sequence[Lane]) -> Row:
    # Times of framegauge on what is left by another contender's refusals serve that one's ratio.
    auxiliary = len(lane.frames) < len(corpus.frames) and lane.contender.name in (
        CLASSIFY,
        CLASSIFY_READ,
    )
    return {
        "corpus": corpus.name,
        "contender": lane.contender.name,
        "auxiliary": auxiliary,
        "frames": len(lane.frames),
        "refused": lane.refused,
        "rounds": len(lane.passes),
        "ns_per_frame": round(lane.nanoseconds, 1),
        "gb_per_second": round(lane.gigabytes_per_second, 4),
        "ratio_to_classify": _ratio(lane, reference(lanes, CLASSIFY, lane)),
        "ratio_to_classify_and_read": _ratio(lane, reference(lanes, CLASSIFY_READ, lane)),
        "spread": None if math.isnan(lane.spread) else round(lane.spread, 4),
        "passes_ns": lane.passes,
    }


def _ratio(lane: Lane, base: Lane | None) -> float | None:
    return None if base is None else round(lane.nanoseconds / base.nanoseconds, 3)


# --- text ---


def described(environment: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in environment["versions"].items())
    facts = [f"{name}: {value}" for name, value in environment.items() if name != "versions"]
    return "\n".join([*facts, f"versions: {versions}"])


def _cells(row: Row) -> tuple[str, ...]:
    total = row["frames"] + row["refused"]
    return (
        row["corpus"],
        row["contender"],
        str(total) if not row["refused"] else f"{row['frames']}/{total}",
        f"{row['ns_per_frame']:,.1f}",
        f"{row['gb_per_second']:.3f}",
        _number(row["ratio_to_classify"], "{:.2f}"),
        _number(row["ratio_to_classify_and_read"], "{:.2f}"),
        _number(row["spread"], "{:.1%}"),
    )


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)


def _table(rows: Sequence[Row]) -> str:
    return aligned(_HEADINGS, [_cells(row) for row in rows if not row["auxiliary"]], grouped=True)


def aligned(headings: Sequence[str], rows: Sequence[Sequence[str]], grouped: bool = False) -> str:
    """A table: two columns of text, then numbers; `grouped`: a blank line wherever the first column changes."""
    lines = [headings, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown: list[str] = []
    before = ""
    for line in lines:
        if grouped and before not in ("", line[0]):
            shown.append("")
        before = line[0]
        left = [cell.ljust(width) for cell, width in zip(line[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(line[2:], widths[2:], strict=True)]
        shown.append("  ".join(left + right).rstrip())
    return "\n".join(shown)


# --- environment ---


def environment() -> dict[str, Any]:
    """Everything a figure depends on that can be asked for."""
    return {
        "date": time.strftime("%Y-%m-%d %H:%M:%S"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "simdjson kernel": _simdjson_kernel(),
        "load before": load_average(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiler": platform.python_compiler(),
        "versions": _versions(),
    }


def load_average() -> str:
    """Other work on the machine; unknown where the system does not tell."""
    try:
        return " ".join(f"{value:.2f}" for value in os.getloadavg())
    except (AttributeError, OSError):
        return "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _simdjson_kernel() -> str:
    forced = os.environ.get("SIMDJSON_FORCE_IMPLEMENTATION")
    suffix = f" (forced to {forced})" if forced else ""
    try:
        tokenizer = importlib.import_module("framegauge.native.tokenizer")
    except ImportError:
        return "unknown" + suffix
    for name in _KERNEL_NAMES:
        found = getattr(tokenizer, name, None)
        if found is not None:
            return str(found() if callable(found) else found) + suffix
    return "unknown" + suffix


def _versions() -> dict[str, str]:
    versions: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return versions


class Savable(Protocol):
    def to_json(self) -> str: ...

    def to_text(self) -> str: ...


def save(report: Savable, folder: Path, stem: str) -> list[Path]:
    """Replaces an older result of that name: a folder holds the newest of each benchmark."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{stem}.json", folder / f"{stem}.txt"]
    for path, content in zip(paths, (report.to_json(), report.to_text()), strict=True):
        path.write_text(content, encoding="utf-8")
    return paths


def complain(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
