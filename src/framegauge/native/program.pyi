from typing import Any, Literal, TypeAlias, final

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
        texts: tuple[bytes, ...],
        specs: list[tuple[int, ...]],
        shapes: list[tuple[int, ...]],
        members: list[tuple[int, int]],
        cases: list[tuple[int, int]],
        methods: list[tuple[int, ...]],
        errors: list[tuple[int, int]],
        of_any: tuple[int, int],
        params_text: int,
        extra_texts: int,
        extra_count: int,
        rules: tuple[tuple[int, int, int], ...],
        own_rules: tuple[int, ...],
        from_whom: tuple[int, int],
        wanted: tuple[str, ...],
        choices: dict[int, str],
        meta: tuple[int, ...],
    ) -> None: ...

@final
class Table:
    def __init__(
        self,
        rules: tuple[Any, ...],
        rows: list[tuple[int, tuple[str, ...], tuple[str, ...], Severity, int | None, frozenset[str]]],
        codes: list[tuple[int, int, int, Severity, frozenset[str]]],
        faults: dict[str, int],
        context: Any,
        own: tuple[str, ...],
        lines: bool,
        *,
        from_client: bool = True,
        client_replies: bool = True,
        unreadable: tuple[str, ...] = (),
        no_id: bytes = b"",
        http: bool = False,
        shapes: Shapes | None = None,
        senders: int = 3,
        selected: frozenset[int] = ...,
        answers: dict[int, int] | None = None,
        infos: frozenset[int] = ...,
        meta: frozenset[int] = ...,
        listed: tuple[str, ...] = (),
    ) -> None: ...
    @property
    def rules(self) -> tuple[Any, ...]: ...
    @property
    def context(self) -> Any: ...
