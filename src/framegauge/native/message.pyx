# cython: binding=False
"""One frame as a rule of the host sees it. Compiled because a gateway makes one for every frame that its rules subscribe to."""
cimport cython

from framegauge.native.core cimport *
from framegauge.native.tokenizer cimport Frame

cdef dict _ENVELOPE_NUMBERS = {"jsonrpc": FG_JSONRPC, "id": FG_ID, "method": FG_METHOD, "params": FG_PARAMS, "result": FG_RESULT, "error": FG_ERROR}


@cython.final
cdef class Message:
    """One frame that parses and is not invalid, as a rule sees it. Members are decoded when the rule asks for them.

    `data`: the bytes of the frame. `frame`: its facts, whose offsets count from the start of `data`.
    """

    cdef readonly bytes data
    cdef readonly Frame frame
    cdef dict _values  # decoded members by name

    def __init__(self, bytes data not None, Frame frame not None):
        self.data, self.frame = data, frame

    @property
    def kind(self):
        """Kind: what the frame is."""
        return self.frame.kind

    @property
    def method(self):
        """str or None: the method, of a request or notification."""
        return self.frame.method

    @property
    def id(self):
        """bytes or None: the raw id, exactly as sent."""
        return self.frame.id

    def raw(self, str name not None):
        """memoryview or None: the bytes of an envelope member's value; nothing is copied. ValueError for another name."""
        number = _ENVELOPE_NUMBERS.get(name)
        if number is None:
            return self.frame.member(name)  # which names the allowed ones
        cdef const fg_envelope_value* value = &self.frame.c.envelope[<int>number]
        if value.count == 0:
            return None
        return memoryview(self.data)[value.start:value.stop]

    @property
    def params(self):
        """The value of `params`, decoded by the standard library, or None. Of duplicate keys below it the last one counts."""
        return self._decoded("params")

    @property
    def result(self):
        """The value of `result`, decoded, or None."""
        return self._decoded("result")

    @property
    def error(self):
        """The value of `error`, decoded, or None."""
        return self._decoded("error")

    cdef object _decoded(self, str name):
        if self._values is None:
            self._values = {}
        if name not in self._values:
            raw = self.raw(name)
            self._values[name] = None if raw is None else _loads(bytes(raw))
        return self._values[name]


cdef object _loads(bytes text):
    from json import loads  # on demand: a gateway whose rules read no value never imports it

    return loads(text)
