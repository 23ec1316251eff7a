"""Writes the JSON twins of src/framegauge/protocol/data/*.toml, which are read faster.

Run `python tools/generate_protocol.py` after a change there.
A twin tells by a checksum which text it was made from; one of an older text is not used. A test holds them equal.
"""

import json
import tomllib
from pathlib import Path
from zlib import crc32

DATA = Path(__file__).resolve().parents[1] / "src" / "framegauge" / "protocol" / "data"


def twin(text: bytes) -> str:
    """The JSON for a TOML file; dates become strings."""
    made = {"crc32": crc32(text), "says": tomllib.loads(text.decode())}
    return json.dumps(made, default=str, separators=(",", ":"), ensure_ascii=False) + "\n"


def main() -> None:
    for source in sorted(DATA.glob("*.toml")):
        source.with_suffix(".json").write_text(twin(source.read_bytes()), "utf-8")


if __name__ == "__main__":
    main()
