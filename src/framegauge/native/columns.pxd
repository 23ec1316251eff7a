"""For `cimport`: the columns of `Gauge.check_lines` as C arrays, without the buffer protocol.

`Verdicts.columns` is a Columns. Its arrays have `c.count` rows (`c.rules` two words a row) and live as long as the object.
"""
cimport cython
from libc.stdint cimport uint64_t

from framegauge.native.core cimport fg_columns


@cython.final
cdef class Columns:
    cdef fg_columns c
    cdef uint64_t[2] gone  # rules of rows that have others now, or are none
    cdef void _forget(self, uint64_t row) noexcept
