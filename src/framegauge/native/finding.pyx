# cython: binding=False
"""Findings, made when a caller asks for them."""
cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int8_t, uint8_t, uint32_t
from libc.string cimport memset

from framegauge.native.core cimport *
from framegauge.native.program cimport ERROR, Table, fact_bit, holds
from framegauge.native.program import SEVERITIES
from framegauge.native.tokenizer cimport judge_again, places_of
from framegauge.native.tokenizer import FACT_NAMES

cdef tuple _SEVERITIES = SEVERITIES
cdef int _CODE_PLACE = FACT_NAMES.index("error-code-out-of-range")
cdef object _pointer = None, _hint = None


cdef void explain_by(pointer, hint) noexcept:
    """`pointer`: (frame, offset) to a JSON pointer. `hint`: (rule id, frame, offset) to an id and a text, or None."""
    global _pointer, _hint
    _pointer, _hint = pointer, hint


@cython.final
cdef class Finding:
    """One rule that a frame breaks: the first place, and how many there are.

    `rule`: its id. `severity`: error, warning or info. `authority`: what it rests on, a tuple of mcp, jsonrpc, json, interop, security, limit.
    `offset`, `end`: the bytes concerned, from the start of the frame. `path`: an RFC 6901 pointer to the member concerned, "" for the top
    level. `count`: places in the frame. `message`: one line. `hint`: (id, text) or None. `url`: the address of the text, or None.
    `revisions`: those in which the row that was found holds. `related`: other findings, for rules over several frames.
    """

    def __init__(self, rule, str severity not None, Py_ssize_t offset, Py_ssize_t end, Py_ssize_t count, frozenset revisions not None,
                 bytes frame not None, path=None, tuple related=(), detail=None):
        self._rule, self.severity, self.offset, self.end, self.count = rule, severity, offset, end, count
        self.revisions, self._frame, self._path, self.related, self.detail = revisions, frame, path, related, detail

    @property
    def rule(self):
        return self._rule.id

    @property
    def authority(self):
        return self._rule.authority

    @property
    def message(self):
        if self.detail is not None:
            return self.detail
        text = self._rule.message.replace("{offset}", str(self.offset))
        return text.replace("{member}", self._missing or "").replace("{wanted}", self._wanted or "another value")

    @property
    def url(self):
        return self._rule.urls[0] if self._rule.urls else None

    @property
    def path(self):
        if self._path is None:
            if self._inner is not None:
                self._path = self._prefix + self._inner.path
            elif self._rule.path is not None:
                self._path = self._rule.path
            else:
                self._path = _pointer(self._frame, self.offset)
                if self._missing is not None:
                    self._path += "/" + self._missing.replace("~", "~0").replace("/", "~1")
        return self._path

    @property
    def hint(self):
        return _hint(self._rule.id, self._frame, self.offset)

    def moved(self, Py_ssize_t by, bytes frame not None, str prefix not None, count=None, revisions=None):
        """Finding: the same finding in a larger frame, `by` bytes further on, below the member that `prefix` points to."""
        cdef Finding f = _finding(self._rule, 0, self.offset + by, self.end + by, self.count if count is None else count,
                                  self.revisions if revisions is None else revisions, frame)
        f.severity, f.related, f.detail = self.severity, self.related, self.detail
        f._missing, f._wanted = self._missing, self._wanted
        f._inner, f._prefix = self, prefix
        return f

    def to_dict(self):
        """dict: the finding as `framegauge check --format json` prints it."""
        hint = self.hint
        return {
            "rule": self.rule, "severity": self.severity, "authority": list(self.authority), "offset": self.offset, "end": self.end,
            "path": self.path, "count": self.count, "message": self.message,
            "hint": None if hint is None else {"id": hint[0], "text": hint[1]}, "url": self.url, "revisions": sorted(self.revisions),
        }

    def __repr__(self):
        return f"<Finding {self.rule} {self.severity} at byte {self.offset}>"


cdef Finding _finding(rule, uint8_t severity, Py_ssize_t offset, Py_ssize_t end, Py_ssize_t count, frozenset revisions, bytes frame):
    cdef Finding f = Finding.__new__(Finding)
    f._rule, f.severity, f.offset, f.end, f.count = rule, _SEVERITIES[severity], offset, end, count
    f.revisions, f._frame, f._path, f.related, f.detail = revisions, frame, None, (), None
    return f


cdef list findings_of(Table t, const fg_facts* facts, uint32_t asked, bytes frame):
    """Those of the compiled rows, each rule once, with the most severe of its rows. `asked`: number of the method that a response answers."""
    cdef fg_place[64] places
    cdef list found = []
    cdef int8_t[128] at  # of each rule in the list, from 1; 0: not yet
    cdef int i
    cdef const fg_row* row
    cdef fg_limits unlimited = fg_limits(FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT, FG_NO_LIMIT)
    if facts.fault:
        if t.c.by_fault[facts.fault] == FG_NO_RULE:
            return []
        rule = t.rules[t.by_fault_always[facts.fault]]
        end = facts.fault_offset + 1 if facts.fault_offset < facts.size else facts.fault_offset
        return [_finding(rule, ERROR, facts.fault_offset, end, 1, t.context.revisions, frame)]
    memset(at, 0, sizeof(at))
    places_of(<const uint8_t*>PyBytes_AS_STRING(frame), PyBytes_GET_SIZE(frame), &unlimited, places)
    for i in range(<int>t.c.row_count):
        row = &t.c.rows[i]
        if not holds(row, facts.bits):
            continue
        _merge(found, &at[row.rule], t.rules[row.rule], row.severity, &places[row.place], t.row_revisions[i], frame)
    if facts.has_error_code:
        for i in range(<int>t.c.code_count):
            if t.c.codes[i].low <= facts.error_code <= t.c.codes[i].high:
                _merge(found, &at[t.c.codes[i].rule], t.rules[t.c.codes[i].rule], t.c.codes[i].severity, &places[_CODE_PLACE],
                       t.code_revisions[i], frame)
    if t.shapes is not None:
        _add_shape_findings(found, t, facts, asked, frame)
    return found


cdef int _add_shape_findings(list found, Table t, const fg_facts* facts, uint32_t asked, bytes frame) except -1:
    cdef fg_shape_place[128] places
    cdef fg_found marks
    cdef int i
    memset(places, 0, sizeof(places))
    memset(&marks, 0, sizeof(marks))
    judge_again(&t.p, <const uint8_t*>PyBytes_AS_STRING(frame), PyBytes_GET_SIZE(frame), facts, asked, &marks, places)
    for i in range(FG_LOOK):
        if places[i].count:
            # One rule may be broken in the envelope too.
            for known in found:
                if (<Finding>known)._rule is t.rules[i]:
                    (<Finding>known).count += places[i].count
                    if places[i].offset < (<Finding>known).offset:
                        (<Finding>known).offset, (<Finding>known).end = places[i].offset, places[i].end
                    break
            else:
                found.append(_shape_finding(t, i, &places[i], frame))
    return 0


cdef Finding _shape_finding(Table t, int rule, const fg_shape_place* place, bytes frame):
    cdef Finding finding = _finding(t.rules[rule], ERROR if place.error else _SEVERITIES.index(t.rules[rule].milder), place.offset, place.end,
                                    place.count, t.context.revisions.intersection(t.rules[rule].severities()), frame)
    if place.member != FG_NOTHING:
        finding._missing = t.shapes.texts[place.member].decode()
        if place.spec in t.shapes.choices:
            finding.detail = f"one of {t.shapes.choices[place.spec]} must be there, and none is"
    if place.spec != FG_NOTHING:
        finding._wanted = t.shapes.wanted[place.spec]
    return finding


def in_order(found):
    """tuple of Finding: those, by offset and rule."""
    cdef list ordered = list(found)
    if len(ordered) > 64:  # only users' rules find so many
        return tuple(sorted(ordered, key=lambda finding: (finding.offset, finding.rule)))
    cdef Finding one, other
    cdef Py_ssize_t i, at
    for i in range(1, len(ordered)):
        one = <Finding?>ordered[i]
        at = i
        while at > 0:
            other = <Finding?>ordered[at - 1]
            if other.offset < one.offset or (other.offset == one.offset and other._rule.id <= one._rule.id):
                break
            ordered[at] = other
            at -= 1
        ordered[at] = one
    return tuple(ordered)


cdef int _merge(list found, int8_t* at, rule, uint8_t severity, const fg_place* place, frozenset revisions, bytes frame) except -1:
    """A rule is listed once: the most severe of its rows, and of rows as severe the first place and all of them counted."""
    cdef Finding known
    if not at[0]:
        at[0] = <int8_t>(len(found) + 1)
        found.append(_finding(rule, severity, place.offset, place.end, place.count, revisions, frame))
        return 0
    known = <Finding>found[at[0] - 1]
    if _SEVERITIES.index(known.severity) > severity:
        found[at[0] - 1] = _finding(rule, severity, place.offset, place.end, max(known.count, place.count), revisions | known.revisions, frame)
    elif _SEVERITIES.index(known.severity) < severity:
        # The milder row sees the places of the severe one too.
        known.count = max(known.count, place.count)
        known.revisions = known.revisions | revisions
    elif _SEVERITIES.index(known.severity) == severity:
        known.count += place.count
        known.revisions = known.revisions | revisions
        if place.offset < known.offset:
            known.offset, known.end = place.offset, place.end
    return 0
