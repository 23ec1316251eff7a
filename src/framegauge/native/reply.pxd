"""Between the compiled modules of this package."""
cimport cython
from libc.stdint cimport int32_t

from framegauge.native.core cimport fg_facts, fg_found
from framegauge.native.program cimport Table


@cython.final
cdef class Reply:
    cdef readonly int code
    cdef readonly bytes id
    cdef readonly object status
    cdef readonly tuple items
    cdef bytes _no_id, _error
    cdef str _rule
    cdef dict _more  # of the error's data; None: nothing


cdef struct Owed:
    bint respond
    int32_t code  # 0: no error answer
    int rule
    bint echo     # the id can be echoed


cdef Owed owed_for(const fg_facts* facts, const fg_found* found, Table t) noexcept
cdef void send_texts(dict texts) noexcept
cdef Reply reply_of(Table t, Owed owed, bytes id, status, dict more)
