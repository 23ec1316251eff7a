# cython: binding=False
"""Rows of Python to what the native layer runs: a Table for a gauge, the Shapes of a revision for its tables."""
from itertools import count
from operator import itemgetter

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from framegauge.native.core cimport *
from framegauge.native.tokenizer import FACT_NAMES, FAULT_NAMES

MOST_OWN = MOST_LISTED = 16  # revisions
LOOK = FG_LOOK
SEVERITIES = ("error", "warning", "info")
_SERIALS = count(1)  # of tables
_FACTS = {name: i for i, name in enumerate(FACT_NAMES)}
cdef object _claimed_table = None

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


cdef class Table:
    """The rows of one gauge under one revision, direction and transport, compiled.

    The keywords say how answers are given: to a client or to a server that may call, which facts make an id unreadable, the bytes in its
    place, whether HTTP statuses are owed. `rules`: every Rule by number. `rows`: (rule number, facts, without, severity, answer, revisions); `codes`: (rule number, low, high,
    severity, revisions). `faults`: rule number by fault id, for those selected. `own`: the revisions that a frame may name itself, which
    asks for another table. `lines`: line rules may replace a fault. Of rules by number: `infos`, which are no more than that where they
    are no error; `meta`, which decide before the version does. `listed`: the revisions that the host lists, where the frame has to name one. ValueError for a fact that does not exist.
    """

    def __init__(self, tuple rules, list rows, list codes, dict faults, context, tuple own, bint lines, *, bint from_client=True,
                 bint client_replies=True, unreadable=(), bytes no_id=b"", bint http=False, Shapes shapes=None, int senders=3,
                 selected=frozenset(), dict answers=None, infos=frozenset(), meta=frozenset(), tuple listed=()):
        self.from_client, self.client_replies = from_client, client_replies
        self.shapes = shapes
        if shapes is not None:
            self.p = shapes.c
            self.p.senders = senders
        for number in selected:
            self.p.selected[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)
        for number, code in (answers or {}).items():
            self.answers[<int>number] = code
        for number in infos:
            self.p.infos[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)
        for number in meta:
            self.meta[<int>number >> 6] |= <uint64_t>1 << (<int>number & 63)
        self._set_listed(listed)
        self.unreadable = 0
        for name in unreadable:
            self.unreadable |= <uint64_t>1 << <int>_FACTS[name]
        self.no_id, self.http, self.errors = no_id, http, {}
        if len(rules) > FG_LOOK or len(rows) > FG_ROWS or len(codes) > FG_CODE_ROWS:
            raise ValueError("more rules, rows or code ranges than a table holds")
        self.rules = rules
        self.context, self.lines = context, lines
        self._set_own(own)
        self.row_revisions = tuple(map(itemgetter(5), rows))
        self.code_revisions = tuple(map(itemgetter(4), codes))
        self.c.row_count, self.c.code_count = len(rows), len(codes)
        self.c.suspicious, self.c.serial = 0, next(_SERIALS)
        numbers = {rule.id: i for i, rule in enumerate(rules)}
        for i in range(64):
            name = FAULT_NAMES[i] if i < len(FAULT_NAMES) else ""
            self.c.by_fault[i] = faults.get(name, FG_NO_RULE)
            self.by_fault_always[i] = numbers.get(name, FG_NO_RULE)
        for i, (rule, facts, without, severity, answer, _) in enumerate(rows):
            self._add_row(i, rule, facts, without, severity, answer)
        for i, (rule, low, high, severity, _) in enumerate(codes):
            self.c.codes[i] = fg_code_row(low, high, rule, SEVERITIES.index(severity))

    cdef int _set_own(self, tuple names) except -1:
        if len(names) > MOST_OWN:
            raise ValueError("more revisions than a table holds")
        self.own_names, self.own = tuple(map(str.encode, names)), [None] * len(names)
        for i, name in enumerate(self.own_names):
            self.own_texts[i].text, self.own_texts[i].size = PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)
        self.o.names, self.o.tables, self.o.protocols = &self.own_texts[0], &self.own_tables[0], &self.own_protocols[0]
        self.o.count = len(names)
        return 0

    cdef int _set_listed(self, tuple names) except -1:
        if len(names) > MOST_LISTED:
            raise ValueError("more revisions than a table holds")
        self.listed = tuple(map(str.encode, names))
        for i, name in enumerate(self.listed):
            self.listed_texts[i].text, self.listed_texts[i].size = PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name)
        self.p.listed, self.p.listed_count = &self.listed_texts[0], len(names)
        return 0

    cdef Table own_at(self, uint32_t n):
        """The table of the n-th of these revisions; made when it is first asked for."""
        cdef Table own
        if self.own[n] is None:
            own = _claimed_table(self.context, n)
            # Another thread may have been here meanwhile, and read lines by its table without a lock: that one stays.
            if self.own[n] is None:
                self.own_tables[n], self.own_protocols[n] = &own.c, own.protocol()
                self.own[n] = own
        return <Table>self.own[n]

    cdef const fg_own* all_own(self) except? NULL:
        for n in range(self.o.count):
            self.own_at(n)
        return &self.o if self.o.count else NULL

    cdef const fg_protocol* protocol(self) noexcept:
        if self.shapes is None:
            return NULL
        return &self.p

    cdef int _add_row(self, int i, rule, facts, without, severity, answer) except -1:
        cdef fg_row* row = &self.c.rows[i]
        row.facts, row.without = _mask(facts), _mask(without)
        row.rule, row.severity, row.answer = rule, SEVERITIES.index(severity), answer or 0
        row.place = _FACTS[facts[0]]
        # The first fact of a row is the one that a clean frame never has.
        self.c.suspicious |= <uint64_t>1 << row.place
        return 0


cdef uint64_t _mask(names) except? 0xFFFFFFFFFFFFFFFF:
    cdef uint64_t mask = 0
    for name in names:
        if name not in _FACTS:
            raise ValueError(f"there is no fact {name!r}")
        mask |= <uint64_t>1 << <int>_FACTS[name]
    return mask


cdef uint64_t fact_bit(str name) except? 0:
    return <uint64_t>1 << <int>_FACTS[name]


cdef void make_tables_by(claimed_table) noexcept:
    """`claimed_table`: (context, number of an MCP revision) to its Table."""
    global _claimed_table
    _claimed_table = claimed_table
