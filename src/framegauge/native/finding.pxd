"""Between the compiled modules of this package."""
cimport cython
from libc.stdint cimport uint32_t

from framegauge.native.core cimport fg_facts
from framegauge.native.program cimport Table


@cython.final
cdef class Finding:
    cdef readonly str severity
    cdef readonly Py_ssize_t offset, end, count
    cdef readonly frozenset revisions
    cdef readonly tuple related
    cdef readonly object _rule
    cdef readonly bytes _frame
    cdef str _path
    cdef Finding _inner  # the same in a part of the frame, whose pointer is `_prefix`: pointers are made on demand
    cdef str _prefix
    cdef str _missing, _wanted  # the member that is not there; what the spec asks for
    cdef readonly str detail


cdef list findings_of(Table t, const fg_facts* facts, uint32_t asked, bytes frame)
cdef void explain_by(pointer, hint) noexcept
