"""The location of a byte in JSON, as an RFC 6901 pointer."""

import json
import re

__all__ = ["pointer"]

# A bracket, comma or colon; a string, perhaps cut; a run of anything else but white space. Nothing is tried twice.
_TOKEN = re.compile(
    rb"""[{}\[\],:] | "[^"\\]*+(?:\\.[^"\\]*+)*+"?+ | [^ \t\r\n{}\[\],:"]++""",
    re.DOTALL | re.VERBOSE,
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def pointer(frame: bytes, offset: int) -> str:
    """The innermost member (its key, colon and value) or element with the byte at `offset`; "" for the top level.

    Broken JSON is followed as far as possible up to the offset; bytes behind the offset are not read.
    """
    trail = _Trail()
    for match in _TOKEN.finditer(frame):
        if match.start() > offset:
            break
        token = match.group()
        trail.enter(token)
        if match.end() > offset:
            break
        trail.leave(token)
    return trail.pointer()


class _Trail:
    """The containers that are open, outermost first, and the member or element of each that is being read."""

    def __init__(self) -> None:
        self._current: list[bytes | int | None] = []  # a key as written, an index, or between two
        self._index: list[int | None] = []  # of the element that is due; None: an object

    def enter(self, token: bytes) -> None:
        """Go to the location of the token."""
        if token in (b"}", b"]"):
            self._pop()
        elif token == b",":
            self._end_value()
            if self._index and self._index[-1] is not None:
                self._index[-1] += 1
        elif token != b":" and self._index:
            if self._index[-1] is not None:
                self._current[-1] = self._index[-1]
            elif self._current[-1] is None and token.startswith(b'"'):
                self._current[-1] = token

    def leave(self, token: bytes) -> None:
        """Go on to the location of the next token."""
        if token in (b"{", b"["):
            self._current.append(None)
            self._index.append(0 if token == b"[" else None)
        elif token != b":" and not self._is_key(token):
            self._end_value()

    def pointer(self) -> str:
        steps = []
        for step in self._current:
            if step is None:
                break
            steps.append(str(step) if isinstance(step, int) else _escaped(_unquoted(step)))
        return "".join(f"/{step}" for step in steps)

    def _pop(self) -> None:
        if self._index:
            self._current.pop()
            self._index.pop()

    def _end_value(self) -> None:
        if self._current:
            self._current[-1] = None

    def _is_key(self, token: bytes) -> bool:
        return bool(self._current) and self._current[-1] is token


def _unquoted(key: bytes) -> str:
    """The key after unescaping; an unpaired surrogate becomes U+FFFD, and what cannot be unescaped stays as it is."""
    text = key.decode("utf-8", "replace")
    try:
        name: str = json.loads(text, strict=False)
    except ValueError:
        name = text.strip('"')
    return _SURROGATE.sub("\ufffd", name)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
