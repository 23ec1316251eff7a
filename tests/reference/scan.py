"""The reader: one JSON text from a position to the end of the frame, as a stream of events.

An explicit stack holds the open brackets, so depth costs no recursion. The first byte fault or
exceeded limit ends the stream with an exception; the events before it stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .model import ByteError, LimitError, Limits
from .tokens import (
    FOREIGN_WORDS,
    LITERALS,
    NON_FINITE,
    Number,
    byte_at,
    is_comment,
    is_digit,
    is_minus_infinity,
    number_at,
    skip_space,
    string_stop,
    word_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

# What may come next.
VALUE_STARTS = (b'"', b"{", b"[", b"-", *(b"%d" % digit for digit in range(10)), b"t", b"f", b"n")

VALUE = "value"
VALUE_OR_CLOSE = "value or ]"
KEY = "key"
KEY_OR_CLOSE = "key or }"
COLON = "colon"
COMMA_OR_CLOSE = "comma or close"
END = "end"


class Event(NamedTuple):
    """`open` and `close` of a container, `key`, or `scalar`.

    `type` is the value's type; the span is the token's, or the bracket's.
    """

    name: str
    type: str
    start: int
    stop: int


class Scanner:
    """State of one pass. `events()` is the only entry."""

    def __init__(self, data: bytes, start: int, limits: Limits) -> None:
        self.data = data
        self.pos = start
        self.limits = limits
        self.due = VALUE
        self.open: list[str] = []  # types of the open containers
        self.member_counts: list[int] = []  # keys so far, one number for each open container
        self.top = ""  # type of the top-level value
        self.top_items = 0  # values that began directly in a top-level array
        self.tokens = 0
        self.only_brackets = True  # every token so far is { or [
        self.only_numbers = True  # every value so far inside the top-level array is a number

    def events(self) -> Iterator[Event]:
        while True:
            self.pos = skip_space(self.data, self.pos)
            if self.pos == len(self.data):
                if self.due == END:
                    return
                raise ByteError("truncated", len(self.data))
            event = self._next_token()
            self.tokens += 1
            if event is not None:
                yield event

    def _next_token(self) -> Event | None:
        """Read the token at pos, and move on. Commas and colons give no event."""
        byte = byte_at(self.data, self.pos)
        if byte in (b"]", b"}") and self._may_close(byte):
            return self._close()
        if self.due in (VALUE, VALUE_OR_CLOSE):
            return self._value(byte)
        if self.due in (KEY, KEY_OR_CLOSE) and byte == b'"':
            return self._key()
        if self.due == COLON and byte == b":":
            self.pos += 1
            self.due = VALUE
            return None
        if self.due == COMMA_OR_CLOSE and byte == b",":
            self.pos += 1
            self.due = VALUE if self.open[-1] == "array" else KEY
            return None
        raise self._misfit()

    # --- tokens that fit ---------------------------------------------------------------------

    def _may_close(self, byte: bytes) -> bool:
        type_, empty = ("array", VALUE_OR_CLOSE) if byte == b"]" else ("object", KEY_OR_CLOSE)
        return self.due == empty or (self.due == COMMA_OR_CLOSE and self.open[-1] == type_)

    def _close(self) -> Event:
        type_ = self.open.pop()
        self.member_counts.pop()
        self.only_brackets = False
        event = Event("close", type_, self.pos, self.pos + 1)
        self._after_value(self.pos + 1)
        return event

    def _after_value(self, stop: int) -> None:
        self.pos = stop
        self.due = COMMA_OR_CLOSE if self.open else END

    def _key(self) -> Event:
        start = self.pos
        self.only_brackets = False
        self.member_counts[-1] += 1
        if exceeds(self.member_counts[-1], self.limits.max_members):
            raise LimitError("too-many-members", start)
        self.pos = string_stop(self.data, start)
        self.due = COLON
        return Event("key", "string", start, self.pos)

    def _value(self, byte: bytes) -> Event:
        start = self.pos
        if self.open == ["array"] and byte in VALUE_STARTS:
            self.top_items += 1
            if exceeds(self.top_items, self.limits.max_batch_items):
                raise LimitError("batch-too-large", start)
        if byte in (b"{", b"["):
            return self._open("object" if byte == b"{" else "array")
        if byte == b'"':
            self._begin_value("string")
            stop = string_stop(self.data, start)
            self._after_value(stop)
            return Event("scalar", "string", start, stop)
        number = number_at(self.data, start)
        if number is not None:
            return self._number(number)
        if byte == b"-" and start + 1 == len(self.data):
            raise ByteError("truncated", len(self.data))
        word = word_at(self.data, start)
        if word in LITERALS:
            self._begin_value(LITERALS[word])
            self._after_value(start + len(word))
            return Event("scalar", LITERALS[word], start, self.pos)
        if begins_literal(word) and start + len(word) == len(self.data):
            raise ByteError("truncated", len(self.data))
        raise self._misfit()

    def _begin_value(self, type_: str) -> None:
        """A value begins at pos."""
        if not self.open:
            self.top = type_
        elif type_ != "number":
            self.only_numbers = False
        if type_ not in ("object", "array"):
            self.only_brackets = False

    def _open(self, type_: str) -> Event:
        start = self.pos
        self._begin_value(type_)
        if exceeds(len(self.open) + 1, self.limits.max_depth):
            raise LimitError("nesting-limit", start)
        self.open.append(type_)
        self.member_counts.append(0)
        self.pos += 1
        self.due = KEY_OR_CLOSE if type_ == "object" else VALUE_OR_CLOSE
        return Event("open", type_, start, self.pos)

    def _number(self, number: Number) -> Event:
        start = self.pos
        first_of_array = self.tokens == 1 and self.open == ["array"]
        self._begin_value("number")
        if exceeds(number.digits, self.limits.max_number_digits):
            raise LimitError("number-too-long", start)
        if number.state == "cut":
            raise ByteError("truncated", len(self.data))
        if number.state == "bad":
            raise ByteError("bad-number", start)
        follower_at = skip_space(self.data, number.stop)
        follower = byte_at(self.data, follower_at)
        log_line = not self.open or first_of_array  # 2.1 (b) and (d) may apply
        if number.state == "zeros" and not (log_line and follower not in (b"", b",", b"]", b"}")):
            raise ByteError("bad-number", start)
        if first_of_array and follower not in (b"", b",", b"]"):
            raise ByteError("not-json", follower_at)
        if self.open and sticks_to_number(byte_at(self.data, number.stop)):
            raise ByteError("bad-number", start)
        self._after_value(number.stop)
        return Event("scalar", "number", start, number.stop)

    # --- what stands at pos does not fit -----------------------------------------------------

    def _misfit(self) -> ByteError:
        if self.due in (VALUE, VALUE_OR_CLOSE):
            return ByteError(self._value_misfit(), self.pos)
        if self.due in (KEY, KEY_OR_CLOSE):
            return ByteError(self._key_misfit(), self.pos)
        if self.due == END:
            return ByteError(self._end_misfit(), self.pos)
        fault = "bad-literal" if is_comment(self.data, self.pos) else "bad-structure"
        return ByteError(fault, self.pos)

    def _value_misfit(self) -> str:
        data, pos = self.data, self.pos
        byte, following = byte_at(data, pos), byte_at(data, pos + 1)
        if byte in (b",", b":", b"]", b"}"):
            return "bad-structure"
        if self.only_brackets and not self._looks_like_json(key_due=False):
            return "not-json"
        if word_at(data, pos) in NON_FINITE or is_minus_infinity(data, pos):
            return "non-finite-number"
        if byte == b"-" or (byte in (b"+", b".") and is_digit(following)):
            return "bad-number"
        return "bad-literal"

    def _key_misfit(self) -> str:
        data, pos = self.data, self.pos
        if self.only_brackets and not self._looks_like_json(key_due=True):
            return "not-json"
        word = word_at(data, pos)
        if word:
            return "bad-structure" if word in LITERALS else "bad-literal"
        if byte_at(data, pos) == b"'" or is_comment(data, pos):
            return "bad-literal"
        return "bad-structure"

    def _end_misfit(self) -> str:
        byte = byte_at(self.data, self.pos)
        closes_or_separates = byte in (b",", b"]", b"}")
        if self.top == "object":
            return "trailing-data"
        if self.top == "array":
            prose = self.only_numbers and not closes_or_separates  # 2.1 (c)
            return "not-json" if prose else "trailing-data"
        return "bad-structure" if closes_or_separates else "not-json"  # 2.1 (b)

    def _looks_like_json(self, key_due: bool) -> bool:
        """The list of 2.1 (a): after nothing but brackets, does a near miss of JSON stand here?"""
        data, pos = self.data, self.pos
        byte, following = byte_at(data, pos), byte_at(data, pos + 1)
        if byte in (b'"', b"'", b",", b":", b"[", b"]", b"{", b"}"):
            return True
        if is_digit(byte) or (byte in (b"-", b"+", b".") and is_digit(following)):
            return True
        if is_minus_infinity(data, pos):
            return True
        word = word_at(data, pos)
        if word in FOREIGN_WORDS or word in LITERALS or begins_literal(word):
            return True
        if key_due and word and word.isascii():
            return byte_at(data, skip_space(data, pos + len(word))) == b":"
        return False


def exceeds(amount: int, limit: int | None) -> bool:
    return limit is not None and amount > limit


def begins_literal(word: bytes) -> bool:
    return word != b"" and any(literal.startswith(word) for literal in LITERALS)


def sticks_to_number(byte: bytes) -> bool:
    return byte != b"" and (byte.isalnum() or byte in b"_$.+-" or byte >= b"\x80")
