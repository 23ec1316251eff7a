"""Writes the JSON forms of the protocol data, which are read in a twentieth of the time of the TOML files.

setup.py calls it for each build, editable ones too; the JSON files are neither in git nor in the sdist. After a change
to a TOML file nothing has to be done: each JSON file has the checksum of its text, and is not read for another text.
`python tools/generate_protocol.py` writes them without a build.
"""

import json
import tomllib
from pathlib import Path
from zlib import crc32

DATA = "framegauge/protocol/data"
SOURCES = Path(__file__).resolve().parents[1] / "src"


def twin(text: bytes) -> str:
    """The JSON for a TOML file; dates become strings."""
    made = {"crc32": crc32(text), "says": tomllib.loads(text.decode())}
    return json.dumps(made, default=str, separators=(",", ":"), ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Beside the TOML files of the package in that folder."""
    for source in sorted((folder / DATA).glob("*.toml")):
        source.with_suffix(".json").write_text(twin(source.read_bytes()), "utf-8")


if __name__ == "__main__":
    write(SOURCES)
