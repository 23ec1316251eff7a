"""The rules, in the order of their numbers. A rule keeps its number: a new one is appended, none is removed.

Rules of scope frame and line have a number, and so have those of scope transport that `check` finds. Others have none.
"""

from collections.abc import Iterable, Mapping, Sequence

from framegauge.ruleset import (
    batches,
    envelope,
    host,
    ids,
    keys,
    limits,
    lines,
    meta,
    methods,
    responses,
    tools,
    values,
)
from framegauge.ruleset import bytes as byte_faults
from framegauge.ruleset.codes import CODES
from framegauge.ruleset.model import Rule

__all__ = ["RULES", "by_id", "number", "numbered", "registered", "rules"]

_ORDER = """
    invalid-utf8 utf8-bom not-json leading-garbage trailing-data truncated raw-control-char non-finite-number bad-number
    bad-escape bad-literal bad-structure
    frame-too-large nesting-limit number-too-long too-many-members batch-too-large
    empty-frame crlf embedded-newline content-length-framing
    not-object batch-not-allowed batch-unspecified batch-empty batch-nested batch-mixed batch-initialize
    batch-item-invalid duplicate-key key-case-variant key-lookalike escaped-key escaped-value lone-surrogate
    unknown-member jsonrpc-missing jsonrpc-wrong method-type method-reserved params-type params-not-object
    id-null id-type id-not-integer id-not-integer-literal id-unsafe-integer id-missing
    no-method-result-error result-and-error method-and-result method-and-error result-null result-not-object
    error-null error-not-object error-code-missing error-code-type error-code-not-integer error-message-missing
    error-message-type error-code-out-of-range error-code-reserved error-code-retired error-code-legacy-range
    rule-failed
    unknown-method method-not-in-revision wrong-direction notification-method-with-id request-method-without-id
    unknown-param param-missing param-type param-value arguments-not-object name-type request-id-missing
    progress-token-type meta-not-object meta-required-missing result-member-missing result-member-type
    result-member-value result-type-missing result-type-unknown error-data-missing error-data-type
    tools-names jsonschema-valid
    protocol-version-unsupported meta-key-format meta-reserved-prefix meta-trace-keys meta-extension-ids
    deprecated-features tools-structured-text-copy code-base-reserved code-2607-app-range
"""
_LONGEST = 80  # characters of a wrong name that are repeated
_DEFINED: tuple[Rule, ...] = (
    *byte_faults.RULES,
    *host.RULES,
    *limits.RULES,
    *lines.RULES,
    *envelope.RULES,
    *batches.RULES,
    *keys.RULES,
    *ids.RULES,
    *responses.RULES,
    *methods.RULES,
    *values.RULES,
    *tools.RULES,
    *meta.RULES,
)


def registered(rules: Iterable[Rule]) -> Mapping[str, Rule]:
    """The rules by id. ValueError for an id that is there twice, and for an answer code that cannot be sent."""
    found: dict[str, Rule] = {}
    for rule in rules:
        if rule.id in found:
            raise ValueError(f"there are two rules {rule.id}")
        if unknown := {row.answer for row in rule.rows} - {None, *CODES}:
            codes = ", ".join(map(str, unknown))
            raise ValueError(
                f"rule {rule.id}: no text is known for the answer {codes}; framegauge.ruleset.codes has them"
            )
        found[rule.id] = rule
    return found


_BY_ID = registered(_DEFINED)


def numbered(rules: Iterable[Rule], order: Sequence[str]) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Those with a number, in its order, and those without. ValueError where a scope does not fit that."""
    by_id, without = {rule.id: rule for rule in rules}, []
    for rule in by_id.values():
        if rule.id not in order:
            if rule.scope in ("frame", "line"):
                raise ValueError(f"rule {rule.id} has no number: append it to the order of the registry")
            without.append(rule)
        elif rule.scope == "session":
            raise ValueError(f"rule {rule.id} is of a session and has a number")
    return tuple(by_id[name] for name in order), tuple(without)


RULES, _WITHOUT = numbered(_DEFINED, _ORDER.split())
_NUMBERS = {rule.id: number for number, rule in enumerate(RULES)}


def rules() -> tuple[Rule, ...]:
    """Every rule. The first are those with a number, in its order; then come rules of sessions and transports."""
    return (*RULES, *_WITHOUT)


def by_id(name: str) -> Rule:
    """The rule of that id; ValueError names the closest where there is none."""
    try:
        return _BY_ID[name]
    except KeyError:
        raise ValueError(_unknown(name)) from None


def number(name: str) -> int:
    """The rule's number, which is its index in RULES."""
    return _NUMBERS[by_id(name).id]


def _unknown(name: str) -> str:
    import difflib  # only here: it is slow to import

    name = str(name)[:_LONGEST]
    close = difflib.get_close_matches(name.lower(), _BY_ID)
    names = f"did you mean {' or '.join(close)}?" if close else "`framegauge rules` lists them"
    return f"there is no rule {name!r}; {names}"
