"""Several revisions as one: only what all of them refuse is wrong. docs/verdict.md section 6.12.

Objects are open, so a member that one revision does not describe is valid there, even if another describes it.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from framegauge.protocol.notation import Narrow, Shape, Spec
from framegauge.protocol.revision import Method, Revision

__all__ = ["FREE", "OTHERWISE", "RESULT_TYPE", "Merged", "merged"]

OTHERWISE = ""  # among the cases of a tag: the shape of any other text
FREE = Spec(frozenset())  # of a member that only some revisions describe
RESULT_TYPE = "resultType"
_NUMBERS = ("integer", "integral", "number")  # from the narrowest to the widest


class Merged(NamedTuple):
    methods: Mapping[str, Method]
    shapes: Mapping[str, Shape]
    error_data: Mapping[int, Spec]
    result_types: tuple[str, ...]
    any_result: str | None  # a shape


def merged(revisions: Sequence[Revision]) -> Merged:
    """The spec of these revisions as one; for a single revision its own."""
    if len(revisions) == 1:
        only = revisions[0]
        return Merged(only.methods, only.shapes, only.error_data, only.result_types, only.any_result)
    merge = _Merge(revisions)
    names = dict.fromkeys(name for revision in revisions for name in revision.methods)
    methods = {name: merge.method(name) for name in names}
    types = dict.fromkeys(value for revision in revisions for value in revision.result_types)
    results = [(n, text.any_result) for n, text in enumerate(revisions) if text.any_result]
    any_result = merge.shape(results) if len(results) == len(revisions) else None
    # Error data that only some revisions describe are not wrong in all.
    return Merged(methods, merge.shapes, {}, tuple(types), any_result)


def _narrow(narrows: Sequence[Narrow], specs: Sequence[Spec]) -> Narrow | None:
    """The restriction that all specs with this type share."""
    if not narrows:
        return None
    narrow = narrows[0]
    types = set(_NUMBERS) if narrow.of == "number" else {narrow.of}
    return narrow if all(spec.narrow == narrow for spec in specs if spec.types & types) else None


def _requires(shape: Shape, member: str) -> bool:
    return member in shape.members and shape.members[member].required


def _one_of(shapes: Sequence[Shape]) -> tuple[str, ...]:
    """The members of which all revisions require one: any of them, or one by name."""
    choices = list(dict.fromkeys(shape.one_of for shape in shapes if shape.one_of))
    if len(choices) != 1:
        return ()
    required = [shape.one_of or any(_requires(shape, member) for member in choices[0]) for shape in shapes]
    return choices[0] if all(required) else ()


def _undeprecated(spec: Spec) -> Spec:
    """A deprecation of one revision is not one of all."""
    if spec.deprecated or spec.deprecated_values:
        return spec._replace(deprecated=False, deprecated_values=())
    return spec


class _Merge:
    """Merged shapes get new names, from the revisions they come from."""

    def __init__(self, revisions: Sequence[Revision]) -> None:
        self.revisions = revisions
        self.shapes: dict[str, Shape] = {}

    def method(self, name: str) -> Method:
        found = [(n, text.methods[name]) for n, text in enumerate(self.revisions) if name in text.methods]
        calls = [(n, method) for n, method in found if method.kind != "input-request"] or found
        numbers, senders = [n for n, _ in calls], {method.sender for _, method in calls}
        return calls[-1][1]._replace(
            sender=senders.pop() if len(senders) == 1 else "both",
            params=self._of_all(numbers, [method.params for _, method in calls]),
            result=self._of_all(numbers, [method.result for _, method in calls]),
        )

    def _of_all(self, numbers: Sequence[int], specs: Sequence[Spec | None]) -> Spec | None:
        """The merged spec; None if one of them has none."""
        given = [spec for spec in specs if spec is not None]
        return self.spec(numbers, given) if given and len(given) == len(specs) else None

    def spec(self, numbers: Sequence[int], specs: Sequence[Spec]) -> Spec:
        """`numbers`: the revisions of the specs, by index. A value that is `any` in one of them is not checked."""
        first = specs[0]
        if specs.count(first) == len(specs) and not (first.shape or first.each or first.items):
            return _undeprecated(first)  # most specs are equal in all revisions
        required = all(spec.required for spec in specs)
        types = set().union(*(spec.types for spec in specs))
        for narrow, wide in pairwise(_NUMBERS):
            if wide in types:
                types.discard(narrow)
        if "number" in types:
            types -= {"integer", "integral"}
        strings = [spec.values for spec in specs if "string" in spec.types]
        objects = [(n, spec) for n, spec in zip(numbers, specs, strict=True) if "object" in spec.types]
        arrays = [(n, spec) for n, spec in zip(numbers, specs, strict=True) if "array" in spec.types]
        shapes = [(n, spec.shape) for n, spec in objects if spec.shape is not None]
        return Spec(
            types=frozenset(types),
            required=required,
            values=tuple(dict.fromkeys(value for values in strings for value in values)) if all(strings) else (),
            shape=self.shape(shapes) if shapes and len(shapes) == len(objects) else None,
            each=self._of_all([n for n, _ in objects], [spec.each for _, spec in objects]),
            items=self._of_all([n for n, _ in arrays], [spec.items for _, spec in arrays]),
            narrow=_narrow([spec.narrow for spec in specs if spec.narrow], specs),
        )

    def shape(self, parts: Sequence[tuple[int, str]]) -> str:
        name = " & ".join(f"{self.revisions[n].name} {shape}" for n, shape in parts)
        if name not in self.shapes:
            self.shapes[name] = Shape(
                name, {}, None, None, {}, None, ()
            )  # for a shape that contains itself; filled below
            described = [(n, self.revisions[n].shapes[shape]) for n, shape in parts]
            shape = (
                self._tagged(name, described) if any(s.tag for _, s in described) else self._members(name, described)
            )
            self.shapes[name] = shape._replace(merged=tuple(dict.fromkeys(each for _, each in parts)))
        return name

    def _members(self, name: str, described: list[tuple[int, Shape]]) -> Shape:
        numbers, shapes = [n for n, _ in described], [shape for _, shape in described]
        names = dict.fromkeys(member for shape in shapes for member in shape.members)
        members = {member: self._of_all(numbers, [shape.members.get(member) for shape in shapes]) for member in names}
        return Shape(
            name,
            {member: spec or FREE for member, spec in members.items()},
            None,
            None,
            {},
            None,
            _one_of(shapes),
            each=self._of_all(numbers, [shape.each for shape in shapes]),
            unless_task=next((shape.unless_task for shape in shapes if shape.unless_task), None),
        )

    def _tagged(self, name: str, described: list[tuple[int, Shape]]) -> Shape:
        """For a revision without the tag the member is an ordinary one; its shape is in every case."""
        tag = next(shape.tag for _, shape in described if shape.tag)
        values = dict.fromkeys(value for _, shape in described for value in shape.cases)
        untagged = [(n, shape.name) for n, shape in described if shape.tag is None]
        cases = {
            value: self.shape(untagged + [(n, s.cases[value]) for n, s in described if value in s.cases])
            for value in values
        }
        default = untagged + [(n, shape.default) for n, shape in described if shape.default is not None]
        if untagged:  # an unknown result type is only a warning, and the result is not checked
            cases[OTHERWISE] = self.shape([] if tag == RESULT_TYPE else untagged)
        return Shape(name, {}, None, tag, cases, self.shape(default) if default else None, ())
