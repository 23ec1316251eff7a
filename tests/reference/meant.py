"""Is a name nearly that of a method? docs/verdict.md, section 6."""

from __future__ import annotations

from functools import cache

AROUND = {"mcp", "notification", "request"}


def is_nearly(name: str, method: str) -> bool:
    if len(name) > 100 or any(ord(char) > 127 for char in name):
        return False
    if name.lower() == method.lower():
        return True
    mine, its = words(name), words(method)
    if mine and mine == its:
        return True
    if edits(name, method, 3) <= (1 if len(method) < 8 else 2):
        return True
    mine, its = [word for word in mine if word not in AROUND], [word for word in its if word not in AROUND]
    return mine != [] and mine == its


def words(name: str) -> list[str]:
    found, before = [""], ""
    for char in name:
        if not char.isalnum() or (char.isupper() and before != "" and not before.isupper()):
            found.append("")
        found[-1] += char if char.isalnum() else ""
        before = char
    return sorted(one_of_many(word.lower()) for word in found if word)


def one_of_many(word: str) -> str:
    return word[:-1] if word.endswith("s") else word


def edits(one: str, other: str, most: int) -> int:
    """How many characters have to be put in, taken out or replaced; `most` where the lengths say it is as many."""

    @cache
    def between(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return len(one) - i + len(other) - j
        if one[i] == other[j]:
            return between(i + 1, j + 1)
        return 1 + min(between(i + 1, j), between(i, j + 1), between(i + 1, j + 1))

    return most if abs(len(one) - len(other)) >= most else between(0, 0)
