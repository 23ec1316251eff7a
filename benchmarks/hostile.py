"""What a hostile peer would send: families of frames, each a function of the size.

So a cost that grows faster than its input shows as a falling GB/s between two sizes of one family.
"""

import functools
import itertools
from collections.abc import Callable, Iterable
from random import Random

from corpora import Corpus, Labelled

# framegauge's default limits: a frame that passes one is labelled with what the limit makes of it.
DEPTH_LIMIT = 256
MEMBER_LIMIT = 65_536

_BELOW = b'{"jsonrpc":"2.0","id":1,"result":'
_LIST = _BELOW + b"["
_TEXT = _BELOW + b'"'
# Depth of a group in `deep-groups`: below the limit, so that the whole frame is walked.
_DEEPEST = 200


def _repeated(unit: bytes, size: int) -> bytes:
    return unit * max(1, size // len(unit))


def _listed(unit: bytes, size: int) -> Labelled:
    """One small value again and again in an array below result."""
    return Labelled("success", _LIST + _repeated(unit + b",", size) + unit + b"]}")


def _quoted(unit: bytes, size: int) -> Labelled:
    """One long string made of one escape, or of one plain character."""
    return Labelled("success", _TEXT + _repeated(unit, size) + b'"}')


def _broken(data: bytes) -> Labelled:
    return Labelled("parse-error", data)


def _nested(opening: bytes, core: bytes, closing: bytes, size: int) -> Labelled:
    """Nested as deep as the size allows; `closing` empty leaves everything open."""
    depth = max(1, size // (len(opening) + len(closing)))
    data = opening * depth + core + closing * depth
    if depth > DEPTH_LIMIT:
        return Labelled("invalid", data)
    if not closing:
        return _broken(data)
    return Labelled("batch" if opening == b"[" else "invalid", data)


def _deep_groups(size: int) -> Labelled:
    return _listed(b"[" * _DEEPEST + b"]" * _DEEPEST, size)


def _blanks_inside(size: int) -> Labelled:
    return Labelled("success", _BELOW + _repeated(b" \n\t\r", size) + b"{}}")


def _members(keys: Iterable[str]) -> bytes:
    return b",".join(f'"{key}":0'.encode() for key in keys)


def _keys_below(keys: list[str]) -> Labelled:
    kind = "success" if len(keys) < MEMBER_LIMIT else "invalid"
    return Labelled(kind, _BELOW + b"{" + _members(keys) + b"}}")


def _keys_top(keys: list[str]) -> Labelled:
    kind = "request" if len(keys) + 3 < MEMBER_LIMIT else "invalid"
    return Labelled(kind, b'{"jsonrpc":"2.0","id":1,"method":"x",' + _members(keys) + b"}")


def counted_keys(size: int) -> list[str]:
    return [f"k{number:07}" for number in range(max(1, size // 13))]


def _key_products(pairs: list[tuple[str, str]], size: int) -> list[str]:
    """Every way to pick one side of each pair: 2**n keys that hash alike if each pair does."""
    count = max(1, size // (sum(len(left) for left, _ in pairs) + 5))
    return ["".join(choice) for choice in itertools.islice(itertools.product(*pairs), count)]


def polynomial_keys(size: int, pair: tuple[str, str]) -> list[str]:
    """Keys whose polynomial hash is one integer: `pair` are two blocks of one value in that base.

    "Aa"/"BB" for base 31 (Java), "Ab"/"BA" for base 33 (djb2). Equal as integers, and so in every
    size of table.
    """
    stages = 1
    while (2 * stages + 5) << stages < size:
        stages += 1
    return _key_products([pair] * stages, size)


FNV_BITS = 24
_FNV_MASK = (1 << FNV_BITS) - 1
_FNV_OFFSET, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3
_BLOCK_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def fnv1a(data: bytes, state: int = _FNV_OFFSET) -> int:
    for byte in data:
        state = (state ^ byte) * _FNV_PRIME & 0xFFFFFFFFFFFFFFFF
    return state


@functools.cache
def _fnv_pair(state: int) -> tuple[str, str, int]:
    """Two blocks that lead from `state` to one and the same state, and that state."""
    rng = Random(state)  # in random order: blocks in sequence differ too little to meet soon
    seen: dict[int, str] = {}
    while True:
        block = "".join(rng.choices(_BLOCK_ALPHABET, k=6))
        after = fnv1a(block.encode(), state) & _FNV_MASK
        if seen.setdefault(after, block) != block:
            return seen[after], block, after


def fnv_keys(size: int) -> list[str]:
    """Keys whose FNV-1a (64 bit, its standard offset) agrees in the low FNV_BITS bits.

    That is one bucket of any table of up to 2**FNV_BITS slots. The low bits of FNV-1a depend on
    the low bits alone, so two blocks that lead to the same low bits are found by the birthday
    paradox, and such steps can be chained. A full 64-bit collision would take 2**32 trials a step.
    """
    state = _FNV_OFFSET & _FNV_MASK
    pairs: list[tuple[str, str]] = []
    while not pairs or (6 * len(pairs) + 5) << len(pairs) < size:
        left, right, state = _fnv_pair(state)
        pairs.append((left, right))
    return _key_products(pairs, size)


def same_ends_keys(size: int) -> list[str]:
    """Same length, same first and last eight bytes: against fingerprints of the ends alone."""
    return [f"leading-{number:08}-closing" for number in range(max(1, size // 29))]


# More keys than are compared one by one, the same at each level: against one table for all open objects.
_MANY_KEYS = b"{" + b"".join(b'"%02d":0,' % number for number in range(40)) + b'"in":'

Family = Callable[[int], Labelled]

_FAMILIES: dict[str, Family] = {
    "brackets-closed": lambda size: _nested(b"[", b"", b"]", size),
    "brackets-open": lambda size: _nested(b"[", b"", b"", size),
    "objects-closed": lambda size: _nested(b'{"a":', b"1", b"}", size),
    "objects-open": lambda size: _nested(b'{"a":', b"", b"", size),
    "objects-of-same-keys": lambda size: _nested(_MANY_KEYS, b"1", b"}", size),
    "deep-groups": _deep_groups,
    "keys-top": lambda size: _keys_top(counted_keys(size)),
    "keys-below": lambda size: _keys_below(counted_keys(size)),
    "keys-base31-top": lambda size: _keys_top(polynomial_keys(size, ("Aa", "BB"))),
    "keys-base31-below": lambda size: _keys_below(polynomial_keys(size, ("Aa", "BB"))),
    "keys-base33-top": lambda size: _keys_top(polynomial_keys(size, ("Ab", "BA"))),
    "keys-base33-below": lambda size: _keys_below(polynomial_keys(size, ("Ab", "BA"))),
    "keys-fnv1a-top": lambda size: _keys_top(fnv_keys(size)),
    "keys-fnv1a-below": lambda size: _keys_below(fnv_keys(size)),
    "keys-same-ends-top": lambda size: _keys_top(same_ends_keys(size)),
    "keys-same-ends-below": lambda size: _keys_below(same_ends_keys(size)),
    "digits-integer": lambda size: _listed(b"9" * 1_000, size),
    "digits-fraction": lambda size: _listed(b"-0." + b"7" * 990 + b"e-12", size),
    "numbers-short": lambda size: _listed(b"-1.5e3", size),
    "escape-backslash": lambda size: _quoted(b"\\\\", size),
    "escape-quote": lambda size: _quoted(b'\\"', size),
    "escape-u": lambda size: _quoted(b"\\u00e9", size),
    "escape-surrogates": lambda size: _quoted(b"\\ud83d\\ude82", size),
    "escape-mixed": lambda size: _quoted(b'\\\\\\"\\u00e9\\n\\/', size),
    "string-plain": lambda size: _quoted(b"x", size),
    "string-four-byte": lambda size: _quoted("🚂".encode(), size),
    "strings-empty": lambda size: _listed(b'""', size),
    "arrays-empty": lambda size: _listed(b"[]", size),
    "objects-empty": lambda size: _listed(b"{}", size),
    "literals": lambda size: _listed(b"true", size),
    "blanks-inside": _blanks_inside,
    "blanks-only": lambda size: Labelled("empty", _repeated(b" \n\t\r", size)),
    "batch-wide": lambda size: Labelled("batch", b"[" + _repeated(b"{},", size) + b"{}]"),
    "open-string": lambda size: _broken(_TEXT + _repeated(b"x", size)),
    "open-string-escaped-end": lambda size: _broken(_TEXT + _repeated(b"\\\\", size) + b'\\"}'),
    "open-array": lambda size: _broken(_LIST + _repeated(b"[],", size) + b"[]"),
    "open-object": lambda size: _broken(_BELOW + b"{" + _members(counted_keys(size))),
    "late-bad-escape": lambda size: _broken(_TEXT + _repeated(b"\\n", size) + b'\\x"}'),
    "late-bad-utf8": lambda size: _broken(_TEXT + _repeated(b"x", size) + b'\xe2\x82"}'),
    "late-bad-number": lambda size: _broken(_LIST + _repeated(b"1,", size) + b"01]}"),
    "late-bad-comma": lambda size: _broken(_LIST + _repeated(b"{},", size) + b",{}]}"),
    "unit-brace-quote": lambda size: _broken(_repeated(b'{"', size)),
    "unit-comma": lambda size: _broken(_repeated(b",", size)),
    "unit-colon": lambda size: _broken(_repeated(b":", size)),
    "unit-quote": lambda size: _broken(_repeated(b'""', size)),
    "unit-backslash": lambda size: _broken(_repeated(b"\\", size)),
    "unit-nul": lambda size: _broken(_repeated(b"\0", size)),
}
ADVERSARIAL_NAMES = tuple(_FAMILIES)


def adversarial(name: str, size: int) -> Labelled:
    """The frame of this family with about `size` bytes."""
    return _FAMILIES[name](size)


def adversarial_corpus(name: str, size: int, total: int) -> Corpus:
    """One frame, repeated to about `total` bytes so that a pass is long enough for the clock."""
    frame = adversarial(name, size)
    count = max(1, total // len(frame.data))
    return Corpus(f"{name}@{size // 1024}k", (frame,) * count, clean=False)
