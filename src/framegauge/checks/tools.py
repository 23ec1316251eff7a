"""Tools: their names in one list, and the schemas that tools and forms carry."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from framegauge.checks.json_schema import NotJudged, Schemas
from framegauge.checks.model import Check, Complaint, Path, objects_in

NAMES, SCHEMA = "tools-names", "jsonschema-valid"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")


def _names(result: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    seen = set[str]()
    for at, tool in objects_in(result, "tools"):
        name = tool.get("name")
        if not isinstance(name, str):
            continue
        if not _NAME.fullmatch(name):
            yield Complaint(NAMES, ("tools", at, "name"))
        elif name in seen:
            yield Complaint(NAMES, ("tools", at, "name"), "another tool of this list has the same name")
        seen.add(name)


def _schemas_of_tool(tool: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    for name in tool:
        if name in ("inputSchema", "outputSchema") and isinstance(tool[name], dict):
            yield from _schema(tool[name], (name,), schemas)


def _requested(schema: Mapping[str, Any], schemas: Schemas) -> Iterator[Complaint]:
    yield from _schema(schema, (), schemas)


def _schema(schema: Any, path: Path, schemas: Schemas) -> Iterator[Complaint]:
    try:
        fault = schemas.fault(schema)
    except NotJudged:
        return
    if fault is not None:
        yield Complaint(SCHEMA, (*path, *fault.path), fault.text)


CHECKS = (
    Check("ListToolsResult", _names, (NAMES,)),
    Check("Tool", _schemas_of_tool, (SCHEMA,)),
    Check("ElicitRequestFormParams.requestedSchema", _requested, (SCHEMA,)),
)
