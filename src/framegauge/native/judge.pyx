# cython: binding=False
"""Facts to verdicts: compiled rows, run natively. What a rule says stands in framegauge.rules; nothing here knows one by name."""
from operator import attrgetter, itemgetter

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from framegauge.native.core cimport *
from framegauge.native.tokenizer cimport (
    Frame, Limits, envelope_bytes, frame_of, judge_again, judge_frame, kept_parts, kind_of, own_revision, places_of, run_table, scan, whole_copy,
)
from framegauge.native.shapes cimport Shapes
from framegauge.native.tokenizer import FACT_NAMES, FAULT_NAMES

cdef extern from "object_pool.h":
    PyObject* fg_new_object(type cls) except NULL
    void fg_use_pool(type cls, Py_ssize_t offset, int references)

cdef uint8_t ERROR = 0, WARNING = 1, INFO = 2
MOST_OWN = 16  # revisions
LOOK = FG_LOOK
_SEVERITIES = ("error", "warning", "info")
_FACTS = {name: i for i, name in enumerate(FACT_NAMES)}
cdef int _CODE_PLACE = _FACTS["error-code-out-of-range"]
cdef int _CODES = 4  # that an answer can have, but for the one that says more than a rule
cdef int _UNSUPPORTED_VERSION = -32022
MOST_LISTED = 16


cdef class Table:
    """The rows of one gauge under one revision, direction and transport, compiled.

    The keywords say how answers are given: to a client or to a server that may call, which facts make an id unreadable, the bytes in its
    place, whether HTTP statuses are owed. `rules`: every Rule by number. `rows`: (rule number, facts, without, severity, answer, revisions); `codes`: (rule number, low, high,
    severity, revisions). `faults`: rule number by fault id, for those selected. `own`: the revisions that a frame may name itself, which
    asks for another table. `lines`: line rules may replace a fault. Of rules by number: `infos`, which are no more than that where they
    are no error; `meta`, which decide before the version does. `listed`: the revisions that the host lists, where the frame has to name one. ValueError for a fact that does not exist.
    """

    def __init__(self, tuple rules, list rows, list codes, dict faults, policy, tuple own, bint lines, *, bint from_client=True,
                 bint client_replies=True, unreadable=(), bytes no_id=b"", bint http=False, Shapes shapes=None, int senders=3,
                 selected=frozenset(), dict answers=None, infos=frozenset(), meta=frozenset(), tuple listed=()):
        self.from_client, self.client_replies = from_client, client_replies
        self.shapes = shapes
        if shapes is not None:
            self.p = shapes.c
            self.p.senders = senders
        for number in selected:
            self.p.selected[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)
        for number, code in (answers or {}).items():
            self.answers[<int>number] = code
        for number in infos:
            self.p.infos[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)
        for number in meta:
            self.meta[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)
        self._set_listed(listed)
        self.unreadable = 0
        for name in unreadable:
            self.unreadable |= <uint64_t>1 << <int>_FACTS[name]
        self.no_id, self.http, self.errors = no_id, http, [None] * (128 * _CODES)
        if len(rules) > FG_LOOK or len(rows) > FG_ROWS or len(codes) > FG_CODE_ROWS:
            raise ValueError("more rules, rows or code ranges than a table holds")
        self.rules = rules
        self.policy, self.lines = policy, lines
        self._set_own(own)
        self.row_revisions = tuple(map(itemgetter(5), rows))
        self.code_revisions = tuple(map(itemgetter(4), codes))
        self.c.row_count, self.c.code_count = len(rows), len(codes)
        self.c.suspicious = 0
        numbers = {rule.id: i for i, rule in enumerate(rules)}
        for i in range(64):
            name = FAULT_NAMES[i] if i < len(FAULT_NAMES) else ""
            self.c.by_fault[i] = faults.get(name, FG_NO_RULE)
            self.by_fault_always[i] = numbers.get(name, FG_NO_RULE)
        for i, (rule, facts, without, severity, answer, _) in enumerate(rows):
            self._add_row(i, rule, facts, without, severity, answer)
        for i, (rule, low, high, severity, _) in enumerate(codes):
            self.c.codes[i] = fg_code_row(low, high, rule, _SEVERITIES.index(severity))

    cdef int _set_own(self, tuple names) except -1:
        if len(names) > MOST_OWN:
            raise ValueError("more revisions than a table holds")
        self.own_names, self.own = tuple(map(str.encode, names)), [None] * len(names)
        for i, name in enumerate(self.own_names):
            self.own_texts[i].text, self.own_texts[i].size = PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)
        self.o.names, self.o.tables, self.o.protocols = &self.own_texts[0], &self.own_tables[0], &self.own_protocols[0]
        self.o.count = len(names)
        return 0

    cdef int _set_listed(self, tuple names) except -1:
        if len(names) > MOST_LISTED:
            raise ValueError("more revisions than a table holds")
        self.listed = tuple(map(str.encode, names))
        for i, name in enumerate(self.listed):
            self.listed_texts[i].text, self.listed_texts[i].size = PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)
        self.p.listed, self.p.listed_count = &self.listed_texts[0], len(names)
        return 0

    cdef Table own_at(self, uint32_t n):
        """The table of the n-th of these revisions; made when it is first asked for."""
        cdef Table own
        if self.own[n] is None:
            own = self.policy.own_table(n)
            # Another thread may have been here meanwhile, and read lines by its table without a lock: that one stays.
            if self.own[n] is None:
                self.own_tables[n], self.own_protocols[n] = &own.c, own.protocol()
                self.own[n] = own
        return <Table>self.own[n]

    cdef const fg_own* all_own(self) except? NULL:
        for n in range(self.o.count):
            self.own_at(n)
        return &self.o if self.o.count else NULL

    cdef const fg_protocol* protocol(self) noexcept:
        if self.shapes is None:
            return NULL
        return &self.p

    cdef int _add_row(self, int i, rule, facts, without, severity, answer) except -1:
        cdef fg_row* row = &self.c.rows[i]
        row.facts, row.without = _mask(facts), _mask(without)
        row.rule, row.severity, row.answer = rule, _SEVERITIES.index(severity), answer or 0
        row.place = _FACTS[facts[0]]
        # The first fact of a row is the one that a clean frame never has.
        self.c.suspicious |= <uint64_t>1 << row.place
        return 0


cdef object _pointer = None, _hint = None


def set_words(pointer not None, hint not None):
    """How findings get their words: (frame, offset) to a JSON pointer; (rule id, frame, offset) to a hint or None."""
    global _pointer, _hint
    _pointer, _hint = pointer, hint


cdef uint64_t _mask(names) except? 0xFFFFFFFFFFFFFFFF:
    cdef uint64_t mask = 0
    for name in names:
        if name not in _FACTS:
            raise ValueError(f"there is no fact {name!r}")
        mask |= <uint64_t>1 << <int>_FACTS[name]
    return mask


@cython.final
cdef class Finding:
    """One rule that a frame breaks: the first place, and how many there are.

    `rule`: its id. `severity`: error, warning or info. `authority`: who says so, a tuple of mcp, jsonrpc, json, interop, security, limit.
    `offset`, `end`: the bytes concerned, from the start of the frame. `path`: an RFC 6901 pointer to the member concerned, "" for the top
    level. `count`: places in the frame. `message`: one line. `hint`: (id, text) or None. `url`: the text that says so, or None.
    `revisions`: those in which the row that was found holds. `related`: other findings, for rules over several frames.
    """

    cdef readonly str severity
    cdef readonly Py_ssize_t offset, end, count
    cdef readonly frozenset revisions
    cdef readonly tuple related
    cdef readonly object _rule
    cdef readonly bytes _frame
    cdef str _path
    cdef Finding _inner  # the same in a part of the frame, whose pointer is `_prefix`: pointers are made when somebody looks
    cdef str _prefix
    cdef str _missing, _wanted  # the member that is not there; what the text asks for
    cdef readonly str detail

    def __init__(self, rule, str severity not None, Py_ssize_t offset, Py_ssize_t end, Py_ssize_t count, frozenset revisions not None,
                 bytes frame not None, path=None, tuple related=(), detail=None):
        self._rule, self.severity, self.offset, self.end, self.count = rule, severity, offset, end, count
        self.revisions, self._frame, self._path, self.related, self.detail = revisions, frame, path, related, detail

    @property
    def rule(self):
        return self._rule.id

    @property
    def authority(self):
        return self._rule.authority

    @property
    def message(self):
        if self.detail is not None:
            return self.detail
        text = self._rule.message.replace("{offset}", str(self.offset))
        return text.replace("{member}", self._missing or "").replace("{wanted}", self._wanted or "another value")

    @property
    def url(self):
        return self._rule.urls[0] if self._rule.urls else None

    @property
    def path(self):
        if self._path is None:
            if self._inner is not None:
                self._path = self._prefix + self._inner.path
            elif self._rule.path is not None:
                self._path = self._rule.path
            else:
                self._path = _pointer(self._frame, self.offset)
                if self._missing is not None:
                    self._path += "/" + self._missing.replace("~", "~0").replace("/", "~1")
        return self._path

    @property
    def hint(self):
        return _hint(self._rule.id, self._frame, self.offset)

    def moved(self, Py_ssize_t by, bytes frame not None, str prefix not None, count=None, revisions=None):
        """Finding: the same as it stands in a larger frame, `by` bytes further on, below the member that `prefix` points to."""
        cdef Finding f = _finding(self._rule, 0, self.offset + by, self.end + by, self.count if count is None else count,
                                  self.revisions if revisions is None else revisions, frame)
        f.severity, f.related, f.detail = self.severity, self.related, self.detail
        f._missing, f._wanted = self._missing, self._wanted
        f._inner, f._prefix = self, prefix
        return f

    def to_dict(self):
        """dict: the finding as `framegauge check --format json` prints it."""
        hint = self.hint
        return {
            "rule": self.rule, "severity": self.severity, "authority": list(self.authority), "offset": self.offset, "end": self.end,
            "path": self.path, "count": self.count, "message": self.message,
            "hint": None if hint is None else {"id": hint[0], "text": hint[1]}, "url": self.url, "revisions": sorted(self.revisions),
        }

    def __repr__(self):
        return f"<Finding {self.rule} {self.severity} at byte {self.offset}>"


cdef Finding _finding(rule, uint8_t severity, Py_ssize_t offset, Py_ssize_t end, Py_ssize_t count, frozenset revisions, bytes frame):
    cdef Finding f = Finding.__new__(Finding)
    f._rule, f.severity, f.offset, f.end, f.count = rule, _SEVERITIES[severity], offset, end, count
    f.revisions, f._frame, f._path, f.related, f.detail = revisions, frame, None, (), None
    return f


@cython.final
@cython.no_gc
cdef class Verdict:
    """What a gauge says of one frame. Made by Gauge.check; immutable."""

    cdef fg_facts c
    # Neighbours, for the pool: the frame or its parts (bytes), the Table, and None or what the slow way found (see framegauge.gauge).
    cdef PyObject* kept
    cdef PyObject* table
    cdef PyObject* more
    cdef fg_found found
    cdef bint parts
    cdef readonly bint ok
    cdef uint8_t asked  # the number of the method that this response answers; 0: not known

    def __cinit__(self):
        raise TypeError("a Verdict comes from Gauge.check()")

    def __reduce__(self):
        raise TypeError("a Verdict cannot be pickled; pickle the bytes, or what to_dict() gives")

    @property
    def kind(self):
        """Kind: what the frame is."""
        return kind_of(self.c.kind)

    @property
    def frame(self):
        """Frame: the facts."""
        return frame_of(&self.c, <object>self.kept, self.parts)

    @property
    def findings(self):
        """tuple of Finding: every rule that the frame breaks, in the order of their places."""
        if not (self.found.rules[0] | self.found.rules[1]) and <object>self.more is None:
            return ()
        return (<Table><object>self.table).policy.findings(self)

    @property
    def revision(self):
        """str: the revision it was judged under; "auto" where the frame does not tell."""
        return (<Table><object>self.table).policy.revision_of(self)

    @property
    def respond(self):
        """bool: may or must the receiver send a JSON-RPC message because of this frame?"""
        if self._is_special():
            return (<Table><object>self.table).policy.answer(self)[0]
        return _owed(self, <Table><object>self.table).respond

    @property
    def reply(self):
        """Reply or None: the error answer that is owed."""
        cdef Table t = <Table><object>self.table
        cdef Owed owed
        if self._is_special():
            return t.policy.answer(self)[1]
        owed = _owed(self, t)
        return _reply(self, t, owed) if owed.code else None

    @property
    def status(self):
        """int or None: the HTTP status owed, also where no body is."""
        cdef Table t = <Table><object>self.table
        if not t.http:
            return None
        if not self._is_special():
            return t.policy.status(self, _owed(self, t).code)
        reply = t.policy.answer(self)[1]
        return t.policy.status(self, 0 if reply is None else reply.code)

    @property
    def items(self):
        """tuple of Verdict: those of a judged batch's elements."""
        return () if <object>self.more is None else (<object>self.more).items

    @property
    def not_judged(self):
        """frozenset of str: the rules that this record cannot show."""
        return frozenset() if <object>self.more is None else (<object>self.more).not_judged

    def to_dict(self):
        """dict: JSON-ready, the object that `framegauge check --format json` prints."""
        return (<Table><object>self.table).policy.to_dict(self)

    # What framegauge.gauge asks of a verdict; not for users.
    @property
    def _more(self):
        return <object>self.more

    @property
    def _asked(self):
        """int: the number of the method that this response answers; 0: not known."""
        return self.asked

    @property
    def _unsettled(self):
        """bool: are there values that only Python can judge?"""
        return self.found.rules[FG_LOOK >> 6] >> (FG_LOOK & 63) & 1 != 0

    @property
    def _table(self):
        return <object>self.table

    @property
    def _facts(self):
        return self.c.bits

    @property
    def _raw_id(self):
        """bytes or None: the raw id, where there is exactly one."""
        if self.c.envelope[FG_ID].count != 1:
            return None
        return envelope_bytes(&self.c, <object>self.kept, self.parts, FG_ID)

    @property
    def _whole(self):
        """bytes: the whole frame; only where there is something to say about it."""
        return None if self.parts else <object>self.kept

    @property
    def _fault_rule(self):
        """str or None: the rule that says why the frame was not read to its end."""
        if self.c.fault == 0:
            return None
        if <object>self.more is not None and (<object>self.more).fault_rule is not None:
            return (<object>self.more).fault_rule
        return FAULT_NAMES[self.c.fault]

    cdef bint _is_special(self) noexcept:
        """Batches, blank frames and replaced faults are answered in Python."""
        return self.c.kind == FG_BATCH or self.c.kind == FG_EMPTY or (
            self.c.fault and <object>self.more is not None and (<object>self.more).fault_rule is not None
        )

    def _native_findings(self):
        """list of Finding: those of the compiled rows, each rule once, with the most severe of its rows."""
        return _findings_of(self)

    def __repr__(self):
        names = list(map(attrgetter("rule"), self.findings))
        return f"<Verdict {self.kind.value} {'ok' if self.ok else 'not ok'} {names}>"


@cython.final
cdef class Reply:
    """One JSON-RPC error answer; of a batch answered per element the first, with all of them in `items`.

    `code`: of the error. `id`: the request's id exactly as sent, or None where none could be read. `message`: the error's text. `data`:
    JSON-ready, names the rule that decided. `status`: the HTTP status that goes with it, or None where the text names none or the
    transport is not HTTP.
    """

    cdef readonly int code
    cdef readonly bytes id
    cdef readonly object status
    cdef readonly tuple items
    cdef bytes _no_id, _error
    cdef str _rule
    cdef dict _more  # of the error's data; None: nothing

    def __init__(self, int code, bytes id, str rule not None, bytes error not None, bytes no_id not None, status, tuple items=()):
        self.code, self.id, self._rule, self._error, self._no_id = code, id, rule, error, no_id
        self.status, self.items = status, items

    @property
    def message(self):
        return MESSAGES[self.code]

    @property
    def data(self):
        return {"rule": self._rule, **(self._more or {})}

    def body(self):
        """bytes: the answer, compact ASCII JSON with the id byte for byte; of a batch an array."""
        if self.items:
            return b"[" + b",".join(map(Reply.body, self.items)) + b"]"
        if self.id is None:
            return _joined(b'{"jsonrpc":"2.0",', self._no_id, b'"error":', self._error, b"}")
        return _joined(b'{"jsonrpc":"2.0","id":', self.id, b',"error":', self._error, b"}")

    def with_items(self, tuple items not None, status):
        """Reply: the same, for a batch."""
        return Reply(self.code, self.id, self._rule, self._error, self._no_id, status, items)  # nothing more: a batch is of old revisions

    def __repr__(self):
        return f"<Reply {self.code} id={self.id!r} {self._rule}>"


cdef inline char* _put(char* at, bytes text) noexcept:
    memcpy(at, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
    return at + PyBytes_GET_SIZE(text)


cdef bytes _joined(bytes a, bytes b, bytes c, bytes d, bytes e):
    """Five in one. By hand, since formatting takes longer than judging a frame does."""
    cdef bytes whole = PyBytes_FromStringAndSize(
        NULL, PyBytes_GET_SIZE(a) + PyBytes_GET_SIZE(b) + PyBytes_GET_SIZE(c) + PyBytes_GET_SIZE(d) + PyBytes_GET_SIZE(e)
    )
    _put(_put(_put(_put(_put(PyBytes_AS_STRING(whole), a), b), c), d), e)
    return whole


MESSAGES = {-32700: "Parse error", -32600: "Invalid Request", -32601: "Method not found", -32602: "Invalid params",
            -32022: "Unsupported protocol version"}

cdef struct Owed:
    bint respond
    int32_t code  # 0: no error answer
    int rule
    bint echo     # the id can be echoed


cdef inline uint64_t _bit(str name) except? 0:
    return <uint64_t>1 << <int>_FACTS[name]

cdef uint64_t NO_METHOD_TEXT = _bit("method-absent") | _bit("method-type")
cdef uint64_t NO_ANSWER = _bit("result-absent") | _bit("error-absent")
cdef uint64_t NO_ID = _bit("id-absent")
cdef uint64_t SCALAR = _bit("top-scalar")


cdef Owed _owed(Verdict v, Table t) noexcept:
    """The answer owed because of one message: docs/verdict.md section 3, row by row."""
    cdef Owed owed = Owed(False, 0, 0, False)
    cdef uint64_t bits = v.c.bits
    cdef bint called = not (bits & NO_METHOD_TEXT)
    owed.echo = v.c.envelope[FG_ID].count == 1 and not (bits & t.unreadable) and v.c.kind != FG_PARSE_ERROR
    if not t.from_client:
        if t.client_replies and v.c.kind == FG_REQUEST and not v.c.fault and not _decide(v, t, -32600, &owed):
            owed.respond = True
            _decide_later(v, t, &owed)
        else:
            owed.code = 0
        return owed
    if v.c.fault:
        owed.respond, owed.rule = True, t.by_fault_always[v.c.fault]
        owed.code = -32700 if v.c.kind == FG_PARSE_ERROR else -32600
        return owed
    if (bits & NO_ANSWER) != NO_ANSWER and not (called and owed.echo) and not (bits & SCALAR):
        return owed
    if called and bits & NO_ID:
        return owed
    owed.respond = _decide(v, t, -32600, &owed) or _decide_later(v, t, &owed) or v.c.kind == FG_REQUEST
    return owed


cdef bint _decide(Verdict v, Table t, int32_t code, Owed* owed) noexcept:
    """Is there an error whose answer is that code? The one with the lowest rule number decides."""
    cdef int i
    for i in range(<int>t.c.row_count):  # rows stand in the order of their rules
        if t.c.rows[i].answer == code and t.c.rows[i].severity == ERROR and _holds(&t.c.rows[i], v.c.bits):
            owed.code, owed.rule = code, t.c.rows[i].rule
            return True
    if t.shapes is not None:
        for i in range(128):
            if t.answers[i] == code and v.found.errors[i >> 6] >> (i & 63) & 1:
                owed.code, owed.rule = code, i
                return True
    return False


cdef bint _decide_later(Verdict v, Table t, Owed* owed) noexcept:
    """The checks behind the envelope's: what _meta has to hold, the version, is the method known, the params."""
    if v.found.errors[0] & t.meta[0] | v.found.errors[1] & t.meta[1]:
        return _decide(v, t, -32602, owed)
    return _decide(v, t, _UNSUPPORTED_VERSION, owed) or _decide(v, t, -32601, owed) or _decide(v, t, -32602, owed)


cdef Reply _reply(Verdict v, Table t, Owed owed):
    cdef Reply reply = Reply.__new__(Reply)
    reply.code, reply._no_id, reply.items = owed.code, t.no_id, ()
    reply.status = t.policy.status(v, owed.code) if t.http else None
    reply.id = envelope_bytes(&v.c, <object>v.kept, v.parts, FG_ID) if owed.echo else None
    reply._rule = t.rules[owed.rule].id
    if owed.code == _UNSUPPORTED_VERSION:
        reply._more = t.policy.versions(v)
        reply._error = t.policy.error(owed.code, reply._rule, reply._more)
        return reply
    cdef Py_ssize_t at = _CODES * owed.rule + (0 if owed.code == -32700 else -32599 - owed.code)
    reply._error = <bytes>t.errors[at]
    if reply._error is None:
        reply._error = t.errors[at] = t.policy.error(owed.code, reply._rule)
    return reply


cdef inline bint _holds(const fg_row* row, uint64_t bits) noexcept:
    return (bits & row.facts) == row.facts and not (bits & row.without)


cdef list _findings_of(Verdict v):
    cdef Table t = <Table><object>v.table
    cdef fg_place[64] places
    cdef bytes frame = <bytes>v.kept
    cdef list found = []
    cdef int8_t[128] at  # of each rule in the list, from 1; 0: not yet
    cdef int i
    cdef fg_row* row
    cdef fg_limits unlimited = fg_limits(FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT)
    if v.c.fault:
        if t.c.by_fault[v.c.fault] == FG_NO_RULE:
            return []
        rule = t.rules[t.by_fault_always[v.c.fault]]
        end = v.c.fault_offset + 1 if v.c.fault_offset < v.c.size else v.c.fault_offset
        return [_finding(rule, ERROR, v.c.fault_offset, end, 1, t.policy.fault_revisions, frame)]
    memset(at, 0, sizeof(at))
    places_of(<const uint8_t*>PyBytes_AS_STRING(frame), PyBytes_GET_SIZE(frame), &unlimited, places)
    for i in range(<int>t.c.row_count):
        row = &t.c.rows[i]
        if not _holds(row, v.c.bits):
            continue
        _merge(found, &at[row.rule], t.rules[row.rule], row.severity, &places[row.place], t.row_revisions[i], frame)
    if v.c.has_error_code:
        for i in range(<int>t.c.code_count):
            if t.c.codes[i].low <= v.c.error_code <= t.c.codes[i].high:
                _merge(found, &at[t.c.codes[i].rule], t.rules[t.c.codes[i].rule], t.c.codes[i].severity, &places[_CODE_PLACE],
                       t.code_revisions[i], frame)
    if t.shapes is not None:
        _add_shape_findings(v, t, frame, found)
    return found


cdef int _add_shape_findings(Verdict v, Table t, bytes frame, list found) except -1:
    cdef fg_shape_place[128] places
    cdef fg_found marks
    cdef int i
    memset(places, 0, sizeof(places))
    memset(&marks, 0, sizeof(marks))
    judge_again(&t.p, <const uint8_t*>PyBytes_AS_STRING(frame), PyBytes_GET_SIZE(frame), &v.c, v.asked, &marks, places)
    for i in range(FG_LOOK):
        if places[i].count:
            # One rule may be broken in the envelope too.
            for known in found:
                if (<Finding>known)._rule is t.rules[i]:
                    (<Finding>known).count += places[i].count
                    if places[i].offset < (<Finding>known).offset:
                        (<Finding>known).offset, (<Finding>known).end = places[i].offset, places[i].end
                    break
            else:
                found.append(_shape_finding(t, i, &places[i], frame))
    return 0


cdef Finding _shape_finding(Table t, int rule, const fg_shape_place* place, bytes frame):
    cdef Finding finding = _finding(t.rules[rule], ERROR if place.error else _SEVERITIES.index(t.rules[rule].milder), place.offset, place.end,
                                    place.count, t.policy.revisions.intersection(t.rules[rule].severities()), frame)
    if place.member != FG_NOTHING:
        finding._missing = t.shapes.texts[place.member].decode()
        if place.spec in t.shapes.choices:
            finding.detail = f"one of {t.shapes.choices[place.spec]} must be there, and none is"
    if place.spec != FG_NOTHING:
        finding._wanted = t.shapes.wanted[place.spec]
    return finding


def in_order(found):
    """tuple of Finding: those, by offset and rule."""
    cdef list ordered = list(found)
    if len(ordered) > 64:  # only users' rules find so many
        return tuple(sorted(ordered, key=lambda finding: (finding.offset, finding.rule)))
    cdef Finding one, other
    cdef Py_ssize_t i, at
    for i in range(1, len(ordered)):
        one = <Finding?>ordered[i]
        at = i
        while at > 0:
            other = <Finding?>ordered[at - 1]
            if other.offset < one.offset or (other.offset == one.offset and other._rule.id <= one._rule.id):
                break
            ordered[at] = other
            at -= 1
        ordered[at] = one
    return tuple(ordered)


cdef int _merge(list found, int8_t* at, rule, uint8_t severity, const fg_place* place, frozenset revisions, bytes frame) except -1:
    """A rule is listed once: the most severe of its rows, and of rows as severe the first place and all of them counted."""
    cdef Finding known
    if not at[0]:
        at[0] = <int8_t>(len(found) + 1)
        found.append(_finding(rule, severity, place.offset, place.end, place.count, revisions, frame))
        return 0
    known = <Finding>found[at[0] - 1]
    if _SEVERITIES.index(known.severity) > severity:
        found[at[0] - 1] = _finding(rule, severity, place.offset, place.end, max(known.count, place.count), revisions | known.revisions, frame)
    elif _SEVERITIES.index(known.severity) < severity:
        # The milder row sees the places of the severe one too.
        known.count = max(known.count, place.count)
        known.revisions = known.revisions | revisions
    elif _SEVERITIES.index(known.severity) == severity:
        known.count += place.count
        known.revisions = known.revisions | revisions
        if place.offset < known.offset:
            known.offset, known.end = place.offset, place.end
    return 0


cdef void _run(Verdict v, Table t) noexcept:
    """Which rules the rows find; sets `found` and `ok`."""
    run_table(&t.c, &v.c, &v.found)
    v.ok = not (v.found.errors[0] | v.found.errors[1])


cdef inline void _judge_now(Verdict v, Table t, const uint8_t* data, Py_ssize_t size) noexcept:
    """What MCP says of a frame that was scanned just now."""
    judge_frame(&t.p, data, size, &v.c, &v.found)
    v.ok = not (v.found.errors[0] | v.found.errors[1])


cdef int _judge_scanned(Verdict v, Table t, const uint8_t* data, Py_ssize_t size) except -1:
    """Judges a frame that was scanned just now, by the revision that it names itself where t leaves that to it."""
    cdef uint32_t n
    cdef Table own
    if t.o.count:
        n = own_revision(&t.o, data, &v.c)
        if n < t.o.count:
            own = t.own_at(n)  # may be made now, by Python, which may have this thread scan another frame
            _set_table(v, own)
            if _unusual(v, own):
                _run(v, own)
            if own.shapes is not None:
                judge_again(&own.p, data, size, &v.c, 0, &v.found, NULL)
                v.ok = not (v.found.errors[0] | v.found.errors[1])
            return 0
    if _unusual(v, t):
        _run(v, t)
    if t.shapes is not None:
        _judge_now(v, t, data, size)
    return 0


cdef inline void _set_table(Verdict v, Table t) noexcept:
    cdef PyObject* old = v.table
    Py_INCREF(t)
    v.table = <PyObject*>t
    Py_XDECREF(old)


cdef int _judge_later(Verdict v, Table t, uint32_t asked) except -1:
    """The same for a verdict that exists already."""
    cdef bytes frame
    if t.shapes is None or v.parts:
        return 0
    frame = <bytes>v.kept
    judge_again(&t.p, <const uint8_t*>PyBytes_AS_STRING(frame), PyBytes_GET_SIZE(frame), &v.c, asked, &v.found, NULL)
    v.ok = not (v.found.errors[0] | v.found.errors[1])
    return 0


cdef inline Verdict _new_verdict(Table table):
    cdef PyObject* o = fg_new_object(Verdict)
    cdef Verdict v = <Verdict>o
    Py_XDECREF(o)  # the reference that fg_new_object made; `v` holds its own
    v.kept = NULL
    v.parts = False
    v.asked = 0
    Py_INCREF(table)
    v.table = <PyObject*>table
    Py_INCREF(None)
    v.more = <PyObject*>None
    memset(&v.found, 0, sizeof(fg_found))
    v.ok = True
    return v


cdef inline void _keep(Verdict v, bytes data) noexcept:
    Py_INCREF(data)
    v.kept = <PyObject*>data


cdef class Checker:
    """The native half of framegauge.Gauge: a table for the usual call, and a way out to Python for what is not usual."""

    cdef Table _usual
    cdef Limits _limits
    # Where set, every frame goes through `_judge`: the gauge has users' rules, or a mark to skip.
    cdef bint _always_slow

    def _set_up(self, Table usual not None, Limits limits not None, bint always_slow):
        self._usual, self._limits, self._always_slow = usual, limits, always_slow

    def _judge(self, Verdict verdict, data, dict call):
        """For what is not clean, or not a usual call; framegauge.Gauge says how."""
        raise NotImplementedError

    def check(self, data not None, headers=None, direction=None, revision=None, request_method=None, status=None, tool_schema=None,
              fidelity="bytes"):
        """The verdict on one frame.

        `data`: the bytes of one transport unit, any contiguous buffer; read in place. `headers`: a mapping or pairs, of the HTTP message that
        carried it. `direction`, `revision`: instead of the gauge's own, for this frame. `request_method`: of the request that a response
        answers. `status`: of the HTTP response. `fidelity`: what the record kept: bytes, text, tokens, value. Returns a Verdict, also for the
        worst input. Raises TypeError for what is no contiguous buffer and for a request_method that is no str, ValueError for an unknown
        direction, revision or fidelity. Linear in the bytes; may be called from any thread without a lock.
        """
        cdef Table t = self._usual
        if t is None:
            raise RuntimeError("Gauge.__init__() was not called; a subclass must call it")
        cdef Verdict v = _new_verdict(t)
        cdef bint usual = (headers is None and direction is None and revision is None and fidelity == "bytes"
                           and request_method is None)
        if PyBytes_CheckExact(data):
            _keep(v, data)
            scan(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &self._limits.c, &v.c)
            _judge_scanned(v, t, <const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
        else:
            # Whatever may still be asked for findings needs all of it.
            _scan_buffer(v, data, t, &self._limits.c, not usual or self._always_slow or t.lines)
        if not usual:
            return self._judge(v, data, {"headers": headers, "direction": direction, "revision": revision, "fidelity": fidelity,
                                         "request_method": request_method})
        if self._always_slow or _needs_python(v, <Table><object>v.table):
            return self._judge(v, data, None)
        return v

    def _own(self, Verdict v not None, bytes frame not None, Table t not None):
        """Table: that of the revision that the frame names itself, where t may ask for another; else t."""
        cdef uint32_t n = own_revision(&t.o, <const uint8_t*>PyBytes_AS_STRING(frame), &v.c) if t.o.count else 0
        return t.own_at(n) if n < t.o.count else t

    def _run(self, Verdict v not None, Table t not None, uint32_t asked=0):
        """Judges by that table, natively. `asked`: the number of the method that a response answers."""
        _set_table(v, t)
        v.asked = asked
        _run(v, t)
        _judge_later(v, t, asked)

    def _set_more(self, Verdict v not None, more, bint ok):
        """Attaches what the slow way found."""
        Py_INCREF(more)
        cdef PyObject* old = v.more
        v.more = <PyObject*>more
        Py_XDECREF(old)
        v.ok = ok

    def _add_errors(self, Verdict v not None, numbers):
        """Notes rules that were found as errors in Python: they may decide on the answer."""
        for number in numbers:
            v.found.errors[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)

    def _fresh(self, bytes data not None, Table t not None):
        """The verdict on an element of a batch by that table alone; the limits held for the whole."""
        cdef Verdict v = _new_verdict(t)
        cdef fg_limits unlimited = fg_limits(FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT)
        _keep(v, data)
        scan(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &unlimited, &v.c)
        _run(v, t)
        _judge_later(v, t, 0)
        return v

    def _again(self, Verdict v not None, bytes data not None):
        """The verdict's facts, of other bytes than were given first."""
        Py_XDECREF(v.kept)
        v.kept = NULL
        _keep(v, data)
        scan(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &self._limits.c, &v.c)


cdef inline bint _needs_python(Verdict v, Table t) noexcept:
    """Batches and blank frames; what a line rule may change; notifications that nobody knows; values that no shape describes."""
    if v.found.rules[FG_LOOK >> 6] >> (FG_LOOK & 63) & 1:
        return True
    if v.c.kind == FG_NOTIFICATION and t.shapes is not None and v.found.rules[t.p.unknown_method >> 6] >> (t.p.unknown_method & 63) & 1:
        return True
    return v.c.kind == FG_BATCH or v.c.kind == FG_EMPTY or (t.lines and v.c.fault)


cdef inline bint _unusual(Verdict v, Table t) noexcept:
    return v.c.fault != 0 or v.c.bits & t.c.suspicious or v.c.has_error_code or v.c.kind <= FG_BATCH


cdef int _scan_buffer(Verdict v, data, Table t, const fg_limits* limits, bint whole) except -1:
    cdef Py_buffer view
    if not PyObject_CheckBuffer(data):
        raise TypeError(f"a frame is bytes or another contiguous buffer, not {type(data).__name__}")
    try:
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    except BufferError as error:
        raise TypeError("a frame must be one contiguous buffer; copy a strided view with bytes() first") from error
    try:
        scan(<const uint8_t*>view.buf, view.len, limits, &v.c)
        _judge_scanned(v, t, <const uint8_t*>view.buf, view.len)
        # A frame with something to say about it is kept whole.
        v.parts = not whole and not _unusual(v, t) and not (v.found.rules[0] | v.found.rules[1])
        _keep(v, kept_parts(&v.c, <const char*>view.buf) if v.parts else whole_copy(&v.c, <const char*>view.buf, view.len))
    finally:
        PyBuffer_Release(&view)
    return 0


cdef int _use_pool() except -1:
    cdef Verdict v = _new_verdict(Table((), [], [], {}, None, (), False))
    _keep(v, b"")
    fg_use_pool(Verdict, <char*>&v.kept - <char*><PyObject*>v, 3)
    return 0


_use_pool()
