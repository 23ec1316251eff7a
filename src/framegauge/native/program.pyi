from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, final

from framegauge.native.layout import (
    CaseRow,
    CodeRow,
    ErrorRow,
    FactRow,
    MemberRow,
    MethodRow,
    PlaceRules,
    ProtocolRow,
    ShapeRow,
    SpecRow,
)

Severity: TypeAlias = Literal["error", "warning", "info"]

LOOK: int  # among the selected rules of a Table: values that only Python can judge
SEVERITIES: tuple[Severity, ...]  # by number
NOTHING: int
NO_FRAME: int
MILD: int
UNLESS_TASK: int
DEPTH: int
DEPRECATED: int
NO_LOW: int
NO_HIGH: int
ANY_SIZE: int
INTEGER: int  # a number with a fraction is an error
INTEGRAL: int  # it is a warning
LISTED: int
BEGINS: int
FORMATS: dict[str, int]

@final
class Shapes:
    texts: tuple[bytes, ...]
    wanted: tuple[str, ...]
    choices: dict[int, str]
    def __init__(
        self,
        protocol: ProtocolRow,
        places: tuple[PlaceRules, ...],
        texts: tuple[bytes, ...],
        *,
        specs: list[SpecRow],
        shapes: list[ShapeRow],
        members: list[MemberRow],
        cases: list[CaseRow],
        methods: list[MethodRow],
        errors: list[ErrorRow],
        wanted: tuple[str, ...],
        choices: dict[int, str],
    ) -> None: ...

@final
class Table:
    def __init__(
        self,
        rules: tuple[Any, ...],
        rows: list[FactRow],
        codes: list[CodeRow],
        faults: dict[str, int],
        context: Any,
        own: tuple[str, ...],
        lines: bool,
        *,
        row_revisions: tuple[frozenset[str], ...] = (),
        code_revisions: tuple[frozenset[str], ...] = (),
        from_client: bool = True,
        client_replies: bool = True,
        unreadable: int = 0,
        no_id: bytes = b"",
        http: bool = False,
        shapes: Shapes | None = None,
        senders: int = 3,
        selected: frozenset[int] = ...,
        answers: dict[int, int] | None = None,
        infos: frozenset[int] = ...,
        order: Sequence[tuple[int, bool, frozenset[int]]] = (),
        fault_codes: tuple[int, int] = (0, 0),
        listed: tuple[str, ...] = (),
    ) -> None: ...
    @property
    def rules(self) -> tuple[Any, ...]: ...
    @property
    def context(self) -> Any: ...
