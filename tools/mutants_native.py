"""Runs mutants of the native core: most of them in one program (schemata.py), the others compiled one by one."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import schemata
from mutations import INVALID, SURVIVED
from tests.native import simdjson, told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mutations import Mutant

ROOT = Path(__file__).resolve().parents[1]
NATIVE, CPP = simdjson.NATIVE, simdjson.CPP
KERNELS = ("haswell", "fallback", "icelake", "westmere")
# Of these files some lines run on some processors only: mutants of others are tried with the first kernels alone.
BY_KERNEL = ("api.cpp", *(f"json/{name}.hpp" for name in ("bytes", "escape_kernel", "simdjson_shim", "strings")))
FEW = {"vectors": 2, "generated": 1}
MEMORY = 2 << 30
SECONDS = 20  # of a whole run, which takes one; told.cpp ends itself where a single result takes long

_ERROR = re.compile(r"native/cpp/((?:\w+/)*\w+\.(?:hpp|cpp)):(\d+):\d+: error: (.*)")
_RIGHT = re.compile("constant|array bound|return statement|control reaches end")


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Its threads run one after the other: on one core in half the time.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


class Native:
    """What told.cpp prints for frames with a mutant is compared with what it prints with the sources."""

    def __init__(self, folder: Path, mutants: Iterable[Mutant]) -> None:
        self.folder = folder
        self._simdjson = simdjson.simdjson_folder()
        self._common: list[str | Path] = [
            simdjson.compiler(),
            "-std=c++17",
            "-O0",
            "-Werror=return-type",
            f"-I{self._simdjson}",
        ]
        self._before = folder / "before.h"
        self._before.write_text(f'#include <immintrin.h>\n#include "{self._simdjson}/simdjson.h"\n', "utf-8")
        simdjson.run(*self._common, "-x", "c++-header", self._before, "-o", f"{self._before}.gch")
        simdjson.run(*self._common, "-O1", "-c", self._simdjson / "simdjson.cpp", "-o", folder / "simdjson.o")
        teller = ROOT / "tests" / "native" / "told.cpp"
        simdjson.run(*self._common, "-O1", *simdjson.INCLUDES, "-c", teller, "-o", folder / "told.o")
        self._sets = {
            "vectors": told.write_frames(folder / "vectors.bin", told.vector_frames()),
            "generated": told.write_frames(folder / "generated.bin", told.generated_frames(3000, 1)),
        }
        self._tables = told.write_tables(folder / "tables.txt")
        self._sources = folder / "alone" / "native"
        self._copy(self._sources)
        refusal = self._build(self._sources, folder / "told")
        assert not refusal, f"the sources themselves do not compile: {refusal}"
        self._expected = self._expectations()
        self._kernels = [kernel for frames, kernel in self._expected if frames == "vectors"]
        self._numbers = self._schemata(list(mutants))
        # Else every mutant would seem to be noticed: told.cpp ends itself where a single result takes long.
        for (frames, kernel), expected in self._expected.items():
            told_unchanged = self._tell(folder / "switched" / "told", frames, kernel)
            assert told_unchanged == expected, f"{frames}, {kernel}: what can be switched is not the same, or too slow"

    def _copy(self, target: Path) -> None:
        shutil.copytree(NATIVE, target, ignore=shutil.ignore_patterns("*.so", "*.py*", "*.pxd"))

    def _build(self, sources: Path, program: Path, *more: str) -> str:
        """Empty, or what the compiler prints."""
        includes = [f"-I{sources}", f"-I{sources / 'cpp'}"]
        command = [*self._common, *more, "-include", self._before, *includes, sources / "cpp" / "api.cpp"]
        command += [self.folder / "told.o", self.folder / "simdjson.o", "-lpthread", "-o", program]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        return done.stderr or "no word" if done.returncode else ""

    def _expectations(self) -> dict[tuple[str, str], bytes]:
        """By set and kernel, of the kernels that run here."""
        found = {}
        for frames in self._sets:
            for kernel in KERNELS:
                printed = self._tell(self.folder / "told", frames, kernel)
                assert printed, f"{kernel}: the sources themselves fail"
                if printed.startswith(f"kernel {kernel}\n".encode()):
                    found[frames, kernel] = printed
                    self._like(frames, kernel).write_bytes(printed)
        return found

    def _like(self, frames: str, kernel: str) -> Path:
        return self.folder / f"{frames}.{kernel}.expected"

    def _tell(self, program: Path, frames: str, kernel: str, number: int = 0) -> bytes | None:
        """What the program prints; None where it fails."""
        like = self._like(frames, kernel)
        command = [program, self._sets[frames], self._tables, Path("all")]
        if like.exists():
            command.append(like)
        environment = os.environ | {"SIMDJSON_FORCE_IMPLEMENTATION": kernel, "MUTANT": str(number)}
        done = subprocess.run(
            command, env=environment, capture_output=True, check=False, preexec_fn=limited, timeout=20 * SECONDS
        )
        return done.stdout if done.returncode == 0 else None

    def _schemata(self, mutants: list[Mutant]) -> dict[Mutant, int]:
        """Builds one program of all that can be switched there, and gives their numbers."""
        sources, texts = (
            self.folder / "switched" / "native",
            {name: (CPP / name).read_text("utf-8") for name in {mutant.file for mutant in mutants} | {"api.cpp"}},
        )
        self._copy(sources)
        switches = defaultdict[str, dict[int, schemata.Switch]](dict)
        for number, mutant in enumerate(mutants, 1):
            found = schemata.switch(number, mutant, texts[mutant.file])
            if found is not None:
                switches[mutant.file][number] = found
        for how in ("-fsyntax-only", "-O0", "-O1"):  # each sees more and takes longer; the last makes what is run often
            while True:
                for file, of in switches.items():
                    (sources / "cpp" / file).write_text(schemata.switched(texts[file], of.values()), "utf-8")
                core = schemata.switched(texts["api.cpp"], switches["api.cpp"].values())
                (sources / "cpp" / "api.cpp").write_text(f"{schemata.SWITCH}#line 1\n{core}", "utf-8")
                refusal = self._build(sources, self.folder / "switched" / "told", how)
                if not refusal:
                    break
                self._drop(refusal, texts, switches)
        left = {number for of in switches.values() for number in of}
        return {mutant: number for number, mutant in enumerate(mutants, 1) if number in left}

    def _drop(self, refusal: str, texts: dict[str, str], switches: dict[str, dict[int, schemata.Switch]]) -> None:
        """What the compiler refuses."""
        # Complaints of these sorts are each right; of others the first of each file: later ones are often consequences.
        errors = _ERROR.findall(refusal)
        first = {file: (file, line, printed) for file, line, printed in reversed(errors)}
        right = [error for error in errors if _RIGHT.search(error[2])] or list(first.values())
        dropped = set[int]()
        for around in (False, True):
            for file, line, _ in [] if dropped else right:
                dropped |= schemata.refused(texts[file], switches[file], int(line), around)
        assert dropped, f"no mutant seems to be the reason for: {refusal[-4000:]}"
        for of in switches.values():
            for number in dropped & set(of):
                del of[number]

    def judge(self, mutant: Mutant) -> str:
        """The set of frames that notices it, `invalid` where it does not compile, or `survived`."""
        path = self._sources / "cpp" / mutant.file
        original = path.read_text("utf-8")
        if mutant in self._numbers:
            noticed = self._noticed(mutant, self.folder / "switched" / "told", self._numbers[mutant])
            if noticed != SURVIVED or not schemata.in_table(original, mutant.start):
                return noticed
        path.write_text(original[: mutant.start] + mutant.new + original[mutant.stop :], "utf-8")
        try:
            if self._build(self._sources, self.folder / "alone" / "told"):
                return INVALID
            return self._noticed(mutant, self.folder / "alone" / "told", 0)
        finally:
            path.write_text(original, "utf-8")

    def _noticed(self, mutant: Mutant, program: Path, number: int) -> str:
        for (frames, kernel), expected in self._expected.items():
            if self._kernels.index(kernel) >= FEW[frames] and mutant.file not in BY_KERNEL:
                continue
            if self._tell(program, frames, kernel, number) != expected:
                return frames
        return SURVIVED
