# cython: binding=False
"""Facts to verdicts: compiled rows, run natively. Rules are in framegauge.ruleset; no rule is known by name here."""
from operator import attrgetter

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memset

from framegauge.native.core cimport *
from framegauge.native.finding cimport explain_by, findings_of
from framegauge.native.finding import in_order
from framegauge.native.program cimport Table, make_tables_by
from framegauge.native.reply cimport Owed, Reply, owed_for, reply_of, send_texts
from framegauge.native.tokenizer cimport (
    Limits, envelope_bytes, frame_of, judge_again, judge_frame, kept_parts, kind_of, own_revision, run_table, scan, whole_copy,
)
from framegauge.native.tokenizer import FAULT_NAMES, METHOD_NAMES

cdef extern from "object_pool.h":
    PyObject* fg_new_object(type cls) except NULL
    void fg_use_pool(type cls, Py_ssize_t offset, int references)

# What is made in Python, on demand: `bind` sets each once.
cdef object _answer = None, _status = None, _to_dict = None
cdef dict _error_data = {}


def bind(*, claimed_table not None, answer not None, status not None, texts not None, error_data not None, to_dict not None, pointer not None, hint not None):
    """Sets the functions that the engine is completed by.

    `claimed_table`: (context, number of an MCP revision) to its Table. `answer`: (verdict, context) to the answer to a batch or a blank
    frame. `status`: (verdict, context, code) to an HTTP status. `texts`: by code, the message of an error answer. `error_data`: by code,
    (verdict, context) to what the error's data holds beside the rule. `to_dict`: (verdict, context) to its JSON form. `pointer`: (frame,
    offset) to a JSON pointer. `hint`: (rule id, frame, offset) to an id and a text, or None.
    """
    global _answer, _status, _error_data, _to_dict
    _answer, _status, _error_data, _to_dict = answer, status, dict(error_data), to_dict
    send_texts(dict(texts))
    make_tables_by(claimed_table)
    explain_by(pointer, hint)


@cython.final
@cython.no_gc
cdef class Verdict:
    """The verdict of a gauge on one frame. Made by Gauge.check; immutable."""

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
        more = <object>self.more
        if more is not None and more.findings is not None:
            return in_order(more.findings)
        if not (self.found.rules[0] | self.found.rules[1]):
            return ()
        return in_order(self._native_findings())

    @property
    def revision(self):
        """str: the revision it was judged under; "auto" if the frame claims none."""
        return (<Table><object>self.table).context.revision

    @property
    def respond(self):
        """bool: may or must the receiver send a JSON-RPC message because of this frame?"""
        if self._is_special():
            return _answer(self, (<Table><object>self.table).context)[0]
        return owed_for(&self.c, &self.found, <Table><object>self.table).respond

    @property
    def reply(self):
        """Reply or None: the error answer that is owed."""
        cdef Table t = <Table><object>self.table
        cdef Owed owed
        if self._is_special():
            return _answer(self, t.context)[1]
        owed = owed_for(&self.c, &self.found, t)
        if not owed.code:
            return None
        data_of = _error_data.get(owed.code)
        more = None if data_of is None else data_of(self, t.context)
        id = envelope_bytes(&self.c, <object>self.kept, self.parts, FG_ID) if owed.echo else None
        return reply_of(t, owed, id, _status(self, t.context, owed.code) if t.http else None, more)

    @property
    def status(self):
        """int or None: the HTTP status owed, also where no body is."""
        cdef Table t = <Table><object>self.table
        if not t.http:
            return None
        if not self._is_special():
            return _status(self, t.context, owed_for(&self.c, &self.found, t).code)
        reply = _answer(self, t.context)[1]
        return _status(self, t.context, 0 if reply is None else reply.code)

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
        return _to_dict(self, (<Table><object>self.table).context)

    # What framegauge.gauge asks of a verdict; not for users.
    @property
    def _more(self):
        return <object>self.more

    @property
    def _context(self):
        """framegauge.gauge.context.Context: what it was judged by."""
        return (<Table><object>self.table).context

    @property
    def _asked(self):
        """int: the number of the method that this response answers; 0: not known."""
        return self.asked

    @property
    def _unsettled(self):
        """bool: are there values that only Python can judge?"""
        return self.found.rules[FG_LOOK >> 6] >> (FG_LOOK & 63) & 1 != 0

    @property
    def _whole(self):
        """bytes: the whole frame; only if it has a finding."""
        return None if self.parts else <object>self.kept

    @property
    def _fault_rule(self):
        """str or None: the rule of the fault that stopped the reading."""
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
        return findings_of(<Table><object>self.table, &self.c, self.asked, <bytes>self.kept)

    def __repr__(self):
        names = list(map(attrgetter("rule"), self.findings))
        return f"<Verdict {self.kind.value} {'ok' if self.ok else 'not ok'} {names}>"


cdef void _run(Verdict v, Table t) noexcept:
    """Which rules the rows find; sets `found` and `ok`."""
    run_table(&t.c, &v.c, &v.found)
    v.ok = not (v.found.errors[0] | v.found.errors[1])


cdef inline void _judge_now(Verdict v, Table t, const uint8_t* data, Py_ssize_t size) noexcept:
    """Runs the program of methods and values over a frame that was scanned just now."""
    judge_frame(&t.p, data, size, &v.c, v.asked, &v.found)
    v.ok = not (v.found.errors[0] | v.found.errors[1])


cdef int _judge_scanned(Verdict v, Table t, const uint8_t* data, Py_ssize_t size) except -1:
    """Judges a frame that was scanned just now, by the revision that it names itself where t leaves that to it."""
    cdef uint32_t n
    cdef Table own
    if t.o.count:
        n = own_revision(&t.o, data, &v.c)
        if n < t.o.count:
            own = <Table>t.own[n]
            if own is None:  # made now, by Python, which may have this thread scan another frame
                own = t.own_at(n)
            _set_table(v, own)
            if _unusual(v, own):
                _run(v, own)
            if own.shapes is not None:
                judge_again(&own.p, data, size, &v.c, v.asked, &v.found, NULL)
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


@cython.final
cdef class Subscription:
    """The frames that one rule of the host is called for.

    `rule`: the rule. `kinds`: numbers of kinds. `methods`: names, or None for all and for responses. ValueError for a kind that does not
    exist.
    """

    cdef readonly object rule
    cdef uint8_t kinds  # a bit for each
    cdef frozenset methods
    cdef tuple texts

    def __init__(self, rule, kinds, frozenset methods):
        self.rule, self.kinds, self.methods = rule, 0, methods
        cdef list texts = []
        for name in methods or ():
            texts.append(name.encode("utf-8", "surrogatepass"))
        self.texts = tuple(texts)
        for kind in kinds:
            if not 0 <= kind < 8:
                raise ValueError(f"there is no kind {kind}")
            self.kinds |= 1 << <int>kind

    cdef bint takes(self, Verdict v) except -1:
        cdef const fg_envelope_value* method = &v.c.envelope[FG_METHOD]
        cdef Py_ssize_t size
        if not self.kinds >> v.c.kind & 1:
            return False
        if self.methods is None:
            return True
        if not method.count:
            return False
        if method.escaped:
            return v.frame.method in self.methods
        size = <Py_ssize_t>method.stop - method.start - 2
        for text in self.texts:
            if PyBytes_GET_SIZE(text) == size and memcmp(
                PyBytes_AS_STRING(text), PyBytes_AS_STRING(<object>v.kept) + method.start + 1, size
            ) == 0:
                return True
        return False


cdef class Checker:
    """The native half of framegauge.Gauge: tables for every argument of a call, and a way out to Python for what no table settles."""

    cdef readonly Table table  # what it judges by; None before __init__
    cdef readonly Limits limits
    cdef object _slow  # what completes a verdict: framegauge.gauge.slow_path.SlowPath
    cdef tuple _fidelities, _shown  # the grades of a record, and for each what is attached to the verdict on a clean frame
    cdef frozenset _revisions  # that a header may name
    cdef bint _auto, _allow_bom
    cdef list _subscriptions  # of the host's rules
    # Tables by revision and direction of a call, None for the gauge's own; and by the revision that a header names. Names are valid here.
    cdef dict _tables, _header_tables

    def _set_up(self, Table table not None, Limits limits not None, slow not None, *, frozenset revisions not None, bint auto,
                bint allow_bom, list subscriptions not None, tuple fidelities not None, tuple shown not None):
        self.table, self.limits, self._slow, self._revisions, self._auto = table, limits, slow, revisions, auto
        self._allow_bom, self._subscriptions, self._fidelities, self._shown = allow_bom, subscriptions, fidelities, shown
        self._tables, self._header_tables = {}, {}

    def check(self, data not None, headers=None, direction=None, revision=None, request_method=None, status=None, tool_schema=None,
              fidelity="bytes"):
        """The verdict on one frame.

        `data`: the bytes of one transport unit, any contiguous buffer; read in place. `headers`: a mapping or pairs, of the HTTP message that
        carried it; names and values are str or bytes. `direction`, `revision`: instead of the gauge's own, for this frame. `request_method`:
        of the request that a response answers. `status`: of the HTTP response, and `tool_schema`: no rule reads these two yet. `fidelity`:
        what the record kept: bytes, text, tokens, value. Returns a Verdict, also for the worst input. Raises TypeError for what is not a
        contiguous buffer, for headers of another form, and for a request_method that is not a str; ValueError for an unknown direction,
        revision or fidelity. Linear in the bytes; may be called from any thread without a lock.
        """
        cdef Table t = self.table
        cdef uint32_t asked = 0, grade = 0
        if t is None:
            raise RuntimeError("Gauge.__init__() was not called; a subclass must call it")
        if headers is not None or direction is not None or revision is not None:
            t = self._table_of_call(headers, direction, revision)
        if request_method is not None:
            asked = _number_of_method(request_method)
        if fidelity is not _BYTES:
            grade = _index_of(fidelity, self._fidelities)
        cdef Verdict v = _new_verdict(t)
        v.asked = <uint8_t>asked
        if PyBytes_CheckExact(data):
            _keep(v, data)
            scan(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &self.limits.c, &v.c)
            _judge_scanned(v, t, <const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
        else:
            # What may still be asked for needs all of the frame.
            _scan_buffer(v, data, t, &self.limits.c, bool(self._subscriptions) or t.lines)
        if self._subscriptions or grade or _needs_python(v, <Table><object>v.table) or (self._allow_bom and v.c.fault):
            return self._completed(v, t, grade)
        return v

    cdef Verdict _completed(self, Verdict v, Table t, uint32_t grade):
        """What is left where a compiled table does not settle a frame, or not alone."""
        cdef bint settled = not _needs_python(v, <Table><object>v.table)
        cdef tuple host = None
        if self._allow_bom and v.c.fault and FAULT_NAMES[v.c.fault] == "utf8-bom":
            return self._slow(v, t, grade, None)
        if self._subscriptions:
            host = self._by_host(v)
            settled = settled and host is None
        if settled and not grade:
            return v
        if settled and not (v.found.rules[0] | v.found.rules[1]):
            attach(v, self._shown[grade], True)
            return v
        return self._slow(v, t, grade, host if host is not None else _NOTHING_FOUND)

    cdef tuple _by_host(self, Verdict v):
        """What the host's rules found of a frame that passed: (findings, ids of rules that failed), or None."""
        cdef Subscription subscription
        cdef list called = None
        for subscription in self._subscriptions:
            if subscription.takes(v):
                called = [] if called is None else called
                called.append(subscription.rule)
        if called is None:
            return None
        return self._slow.by_host(called, v.frame, <object>v.kept)

    cdef Table _table_of_call(self, headers, direction, revision):
        """The table for one call's own arguments. Made once for each: names that are found here are valid."""
        named = None
        if headers is not None:
            named = _revision_of_headers(headers, self._revisions)
            if not (self._auto if revision is None else revision == "auto"):
                named = None
            if named is None and revision is None and direction is None:
                return self.table
        cdef dict tables = self._tables if named is None else self._header_tables
        key = revision if named is None else named
        try:
            return <Table>(tables[key][direction])
        except (KeyError, TypeError):  # an argument that cannot be hashed has no table either
            pass
        t = self._slow.table_of_call(revision, direction, named)
        tables.setdefault(key, {})[direction] = t
        return t


cdef str _BYTES = "bytes"
cdef tuple _NOTHING_FOUND = ([], frozenset())
cdef dict _METHOD_NUMBERS = {name: number for number, name in enumerate(METHOD_NAMES) if name}
cdef str _VERSION_HEADER = "mcp-protocol-version"


cdef uint32_t _number_of_method(method) except? 0xFFFFFFFF:
    if not isinstance(method, str):  # bytes would be an unknown method, without a word
        raise TypeError(f"request_method is a str, not {type(method).__name__}")
    return _METHOD_NUMBERS.get(method, 0)


cdef uint32_t _index_of(fidelity, tuple allowed) except? 0xFFFFFFFF:
    cdef uint32_t i
    for i in range(<uint32_t>len(allowed)):
        if fidelity == allowed[i]:
            return i
    raise ValueError(f"fidelity {fidelity!r} is not known; it is one of {', '.join(allowed)}")


cdef object _revision_of_headers(headers, frozenset known):
    """The first known revision that an MCP-Protocol-Version header names, or None. Nothing of the headers is kept."""
    cdef object found = None
    try:
        if type(headers) is dict:
            for name, value in (<dict>headers).items():
                found = _revision_of_header(name, value, known, found)
            return found
        for pair in headers if isinstance(headers, (list, tuple)) else _pairs(headers):
            if type(pair) is tuple and len(<tuple>pair) == 2:
                found = _revision_of_header((<tuple>pair)[0], (<tuple>pair)[1], known, found)
            else:
                name, value = pair
                found = _revision_of_header(name, value, known, found)
    except (TypeError, ValueError):
        raise TypeError("headers is a mapping, or a list of pairs of a name and a value, each a str or bytes") from None
    return found


cdef inline object _revision_of_header(name, value, frozenset known, found):
    cdef Py_ssize_t size
    if isinstance(name, str):
        size = len(<str>name)
    elif isinstance(name, bytes):
        size = PyBytes_GET_SIZE(name)
    else:
        raise TypeError
    if not isinstance(value, (str, bytes)):
        raise TypeError
    if size != 20 or found is not None or _text(name).lower() != _VERSION_HEADER:  # the length of that name
        return found
    text = _text(value).strip()
    return text if text in known else None


cdef list _pairs(headers):
    return list(headers.items() if hasattr(headers, "items") else headers)


cdef inline str _text(value):
    return (<bytes>value).decode("latin-1") if isinstance(value, bytes) else value


# For the slow path of framegauge.gauge.


def claimed_table(Verdict v not None, bytes frame not None, Table t not None):
    """Table: that of the revision that the frame names itself, where t leaves the choice to the frame; else t."""
    cdef uint32_t n = own_revision(&t.o, <const uint8_t*>PyBytes_AS_STRING(frame), &v.c) if t.o.count else 0
    return t.own_at(n) if n < t.o.count else t


def judge_by(Verdict v not None, Table t not None, uint32_t asked=0):
    """Judges by that table, natively. `asked`: the number of the method that a response answers."""
    _set_table(v, t)
    v.asked = asked
    _run(v, t)
    _judge_later(v, t, asked)


def attach(Verdict v not None, more, bint ok):
    """Attaches what was found beyond the table."""
    Py_INCREF(more)
    cdef PyObject* old = v.more
    v.more = <PyObject*>more
    Py_XDECREF(old)
    v.ok = ok


def add_errors(Verdict v not None, numbers):
    """Notes rules that were found as errors in Python: they may decide on the answer."""
    for number in numbers:
        v.found.errors[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)


def judge(Table t not None, bytes data not None):
    """Verdict: on an element of a batch by that table alone; the limits held for the whole."""
    cdef Verdict v = _new_verdict(t)
    cdef fg_limits unlimited = fg_limits(FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT)
    _keep(v, data)
    scan(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &unlimited, &v.c)
    _run(v, t)
    _judge_later(v, t, 0)
    return v


def scan_again(Verdict v not None, bytes data not None, Limits limits not None):
    """The verdict's facts, of other bytes than were given first."""
    Py_XDECREF(v.kept)
    v.kept = NULL
    _keep(v, data)
    scan(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &limits.c, &v.c)


cdef inline bint _needs_python(Verdict v, Table t) noexcept:
    """Batches and blank frames; what a line rule may change; unknown notifications; values that no shape describes."""
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
        # A frame with findings is kept whole.
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
