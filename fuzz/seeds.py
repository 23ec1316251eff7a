"""The first inputs of every target, from the vectors of this repository: made when a run starts, never committed."""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple
from zlib import crc32

from tests.property import test_formats, test_keys
from tests.property.test_nested import some_frame, written
from tests.reference.facts import Limits
from tests.reference.meta import TRACE_KEYS
from tests.reference.rows import ALL
from tests.support.mcp_calls import some_call
from tests.support.seed_frames import structured_frames
from tests.support.vectors import all_vectors, verdict_vectors

from framegauge.native.tokenizer import METHOD_NAMES
from framegauge.protocol import EXTENSIONS, FORMATS, MCP, revision

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
SAMPLE = ROOT / "src" / "framegauge" / "samples" / "session.ndjson"
SEPARATOR = b"\x1e"  # between the parts of an input of `readers`
MOST = 4096  # bytes of an input
REVISIONS = (*ALL, "auto")
# That a response may answer. Every revision meets each of them, since their number is no multiple of its number.
_REQUESTS = sorted(
    {name for each in (*MCP, *EXTENSIONS) for name, told in revision(each).methods.items() if told.result}
)
ASKED = (None, *_REQUESTS)
assert len(ASKED) % len(REVISIONS)


@cache
def limits() -> list[Limits]:
    """What the first byte of an input chooses: the rows of limits.inc."""
    rows = re.findall(r"^\{(.+)\},$", (FUZZ / "limits.inc").read_text("ascii"), re.MULTILINE)
    values = [[None if part.strip() == "UINT32_MAX" else int(part) for part in row.split(",")] for row in rows]
    return [Limits(*row) for row in values]


def frames() -> list[bytes]:
    """Every frame of the vectors, and some of the sizes that those are too short for."""
    found = [vector.frame for vector in all_vectors()] + [vector.frame for vector in verdict_vectors()]
    found += structured_frames(60, seed=31)
    return sorted({frame for frame in found if len(frame) <= MOST - 16})


class Seed(NamedTuple):
    """A frame, the revision that it is judged by, and the method that it answers."""

    frame: bytes
    revision: str
    asked: str | None


def calls(made: int = 900) -> list[Seed]:
    """The vectors of rules, and right and damaged frames of every method, and of what no shape describes; and texts."""
    found = [Seed(vector.frame, vector.revision, vector.request_method) for vector in verdict_vectors()]
    found += [some_seed(Random(n)) for n in range(made)]
    return [*found, *(make(Random(n)) for make in (nested_seed, text_seed) for n in range(300))]


def some_seed(rng: Random) -> Seed:
    call = some_call(rng, damages=rng.randrange(3))
    return Seed(call.frame, call.revision, call.request_method)


def nested_seed(rng: Random) -> Seed:
    frame, asked = some_frame(rng)
    return Seed(written(rng, frame), rng.choice((*MCP[-2:], "auto")), asked)


def text_seed(rng: Random) -> Seed:
    """A text where the revisions want one of a format, or a key of _meta, perhaps one whose value W3C describes."""
    if rng.random() < 0.5:
        name = rng.choice(FORMATS)
        frame = test_formats.FRAMES[name] % test_formats.spelled(test_formats.some_text(name, rng), rng)
        return Seed(frame, rng.choice(("2025-11-25", "auto")), test_formats.ASKED[name])
    key = rng.choice((*TRACE_KEYS, test_keys.some_key(rng)))
    value = test_keys.some_value(key, rng) if key in TRACE_KEYS else ""
    frame = test_keys.META % (test_formats.spelled(key, rng), test_formats.spelled(value, rng))
    return Seed(frame, rng.choice((*test_keys.LABELS, "auto")), "tools/call")


def header(frame: bytes, size: int, *, limited: bool) -> bytes:
    """Choices that differ from frame to frame and stay from run to run; the default limits unless `limited`."""
    choices = crc32(frame).to_bytes(4, "little")[:size]
    return choices if limited else bytes([choices[0] // len(limits()) * len(limits())]) + choices[1:]


def choices_of(data: bytes) -> tuple[int, int]:
    """What the two bytes before a frame of `differential` choose: limits, and the number of all else."""
    return data[0] % len(limits()), data[0] // len(limits()) * 256 + data[1]


def judged(seed: Seed, rng: Random) -> bytes:
    """The frame, under the default limits and choices that ask what it was made for."""
    high, low = divmod(rng.choice(_numbers(seed.revision, seed.asked)), 256)
    return bytes([high * len(limits()), low]) + seed.frame


@cache
def _numbers(judged_by: str, asked: str | None) -> list[int]:
    rest = REVISIONS.index(judged_by), ASKED.index(asked) if asked in ASKED else 0
    every = range(256 // len(limits()) * 256)
    return [number for number in every if (number % len(REVISIONS), number % len(ASKED)) == rest]


def for_frames() -> list[bytes]:
    return [header(frame, 2, limited=limited) + frame for frame in frames() for limited in (False, True)]


def for_differential() -> list[bytes]:
    """The same, each once, since it is slow; the vectors of rules as they are meant; and some of every method."""
    rng = Random(9)
    found = [header(frame, 2, limited=bool(crc32(frame) & 1)) + frame for frame in frames()]
    return found + [judged(seed, rng) for seed in calls(200) if len(seed.frame) < MOST - 2]


def for_shapes() -> list[bytes]:
    """Under no limit that matters; the sender, where it stands and what it answers follow."""
    found = []
    for frame, _, asked in calls():
        choice = crc32(frame) % 3 * len(limits())
        number = METHOD_NAMES.index(asked) if asked in METHOD_NAMES else 0
        found.append(bytes([choice, number]) + frame)
    return sorted({data for data in found if len(data) < MOST})


def for_lines() -> list[bytes]:
    """A few frames each, and pieces of the recorded session."""
    rng, some = Random(7), sorted({*frames(), *(seed.frame for seed in calls())})
    recorded = SAMPLE.read_bytes().split(b"\n")
    groups = [rng.sample(some, rng.randrange(2, 7)) for _ in range(len(some) // 3)]
    groups += [recorded[at : at + 9] for at in range(0, len(recorded), 5)]
    buffers = [b"\n".join(group) for group in groups]
    return [header(buffer, 2, limited=rng.random() < 0.5) + buffer for buffer in buffers if len(buffer) < MOST]


def for_readers() -> list[bytes]:
    """For every way to call the command some inputs; the tables of readers.py say what the choices mean."""
    rng, some = Random(8), [frame for frame in frames() if len(frame) < 600]
    inputs = [bytes([0]) + rng.randbytes(3) + frame for frame in rng.sample(some, 150)]
    names = [b"a.log", b"dir/b", b"\xff\x1b[31m", b"*.log", "\u202egol.x".encode(), b".hidden", b"-", b"a[1]b"]
    for _ in range(60):
        parts = [part for name in rng.sample(names, 2) for part in (name, b"\n".join(rng.sample(some, 3)))]
        inputs.append(bytes([1]) + rng.randbytes(3) + SEPARATOR.join(parts))
    inputs += [bytes([2]) + rng.randbytes(3) + SEPARATOR.join((text, rng.choice(some))) for text in CONFIGURATIONS * 3]
    inputs += [bytes([3]) + rng.randbytes(3) + SEPARATOR.join(words) for words in ARGUMENTS]
    return inputs


CONFIGURATIONS = [
    b'[tool.framegauge]\nignore = ["unknown-member"]\nrevision = "2025-11-25"\ntransport = "stdio"\n',
    b'[tool.framegauge]\nselect = ["id-null", "not-json"]\ndirection = "client-to-server"\n',
    b"[tool.framegauge]\nlimits = { max_depth = 3, max_members = 2, max_frame_bytes = 40 }\n",
    b"[tool.framegauge.limits]\nmax_number_digits = 0\nmax_batch_items = 1\n",
    b'[tool.framegauge]\nrevision = "\\u202e"\n"\\u001b[31m" = 1\n',
    b"[tool.framegauge]\nlimits = { max_depth = -1 }\n",
    b"[tool]\nframegauge = 1\n",
    b"[tool.framegauge\n",
    b"\xff",
    b"tool = 1\n",
]
ARGUMENTS = [
    [b"rules"],
    [b"rules", b"--format", b"json"],
    [b"explain", b"id-null"],
    [b"explain", b"\x1b[31m"],
    [b"check", b"a.log", b"--format", b"json", b"--output", b"out"],
    [b"check", b"--select", b"id-null,not-json", b"--ignore", b"nothing"],
    [b"scan", b"--jobs", b"2", b"a.log", b"--format", b"jsonl", b"--output=a.log"],
    [b"scan", b"**", b"[", b"?.log", b"--fail-on", b"never", b"--no-config"],
    [b"--version"],
    [b"--help"],
    [b"check", b"--help"],
    [b""],
]
MAKERS = {
    "frames": for_frames,
    "lines": for_lines,
    "shapes": for_shapes,
    "differential": for_differential,
    "readers": for_readers,
}


def write(target: str, folder: Path) -> int:
    """Fill the folder; the number of inputs."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    inputs = MAKERS[target]()
    if len(inputs) < 100:
        raise SystemExit(f"only {len(inputs)} seeds for {target}")
    for number, data in enumerate(inputs):
        (folder / f"{number:05}").write_bytes(data)
    return len(inputs)
