# cython: binding=False
"""Many frames at once: a newline-delimited buffer to columns."""
cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_SIMPLE, PyBUF_WRITABLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from framegauge.native.core cimport FG_BATCH, FG_LOOK, fg_columns, fg_judges
from framegauge.native.program cimport Table
from framegauge.native.tokenizer cimport Limits, count_rules, free_columns, object_end, scan_lines
from framegauge.native.tokenizer import FAULT_NAMES, KIND_NAMES, METHOD_NAMES

# Stage 1 runs once per so many bytes. From 64 KiB to 4 MiB the speed is the same within 4 %; this stays inside a core's second cache.
CHUNK = 256 * 1024


cdef int _check_rule(number) except -1:
    if not 0 <= number < 128:
        raise IndexError(f"there is no rule {number}; numbers are below 128")
    return 0


@cython.final
cdef class Columns:
    """The memory of all columns; each Column refers to it."""

    def __cinit__(self):
        memset(&self.c, 0, sizeof(fg_columns))
        self.gone[0] = self.gone[1] = 0

    def __dealloc__(self):
        free_columns(&self.c)

    def __len__(self):
        return self.c.count

    def known(self):
        """int: lines of the pattern of an earlier one, which were not walked themselves."""
        return self.c.known

    def kind_counts(self):
        """dict of str to int: lines per kind."""
        cdef uint64_t[8] counts
        cdef uint64_t i
        memset(counts, 0, sizeof(counts))
        for i in range(self.c.count):
            counts[self.c.kind[i] & 7] += 1
        return {name: counts[<int>n] for n, name in enumerate(KIND_NAMES) if counts[<int>n]}

    def method_counts(self):
        """dict of str to int: lines per known method."""
        cdef uint64_t[256] counts
        cdef uint64_t i
        memset(counts, 0, sizeof(counts))
        for i in range(self.c.count):
            counts[self.c.method[i] & 255] += 1
        return {name: counts[<int>n] for n, name in enumerate(METHOD_NAMES) if n and counts[<int>n]}

    def other_methods(self):
        """list of int: lines with a method that is not known by number."""
        cdef uint64_t i
        cdef list rows = []
        for i in range(self.c.count):
            if self.c.method[i] == 0 and self.c.method_stop[i] > self.c.method_start[i]:
                rows.append(i)
        return rows

    def rule_counts(self):
        """list of int: lines per rule number."""
        cdef uint64_t[128] counts
        cdef int n
        cdef list found = []
        count_rules(&self.c, counts)
        for n in range(128):
            found.append(counts[n])
        return found

    def rows_with(self, int rule, Py_ssize_t limit):
        """list of int: the first lines that break a rule. IndexError for a number that no rule can have."""
        _check_rule(rule)
        cdef uint64_t i
        cdef list rows = []
        for i in range(self.c.count):
            if self.c.rules[2 * i + (rule >> 6)] >> (rule & 63) & 1:
                if len(rows) >= limit:
                    break
                rows.append(i)
        return rows

    def severities(self):
        """list of int: of each rule by number the highest severity that a row had at first (0 error, 1 warning, 2 info), 3 where none had;
        batches without a fault are left out."""
        cdef int n, word
        cdef uint64_t bit
        cdef list found = []
        for n in range(128):
            word, bit = n >> 6, <uint64_t>1 << (n & 63)
            found.append(0 if self.c.any.errors[word] & bit else 1 if self.c.any.warnings[word] & bit else 2 if self.c.any.rules[word] & bit else 3)
        return found

    def replaced(self):
        """list of int: the rules of rows that were set or cut since: fewer rows may have them now."""
        cdef int n
        cdef list found = []
        for n in range(FG_LOOK):
            if self.gone[n >> 6] >> (n & 63) & 1:
                found.append(n)
        return found

    cdef void _forget(self, uint64_t row) noexcept:
        if self.c.kind[row] != FG_BATCH or self.c.fault[row]:  # others never counted
            self.gone[0] |= self.c.rules[2 * row]
            self.gone[1] |= self.c.rules[2 * row + 1]

    def rows_of_kind(self, int kind, int rule):
        """list of int: the rows of that kind that break that rule. IndexError for a number that no rule can have."""
        _check_rule(rule)
        cdef uint64_t i
        cdef list rows = []
        for i in range(self.c.count):
            if self.c.kind[i] == kind and self.c.rules[2 * i + (rule >> 6)] >> (rule & 63) & 1:
                rows.append(i)
        return rows

    def rows_to_review(self, data not None):
        """list of int: lines that the rows alone do not settle: batches, values that only Python can judge, and what may be part
        of a longer run."""
        cdef Py_buffer view
        cdef uint64_t i
        cdef uint8_t first
        cdef uint8_t truncated = FAULT_NAMES.index("truncated"), not_json = FAULT_NAMES.index("not-json")
        cdef list rows = []
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            for i in range(self.c.count):
                if self.c.offset[i] >= <uint64_t>view.len:
                    break
                if self.c.fault[i] == truncated:
                    rows.append(i)
                elif self.c.fault[i] == not_json:
                    first = (<const uint8_t*>view.buf)[self.c.offset[i]]
                    if first | 32 == 99:  # a Content-Length header begins with c or C
                        rows.append(i)
                elif self.c.fault[i] == 0:
                    if self.c.kind[i] == FG_BATCH or self.c.rules[2 * i + (FG_LOOK >> 6)] >> (FG_LOOK & 63) & 1:
                        rows.append(i)
        finally:
            PyBuffer_Release(&view)
        return rows

    def set_rules(self, uint64_t row, numbers):
        """Replaces the rules of one line."""
        if row >= self.c.count:
            raise IndexError(row)
        numbers = list(numbers)
        for number in numbers:
            _check_rule(number)
        self._forget(row)
        self.c.rules[2 * row] = self.c.rules[2 * row + 1] = 0
        for number in numbers:
            self.c.rules[2 * row + (<int>number >> 6)] |= <uint64_t>1 << (<int>number & 63)

    def cut(self, uint64_t count):
        """Drops the lines from `count` on."""
        cdef uint64_t row
        for row in range(count, self.c.count):
            self._forget(row)
        self.c.count = min(count, self.c.count)

    def columns(self):
        """dict of str to Column."""
        cdef fg_columns* c = &self.c
        cdef Py_ssize_t n = c.count
        return {
            "offset": _column(self, c.offset, n, 8, b"Q"),
            "length": _column(self, c.length, n, 4, b"I"),
            "kind": _column(self, c.kind, n, 1, b"B"),
            "facts": _column(self, c.facts, n, 8, b"Q"),
            "rules": _column(self, c.rules, 2 * n, 8, b"Q"),
            "fault": _column(self, c.fault, n, 1, b"B"),
            "fault_offset": _column(self, c.fault_offset, n, 4, b"I"),
            "id_start": _column(self, c.id_start, n, 4, b"I"),
            "id_stop": _column(self, c.id_stop, n, 4, b"I"),
            "method": _column(self, c.method, n, 2, b"H"),
            "marks": _column(self, c.marks, n, 2, b"H"),
            "method_start": _column(self, c.method_start, n, 4, b"I"),
            "method_stop": _column(self, c.method_stop, n, 4, b"I"),
        }


@cython.final
cdef class Column:
    """One column: a buffer of numbers, one a row (rules: two). `memoryview(column)` and numpy.asarray take it without copying."""

    cdef Columns owner
    cdef void* data
    cdef Py_ssize_t size, width
    cdef bytes code
    cdef Py_ssize_t[2] shape

    def __getbuffer__(self, Py_buffer* view, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("columns are read-only")
        view.buf, view.obj, view.readonly = self.data, self, 1
        view.itemsize, view.len, view.ndim = self.width, self.size * self.width, 1
        view.format = NULL
        view.shape = NULL
        if flags & PyBUF_FORMAT:
            view.format = self.code
        if flags & PyBUF_ND:
            view.shape = self.shape
        view.strides = NULL
        view.suboffsets = NULL
        view.internal = NULL

    def __releasebuffer__(self, Py_buffer* view):
        pass

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return memoryview(self)[index]


cdef Column _column(Columns owner, void* data, Py_ssize_t size, Py_ssize_t width, bytes code):
    cdef Column column = Column.__new__(Column)
    column.owner, column.size, column.width, column.code = owner, size, width, code
    # An empty array has no memory; a buffer must point somewhere.
    column.data = data
    if size == 0:
        column.data = &owner.c
    column.shape[0] = size
    return column


def scan(data not None, Limits limits not None, Table table not None, bint final, uint32_t chunk, uint64_t most=0, tuple by_direction=None,
         directions=None):
    """(Columns, bytes consumed): every line of the buffer judged by the rows of that table. The GIL is released.

    Where `final` is false a last line without LF is left for the next call. From `most` rows on the rest of the buffer is left, if it is
    not in the same chunk; 0: nothing is. `by_direction`: the tables for lines from a client and from a server. `directions`: a buffer with
    a byte for each line of `data`, an unfinished last one included: 0 unknown, 1 from a client, 2 from a server; ValueError for another length or number.
    """
    cdef Py_buffer view, towards
    cdef Columns columns = Columns()
    cdef fg_judges[3] by
    cdef const uint8_t* towards_of_lines = NULL
    cdef uint64_t size
    cdef int status, n
    _set_judges(&by[0], table)
    for n in range(2):
        _set_judges(&by[n + 1], table if by_direction is None else by_direction[n])
    columns.c.most = most
    if chunk < 1:
        raise ValueError("chunk must be at least 1 byte")
    PyObject_GetBuffer(b"" if directions is None else directions, &towards, PyBUF_SIMPLE)
    try:
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            if directions is not None:
                _check_directions(&view, &towards)
                towards_of_lines = <const uint8_t*>towards.buf
            size = view.len
            if not final:
                while size and (<const uint8_t*>view.buf)[size - 1] != 10:  # memrchr is not in every C library
                    size -= 1
            with nogil:
                status = scan_lines(<const uint8_t*>view.buf, size, &limits.c, by, towards_of_lines,
                                    chunk, &columns.c)
        finally:
            PyBuffer_Release(&view)
    finally:
        PyBuffer_Release(&towards)
    if status:
        raise MemoryError("no memory for the columns of this buffer")
    return columns, columns.c.read


cdef int _set_judges(fg_judges* by, Table table) except -1:
    by.table, by.protocol, by.own = &table.c, table.protocol(), table.all_own()
    return 0


cdef int _check_directions(const Py_buffer* lines, const Py_buffer* directions) except -1:
    cdef const uint8_t* b = <const uint8_t*>lines.buf
    cdef const uint8_t* d = <const uint8_t*>directions.buf
    cdef Py_ssize_t i, count = 0
    cdef uint8_t most = 0
    with nogil:
        for i in range(lines.len):
            count += b[i] == 10
        count += lines.len > 0 and b[lines.len - 1] != 10
        for i in range(directions.len):
            most = max(most, d[i])
    if count != directions.len:
        raise ValueError(f"directions has {directions.len} bytes for {count} lines; it has one for each line of the buffer")
    if most > 2:
        raise ValueError("a direction is 0 (unknown), 1 (client to server) or 2 (server to client)")
    return 0


def end_of_object(data not None, Limits limits not None, uint64_t start):
    """(one past the object that starts at `start` and may run over line feeds, or 0; how far was read)."""
    cdef Py_buffer view
    cdef uint32_t seen = 0, end = 0
    cdef uint64_t size
    cdef int status
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    if start > <uint64_t>view.len:
        PyBuffer_Release(&view)
        raise IndexError(start)
    size = min(<uint64_t>view.len - start, <uint64_t>limits.c.max_frame_bytes)
    with nogil:
        status = object_end(<const uint8_t*>view.buf + start, size, &limits.c, &end, &seen)
    PyBuffer_Release(&view)
    if status:
        raise MemoryError("no memory to read a message over several lines")
    return (start + end if end else 0), start + seen
