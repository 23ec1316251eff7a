"""Times `Gauge.check_lines` beside what reads archives today: `python benchmarks/lines.py --cache FOLDER`.

Exit status: 0 done, 1 a bound is missed or an answer is wrong, 2 usage.
"""

import argparse
import importlib
import io
import mmap
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import archive
import framegauge
import report
from contenders import ORJSON, Call, Contender, line_up, msgspec_envelope
from figures import Bound, Figures, common_options, figure, publish
from framegauge.native.tokenizer import stage1
from gauge import of_the_envelope
from measure import Lane, quiet_collector, race

REVISION = "2025-11-25"
CHUNK = 256 * 1024
SAMPLE = 20_000_000  # bytes whose kinds are proved line by line
BAD_EVERY = 100
KINDS = tuple(kind.value for kind in framegauge.Kind)

ONE = "check_lines, one thread"
MAPPED = "check_lines, mapped file"
TWO = "check_lines, two threads"
BAD = f"check_lines, 1 bad line in {BAD_EVERY}"
ENVELOPE = "check_lines, envelope alone"
ANEW = "check_lines, frames drawn anew"
ORJSON_ANEW = "orjson, frames drawn anew"
STAGE_1 = "simdjson stage 1, same chunks"
ORJSON_LINES = "orjson and kind per line"
MSGSPEC = "msgspec decode_lines, Raw"
DUCKDB = "duckdb, kinds from the file"
BOUNDS = (
    Bound(ONE, ORJSON_LINES, 1 / 8),
    Bound(ONE, MSGSPEC, 1 / 2.2),
    Bound(ONE, DUCKDB, 1 / 2.5),
    Bound(ONE, STAGE_1, 4.0),
    Bound(TWO, ONE, 1 / 1.8),
    Bound(BAD, ONE, 1.4),
    Bound(ONE, ENVELOPE, 1.25),
)

Counts = dict[str, int]
Check = Callable[[Any], Any]


class Entry(NamedTuple):
    """A call to time on a buffer; `counts`, where it has any, makes its lines per kind, to prove it."""

    name: str
    buffer: bytes
    call: Call
    counts: Callable[[], Counts] | None = None


# --- framegauge ---


def kind_counts(verdicts: Any) -> Counts:
    """From the column, as a reader of columns would count."""
    return {KINDS[number]: count for number, count in Counter(memoryview(verdicts.kind)).items()}


def halves(buffer: bytes) -> tuple[memoryview, memoryview]:
    """The buffer in two, cut behind the LF that is nearest to the middle from below."""
    middle = buffer.rindex(b"\n", 0, len(buffer) // 2) + 1
    view = memoryview(buffer)
    return view[:middle], view[middle:]


def chunks(buffer: bytes) -> list[bytes]:
    """Slices of whole lines of at most CHUNK bytes, as check_lines makes them; a longer line is a slice of its own."""
    found: list[bytes] = []
    start = 0
    while start < len(buffer):
        end = len(buffer)
        if end - start > CHUNK:
            end = buffer.rfind(b"\n", start, start + CHUNK) + 1 or buffer.find(b"\n", start + CHUNK) + 1 or end
        found.append(buffer[start:end])
        start = end
    return found


def _stage_1(slices: Sequence[bytes]) -> Call:
    def run(_: bytes) -> int:
        total = 0
        for part in slices:
            total += stage1(part)
        return total

    return run


def _mapped(path: Path, check_lines: Check) -> Call:
    def run(_: bytes) -> Any:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            verdicts = check_lines(content)
            count = len(verdicts)
            del verdicts  # it refers to the mapping
            return count

    return run


def _own(path: Path, bad_path: Path, anew: bytes, check_lines: Check, pool: ThreadPoolExecutor) -> list[Entry]:
    buffer, bad = path.read_bytes(), bad_path.read_bytes()
    parts = halves(buffer)

    def on_two(_: bytes) -> list[Any]:
        return list(pool.map(check_lines, parts))

    def counts_of_two() -> Counts:
        return dict(sum((Counter(kind_counts(each)) for each in on_two(buffer)), Counter()))

    return [
        Entry(ONE, buffer, check_lines, lambda: kind_counts(check_lines(buffer))),
        Entry(MAPPED, buffer, _mapped(path, check_lines)),
        Entry(TWO, buffer, on_two, counts_of_two),
        Entry(BAD, bad, check_lines),
        Entry(ENVELOPE, buffer, of_the_envelope().check_lines),
        Entry(ANEW, anew, check_lines),
        Entry(STAGE_1, buffer, _stage_1(chunks(buffer))),
    ]


# --- peers ---


def _orjson(name: str, buffer: bytes) -> Entry:
    calls = {each.name: each.call for each in line_up().contenders}
    kind = calls[ORJSON]

    def run(data: bytes) -> None:
        for line in io.BytesIO(data):
            kind(line)

    return Entry(name, buffer, run, lambda: dict(Counter(map(kind, io.BytesIO(buffer)))))


def _msgspec(buffer: bytes) -> Entry:
    """Only what decodes: telling the kinds apart would be a loop in Python on top."""
    msgspec = importlib.import_module("msgspec")
    decoder = importlib.import_module("msgspec.json").Decoder(msgspec_envelope(msgspec))
    absent = msgspec.UNSET

    def kind(envelope: Any) -> str:
        if envelope.method is not absent:
            return "notification" if envelope.id is absent else "request"
        return "success" if envelope.result is not absent else "error"

    return Entry(MSGSPEC, buffer, decoder.decode_lines, lambda: dict(Counter(map(kind, decoder.decode_lines(buffer)))))


_DUCKDB = """
select case
    when jsonrpc is distinct from '2.0' then 'invalid'
    when method is not null then case when id is null then 'notification' else 'request' end
    when result is not null then 'success'
    when error is not null then 'error'
    else 'invalid' end as kind, count(*)
from read_json(?, format = 'newline_delimited', maximum_object_size = 16777216, columns = {
    jsonrpc: 'VARCHAR', id: 'JSON', method: 'VARCHAR', result: 'JSON', error: 'JSON'})
group by kind
"""


def _duckdb(path: Path, buffer: bytes) -> Entry:
    connection = importlib.import_module("duckdb").connect(config={"threads": 1})

    def run(_: bytes) -> Counts:
        return dict(connection.execute(_DUCKDB, [str(path)]).fetchall())

    return Entry(DUCKDB, buffer, run, lambda: run(buffer))


def _peers(path: Path, buffer: bytes, anew: bytes, remarks: list[str]) -> list[Entry]:
    makers: dict[str, Callable[[], Entry]] = {
        ORJSON_LINES: lambda: _orjson(ORJSON_LINES, buffer),
        ORJSON_ANEW: lambda: _orjson(ORJSON_ANEW, anew)._replace(counts=None),
        MSGSPEC: lambda: _msgspec(buffer),
        DUCKDB: lambda: _duckdb(path, buffer),
    }
    entries: list[Entry] = []
    for name, make in makers.items():
        try:
            entries.append(make())
        except (ImportError, KeyError) as error:
            remarks.append(f"{name} left out: {type(error).__name__}: {error}")
    return entries


# --- proof ---


def differing(buffer: bytes, check_lines: Check) -> str:
    """The first line of the sample whose kind or place is not that of `classify`; empty if there is none."""
    sample = buffer[: buffer.rfind(b"\n", 0, SAMPLE) + 1]
    verdicts = check_lines(sample)
    kinds, offsets = memoryview(verdicts.kind), memoryview(verdicts.offset)
    rows = sample.splitlines(keepends=True) if b"\r" not in sample else [*io.BytesIO(sample)]
    if len(rows) != len(verdicts):
        return f"{len(verdicts)} rows for {len(rows)} lines"
    start = 0
    for number, line in enumerate(rows):
        expected = framegauge.classify(line[:-1]).kind.value
        if KINDS[kinds[number]] != expected or offsets[number] != start:
            return f"line {number + 1}: {KINDS[kinds[number]]} at {offsets[number]}, not {expected} at {start}"
        start += len(line)
    return ""


def wrong_answers(entries: Sequence[Entry], check_lines: Check) -> list[str]:
    """One line for each archive or contender that does not tell the right kinds."""
    found = [
        f"{each.name}: {text}"
        for each in entries
        if each.name in (ONE, BAD, ANEW) and (text := differing(each.buffer, check_lines))
    ]
    expected = next(each.counts() for each in entries if each.name == ONE and each.counts)
    for each in entries:
        if each.counts and (counts := each.counts()) != expected:
            found.append(f"{each.name}: {counts}, not {expected}")
    return found


# --- the run ---


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    common_options(parser, 31, 120)
    parser.add_argument("--cache", type=Path, required=True, help="folder where the archives are written once")
    parser.add_argument(
        "--size", type=int, default=200, metavar="MB", help="of the archive, in 10^6 bytes (default 200)"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    path = archive.cached(options.cache, options.size)
    bad_path = archive.cached(options.cache, options.size, BAD_EVERY)
    anew = archive.anew(options.cache, options.size // 2).read_bytes()
    check_lines: Check = framegauge.Gauge(REVISION).check_lines
    settings = {"revision": REVISION, "megabytes": options.size, "rounds": options.rounds, "archive": path.name}
    result = Figures("framegauge.benchmark.lines/1", settings)
    with ThreadPoolExecutor(2) as pool:
        entries = _own(path, bad_path, anew, check_lines, pool)
        entries += _peers(path, entries[0].buffer, anew, result.remarks)
        wrong = wrong_answers(entries, check_lines)
        if wrong:
            report.complain("\n".join(f"wrong: {text}" for text in wrong))
            return 1
        lanes = [Lane(Contender(each.name, each.call, "frame"), [each.buffer]) for each in entries]
        with quiet_collector():
            race(lanes, options.rounds, options.budget_seconds, random.Random(REVISION))
    rows = entries[0].buffer.count(b"\n")
    result.values |= {"frames": rows, "bytes": len(entries[0].buffer), "cores": os.cpu_count() or 0}
    result.figures += [figure(lane, each.buffer.count(b"\n")) for lane, each in zip(lanes, entries, strict=True)]
    result.hold(BOUNDS)
    return publish(result, options.output, "lines")


if __name__ == "__main__":
    sys.exit(main())
