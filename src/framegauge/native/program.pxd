"""Between the compiled modules of this package."""
cimport cython

from framegauge.native.core cimport fg_protocol


@cython.final
cdef class Shapes:
    cdef fg_protocol c  # without what a table adds: rules selected, who sent the frame
    cdef readonly tuple texts  # of bytes
    cdef readonly tuple wanted  # by spec, in words
    cdef readonly dict choices  # by spec, the names of the members of which one must be there
