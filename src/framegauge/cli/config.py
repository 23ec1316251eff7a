"""[tool.framegauge] of the nearest pyproject.toml: defaults of the command line."""

from pathlib import Path
from typing import Any

from framegauge.cli.errors import USAGE, CommandError
from framegauge.gauge import AUTO, DIRECTIONS, TRANSPORTS
from framegauge.protocol.revision import REVISIONS
from framegauge.render.escape import cut
from framegauge.ruleset.registry import by_id

_FILE = "pyproject.toml"
_CHOICES = {"revision": (AUTO, *REVISIONS), "direction": DIRECTIONS, "transport": TRANSPORTS}
_RULES = ("select", "ignore")
_LIMITS = ("max_frame_bytes", "max_depth", "max_batch_items", "max_number_digits", "max_members")
_MOST = 1 << 40  # of a limit; more is a mistake
_LONGEST = 300


def load() -> dict[str, Any]:
    """The settings in that section, all of them allowed; empty without such a file or section."""
    file = _find()
    if file is None:
        return {}
    import tomllib  # only here: most runs have no such file, and need not wait for it

    try:
        tools = tomllib.loads(file.read_text("utf-8")).get("tool", {})
    except (OSError, ValueError, RecursionError) as error:
        raise _refusal(file, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(tools, dict):
        raise _refusal(file, "[tool] must be a table")
    section = tools.get("framegauge", {})
    if not isinstance(section, dict):
        raise _refusal(file, "[tool.framegauge] must be a table")
    for name, value in section.items():
        wrong = _wrong(name, value)
        if wrong:
            raise _refusal(file, f"[tool.framegauge] {wrong}")
    return section


def _find() -> Path | None:
    try:
        here = Path.cwd()
    except OSError:
        return None  # the folder was removed
    return next((folder / _FILE for folder in (here, *here.parents) if _is_file(folder / _FILE)), None)


def _is_file(path: Path) -> bool:
    """False also for a file in a folder that may not be searched, or with a path that is too long."""
    try:
        return path.is_file()
    except OSError:
        return False


def _wrong(name: str, value: Any) -> str | None:
    """What is wrong with a setting."""
    if name in _CHOICES:
        return None if value in _CHOICES[name] else f"{name} is one of {', '.join(_CHOICES[name])}"
    if name in _RULES:
        return _wrong_rules(name, value)
    if name == "limits":
        return _wrong_limits(value)
    return f"has no key {name!r}; there are {', '.join((*_RULES, *_CHOICES, 'limits'))}"


def _wrong_rules(name: str, value: Any) -> str | None:
    if not isinstance(value, list) or not all(isinstance(rule, str) for rule in value):
        return f"{name} is a list of rule ids"
    try:
        for rule in value:
            by_id(rule)
    except ValueError as error:
        return f"{name}: {error}"
    return None


def _wrong_limits(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "limits is a table"
    for name, limit in value.items():
        if name not in _LIMITS:
            return f"limits has no key {name!r}; there are {', '.join(_LIMITS)}"
        if type(limit) is not int or not 0 <= limit <= _MOST:
            return f"limits.{name} is an integer of at least 0"
    return None


def _refusal(file: Path, why: str) -> CommandError:
    return CommandError(f"{cut(str(file), _LONGEST)}: {cut(why, _LONGEST)}; fix it or use --no-config", USAGE)
