"""What a reader of archives yields: raw lines, or single frames with what the archive knows of them."""

from typing import NamedTuple


class Lines(NamedTuple):
    """Whole lines that follow each other in a file; or the beginning of one line that is too long to be held."""

    start: int  # in the file
    end: int
    data: bytes | memoryview  # a view of a `bytes` object that begins with it
    too_long: int | None = None  # the real size of the line of which `data` is the beginning


class Record(NamedTuple):
    """One frame that an archive wraps in something else, such as an entry of a list or a line with a time stamp.

    `direction`: "client-to-server", "server-to-client" or None where the archive does not have it. `at`: seconds since
    1970, or None. `fidelity`: "bytes" where the frame is as it was sent; see `Gauge.check` for the others.
    """

    start: int  # of the entry in the file
    end: int
    line: int  # of the entry, from 1; its number where the format has no lines
    frame: bytes
    direction: str | None = None
    at: float | None = None
    fidelity: str = "bytes"
