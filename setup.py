"""The compiled half of the build; everything that is only metadata stands in pyproject.toml.

Switches, from the environment: FRAMEGAUGE_DEBUG=1 turns assertions and bounds checks on, FRAMEGAUGE_SANITIZE=1 adds
ASan and UBSan to that. SIMDJSON_DIR names a folder that already holds simdjson.h and simdjson.cpp.
"""

import glob
import gzip
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_clib import build_clib
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

NATIVE = "src/framegauge/native"
INCLUDES = [NATIVE, f"{NATIVE}/cpp"]
MODULES = ("tokenizer", "program", "message", "finding", "reply", "verdict", "columns")  # the first holds the core
SIMDJSON_VERSION = "3.12.3"  # the native code is written against the internals of exactly this release
SANITIZE = os.environ.get("FRAMEGAUGE_SANITIZE", "0") not in ("", "0")
DEBUG = SANITIZE or os.environ.get("FRAMEGAUGE_DEBUG", "0") not in ("", "0")
BUILD = "build/" + ("sanitize" if SANITIZE else "debug" if DEBUG else "release")  # changed flags rebuild nothing


def simdjson_folder() -> str:
    """Find simdjson: where the environment says, inside an sdist, or downloaded into the build folder."""
    places = [os.environ.get("SIMDJSON_DIR"), "third_party/simdjson", "build/simdjson"]
    folder = places[0] or next(filter(os.path.isdir, places[1:]), None) or download_simdjson(places[2])
    header, source = Path(folder, "simdjson.h"), Path(folder, "simdjson.cpp")
    if not (header.is_file() and source.is_file()):
        sys.exit(f"simdjson.h and simdjson.cpp are not both in {folder}: delete it or set SIMDJSON_DIR")
    if f'#define SIMDJSON_VERSION "{SIMDJSON_VERSION}"' not in header.read_text("utf-8"):
        sys.exit(f"{header} is not of release {SIMDJSON_VERSION}, the only one that fits")
    return folder


def download_simdjson(folder: str) -> str:
    """Unzip the two files out of the pinned wheel that carries them; the tags only say which wheel that is."""
    os.makedirs("build", exist_ok=True)
    with tempfile.TemporaryDirectory(dir="build") as temp:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--implementation=cp", "--python-version=311", "--abi=cp311", "--platform=manylinux2014_x86_64"]
        command += ["--require-hashes", "--requirement=tools/simdjson.txt", "--dest", temp]
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(f"cannot download simdjson: set SIMDJSON_DIR to a folder with its release {SIMDJSON_VERSION}")
        with zipfile.ZipFile(*glob.glob(temp + "/*.whl")) as wheel:
            wheel.extractall(temp, ["simdjson/simdjson.h", "simdjson/simdjson.cpp"])
        os.rename(temp + "/simdjson", folder)  # whole or not at all, also when the build is interrupted
    return folder


def compiler_args(compiler_type: str) -> tuple[list[str], list[str]]:
    """Return what to compile and what to link with. Symbols are hidden: a process may hold other simdjsons."""
    if compiler_type == "msvc":
        return ["/std:c++17", "/EHsc", *(["/Od", "/Zi", "/UNDEBUG"] if DEBUG else ["/O2", "/DNDEBUG"])], []
    compiling = ["-std=c++17", "-fvisibility=hidden", "-fvisibility-inlines-hidden"]
    compiling += ["-O1", "-g", "-UNDEBUG", "-D_GLIBCXX_ASSERTIONS"] if DEBUG else ["-O3", "-DNDEBUG", "-g0"]
    checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
    exports = ["-Wl,--version-script=tools/exports.map"] if sys.platform == "linux" else []
    return (compiling + checks, exports + checks) if SANITIZE else (compiling, exports)


class BuildClib(build_clib):
    """Compile simdjson once per mode. It knows nothing of Python, so all interpreters share the result."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.build_clib = self.build_temp = f"{BUILD}/simdjson.{sysconfig.get_platform()}"

    def get_source_files(self) -> list[str]:
        return []  # Sdist places them, wherever they were found

    def build_libraries(self, libraries: list) -> None:
        folder, (compiling, _) = simdjson_folder(), compiler_args(self.compiler.compiler_type)
        needs = {"": ["setup.py", f"{folder}/simdjson.h"]}
        libraries[0][1].update(sources=[f"{folder}/simdjson.cpp"], obj_deps=needs, cflags=compiling)
        super().build_libraries(libraries)


def write_json(folder: str) -> None:
    """Write the JSON forms of the protocol data into the package of that folder."""
    runpy.run_path("tools/generate_protocol.py")["write"](Path(folder))


class BuildPy(build_py):
    def run(self) -> None:
        super().run()
        write_json("src" if self.editable_mode else self.build_lib)


class BuildExt(build_ext):
    def run(self) -> None:
        self.run_command("build_clib")  # `setup.py build_ext --inplace` would leave it out
        super().run()
        if self.inplace:
            write_json("src")

    def build_extensions(self) -> None:
        tokenizer.include_dirs.append(simdjson_folder())
        for module in (tokenizer, *others):
            module.extra_compile_args, module.extra_link_args = compiler_args(self.compiler.compiler_type)
        super().build_extensions()

    def copy_extensions_to_source(self) -> None:
        self.force = True  # the module in place may be newer, but of another mode
        super().copy_extensions_to_source()


class Sdist(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        os.makedirs(shipped := f"{base_dir}/third_party/simdjson", exist_ok=True)
        for name in ("simdjson.h", "simdjson.cpp"):
            shutil.copy(f"{simdjson_folder()}/{name}", shipped)
        shutil.copy("licences/simdjson-LICENSE", f"{shipped}/LICENSE")

    def make_archive(self, base_name: str, *_: str, base_dir: str, **__: object) -> str:
        """Pack the same files to the same bytes: sorted, owned by nobody, of one date (SOURCE_DATE_EPOCH if set)."""
        date = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))

        def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
            member.mtime, member.mode = date, 0o755 if member.isdir() else 0o644
            member.uid, member.gid, member.uname, member.gname = 0, 0, "", ""
            return member

        name = f"{base_name}.tar.gz"
        with gzip.GzipFile(name, "wb", mtime=date) as file, tarfile.open(fileobj=file, mode="w") as tar:
            tar.add(base_dir, filter=plain)
        return name


# The four checks are set here alone: a comment at the top of a .pyx would win, and a debug build would lack them.
directives = {"language_level": 3, "embedsignature": True, "embedsignature.format": "python", "warn.unused": True}
directives |= {"boundscheck": DEBUG, "wraparound": DEBUG, "initializedcheck": DEBUG, "cdivision": not DEBUG}
modules = [
    Extension(
        f"framegauge.native.{name}", [f"{NATIVE}/{name}.pyx"], include_dirs=[NATIVE, f"{NATIVE}/cpp"], language="c++"
    )
    for name in MODULES
]
[tokenizer, *others] = cythonize(
    modules, include_path=["src"], build_dir=f"{BUILD}/cython", compiler_directives=directives
)
# Named only now, because cythonize copies what it knows of beside its output: one header must not come from two places.
for copied in glob.glob(f"{BUILD}/cython/**/*.h*", recursive=True):
    os.remove(copied)
tokenizer.sources.append(f"{NATIVE}/cpp/api.cpp")
tokenizer.depends += sorted(
    glob.glob(f"{NATIVE}/cpp/**/*.hpp", recursive=True)
)  # of the core alone: the others need not be rebuilt
for module in (tokenizer, *others):
    module.depends += ["setup.py", "tools/exports.map", *sorted(glob.glob(f"{NATIVE}/*.h"))]

setup(
    ext_modules=[tokenizer, *others],
    libraries=[("simdjson", {"sources": []})],
    options={"build": {"build_base": BUILD}},
    cmdclass={"build_clib": BuildClib, "build_py": BuildPy, "build_ext": BuildExt, "sdist": Sdist},
)
