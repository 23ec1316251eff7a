"""For all tests: names of parameters that are long, and messages of what is asserted in tests.support."""

from __future__ import annotations

import pytest

# Only then does a failed assertion there say what was expected and what was found.
pytest.register_assert_rewrite("tests.support.expectations")

_MOST = 100  # characters of one value in a test's name


def pytest_make_parametrize_id(val: object) -> str | None:
    """A long value's beginning and size. Processes that a test starts are given its name, which may not be too long."""
    if isinstance(val, (str, bytes)) and len(val) > _MOST:
        text = val if isinstance(val, str) else val.decode("latin-1")
        return f"{ascii(text[:_MOST])[1:-1]}... of {len(val)}"
    return None
