"""What a command reads by itself; folders and archives are the matter of framegauge.bulk."""

from framegauge.archives.whole import WholeFrame, read_frame
from framegauge.cli.errors import UNREADABLE, CommandError
from framegauge.render.escape import printable


def one_frame(path: str, limit: int | None) -> WholeFrame:
    """The frame in a file, or of standard input for `-`."""
    try:
        return read_frame(path, limit)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        message = f"cannot read {printable(path)}: {why}; name one file, or - for standard input"
        raise CommandError(message, UNREADABLE) from error
