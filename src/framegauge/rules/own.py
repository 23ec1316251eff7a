"""Users' own rules: a function that looks at one message that passed, and says what it does not like."""

import json
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

from framegauge.facts import Frame, Kind
from framegauge.rules.model import Authority, Severity

# What a rule yields: a message, or a message and the JSON pointer of the member it is about.
Complaint = str | tuple[str, str]
Check = Callable[["Message"], Iterable[Complaint] | None]

_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
PASSING = frozenset({Kind.request, Kind.notification, Kind.success, Kind.error, Kind.batch})


class Message:
    """One frame that parses and is not invalid, as a rule sees it. Members are decoded when they are asked for."""

    def __init__(self, data: bytes, frame: Frame) -> None:
        self.data = data
        self.frame = frame

    @property
    def kind(self) -> Kind:
        """What the frame is."""
        return self.frame.kind

    @property
    def method(self) -> str | None:
        """The method, of a request or notification."""
        return self.frame.method

    @property
    def id(self) -> bytes | None:
        """The raw id, exactly as sent."""
        return self.frame.id

    def raw(self, name: str) -> memoryview | None:
        """The bytes of an envelope member's value, or None; nothing is copied."""
        member = self.frame.member(name)
        return None if member is None else member.raw(self.data)

    @cached_property
    def params(self) -> Any:
        """`params`, decoded by the standard library;

        None where there are none. Of doubled keys below it the last one counts.
        """
        return self._decoded("params")

    @cached_property
    def result(self) -> Any:
        """`result`, decoded; None where there is none."""
        return self._decoded("result")

    @cached_property
    def error(self) -> Any:
        """`error`, decoded; None where there is none."""
        return self._decoded("error")

    def _decoded(self, name: str) -> Any:
        raw = self.raw(name)
        return None if raw is None else json.loads(bytes(raw))


class OwnRule(NamedTuple):
    """A rule of the host: what to call, for which messages, and how severe its findings are.

    `kinds`: those it wants, None for all that can pass. `methods`: those it wants, None for all (and for responses,
    which have none).
    """

    id: str
    check: Check
    severity: Severity = "error"
    kinds: frozenset[Kind] | None = None
    methods: frozenset[str] | None = None
    authority: tuple[Authority, ...] = ("limit",)
    message: str = ""
    urls: tuple[str, ...] = ()
    path: str | None = None

    def wants(self, frame: Frame) -> bool:
        """Is this one of its messages?"""
        if frame.kind not in (PASSING if self.kinds is None else self.kinds):
            return False
        return self.methods is None or frame.method in self.methods


def own_rule(
    rule_id: str,
    *,
    severity: Severity = "error",
    kinds: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
) -> Callable[[Check], OwnRule]:
    """Makes a rule of the function below it.

    ValueError for an id that is not kebab-case, an unknown kind or severity.
    """
    if not _ID.fullmatch(rule_id):
        raise ValueError(f"a rule's id is kebab-case, like deny-tool; got {rule_id!r}")
    for what, names in (("kinds", kinds), ("methods", methods)):
        if isinstance(names, str) or not all(isinstance(name, str) for name in names or ()):
            raise TypeError(f"{what} is a list of names, not {names!r}")
    if severity not in ("error", "warning", "info"):
        raise ValueError(f"severity {severity!r} is not known; it is one of error, warning, info")
    wanted = None if kinds is None else frozenset(Kind(kind) for kind in kinds)
    if wanted is not None and not wanted <= PASSING:
        names = ", ".join(sorted(kind.value for kind in PASSING))
        raise ValueError(f"a rule sees only frames that passed: kinds are some of {names}")

    def make(check: Check) -> OwnRule:
        if not callable(check):
            raise TypeError(f"a rule calls a function; {rule_id} was given {type(check).__name__}")
        return OwnRule(rule_id, check, severity, wanted, None if methods is None else frozenset(methods))

    return make


def as_rule(rule: Any) -> OwnRule:
    """The OwnRule of an OwnRule, an object with `id` and `check`, or a plain function, which is named after itself."""
    if isinstance(rule, OwnRule):
        return rule
    if hasattr(rule, "id") and hasattr(rule, "check"):
        made = own_rule(
            rule.id,
            severity=getattr(rule, "severity", "error"),
            kinds=getattr(rule, "kinds", None),
            methods=getattr(rule, "methods", None),
        )
        return made(rule.check)
    if callable(rule) and hasattr(rule, "__name__") and not isinstance(rule, type):
        return own_rule(rule.__name__.strip("_").replace("_", "-"))(rule)
    raise TypeError(f"a rule is a function or has `id` and `check`; got {type(rule).__name__}")
