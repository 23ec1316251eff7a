from typing import final

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
