"""What is shipped: the files of both archives, their metadata, and what the compiled module shows and contains."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_string
from email.message import Message
from fnmatch import fnmatchcase
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import framegauge

if TYPE_CHECKING:
    from tests.packaging.conftest import Archives

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Building both archives takes a minute; with archives at hand these tests take a second.
pytestmark = [] if os.environ.get("FRAMEGAUGE_DIST") else [pytest.mark.slow]


@pytest.fixture(scope="module")
def sdist(archives: "Archives") -> dict[str, bytes]:
    """Files of the sdist by their path below its top folder."""
    with tarfile.open(archives.sdist) as tar:
        members = [member for member in tar if member.isfile()]
        assert {member.name.split("/")[0] for member in members} == {archives.sdist.name.removesuffix(".tar.gz")}
        return {member.name.split("/", 1)[1]: tar.extractfile(member).read() for member in members}


@pytest.fixture(scope="module")
def wheel(archives: "Archives") -> dict[str, bytes]:
    """Files of the wheel by their path, with DIST-INFO and EXTENSION in place of what varies."""
    files = {}
    with zipfile.ZipFile(archives.wheel) as archive:
        for name in archive.namelist():
            if name.endswith("/"):  # auditwheel writes folders too
                continue
            generic = re.sub(r"^framegauge-[^/]*\.dist-info/", "DIST-INFO/", name)
            for suffix in EXTENSION_SUFFIXES:
                generic = re.sub(re.escape(suffix) + "$", ".EXTENSION", generic)
            files[generic] = archive.read(name)
    return files


@pytest.fixture(scope="module")
def metadata(wheel: dict[str, bytes]) -> Message:
    return message_from_string(wheel["DIST-INFO/METADATA"].decode())


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def module(wheel: dict[str, bytes], tmp_path: Path) -> Path:
    """The compiled module, taken out of the wheel."""
    path = tmp_path / "tokenizer.so"
    path.write_bytes(wheel["framegauge/native/tokenizer.EXTENSION"])
    return path


def deviations(names: list[str], expected: Path) -> list[str]:
    """Return what differs from a written list, one line each."""
    assert names
    lines = [line.split() for line in expected.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    wanted, allowed, forbidden = ([pattern for mark, pattern in lines if mark in marks] for marks in ("!", "!?", "-"))
    assert {mark for mark, _ in lines} == {"!", "?", "-"}

    def matches(name: str, patterns: list[str]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    missing = [f"missing: {pattern}" for pattern in wanted if not any(fnmatchcase(name, pattern) for name in names)]
    unlisted = [f"not in the list: {name}" for name in names if not matches(name, allowed)]
    return missing + unlisted + [f"forbidden: {name}" for name in names if matches(name, forbidden)]


def test_sdist_holds_exactly_what_is_listed(sdist: dict[str, bytes]) -> None:
    assert deviations(sorted(sdist), HERE / "expected_sdist.txt") == []


def test_wheel_holds_exactly_what_is_listed(wheel: dict[str, bytes]) -> None:
    assert deviations(sorted(wheel), HERE / "expected_wheel.txt") == []


@pytest.mark.parametrize("archive", ["sdist", "wheel"])
def test_lists_notice_every_kind_of_deviation(archive: str, request: pytest.FixtureRequest) -> None:
    names, expected = sorted(request.getfixturevalue(archive)), HERE / f"expected_{archive}.txt"
    changed = [name for name in names if not name.endswith("py.typed")] + ["stray.txt", "framegauge/left/over.pyc"]
    found = {line.split(":")[0] for line in deviations(changed, expected)}
    assert found == {"missing", "not in the list", "forbidden"}


def test_wheel_drops_no_package_file_but_native_sources(sdist: dict[str, bytes], wheel: dict[str, bytes]) -> None:
    sources = {name.removeprefix("src/") for name in sdist if name.startswith("src/framegauge/")}
    public = {f"framegauge/native/{name}.h" for name in ("framegauge", "core", "layout")}  # what `cimport` needs
    native = {name for name in sources - public if name.endswith((".pyx", ".cpp", ".hpp", ".h", "layout.toml"))}
    installed = {name for name in wheel if name.startswith("framegauge/")}
    data = {name for name in sources if name.startswith("framegauge/protocol/data/")}
    assert native
    assert data
    made = {name.replace(".toml", ".json") for name in data}  # by the build
    compiled = {name.replace(".pyx", ".EXTENSION") for name in native if name.endswith(".pyx")}
    assert installed == sources - native | compiled | made


def test_wheel_runs_on_this_interpreter_only(archives: "Archives") -> None:
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tags = [tag, tag + getattr(sys, "abiflags", "")]
    assert archives.wheel.name.split("-")[2:4] == tags, "a stable ABI is not claimed before it is tested"


def test_sdist_carries_the_release_of_simdjson_that_setup_asks_for(sdist: dict[str, bytes]) -> None:
    release = re.search(rb'^SIMDJSON_VERSION = "(.+?)"', sdist["setup.py"], re.MULTILINE)[1]
    assert b'#define SIMDJSON_VERSION "%s"' % release in sdist["third_party/simdjson/simdjson.h"]
    assert len(sdist["third_party/simdjson/simdjson.cpp"]) > 1_000_000


def test_both_licences_are_shipped(sdist: dict[str, bytes], wheel: dict[str, bytes], metadata: Message) -> None:
    assert metadata["License-Expression"] == "MIT"
    assert b"The framegauge authors" in wheel["DIST-INFO/licenses/LICENSE"]
    simdjson = wheel["DIST-INFO/licenses/licences/simdjson-LICENSE"]
    assert b"The simdjson authors" in simdjson
    assert sdist["third_party/simdjson/LICENSE"] == simdjson


def command_version() -> str:
    done = subprocess.run([sys.executable, "-m", "framegauge", "--version"], capture_output=True, text=True, check=True)
    name, version, *_ = done.stdout.split()
    assert name == "framegauge"
    return version


def test_version_is_the_same_everywhere(sdist: dict[str, bytes], metadata: Message, project: dict) -> None:
    top = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    found = {
        "CHANGELOG.md": top and top[1],
        "sdist": message_from_string(sdist["PKG-INFO"].decode())["Version"],
        "wheel": metadata["Version"],
        "installed": importlib.metadata.version("framegauge"),
        "framegauge.__version__": framegauge.__version__,
        "framegauge --version": command_version(),
    }
    assert found == dict.fromkeys(found, project["version"])


def test_metadata_is_that_of_the_project(metadata: Message, project: dict) -> None:
    assert metadata["Name"] == "framegauge"
    assert metadata["Summary"] == project["description"]
    assert metadata["Requires-Python"] == project["requires-python"]
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().strip() == (ROOT / "README.md").read_text("utf-8").strip()


def test_installing_pulls_in_nothing(metadata: Message) -> None:
    requirements = metadata.get_all("Requires-Dist")
    assert len(requirements) > 5
    assert [line for line in requirements if "extra ==" not in line] == []


def test_command_is_installed(wheel: dict[str, bytes]) -> None:
    assert wheel["DIST-INFO/entry_points.txt"].decode().split("\n")[:2] == [
        "[console_scripts]",
        "framegauge = framegauge.cli:main",
    ]


def dynamic_symbols(module: Path) -> tuple[set[str], set[str]]:
    """Return the names an ELF module defines for others and those it takes from others."""
    if not shutil.which("nm"):
        from elftools.elf.elffile import ELFFile

        with module.open("rb") as file:
            symbols = list(ELFFile(file).get_section_by_name(".dynsym").iter_symbols())
        taken = {symbol.name for symbol in symbols if symbol.name and symbol["st_shndx"] == "SHN_UNDEF"}
        return {symbol.name for symbol in symbols if symbol.name} - taken, taken

    def names(choice: str) -> set[str]:
        listing = subprocess.run(["nm", "-D", choice, module], check=True, capture_output=True, text=True).stdout
        return {line.split()[-1].split("@")[0] for line in listing.splitlines()}

    return names("--defined-only"), names("--undefined-only")


@pytest.mark.skipif(sys.platform != "linux", reason="the export list is one of ELF")
def test_module_exports_its_entry_point_alone(module: Path) -> None:
    defined, taken = dynamic_symbols(module)
    assert defined == {"PyInit_tokenizer"}
    assert len(taken) > 10
    assert not [name for name in taken if "simdjson" in name], "simdjson has to be compiled in"
    assert not [name for name in taken if name.startswith(("__asan", "__ubsan"))], "a sanitized build is not shipped"


# A comment at the top of a file would win over setup.py, and debug builds would then lack the check unnoticed.
CHECKS = ("boundscheck", "wraparound", "initializedcheck", "cdivision")


def test_no_source_switches_checks_off_by_itself(sdist: dict[str, bytes]) -> None:
    sources = {name: text.decode() for name, text in sdist.items() if name.endswith((".pyx", ".pxd"))}
    assert sources
    comments = [(name, line) for name, text in sources.items() for line in re.findall(r"(?m)^#\s*cython\s*:.*", text)]
    assert [comment for comment in comments if any(check in comment[1] for check in CHECKS)] == []
    assert all(f'"{check}"'.encode() in sdist["setup.py"] for check in CHECKS)
