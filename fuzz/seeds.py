"""The first inputs of every target, from the vectors of this repository: made when a run starts, never committed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from random import Random
from zlib import crc32

from tests.calls import some_call
from tests.reference.facts import Limits
from tests.seeds import structured_frames
from tests.support import all_vectors, verdict_vectors

from framegauge.native.tokenizer import METHOD_NAMES

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
SAMPLE = ROOT / "src" / "framegauge" / "samples" / "session.ndjson"
SEPARATOR = b"\x1e"  # between the parts of an input of `readers`
MOST = 4096  # bytes of an input


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


def calls() -> list[tuple[bytes, str | None]]:
    """The vectors of rules, and right and damaged frames of every method, with the method that is answered."""
    found = [(vector.frame, vector.request_method) for vector in verdict_vectors()]
    made = [some_call(rng, damages=n % 3) for n, rng in enumerate(map(Random, range(900)))]
    return [*found, *((call.frame, call.request_method) for call in made)]


def header(frame: bytes, size: int, *, limited: bool) -> bytes:
    """Choices that differ from frame to frame and stay from run to run; the default limits unless `limited`."""
    choices = crc32(frame).to_bytes(4, "little")[:size]
    return choices if limited else bytes([choices[0] // len(limits()) * len(limits())]) + choices[1:]


def for_frames() -> list[bytes]:
    return [header(frame, 2, limited=limited) + frame for frame in frames() for limited in (False, True)]


def for_differential() -> list[bytes]:
    """The same, each once, since it is slow; and some of every method."""
    found = [header(frame, 2, limited=bool(crc32(frame) & 1)) + frame for frame in frames()]
    return found + [header(frame, 2, limited=False) + frame for frame, _ in calls()[-300:] if len(frame) < MOST]


def for_shapes() -> list[bytes]:
    """Under no limit that matters; the sender, where it stands and what it answers follow."""
    found = []
    for frame, asked in calls():
        choice = crc32(frame) % 3 * len(limits())
        number = METHOD_NAMES.index(asked) if asked in METHOD_NAMES else 0
        found.append(bytes([choice, number]) + frame)
    return sorted({data for data in found if len(data) < MOST})


def for_lines() -> list[bytes]:
    """A few frames each, and pieces of the recorded session."""
    rng, some = Random(7), sorted({*frames(), *(frame for frame, _ in calls())})
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
