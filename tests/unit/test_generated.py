"""What is generated or numbered: names.hpp, the numbering of the C interface, and the struct's layout."""

from __future__ import annotations

import ctypes
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from framegauge.facts import FACT_NAMES, FAULT_NAMES, Kind, MemberType
from framegauge.native import get_include, tokenizer
from framegauge.native.layout import KINDS

ROOT = Path(__file__).resolve().parents[2]
GENERATOR = ROOT / "tools" / "generate_names.py"
GOLDEN = ROOT / "tests" / "vectors" / "abi" / "facts.txt"


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_two_names_have_the_same_words() -> None:
    """The tables are keyed by a name's first and last 8 bytes: for a pair that shares both the search never ends."""
    generator = load(GENERATOR)
    seen: dict[tuple[int, int], str] = {}
    clashes = [
        (seen[words], name)
        for name in generator.NAMES
        if seen.setdefault(words := generator.head_tail(name), name) != name
    ]
    assert seen
    assert clashes == []


RENDER = f"import runpy; print(runpy.run_path({str(GENERATOR)!r})['render'](), end='')"


def test_the_name_table_is_what_its_generator_writes() -> None:
    # In a process of its own: the generator searches until it finds, which may be never.
    done = subprocess.run([sys.executable, "-c", RENDER], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == load(GENERATOR).TARGET.read_text("utf-8")


LAYOUT = ROOT / "tools" / "generate_layout.py"


def test_the_layout_is_what_its_generator_writes() -> None:
    generator = load(LAYOUT)
    files = generator.generate()
    assert set(files) == {"layout.h", "layout.pxd", "layout.py"}
    assert {name: (generator.NATIVE / name).read_text("utf-8") for name in files} == files


def test_a_row_has_the_fields_of_its_struct() -> None:
    described = {
        struct.text: [field.name for field in struct.by_row] for struct in load(LAYOUT).structs() if struct.row
    }
    assert {kind: list(row._fields) for kind, row in KINDS.items()} == described
    assert sum(map(len, described.values())) > 60


def golden() -> dict[str, list[str]]:
    """Section name -> its lines. The first section is the ABI number."""
    sections: dict[str, list[str]] = {}
    for line in GOLDEN.read_text("utf-8").splitlines():
        if line.startswith("["):
            sections[line.strip("[]")] = current = []
        elif line and not line.startswith("#"):
            current.append(line)
    return sections


def present() -> dict[str, list[str]]:
    names = load(GENERATOR).NAMES
    return {
        "kinds": list(Kind),
        "types": ["absent", *MemberType],
        "envelope": list(tokenizer.ENVELOPE_NAMES),
        "faults": [name or "(none)" for name in FAULT_NAMES],
        "facts": list(FACT_NAMES),
        "names": list(names),
    }


def test_the_golden_list_is_complete() -> None:
    sections = golden()
    assert list(sections) == ["abi", *present()]
    assert all(sections.values())


@pytest.mark.parametrize("section", present())
def test_numbers_are_never_given_anew(section: str) -> None:
    """A name keeps its number. New ones are appended here too, with the ABI number raised in the header."""
    listed, now = golden()[section], present()[section]
    assert now[: len(listed)] == listed, "renumbered or removed: whoever was compiled before reads other facts"
    assert now[len(listed) :] == [], f"new: append to {GOLDEN.name}, and raise FG_FACTS_ABI with it"


def test_abi_number_and_size_stand_in_the_golden_list() -> None:
    number, size = golden()["abi"]
    header = Path(get_include(), "framegauge.h").read_text("utf-8")
    found = re.search(r"#define FG_FACTS_ABI (\d+)", header)
    assert found
    assert found[1] == number == str(tokenizer.facts_abi()) == str(api().abi)
    assert str(api().facts_size) == size


class Value(ctypes.Structure):
    _fields_ = (
        *(("start", ctypes.c_uint32), ("stop", ctypes.c_uint32), ("count", ctypes.c_uint32)),
        *(("type", ctypes.c_uint8), ("escaped", ctypes.c_uint8), ("reserved", ctypes.c_uint16)),
    )


class MemberValue(ctypes.Structure):
    _fields_ = (
        *(("start", ctypes.c_uint32), ("stop", ctypes.c_uint32), ("name", ctypes.c_uint16)),
        *(("type", ctypes.c_uint8), ("escaped", ctypes.c_uint8)),
    )


class Facts(ctypes.Structure):
    """fg_facts, as framegauge.h lays it out: written here by hand, so that a change there is noticed."""

    _fields_ = (
        *(("size", ctypes.c_uint32), ("kind", ctypes.c_uint8), ("top", ctypes.c_uint8), ("fault", ctypes.c_uint8)),
        *(("has_error_code", ctypes.c_uint8), ("fault_offset", ctypes.c_uint32), ("json_start", ctypes.c_uint32)),
        *(("bits", ctypes.c_uint64), ("depth", ctypes.c_uint32), ("longest_number", ctypes.c_uint32)),
        *(("largest_object", ctypes.c_uint32), ("items", ctypes.c_uint32), ("duplicates", ctypes.c_uint32)),
        *(("duplicate_offset", ctypes.c_uint32), ("error_code", ctypes.c_int32), ("counts", ctypes.c_uint8 * 4)),
        *(("envelope", Value * 6), ("members", MemberValue * 64)),
    )


CLASSIFY = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.POINTER(Facts)
)  # without the GIL, as an embedder would


class Api(ctypes.Structure):
    _fields_ = (
        *(("abi", ctypes.c_uint32), ("facts_size", ctypes.c_uint32), ("classify", CLASSIFY)),
        *(("elements", ctypes.c_void_p), ("default_limits", ctypes.c_void_p)),
        ("name", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_uint32)),
    )


def api() -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return Api.from_address(get(tokenizer._C_API, b"framegauge.native.tokenizer._C_API"))


def test_the_struct_has_the_layout_that_the_header_shows() -> None:
    assert ctypes.sizeof(Facts) == api().facts_size


def test_the_capsule_classifies() -> None:
    data, facts = b'{"jsonrpc":"2.0","id":null,"error":{"code":-7,"message":""}}', Facts()
    assert api().classify(data, len(data), None, ctypes.byref(facts)) == 0
    assert (facts.size, list(Kind)[facts.kind], facts.error_code) == (len(data), "error", -7)
    assert facts.has_error_code == 1
    error, code = facts.envelope[5], facts.members[24 + 16]
    assert (data[error.start : error.stop], data[code.start : code.stop]) == (b'{"code":-7,"message":""}', b"-7")
    assert (list(facts.counts), api().name(code.name)) == ([0, 0, 2, 0], b"code")
    assert facts.bits == sum(1 << FACT_NAMES.index(name) for name in tokenizer.classify(data).facts)


def test_protocol_names_by_number() -> None:
    names = load(GENERATOR).NAMES
    assert [api().name(number + 1).decode() for number in range(len(names))] == list(names)
    assert [api().name(number) for number in (0, len(names) + 1, 2**32 - 1)] == [None, None, None]
