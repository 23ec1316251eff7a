"""Instruction counts of the native core under callgrind: exact, repeatable, whatever else the machine does.

    python benchmarks/instructions.py                 counts per corpus (a frame's mean)
    python benchmarks/instructions.py --adversarial   hostile families: counts per byte at 1 MiB and 16 MiB, memory

The driver is built here from the sources of this checkout; valgrind and a C++ compiler are needed. valgrind knows
no AVX-512, so the kernel is pinned to AVX2 and these counts are of that code.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import corpora

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "src" / "framegauge" / "native"
KERNEL = "haswell"
MIB = 1 << 20
# Growth of instructions per byte from 1 MiB to 16 MiB, and bytes of memory per byte of input, that count as linear.
MAX_GROWTH = 1.05
MAX_MEMORY = 16.0


def simdjson_folder() -> Path:
    named = os.environ.get("SIMDJSON_DIR")
    for folder in (named, ROOT / "third_party" / "simdjson", ROOT / "build" / "simdjson"):
        if folder and Path(folder, "simdjson.cpp").is_file():
            return Path(folder)
    sys.exit("instructions.py: simdjson.cpp not found: build the package once, or set SIMDJSON_DIR")


def build_driver(folder: Path, *flags: str) -> Path:
    """Compiles driver.cpp and the core; simdjson only once per folder, it takes half a minute."""
    simdjson, objects = simdjson_folder(), folder / "simdjson.o"
    common = ["g++", "-std=c++17", "-O3", "-DNDEBUG", f"-I{NATIVE}", f"-I{simdjson}", *flags]
    if not objects.exists():
        subprocess.run([*common, "-c", str(simdjson / "simdjson.cpp"), "-o", str(objects)], check=True)
    driver = folder / "driver"
    sources = [str(ROOT / "benchmarks" / "driver.cpp"), str(NATIVE / "core.cpp"), str(objects)]
    subprocess.run([*common, *sources, "-o", str(driver)], check=True)
    return driver


def write_frames(path: Path, frames: list[bytes]) -> Path:
    path.write_bytes(b"".join(struct.pack("<I", len(frame)) + frame for frame in frames))
    return path


def environment() -> dict[str, str]:
    return {**os.environ, "SIMDJSON_FORCE_IMPLEMENTATION": KERNEL}


def collected(driver: Path, frames: Path, rounds: int, *mode: str) -> int:
    """Instructions of a whole run."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        str(driver),
        str(frames),
        str(rounds),
        *mode,
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    assert f"kernel {KERNEL}" in done.stdout, done.stdout
    match = re.search(r"Collected : (\d+)", done.stderr)
    assert match, done.stderr
    return int(match[1])


def per_round(driver: Path, frames: Path, *mode: str) -> int:
    """Instructions of one round over the file: the second, when scratch memory is there, without loading and start."""
    return collected(driver, frames, 2, *mode) - collected(driver, frames, 1, *mode)


def peak_memory(driver: Path, frames: Path, *mode: str) -> int:
    """Bytes: the most that a run holds resident, the loaded frames included."""
    command = [str(driver), str(frames), "1", *mode]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    match = re.search(r"peak (\d+) KiB", done.stdout)
    assert match, done.stdout
    return int(match[1]) * 1024


def adversarial(driver: Path, folder: Path, only: list[str], unlimited: bool) -> bool:
    """One line per family; True where all are linear."""
    mode = ["unlimited"] if unlimited else []
    print(f"{'family':28} {'Ir/B 1 MiB':>11} {'Ir/B 16 MiB':>12} {'growth':>7} {'memory B/B':>11}")
    fine = True
    baseline = peak_memory(driver, write_frames(folder / "tiny.bin", [b"{}"]))
    for name in only or corpora.ADVERSARIAL_NAMES:
        rates, memory = [], 0.0
        for size in (MIB, 16 * MIB):
            frame = corpora.adversarial(name, size)
            data = getattr(frame, "data", frame)
            path = write_frames(folder / "hostile.bin", [data])
            rates.append(per_round(driver, path, *mode) / len(data))
            memory = (peak_memory(driver, path, *mode) - baseline) / len(data) - 1.0
        growth = rates[1] / rates[0]
        bad = growth > MAX_GROWTH or memory > MAX_MEMORY
        fine &= not bad
        note = "  <-- NOT LINEAR" if bad else ""
        print(f"{name:28} {rates[0]:11.2f} {rates[1]:12.2f} {growth:7.3f} {memory:11.2f}{note}", flush=True)
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--adversarial", action="store_true")
    parser.add_argument("--unlimited", action="store_true", help="with every limit off")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(os.environ.get("FRAMEGAUGE_BUILD", temp))
        folder.mkdir(parents=True, exist_ok=True)
        driver = build_driver(folder)
        if options.adversarial:
            return 0 if adversarial(driver, folder, options.names, options.unlimited) else 1
        for name in options.names or ("small", "medium", "escapes-1m", "rows-1m", "keys-10k", "base64-1m"):
            frames = [entry.data for entry in corpora.clean(name).frames]
            frames = frames[:2000]
            path = write_frames(folder / f"{name}.bin", frames)
            print(f"{name:12} {per_round(driver, path) / len(frames):14.1f} instructions a frame", flush=True)
    return 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.exit(main())
