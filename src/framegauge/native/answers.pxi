# Included by judge.pyx: the answer owed, and its bytes.


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


def error_member(int code, str rule not None, dict more=None):
    """bytes: the error member of an answer. `more`: of its data."""
    error = {"code": code, "message": MESSAGES[code], "data": {"rule": rule, **(more or {})}}
    return json.dumps(error, separators=(",", ":")).encode("ascii")


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
    reply.status = _status(v, t.context, owed.code) if t.http else None
    reply.id = envelope_bytes(&v.c, <object>v.kept, v.parts, FG_ID) if owed.echo else None
    reply._rule = t.rules[owed.rule].id
    if owed.code == _UNSUPPORTED_VERSION:
        reply._more = _unsupported(v, t.context)
        reply._error = error_member(owed.code, reply._rule, reply._more)
        return reply
    cdef Py_ssize_t at = _CODES * owed.rule + (0 if owed.code == -32700 else -32599 - owed.code)
    reply._error = <bytes>t.errors[at]
    if reply._error is None:
        reply._error = t.errors[at] = error_member(owed.code, reply._rule)
    return reply
