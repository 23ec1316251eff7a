"""Rules of the host: a function that looks at one message that passed and yields what is wrong with it."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from framegauge.facts import KIND_NAMES, Frame, Kind
from framegauge.native.finding import Finding
from framegauge.native.message import Message
from framegauge.native.verdict import Subscription
from framegauge.ruleset.model import Authority, Severity
from framegauge.ruleset.registry import by_id

# What a rule yields: a message, or a message and the JSON pointer of the member it is about.
Complaint = str | tuple[str, str]
Check = Callable[[Message], Iterable[Complaint] | None]

_ID = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
MOST_COMPLAINTS = 1000  # of one rule on one message
PASSING = frozenset({Kind.request, Kind.notification, Kind.success, Kind.error, Kind.batch})


class OwnRule(NamedTuple):
    """A rule of the host: what to call, for which messages, and how severe its findings are.

    `kinds`: those to call it for, None for all that can pass. `methods`: those to call it for, None for all (and for
    responses, which have none).
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

    def subscribes(self, frame: Frame) -> bool:
        """Is the rule called for this frame?"""
        if frame.kind not in self._passing():
            return False
        return self.methods is None or frame.method in self.methods

    def subscription(self) -> Subscription:
        """The same for the native layer."""
        numbers = [KIND_NAMES.index(kind.value) for kind in self._passing()]
        return Subscription(self, numbers, None if self.methods is None else frozenset(self.methods))

    def _passing(self) -> frozenset[Kind]:
        """The kinds it is called for. A rule sees only frames that passed, whatever its `kinds` has."""
        return PASSING if self.kinds is None else PASSING & frozenset(Kind(kind) for kind in self.kinds)


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
    if not re.fullmatch(_ID, rule_id):
        raise ValueError(f"a rule's id is kebab-case, like deny-tool; got {rule_id!r}")
    # Kept at once: an iterator can be read only once, and an empty one would leave a rule that is never called.
    kinds, methods = (tuple(each) if isinstance(each, Iterator) else each for each in (kinds, methods))
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


# Findings of the host's rules, and the ids of rules that failed and are not judged.
Host = tuple[list[Finding], frozenset[str]]


def apply(rules: Iterable[OwnRule], frame: Frame, data: bytes, selected: frozenset[str]) -> Host | None:
    """What the rules find in a frame that each of them subscribes to; None: nothing.

    A rule that raises is a finding itself: a gate must not fail by one of its rules. If the host ignores `rule-failed`,
    the rule has not judged the frame, which differs from passing.
    """
    found: list[Finding] = []
    failed: set[str] = set()
    for rule in rules:
        try:
            complaints = rule.check(Message(data, frame))
            if complaints is None:
                continue
            if isinstance(complaints, str):
                raise TypeError("a rule yields messages; it does not return one")
            for complaint in islice(complaints or (), MOST_COMPLAINTS):
                found.append(_complaint(rule, complaint, frame, data))
        except (Exception, SystemExit, GeneratorExit) as error:
            if "rule-failed" in selected:
                detail = f"the rule {rule.id} raised {type(error).__name__}{_words_of(error)}"
                found.append(_place(by_id("rule-failed"), "error", frame, data, "", detail))
            else:
                failed.add(rule.id)
    return (found, frozenset(failed)) if found or failed else None


def _words_of(error: BaseException) -> str:
    try:
        return f": {str(error)[:200]}"
    except Exception:  # an exception may be as broken as the rule
        return ""


def _complaint(rule: OwnRule, complaint: Any, frame: Frame, data: bytes) -> Finding:
    text, path = complaint if isinstance(complaint, tuple) else (complaint, None)
    if not isinstance(text, str) or not isinstance(path, str | None) or (path and path[0] != "/"):
        raise TypeError("a rule yields a message, or a message and a JSON pointer")
    return _place(rule, rule.severity, frame, data, path, text)


def _place(rule: Any, severity: Severity, frame: Frame, data: bytes, path: str | None, detail: str) -> Finding:
    """At the member that a call or an answer is about; its pointer where the rule names no other."""
    for name in ("params", "result", "error"):
        member = frame.member(name)
        if member is not None:
            break
    else:
        name, member = "", None
    start, end = (0, frame.size) if member is None else (member.start, member.stop)
    pointer = path if path is not None else f"/{name}" if name else ""
    # One line for any text of a rule or an exception.
    line = "".join(char if char.isprintable() else " " for char in detail)
    return Finding(rule, severity, start, end, 1, frozenset(), data, pointer, (), line)
