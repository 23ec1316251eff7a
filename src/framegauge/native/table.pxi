# Included by verdict.pyx: what a gauge is compiled to.


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
        self.no_id, self.http, self.errors = no_id, http, [None] * (128 * _CODES)
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
            self.c.codes[i] = fg_code_row(low, high, rule, _SEVERITIES.index(severity))

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
        row.rule, row.severity, row.answer = rule, _SEVERITIES.index(severity), answer or 0
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
