"""Compares what src/framegauge/protocol/data says with the published schemas and with a list of the methods.

    python tools/check_protocol.py FOLDER

FOLDER holds spec/methods.json and oracle/mcp/<revision>/schema.json. Every difference that protocol_differences.toml,
beside this file, does not explain is printed, and every explanation that explains nothing: exit status 1.
"""

from __future__ import annotations

import json
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from framegauge.protocol.notation import TYPES, Narrow, Shape, Spec
from framegauge.protocol.revision import EXTENSIONS, MCP, Method, Revision, revision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KNOWN = Path(__file__).with_name("protocol_differences.toml")
_ANY = frozenset(TYPES) - {"integer", "integral"}
_BOUNDS = ("minimum", "maximum")
_SENDERS = {"client-to-server": "client", "server-to-client": "server", "both": "both"}

Node = dict[str, Any]


class Schema:
    """The definitions of one schema.json. A place in it is a dotted path: a definition, then members."""

    def __init__(self, path: Path, known: Node) -> None:
        raw = json.loads(path.read_text("utf-8"))
        self.definitions: dict[str, Node] = raw.get("definitions") or raw["$defs"]
        self.places: dict[str, str] = known["places"]
        self.merged: dict[str, list[str]] = known["merged"]

    def node(self, place: str) -> Node | None:
        """What is there, references and allOf resolved; of an array its items."""
        node = self.definitions.get(place.split(".")[0])
        for member in place.split(".")[1:]:
            node = self.plain(node)["properties"].get(member) if node and "properties" in self.plain(node) else None
            node = node.get("items", node) if node else None
        return None if node is None else self.plain(node)

    def plain(self, node: Node) -> Node:
        while "$ref" in node:
            node = self.definitions[node["$ref"].rsplit("/", 1)[1]]
        parts = [self.plain(part) for part in node.get("allOf", ())]
        if not parts:
            return node
        properties = {name: value for part in parts for name, value in part.get("properties", {}).items()}
        return {"properties": properties, "required": [name for part in parts for name in part.get("required", ())]}

    def leaves(self, node: Node) -> frozenset[str]:
        """The object types that a node may be: definitions by name, nameless ones by what they say."""
        name = node["$ref"].rsplit("/", 1)[1] if "$ref" in node else None
        plain = self.plain(node)
        if "anyOf" in plain:
            return frozenset().union(*(self.leaves(each) for each in plain["anyOf"] if each.get("type") != "array"))
        if not plain.get("properties"):
            return frozenset()
        return frozenset({name or json.dumps(_undescribed(plain), sort_keys=True)})

    def leaves_of(self, name: str, shapes: Mapping[str, Shape]) -> frozenset[str]:
        """The same of a shape of ours."""
        shape = shapes.get(name)
        if shape and shape.tag:
            return frozenset().union(*(self.leaves_of(case, shapes) for case in shape.cases.values()))
        if shape and not shape.members:  # a map, of which only keys are described
            return frozenset()
        if places := self.merged.get(name) or ([part.strip() for part in name.split("|")] if "|" in name else None):
            return frozenset().union(*(self.leaves(self.at(place)) for place in places if self.node(place)))
        return self.leaves(self.at(name)) if self.at(name) else frozenset({name})

    def at(self, name: str) -> Node:
        """The node of a shape of ours: a reference to a definition, or a nameless object."""
        places = [name, *(place for key, place in self.places.items() if key.split(" ")[0] == name)]
        for place in places:
            if place in self.definitions:
                return {"$ref": f"/{place}"}
            if node := self.node(place):
                return node
        return {}

    def says(self, node: Node) -> tuple[frozenset[str], frozenset[str]]:
        """The types that a node allows and the strings; what is inside of arrays and objects is left to others."""
        plain = self.plain(node)
        if "const" in plain or "enum" in plain:
            return frozenset({"string"}), frozenset(plain.get("enum") or [plain["const"]])
        if "anyOf" in plain:
            types, values = zip(*map(self.says, plain["anyOf"]), strict=True)
            return frozenset().union(*types), frozenset().union(*values)
        kind = plain.get("type", "object" if "properties" in plain else None)
        return frozenset(kind if isinstance(kind, list) else [kind]) if kind else _ANY, frozenset()

    def narrows(self, node: Node) -> str:
        """What is said of a string, number or array beyond that, in our words."""
        plain = self.plain(node)
        for part in [self.plain(each) for each in plain.get("anyOf", [plain])]:
            if "format" in part:
                return {"byte": "base64"}.get(part["format"], str(part["format"]))
            if bounds := [part.get(key, "") for key in _BOUNDS if any(each in part for each in _BOUNDS)]:
                return f"{bounds[0]}..{bounds[1]}"
            if "maxItems" in part:
                return f"..{part['maxItems']}"
        return "-"

    def inside(self, node: Node) -> tuple[Node | None, Node | None]:
        """What the items of an array are, and the values of an object that has no described members."""
        plain = self.plain(node)
        parts = [self.plain(each) for each in plain.get("anyOf", [plain])]
        items = next((each["items"] for each in parts if "items" in each), None)
        values = plain.get("additionalProperties")
        return items, values if isinstance(values, dict) and values and not plain.get("properties") else None


def _undescribed(node: Any) -> Any:
    if isinstance(node, list):
        return [_undescribed(each) for each in node]
    if not isinstance(node, dict):
        return node
    described = isinstance(node.get("description"), str)  # else it is a member of that name
    return {key: _undescribed(value) for key, value in node.items() if not (described and key == "description")}


def differences(said: Revision, schema: Schema, methods: list[Node]) -> Iterator[str]:
    """Every difference between our data, a schema and the list of methods, as a line."""
    yield from method_differences(said, methods)
    listed = {one["method"]: one for one in methods}
    for name, method in said.methods.items():
        if name not in listed or "schema_type" not in listed[name]:
            continue
        params = schema.node(f"{listed[name]['schema_type']}.params")
        raw = schema.definitions[listed[name]["schema_type"]]["properties"].get("params")
        if raw and params and method.params and method.params.shape:
            yield from leaf_differences(f"{name} params", method.params, raw, schema, said)
        types = [{"$ref": f"/{one}"} for one in listed[name].get("result_types", ()) if one in schema.definitions]
        if types and method.result:
            yield from leaf_differences(f"{name} result", method.result, {"anyOf": types}, schema, said)
    for name, shape in said.shapes.items():
        yield from shape_differences(name, shape, schema, said)


def leaf_differences(where: str, ours: Spec, node: Node, schema: Schema, said: Revision) -> Iterator[str]:
    own = schema.leaves_of(ours.shape, said.shapes) if ours.shape else frozenset()
    theirs = schema.leaves(node)
    if own != theirs:
        yield f"{where}: shape: data {_words(own)}, schema {_words(theirs)}"


def shape_differences(name: str, shape: Shape, schema: Schema, said: Revision) -> Iterator[str]:
    """One shape against its definition, or the definitions that it takes together."""
    if shape.tag:
        yield from tag_differences(name, shape, schema, said)
        return
    together = schema.merged.get(name) or ([part.strip() for part in name.split("|")] if "|" in name else None)
    nodes = [schema.plain(schema.at(place)) for place in together or [name]]
    nodes = [node for node in nodes if "properties" in node]
    if not nodes:
        yield f"{name}: not in the schema"
        return
    theirs = {member for node in nodes for member in node["properties"]}
    needed = [set(node.get("required", ())) for node in nodes]
    for member in sorted(theirs ^ shape.members.keys()):
        yield f"{name}.{member}: only in the {'schema' if member in theirs else 'data'}"
    for member in sorted(theirs & shape.members.keys()):
        spec = shape.members[member]
        if spec.required != (member in set.intersection(*needed)):
            yield f"{name}.{member}: {'required' if spec.required else 'optional'} only in the data"
        said_there = [node["properties"][member] for node in nodes if member in node["properties"]]
        distinct = [one for index, one in enumerate(said_there) if one not in said_there[:index]]
        node = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}
        yield from spec_differences(f"{name}.{member}", spec, node, schema, said)
    own = {member for each in needed for member in each - set.intersection(*needed)}
    if len(nodes) > 1 and not set(shape.one_of) <= own:
        yield f"{name}: @one {', '.join(shape.one_of)}: of the alternatives {', '.join(sorted(own))} is required"
    if len(nodes) == 1 and shape.one_of:
        yield f"{name}: @one {', '.join(shape.one_of)}: only in the data"


def tag_differences(name: str, shape: Shape, schema: Schema, said: Revision) -> Iterator[str]:
    """The values of a tag against the definitions they lead to."""
    for value, case in shape.cases.items():
        member = said.shapes[case].members.get(shape.tag or "")
        if not member or value not in member.values:
            yield f"{name}: {case} does not say {shape.tag} {value}"
    node = schema.at(name)
    if not node:
        return
    alternatives = [schema.plain({"$ref": f"/{leaf}"}) for leaf in schema.leaves(node) if leaf in schema.definitions]
    tags = [one["properties"][shape.tag] for one in alternatives]
    theirs = {value for tag in tags for value in (tag.get("enum") or [tag["const"]])}
    if theirs != set(shape.cases):
        yield f"{name}: cases: data {_words(shape.cases)}, schema {_words(theirs)}"
    optional = [one for one in alternatives if shape.tag not in one.get("required", ())]
    if bool(shape.default) != bool(optional):
        yield f"{name}: default: data {shape.default}, schema {len(optional)} without {shape.tag}"
    own, leaves = schema.leaves_of(name, said.shapes), schema.leaves(node)
    if own != leaves:
        yield f"{name}: shape: data {_words(own)}, schema {_words(leaves)}"


def spec_differences(where: str, ours: Spec, node: Node, schema: Schema, said: Revision) -> Iterator[str]:
    types, values = schema.says(node)
    if ours.types != types:
        yield f"{where}: types: data {_words(ours.types)}, schema {_words(types)}"
    if set(ours.values) != values:
        yield f"{where}: values: data {_words(ours.values)}, schema {_words(values)}"
    if _narrow(ours.narrow) != schema.narrows(node):
        yield f"{where}: narrow: data {_narrow(ours.narrow)}, schema {schema.narrows(node)}"
    yield from leaf_differences(where, ours, node, schema, said)
    items, each = schema.inside(node)
    for mark, inner, part in (("[]", ours.items, items), ("{}", ours.each, each)):
        if inner and part:
            yield from spec_differences(where + mark, inner, part, schema, said)
        elif inner or part:
            yield f"{where}{mark}: only in the {'data' if inner else 'schema'}"


def method_differences(said: Revision, methods: list[Node]) -> Iterator[str]:
    listed = {one["method"]: one for one in methods}
    for name in sorted(listed.keys() ^ said.methods.keys()):
        yield f"{name}: only in the {'list' if name in listed else 'data'}"
    for name in sorted(listed.keys() & said.methods.keys()):
        ours, theirs = _method_facts(said.methods[name], said), listed[name]
        theirs = {
            **theirs,
            "kind": "input-request" if theirs["carrier"] == "input-request" else theirs["kind"],
            "direction": _SENDERS[theirs["direction"]],
        }
        for key, value in ours.items():
            expected = theirs.get(key, [] if isinstance(value, list) else None)
            if value != (sorted(expected) if isinstance(expected, list) else expected):
                yield f"{name}: {key}: data {_words(value)}, list {_words(expected)}"


def _method_facts(method: Method, said: Revision) -> Node:
    """What the list of methods says too, in its words."""
    params = list(_alternatives(method.params, said))
    result = list(_alternatives(method.result, said))[:1]
    first = result[0].members if result else {}
    meta = [shape.members["_meta"].shape for shape in params if "_meta" in shape.members]
    facts = {
        "kind": method.kind,
        "direction": method.sender,
        "params_required": bool(method.params and method.params.required),
        "required_params": sorted(set.intersection(*(_required(shape) for shape in params))) if params else [],
        "known_params": sorted({member for shape in params for member in shape.members}),
        "required_meta": sorted(_required(said.shapes[meta[0]])) if meta and meta[0] else [],
        "capability": method.capability,
        "capability_of": method.capability_of,
    }
    if method.kind != "notification":
        facts |= {"result_required": sorted(_required(result[0])) if result else [], "result_known": sorted(first)}
    return facts


def _alternatives(spec: Spec | None, said: Revision) -> Iterator[Shape]:
    if spec and spec.shape:
        names = [name.strip() for name in spec.shape.split("|")]
        for shape in (said.shapes[name] for name in names):
            cases = [Spec(spec.types, shape=case) for case in dict.fromkeys(shape.cases.values())]
            yield from (one for case in cases for one in _alternatives(case, said)) if cases else (shape,)


def _required(shape: Shape) -> set[str]:
    return {name for name, spec in shape.members.items() if spec.required}


def _narrow(narrow: Narrow | None) -> str:
    if narrow is None:
        return "-"
    bounds = (str(bound) if bound is not None else "" for bound in (narrow.low, narrow.high))
    return narrow.format or " ".join(narrow.begins) or "..".join(bounds)


def _words(value: Any) -> str:
    return ", ".join(sorted(value)) or "-" if not isinstance(value, str | bool | None) else str(value)


def found(shared: Path) -> list[str]:
    """The differences in all revisions, each line with the revision before it."""
    known = tomllib.loads(KNOWN.read_text("utf-8"))
    listed = json.loads((shared / "spec" / "methods.json").read_text("utf-8"))
    lines = []
    for name in MCP:
        schema = Schema(shared / "oracle" / "mcp" / name / "schema.json", known)
        lines += [f"{name} {line}" for line in differences(revision(name), schema, listed["revisions"][name])]
    for name in EXTENSIONS:  # there is no schema of it
        said = revision(name)
        base = name.partition("+")[0]
        own = listed["extensions"][base][said.extension]
        added = [one for one in listed["revisions"][base] if one["method"] not in own["polymorphic_on"]]
        replaced = [one for one in listed["revisions"][base] if one["method"] in own["polymorphic_on"]]
        lines += [f"{name} {line}" for line in method_differences(said, [*added, *replaced, *own["methods"]])]
    return lines


def unexplained(lines: list[str]) -> list[str]:
    """The lines that nothing explains, and the explanations of nothing."""
    known = tomllib.loads(KNOWN.read_text("utf-8"))["difference"]
    patterns = [pattern for one in known for pattern in one["lines"]]
    left = [line for line in lines if not any(fnmatchcase(line, pattern) for pattern in patterns)]
    idle = [pattern for pattern in patterns if not any(fnmatchcase(line, pattern) for line in lines)]
    return left + [f"explains nothing: {pattern}" for pattern in idle]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    left = unexplained(found(Path(sys.argv[1])))
    print("\n".join(left) or "no unexplained difference")
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
