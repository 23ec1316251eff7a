"""Many cases in one test: each is checked, and all that are wrong are reported together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Case = TypeVar("Case")


def check_each(cases: Iterable[Case], check: Callable[[Case], object], name: Callable[[Case], str]) -> None:
    """Fails with the name of every case on which `check` raises, and what was raised; and where there is no case."""
    __tracebackhide__ = True
    count, wrong = 0, list[str]()
    for case in cases:
        count += 1
        try:
            check(case)
        except Exception as error:
            wrong.append(f"{name(case)}: {type(error).__name__}: {error}")
    if not count:
        pytest.fail("there is no case to check")
    if wrong:
        pytest.fail("\n".join([f"{len(wrong)} of {count} cases are wrong:", *wrong]), pytrace=False)
