"""For `cimport`: the facts of a frame without a Python object. The functions declared `nogil` may be called without the GIL."""
cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from framegauge.native.core cimport fg_columns, fg_facts, fg_found, fg_judges, fg_limits, fg_own, fg_place, fg_protocol, fg_shape_place, fg_table

cdef int classify_bytes(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts) noexcept nogil
cdef uint32_t element_spans(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room) noexcept nogil
cdef void default_limits(fg_limits* limits) noexcept nogil

# Between the compiled modules of this package.
cdef int scan(const uint8_t* data, Py_ssize_t size, const fg_limits* limits, fg_facts* facts) except -1
cdef int places_of(const uint8_t* data, Py_ssize_t size, const fg_limits* limits, fg_place* places) except -1
cdef void run_table(const fg_table* table, const fg_facts* facts, fg_found* found) noexcept nogil
cdef void judge_frame(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked,
                      fg_found* found) noexcept nogil
cdef int judge_again(const fg_protocol* protocol, const uint8_t* data, size_t size, const fg_facts* facts, uint32_t asked, fg_found* found,
                     fg_shape_place* places) except -1
cdef int scan_lines(const uint8_t* data, uint64_t size, const fg_limits* limits, const fg_judges* by, const uint8_t* directions,
                    uint32_t chunk, fg_columns* columns) noexcept nogil
cdef int object_end(const uint8_t* data, uint32_t size, const fg_limits* limits, uint32_t* end, uint32_t* seen) noexcept nogil
cdef void free_columns(fg_columns* columns) noexcept nogil
cdef void count_rules(const fg_columns* columns, uint64_t* counts) noexcept nogil
cdef uint32_t own_revision(const fg_own* own, const uint8_t* data, const fg_facts* facts) noexcept nogil
cdef bytes kept_parts(fg_facts* facts, const char* data)
cdef bytes whole_copy(fg_facts* facts, const char* data, Py_ssize_t size)
cdef object envelope_bytes(fg_facts* facts, object kept, bint parts, int which)
cdef object kind_of(uint8_t kind)


@cython.final
cdef class Limits:
    cdef fg_limits c


@cython.final
@cython.no_gc
cdef class Frame:
    cdef fg_facts c
    # bytes: the frame, or (where `parts`) its id and method, one after the other
    cdef PyObject* kept
    cdef bint parts


cdef Frame frame_of(fg_facts* facts, object kept, bint parts)
