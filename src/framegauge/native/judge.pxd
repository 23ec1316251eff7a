"""Between the compiled modules of this package."""
cimport cython
from libc.stdint cimport uint8_t, uint64_t

from framegauge.native.core cimport fg_table


@cython.final
cdef class Table:
    cdef fg_table c
    cdef readonly tuple rules, row_revisions, code_revisions
    cdef readonly object policy  # what framegauge.gauge needs to know about this table
    cdef bint auto, lines
    # The answers owed: docs/verdict.md section 3.
    cdef uint8_t[64] by_fault_always
    cdef bint from_client, client_replies
    cdef uint64_t unreadable  # facts of an id that cannot be echoed
    cdef readonly bytes no_id  # what an answer has in place of such an id
    cdef bint http  # a status is owed
    cdef readonly list errors  # by rule number and code: the rendered error members
    cdef int _add_row(self, int i, rule, facts, without, severity, answer) except -1
