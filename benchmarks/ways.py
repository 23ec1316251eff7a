"""The ways into `Gauge.check` that gateways and sessions take: its arguments, and a rule of the host.

Each way is timed beside the plain call on the same frames, written as its user writes it. Before that, its verdicts are
compared with those of a gauge that was made for them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import framegauge
from contenders import Call, Contender
from corpora import Corpus
from figures import Bound, Figures
from measure import Lane, Loop, each_frame

REVISION, OTHER_REVISION, AUTO = "2025-11-25", "2025-06-18", "auto"
DIRECTION, FIDELITY = "client-to-server", "tokens"
CALL = "tools/call"
LARGE = 1024  # bytes from which a result counts as large

# What a result holds, and the method that it answers. A list of tools is left out: named checks read it.
ANSWERED = {
    b'"content":': CALL,
    b'"contents":': "resources/read",
    b'"resources":': "resources/list",
    b'"resourceTemplates":': "resources/templates/list",
    b'"prompts":': "prompts/list",
    b'"messages":': "prompts/get",
    b'"serverInfo":': "initialize",
}
LISTS_TOOLS = b'"tools":'

MOST_TIMES = 1.3  # of an argument, as a factor on the plain call
MOST_TIMES_LARGE = 2.0  # of request_method on a large result: its values are read
MOST_TIMES_UNSUBSCRIBED = 1.1
MOST_MORE_RULE = 1500.0  # nanoseconds more than the plain call
MOST_MORE_HEADERS = 250.0

LARGEST_ARGUMENTS = 1 << 20


class Way(NamedTuple):
    """A lane beside the lane of the plain call, and how much longer it may take: a factor, or nanoseconds a frame."""

    lane: Lane
    plain: Lane
    times: float | None = None
    more: float | None = None


class Case(NamedTuple):
    """A frame and what a call passes with it."""

    data: bytes
    given: Any


class WrongError(Exception):
    """A way gives another verdict than it has to; nothing is timed."""


# --- the calls, as a caller writes them ---


def _with_direction(check: Call, frames: Sequence[bytes]) -> None:
    for data in frames:
        check(data, direction=DIRECTION)


def _with_revision(check: Call, frames: Sequence[bytes]) -> None:
    for data in frames:
        check(data, revision=OTHER_REVISION)


def _with_fidelity(check: Call, frames: Sequence[bytes]) -> None:
    for data in frames:
        check(data, fidelity=FIDELITY)


def _beside(given: Sequence[Any]) -> Loop:
    """The plain call in a loop that walks the given values too, as the loops below do."""

    def loop(check: Call, frames: Sequence[bytes]) -> None:
        for data, _ in zip(frames, given, strict=True):
            check(data)

    return loop


def _with_method(given: Sequence[str]) -> Loop:
    def loop(check: Call, frames: Sequence[bytes]) -> None:
        for data, method in zip(frames, given, strict=True):
            check(data, request_method=method)

    return loop


def _with_headers(given: Sequence[Any]) -> Loop:
    def loop(check: Call, frames: Sequence[bytes]) -> None:
        for data, headers in zip(frames, given, strict=True):
            check(data, headers=headers)

    return loop


def _headers(data: bytes, number: int) -> list[tuple[str, str]]:
    """The seven that a client of streamable HTTP sends."""
    return [
        ("host", "127.0.0.1:8000"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("content-length", str(len(data))),
        ("user-agent", "python-httpx/0.28.1"),
        ("mcp-session-id", f"{number:032x}"),
        ("mcp-protocol-version", OTHER_REVISION),
    ]


@framegauge.own_rule("large-arguments", kinds=["request"], methods=[CALL])
def large_arguments(message: framegauge.Message) -> Iterator[str]:
    params = message.raw("params")
    if message.method == CALL and params is not None and len(params) > LARGEST_ARGUMENTS:
        yield "the arguments are too large"


# --- proof ---


def _seen(verdict: framegauge.Verdict) -> tuple[Any, ...]:
    found = tuple((finding.rule, finding.severity, finding.offset, finding.end) for finding in verdict.findings)
    return verdict.kind, verdict.ok, verdict.respond, found


def _same(name: str, way: Callable[[bytes], Any], expected: Call, frames: Sequence[bytes]) -> None:
    for data in frames:
        if _seen(way(data)) != _seen(expected(data)):
            raise WrongError(f"{name} is not the verdict of a gauge that was made for it: {data[:120]!r}")


def _differs(name: str, verdict: framegauge.Verdict, plain: framegauge.Verdict) -> None:
    if _seen(verdict) == _seen(plain):
        raise WrongError(f"{name} changes nothing where it has to")


def _prove_arguments(check: Call, frames: Sequence[bytes]) -> None:
    directed = framegauge.Gauge(REVISION, DIRECTION).check
    _same("direction", lambda data: check(data, direction=DIRECTION), directed, frames)
    from_server = b'{"jsonrpc":"2.0","id":1,"method":"roots/list"}'
    _differs("direction", check(from_server, direction=DIRECTION), check(from_server))
    other = framegauge.Gauge(OTHER_REVISION).check
    _same("revision", lambda data: check(data, revision=OTHER_REVISION), other, frames)
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
    _differs("revision", check(batch, revision="2025-03-26"), check(batch))
    _same("fidelity", lambda data: check(data, fidelity=FIDELITY), check, frames)
    if "trailing-data" not in check(frames[0], fidelity=FIDELITY).not_judged:
        raise WrongError("fidelity does not say which rules it takes away")


def _prove_method(check: Call) -> None:
    wrong = b'{"jsonrpc":"2.0","id":1,"result":{"content":1}}'
    _differs("request_method", check(wrong, request_method=CALL), check(wrong))


def _prove_rule(frames: Sequence[bytes], others: Sequence[bytes]) -> None:
    """The rule runs on each of its frames and on no other; with a limit of 0 it finds something."""
    calls: list[bytes | None] = []

    @framegauge.own_rule("counted", kinds=["request"], methods=[CALL])
    def counted(message: framegauge.Message) -> Iterator[str]:
        calls.append(message.id)
        yield f"{message.method} of {len(message.raw('params') or b'')} bytes"

    check = framegauge.Gauge(REVISION, rules=[counted]).check
    found = sum(len(check(data).findings) for data in frames)
    if len(calls) != len(frames) or found != len(frames) or any(check(data).findings for data in others):
        raise WrongError(f"a rule ran on {len(calls)} of {len(frames)} frames and found {found} times")


# --- the ways ---


def _lane(name: str, check: Call, frames: Sequence[bytes], loop: Loop = each_frame) -> Lane:
    return Lane(Contender(name, check, "frame"), frames, loop=loop)


def _clean(corpus: Corpus) -> list[bytes]:
    """Frames without findings by either revision, which a client may have sent."""
    gauges = framegauge.Gauge(REVISION, DIRECTION), framegauge.Gauge(OTHER_REVISION)
    return [frame.data for frame in corpus.frames if not any(gauge.check(frame.data).findings for gauge in gauges)]


def _arguments(check: Call, corpus: Corpus, frames: Sequence[bytes]) -> Iterator[Way]:
    plain = _lane(f"plain call, {corpus.name}", check, frames)
    for name, loop in (
        ("direction", _with_direction),
        ("revision", _with_revision),
        ("fidelity", _with_fidelity),
    ):
        yield Way(_lane(f"{name}=, {corpus.name}", check, frames, loop), plain, times=MOST_TIMES)


def answered(check: Call, corpus: Corpus) -> list[Case]:
    """Results with the method that they answer, as far as they are without findings by it."""
    cases: list[Case] = []
    for frame in corpus.frames:
        if frame.kind != "success" or LISTS_TOOLS in frame.data:
            continue
        method = next((name for part, name in ANSWERED.items() if part in frame.data.replace(b" ", b"")), None)
        if method is not None and not check(frame.data, request_method=method).findings:
            cases.append(Case(frame.data, method))
    return cases


def _methods(check: Call, corpus: Corpus) -> Iterator[Way]:
    cases = answered(check, corpus)
    for what, most, chosen in (
        ("results", MOST_TIMES, [case for case in cases if len(case.data) < LARGE]),
        ("large results", MOST_TIMES_LARGE, [case for case in cases if len(case.data) >= LARGE]),
    ):
        if not chosen:
            continue
        frames, given = [case.data for case in chosen], [case.given for case in chosen]
        plain = _lane(f"plain call, {what}, {corpus.name}", check, frames, _beside(given))
        yield Way(_lane(f"request_method=, {what}, {corpus.name}", check, frames, _with_method(given)), plain, most)


def _rules(check: Call, corpus: Corpus, frames: Sequence[bytes]) -> Iterator[Way]:
    kinds = [(data, framegauge.classify(data)) for data in frames]
    subscribed = [data for data, frame in kinds if frame.kind == "request" and frame.method == CALL]
    others = [data for data, frame in kinds if not (frame.kind == "request" and frame.method == CALL)]
    _prove_rule(subscribed, others)
    ruled = framegauge.Gauge(REVISION, rules=[large_arguments]).check
    plain = _lane(f"plain call, tools/call, {corpus.name}", check, subscribed)
    yield Way(_lane(f"host rule runs, {corpus.name}", ruled, subscribed), plain, more=MOST_MORE_RULE)
    plain = _lane(f"plain call, not subscribed, {corpus.name}", check, others)
    yield Way(_lane(f"host rule, not subscribed, {corpus.name}", ruled, others), plain, MOST_TIMES_UNSUBSCRIBED)


def _with_seven_headers(check: Call, corpus: Corpus, frames: Sequence[bytes]) -> Iterator[Way]:
    """With a revision, and with `auto`, where a header chooses the revision."""
    given = [_headers(data, number) for number, data in enumerate(frames)]
    sent = dict(zip(frames, given, strict=True))
    auto, named = framegauge.Gauge(AUTO).check, framegauge.Gauge(OTHER_REVISION).check
    _same("headers", lambda data: check(data, headers=sent[data]), check, frames)
    _same("headers by auto", lambda data: auto(data, headers=sent[data]), named, frames)
    for what, call in (("", check), (" by auto", auto)):
        plain = _lane(f"plain call{what}, two in a loop, {corpus.name}", call, frames, _beside(given))
        lane = _lane(f"headers={what}, {corpus.name}", call, frames, _with_headers(given))
        yield Way(lane, plain, more=MOST_MORE_HEADERS)


def ways(corpus: Corpus) -> list[Way]:
    """Proves and returns all of them. Raises WrongError."""
    check: Call = framegauge.Gauge(REVISION).check
    frames = _clean(corpus)
    if not frames:
        raise WrongError(f"no frame of {corpus.name} is without findings")
    _prove_arguments(check, frames)
    _prove_method(check)
    return [
        *_arguments(check, corpus, frames),
        *_methods(check, corpus),
        *_rules(check, corpus, frames),
        *_with_seven_headers(check, corpus, frames),
    ]


def lanes(found: Sequence[Way]) -> list[Lane]:
    """Each once; some ways share the plain call."""
    unique = {lane.contender.name: lane for way in found for lane in (way.plain, way.lane)}
    return list(unique.values())


def judge(found: Sequence[Way], result: Figures) -> None:
    """Holds the measured lanes against their bounds."""
    figures = {each.name: each for each in result.figures}
    for way in found:
        taken, plain = figures[way.lane.contender.name], figures[way.plain.contender.name]
        if way.times is not None:
            result.hold([Bound(taken.name, plain.name, way.times)])
        if way.more is not None:
            more, cpu = taken.nanoseconds - plain.nanoseconds, taken.cpu - plain.cpu
            result.limit(f"{taken.name}, ns more", more, way.more, cpu)
