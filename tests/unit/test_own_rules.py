"""Rules of the host: what they see, what becomes of what they find, and that none can stop the gauge."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg

if TYPE_CHECKING:
    from collections.abc import Iterator

CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shell","arguments":{"a":1}}}'
PING = b'{"jsonrpc":"2.0","id":2,"method":"ping"}'
PAGE = Path(__file__).resolve().parents[2] / "docs" / "writing-a-rule.md"


@fg.own_rule("deny-tool", kinds=["request"], methods=["tools/call"])
def deny_tool(message: fg.Message) -> Iterator[tuple[str, str]]:
    if message.params["name"] == "shell":
        yield "no shell here", "/params/name"


def rules_of(verdict: fg.Verdict) -> list[str]:
    return [finding.rule for finding in verdict.findings]


def test_a_finding_of_ones_own() -> None:
    verdict = fg.Gauge("2025-11-25", rules=[deny_tool]).check(CALL)
    (finding,) = verdict.findings
    assert (finding.rule, finding.severity, finding.authority) == ("deny-tool", "error", ("limit",))
    assert (finding.path, finding.message) == ("/params/name", "no shell here")
    assert CALL[finding.offset : finding.end].startswith(b'{"name"')
    assert not verdict.ok
    assert verdict.respond
    assert verdict.reply is None
    assert verdict.to_dict()["findings"][0]["rule"] == "deny-tool"


def test_behind_a_byte_order_mark_members_are_where_they_are() -> None:
    seen: list[bytes] = []

    @fg.own_rule("look")
    def look(message: fg.Message) -> Iterator[str]:
        seen.append(bytes(message.raw("params") or b""))
        yield "no"

    verdict = fg.Gauge("2025-11-25", rules=[look], allow_bom=True).check(b"\xef\xbb\xbf" + CALL)
    assert seen == [b'{"name":"shell","arguments":{"a":1}}']
    (found,) = [finding for finding in verdict.findings if finding.rule == "look"]
    assert (b"\xef\xbb\xbf" + CALL)[found.offset : found.end] == seen[0]


def test_it_is_called_for_its_messages_only() -> None:
    seen: list[bytes | None] = []

    @fg.own_rule("watch", kinds=["request"], methods=["tools/call"])
    def watch(message: fg.Message) -> None:
        seen.append(message.id)

    gauge = fg.Gauge("2025-11-25", rules=[watch])
    for frame in (CALL, PING, b'{"jsonrpc":"2.0","id":1,"result":{}}'):
        assert gauge.check(frame).ok
    assert not gauge.check(b'{"jsonrpc":"2.0","method":"tools/call"}').ok  # no request
    assert seen == [b"1"]


@pytest.mark.parametrize("frame", [b"", b"{", b"nonsense", b'{"jsonrpc":"1.0","id":1,"method":"m"}', b"[" * 300])
def test_it_sees_only_what_passed(frame: bytes) -> None:
    def never(message: fg.Message) -> None:
        raise AssertionError(message)

    assert "rule-failed" not in rules_of(fg.Gauge("2025-11-25", rules=[never]).check(frame))


ERROR = b'{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"no"}}'
SEEN: list[tuple[bytes, tuple[Any, ...]]] = [
    (CALL, ("request", "tools/call", b"1", {"name": "shell", "arguments": {"a": 1}}, None, None)),
    (PING, ("request", "ping", b"2", None, None, None)),
    (b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
     ("notification", "notifications/initialized", None, None, None, None)),
    (b'{"jsonrpc":"2.0","id":"3","result":{"b":[2]}}', ("success", None, b'"3"', None, {"b": [2]}, None)),
    (ERROR, ("error", None, b"4", None, None, {"code": 1, "message": "no"})),
    (b"[%b]" % PING, ("batch", None, None, None, None, None)),
]  # fmt: skip


@pytest.mark.parametrize("kinds", [None, sorted({seen[0] for _, seen in SEEN})])
def test_what_it_sees_of_all_that_passed(kinds: list[str] | None) -> None:
    said: list[tuple[Any, ...]] = []

    @fg.own_rule("look", kinds=kinds)
    def look(message: fg.Message) -> None:
        said.append((message.kind, message.method, message.id, message.params, message.result, message.error))
        raw = message.raw("error")
        assert (raw and bytes(raw)) == (b'{"code":1,"message":"no"}' if message.data == ERROR else None)

    gauge = fg.Gauge("2025-03-26", rules=[look])
    assert [rules_of(gauge.check(frame)) for frame, _ in SEEN] == [[]] * len(SEEN)
    assert said == [seen for _, seen in SEEN]


def test_one_that_raises_is_a_finding() -> None:
    def careless(message: fg.Message) -> Iterator[str]:
        yield str(message.params["no such member"])

    # Whatever `select` says: the host's own rules are applied, and a gate must not open because one of them fails.
    for select in (None, [], ["duplicate-key"], ["rule-failed"]):
        verdict = fg.Gauge("2025-11-25", select=select, rules=[careless, deny_tool]).check(CALL)
        assert rules_of(verdict) == ["deny-tool", "rule-failed"]
        assert "careless raised KeyError" in verdict.findings[1].message
        assert verdict.findings[1].authority == ("limit",)
        assert not verdict.ok


@pytest.mark.parametrize("exception", [SystemExit, GeneratorExit, RecursionError, MemoryError, StopIteration])
def test_no_exception_of_a_rule_gets_out(exception: type[BaseException]) -> None:
    def leaving(message: fg.Message) -> None:
        raise exception

    verdict = fg.Gauge(rules=[leaving]).check(PING)
    assert rules_of(verdict) == ["rule-failed"]
    assert f"leaving raised {exception.__name__}" in verdict.findings[0].message


def test_who_interrupts_a_rule_is_heard() -> None:
    def interrupted(message: fg.Message) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fg.Gauge(rules=[interrupted]).check(PING)


@pytest.mark.parametrize("complaint", [5, ("a", 5), ("a", "b", "c"), b"x", ["a"], ("a", ["/"]), ("a", "b")])
def test_one_that_yields_nonsense_has_failed(complaint: Any) -> None:
    def odd(message: fg.Message) -> list[Any]:
        return [complaint]

    assert rules_of(fg.Gauge("2025-11-25", rules=[odd]).check(PING)) == ["rule-failed"]


def test_a_warning_leaves_the_verdict_ok() -> None:
    @fg.own_rule("odd-ping", severity="warning")
    def odd_ping(message: fg.Message) -> list[str]:
        return ["hm"]

    verdict = fg.Gauge("2025-11-25", rules=[odd_ping]).check(PING)
    assert verdict.ok
    assert rules_of(verdict) == ["odd-ping"]


def test_built_in_findings_stay() -> None:
    frame = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shell","name":"shell"}}'
    assert rules_of(fg.Gauge("2025-11-25", rules=[deny_tool]).check(frame)) == ["deny-tool", "duplicate-key"]


def test_an_object_or_a_plain_function_is_a_rule_too() -> None:
    class Rule:
        id = "no-ping"
        severity = "info"
        methods = ("ping",)

        def check(self, message: fg.Message) -> list[str]:
            return ["a ping"]

    def no_pong(message: fg.Message) -> list[str]:
        return ["still a ping"]

    verdict = fg.Gauge("2025-11-25", rules=[Rule(), no_pong]).check(PING)
    assert {finding.rule: finding.severity for finding in verdict.findings} == {"no-ping": "info", "no-pong": "error"}


def test_without_a_severity_it_is_an_error() -> None:
    class Rule:
        id = "from-an-object"

        def check(self, message: fg.Message) -> list[str]:
            return ["a ping"]

    page = "https://example.org/no-pings"
    verdict = fg.Gauge("2025-11-25", rules=[Rule(), fg.OwnRule("made", Rule().check, urls=(page,))]).check(PING)
    assert {finding.rule: finding.severity for finding in verdict.findings} == dict.fromkeys(
        ("from-an-object", "made"), "error"
    )
    assert [finding.url for finding in verdict.findings if finding.rule == "made"] == [page]


@pytest.mark.parametrize("name", ["", "Deny", "deny_tool", "-x", "duplicate-key"])
def test_a_bad_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"kebab-case|another rule"):
        fg.Gauge(rules=[fg.own_rule(name)(lambda message: None)])


def test_wrong_subscriptions_are_refused() -> None:
    with pytest.raises(ValueError, match="kinds are some of batch, error, notification, request, success"):
        fg.own_rule("x", kinds=["parse-error"])
    with pytest.raises(ValueError, match="severity"):
        fg.own_rule("x", severity="fatal")  # type: ignore[arg-type]
    for wrong in (5, type("Named", (), {"id": "x"})(), type("Checking", (), {"check": print})()):
        with pytest.raises(TypeError, match="a rule is a function or has `id` and `check`"):
            fg.Gauge(rules=[wrong])
    with pytest.raises(ValueError, match="another rule"):
        fg.Gauge(rules=[deny_tool, deny_tool])


def test_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    printed = re.search(r"It prints:\n\n```\n(.*?)```", text, re.DOTALL)
    assert code
    assert printed
    exec(compile(code[1], str(PAGE), "exec"), {})
    assert capsys.readouterr().out == printed[1]


def test_the_rule_about_failed_rules_can_be_ignored() -> None:
    def careless(message: fg.Message) -> None:
        raise ValueError

    verdict = fg.Gauge("2025-11-25", rules=[careless, deny_tool], ignore=["rule-failed"]).check(PING)
    assert (verdict.ok, verdict.findings) == (True, ())
    assert verdict.not_judged == {"careless"}


def test_a_broken_exception_stops_nothing() -> None:
    class BrokenError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def careless(message: fg.Message) -> None:
        raise BrokenError

    [finding] = fg.Gauge("2025-11-25", rules=[careless]).check(PING).findings
    assert (finding.rule, finding.severity) == ("rule-failed", "error")
    assert finding.message.endswith("the rule careless raised BrokenError")


@pytest.mark.parametrize(
    ("frame", "path", "place"),
    [
        (PING, "", PING),
        (CALL, "/params", CALL[CALL.index(b'{"name"') : -1]),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":1}}', "/result", b'{"a":1}'),
        (b'{"error":{"code":-1,"message":""},"jsonrpc":"2.0","id":1}', "/error", b'{"code":-1,"message":""}'),
    ],
)
def test_a_complaint_is_about_what_a_call_or_an_answer_says(frame: bytes, path: str, place: bytes) -> None:
    def plain(message: fg.Message) -> list[str]:
        return ["no"]

    [finding] = fg.Gauge("2025-11-25", rules=[plain]).check(frame).findings
    assert (finding.rule, finding.path, finding.count) == ("plain", path, 1)
    assert frame[finding.offset : finding.end] == place


def test_what_was_yielded_before_it_raised_is_kept() -> None:
    def half(message: fg.Message) -> Iterator[str]:
        yield "one"
        raise ValueError("no\nmore\x1b[31m")

    verdict = fg.Gauge("2025-11-25", rules=[half]).check(PING)
    assert sorted(rules_of(verdict)) == ["half", "rule-failed"]
    assert all(finding.message.isprintable() for finding in verdict.findings)


def test_complaints_without_end_are_cut() -> None:
    def endless(message: fg.Message) -> Iterator[str]:
        while True:
            yield "again"

    assert len(fg.Gauge("2025-11-25", rules=[endless]).check(PING).findings) == 1000


@pytest.mark.parametrize("wrong", [{"methods": "tools/call"}, {"kinds": "request"}, {"methods": [5]}])
def test_a_subscription_is_a_list_of_names(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="list of names"):
        fg.own_rule("x", **wrong)


def test_a_returned_text_is_no_list_of_complaints() -> None:
    def returns(message: fg.Message) -> Any:
        return "not ok"

    assert rules_of(fg.Gauge("2025-11-25", rules=[returns]).check(PING)) == ["rule-failed"]


@pytest.mark.parametrize("more", [{"methods": iter(["tools/call"])}, {"kinds": iter(["request"])}])
def test_names_from_an_iterator_are_not_lost(more: dict[str, Any]) -> None:
    rule = fg.own_rule("deny-call", **more)(lambda message: ["no"])
    assert rules_of(fg.Gauge("2025-11-25", rules=[rule]).check(CALL)) == ["deny-call"]


def test_a_rule_that_is_made_directly() -> None:
    named = fg.OwnRule("by-name", lambda message: ["no"], kinds=frozenset({"request"}))  # type: ignore[arg-type]
    assert rules_of(fg.Gauge("2025-11-25", rules=[named]).check(CALL)) == ["by-name"]
    invalid = fg.OwnRule("of-invalid", lambda message: ["no"], kinds=frozenset({fg.Kind.invalid}))
    assert fg.Gauge("2025-11-25", rules=[invalid], select=[]).check(b'{"jsonrpc":"2.0","id":1,"method":5}').ok
