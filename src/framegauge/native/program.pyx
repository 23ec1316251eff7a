# cython: binding=False
"""Rows of Python to what the native layer runs: a Table for a gauge, the Shapes of a revision for its tables."""
from itertools import count

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from framegauge.native.core cimport *
from framegauge.native.layout import (
    KINDS, CaseRow, CodeRow, ErrorRow, FactRow, MemberRow, MethodRow, PlaceRules, ProtocolRow, ShapeRow, SpecRow,
)
from framegauge.native.tokenizer import FACT_NAMES, FAULT_NAMES

MOST_OWN = MOST_LISTED = 16  # revisions
MOST_STEPS = 16  # of the order of answers
LOOK = FG_LOOK
SEVERITIES = ("error", "warning", "info")
_SERIALS = count(1)  # of tables
cdef dict _KIND_OF = {cls: i for i, cls in enumerate(KINDS.values())}


cdef int _compare_layouts() except -1:
    """layout.py has to have the fields that were compiled: rows are read in their order."""
    cdef const fg_row_kind* kind
    cdef uint32_t n, i
    cdef list names
    for n, cls in enumerate(KINDS.values()):
        kind, names = &FG_ROW_KINDS[n], []
        for i in range(kind.count):
            names.append(kind.fields[i].name.decode())
        if tuple(names) != cls._fields:
            raise ImportError(f"{cls.__name__} of layout.py does not have the fields that were compiled: build again")
    return 0


_compare_layouts()
cdef object _claimed_table = None

NOTHING = FG_NOTHING
NO_FRAME = FG_NO_FRAME
MILD, UNLESS_TASK = FG_MILD, FG_UNLESS_TASK
DEPTH = FG_SHAPE_DEPTH
DEPRECATED = FG_DEPRECATED
NO_LOW, NO_HIGH, ANY_SIZE = FG_NO_LOW, FG_NO_HIGH, <uint32_t>FG_ANY_SIZE
INTEGER, INTEGRAL = FG_INTEGER, FG_INTEGRAL
LISTED, BEGINS = FG_LISTED, FG_BEGINS
FORMATS = {"base64": FG_BASE64, "iso8601": FG_ISO8601, "mime": FG_MIME, "uri": FG_URI, "url": FG_URL}


@cython.final
cdef class Shapes:
    """The compiled data of one revision, or of several taken together. Immutable; shared by all tables of that revision.

    `protocol`: what holds for the whole revision. `places`: the rules within params, result and error. `texts`: bytes. `wanted`: what each
    spec requires, in words; `choices`: by spec of a member, all of which one must be present, in words. Indices are the compiler's own
    (framegauge.gauge.value_program) and are not checked; the numbers of a row are (OverflowError), and so is its class (TypeError).
    """

    def __cinit__(self):
        memset(&self.c, 0, sizeof(fg_protocol))

    def __init__(self, protocol, tuple places not None, tuple texts not None, *, list specs not None, list shapes not None,
                 list members not None, list cases not None, list methods not None, list errors not None, tuple wanted not None,
                 dict choices not None):
        cdef int i
        cdef fg_text* text
        if self.c.specs != NULL:
            raise RuntimeError("Shapes are made once")
        if len(places) != 3:
            raise ValueError("there are three places with rules: params, result, error")
        self.texts, self.wanted, self.choices = texts, wanted, choices
        _fill(&self.c, ProtocolRow, protocol)
        for i in range(3):
            _fill(&self.c.rules[i], PlaceRules, places[i])
        self.c.specs = <fg_spec*>_filled(SpecRow, specs)
        self.c.shapes = <fg_shape*>_filled(ShapeRow, shapes)
        self.c.members = <fg_shape_member*>_filled(MemberRow, members)
        self.c.cases = <fg_shape_case*>_filled(CaseRow, cases)
        self.c.methods = <fg_method_row*>_filled(MethodRow, methods)
        self.c.errors, self.c.error_count = <fg_error_data*>_filled(ErrorRow, errors), len(errors)
        text = <fg_text*>_room(len(texts), sizeof(fg_text))
        self.c.texts = text
        for i, each in enumerate(texts):
            text[i].text, text[i].size = PyBytes_AS_STRING(each), PyBytes_GET_SIZE(each)
            text[i].head = int.from_bytes((<bytes>each)[:8], "little")

    def __dealloc__(self):
        PyMem_Free(<void*>self.c.specs)
        PyMem_Free(<void*>self.c.shapes)
        PyMem_Free(<void*>self.c.members)
        PyMem_Free(<void*>self.c.cases)
        PyMem_Free(<void*>self.c.texts)
        PyMem_Free(<void*>self.c.methods)
        PyMem_Free(<void*>self.c.errors)


cdef bint _is_like(other, cls) except -1:
    """Is it that class from a second import of the package? Compiled modules are loaded once and keep the first one."""
    return other.__name__ == cls.__name__ and getattr(other, "_fields", None) == cls._fields


cdef int _fill(void* at, cls, row) except -1:
    """Fills a struct from a row of that class, which has each field by its name."""
    cdef const fg_row_kind* kind = &FG_ROW_KINDS[<int>_KIND_OF[cls]]
    cdef uint32_t i
    cdef int64_t number
    cdef int over
    if type(row) is not cls and not _is_like(type(row), cls):
        raise TypeError(f"a row is a {cls.__name__} here, not {row!r}")
    for i in range(kind.count):
        value = (<tuple>row)[i]
        number = PyLong_AsLongLongAndOverflow(value, &over)
        if over > 0:
            number = <int64_t><uint64_t>value  # a mask with its last bit, or OverflowError
        if over < 0 or not fg_set_field(at, &kind.fields[i], <uint64_t>number, number < 0 and not over):
            raise OverflowError(f"{cls.__name__}.{kind.fields[i].name.decode()} cannot be {value}")
    return 0


cdef void* _filled(cls, list rows) except NULL:
    """An array of such structs, and one more of zeros."""
    cdef size_t size = FG_ROW_KINDS[<int>_KIND_OF[cls]].size
    cdef char* room = <char*>_room(len(rows), size)
    cdef Py_ssize_t i
    try:
        for i in range(len(rows)):
            _fill(room + i * size, cls, rows[i])
    except BaseException:
        PyMem_Free(room)
        raise
    return room


cdef void* _room(Py_ssize_t count, size_t size) except NULL:
    cdef void* room = PyMem_Calloc(count + 1, size)
    if room == NULL:
        raise MemoryError("no memory for the tables of a revision")
    return room


cdef class Table:
    """The rows of one gauge under one revision, direction and transport, compiled.

    `rules`: every Rule by number. `rows`, `codes`: rows of rules; `row_revisions`, `code_revisions`: for each, the revisions that it holds
    in. `faults`: rule number by fault id, for those selected. `own`: the revisions that a frame may name itself, which
    asks for another table. `lines`: line rules may replace a fault. The keywords describe how answers are given: to a client, or to a
    server that may call; `unreadable`: bits of the facts that make an id unreadable; `no_id`: the bytes in place of such an id; `http`:
    a status is owed. `infos`: rules on values by number that are an info where they are not an error. `answers`: the code owed for a rule
    on values. `order`: (code, is it about the envelope, rules of which one must be an error) for each place in the order of answers.
    `fault_codes`: for a fault of the bytes, and for a limit. `listed`: the revisions that the host lists, where the frame has to name one.
    """

    def __init__(self, tuple rules, list rows, list codes, dict faults, context, tuple own, bint lines, *, tuple row_revisions=(),
                 tuple code_revisions=(), bint from_client=True, bint client_replies=True, uint64_t unreadable=0, bytes no_id=b"",
                 bint http=False, Shapes shapes=None, int senders=3, selected=frozenset(), dict answers=None, infos=frozenset(),
                 order=(), tuple fault_codes=(0, 0), tuple listed=()):
        cdef int i
        if len(rules) > FG_LOOK or len(rows) > FG_ROWS or len(codes) > FG_CODE_ROWS:
            raise ValueError("more rules, rows or code ranges than a table holds")
        if len(row_revisions) != len(rows) or len(code_revisions) != len(codes):
            raise ValueError("each row has its revisions")
        self.rules, self.context, self.lines, self.shapes = rules, context, lines, shapes
        if shapes is not None:
            self.p = shapes.c
            self.p.senders = senders
        _mark(self.p.selected, selected)
        _mark(self.p.infos, infos)
        self._set_listed(listed)
        self._set_own(own)
        self.from_client, self.client_replies, self.unreadable = from_client, client_replies, unreadable
        self.no_id, self.http, self.errors, self.fault_codes = no_id, http, {}, fault_codes
        self.row_revisions, self.code_revisions = row_revisions, code_revisions
        self.c.row_count, self.c.code_count = len(rows), len(codes)
        self.c.suspicious, self.c.serial = 0, next(_SERIALS)
        for i in range(len(rows)):
            _fill(&self.c.rows[i], FactRow, rows[i])
            self.c.suspicious |= <uint64_t>1 << self.c.rows[i].place  # the fact of a row that a clean frame never has
        for i in range(len(codes)):
            _fill(&self.c.codes[i], CodeRow, codes[i])
        numbers = {rule.id: n for n, rule in enumerate(rules)}
        for i in range(64):
            name = FAULT_NAMES[i] if i < len(FAULT_NAMES) else ""
            self.c.by_fault[i] = faults.get(name, FG_NO_RULE)
            self.by_fault_always[i] = numbers.get(name, FG_NO_RULE)
        self._set_steps(order, answers or {})

    cdef int _set_steps(self, order, dict answers) except -1:
        cdef Step* step
        cdef uint32_t n
        if len(order) > MOST_STEPS:
            raise ValueError("more answer codes than a table holds")
        self.step_count = len(order)
        for i, (code, envelope, after) in enumerate(order):
            step = &self.steps[i]
            step.code, step.envelope = code, envelope
            _mark(step.after, after)
            for n in range(self.c.row_count):
                if self.c.rows[n].answer == step.code and self.c.rows[n].severity == ERROR:
                    step.rows[n >> 6] |= <uint64_t>1 << (n & 63)
            for rule, owed in answers.items():
                if owed == code:
                    _mark(step.values, (rule,))
        return 0

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
            own = _claimed_table(self.context, n)
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


cdef int _mark(uint64_t* bits, numbers) except -1:
    for number in numbers:
        bits[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)
    return 0


cdef uint64_t fact_bit(str name) except? 0:
    return <uint64_t>1 << <int>FACT_NAMES.index(name)


cdef void make_tables_by(claimed_table) noexcept:
    """`claimed_table`: (context, number of an MCP revision) to its Table."""
    global _claimed_table
    _claimed_table = claimed_table
