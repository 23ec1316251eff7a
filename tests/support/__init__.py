"""What tests, fuzzers and tools share: the vectors of this repository, makers of frames, and the larger corpora if any.

The corpora live in a folder named by FRAMEGAUGE_SHARED, or in `shared` next to the repository.
Tests that need them are skipped where the latter is absent; a folder that is named must be there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

TESTS = Path(__file__).resolve().parents[1]
VECTORS = TESTS / "vectors"


def _find_shared() -> Path | None:
    named = os.environ.get("FRAMEGAUGE_SHARED")
    if named:
        folder = Path(named)
        assert folder.is_dir(), f"FRAMEGAUGE_SHARED names no folder: {named}"
        return folder
    folder = TESTS.parent.parent / "shared"
    return folder if folder.is_dir() else None


SHARED = _find_shared()


def or_skip(cases: Sequence[Any], reason: str) -> Sequence[Any]:
    """The cases for parametrize; where there are none, one that is skipped and says why."""
    return cases or [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
