# cython: binding=False
"""The answer that a frame is owed, and its bytes."""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from framegauge.native.core cimport *
from framegauge.native.program cimport ERROR, Table, fact_bit, holds

cdef int _UNSUPPORTED_VERSION = -32022


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


def error_member(int code, str rule not None, dict more=None):
    """bytes: the error member of an answer. `more`: of its data."""
    error = {"code": code, "message": MESSAGES[code], "data": {"rule": rule, **(more or {})}}
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
    owed.echo = facts.envelope[FG_ID].count == 1 and not (bits & t.unreadable) and facts.kind != FG_PARSE_ERROR
    if not t.from_client:
        if t.client_replies and facts.kind == FG_REQUEST and not facts.fault and not _decide(facts, found, t, -32600, &owed):
            owed.respond = True
            _decide_later(facts, found, t, &owed)
        else:
            owed.code = 0
        return owed
    if facts.fault:
        owed.respond, owed.rule = True, t.by_fault_always[facts.fault]
        owed.code = -32700 if facts.kind == FG_PARSE_ERROR else -32600
        return owed
    if (bits & NO_ANSWER) != NO_ANSWER and not (called and owed.echo) and not (bits & SCALAR):
        return owed
    if called and bits & NO_ID:
        return owed
    owed.respond = _decide(facts, found, t, -32600, &owed) or _decide_later(facts, found, t, &owed) or facts.kind == FG_REQUEST
    return owed


cdef bint _decide(const fg_facts* facts, const fg_found* found, Table t, int32_t code, Owed* owed) noexcept:
    """Is there an error whose answer is that code? The one with the lowest rule number decides."""
    cdef int i
    for i in range(<int>t.c.row_count):  # rows stand in the order of their rules
        if t.c.rows[i].answer == code and t.c.rows[i].severity == ERROR and holds(&t.c.rows[i], facts.bits):
            owed.code, owed.rule = code, t.c.rows[i].rule
            return True
    if t.shapes is not None:
        for i in range(128):
            if t.answers[i] == code and found.errors[i >> 6] >> (i & 63) & 1:
                owed.code, owed.rule = code, i
                return True
    return False


cdef bint _decide_later(const fg_facts* facts, const fg_found* found, Table t, Owed* owed) noexcept:
    """The checks behind the envelope's: what _meta has to hold, the version, is the method known, the params."""
    if found.errors[0] & t.meta[0] | found.errors[1] & t.meta[1]:
        return _decide(facts, found, t, -32602, owed)
    return _decide(facts, found, t, _UNSUPPORTED_VERSION, owed) or _decide(facts, found, t, -32601, owed) or _decide(facts, found, t, -32602, owed)


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
