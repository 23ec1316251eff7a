"""Exit statuses, and the report of what went wrong."""

import contextlib
import sys

CLEAN = 0
FINDINGS = 1
USAGE = 2
UNREADABLE = 3
# As a shell reports a program that a signal ended: its number and this; SIGPIPE is 13.
SIGNALLED = 128
PIPE_CLOSED = 141


class Stopped(KeyboardInterrupt):
    """A signal, by its number: one way out for all, so that no half-written file stays behind."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class CommandError(Exception):
    """Ends the command with an exit status and one line: what, where and what to do. An empty line is not printed."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def complain(message: str) -> None:
    """Print one line on stderr, unless it is empty or stderr is closed."""
    if not message or sys.stderr is None:  # print would take None for standard output
        return
    with contextlib.suppress(OSError):
        print(f"framegauge: {message}", file=sys.stderr, flush=True)
