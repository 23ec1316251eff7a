"""For `cimport`: the facts of a frame without a Python object. Every function may be called without the GIL."""
from framegauge.native.core cimport fg_facts, fg_limits
from libc.stdint cimport uint8_t, uint32_t

cdef int classify_bytes(const uint8_t* data, size_t size, const fg_limits* limits, fg_facts* facts) noexcept nogil
cdef uint32_t element_spans(const uint8_t* data, size_t size, uint32_t* spans, uint32_t room) noexcept nogil
cdef void default_limits(fg_limits* limits) noexcept nogil
