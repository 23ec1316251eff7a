"""The measured readings: of each case, a frame that is odd in one way, what every server did with it.

The data is written by tools/generate_behaviour.py from recorded answers. A reading holds for the frame that was sent
and the version that read it; nothing here concludes from one to another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol

from framegauge.facts import Frame, Kind

__all__ = ["Case", "Outcome", "Reading", "Server", "cases", "fitting", "of_findings", "readers", "servers"]

Outcome = Literal["answered", "refused", "demoted", "accepted", "logged", "silent"]

_DATA = Path(__file__).parent / "data" / "servers.toml"
_NEUTRAL = frozenset({"params-absent", "id-string", "id-empty"})  # facts in which frames may differ and still be alike
_BLANKS = frozenset({"raw-newline", "trailing-cr"})  # these too, where no line ends a frame
_ENCODED = ("utf-16-suspected", "body-still-encoded")  # hints: such a frame is like no other with the same fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server made with one release of an SDK, as it was asked on one transport under one revision.

    `sdk`: the name it goes by; `package`: the package that was installed, and `version`: its version.
    """

    sdk: str
    package: str
    version: str
    revision: str
    transport: str  # http or stdio


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The reaction of one server to one frame.

    `status`: of HTTP. `code`: of the error. `id`: of the answer, as raw text. `answers`: their number.

    Outcomes:

    - `answered`: a result.
    - `refused`: an error.
    - `demoted`: a request that got HTTP status 202, like a notification, and no answer.
    - `accepted`: status 202 for a frame that is not a request.
    - `logged`: a log notification and no answer.
    - `silent`: nothing.

    Notes:

    - `last-duplicate-wins`: the answer shows which occurrence counts.
    - `respelled-id`: the same number in another spelling.
    - `rounded-id`: another number.
    - `text-replaced`: U+FFFD in place of bytes.
    - `text-surrogate`: bytes outside UTF-8 came back as an unpaired surrogate.
    - `tool-error`: the result has isError.
    """

    case: str  # the case's id
    frame: str  # the frame in words
    server: Server
    outcome: Outcome
    status: int | None = None
    code: int | None = None
    id: str | None = None
    answers: int = 0
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The reading as `framegauge check --format json` prints it."""
        return {
            "case": self.case,
            "frame": self.frame,
            **{name: getattr(self.server, name) for name in Server.__slots__},
            **{name: getattr(self, name) for name in ("outcome", "status", "code", "id", "answers")},
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One frame that every server was sent.

    - `rules`: those that find something in the frame under some revision.
    - `facts`: those of the frame; empty for a byte fault or an exceeded limit.
    - `path`: the envelope member at fault, if any.
    - `hint`: of the finding, if the hint is that the frame is encoded.
    """

    id: str
    frame: str
    kind: Kind
    rules: tuple[str, ...]
    facts: frozenset[str]
    path: str | None
    hint: str | None
    readings: tuple[Reading, ...]


def readers(rule: str) -> tuple[Reading, ...]:
    """Every reading of a frame in which that rule finds something; none where nothing was measured."""
    return tuple(reading for case in cases() if rule in case.rules for reading in case.readings)


def fitting(
    rule: str, frame: Frame, path: str, hint: str | None = None, transport: str | None = None
) -> tuple[Reading, ...]:
    """The readings that apply to this finding, of the servers on that transport (None: on any).

    `path`: of the finding. `hint`: the id of its hint. A measured frame applies to a frame of the same kind with the
    same fault in the same member of the envelope, and without another fault.
    """
    alike = [case for case in cases() if rule in case.rules and _is_alike(case, frame, path, hint)]
    return tuple(
        reading
        for case in alike
        for reading in case.readings
        if transport in (None, reading.server.transport) and _has_facts(case, frame.facts, reading.server.transport)
    )


class Found(Protocol):
    """What a finding has that a reading is looked up by."""

    @property
    def rule(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def hint(self) -> tuple[str, str] | None: ...


def of_findings(
    findings: Iterable[Found], frame: Frame, direction: str | None = None, transport: str | None = None
) -> dict[str, tuple[Reading, ...]]:
    """The readings that fit a frame, by the rules of its findings. Of clients, who read what a server sent, none."""
    if direction == "server-to-client":
        return {}
    by_rule = {
        each.rule: fitting(each.rule, frame, each.path, each.hint[0] if each.hint else None, transport)
        for each in findings
    }
    return {rule: readings for rule, readings in by_rule.items() if readings}


def _is_alike(case: Case, frame: Frame, path: str, hint: str | None) -> bool:
    return case.kind == frame.kind and case.path in (None, path) and case.hint == (hint if hint in _ENCODED else None)


def _has_facts(case: Case, facts: frozenset[str], transport: str) -> bool:
    neutral = _NEUTRAL | _BLANKS if transport == "http" else _NEUTRAL
    return not case.facts or case.facts - neutral == facts - neutral


@cache
def cases() -> tuple[Case, ...]:
    """Every case, in the order of the data."""
    return tuple(_case(raw, servers()) for raw in _data()["case"])


@cache
def servers() -> dict[str, Server]:
    """Every server that was measured, by the name that the data has for it."""
    return {raw.pop("id"): Server(**raw) for raw in map(dict, _data()["endpoint"])}


@cache
def _data() -> dict[str, Any]:
    import tomllib  # only here: most callers read no readings and need not wait

    return tomllib.loads(_DATA.read_text("utf-8"))


def _case(raw: dict[str, Any], measured: dict[str, Server]) -> Case:
    readings = {
        name: Reading(
            case=raw["id"],
            frame=raw["frame"],
            server=measured[name],
            outcome=row["outcome"],
            status=row.get("status"),
            code=row.get("code"),
            id=row.get("id"),
            answers=row.get("answers", int(row["outcome"] in ("answered", "refused"))),
            notes=tuple(row.get("notes", ())),
        )
        for row in raw["readings"]
        for name in row["by"]
    }
    return Case(
        id=raw["id"],
        frame=raw["frame"],
        kind=Kind(raw["kind"]),
        rules=tuple(raw["rules"]),
        facts=frozenset(raw["facts"]),
        path=raw.get("path"),
        hint=raw.get("hint"),
        readings=tuple(readings[name] for name in measured),
    )
