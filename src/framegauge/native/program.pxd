"""Between the compiled modules of this package."""
cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from framegauge.native.core cimport fg_own, fg_protocol, fg_row, fg_table, fg_text

cdef enum:  # fg_row.severity
    ERROR
    WARNING
    INFO

cdef struct Step:  # one place in the order of answers
    int32_t code
    bint envelope  # it is about the envelope: such an error of a server is not answered
    uint64_t[2] rows, values  # that ask for the code: rows of the table, rules on values
    uint64_t[2] after  # rules of which one must be an error; none: always


@cython.final
cdef class Shapes:
    cdef fg_protocol c  # without what a table adds: rules selected, who sent the frame
    cdef readonly tuple texts  # of bytes
    cdef readonly tuple wanted  # by spec, in words
    cdef readonly dict choices  # by spec, the names of the members of which one must be there


@cython.final
cdef class Table:
    cdef fg_table c
    cdef readonly tuple rules, row_revisions, code_revisions
    cdef readonly object context  # framegauge.gauge.context.Context: what this table was compiled for
    cdef bint lines
    # Of the revisions that a frame may name itself: names, tables (made when asked for), and pointers into these.
    cdef tuple own_names
    cdef list own
    cdef fg_text[16] own_texts
    cdef const fg_table* own_tables[16]
    cdef const fg_protocol* own_protocols[16]
    cdef fg_own o
    cdef int _set_own(self, tuple names) except -1
    cdef Table own_at(self, uint32_t n)
    cdef const fg_own* all_own(self) except? NULL
    # The answers owed: docs/verdict.md section 3.
    cdef uint8_t[64] by_fault_always
    cdef int32_t[2] fault_codes  # of a fault of the bytes, of a limit
    cdef Step[16] steps
    cdef int step_count
    cdef int _set_steps(self, order, dict answers) except -1
    cdef bint from_client, client_replies
    cdef uint64_t unreadable  # facts of an id that cannot be echoed
    cdef readonly bytes no_id  # what an answer has in place of such an id
    cdef bint http  # a status is owed
    cdef readonly dict errors  # by rule number and code: the rendered error members; a key is code * FG_ROWS + rule
    cdef Shapes shapes  # the specs of methods and values; None: none
    cdef fg_protocol p
    cdef readonly tuple listed
    cdef fg_text[16] listed_texts
    cdef int _set_listed(self, tuple names) except -1
    cdef const fg_protocol* protocol(self) noexcept


cdef inline bint holds(const fg_row* row, uint64_t bits) noexcept:
    return (bits & row.facts) == row.facts and not (bits & row.without)


cdef uint64_t fact_bit(str name) except? 0
cdef void make_tables_by(claimed_table) noexcept
