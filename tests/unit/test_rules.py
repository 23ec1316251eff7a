"""The rules as data: complete, numbered for good, true to the facts and the texts they name."""

from __future__ import annotations

import re
import string
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import pytest

import framegauge as fg
from framegauge.facts import FACT_NAMES, FAULT_NAMES
from framegauge.gauge.value_rules import Spot
from framegauge.protocol.revision import MCP, REVISIONS
from framegauge.ruleset import places, registry
from framegauge.ruleset.codes import CODES
from tests.support import SHARED, or_skip
from tests.support.cases import check_each

if TYPE_CHECKING:
    from collections.abc import Callable

    from framegauge.ruleset.model import Row, Rule

# The highest severity in jsonrpc-2.0 and in the five MCP revisions; in the order of the rules' numbers. Append only.
SEVERITIES = {
    "invalid-utf8": "EEEEEE",
    "utf8-bom": "EEEEEE",
    "not-json": "EEEEEE",
    "leading-garbage": "EEEEEE",
    "trailing-data": "EEEEEE",
    "truncated": "EEEEEE",
    "raw-control-char": "EEEEEE",
    "non-finite-number": "EEEEEE",
    "bad-number": "EEEEEE",
    "bad-escape": "EEEEEE",
    "bad-literal": "EEEEEE",
    "bad-structure": "EEEEEE",
    "frame-too-large": "EEEEEE",
    "nesting-limit": "EEEEEE",
    "number-too-long": "EEEEEE",
    "too-many-members": "EEEEEE",
    "batch-too-large": "EEEEEE",
    "empty-frame": "EEEEEE",  # as the body of a POST; else info
    "crlf": "-IIIII",
    "embedded-newline": "-EEEEE",
    "content-length-framing": "-EEEEE",
    "not-object": "EEEEEE",
    "batch-not-allowed": "---EEE",
    "batch-unspecified": "-W----",
    "batch-empty": "EEE---",
    "batch-nested": "EEE---",
    "batch-mixed": "--E---",
    "batch-initialize": "--E---",
    "batch-item-invalid": "EEE---",
    "duplicate-key": "EEEEEE",
    "key-case-variant": "EEEEEE",
    "key-lookalike": "EEEEEE",
    "escaped-key": "WWWWWW",
    "escaped-value": "WWWWWW",
    "lone-surrogate": "EEEEEE",
    "unknown-member": "IIIIII",
    "jsonrpc-missing": "EEEEEE",
    "jsonrpc-wrong": "EEEEEE",
    "method-type": "EEEEEE",
    "method-reserved": "WWWWWW",
    "params-type": "EEEEEE",
    "params-not-object": "-EEEEE",
    "id-null": "EEEEEE",  # on a success; on a request a warning in jsonrpc-2.0
    "id-type": "EEEEEE",
    "id-not-integer": "WEEEEE",
    "id-not-integer-literal": "WWWWWW",
    "id-unsafe-integer": "WWWWWW",
    "id-missing": "EEEEEE",  # on a success; on an error less
    "no-method-result-error": "EEEEEE",
    "result-and-error": "EEEEEE",
    "method-and-result": "EEEEEE",
    "method-and-error": "EEEEEE",
    "result-null": "-EEEEE",
    "result-not-object": "-EEEEE",
    "error-null": "EEEEEE",
    "error-not-object": "EEEEEE",
    "error-code-missing": "EEEEEE",
    "error-code-type": "EEEEEE",
    "error-code-not-integer": "EEEEEE",
    "error-message-missing": "EEEEEE",
    "error-message-type": "EEEEEE",
    "error-code-out-of-range": "WWWWWW",
    "error-code-reserved": "-----E",
    "error-code-retired": "-----E",
    "error-code-legacy-range": "-----I",
    "rule-failed": "EEEEEE",
    "unknown-method": "-EEEEE",  # a notification: info
    "method-not-in-revision": "-EEEEE",
    "wrong-direction": "-EEEEE",
    "notification-method-with-id": "-EEEEE",
    "request-method-without-id": "-EEEEE",
    "unknown-param": "-WWWWW",
    "param-missing": "-EEEEE",
    "param-type": "-EEEEE",  # a fraction where types say number: warning
    "param-value": "-EEEEE",
    "arguments-not-object": "-EEEEE",
    "name-type": "-EEEEE",
    "request-id-missing": "-EEEEE",
    "progress-token-type": "-EEEEE",
    "meta-not-object": "-EEEEE",
    "meta-required-missing": "-EEEEE",
    "result-member-missing": "-EEEEE",
    "result-member-type": "-EEEEE",
    "result-member-value": "-EEEEE",
    "result-type-missing": "-----E",
    "result-type-unknown": "-----W",
    "error-data-missing": "----EE",
    "error-data-type": "----EE",
    "tools-names": "----WW",
    "jsonschema-valid": "----EE",
    "protocol-version-unsupported": "-----E",
    "meta-key-format": "---WWW",
    "meta-reserved-prefix": "---WWW",
    "meta-trace-keys": "-----W",
    "meta-extension-ids": "-----W",
    "deprecated-features": "-----I",
    "tools-structured-text-copy": "---WWW",
    "code-base-reserved": "W-----",
    "code-2607-app-range": "-----W",
}
IN_ORDER = 86  # so many of them stand by area; those that came later are appended


def every_rule(check: Callable[[Rule], None]) -> Callable[[], None]:
    """One test that checks all rules, and fails with the id of each that is wrong."""

    def test() -> None:
        check_each(fg.rules(), check, lambda rule: rule.id)

    return test


# ---- the list


def test_rules_keep_their_numbers() -> None:
    assert [rule.id for rule in fg.rules()][: len(SEVERITIES)] == list(SEVERITIES)
    assert len(fg.rules()) == len(SEVERITIES), "new: append it to SEVERITIES"


def test_ids_are_unique_and_kebab_case() -> None:
    ids = [rule.id for rule in fg.rules()]
    assert len(set(ids)) == len(ids)
    assert [name for name in ids if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name)] == []


def test_no_rule_is_defined_and_left_out() -> None:
    assert sorted(rule.id for rule in registry._DEFINED) == sorted(rule.id for rule in fg.rules())


def test_a_rule_whose_answer_cannot_be_sent_is_refused() -> None:
    rule = registry.by_id("name-type")
    assert rule.answer in CODES
    for code in (-32021, 0, 1):
        rows = tuple(row._replace(answer=code) for row in rule.rows)
        with pytest.raises(ValueError, match=f"rule name-type: no text is known for the answer {code};"):
            registry.registered([rule._replace(rows=rows)])
    assert registry.registered([rule]) == {"name-type": rule}


def test_an_id_cannot_be_registered_twice() -> None:
    rule = registry.by_id("name-type")
    with pytest.raises(ValueError, match="there are two rules name-type"):
        registry.registered([rule, rule])


def test_areas_stand_in_order() -> None:
    first = [rule.area for rule in fg.rules()][:IN_ORDER]
    assert [area for area, after in pairwise(first) if area != after] == [
        "bytes", "limits", "lines", "envelope", "host", "methods",
    ]  # fmt: skip
    assert {rule.area for rule in fg.rules()} == {"bytes", "limits", "lines", "envelope", "host", "methods", "values"}


def test_every_fault_has_a_rule_and_nothing_else_is_one() -> None:
    assert [rule.id for rule in fg.rules() if rule.is_fault] == [name for name in FAULT_NAMES if name]


def test_a_rule_is_found_by_its_id() -> None:
    assert registry.by_id("id-null").id == "id-null"
    assert fg.rules()[registry.number("id-null")].id == "id-null"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [("id-nul", "did you mean id-null"), ("ID-NULL", "did you mean id-null"), ("x" * 9, "framegauge rules")],
)
def test_an_unknown_id_names_the_closest(wrong: str, named: str) -> None:
    for ask in (registry.by_id, registry.number):
        with pytest.raises(ValueError, match=named):
            ask(wrong)


def test_a_long_wrong_id_is_cut() -> None:
    with pytest.raises(ValueError, match="there is no rule") as caught:
        registry.by_id("id-null" * 100_000)
    assert len(str(caught.value)) < 200


# ---- where a rule applies


@every_rule
def test_at_agrees_with_the_rows(rule: Rule) -> None:
    assert rule.at
    assert len(set(rule.at)) == len(rule.at)
    assert ("facts" in rule.at) == any(row.facts for row in rule.rows)
    assert ("codes" in rule.at) == bool(rule.codes)
    assert ("fault" in rule.at) == rule.is_fault == (rule.id in FAULT_NAMES)
    assert rule.by_value == (rule.area in ("methods", "values") or rule.id in ("key-case-variant", "key-lookalike"))


def test_scopes() -> None:
    assert {rule.scope for rule in fg.rules()} == {"frame", "line"}
    assert [rule.id for rule in fg.rules() if rule.scope == "line"] == [
        "empty-frame", "crlf", "embedded-newline", "content-length-framing",
    ]  # fmt: skip


def test_rules_of_frames_and_lines_have_numbers() -> None:
    rule = registry.by_id("name-type")
    with pytest.raises(ValueError, match="rule name-type has no number"):
        registry.numbered([rule], ())
    session = rule._replace(id="id-reused", scope="session")
    assert registry.numbered([session, rule], ["name-type"]) == ((rule,), (session,))
    with pytest.raises(ValueError, match="rule id-reused is of a session and has a number"):
        registry.numbered([session], ["id-reused"])


def test_each_step_of_the_walk_has_one_rule() -> None:
    steps = [each.step for rule in fg.rules() for each in rule.at if isinstance(each, places.Walk | places.Keys)]
    assert sorted(steps) == sorted((*get_args(places.Step), *get_args(places.KeyStep)))


def test_no_value_has_two_rules() -> None:
    seen = [
        (place.within, place.member, method, misfit)
        for rule in fg.rules()
        for each in rule.at
        if isinstance(each, places.Value)
        for place in each.places
        for method in place.methods or ("",)
        for misfit in each.misfits
    ]
    assert len(seen) > 10
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(
    ("spot", "member", "names"),
    [
        (Spot("params", "tools/call"), "name", (None, "name-type", None)),
        (Spot("params", "tools/call"), "requestId", (None, None, None)),
        (Spot("params", "notifications/cancelled"), "requestId", ("request-id-missing", None, None)),
        (Spot("params", "notifications/cancelled"), "name", (None, None, None)),
        (Spot("params"), "name", (None, None, None)),
        (Spot("params"), "_meta", ("meta-required-missing", "meta-not-object", None)),
        (Spot("meta"), "x", ("meta-required-missing", None, None)),
        (Spot("meta"), "progressToken", ("meta-required-missing", "progress-token-type", None)),
        (Spot(), "progressToken", (None, "progress-token-type", None)),
        (Spot("result"), "resultType", ("result-type-missing", None, "result-type-unknown")),
        (Spot("result"), "_meta", (None, None, None)),
        (Spot(), "resultType", (None, None, None)),
    ],
)
def test_the_narrower_place_has_the_rule(spot: Spot, member: str, names: tuple[str | None, ...]) -> None:
    assert spot.names(member) == names


# ---- severities and rows


@every_rule
def test_severities(rule: Rule) -> None:
    letters = "".join(rule.severities().get(revision, "-")[0].upper() for revision in REVISIONS)
    assert letters == SEVERITIES[rule.id]


@every_rule
def test_rows_name_what_exists(rule: Rule) -> None:
    assert rule.rows or rule.codes
    for row in rule.rows:
        assert {*row.facts, *row.without} <= set(FACT_NAMES)
        assert not set(row.facts) & set(row.without)
        assert row.transports is None or row.transports <= {"stdio", "http", "sse", "unknown"}
        assert row.answer is None or row.severity == "error", "only errors are answered"
    for span in (*rule.rows, *rule.codes):
        assert span.revisions
        assert span.revisions <= set(REVISIONS)


@every_rule
def test_ranges_of_codes_are_ranges(rule: Rule) -> None:
    assert all(low <= high for codes in rule.codes for low, high in codes.ranges)


@every_rule
def test_an_opinion_is_never_given_as_the_protocols(rule: Rule) -> None:
    assert rule.authority
    opinions = {"interop", "security", "limit"}
    assert not ("mcp" in rule.authority and opinions & set(rule.authority))


def answers(rule: str) -> set[int | None]:
    return {row.answer for row in registry.by_id(rule).rows if row.severity == "error"}


NO_ERRORS = (
    "meta-key-format", "meta-reserved-prefix", "meta-trace-keys", "meta-extension-ids",
    "deprecated-features", "tools-structured-text-copy", "code-base-reserved", "code-2607-app-range",
)  # fmt: skip


def test_answers() -> None:
    by_area = {"bytes": {-32700}, "limits": {-32600}}
    special: dict[str, set[int | None]] = {
        "empty-frame": {-32700},
        "content-length-framing": {None},
        "rule-failed": {None},
        "params-not-object": {-32602},
        "duplicate-key": {-32600, -32602},
        "id-missing": {None},
        "result-null": {None},
        "result-not-object": {None},
        "unknown-method": {-32601},
        "method-not-in-revision": {-32601},
        "notification-method-with-id": {-32601},
        "request-method-without-id": {None},
        "unknown-param": set(),
        "tools-names": set(),
        "protocol-version-unsupported": {-32022},
        **{rule: set() for rule in NO_ERRORS},
    }
    for rule in fg.rules():
        found = answers(rule.id)
        if rule.id in special:
            assert found == special[rule.id], rule.id
        elif rule.id.startswith(("error-", "result-")) and rule.id != "result-and-error":
            assert found <= {None}, rule.id
        elif rule.area == "values":
            assert found == {-32602}, rule.id
        else:
            assert found <= by_area.get(rule.area, {-32600}), rule.id


def rows_that_hold(rule: str, present: frozenset[str]) -> list[Row]:
    return [
        row
        for row in registry.by_id(rule).rows
        if row.facts and set(row.facts) <= present and not set(row.without) & present
    ]


def severity_of(rule: str, frame: bytes, revision: str, transport: str = "unknown") -> str | None:
    """What the rows say of a frame, by the definition of a row."""
    found = [
        row.severity
        for row in rows_that_hold(rule, fg.classify(frame).facts)
        if revision in row.revisions and (row.transports is None or transport in row.transports)
    ]
    return next((level for level in ("error", "warning", "info") if level in found), None)


ERROR = b'"error":{"code":1,"message":"m"}'


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (b'"id":null,"method":"m"', ["warning", *["error"] * 5]),
        (b'"id":null,"method":1', ["warning", *["error"] * 5]),
        (b'"id":null,"result":{}', ["error"] * 6),
        (b'"id":null,"result":{},' + ERROR, ["error"] * 6),
        (b'"id":null,' + ERROR, [None, *["warning"] * 5]),
        (b'"id":null', [None] * 6),
        (ERROR, [None] * 6),
    ],
)
def test_null_ids(members: bytes, expected: list[str | None]) -> None:
    frame = b'{"jsonrpc":"2.0",' + members + b"}"
    assert [severity_of("id-null", frame, revision) for revision in REVISIONS] == expected


@pytest.mark.parametrize(
    ("members", "transport", "expected"),
    [
        (b'"result":{}', "http", ["error"] * 6),
        (ERROR, "stdio", ["error", *["warning"] * 3, None, None]),
        (ERROR, "unknown", ["error", *["warning"] * 3, None, None]),
        (ERROR, "http", ["error", *[None] * 5]),
        (ERROR, "sse", ["error", *[None] * 5]),
        (b'"method":"m"', "stdio", [None] * 6),
    ],
)
def test_missing_ids(members: bytes, transport: str, expected: list[str | None]) -> None:
    frame = b'{"jsonrpc":"2.0",' + members + b"}"
    assert [severity_of("id-missing", frame, revision, transport) for revision in REVISIONS] == expected


@pytest.mark.parametrize("transport", ["unknown", "http", "sse"])
@pytest.mark.parametrize(("rule", "frame"), [("crlf", b"{}\r"), ("embedded-newline", b"{\n}")])
def test_rules_on_lines_are_for_stdio(rule: str, frame: bytes, transport: str) -> None:
    for revision in MCP:
        assert severity_of(rule, frame, revision, transport) is None
        assert severity_of(rule, frame, revision, "stdio") is not None


def test_duplicate_keys_of_the_envelope_have_another_answer() -> None:
    for frame, answer in ((b'{"id":1,"id":1}', -32600), (b'{"params":{"a":1,"a":1}}', -32602)):
        assert [row.answer for row in rows_that_hold("duplicate-key", fg.classify(frame).facts)] == [answer]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (-32769, set()),
        (-32768, {"code-base-reserved", "code-2607-app-range"}),
        (-32700, set()),
        (-32604, {"code-base-reserved", "code-2607-app-range"}),
        (-32603, set()),
        (-32600, set()),
        (-32599, {"code-base-reserved", "code-2607-app-range"}),
        (-32100, {"code-base-reserved", "code-2607-app-range"}),
        (-32099, {"error-code-reserved"}),
        (-32042, {"error-code-retired"}),
        (-32023, {"error-code-reserved"}),
        (-32022, set()),
        (-32021, set()),
        (-32020, set()),
        (-32019, {"error-code-legacy-range"}),
        (-32003, {"error-code-legacy-range"}),
        (-32002, {"error-code-retired"}),
        (-32001, {"error-code-legacy-range"}),
        (-32000, {"error-code-legacy-range"}),
        (-31999, set()),
    ],
)
def test_codes(code: int, expected: set[str]) -> None:
    found = {
        rule.id for rule in fg.rules() for row in rule.codes for low, high in row.ranges if low <= code <= high
    }  # fmt: skip
    assert found == expected


# ---- texts and examples


@every_rule
def test_texts(rule: Rule) -> None:
    assert rule.title
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".") or rule.id == "method-reserved"
    for paragraph in (rule.what, rule.why, rule.fix):
        assert len(paragraph) >= 15
        assert paragraph.endswith(".")
        assert "  " not in paragraph
        assert "\n" not in paragraph


@every_rule
def test_the_message_is_one_line_and_asks_for_what_is_known_only(rule: Rule) -> None:
    fields = {field for _, field, _, _ in string.Formatter().parse(rule.message) if field is not None}
    assert fields <= ({"offset", "member", "wanted"} if rule.area == "values" else {"offset"})
    assert ("member" in fields) == (rule.area == "values" and rule.id.endswith("-missing"))
    said = rule.message.format(offset=7, member="progressToken", wanted="a string or an integer")
    assert said.isascii()
    assert said.isprintable()
    assert 0 < len(said) <= 100


def frame_of(example: str) -> fg.Frame:
    return fg.classify(example.encode("utf-8", "surrogateescape"))


@every_rule
def test_examples_show_the_rule(rule: Rule) -> None:
    if rule.area in ("limits", "host"):
        return  # no frame is wrong in itself
    assert rule.bad
    assert rule.good
    bad, good = frame_of(rule.bad), frame_of(rule.good)
    assert good.kind not in ("invalid", "parse-error", "empty")
    assert not [row for row in rows_that_hold(rule.id, good.facts) if row.severity == "error"]
    if rule.is_fault:
        assert bad.fault
        assert bad.fault.rule == rule.id
    elif any(row.facts for row in rule.rows):
        assert rows_that_hold(rule.id, bad.facts)
    elif rule.codes:
        spans = [span for codes in rule.codes for span in codes.ranges]
        assert bad.error_code is not None
        assert any(low <= bad.error_code <= high for low, high in spans)
        assert not any(low <= (good.error_code or 0) <= high for low, high in spans)


# ---- where it is written


@every_rule
def test_links(rule: Rule) -> None:
    assert rule.urls or rule.area == "host"  # no text speaks of a host's own rules
    assert len(set(rule.urls)) == len(rule.urls)
    dated = [url.split("/")[4] for url in rule.urls if "modelcontextprotocol.io/" in url]
    assert set(dated) <= set(MCP)
    assert not dated or dated[0] == max(dated), "the newest first"


@every_rule
def test_an_mcp_rule_links_to_mcp(rule: Rule) -> None:
    if "mcp" in rule.authority:
        assert any("modelcontextprotocol" in url for url in rule.urls)
    if rule.authority == ("jsonrpc",):
        assert any("jsonrpc.org" in url for url in rule.urls)
    if "json" in rule.authority:
        assert any("rfc8259" in url for url in rule.urls)


def catalogue() -> str:
    path = SHARED / "spec" / "spec-rules.md" if SHARED else None
    return path.read_text("utf-8") if path and path.is_file() else ""


NAMES = {revision[2:4] + revision[5:7]: revision for revision in MCP}


def catalogued_urls(text: str) -> set[str]:
    """Every address in the catalogue, and what its short forms ("2503-2511 basic#requests") stand for."""
    found = set(re.findall(r"https://[^\s;|)`]+", text))
    years = list(NAMES)
    for first, last, page in re.findall(r"\b(\d{4})(?:\u2013(\d{4}))? (schema\.ts|[a-z][\w./-]*(?:#[\w-]+)?)", text):
        if first not in NAMES:
            continue
        for year in years[years.index(first) : years.index(last or first) + 1]:
            if page == "schema.ts":
                base = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema"
                found.add(f"{base}/{NAMES[year]}/schema.ts")
            else:
                found.add(f"https://modelcontextprotocol.io/specification/{NAMES[year]}/{page}")
    return found


@pytest.mark.parametrize("text", or_skip([catalogue()] if catalogue() else [], "the catalogue is not at hand"))
def test_clauses_and_links_stand_in_the_catalogue(text: str) -> None:
    clauses = set(re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE))
    assert len(clauses) > 300
    urls = catalogued_urls(text)
    for rule in fg.rules():
        assert set(rule.clauses) <= clauses, rule.id
        unknown = {url for url in rule.urls if url not in urls and "rfc-editor.org/rfc/rfc8259" not in url}
        assert not unknown, rule.id


# Of the transport's rules the one that a body alone can break.
OF_TRANSPORT = "protocol-version-unsupported"


def listed_rules() -> set[str]:
    """The ids of the areas that are built, as the list of names has them."""
    path = SHARED / "spec" / "rule-names.md" if SHARED else None
    if path is None or not path.is_file():
        return set()
    text = path.read_text("utf-8")
    assert f"| `{OF_TRANSPORT}` |" in text
    text = text[text.index("## Bytes") : text.index("## Session")]
    cells = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    cells += [cell.replace("(hint `double-encoded-json`)", "") for cell in re.findall(r"of their own: ([^|]+)", text)]
    return {name for cell in cells for name in re.findall(r"`([a-z0-9-]+)`", cell)} | {OF_TRANSPORT}


@pytest.mark.parametrize("listed", or_skip([listed_rules()] if listed_rules() else [], "the list is not at hand"))
def test_the_rules_are_those_of_the_list(listed: set[str]) -> None:
    built = {rule.id for rule in fg.rules() if rule.area != "host"}
    assert listed <= built
    # A clause that has no other name there is a rule under its own.
    assert all(registry.by_id(name).clauses == (name,) for name in built - listed)
