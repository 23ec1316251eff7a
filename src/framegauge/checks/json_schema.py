"""Is a value a JSON Schema? The library jsonschema, if installed, checks it against the meta-schema of its dialect.

Nothing is fetched: the meta-schemas come with the library, and the `$ref` of a schema is a string here. Formats are not
asserted, because no meta-schema requires it: a regular expression may be valid in ECMA 262 and not in Python.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

__all__ = ["ITEMS", "NAMED", "ONE", "Fault", "NotJudged", "Schemas"]

# Keywords of any dialect whose values hold schemas: by name, in a list, or one.
NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
ITEMS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
ONE = frozenset(
    {
        *("items", "additionalItems", "unevaluatedItems", "contains", "contentSchema", "propertyNames"),
        *("additionalProperties", "unevaluatedProperties", "if", "then", "else", "not"),
    }
)
DEFAULT = "https://json-schema.org/draft/2020-12/schema"
_DIALECTS = {
    DEFAULT: "2020-12",
    "https://json-schema.org/draft/2019-09/schema": "2019-09",
    "http://json-schema.org/draft-07/schema": "draft-07",
    "http://json-schema.org/draft-06/schema": "draft-06",
    "http://json-schema.org/draft-04/schema": "draft-04",
}
_SHOWN = ("type", "minimum", "exclusiveMinimum", "minItems", "uniqueItems", "pattern")
MOST_VALUES = 20_000  # in the schemas of one frame, a text of 100 characters counting as one more
MOST_LEVELS = 64  # brackets within each other; the library is recursive
_CALLS, _CALLS_PER_LEVEL = 200, 8  # that it makes within each other, and its import
_LEAST_STACK = 1 << 19  # bytes for as many levels; half of that was enough


class NotJudged(Exception):  # noqa: N818 - the schema is not at fault
    """The library is missing, the dialect is unknown, or the schema is too large."""


class Fault(NamedTuple):
    path: tuple[str | int, ...]
    text: str


class Schemas:
    """The schemas of one frame. `unjudged`: was any left out?"""

    def __init__(self) -> None:
        self._left = MOST_VALUES
        self._levels = 0  # for which there is stack
        self.unjudged = False

    def fault(self, schema: Any) -> Fault | None:
        """The first value, in the order of the frame, that its dialect refuses. Raises NotJudged."""
        try:
            dialect = _dialect_of(schema)
            size, levels = _measured(schema, self._left)
            if levels > self._levels:
                _ask_for_stack(_CALLS + _CALLS_PER_LEVEL * levels)
                self._levels = levels
            validator = _validator(dialect)
            if validator is None:
                raise NotJudged
            self._left -= size
            refused = {tuple(error.absolute_path): error for error in validator.iter_errors(schema)}
        except (NotJudged, RecursionError):
            self.unjudged = True
            raise NotJudged from None
        path = next((path for path in _paths(schema) if path in refused), None) if refused else None
        if path is None:
            return None
        error = refused[path]
        why = f": {error.validator} {json.dumps(error.validator_value)}" if error.validator in _SHOWN else ""
        return Fault(path, f"not a valid schema of JSON Schema {_DIALECTS[dialect]}{why}")


def _dialect_of(schema: Any) -> str:
    declared = schema.get("$schema", DEFAULT) if isinstance(schema, dict) else DEFAULT
    name = declared.removesuffix("#") if isinstance(declared, str) else DEFAULT  # the default refuses other types
    if name not in _DIALECTS:
        raise NotJudged
    return name


def _measured(schema: Any, most: int) -> tuple[int, int]:
    """How many values it holds, on how many levels. Raises NotJudged where there are more than `most`, or too many."""
    size, level, open_ = 0, 0, [schema]
    while open_:
        level += 1
        within: list[Any] = []
        for value in open_:
            texts = [value] if isinstance(value, str) else list(value) if isinstance(value, dict) else []
            size += 1 + sum(len(text) for text in texts) // 100
            within += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if size + len(within) > most or level > MOST_LEVELS:
            raise NotJudged
        open_ = within
    return size, level


def _ask_for_stack(calls: int) -> None:
    """Raises RecursionError if the host has left too little stack: the Rust half of the library would panic.

    In a thread with a smaller stack than required, the library would end the process.
    """
    if 0 < threading.stack_size() < _LEAST_STACK:
        raise RecursionError
    _call(calls)


def _call(calls: int) -> None:
    if calls:
        _call(calls - 1)


def _paths(schema: Any) -> Iterator[tuple[str | int, ...]]:
    """Of every value, in their order."""
    open_: list[tuple[Any, tuple[str | int, ...]]] = [(schema, ())]
    while open_:
        value, path = open_.pop()
        yield path
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        open_ += reversed([(each, (*path, key)) for key, each in pairs])


# ---- the meta-schemas


@cache
def _validator(dialect: str) -> Any:
    """A jsonschema validator of schemas of that dialect; None where the library is not installed."""
    try:
        from jsonschema import validators
        from jsonschema_specifications import REGISTRY
    except ImportError:
        return None
    whole = _in_one(dialect, REGISTRY)
    parts = [(part, whole.get(part, {})) for part in ("$defs", "definitions")]
    named = {f"/{part}/{name}": value for part, values in parts for name, value in values.items()} | {"": whole}

    # The library resolves every $ref again, which takes most of its time.
    def follow(validator: Any, ref: str, instance: Any, schema: Any) -> Any:
        return validator.descend(instance, named[ref.partition("#")[2]])

    of_dialect = validators.validator_for({"$schema": dialect}, default=None)
    keywords = {name: _silent(holds) for name, holds in _KEYWORDS.items()}
    return validators.extend(of_dialect, {"$ref": follow, **keywords})(whole)


def _in_one(dialect: str, registry: Any) -> Mapping[str, Any]:
    """The meta-schema, and with it those of its vocabularies, as one without dynamic references."""
    meta = registry.contents(dialect)
    parts = [registry.contents(f"{dialect.rpartition('/')[0]}/{each['$ref']}") for each in meta.get("allOf", ())]
    whole = {**meta, "properties": {}, "$defs": {}, "definitions": meta.get("definitions", {})}
    for name in ("allOf", "$schema"):  # by the latter the library would take its own keywords again, one level down
        whole.pop(name, None)
    for part in (*parts, meta):
        whole["properties"] |= part["properties"]
        whole["$defs"] |= part.get("$defs", {})
    one: Mapping[str, Any] = _static(whole)
    return one


def _static(value: Any) -> Any:
    if isinstance(value, list):
        return [_static(each) for each in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$dynamicRef"), str) or isinstance(value.get("$recursiveRef"), str):
        return {"$ref": "#"}
    return {key: _static(each) for key, each in value.items()}


# Replacements of the library. Its own keywords write the refused value into a message, so that a long text below many
# levels would be written once for each level. They also compare all items pairwise if these cannot be sorted.


def _type(validator: Any, named: Any, value: Any) -> bool:
    return any(validator.is_type(value, name) for name in ([named] if isinstance(named, str) else named))


def _any_of(validator: Any, several: Any, value: Any) -> bool:
    return any(next(validator.descend(value, one), None) is None for one in several)


def _enum(validator: Any, allowed: Any, value: Any) -> bool:
    return value in allowed  # texts, in all meta-schemas


def _pattern(validator: Any, wanted: Any, value: Any) -> bool:
    return not isinstance(value, str) or re.search(wanted, value) is not None


def _unique(validator: Any, wanted: Any, value: Any) -> bool:
    if not wanted or not isinstance(value, list):
        return True
    return len({_identity(item) for item in value}) == len(value)


def _identity(value: Any) -> str:
    """The same text for equal values. Text, because a peer could choose numbers with equal hashes."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Any) -> Any:
    """1.0 is 1."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


_KEYWORDS = {"type": _type, "anyOf": _any_of, "enum": _enum, "pattern": _pattern, "uniqueItems": _unique}


def _silent(holds: Callable[[Any, Any, Any], bool]) -> Callable[[Any, Any, Any, Any], Iterator[Any]]:
    """The keyword for the library; its errors have only a location."""
    from jsonschema import ValidationError

    def check(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any]:
        if not holds(validator, wanted, value):
            yield ValidationError("")

    return check
