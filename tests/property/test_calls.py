"""Calls and answers of every method, made from the protocol data: right ones have no errors; of damaged ones the native
layer says what the slow reference says.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

import framegauge as fg
from framegauge.protocol import MCP, revision
from framegauge.ruleset import registry
from tests.reference.rows import ALL
from tests.reference.shapes import NEAR_KEYS, RULES
from tests.support.comparison import gauge_summary, verdict_differences
from tests.support.mcp_calls import Call, some_call
from tests.support.tidy_values import RANDOM

DIRECTIONS = (None, None, "client-to-server", "server-to-client")
TRANSPORTS = (None, "stdio", "http", "sse")


def some_options(rng: Random, call: Call) -> dict[str, Any]:
    return {
        "revision": call.revision if rng.random() < 0.6 else rng.choice((*ALL, "auto")),
        "direction": rng.choice(DIRECTIONS),
        "transport": rng.choice(TRANSPORTS),
        "request_method": call.request_method if rng.random() < 0.9 else None,
    }


# What damage hardly comes to: a task that excuses a missing requestId, a value that only should be otherwise.
RARE = (
    Call(
        b'{"jsonrpc":"2.0","method":"notifications/cancelled",'
        b'"params":{"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"}}}}',
        "2025-11-25",
        None,
    ),
    Call(
        b'{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"file:///a b","text":""}]}}',
        "2025-11-25",
        "resources/read",
    ),
)


def found_in(call: Call, options: dict[str, Any]) -> list[tuple[str, str]]:
    """Rules and severities, where native layer and reference agree."""
    options = {"request_method": call.request_method, **options}
    differing = verdict_differences(call.frame, **options)
    assert not differing, (call.frame, options, differing)
    return [(rule, finding.severity) for rule, finding in gauge_summary(call.frame, **options).findings.items()]


def check(count: int, seed: int) -> Counter[tuple[str, str]]:
    """Compares, and counts what was found."""
    rng, seen = Random(seed), Counter[tuple[str, str]]()
    for _ in range(count):
        call = some_call(rng, damages=rng.choice((0, 1, 1, 2, 3)))
        seen.update(found_in(call, some_options(rng, call)))
    return seen


def test_right_calls_have_no_errors() -> None:
    rng, methods = Random(7), Counter[str | None]()
    gauges = {name: fg.Gauge(name, ignore=RANDOM) for name in (*MCP, "auto")}
    for _ in range(4_000):
        call = some_call(rng)
        for name in (call.revision, "auto"):
            verdict = gauges[name].check(call.frame, request_method=call.request_method)
            assert verdict.ok, (name, call, [finding.to_dict() for finding in verdict.findings])
        methods.update((verdict.frame.method, call.request_method))
    for name in MCP:
        for method in revision(name).methods.values():
            assert methods[method.name] > 0 or method.kind == "input-request", method.name


def test_damaged_calls_equal_the_reference() -> None:
    seen = check(6_000, seed=20) + Counter(pair for call in RARE for pair in found_in(call, {"revision": "2025-11-25"}))
    missed = {
        (rule, row.severity)
        for rule in (*RULES, *NEAR_KEYS)
        for row in registry.by_id(rule).rows
        if (rule, row.severity) not in seen
    }
    assert missed <= {("error-data-type", "warning")}, "only a task in an error has an integral number"


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(400, 410))
def test_many_damaged_calls_equal_the_reference(seed: int) -> None:
    assert check(40_000, seed)


def test_words_are_whole() -> None:
    """A finding names the member that is missing, or what is wanted; its pointer ends in that member or leads there."""
    rng, said = Random(9), 0
    gauges = {name: fg.Gauge(name) for name in MCP}
    for _ in range(3_000):
        call = some_call(rng, damages=2)
        for finding in gauges[call.revision].check(call.frame, request_method=call.request_method).findings:
            if registry.by_id(finding.rule).area != "values":
                continue
            said += 1
            assert not {"{", "}"} & set(finding.message), finding.message
            assert "another value" not in finding.message
            assert finding.message.isprintable()
            if "{member}" in registry.by_id(finding.rule).message:
                member = finding.path.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
                assert member in finding.message
                assert call.frame[finding.offset : finding.end] == b"{"
    assert said > 1_000
