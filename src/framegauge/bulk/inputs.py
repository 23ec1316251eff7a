"""The files behind the given paths: files, whole folders, patterns, and `-` for standard input.

No file is opened here. A file that is not read is either `skipped` with a reason or a source with an error.
"""

import glob
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field

from framegauge.archives.stdin import STDIN

_TOO_DEEP = "folders are nested too deeply for a pattern, name the outermost one instead"


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    size: int | None = None  # None: not known before it is read, as of a pipe
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    path: str
    reason: str


@dataclass(slots=True)
class Found:
    sources: list[Source] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def size(self) -> int | None:
        """Bytes of all sources; None if the size of one is unknown."""
        sizes = [source.size for source in self.sources if source.error is None]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None


def find(paths: Iterable[str | os.PathLike[str]]) -> Found:
    """List the files behind the paths, in the order given and sorted within a folder or pattern, each file once."""
    search = _Search()
    for given in [os.fspath(path) for path in paths]:
        if given == STDIN:
            search.found.sources.append(Source(STDIN))
            continue
        try:
            matches = _matches(given)
        except RecursionError:  # glob's; folders that are named may be nested as deeply as they like
            search.found.sources.append(Source(given, error=_TOO_DEEP))
            continue
        for path in matches:
            search.walk(path, named=path == given)
    return search.found


def reason(error: Exception) -> str:
    """The complaint of the system in a few words, without the path."""
    return getattr(error, "strerror", None) or str(error)


def _matches(given: str) -> list[str]:
    """Expand a pattern, unless a file is really called that. One that matches nothing stays, as a missing file."""
    if not glob.has_magic(given) or os.path.lexists(given):
        return [given]
    found = sorted(glob.glob(given, recursive=True))
    return [os.path.join(".", path) if path == STDIN else path for path in found] or [given]


class _Search:
    def __init__(self) -> None:
        self.found = Found()
        self._seen: set[tuple[int, int]] = set()

    def walk(self, top: str, *, named: bool) -> None:
        """Add a file, or all files below a folder. Not recursive: folders may be nested deeper than Python's stack.

        `named`: the caller gave this path, not a pattern.
        """
        waiting = [top]
        while waiting:
            path = waiting.pop()
            try:
                status = os.stat(path)
                names = sorted(os.listdir(path)) if stat.S_ISDIR(status.st_mode) else []
            except (OSError, ValueError) as error:
                self.found.sources.append(Source(path, error=reason(error)))
                continue
            if why := self._why_not(status, named=named and path == top):
                self.found.skipped.append(Skipped(path, why))
            elif stat.S_ISDIR(status.st_mode):
                hidden = [name for name in names if name.startswith(".")]
                self.found.skipped += [Skipped(os.path.join(path, name), "hidden") for name in hidden]
                shown = [name for name in reversed(names) if not name.startswith(".")]
                waiting += [os.path.join(path, name) for name in shown]
            else:
                size = status.st_size if stat.S_ISREG(status.st_mode) else None
                self.found.sources.append(Source(path, size))

    def _why_not(self, status: os.stat_result, *, named: bool) -> str | None:
        """Give the reason for leaving something out. Links are followed, so files and folders may be met again."""
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            # Opening a pipe or a device may block forever, so only if the caller named it.
            return None if named else "not a regular file"
        identity = (status.st_dev, status.st_ino)
        if status.st_ino and identity in self._seen:
            return "already scanned under another name or path"
        self._seen.add(identity)
        return None
