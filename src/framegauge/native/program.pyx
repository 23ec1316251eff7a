# cython: binding=False
"""What MCP says of methods and values, as arrays for the native layer."""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.string cimport memset

from framegauge.native.core cimport *

NOTHING = FG_NOTHING
NO_FRAME = FG_NO_FRAME
MILD, UNLESS_TASK = FG_MILD, FG_UNLESS_TASK
DEPTH = FG_SHAPE_DEPTH
DEPRECATED = FG_DEPRECATED
NO_LOW, NO_HIGH, ANY_SIZE = FG_NO_LOW, FG_NO_HIGH, <uint32_t>FG_ANY_SIZE
LISTED, BEGINS = FG_LISTED, FG_BEGINS
FORMATS = {"base64": FG_BASE64, "iso8601": FG_ISO8601, "mime": FG_MIME, "uri": FG_URI, "url": FG_URL}


@cython.final
cdef class Shapes:
    """The compiled data of one revision, or of several taken together. Immutable; shared by all tables of that revision.

    `texts`: bytes. `specs`: (types, shape, each, items, values, value count, known count, low, high, most, integer, bounded, format, mild, missing,
    type and value rule, deprecated). `shapes`:
    (required, one of, members, count, tag, its spec, cases, case count, otherwise, fallback, value rule, look, keys, name of the copy, text copy). `members`: (text, spec). `cases`: (text, shape).
    `methods`, by number and then the extra ones: (kind, elsewhere, senders, params required, params, result). `errors`: (code, spec).
    `of_any`: spec of any result, and of an error object of any other code. `params_text`: text; `extra_texts`: the first of `extra_count`. `rules`: three times (missing, type, value);
    `own_rules`: unknown method, other revision, wrong direction, with and without id, unknown param, case variant, lookalike, and those of `meta_keys` and what follows. `from_whom`: who sends answers, and requests. `meta`: (reserved label, count and first text of the
    keys whose values are W3C's, first text and count of the reserved keys that are defined, shape of a block of text). `wanted`: what
    each spec asks for, in words; `choices`: by spec of a member, all of which one must be there, in words. All indices are the compiler's own (framegauge.gauge.value_program) and are not checked.
    """

    def __cinit__(self):
        memset(&self.c, 0, sizeof(fg_protocol))

    def __init__(self, tuple texts, list specs, list shapes, list members, list cases, list methods, list errors, tuple of_any, int params_text,
                 int extra_texts, int extra_count, tuple rules, tuple own_rules, tuple from_whom, tuple wanted, dict choices,
                 tuple meta):
        if self.c.specs != NULL:
            raise RuntimeError("Shapes are made once")
        self.texts, self.wanted, self.choices = texts, wanted, choices
        cdef fg_spec* spec = <fg_spec*>_room(len(specs), sizeof(fg_spec))
        self.c.specs = spec
        for i, each in enumerate(specs):
            (spec[i].types, spec[i].shape, spec[i].each, spec[i].items, spec[i].values, spec[i].value_count, spec[i].known_count,
             spec[i].low, spec[i].high, spec[i].most, spec[i].integer, spec[i].bounded, spec[i].format, spec[i].mild,
             spec[i].missing_rule, spec[i].type_rule, spec[i].value_rule, spec[i].deprecated) = each
        cdef fg_shape* shape = <fg_shape*>_room(len(shapes), sizeof(fg_shape))
        self.c.shapes = shape
        for i, each in enumerate(shapes):
            (shape[i].required, shape[i].one_of, shape[i].members, shape[i].count, shape[i].tag, shape[i].tag_spec, shape[i].cases, shape[i].case_count,
             shape[i].otherwise, shape[i].fallback, shape[i].value_rule, shape[i].look, shape[i].keys, shape[i].copied_to, shape[i].text_copy) = each
        cdef fg_shape_member* member = <fg_shape_member*>_room(len(members), sizeof(fg_shape_member))
        self.c.members = member
        for i, each in enumerate(members):
            member[i].text, member[i].spec = each
        cdef fg_shape_case* case = <fg_shape_case*>_room(len(cases), sizeof(fg_shape_case))
        self.c.cases = case
        for i, each in enumerate(cases):
            case[i].text, case[i].shape = each
        cdef fg_text* text = <fg_text*>_room(len(texts), sizeof(fg_text))
        self.c.texts = text
        for i, each in enumerate(texts):
            text[i].text, text[i].size = PyBytes_AS_STRING(each), PyBytes_GET_SIZE(each)
            text[i].head = int.from_bytes((<bytes>each)[:8], "little")
        cdef fg_method_row* method = <fg_method_row*>_room(len(methods), sizeof(fg_method_row))
        self.c.methods = method
        for i, each in enumerate(methods):
            (method[i].kind, method[i].elsewhere, method[i].senders, method[i].params_required, method[i].params, method[i].result) = each
        cdef fg_error_data* error = <fg_error_data*>_room(len(errors), sizeof(fg_error_data))
        self.c.errors, self.c.error_count = error, len(errors)
        for i, each in enumerate(errors):
            error[i].code, error[i].spec = each
        self.c.params_text = params_text
        self.c.any_result, self.c.any_error = of_any
        self.c.answers_from, self.c.requests_from = from_whom
        self.c.extra_texts, self.c.extra_count = extra_texts, extra_count
        for i in range(3):
            self.c.rules[i].missing, self.c.rules[i].type, self.c.rules[i].value = rules[i]
        (self.c.unknown_method, self.c.other_revision, self.c.wrong_direction, self.c.with_id, self.c.without_id, self.c.unknown_param,
         self.c.case_variant, self.c.lookalike, self.c.unlisted, self.c.meta_key, self.c.reserved_prefix, self.c.trace_value,
         self.c.extension_key, self.c.deprecated, self.c.text_copy) = own_rules
        (self.c.reserved_label, self.c.trace_count, self.c.trace_texts, self.c.defined_texts, self.c.defined_count, self.c.text_block) = meta

    def __dealloc__(self):
        PyMem_Free(<void*>self.c.specs)
        PyMem_Free(<void*>self.c.shapes)
        PyMem_Free(<void*>self.c.members)
        PyMem_Free(<void*>self.c.cases)
        PyMem_Free(<void*>self.c.texts)
        PyMem_Free(<void*>self.c.methods)
        PyMem_Free(<void*>self.c.errors)


cdef void* _room(Py_ssize_t count, size_t size) except NULL:
    cdef void* room = PyMem_Calloc(count + 1, size)
    if room == NULL:
        raise MemoryError("no memory for the tables of a revision")
    return room
