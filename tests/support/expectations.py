"""A verdict in plain values, from whoever gave it, and what vectors, field cases and the odd frames expect of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tests.support.vectors import VerdictVector


@dataclass(frozen=True)
class Finding:
    severity: str
    offset: int
    end: int
    count: int
    path: str
    revisions: tuple[str, ...]  # sorted


class Summary(NamedTuple):
    """`id` is the raw id of the error answer; `request_id` of the request that gets its real answer."""

    kind: str
    revision: str
    findings: dict[str, Finding]
    respond: bool
    code: int | None
    id: bytes | None
    body: bytes | None
    status: int | None
    items: list[Summary]

    @property
    def errors(self) -> set[str]:
        return {rule for rule, finding in self.findings.items() if finding.severity == "error"}


def differences(seen: Summary, told: Summary, where: str = "") -> list[str]:
    """What the two disagree on; empty where they agree."""
    found = []
    for name in ("kind", "revision", "respond", "code", "id", "body", "status"):
        one, other = getattr(seen, name), getattr(told, name)
        if one != other:
            found.append(f"{where}{name}: {one!r}, reference {other!r}")
    for rule in sorted(seen.findings.keys() | told.findings.keys()):
        mine, its = seen.findings.get(rule), told.findings.get(rule)
        if mine != its:
            found.append(f"{where}{rule}: {mine}, reference {its}")
    if len(seen.items) != len(told.items):
        return [*found, f"{where}items: {len(seen.items)}, reference {len(told.items)}"]
    for index, (item, its_item) in enumerate(zip(seen.items, told.items, strict=True)):
        found += differences(item, its_item, f"{where}items[{index}].")
    return found


def check_vector(seen: Summary, vector: VerdictVector) -> None:
    expect = vector.expect
    findings = [
        {"rule": rule, **{name: getattr(found, name) for name in ("severity", "offset", "count", "path")}}
        for rule, found in sorted(seen.findings.items(), key=lambda item: (item[1].offset, item[0]))
    ]
    assert findings == expect["findings"], f"findings {findings}, expected {expect['findings']}"
    check_answer(seen, expect)
    assert seen.status == expect["status"]
    if "kind" in expect:
        assert seen.kind == expect["kind"]
    if "body" in expect:
        assert seen.body is not None
        assert seen.body.decode("utf-8") == expect["body"]


def check_answer(seen: Summary, expect: dict[str, Any]) -> None:
    """`respond`, `code` and `id`: of the error answer, else of the request that gets its real answer."""
    assert (seen.respond, seen.code) == (expect["respond"], expect["code"])
    if seen.code is not None:
        assert seen.id == (None if expect["id"] is None else expect["id"].encode("utf-8"))


def check_field_case(seen: list[Summary], case: dict[str, Any]) -> None:
    """The verdicts on the frames of one field case: exact kinds and errors, the advice, the last frame's answer."""
    expect = case["expect"]
    assert [one.kind for one in seen] == expect.get("frame_kinds", [expect["kind"]])
    raiser = expect.get("at", len(seen) - 1)
    for index, one in enumerate(seen):
        assert one.errors == (set(expect["violations"]) if index == raiser else set())
    advice = seen[raiser].findings.keys() - seen[raiser].errors
    assert set(expect["advice"]) <= advice
    check_answer(seen[-1], expect)


def check_odd_frame(seen: Summary, row: dict[str, Any]) -> None:
    """One row of tests/vectors/cases54.json; `rules_<revision>`: where they are others in that revision."""
    assert seen.kind == row["kind"], row["why"]
    rules = row.get(f"rules_{seen.revision}", row["rules"])
    assert {rule: finding.severity for rule, finding in seen.findings.items()} == rules, row["why"]
    check_answer(seen, row)
