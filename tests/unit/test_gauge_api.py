"""The Gauge's edges: other buffers than bytes, calls with their own arguments, objects nobody should make."""

from __future__ import annotations

import copy
import functools
import json
import pickle
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.protocol import MCP
from tests.support.comparison import native_limits, options_of
from tests.support.mutations import mutate
from tests.support.vectors import VerdictVector, all_vectors, verdict_vectors

if TYPE_CHECKING:
    from collections.abc import Iterable

FRAMES = [vector.frame for vector in all_vectors() if len(vector.frame) < 2000]
CALLS: list[dict[str, Any]] = [
    {},
    {"revision": "2025-11-25"},
    {"revision": "auto"},
    {"direction": "server-to-client"},
    {"headers": {"MCP-Protocol-Version": "2025-03-26"}},
    {"fidelity": "value"},
]
GAUGES = [
    fg.Gauge(),
    fg.Gauge("jsonrpc-2.0"),
    fg.Gauge("2025-03-26", transport="stdio"),
    fg.Gauge(direction="server-to-client"),
    fg.Gauge("2026-07-28", transport="http", allow_bom=True),
]


@pytest.mark.parametrize("gauge", GAUGES, ids=lambda g: f"{g.revision} {g.direction} {g.transport}")
def test_every_buffer_gets_the_verdict_of_bytes(gauge: fg.Gauge) -> None:
    rng = Random(4)
    for _ in range(300):
        frame = rng.choice(FRAMES)
        frame = mutate(frame, rng) if rng.random() < 0.5 else frame
        for call in CALLS:
            expected = json.dumps(gauge.check(frame, **call).to_dict(), allow_nan=False)
            for view in (bytearray(frame), memoryview(b"x" + frame)[1:]):
                assert json.dumps(gauge.check(view, **call).to_dict()) == expected, (frame, call)


def test_a_revision_of_the_call_judges_a_bytearray_too() -> None:
    frame = bytearray(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}')
    verdict = fg.Gauge("jsonrpc-2.0").check(frame, revision="2025-11-25")
    assert not verdict.ok
    assert [finding.rule for finding in verdict.findings] == ["params-not-object"]


def test_the_pointers_of_a_large_batch_are_made_on_demand() -> None:
    """Eager ones took 0.7 s for each megabyte; this takes milliseconds, and the suite's time-out guards it."""
    one = b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":[' + b"1," * 50_000 + b'1]},"ID":2}'
    verdict = fg.Gauge().check(b"[" + b",".join([one] * 100) + b"]")
    (finding,) = [finding for finding in verdict.findings if finding.rule == "key-case-variant"]
    assert finding.count == 100
    assert finding.path == "/0/ID"


def test_one_rule_broken_by_each_element_of_a_long_batch() -> None:
    """The findings hung on each other, one for each element: 100,000 overran the stack and ended the process."""
    unlimited = fg.Gauge("jsonrpc-2.0", limits=fg.Limits(max_batch_items=None))
    one = b'{"jsonrpc":"2.0","id":null,"method":"m"}'
    verdict = unlimited.check(b"[" + b",".join([one] * 100_000) + b"]")
    (finding,) = verdict.findings
    assert (finding.rule, finding.path, finding.offset, finding.count) == ("id-null", "/0/id", 23, 100_000)


def test_nobody_makes_verdicts() -> None:
    with pytest.raises(TypeError, match="check"):
        fg.Verdict.__new__(fg.Verdict)
    with pytest.raises(TypeError):
        fg.Verdict()
    verdict = fg.Gauge().check(b"{}")
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="pickled"):
            attempt(verdict)


def test_a_subclass_that_forgets_its_base_is_told() -> None:
    class Careless(fg.Gauge):
        def __init__(self) -> None:
            pass

    with pytest.raises(RuntimeError, match="__init__"):
        Careless().check(b"{}")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"revision": "2025"}, ValueError, "2025-11-25"),
        ({"direction": "up"}, ValueError, "client-to-server"),
        ({"transport": "tcp"}, ValueError, "stdio"),
        ({"error_id": "nil"}, ValueError, "omit"),
        ({"select": ["crfl"]}, ValueError, "crlf"),
        ({"select": "crlf"}, TypeError, "list"),
        ({"select": [5]}, ValueError, "no rule '5'"),
        ({"limits": {"max_depth": 3}}, TypeError, "Limits, not dict"),
        ({"ignore": None}, TypeError, "list"),
        ({"ignore": ["no-such-rule"]}, ValueError, "no-such-rule"),
        ({"select": 1}, TypeError, "select is a list"),
        ({"rules": None}, TypeError, "rules is a list"),
        ({"rules": print}, TypeError, "rules is a list"),
        ({"rules": [functools.partial(print)]}, TypeError, "rule"),
        ({"rules": [int]}, TypeError, "rule"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        fg.Gauge(**arguments)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [("direction", "up", "client-to-server"), ("revision", "x", "auto"), ("fidelity", "best", "tokens")],
)
def test_wrong_arguments_of_a_call_are_named(name: str, value: str, allowed: str) -> None:
    call: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"{name} '{value}' is not known; it is one of .*{allowed}"):
        fg.Gauge().check(b"{}", **call)


@pytest.mark.parametrize("headers", [1, "x", b"x", [1], [("a",)], [("a", "b", "c")], {1, 2}])
def test_headers_that_are_no_pairs_are_a_type_error(headers: Any) -> None:
    with pytest.raises(TypeError, match="headers is a mapping, or a list of pairs"):
        fg.Gauge().check(b"{}", headers=headers)


def no_tools(message: Any) -> Any:
    yield "no"


def test_a_gauge_is_what_it_was_made() -> None:
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
    gauge = fg.Gauge("2025-11-25")
    names = [*(name for name in vars(gauge) if not name.startswith("_")), "limits"]
    assert {"revision", "direction", "transport", "limits", "selected", "rules", "allow_bom", "error_id"} <= set(names)
    for name in names:
        with pytest.raises(AttributeError, match=name):
            setattr(gauge, name, getattr(fg.Gauge("2024-11-05"), name))
        with pytest.raises(AttributeError, match=name):
            delattr(gauge, name)
    with pytest.raises(AttributeError, match="revision"):
        gauge.__init__("2024-11-05")  # type: ignore[misc]
    assert [finding.rule for finding in gauge.check(batch).findings] == ["batch-not-allowed"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"revision": "2025-03-26", "direction": "server-to-client", "transport": "http", "limits": fg.Limits(None, 3)},
        {"select": ["id-null", "utf8-bom"], "allow_bom": True, "error_id": "null"},
        {"ignore": ["method-type"], "rules": [no_tools]},
        {"select": ["method-type"], "ignore": ["rule-failed"], "rules": [no_tools]},
    ],
)
def test_a_gauge_may_be_sent_to_another_process(arguments: dict[str, Any]) -> None:
    gauge = fg.Gauge(**arguments)
    frames = [vector.frame for vector in all_vectors()][::3]
    assert len(frames) > 100
    for twin in (pickle.loads(pickle.dumps(gauge)), copy.copy(gauge), copy.deepcopy(gauge)):
        assert type(twin) is fg.Gauge
        for frame in frames:
            assert twin.check(frame).to_dict() == gauge.check(frame).to_dict()


@pytest.mark.parametrize("method", [b"tools/call", 5, True, [], ("tools/call",)])
def test_a_method_that_is_no_text_is_a_type_error(method: Any) -> None:
    with pytest.raises(TypeError, match=f"request_method is a str, not {type(method).__name__}"):
        fg.Gauge().check(b'{"jsonrpc":"2.0","id":1,"result":{}}', request_method=method)


@pytest.mark.parametrize(
    ("revision", "method", "result", "path", "message"),
    [
        (
            "2026-07-28",
            "tools/call",
            b'{"resultType":"input_required"}',
            "inputRequests",
            "inputRequests and requestState",
        ),
        ("2025-11-25", "tools/call", b"{}", "content", "content and task"),
        ("2025-06-18", "tools/call", b"{}", "content", None),
        ("auto", "resources/read", b'{"contents":[{"uri":"a:b"}]}', "contents/0/text", "text and blob"),
        ("auto", "resources/read", b'{"contents":[{"text":""}]}', "contents/0/uri", None),
    ],
)
def test_where_one_of_several_is_enough_all_are_named(
    revision: str, method: str, result: bytes, path: str, message: str | None
) -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"result":%b}' % result
    [finding] = fg.Gauge(revision).check(frame, request_method=method).findings
    assert (finding.rule, finding.path) == ("result-member-missing", f"/result/{path}")
    name = path.rpartition("/")[2]
    said = f"{name} is missing, which is required"
    assert finding.message == (f"one of {message} must be there, and none is" if message else said)


@pytest.mark.parametrize("data", ["text", 5, None, [b"x"]])
def test_what_is_no_buffer_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError):
        fg.Gauge().check(data)
    with pytest.raises(TypeError):
        fg.Gauge().check_lines(data)


class Odd(bytes):
    """Says one thing and is another."""

    def __bytes__(self) -> bytes:
        return b"other bytes"


def test_a_subclass_of_bytes_is_judged_by_what_it_holds() -> None:
    frame = b'\xef\xbb\xbf{"jsonrpc":"2.0","id":null,"method":"m"}'
    seen: list[bytes] = []

    @fg.own_rule("look")
    def look(message: fg.Message) -> None:
        seen.append(message.data)

    gauge = fg.Gauge("2025-11-25", allow_bom=True, rules=[look])
    assert gauge.check(Odd(frame)).to_dict() == gauge.check(frame).to_dict()
    assert seen == [frame[3:], frame[3:]]  # without the mark: what the offsets of the frame count from


def test_lost_rules_are_not_judged() -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1,"a":2}}}'
    verdict = fg.Gauge("2025-11-25").check(frame, fidelity="value")
    assert "duplicate-key" in verdict.not_judged
    assert verdict.findings == ()
    assert fg.Gauge("2025-11-25").check(frame).not_judged == frozenset()


@pytest.mark.parametrize("limits", [{"max_depth": None}, {}])
def test_unfinished_lines_cost_what_they_weigh(limits: dict[str, Any]) -> None:
    """Each line would be read on into all that follow. 600 kB took 40 s before lines were cut."""
    gauge = fg.Gauge("2025-11-25", limits=fg.Limits(**limits))
    assert len(gauge.check_lines(b'{"a":[\n' * 90_000)) == 90_000


def test_an_odd_buffer_is_asked_once() -> None:
    data = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 1000
    verdicts = fg.Gauge().check_lines(memoryview(data))
    assert len(verdicts) == 1000
    assert verdicts.verdict(999).ok


# ---- the versions that a host lists


def of_version(version: str) -> bytes:
    named = f'"io.modelcontextprotocol/protocolVersion":"{version}","io.modelcontextprotocol/clientCapabilities":{{}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{"_meta":{{{named}}}}}}}'.encode()


def listed(gauge: fg.Gauge, version: str, **call: Any) -> list[str] | None:
    """What the answer lists; None where the version is not refused."""
    reply = gauge.check(of_version(version), **call).reply
    if reply is None or reply.code != -32022:
        return None
    assert reply.message == "Unsupported protocol version"
    assert reply.data["requested"] == version
    assert json.loads(reply.body())["error"]["data"] == reply.data
    supported: list[str] = reply.data["supported"]
    return supported


def test_the_answer_lists_what_the_host_has() -> None:
    newest = MCP[-1]
    assert listed(fg.Gauge(newest), "2031-01-01") == [newest]
    assert listed(fg.Gauge(newest), MCP[0]) == [newest]
    assert listed(fg.Gauge(newest), newest) is None
    assert listed(fg.Gauge(), "2031-01-01") == list(MCP)
    assert all(listed(fg.Gauge(), version) is None for version in MCP)


def test_a_revision_for_one_call_is_the_hosts_and_that_of_a_header_is_not() -> None:
    newest, header = MCP[-1], {"MCP-Protocol-Version": MCP[-1]}
    assert listed(fg.Gauge(), "2031-01-01", headers=header) == list(MCP)
    assert listed(fg.Gauge(), MCP[0], headers=header) is None
    assert listed(fg.Gauge(), MCP[0], revision=newest) == [newest]
    assert listed(fg.Gauge(newest), "2031-01-01", revision="auto") == list(MCP)
    assert listed(fg.Gauge(MCP[0]), "2031-01-01") is None


def test_the_answer_to_a_marked_frame_names_the_version_too() -> None:
    gauge = fg.Gauge(allow_bom=True)
    reply = gauge.check(b"\xef\xbb\xbf" + of_version("2031-01-01")).reply
    assert reply is not None
    assert (reply.code, reply.data["requested"]) == (-32022, "2031-01-01")


def test_a_rule_that_is_left_out_refuses_no_version() -> None:
    gauge = fg.Gauge(ignore=["protocol-version-unsupported"])
    assert gauge.check(of_version("2031-01-01")).ok


# ---- rules that are left out, and what a record has lost

BAD = [vector for vector in verdict_vectors() if vector.bad]


def judged(vector: VerdictVector, fidelity: str = "bytes", **options: Any) -> fg.Verdict:
    given = options_of(vector)
    asked, limits = given.pop("request_method"), native_limits(given.pop("limits"))
    return fg.Gauge(**given, limits=limits, **options).check(vector.frame, request_method=asked, fidelity=fidelity)


def told(findings: Iterable[fg.Finding]) -> list[str]:
    return [json.dumps(finding.to_dict()) for finding in findings]


def test_a_rule_may_be_left_out_or_be_the_only_one() -> None:
    assert len(BAD) > 1000
    for vector in BAD:
        rule = vector.folder
        found = judged(vector).findings
        others = [finding for finding in found if finding.rule != rule]
        without = judged(vector, ignore=[rule]).findings
        if rule != "content-length-framing":  # then the header is what it was: no JSON
            assert told(without) == told(others), vector.id
        assert rule not in {finding.rule for finding in without}
        alone = [finding for finding in found if finding.rule == rule]
        assert told(judged(vector, select=[rule]).findings) == told(alone), vector.id


# What is not to be seen any more, by what a record keeps; a record that keeps less has lost that, too.
LOST = {
    "bytes": set[str](),
    # A string, decoded and cut into lines by somebody else.
    "text": {"invalid-utf8", "utf8-bom", "crlf", "embedded-newline", "content-length-framing"},
    # Somebody has read it as JSON, and white space has gone.
    "tokens": {"not-json", "leading-garbage", "trailing-data", "truncated", "raw-control-char", "non-finite-number"}
    | {"bad-number", "bad-escape", "bad-literal", "bad-structure", "empty-frame"},
    # It was written again: one of doubled keys, and strings and numbers spelt in another way.
    "value": {"duplicate-key", "escaped-key", "escaped-value", "lone-surrogate"}
    | {"id-not-integer-literal", "number-too-long"},
}


@pytest.mark.parametrize("fidelity", LOST)
def test_a_record_shows_what_it_keeps(fidelity: str) -> None:
    lost = set().union(*(LOST[each] for each in [*LOST][: [*LOST].index(fidelity) + 1]))
    assert lost <= {vector.folder for vector in BAD}
    for vector in {vector.folder: vector for vector in BAD}.values():
        whole, verdict = judged(vector), judged(vector, fidelity)
        assert verdict.not_judged == whole.not_judged | lost
        if vector.folder != "content-length-framing" or vector.folder not in lost:  # the header is then not JSON
            assert told(verdict.findings) == told(each for each in whole.findings if each.rule not in lost), vector.id
        assert verdict.ok == all(finding.severity != "error" for finding in verdict.findings)
    assert fg.Gauge(ignore=lost).check(b"{}", fidelity=fidelity).not_judged == frozenset()


def test_a_verdict_as_a_dict() -> None:
    """Ids are raw text."""
    gauge = fg.Gauge("2025-11-25", "client-to-server", "http")
    told = gauge.check('{"jsonrpc":"2.0","id":"é","method":"ping","params":[]}'.encode()).to_dict()
    [finding] = told.pop("findings")
    assert finding["rule"] == "params-not-object"
    assert told == {
        "schema": "framegauge.verdict/1",
        "kind": "request",
        "ok": False,
        "revision": "2025-11-25",
        "revisions": ["jsonrpc-2.0"],
        "direction": "client-to-server",
        "transport": "http",
        "size": 55,
        "id": '"é"',
        "method": "ping",
        "respond": True,
        "status": None,
        "not_judged": [],
        "reply": {
            "code": -32602,
            "id": '"é"',
            "status": None,
            "message": "Invalid params",
            "data": {"rule": "params-not-object"},
            "body": '{"jsonrpc":"2.0","id":"é","error":{"code":-32602,"message":"Invalid params",'
            '"data":{"rule":"params-not-object"}}}',
        },
        "items": [],
    }
    nothing = gauge.check(b"{}").to_dict()
    assert (nothing["id"], nothing["method"], nothing["reply"]["id"]) == (None, None, None)


# ---- what is said with one frame


@pytest.mark.parametrize("transport", [None, "http", "sse", "stdio"])
def test_a_header_is_one_on_a_channel_of_lines_alone(transport: str | None) -> None:
    rule = "content-length-framing" if transport == "stdio" else "not-json"
    for call in CALLS[:2]:
        [finding] = fg.Gauge(MCP[3], transport=transport, allow_bom=True).check(b"Content-Length: 5", **call).findings
        assert (finding.rule, finding.offset, finding.end) == (rule, 0, 1)


def test_what_is_said_with_a_frame_is_as_good_as_with_the_gauge() -> None:
    for vector in {vector.folder: vector for vector in BAD}.values():
        given = options_of(vector)
        call = {name: given.pop(name) for name in ("revision", "direction", "request_method")}
        gauge = fg.Gauge(**given | {"limits": native_limits(given["limits"])})
        assert gauge.check(vector.frame, **call).to_dict() == judged(vector).to_dict(), vector.id


def test_a_method_that_nobody_knows_says_nothing_of_its_result() -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"result":{"resultType":5}}'
    for revision in MCP:
        gauge = fg.Gauge(revision)
        assert told(gauge.check(frame, request_method="x/y").findings) == told(gauge.check(frame).findings)


VERSION = "MCP-Protocol-Version"


@pytest.mark.parametrize(
    ("headers", "revision"),
    [
        ({VERSION: MCP[1]}, MCP[1]),
        ([(VERSION.lower().encode(), b" %b " % MCP[1].encode())], MCP[1]),
        ([("Accept", MCP[0]), (VERSION, "1"), (VERSION.upper(), MCP[2])], MCP[2]),
        ({VERSION: "2031-01-01"}, "auto"),
        ({"Accept": MCP[0]}, "auto"),
        ({}, "auto"),
    ],
)
def test_a_header_names_the_revision_where_the_host_does_not(headers: Any, revision: str) -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    assert fg.Gauge().check(frame, headers=headers).revision == revision
    assert fg.Gauge(MCP[3]).check(frame, headers=headers).revision == MCP[3]
    assert fg.Gauge().check(frame, headers=headers, revision=MCP[3]).revision == MCP[3]
    assert fg.Gauge(MCP[3]).check(frame, headers=headers, revision="auto").revision == revision
