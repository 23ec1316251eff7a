"""Other native code against the installed package: a Cython module that cimports it, and C with the public header."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from framegauge.native import get_include

pytestmark = pytest.mark.slow  # each test runs a compiler

CYTHON = """
from libc.stdint cimport uint8_t, uint32_t
from framegauge.native cimport (
    FG_BATCH, FG_ID, FG_NUMBER, FG_OK, FG_PARSE_ERROR, FG_REQUEST,
    classify_bytes, default_limits, element_spans, fg_facts, fg_limits,
)

def judge(bytes data, depth=None):
    cdef fg_facts facts
    cdef fg_limits limits
    cdef const uint8_t* start = data
    cdef size_t size = len(data)
    cdef int status
    default_limits(&limits)
    if depth is not None:
        limits.max_depth = depth
    with nogil:
        status = classify_bytes(start, size, &limits, &facts)
    assert status == FG_OK
    return facts.kind, facts.size, data[facts.envelope[FG_ID].start:facts.envelope[FG_ID].stop]

def spans(bytes data):
    cdef uint32_t found[8]
    cdef uint32_t count
    cdef const uint8_t* start = data
    cdef size_t size = len(data)
    with nogil:
        count = element_spans(start, size, found, 4)
    return [(found[2 * i], found[2 * i + 1]) for i in range(count)]

KINDS = (FG_REQUEST, FG_BATCH, FG_PARSE_ERROR)
"""

C = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "framegauge.h"

static PyObject* judge(PyObject* self, PyObject* args) {
  const char* data;
  Py_ssize_t size;
  int depth = -1, status;
  fg_facts facts;
  fg_limits limits;
  const fg_api* api = framegauge_import();
  (void)self;
  if (api == NULL || !PyArg_ParseTuple(args, "y#|i", &data, &size, &depth)) return NULL;
  api->default_limits(&limits);
  if (depth >= 0) limits.max_depth = (uint32_t)depth;
  Py_BEGIN_ALLOW_THREADS;
  status = api->classify((const uint8_t*)data, (size_t)size, &limits, &facts);
  Py_END_ALLOW_THREADS;
  if (status != FG_OK) return PyErr_NoMemory();
  return Py_BuildValue("iiy#", (int)facts.kind, (int)facts.size, data + facts.envelope[FG_ID].start,
                       (Py_ssize_t)(facts.envelope[FG_ID].stop - facts.envelope[FG_ID].start));
}

static PyObject* spans(PyObject* self, PyObject* data) {
  uint32_t found[8], count, i;
  const fg_api* api = framegauge_import();
  PyObject* list = PyList_New(0);
  (void)self;
  if (api == NULL || list == NULL) return NULL;
  count = api->elements((const uint8_t*)PyBytes_AS_STRING(data), (size_t)PyBytes_GET_SIZE(data), found, 4);
  for (i = 0; i < count && i < 4; i++) {
    PyObject* pair = Py_BuildValue("II", found[2 * i], found[2 * i + 1]);
    if (pair == NULL || PyList_Append(list, pair) < 0) return NULL;
    Py_DECREF(pair);
  }
  return list;
}

static PyObject* name(PyObject* self, PyObject* number) {
  const fg_api* api = framegauge_import();
  (void)self;
  return api == NULL ? NULL : Py_BuildValue("z", api->name((uint32_t)PyLong_AsUnsignedLong(number)));
}

static PyObject* about(PyObject* self, PyObject* none) {
  const fg_api* api = framegauge_import();
  (void)self, (void)none;
  if (api == NULL) return NULL;
  return Py_BuildValue("IIII", api->abi, FG_FACTS_ABI, api->facts_size, (unsigned)sizeof(fg_facts));
}

static PyMethodDef methods[] = {{"judge", judge, METH_VARARGS, NULL}, {"spans", spans, METH_O, NULL},
                                {"name", name, METH_O, NULL}, {"about", about, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "embedder", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_embedder(void) {
  PyObject* module = PyModule_Create(&definition);
  if (module && PyModule_AddObject(module, "KINDS", Py_BuildValue("iii", FG_REQUEST, FG_BATCH, FG_PARSE_ERROR)) < 0)
    return NULL;
  return module;
}
"""

# Warnings are errors: a header has to be clean in other people's builds.
SETUP = """
from Cython.Build import cythonize
from setuptools import Extension, setup

flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"] if {strict} else []
module = Extension("embedder", [{source!r}], include_dirs=[{include!r}], extra_compile_args=flags)
setup(name="embedder", ext_modules=cythonize([module], language_level=3))
"""

# Run by a process of its own: an embedder that crashes must not end the tests.
ASK = """
import embedder

request, batch, parse_error = embedder.KINDS
call = b'{"id":"x","jsonrpc":"2.0","method":"ping","params":[[1]]}'
assert embedder.judge(call) == (request, len(call), b'"x"'), embedder.judge(call)
assert embedder.judge(call, 2)[0] not in (request, parse_error)
assert embedder.judge(b"[1,2]")[0] == batch
assert embedder.judge(b"{")[0] == parse_error
assert embedder.judge(b"")[:2] == (0, 0)
assert embedder.spans(b"[1,{},7]") == [(1, 2), (3, 5), (6, 7)], embedder.spans(b"[1,{},7]")
if hasattr(embedder, "about"):
    abi, header_abi, size, header_size = embedder.about()
    assert (abi, size) == (header_abi, header_size)
    assert (embedder.name(1), embedder.name(0), embedder.name(60000)) == ("_meta", None, None)
print("judged")
"""

# The header of another version: the import has to say so instead of reading past a struct.
FOREIGN = """
import embedder
try:
    embedder.judge(b"{}")
except ImportError as error:
    print("refused:", error)
"""


COLUMNS = """
from libc.stdint cimport uint64_t
from framegauge.native cimport FG_REQUEST
from framegauge.native.columns cimport Columns

def requests(Columns columns not None):
    cdef uint64_t row, found = 0
    with nogil:
        for row in range(columns.c.count):
            found += columns.c.kind[row] == FG_REQUEST
    return found
"""

COUNT = """
import embedder, framegauge
lines = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n{}\\n{"jsonrpc":"2.0","id":2,"method":"ping"}\\n'
print(embedder.requests(framegauge.Gauge().check_lines(lines).columns))
"""


def needs_compiler() -> None:
    compiler = os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")
    header = Path(sysconfig.get_path("include"), "Python.h")
    missing = [
        name for name, found in ((compiler, shutil.which(compiler.split()[0])), (header, header.exists())) if not found
    ]
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"missing: {missing}")
    if missing:
        pytest.skip(f"missing: {missing}")


def run(folder: Path, *arguments: str) -> str:
    # Not -I or -S: the package under test may be an editable one. The folder holds nothing but the embedder.
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(folder: Path, name: str, source: str, include: str) -> None:
    needs_compiler()
    (folder / name).write_text(source, encoding="utf-8")
    strict = name.endswith(".c") and sys.platform != "win32"  # what Cython writes is not ours
    (folder / "setup.py").write_text(SETUP.format(source=name, include=include, strict=strict), encoding="utf-8")
    run(folder, "setup.py", "-q", "build_ext", "--inplace")


@pytest.mark.parametrize(("name", "source"), [("embedder.pyx", CYTHON), ("embedder.c", C)], ids=["Cython", "C"])
def test_other_native_code_builds_against_the_installed_package(name: str, source: str, tmp_path: Path) -> None:
    build(tmp_path, name, source, get_include())
    assert run(tmp_path, "-c", ASK) == "judged\n"


def test_columns_are_read_without_the_buffer_protocol(tmp_path: Path) -> None:
    build(tmp_path, "embedder.pyx", COLUMNS, get_include())
    assert run(tmp_path, "-c", COUNT) == "2\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [("#define FG_FACTS_ABI ", "#define FG_FACTS_ABI 9"), ("#define FG_ROOM_META 16", "#define FG_ROOM_META 17")],
    ids=["number", "size"],
)
def test_a_header_of_another_layout_is_refused(before: str, after: str, tmp_path: Path) -> None:
    header = Path(get_include(), "framegauge.h").read_text("utf-8")
    assert header.count(before) == 1
    (tmp_path / "framegauge.h").write_text(header.replace(before, after), encoding="utf-8")
    build(tmp_path, "embedder.c", C, str(tmp_path))
    assert run(tmp_path, "-c", FOREIGN).startswith("refused: framegauge was built for another fg_facts")
