"""Speed beside the usual parsers, by pytest-benchmark: `python -m pytest benchmarks`.

A group is a corpus; in each round a contender reads all of it once. Before it is timed, each contender has to name the
kind of every frame. The rows of a group can be compared with each other, and with those of a saved run on the same
machine.
"""

import importlib
import io
from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import archive
import framegauge
from contenders import CLASSIFY, ORJSON, Call, line_up, msgspec_envelope
from corpora import CLEAN_NAMES, Corpus, Labelled, clean, recorded

REVISION = "2025-11-25"
INSTALL = "python -m pip install --group bench"
KINDS = tuple(kind.value for kind in framegauge.Kind)
ARCHIVE, RECORDED = "archive", "recorded"
ARCHIVE_LINES = 20_000
CHECK, CHECK_LINES = "check", "check_lines"
MSGSPEC, PYSIMDJSON = "msgspec Raw", "pysimdjson"
# The kinds that every contender tells apart; what else was recorded is left out for all.
COMPARED = frozenset(("request", "notification", "success", "error"))


class Prepared(NamedTuple):
    """`run`: what is timed, one pass over a corpus. `kinds`: the kind of each frame, by the same calls."""

    run: Callable[[], Any]
    kinds: Callable[[], Sequence[str]]


# --- the corpora ---


@cache
def corpus_of(name: str) -> Corpus:
    if name == ARCHIVE:
        return Corpus(ARCHIVE, tuple(islice(archive.frames(), ARCHIVE_LINES)), clean=True)
    if name == RECORDED:
        frames = tuple(frame for frame in recorded().frames if frame.kind in COMPARED)
        return Corpus(RECORDED, frames, clean=False)
    return clean(name)


@cache
def buffer_of(name: str) -> bytes:
    """The corpus as lines."""
    return b"".join(frame.data + b"\n" for frame in corpus_of(name).frames)


# --- the contenders ---


def _each_frame(call: Call, kind: Call, name: str) -> Prepared:
    frames = [frame.data for frame in corpus_of(name).frames]

    def run() -> None:
        for data in frames:
            call(data)

    return Prepared(run, lambda: [kind(data) for data in frames])


def _each_line(call: Call, name: str) -> Prepared:
    buffer = buffer_of(name)

    def run() -> None:
        for line in io.BytesIO(buffer):
            call(line)

    return Prepared(run, lambda: [call(line) for line in io.BytesIO(buffer)])


def _classify(name: str) -> Prepared:
    return _each_frame(framegauge.classify, lambda data: framegauge.classify(data).kind, name)


def _check(name: str) -> Prepared:
    check = framegauge.Gauge(REVISION).check
    faultless = corpus_of(name).clean

    def kind(data: bytes) -> str:
        verdict = check(data)
        return f"{verdict.kind} with findings" if faultless and not verdict.ok else verdict.kind

    return _each_frame(check, kind, name)


def _check_lines(name: str) -> Prepared:
    check_lines, buffer = framegauge.Gauge(REVISION).check_lines, buffer_of(name)

    def kinds() -> list[str]:
        return [KINDS[number] for number in memoryview(check_lines(buffer).kind)]

    return Prepared(lambda: check_lines(buffer), kinds)


def _peer(contender: str, name: str) -> Prepared:
    line = line_up()
    if contender in line.left_out:
        pytest.skip(f"{contender} is not installed: {INSTALL} ({line.left_out[contender]})")
    call = next(each.call for each in line.contenders if each.name == contender)
    return _each_line(call, name) if name == ARCHIVE else _each_frame(call, call, name)


def _msgspec_lines(name: str) -> Prepared:
    """Only what decodes is timed: telling the kinds apart would be a loop in Python on top."""
    msgspec = pytest.importorskip("msgspec", reason=f"msgspec is not installed: {INSTALL}")
    decode_lines = importlib.import_module("msgspec.json").Decoder(msgspec_envelope(msgspec)).decode_lines
    absent, buffer = msgspec.UNSET, buffer_of(name)

    def kind(envelope: Any) -> str:
        if envelope.method is not absent:
            return "notification" if envelope.id is absent else "request"
        return "success" if envelope.result is not absent else "error"

    return Prepared(lambda: decode_lines(buffer), lambda: list(map(kind, decode_lines(buffer))))


PREPARE: dict[str, Callable[[str], Prepared]] = {
    CLASSIFY: _classify,
    CHECK: _check,
    CHECK_LINES: _check_lines,
    ORJSON: lambda name: _peer(ORJSON, name),
    MSGSPEC: lambda name: _peer(MSGSPEC, name),
    PYSIMDJSON: lambda name: _peer(PYSIMDJSON, name),
}
PREPARE_LINES: dict[str, Callable[[str], Prepared]] = {
    CHECK_LINES: _check_lines,
    ORJSON: lambda name: _peer(ORJSON, name),
    "msgspec decode_lines": _msgspec_lines,
    PYSIMDJSON: lambda name: _peer(PYSIMDJSON, name),
}


# --- proof and time ---


def _first_wrong(frames: Sequence[Labelled], kinds: Sequence[str]) -> str:
    """The first frame with another kind than its own; empty where there is none."""
    if len(frames) != len(kinds):
        return f"{len(kinds)} kinds for {len(frames)} frames"
    for frame, kind in zip(frames, kinds, strict=True):
        if kind != frame.kind:
            return f"{kind} for {frame.kind}: {frame.data[:80]!r}"
    return ""


def _time(benchmark: BenchmarkFixture, name: str, prepared: Prepared) -> None:
    corpus = corpus_of(name)
    assert corpus.frames, f"{name} has no frames"
    wrong = _first_wrong(corpus.frames, prepared.kinds())
    assert not wrong, wrong
    benchmark.group = name
    benchmark.extra_info |= {"frames": len(corpus.frames), "bytes": corpus.size, "digest": corpus.digest}
    benchmark(prepared.run)


@pytest.mark.benchmark(disable_gc=True, warmup=True, warmup_iterations=1)
@pytest.mark.parametrize("contender", PREPARE)
@pytest.mark.parametrize("corpus", [*CLEAN_NAMES, RECORDED])
def test_frames(benchmark: BenchmarkFixture, corpus: str, contender: str) -> None:
    try:
        prepared = PREPARE[contender](corpus)
    except FileNotFoundError as error:  # the recorded frames are not part of the project
        pytest.skip(str(error))
    _time(benchmark, corpus, prepared)


@pytest.mark.benchmark(disable_gc=True, warmup=True, warmup_iterations=1)
@pytest.mark.parametrize("contender", PREPARE_LINES)
def test_archive(benchmark: BenchmarkFixture, contender: str) -> None:
    _time(benchmark, ARCHIVE, PREPARE_LINES[contender](ARCHIVE))
