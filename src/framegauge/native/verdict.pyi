from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeAlias, final

from typing_extensions import Buffer

from framegauge.native.program import Shapes
from framegauge.native.tokenizer import Frame, Kind, Limits

Severity: TypeAlias = Literal["error", "warning", "info"]

MESSAGES: Mapping[int, str]
LOOK: int  # among the selected rules of a Table: values that only Python can judge

def bind(
    *,
    claimed_table: Callable[[Any, int], Table],
    answer: Callable[[Verdict, Any], tuple[bool, Reply | None]],
    status: Callable[[Verdict, Any, int], int | None],
    unsupported: Callable[[Verdict, Any], dict[str, Any]],
    to_dict: Callable[[Verdict, Any], dict[str, Any]],
    pointer: Callable[[bytes, int], str],
    hint: Callable[[str, bytes, int], tuple[str, str] | None],
) -> None: ...
def error_member(code: int, rule: str, more: dict[str, Any] | None = None) -> bytes: ...
def claimed_table(v: Verdict, frame: bytes, t: Table) -> Table: ...
def judge_by(v: Verdict, t: Table, asked: int = 0) -> None: ...
def attach(v: Verdict, more: Any, ok: bool) -> None: ...
def add_errors(v: Verdict, numbers: Iterable[int]) -> None: ...
def judge(t: Table, data: bytes) -> Verdict: ...
def scan_again(v: Verdict, data: bytes, limits: Limits) -> None: ...
def in_order(found: Iterable[Finding]) -> tuple[Finding, ...]: ...

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

@final
class Finding:
    def __init__(
        self,
        rule: Any,
        severity: Severity,
        offset: int,
        end: int,
        count: int,
        revisions: frozenset[str],
        frame: bytes,
        path: str | None = None,
        related: tuple[Finding, ...] = (),
        detail: str | None = None,
    ) -> None: ...
    @property
    def rule(self) -> str: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def authority(self) -> tuple[str, ...]: ...
    @property
    def offset(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def message(self) -> str: ...
    @property
    def detail(self) -> str | None: ...
    @property
    def hint(self) -> tuple[str, str] | None: ...
    @property
    def url(self) -> str | None: ...
    @property
    def revisions(self) -> frozenset[str]: ...
    @property
    def related(self) -> tuple[Finding, ...]: ...
    @property
    def _rule(self) -> Any: ...
    @property
    def _frame(self) -> bytes: ...
    def moved(
        self, by: int, frame: bytes, prefix: str, count: int | None = None, revisions: frozenset[str] | None = None
    ) -> Finding: ...
    def to_dict(self) -> dict[str, Any]: ...

@final
class Reply:
    def __init__(
        self,
        code: int,
        id: bytes | None,
        rule: str,
        error: bytes,
        no_id: bytes,
        status: int | None,
        items: tuple[Reply, ...] = (),
    ) -> None: ...
    @property
    def code(self) -> int: ...
    @property
    def id(self) -> bytes | None: ...
    @property
    def message(self) -> str: ...
    @property
    def data(self) -> dict[str, Any]: ...
    @property
    def status(self) -> int | None: ...
    @property
    def items(self) -> tuple[Reply, ...]: ...
    def body(self) -> bytes: ...
    def with_items(self, items: tuple[Reply, ...], status: int | None) -> Reply: ...

@final
class Verdict:
    @property
    def kind(self) -> Kind: ...
    @property
    def ok(self) -> bool: ...
    @property
    def frame(self) -> Frame: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...
    @property
    def revision(self) -> str: ...
    @property
    def respond(self) -> bool: ...
    @property
    def reply(self) -> Reply | None: ...
    @property
    def status(self) -> int | None: ...
    @property
    def items(self) -> tuple[Verdict, ...]: ...
    @property
    def not_judged(self) -> frozenset[str]: ...
    @property
    def _more(self) -> Any: ...
    @property
    def _context(self) -> Any: ...
    @property
    def _asked(self) -> int: ...
    @property
    def _unsettled(self) -> bool: ...
    @property
    def _whole(self) -> bytes | None: ...
    @property
    def _fault_rule(self) -> str | None: ...
    def _native_findings(self) -> list[Finding]: ...
    def to_dict(self) -> dict[str, Any]: ...

class Subscription:
    def __init__(self, rule: Any, kinds: Iterable[int], methods: frozenset[str] | None) -> None: ...
    @property
    def rule(self) -> Any: ...

class Checker:
    @property
    def table(self) -> Table: ...
    @property
    def limits(self) -> Limits: ...
    def _set_up(
        self,
        table: Table,
        limits: Limits,
        slow: Any,
        *,
        revisions: frozenset[str],
        auto: bool,
        allow_bom: bool,
        subscriptions: list[Subscription],
        fidelities: tuple[str, ...],
        shown: tuple[Any, ...],
    ) -> None: ...
    def check(
        self,
        data: Buffer,
        headers: Mapping[str, str] | Iterable[tuple[Any, Any]] | None = None,
        direction: str | None = None,
        revision: str | None = None,
        request_method: str | None = None,
        status: int | None = None,
        tool_schema: Any = None,
        fidelity: str = "bytes",
    ) -> Verdict: ...
