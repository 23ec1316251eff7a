"""Params judged by fg.Gauge and by jsonschema over the published schemas: where they differ, a known reason is why."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema.validators import validator_for

import framegauge as fg
from framegauge.protocol import MCP
from tests.support import SHARED
from tests.support.shaped_frames import Maker, at, call, methods_of, places, spoilt, text_of, written
from tests.support.tidy_values import RANDOM

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

SCHEMAS = SHARED / "oracle" / "mcp" if SHARED else None


MARK = pytest.mark.skipif(SCHEMAS is None or not SCHEMAS.is_dir(), reason="the published schemas are not at hand")
NEAR = ("key-case-variant", "key-lookalike")
RELATED_TASK = "/params/_meta/io.modelcontextprotocol~1related-task"


@cache
def schema(name: str) -> dict[str, Any]:
    assert SCHEMAS is not None
    found: dict[str, Any] = json.loads((SCHEMAS / name / "schema.json").read_text("utf-8"))
    return found


def definitions(name: str) -> dict[str, Any]:
    whole = schema(name)
    found: dict[str, Any] = whole.get("$defs") or whole["definitions"]
    return found


@cache
def definition(name: str, method: str) -> str | None:
    """Of the frames with that method; None where the schema has none (it is of an extension)."""
    found = [
        key
        for key, said in definitions(name).items()
        if said.get("properties", {}).get("method", {}).get("const") == method
        and key.endswith(("Request", "Notification"))
    ]
    found = [key for key in found if key != "ClientNotification"] or found  # in 2026-07-28 the union of one
    assert len(found) < 2
    return found[0] if found else None


@cache
def validator(name: str, method: str) -> Validator:
    place = "$defs" if "$defs" in schema(name) else "definitions"
    return validator_for(schema(name))({**schema(name), "$ref": f"#/{place}/{definition(name, method)}"})


@cache
def describes_meta(name: str, method: str) -> bool:
    params = definitions(name)[definition(name, method)]["properties"].get("params", {})
    while "$ref" in params:
        params = definitions(name)[params["$ref"].rpartition("/")[2]]
    return "_meta" in params.get("properties", {}) or "anyOf" in params


@dataclass(frozen=True)
class Case:
    """One frame, and what both say of it."""

    name: str
    method: str
    frame: dict[str, Any]
    findings: tuple[fg.Finding, ...]
    errors: list[ValidationError]

    @property
    def refused_for(self) -> list[fg.Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warned_of_type(self) -> bool:
        return any((each.rule, each.severity) == ("param-type", "warning") for each in self.findings)


# ---- why the schema refuses what is clean here: the question is asked of one of its errors


def is_fraction(case: Case, error: ValidationError) -> bool:
    fraction = isinstance(error.instance, float) and not error.instance.is_integer()
    whole_wanted = error.validator == "type" and "number" not in error.validator_value
    if not (fraction and whole_wanted):
        return False
    return case.warned_of_type or list(error.absolute_path)[:2] == ["params", "inputResponses"]


def is_json_value(case: Case, error: ValidationError) -> bool:
    if error.schema != definitions(case.name).get("JSONValue", ()):
        return False
    inner = [error.instance, *(at(error.instance, path) for path in places(error.instance))]
    return any(each is None or (isinstance(each, float) and not each.is_integer()) for each in inner)


def is_input_response(case: Case, error: ValidationError) -> bool:
    wanted = {"action", "roots", "model"}
    return error.schema == definitions(case.name).get("InputResponse", ()) and bool(wanted & set(error.instance))


def is_multi_select(case: Case, error: ValidationError) -> bool:
    if error.schema != definitions(case.name).get("PrimitiveSchemaDefinition", ()):
        return False
    items = error.instance.get("items")
    return (
        error.instance["type"] == "array" and isinstance(items, dict) and ("type" not in items or "enum" not in items)
    )


# ---- why the schema accepts what is wrong here: the question is asked of one of our findings


def is_near_key(_: Case, finding: fg.Finding) -> bool:
    return finding.rule in NEAR


def is_inherited_meta(case: Case, finding: fg.Finding) -> bool:
    inside = finding.path == "/params/_meta" or finding.path.startswith("/params/_meta/")
    return inside and not describes_meta(case.name, case.method)


def is_related_task(_: Case, finding: fg.Finding) -> bool:
    return finding.path == RELATED_TASK or finding.path.startswith(RELATED_TASK + "/")


def is_request_id(case: Case, finding: fg.Finding) -> bool:
    needed = definitions(case.name).get("CancelledNotificationParams", {"required": ["requestId"]}).get("required", [])
    return finding.rule == "request-id-missing" and "requestId" not in needed


def is_of_extension(_: Case, finding: fg.Finding) -> bool:
    return finding.path.startswith("/params/notifications/taskIds")


def is_in_form(_: Case, finding: fg.Finding) -> bool:
    return finding.path.startswith("/params/requestedSchema/properties/")


def is_format(_: Case, finding: fg.Finding) -> bool:
    return finding.rule == "param-value" and finding.path.rpartition("/")[2] in FORMATTED


def is_in_response(_: Case, finding: fg.Finding) -> bool:
    return finding.path.startswith("/params/inputResponses/")


# Members of which the text says what their strings are: base64, a URI, a URL, a MIME type, a time.
FORMATTED = ("blob", "data", "uri", "url", "src", "mimeType", "createdAt", "lastUpdatedAt")
LISTS = "elicit-schema-flat: lists of titled and untitled strings are taken together here"
LENIENT: dict[str, Callable[[Case, Any], bool]] = {
    "D-10: integer is how the schema was generated, the types say number; a warning here": is_fraction,
    "the values of a JSONObject are any JSON; the schema leaves out null and fractions, as generated": is_json_value,
    "mrtr-responses-shape: nothing but their members tells responses apart; taken together here": is_input_response,
    LISTS: is_multi_select,
}
STRICT: dict[str, Callable[[Case, Any], bool]] = {
    "nearly a described key: security, which no schema sees": is_near_key,
    "meta-object: params inherit _meta from Request and Notification; not repeated in this schema": is_inherited_meta,
    "meta-related-task: the prose gives the key, the schema leaves _meta open": is_related_task,
    "cancel-params, D-27: the prose requires it unless a task is meant": is_request_id,
    "tasks-ext-methods: of the extension, whose members the schema does not know": is_of_extension,
    "elicit-schema-flat: told apart by type, so every member is judged": is_in_form,
    "mrtr-responses-shape: the members of all three responses are judged": is_in_response,
    "a format is a remark to a schema's validator, where the schema has it at all": is_format,
}


def reason_of_error(case: Case, error: ValidationError) -> str | None:
    """The class of an error of the schema. Of alternatives that all fail it is enough to explain one."""
    found = next((reason for reason, holds in LENIENT.items() if holds(case, error)), None)
    if found is not None or not error.context:
        return found
    branches: dict[Any, list[str | None]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(reason_of_error(case, inner))
    return next((reasons[0] for reasons in branches.values() if all(reasons)), None)


def reasons(case: Case) -> list[str | None]:
    """Why the two disagree: a class for each of what one of them objects to, None for what has none."""
    if case.errors:
        return [reason_of_error(case, error) for error in case.errors]
    return [next((why for why, holds in STRICT.items() if holds(case, each)), None) for each in case.refused_for]


def cases(name: str, count: int, seed: object) -> Iterator[Case]:
    text, rng = text_of(name), Random(f"{name} {seed}")
    gauge = fg.Gauge(name, ignore=("protocol-version-unsupported", *RANDOM))  # of which a schema knows nothing
    methods = [method for method in methods_of(text) if definition(name, method.name) is not None]
    makers = [Maker(text, rng, members) for members in ("all", "required", "some", "some")]
    for number in range(count):
        method = methods[number % len(methods)]
        frame = spoilt(call(text, method, rng.choice(makers)), rng)
        errors = list(validator(name, method.name).iter_errors(frame))
        yield Case(name, method.name, frame, gauge.check(written(frame, rng)).findings, errors)


def compare(name: str, count: int, seed: object) -> Counter[str]:
    """How often both agree, and how often they differ for which reason; AssertionError for a difference without."""
    counts: Counter[str] = Counter()
    unexplained = []
    for case in cases(name, count, seed):
        if bool(case.errors) == bool(case.refused_for):
            counts["both refuse" if case.errors else "both accept"] += 1
            continue
        found = reasons(case)
        counts.update({reason for reason in found if reason is not None})
        if None in found:
            unexplained.append((case.frame, case.refused_for, case.errors))
    assert unexplained == []
    return counts


@MARK
@pytest.mark.parametrize("name", MCP)
def test_params_are_judged_as_the_schema_does(name: str) -> None:
    counts = compare(name, 500, "core")
    assert min(counts["both refuse"], counts["both accept"]) > 80, counts


@MARK
def test_a_list_in_a_form_that_chance_hardly_makes() -> None:
    field = {"type": "array", "items": {"enum": ["a"]}}
    params = {"message": "m", "requestedSchema": {"type": "object", "properties": {"f": field}}}
    frame = {"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params}
    errors = list(validator("2025-11-25", "elicitation/create").iter_errors(frame))
    findings = fg.Gauge("2025-11-25").check(json.dumps(frame).encode()).findings
    assert findings == ()
    assert set(reasons(Case("2025-11-25", "elicitation/create", frame, findings, errors))) == {LISTS}


@MARK
@pytest.mark.heavy
def test_many_params_are_judged_as_the_schema_does() -> None:
    """And every reason is one that is needed."""
    total: Counter[str] = Counter()
    for name in MCP:
        counts = compare(name, 5_000, "heavy")
        assert min(counts["both refuse"], counts["both accept"]) > 800, counts
        print(name, dict(counts))
        total += counts
    assert {*LENIENT, *STRICT} - total.keys() <= {LISTS}
