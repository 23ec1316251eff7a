# cython: binding=False
"""The answer that a frame is owed, and its bytes."""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from framegauge.native.core cimport *
from framegauge.native.program cimport Step, Table, fact_bit, holds

cdef dict _texts = {}


cdef void send_texts(dict texts) noexcept:
    """`texts`: by code, the message of its error."""
    global _texts
    _texts = texts


@cython.final
cdef class Reply:
    """One JSON-RPC error answer; of a batch answered per element the first, with all of them in `items`.

    `code`: of the error. `id`: the request's id exactly as sent, or None where none could be read. `message`: the error's text. `data`:
    JSON-ready, names the rule that decided. `status`: the HTTP status that goes with it, or None where the text names none or the
    transport is not HTTP.
    """

    def __init__(self, int code, bytes id, str rule not None, bytes error not None, bytes no_id not None, status, tuple items=()):
        self.code, self.id, self._rule, self._error, self._no_id = code, id, rule, error, no_id
        self.status, self.items = status, items

    @property
    def message(self):
        return _texts[self.code]

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


def error_member(int code, str rule not None, dict more=None):
    """bytes: the error member of an answer. `more`: of its data."""
    error = {"code": code, "message": _texts[code], "data": {"rule": rule, **(more or {})}}
    from json import dumps  # on demand, as few frames are answered here

    return dumps(error, separators=(",", ":")).encode("ascii")


cdef uint64_t NO_METHOD_TEXT = fact_bit("method-absent") | fact_bit("method-type")
cdef uint64_t NO_ANSWER = fact_bit("result-absent") | fact_bit("error-absent")
cdef uint64_t NO_ID = fact_bit("id-absent")
cdef uint64_t SCALAR = fact_bit("top-scalar")


cdef Owed owed_for(const fg_facts* facts, const fg_found* found, Table t) noexcept:
    """The answer owed because of one message: docs/verdict.md section 3, row by row."""
    cdef Owed owed = Owed(False, 0, 0, False)
    cdef uint64_t bits = facts.bits
    cdef bint called = not (bits & NO_METHOD_TEXT)
    cdef const Step* step
    owed.echo = facts.envelope[FG_ID].count == 1 and not (bits & t.unreadable) and facts.kind != FG_PARSE_ERROR
    if not t.from_client:
        if not t.client_replies or facts.kind != FG_REQUEST or facts.fault:
            return owed
        step = _deciding(facts, found, t, &owed.rule)
        if step == NULL or not step.envelope:
            owed.respond, owed.code = True, 0 if step == NULL else step.code
        return owed
    if facts.fault:
        owed.respond, owed.rule = True, t.by_fault_always[facts.fault]
        owed.code = t.fault_codes[0 if facts.kind == FG_PARSE_ERROR else 1]
        return owed
    if (bits & NO_ANSWER) != NO_ANSWER and not (called and owed.echo) and not (bits & SCALAR):
        return owed
    if called and bits & NO_ID:
        return owed
    step = _deciding(facts, found, t, &owed.rule)
    owed.respond = step != NULL or facts.kind == FG_REQUEST
    owed.code = 0 if step == NULL else step.code
    return owed


cdef const Step* _deciding(const fg_facts* facts, const fg_found* found, Table t, int* rule) noexcept:
    """The first place in the order of answers whose code an error asks for, and the rule of that error; NULL where there is none."""
    cdef int i
    cdef const Step* step
    for i in range(t.step_count):
        step = &t.steps[i]
        if step.after[0] | step.after[1] and not (found.errors[0] & step.after[0] | found.errors[1] & step.after[1]):
            continue
        if _asks(step, facts, found, t, rule):
            return step
    return NULL


cdef bint _asks(const Step* step, const fg_facts* facts, const fg_found* found, Table t, int* rule) noexcept:
    """Is there an error that asks for this code? The one with the lowest rule number decides, rows before rules on values."""
    cdef int i
    for i in range(<int>t.c.row_count):  # in the order of their rules
        if step.rows[i >> 6] >> (i & 63) & 1 and holds(&t.c.rows[i], facts.bits):
            rule[0] = t.c.rows[i].rule
            return True
    if t.shapes is not None and (step.values[0] & found.errors[0] | step.values[1] & found.errors[1]):
        for i in range(128):
            if step.values[i >> 6] & found.errors[i >> 6] & <uint64_t>1 << (i & 63):
                rule[0] = i
                return True
    return False


cdef Reply reply_of(Table t, Owed owed, bytes id, status, dict more):
    """`id`: as sent, None where it cannot be echoed. `more`: what the error's data holds beside the rule, or None."""
    cdef Reply reply = Reply.__new__(Reply)
    reply.code, reply._no_id, reply.items = owed.code, t.no_id, ()
    reply.id, reply.status, reply._more = id, status, more
    reply._rule = t.rules[owed.rule].id
    if more is not None:
        reply._error = error_member(owed.code, reply._rule, more)
        return reply
    cdef object key = <int64_t>owed.code * FG_ROWS + owed.rule
    reply._error = t.errors.get(key)
    if reply._error is None:
        reply._error = t.errors[key] = error_member(owed.code, reply._rule)
    return reply
