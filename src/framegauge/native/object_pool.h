/* Memory of the one object a call returns: a few are kept for the next, because a kilobyte from malloc costs as much as a tenth of a small
 * frame's scan. Each compiled module that includes this has one such type.
 *
 * The object is filled before anyone sees it, so its memory is not cleared either. Guarded by the GIL; without one (free-threaded builds) the
 * pool is left out.
 */
#ifndef FRAMEGAUGE_OBJECT_POOL_H
#define FRAMEGAUGE_OBJECT_POOL_H
#include <Python.h>

#ifdef Py_GIL_DISABLED
#define FG_POOL 0
#else
#define FG_POOL 32
#endif

static PyObject* fg_pool[FG_POOL + 1];
static int fg_pooled = 0;
static Py_ssize_t fg_references_at;
static int fg_references;

static PyObject* fg_new_object(PyTypeObject* type) {
  PyObject* object = fg_pooled ? fg_pool[--fg_pooled] : (PyObject*)PyObject_Malloc((size_t)type->tp_basicsize);
  return object ? PyObject_Init(object, type) : PyErr_NoMemory();
}

static void fg_free_object(PyObject* object) {
  PyObject** references = (PyObject**)((char*)object + fg_references_at);
  for (int i = 0; i < fg_references; i++) Py_XDECREF(references[i]);
  if (fg_pooled < FG_POOL) {
    fg_pool[fg_pooled++] = object;
  } else {
    PyObject_Free(object);
  }
}

/* For a type without subclasses that holds references only as `references` neighbouring pointers at `offset`, to objects that do not refer
 * back to it. Cython's own tp_dealloc would save and restore the exception state around every object. */
static void fg_use_pool(PyTypeObject* type, Py_ssize_t offset, int references) {
  fg_references_at = offset;
  fg_references = references;
  type->tp_dealloc = fg_free_object;
}

#endif
