"""The compiled core. `cimport framegauge.native` and `framegauge.h` are for embedders, `framegauge` for Python."""

import os


def get_include() -> str:
    """The folder that holds `framegauge.h`, for a C compiler's include path."""
    return os.path.dirname(__file__)
