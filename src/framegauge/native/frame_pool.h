/* Memory of Frame objects: a few are kept for the next, because a kilobyte from malloc costs as much as a tenth of a small frame's scan.
 *
 * A Frame is filled before anyone sees it, so its memory is not cleared either. Guarded by the GIL; without one (free-threaded builds) the
 * pool is left out.
 */
#ifndef FRAMEGAUGE_FRAME_POOL_H
#define FRAMEGAUGE_FRAME_POOL_H
#include <Python.h>

#ifdef Py_GIL_DISABLED
#define FG_POOL 0
#else
#define FG_POOL 32
#endif

static PyObject* fg_pool[FG_POOL + 1];
static int fg_pooled = 0;

static PyObject* fg_new_frame(PyTypeObject* type) {
  PyObject* frame = fg_pooled ? fg_pool[--fg_pooled] : (PyObject*)PyObject_Malloc((size_t)type->tp_basicsize);
  return frame ? PyObject_Init(frame, type) : PyErr_NoMemory();
}

static Py_ssize_t fg_kept_offset;

static void fg_free_frame(PyObject* frame) {
  Py_XDECREF(*(PyObject**)((char*)frame + fg_kept_offset)); /* bytes: runs no Python code */
  if (fg_pooled < FG_POOL) {
    fg_pool[fg_pooled++] = frame;
  } else {
    PyObject_Free(frame);
  }
}

/* A type without subclasses, and without references but the one to bytes at `kept_offset`. Cython's own tp_dealloc would save and
 * restore the exception state around every frame. */
static void fg_use_pool(PyTypeObject* type, Py_ssize_t kept_offset) {
  fg_kept_offset = kept_offset;
  type->tp_dealloc = fg_free_frame;
}

#endif
