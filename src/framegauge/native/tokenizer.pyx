# cython: binding=False
"""Bytes to facts: the Python face of the native core."""
import os
from enum import StrEnum

cimport cython
from cpython.buffer cimport PyBUF_SIMPLE, Py_buffer, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from framegauge.native.core cimport *

cdef extern from "core.h" nogil:
    int fg_classify(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts) noexcept
    int fg_places(const uint8_t* data, size_t size, const fg_limits* limits, fg_place* places) noexcept
    uint32_t fg_elements(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room) noexcept
    int fg_spans(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room, uint32_t* count) noexcept
    void fg_run(const fg_table* table, const fg_facts* facts, fg_found* found) noexcept
    int fg_lines_by(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_judges* by, const uint8_t* directions, uint32_t chunk,
                    fg_columns* columns) noexcept
    void fg_judge(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found) noexcept
    int fg_judge_again(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found,
                       fg_shape_place* places) noexcept
    int fg_object_end(const uint8_t* data, uint32_t size, const fg_limits* limits, uint32_t* end, uint32_t* seen) noexcept
    void fg_free_columns(fg_columns* columns) noexcept
    void fg_count_rules(const fg_columns* columns, uint64_t* counts) noexcept
    uint32_t fg_own_revision(const fg_own* own, const uint8_t* data, const fg_facts* facts) noexcept
    const char* fg_method(uint32_t number) noexcept
    void fg_default_limits(fg_limits* limits) noexcept
    const char* fg_name(uint32_t number) noexcept
    void fg_seed(uint64_t a, uint64_t b) noexcept
    int64_t fg_stage_one(const uint8_t* data, size_t size) noexcept
    const char* fg_kernel() noexcept
    const char* fg_simdjson_version() noexcept
    const char* fg_kind_name(uint32_t number) noexcept
    const char* fg_type_name(uint32_t number) noexcept
    const char* fg_envelope_name(uint32_t number) noexcept
    const char* fg_fault_name(uint32_t number) noexcept
    const char* fg_fact_name(uint32_t number) noexcept
    const char* fg_mark_name(uint32_t number) noexcept
    const fg_api* fg_get_api() noexcept

cdef extern from "object_pool.h":
    PyObject* fg_new_object(type cls) except NULL
    void fg_use_pool(type cls, Py_ssize_t offset, int references)

ctypedef const char* (*name_of)(uint32_t) noexcept nogil

cdef tuple _names(name_of name):
    cdef list names = []
    cdef uint32_t i = 0
    while name(i) is not NULL:
        names.append(name(i).decode())
        i += 1
    return tuple(names)

cdef tuple _numbered(name_of name):
    cdef list names = [""]
    while name(len(names)) is not NULL:
        names.append(name(len(names)).decode())
    return tuple(names)

FACT_NAMES = _names(fg_fact_name)
FAULT_NAMES = _names(fg_fault_name)
MARK_NAMES = _names(fg_mark_name)
ENVELOPE_NAMES = _names(fg_envelope_name)
METHOD_NAMES = _numbered(fg_method)  # by number; 0 is an unknown method
cdef dict _METHOD_NUMBERS = {name: number for number, name in enumerate(METHOD_NAMES) if number}

KIND_NAMES = _names(fg_kind_name)
Kind = StrEnum("Kind", {name.replace("-", "_"): name for name in KIND_NAMES}, module="framegauge")
Kind.__doc__ = """What a frame is, by the presence of members, never their truth. A str: `frame.kind == "request"` holds."""
MemberType = StrEnum("MemberType", {name: name for name in _names(fg_type_name)[1:]}, module="framegauge")
MemberType.__doc__ = """The JSON type of a member's value."""

cdef object _legal_revisions = None


def set_legal_revisions(function not None):
    """Facts do not depend on a revision: another layer maps a kind and fact bits to a set of revisions."""
    global _legal_revisions
    _legal_revisions = function


# Plain tuples for the getters: an index and a new reference, no attribute look-up.
cdef tuple _KINDS = tuple(Kind)
cdef tuple _TYPES = (None, *MemberType)
cdef tuple _FAULTS = FAULT_NAMES
cdef dict _ENVELOPE = {name: i for i, name in enumerate(ENVELOPE_NAMES)}
cdef dict _GROUPS = {"params": 0, "result": 1, "error": 2, "_meta": 3}
cdef uint32_t[4] _GROUP_START
_GROUP_START[0] = 0
_GROUP_START[1] = FG_ROOM_PARAMS
_GROUP_START[2] = FG_ROOM_PARAMS + FG_ROOM_RESULT
_GROUP_START[3] = FG_ROOM_PARAMS + FG_ROOM_RESULT + FG_ROOM_ERROR

# Above this size the GIL is released around the scan: below, releasing costs more than it lets others do (16 ns against the
# 2 microseconds that 8 KiB take).
cdef Py_ssize_t _RELEASE_GIL_FROM = 8192


cdef class Limits:
    """A host's own limits on one frame; None switches one off.

    Exceeding one stops the scan: the frame is kind `invalid` (for `max_batch_items`: `batch`) and `frame.fault` names the limit.
    No revision of MCP limits anything; these are settings, not protocol.

    Parameters: `max_frame_bytes` (bytes), `max_depth` (levels, the top-level bracket being 1), `max_batch_items` (elements of a top-level
    array), `max_number_digits` (digits 0-9 of one number), `max_members` (of one object). Each is an int of at least 0, or None.
    Raises ValueError for a negative int, TypeError for another type.
    """

    def __cinit__(self, max_frame_bytes=16 << 20, max_depth=256, max_batch_items=100, max_number_digits=1024, max_members=65536):
        self.c.max_frame_bytes = _limit("max_frame_bytes", max_frame_bytes)
        self.c.max_depth = _limit("max_depth", max_depth)
        self.c.max_batch_items = _limit("max_batch_items", max_batch_items)
        self.c.max_number_digits = _limit("max_number_digits", max_number_digits)
        self.c.max_members = _limit("max_members", max_members)

    def _values(self):
        cdef fg_limits c = self.c
        return tuple(
            None if v == FG_NO_LIMIT else v
            for v in (c.max_frame_bytes, c.max_depth, c.max_batch_items, c.max_number_digits, c.max_members)
        )

    @property
    def max_frame_bytes(self):
        return self._values()[0]

    @property
    def max_depth(self):
        return self._values()[1]

    @property
    def max_batch_items(self):
        return self._values()[2]

    @property
    def max_number_digits(self):
        return self._values()[3]

    @property
    def max_members(self):
        return self._values()[4]

    def __eq__(self, other):
        return isinstance(other, Limits) and self._values() == other._values()

    def __hash__(self):
        return hash(self._values())

    def __reduce__(self):
        return Limits, self._values()

    def __repr__(self):
        names = ("max_frame_bytes", "max_depth", "max_batch_items", "max_number_digits", "max_members")
        return "Limits(" + ", ".join(f"{n}={v}" for n, v in zip(names, self._values())) + ")"


cdef uint32_t _limit(str name, value) except? 0xFFFFFFFE:
    if value is None:
        return FG_NO_LIMIT
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int or None, not {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} must not be negative (None switches it off); got {value}")
    return min(value, FG_NO_LIMIT)


@cython.final
cdef class Fault:
    """Why a frame was not read to its end: the first byte fault, or the limit that stopped the scan.

    `rule`: the public rule id. `offset`: the byte at fault, from the start of the frame; for `truncated` the frame's length.
    `json_start`: for `leading-garbage`, where the good JSON object starts, else None. `is_limit`: it is a limit of the host,
    not a fault in the form of the frame.
    """

    cdef readonly str rule
    cdef readonly Py_ssize_t offset
    cdef readonly object json_start
    cdef readonly bint is_limit

    def __init__(self):
        raise TypeError("a Fault comes from a Frame")

    def __repr__(self):
        return f"Fault(rule={self.rule!r}, offset={self.offset})"

    def __eq__(self, other):
        return isinstance(other, Fault) and (self.rule, self.offset, self.json_start) == (other.rule, other.offset, other.json_start)

    def __hash__(self):
        return hash((self.rule, self.offset, self.json_start))


@cython.final
cdef class Member:
    """One member: `type` (MemberType), and the span of its value: bytes `start` to `stop` of the frame. `name` is the protocol name, None
    for a name that no revision knows; `count` is the number of occurrences of the key in the envelope (1 below it);
    `escaped`: the value has a backslash."""

    cdef readonly object name
    cdef readonly object type
    cdef readonly Py_ssize_t start
    cdef readonly Py_ssize_t stop
    cdef readonly Py_ssize_t count
    cdef readonly bint escaped

    def __init__(self):
        raise TypeError("a Member comes from a Frame")

    def raw(self, data):
        """The value's bytes within `data`, the frame they were found in: a memoryview, nothing is copied."""
        return memoryview(data).cast("B")[self.start:self.stop]

    def __repr__(self):
        return f"Member({self.name!r}, {self.type.value}, {self.start}, {self.stop})"


cdef Member _member(object name, uint8_t type, uint32_t start, uint32_t stop, uint32_t count, bint escaped):
    cdef Member m = Member.__new__(Member)
    m.name, m.type, m.start, m.stop, m.count, m.escaped = name, _TYPES[type], start, stop, count, escaped
    return m


cdef class Frame:
    """The facts of one frame, as `classify` found them; docs/facts.md defines each. Immutable.

    Of a `bytes` frame a reference is kept and sliced lazily; of any other buffer only id and method are copied, the whole frame where it
    is a parse error or invalid.
    """

    def __cinit__(self):
        raise TypeError("a Frame comes from framegauge.classify()")

    def __reduce__(self):
        raise TypeError("a Frame cannot be pickled; pickle the bytes and classify them again")

    @property
    def kind(self):
        """Kind: what the frame is."""
        return _KINDS[self.c.kind]

    @property
    def fault(self):
        """Fault or None: the first byte fault, or the limit that stopped the scan."""
        if self.c.fault == 0:
            return None
        return _fault(&self.c)

    @property
    def id(self):
        """bytes or None: the id exactly as sent (b'1', b'"a"', b'1.0', b'null'); None where there is no id member. Of a duplicate id, the first."""
        if self.c.envelope[FG_ID].count == 0:
            return None
        return envelope_bytes(&self.c, <object>self.kept, self.parts, FG_ID)

    @property
    def method(self):
        """str or None: the method, unescaped; None where it is absent or no string. A lone surrogate stays one."""
        cdef fg_envelope_value* v = &self.c.envelope[FG_METHOD]
        if v.type != FG_STRING:
            return None
        cdef bytes raw = envelope_bytes(&self.c, <object>self.kept, self.parts, FG_METHOD)
        if v.escaped:
            from json import loads  # on demand: few methods are written with escapes

            return loads(raw)
        return raw[1 : len(raw) - 1].decode()

    @property
    def method_number(self):
        """int: the place of the method in METHOD_NAMES; 0 where it is another one, absent or not a string."""
        return _METHOD_NUMBERS.get(self.method, 0)

    def member(self, str name not None):
        """Member or None: one of the six envelope members, by name (its first occurrence). ValueError for another name."""
        which = _ENVELOPE.get(name)
        if which is None:
            raise ValueError(f"no envelope member is called {name!r}: one of {', '.join(ENVELOPE_NAMES)}")
        cdef fg_envelope_value* v = &self.c.envelope[<int>which]
        if v.count == 0:
            return None
        return _member(name, v.type, v.start, v.stop, v.count, v.escaped)

    def members(self, str group not None):
        """tuple of Member: the described members of `params`, `result`, `error` or `_meta` (of params or result), in order. At most 24, 16, 8
        and 16 are described; the fact `member-overflow` reports more. ValueError for another group."""
        which = _GROUPS.get(group)
        if which is None:
            raise ValueError(f"no group of members is called {group!r}: one of {', '.join(_GROUPS)}")
        cdef fg_member* m = &self.c.members[_GROUP_START[<int>which]]
        cdef list found = []
        cdef int i
        for i in range(self.c.counts[<int>which]):
            name = None if m[i].name == 0 else fg_name(m[i].name).decode()
            found.append(_member(name, m[i].type, m[i].start, m[i].stop, 1, m[i].escaped))
        return tuple(found)

    @property
    def facts(self):
        """frozenset of str: the names of the facts that are set; docs/facts.md section 4."""
        return frozenset({name for i, name in enumerate(FACT_NAMES) if self.c.bits >> <int>i & 1})

    @property
    def revisions(self):
        """frozenset of str: the revisions under whose text the envelope of this frame is legal. Empty for a parse error."""
        return _legal_revisions(self.kind, self.c.bits)

    @property
    def size(self):
        """int: bytes of the frame."""
        return self.c.size

    @property
    def items(self):
        """int: elements of a top-level array; 0 for anything else."""
        return self.c.items

    @property
    def depth(self):
        """int: the deepest level of brackets; the top-level one is 1."""
        return self.c.depth

    @property
    def longest_number(self):
        """int: the most digits in one number."""
        return self.c.longest_number

    @property
    def largest_object(self):
        """int: the most members in one object."""
        return self.c.largest_object

    @property
    def duplicates(self):
        """int: the number of repeated keys, at any depth."""
        return self.c.duplicates

    @property
    def duplicate_offset(self):
        """int or None: the opening quote of the first such key."""
        return self.c.duplicate_offset if self.c.duplicates else None

    @property
    def error_code(self):
        """int or None: error.code, where it is integral and fits 32 bits."""
        return self.c.error_code if self.c.has_error_code else None

    def __repr__(self):
        if self.c.fault:
            return f"<Frame {self.kind.value} {self.fault.rule} at byte {self.c.fault_offset}>"
        return f"<Frame {self.kind.value} id={self.id!r} method={self.method!r}>"


cdef object envelope_bytes(fg_facts* facts, object kept, bint parts, int which):
    """The raw bytes of an envelope member's value; of id and method also where only these were kept."""
    cdef fg_envelope_value* v = &facts.envelope[which]
    cdef Py_ssize_t start = v.start, size = v.stop - v.start
    if parts:
        start = 0 if which == FG_ID else facts.envelope[FG_ID].stop - facts.envelope[FG_ID].start
    return PyBytes_FromStringAndSize(PyBytes_AS_STRING(kept) + start, size)


cdef object kind_of(uint8_t kind):
    return _KINDS[kind]


cdef Frame frame_of(fg_facts* facts, object kept, bint parts):
    cdef Frame frame = _new_frame()
    memcpy(&frame.c, facts, sizeof(fg_facts))
    Py_INCREF(kept)
    frame.kept = <PyObject*>kept
    frame.parts = parts
    return frame


cdef Fault _fault(fg_facts* facts):
    cdef Fault f = Fault.__new__(Fault)
    f.rule = _FAULTS[facts.fault]
    f.offset = facts.fault_offset
    f.json_start = facts.json_start if facts.json_start else None
    f.is_limit = facts.fault >= FG_FIRST_LIMIT
    return f


cdef int scan(const uint8_t* data, Py_ssize_t size, const fg_limits* limits, fg_facts* facts) except -1:
    cdef int status
    if size < _RELEASE_GIL_FROM:
        status = fg_classify(data, size, limits, facts)
    else:
        with nogil:
            status = fg_classify(data, size, limits, facts)
    if status != FG_OK:
        raise MemoryError("no memory to scan a frame of this size")
    return 0


cdef inline Frame _new_frame():
    cdef PyObject* o = fg_new_object(Frame)
    cdef Frame frame = <Frame>o
    Py_XDECREF(o)  # the reference that fg_new_object made; `frame` holds its own
    frame.kept = NULL
    frame.parts = False
    return frame


cdef Frame _classify_buffer(data, const fg_limits* limits):
    cdef Py_buffer view
    if not PyObject_CheckBuffer(data):
        raise TypeError(f"a frame is bytes or another contiguous buffer, not {type(data).__name__}")
    try:
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    except BufferError as error:
        raise TypeError("a frame must be one contiguous buffer; copy a strided view with bytes() first") from error
    cdef Frame frame
    try:
        frame = _new_frame()
        scan(<const uint8_t*>view.buf, view.len, limits, &frame.c)
        _keep_copy(frame, <const char*>view.buf, view.len)
    finally:
        PyBuffer_Release(&view)
    return frame


cdef bytes kept_parts(fg_facts* facts, const char* data):
    """Of a frame that passed only id and method are kept, one after the other."""
    cdef fg_envelope_value* id = &facts.envelope[FG_ID]
    cdef fg_envelope_value* method = &facts.envelope[FG_METHOD]
    cdef bytes kept = PyBytes_FromStringAndSize(NULL, (id.stop - id.start) + (method.stop - method.start))
    memcpy(PyBytes_AS_STRING(kept), data + id.start, id.stop - id.start)
    memcpy(PyBytes_AS_STRING(kept) + (id.stop - id.start), data + method.start, method.stop - method.start)
    return kept


cdef int places_of(const uint8_t* data, Py_ssize_t size, const fg_limits* limits, fg_place* places) except -1:
    if fg_places(data, size, limits, places) != FG_OK:
        raise MemoryError("no memory to scan a frame of this size")
    return 0


cdef bytes whole_copy(fg_facts* facts, const char* data, Py_ssize_t size):
    """A frame that failed, to show it; but nothing of one that was too large to be looked at."""
    return b"" if facts.fault == FG_FIRST_LIMIT else PyBytes_FromStringAndSize(data, size)


cdef void run_table(const fg_table* table, const fg_facts* facts, fg_found* found) noexcept nogil:
    fg_run(table, facts, found)


cdef void judge_frame(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked,
                      fg_found* found) noexcept nogil:
    fg_judge(protocol, data, size, facts, asked, found)


cdef int judge_again(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found,
                     fg_shape_place* places) except -1:
    if fg_judge_again(protocol, data, size, facts, asked, found, places) != FG_OK:
        raise MemoryError("no memory to scan a frame of this size")
    return 0


cdef int scan_lines(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_judges* by, const uint8_t* directions,
                    uint32_t chunk, fg_columns* columns) noexcept nogil:
    return fg_lines_by(data, size, limits, by, directions, chunk, columns)


cdef int object_end(const uint8_t* data, uint32_t size, const fg_limits* limits, uint32_t* end, uint32_t* seen) noexcept nogil:
    return fg_object_end(data, size, limits, end, seen)


cdef void free_columns(fg_columns* columns) noexcept nogil:
    fg_free_columns(columns)


cdef void count_rules(const fg_columns* columns, uint64_t* counts) noexcept nogil:
    fg_count_rules(columns, counts)


cdef uint32_t own_revision(const fg_own* own, const uint8_t* data, const fg_facts* facts) noexcept nogil:
    return fg_own_revision(own, data, facts)


cdef int _keep_copy(Frame frame, const char* data, Py_ssize_t size) except -1:
    frame.parts = frame.c.kind > FG_INVALID
    cdef bytes kept = kept_parts(&frame.c, data) if frame.parts else whole_copy(&frame.c, data, size)
    Py_INCREF(kept)
    frame.kept = <PyObject*>kept
    return 0


def classify(data not None, Limits limits=None):
    """The facts of one frame.

    `data`: the bytes of one transport unit, as bytes, bytearray, memoryview or any contiguous buffer; it is read in place and must not be
    changed meanwhile. `limits`: a Limits, or None for the defaults. Returns a Frame, also for the worst input: a bad frame is never an
    exception. Raises TypeError for an object that is not a contiguous buffer, MemoryError where scratch memory cannot be had.
    Linear in the bytes.
    May be called from any thread without a lock.
    """
    cdef const fg_limits* c = NULL
    if limits is not None:
        c = &limits.c
    cdef Frame frame
    if not PyBytes_CheckExact(data):
        return _classify_buffer(data, c)
    frame = _new_frame()
    Py_INCREF(data)
    frame.kept = <PyObject*>data
    scan(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), c, &frame.c)
    return frame


cdef int _use_pool() except -1:
    cdef Frame frame = _new_frame()
    fg_use_pool(Frame, <char*>&frame.kept - <char*><PyObject*>frame, 1)
    return 0


cdef int _spans(bytes data, uint32_t* spans, uint32_t room, uint32_t* count) except -1:
    if fg_spans(<const uint8_t*>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), spans, room, count) != FG_OK:
        raise MemoryError("no memory to scan a frame of this size")
    return 0


def element_offsets(bytes data not None):
    """list of (start, stop): the elements of a frame whose top level is an array; empty for any other frame."""
    cdef uint32_t count = 0, i
    _spans(data, NULL, 0, &count)
    cdef bytes spans = PyBytes_FromStringAndSize(NULL, 8 * <Py_ssize_t>count)
    cdef uint32_t* c_spans = <uint32_t*>PyBytes_AS_STRING(spans)
    _spans(data, c_spans, count, &count)
    cdef list found = []
    for i in range(count):
        found.append((c_spans[2 * i], c_spans[2 * i + 1]))
    return found


def stage1(data not None):
    """int: how many structural characters simdjson's stage 1 finds in `data`, -1 where it refuses. A yardstick for benchmarks."""
    cdef bytes b = data
    return fg_stage_one(<const uint8_t*>PyBytes_AS_STRING(b), PyBytes_GET_SIZE(b))


def kernel():
    """str: the simdjson kernel in use (icelake, haswell, westmere, arm64, ..., fallback)."""
    return fg_kernel().decode()


def simdjson_version():
    """str: the version of the simdjson that is compiled in."""
    return fg_simdjson_version().decode()


def facts_abi():
    """int: the layout number of fg_facts; native embedders compare it with FG_FACTS_ABI of their header."""
    return FG_FACTS_ABI


cdef int classify_bytes(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts) noexcept nogil:
    return fg_classify(data, size, limits, facts)


cdef uint32_t element_spans(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room) noexcept nogil:
    return fg_elements(data, size, spans, room)


cdef void default_limits(fg_limits* limits) noexcept nogil:
    fg_default_limits(limits)


_use_pool()
if fg_kernel() == b"unsupported":
    raise ImportError("simdjson has no kernel for this processor; is SIMDJSON_FORCE_IMPLEMENTATION set to one it does not have?")
cdef bytes _seed = os.urandom(16)
fg_seed((<uint64_t*>PyBytes_AS_STRING(_seed))[0], (<uint64_t*>PyBytes_AS_STRING(_seed))[1])
_C_API = PyCapsule_New(<void*>fg_get_api(), "framegauge.native.tokenizer._C_API", NULL)
