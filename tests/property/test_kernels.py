"""Every kernel that this processor runs tells the same of the same frames, down to the last fact."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support import TESTS

KERNELS = ("icelake", "haswell", "westmere", "fallback")

# Run once per kernel: it is chosen when the extension is loaded. Prints the kernel and one digest of everything told.
PROGRAM = """
import hashlib, sys
from random import Random
import framegauge as fg
from framegauge.native.tokenizer import element_offsets, kernel
from tests.support.mutations import mutate
from tests.property.test_mutations import SEEDS

count, seed = map(int, sys.argv[1:])
rng, digest, tight = Random(seed), hashlib.sha256(), fg.Limits(400, 4, 2, 5, 4)
names, groups = ("jsonrpc", "id", "method", "params", "result", "error"), ("params", "result", "error", "_meta")

def told(frame, seen):
    yield seen.kind, seen.fault, seen.fault and seen.fault.json_start, seen.id, seen.method, sorted(seen.facts)
    yield seen.size, seen.items, seen.depth, seen.longest_number, seen.largest_object, seen.duplicates
    yield seen.duplicate_offset, seen.error_code, [seen.member(n) for n in names], [seen.members(g) for g in groups]
    if seen.kind == "batch" and not seen.fault:
        yield element_offsets(frame)

def stretched(frame):
    # The wide loops begin at 64 bytes and more; the seeds are often shorter.
    piece = rng.choice((b"m", b"\\\\n", b"\\\\u00e9", b"\\\\ud800")) * rng.randrange(300)
    return frame.replace(b'"m"', b'"' + piece + b'"')

for n in range(count):
    frame = mutate(stretched(rng.choice(SEEDS)), rng)
    for seen in (fg.classify(frame), fg.classify(frame, tight)):
        digest.update(ascii(list(told(frame, seen))).encode())
print(kernel(), n + 1, digest.hexdigest())
"""


def digest(kernel: str, count: int, seed: int) -> tuple[str, int, str]:
    return told_by(kernel, PROGRAM, count, seed)


def told_by(kernel: str, program: str, *arguments: int) -> tuple[str, int, str]:
    environment = os.environ | {"SIMDJSON_FORCE_IMPLEMENTATION": kernel}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(
        command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False, timeout=3000
    )
    if done.returncode != 0 and "ImportError: simdjson has no kernel" in done.stderr:
        return "none", 0, ""  # simdjson has no such kernel for this processor
    assert done.returncode == 0, done.stderr[-4000:]
    used, seen, text = done.stdout.split()
    return used, int(seen), text


def check(kernels: tuple[str, ...], count: int, seed: int) -> None:
    found = {kernel: digest(kernel, count, seed) for kernel in kernels}
    available = {kernel: told for kernel, told in found.items() if told[0] != "none"}
    assert all(used == kernel and seen == count for kernel, (used, seen, _) in available.items()), found
    assert len({text for _, _, text in available.values()}) == 1, found
    if len(available) < 2:
        pytest.skip(f"this processor runs only {list(available)}: nothing to compare")


SIMD = KERNELS[:-1]
WITH_FALLBACK = pytest.param(KERNELS, id="with fallback")


def test_kernels_agree() -> None:
    check(KERNELS, 6_000, seed=21)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(300, 304))
@pytest.mark.parametrize("kernels", [pytest.param(SIMD, id="simd"), WITH_FALLBACK])
def test_kernels_agree_on_many_frames(kernels: tuple[str, ...], seed: int) -> None:
    check(kernels, 100_000, seed)


def test_an_unknown_kernel_is_an_import_error() -> None:
    assert digest("none such", 1, 1) == ("none", 0, "")


def check_answers(kernel: str, program: str, count: int) -> None:
    """The program asks so many questions, and no answer is wrong."""
    used, asked, wrong = told_by(kernel, program)
    if used == "none":
        pytest.skip(f"this processor does not run {kernel}")
    assert (used, asked, wrong) == (kernel, count, "0")


# Long enough that the wide loops have their part, with a byte of each sort at every place.
BASE64 = """
import framegauge as fg
from framegauge.native.tokenizer import kernel

gauge, wrong, asked = fg.Gauge("2025-11-25"), 0, 0
frame = '{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a:b","blob":"%s"}]}}'
for byte in (*(chr(code) for code in range(32, 127) if chr(code) not in '"\\\\'), "\\u00e9", "\\u0100"):
    for place in range(0, 72, 5):
        text = "Ab9/" * 18
        text = text[:place] + byte + text[place + 1 :]
        right = byte.isascii() and (byte.isalnum() or byte in "+/")
        wrong += gauge.check((frame % text).encode(), request_method="resources/read").ok != right
        asked += 1
print(kernel(), asked, wrong)
"""


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_knows_the_alphabet_of_base64(kernel: str) -> None:
    check_answers(kernel, BASE64, 95 * 15)


# The portable kernel takes any byte behind a backslash: what is no string of one line must not become one of two.
OPEN_STRINGS = r"""
import framegauge as fg
from framegauge.native.tokenizer import FAULT_NAMES, KIND_NAMES, kernel

gauge, wrong, asked = fg.Gauge("jsonrpc-2.0"), 0, 0
for first in (b'"\\', b'["\\', b'{"jsonrpc":"2.0","id":1,"method":"\\', b'\\', b'"\\\\\\', b'"\\\\'):
    for second in (b'""["', b'"', b'""', b'"]', b'","params":{}}', b'"{"id":1,"method":"ping"}', b'" 1', b'x" "'):
        for end in (b"\n", b"\x01\n", b"\r\n", b" \n", b"\x01"):
            data = first + end + second
            rows, lines = gauge.check_lines(data), data.split(b"\n")
            told = [(KIND_NAMES[kind], fault) for kind, fault in zip(rows.kind, rows.fault, strict=True)]
            alone = [fg.classify(line) for line in lines]
            faults = [FAULT_NAMES.index(line.fault.rule) if line.fault else 0 for line in alone]
            wrong += told != list(zip([line.kind for line in alone], faults, strict=True))
            asked += 1
print(kernel(), asked, wrong)
"""


@pytest.mark.parametrize("kernel", KERNELS)
def test_no_kernel_reads_a_string_on_in_the_next_line(kernel: str) -> None:
    check_answers(kernel, OPEN_STRINGS, 6 * 8 * 5)
