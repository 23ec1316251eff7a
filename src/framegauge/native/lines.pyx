# cython: binding=False
"""Many frames at once: a newline-delimited buffer to columns."""
cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_SIMPLE, PyBUF_WRITABLE, Py_buffer, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memrchr, memset

from framegauge.native.core cimport fg_columns
from framegauge.native.judge cimport Table
from framegauge.native.tokenizer cimport Limits, free_columns, scan_lines

# Stage 1 runs once per so many bytes. From 64 KiB to 4 MiB the speed is the same within 4 %; this stays inside a core's second cache.
CHUNK = 256 * 1024


@cython.final
cdef class Columns:
    """The memory of all columns; each Column refers to it."""

    cdef fg_columns c

    def __cinit__(self):
        memset(&self.c, 0, sizeof(fg_columns))

    def __dealloc__(self):
        free_columns(&self.c)

    def __len__(self):
        return self.c.count


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


def columns_of(data not None, Limits limits not None, Table table not None, bint final, uint32_t chunk):
    """(dict of columns by name, bytes consumed): every line of the buffer judged by that table. The GIL is released.

    Where `final` is false a last line without LF is left for the next call.
    """
    cdef Py_buffer view
    cdef Columns columns = Columns()
    cdef uint64_t size
    cdef int status
    cdef const void* newline
    if chunk < 1:
        raise ValueError("chunk must be at least 1 byte")
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        size = view.len
        if not final:
            newline = memrchr(view.buf, 10, size) if size else NULL
            size = <uint64_t>(<const char*>newline - <const char*>view.buf) + 1 if newline is not NULL else 0
        with nogil:
            status = scan_lines(<const uint8_t*>view.buf, size, &limits.c, &table.c, chunk, &columns.c)
    finally:
        PyBuffer_Release(&view)
    if status:
        raise MemoryError("no memory for the columns of this buffer")
    cdef fg_columns* c = &columns.c
    cdef Py_ssize_t n = c.count
    return {
        "offset": _column(columns, c.offset, n, 8, b"Q"),
        "length": _column(columns, c.length, n, 4, b"I"),
        "kind": _column(columns, c.kind, n, 1, b"B"),
        "facts": _column(columns, c.facts, n, 8, b"Q"),
        "rules": _column(columns, c.rules, 2 * n, 8, b"Q"),
        "fault": _column(columns, c.fault, n, 1, b"B"),
        "fault_offset": _column(columns, c.fault_offset, n, 4, b"I"),
        "id_start": _column(columns, c.id_start, n, 4, b"I"),
        "id_stop": _column(columns, c.id_stop, n, 4, b"I"),
        "method": _column(columns, c.method, n, 2, b"H"),
        "method_start": _column(columns, c.method_start, n, 4, b"I"),
        "method_stop": _column(columns, c.method_stop, n, 4, b"I"),
    }, size
