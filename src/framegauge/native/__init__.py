"""The compiled core. `cimport framegauge.native` and `framegauge.h` are for embedders, `framegauge` for Python."""

from pathlib import Path


def get_include() -> str:
    """The folder that holds `framegauge.h`, for a C compiler's include path."""
    return str(Path(__file__).parent)
