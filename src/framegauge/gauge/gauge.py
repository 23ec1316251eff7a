"""Gauge: bytes to Verdict. Pure: no input or output, no clock, no logging.

The usual clean frame never comes here: `Checker.check`, which is compiled, runs the table of the gauge and returns.
Python runs for what a table cannot express (batches, a skipped mark, nested values, host rules) and, when the caller
asks, for findings and answers.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from framegauge.facts import Limits
from framegauge.gauge import answers
from framegauge.gauge.context import Context
from framegauge.gauge.fact_program import claimed_table, table_for
from framegauge.gauge.host_rules import as_rule
from framegauge.gauge.lines import Verdicts
from framegauge.gauge.options import AUTO, DIRECTIONS, ERROR_IDS, FIDELITIES, TRANSPORTS, ErrorId, one_of
from framegauge.gauge.slow_path import SlowPath
from framegauge.gauge.view import hint, pointer, to_dict, unsupported
from framegauge.native.verdict import Checker, bind
from framegauge.protocol import MCP, REVISIONS
from framegauge.ruleset.codes import CODES, UNSUPPORTED_VERSION
from framegauge.ruleset.registry import RULES, by_id

# What a verdict asks for when its caller does.
ON_DEMAND: Mapping[str, Any] = {
    "claimed_table": claimed_table,
    "answer": answers.answer_to,
    "status": answers.status_of,
    "texts": CODES,
    "error_data": {UNSUPPORTED_VERSION: unsupported},
    "to_dict": to_dict,
    "pointer": pointer,
    "hint": hint,
}
bind(**ON_DEMAND)


class Gauge(Checker):
    """Judges raw frames: what each is, which rules of which revision it breaks and where, and what answer it is owed.

    - `revision`: "jsonrpc-2.0", an MCP revision, or "auto": the revision that the frame claims, and without a claim
      what all of MCP has in common.
    - `direction`: "client-to-server", "server-to-client" or None.
    - `transport`: "stdio", "http", "sse" or None.
    - `limits`: those of the host.
    - `select`: ids of the only rules to apply (None: all). `ignore`: ids of rules to leave out.
    - `rules`: rules of the host, see docs/writing-a-rule.md.
    - `allow_bom`: skip a leading byte order mark and report it as a warning.
    - `error_id`: how an answer writes an unreadable id: "spec" (as the revision defines), "null" or "omit".

    Raises ValueError with the allowed values for an unknown name.
    """

    def __init__(
        self,
        revision: str = AUTO,
        direction: str | None = None,
        transport: str | None = None,
        limits: Limits | None = None,
        select: Iterable[str] | None = None,
        ignore: Iterable[str] = (),
        rules: Iterable[Any] = (),
        allow_bom: bool = False,
        error_id: ErrorId = "spec",
    ) -> None:
        self.revision = one_of("revision", revision, (AUTO, *REVISIONS))
        self.direction = None if direction is None else one_of("direction", direction, DIRECTIONS)
        self.transport = None if transport is None else one_of("transport", transport, TRANSPORTS)
        self.error_id: ErrorId = one_of("error_id", error_id, ERROR_IDS)
        if not isinstance(limits, Limits | None):
            raise TypeError(f"limits is a framegauge.Limits, not {type(limits).__name__}")
        limits = Limits() if limits is None else limits
        self.allow_bom = allow_bom
        for what, names in (("select", () if select is None else select), ("ignore", ignore)):
            if isinstance(names, str) or not isinstance(names, Iterable):
                raise TypeError(f"{what} is a list of rule ids, not {names!r}")
        if not isinstance(rules, Iterable):
            raise TypeError(f"rules is a list of rules, not {rules!r}")
        self.rules = tuple(as_rule(rule) for rule in rules)
        chosen = {by_id(name).id for name in select} if select is not None else {rule.id for rule in RULES}
        if self.rules:
            chosen.add("rule-failed")  # they are applied for any `select`, and so is this
        self.selected = frozenset(chosen - {by_id(name).id for name in ignore})
        taken = [rule.id for rule in RULES] + [rule.id for rule in self.rules]
        for rule in self.rules:
            if taken.count(rule.id) > 1:
                raise ValueError(f"there is another rule {rule.id!r}; give yours a name of its own")
        listed = MCP if revision == AUTO else (revision,)
        context = Context(revision, direction, transport, limits, error_id, self.selected, listed)
        slow = SlowPath(context, self.rules)
        self._set_up(
            table_for(context),
            limits,
            slow,
            revisions=frozenset(MCP),
            auto=revision == AUTO,
            allow_bom=bool(allow_bom),
            subscriptions=[rule.subscription() for rule in self.rules],
            fidelities=FIDELITIES,
            shown=slow.shown(),
        )

    def __setattr__(self, name: str, value: Any) -> None:
        """Once, when it is made: a table is compiled from these, and threads share it without a lock."""
        if name in self.__dict__ or name == "limits":
            raise AttributeError(f"the {name} of a Gauge is fixed; make another Gauge")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"the {name} of a Gauge is fixed; make another Gauge")

    def __reduce__(self) -> tuple[Any, ...]:
        """To pickle it, for another process: what it was made of. Users' rules have to be something that can be."""
        ignored = {rule.id for rule in RULES} - self.selected
        given = self.revision, self.direction, self.transport, self.limits, None, ignored, self.rules
        return type(self), (*given, self.allow_bom, self.error_id)

    def check_lines(
        self, buffer: Any, final: bool = True, *, fidelity: str = "bytes", directions: Any = None
    ) -> Verdicts:
        """The verdicts on every line of a newline-delimited buffer, as columns; LF alone ends a line.

        The GIL is released. Linear in the bytes.

        - `final`: whether the buffer is complete. If not, a last line without LF is left over, and so are the lines of
          an incomplete message, up to 256 KiB: continue from `.consumed`.
        - `fidelity`: what the record of the lines kept: bytes, text, tokens, value. `.not_judged` has the rules that
          such a record cannot show.
        - `directions`: a byte for each line of the buffer, blank lines and an unfinished last one included: 0 unknown,
          1 client to server, 2 server to client. Directions of lines that are left over belong to the next call.

        Messages over several lines are found here, and so are LSP headers on any transport. Rules of the host and
        `allow_bom` are not applied. A blank line is counted only by its kind.

        Raises TypeError for an object that is not a contiguous buffer, ValueError for an unknown fidelity
        and for directions of another length or number.
        """
        return Verdicts(self, buffer, final, fidelity=fidelity, directions=directions)
