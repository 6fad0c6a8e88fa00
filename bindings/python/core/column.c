/*
 * Columns: numbers or records in a row, or rows of numbers, read-only, by the
 * buffer protocol, so that numpy, array, memoryview and torch see them without
 * a copy; and by the Arrow C data interface, for tables. A column keeps what
 * it looks into alive; while it looks into a handle, the handle cannot change.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *column_type;

static PyObject *column_make(const char *format, Py_ssize_t item, size_t rows,
                             Py_ssize_t width)
{
    column *c = PyObject_New(column, column_type);

    if (!c) return NULL;
    c->at = NULL;
    c->owner = NULL;
    c->ndim = width >= 0 ? 2 : 1;
    c->item = item;
    c->shape[0] = (Py_ssize_t)rows;
    c->shape[1] = width;
    c->strides[0] = width >= 0 ? width * item : item;
    c->strides[1] = item;
    PyOS_snprintf(c->format, sizeof c->format, "%s", format);
    return (PyObject *)c;
}

PyObject *column_new(const char *format, Py_ssize_t item, size_t rows,
                     Py_ssize_t width)
{
    size_t row = (size_t)item * (size_t)(width >= 0 ? width : 1);

    if (rows > (size_t)PY_SSIZE_T_MAX / (row ? row : 1))
        return PyErr_NoMemory();
    column *c = (column *)column_make(format, item, rows, width);
    if (!c) return NULL;
    c->at = PyMem_Calloc((rows * row) + 1, 1);
    if (c->at) return (PyObject *)c;
    Py_DECREF((PyObject *)c);
    return PyErr_NoMemory();
}

PyObject *column_over(PyObject *owner, const void *at, const char *format,
                      Py_ssize_t item, size_t rows, Py_ssize_t width)
{
    column *c = (column *)column_make(format, item, rows, width);

    if (!c) return NULL;
    memcpy(&c->at, &at, sizeof at); /* read-only all the same */
    c->owner = Py_NewRef(owner);
    if (Py_IS_TYPE(owner, handle_type)) ((handle *)owner)->exports++;
    return (PyObject *)c;
}

static void column_dealloc(column *c)
{
    PyTypeObject *type = Py_TYPE((PyObject *)c);

    if (!c->owner) PyMem_Free(c->at);
    if (c->owner && Py_IS_TYPE(c->owner, handle_type)) {
        ((handle *)c->owner)->exports--;
    }
    Py_XDECREF(c->owner);
    PyObject_Free(c);
    Py_DECREF(type);
}

static Py_ssize_t bytes_of(const column *c)
{
    return c->shape[0] * c->strides[0];
}

static int column_buffer(column *c, Py_buffer *view, int flags)
{
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "a column is read-only");
        return -1;
    }
    view->obj = Py_NewRef((PyObject *)c);
    view->buf = c->at;
    view->len = bytes_of(c);
    view->readonly = 1;
    view->itemsize = c->item;
    view->format = flags & PyBUF_FORMAT ? c->format : NULL;
    view->ndim = flags & PyBUF_ND ? c->ndim : 1;
    view->shape = flags & PyBUF_ND ? c->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? c->strides
                                                             : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    return 0;
}

static Py_ssize_t column_length(column *c)
{
    return c->shape[0];
}

static PyObject *item_at(const column *c, Py_ssize_t i)
{
    const char *at = c->at + i * c->strides[0];
    long long whole = 0;
    unsigned long long natural = 0;
    double real;
    int narrow;
    unsigned word;

    switch (c->format[0]) {
    case 'q': memcpy(&whole, at, 8); return PyLong_FromLongLong(whole);
    case 'Q':
        memcpy(&natural, at, 8);
        return PyLong_FromUnsignedLongLong(natural);
    case 'd': memcpy(&real, at, 8); return PyFloat_FromDouble(real);
    case 'i': memcpy(&narrow, at, 4); return PyLong_FromLong(narrow);
    case 'I': memcpy(&word, at, 4); return PyLong_FromUnsignedLong(word);
    case 'B': return PyLong_FromLong((unsigned char)*at);
    default: return PyBytes_FromStringAndSize(at, c->item);
    }
}

static PyObject *column_item(column *c, Py_ssize_t i)
{
    if (i < 0 || i >= c->shape[0]) {
        PyErr_SetString(PyExc_IndexError, "no such row");
        return NULL;
    }
    if (c->ndim == 1) return item_at(c, i);
    return column_over((PyObject *)c, c->at + i * c->strides[0], c->format,
                       c->item, (size_t)c->shape[1], -1);
}

static PyObject *column_slice(column *c, PyObject *key)
{
    Py_ssize_t start, stop, step;

    if (PySlice_Unpack(key, &start, &stop, &step) < 0) return NULL;
    Py_ssize_t n = PySlice_AdjustIndices(c->shape[0], &start, &stop, step);
    if (step != 1) {
        PyErr_SetString(PyExc_ValueError, "slices have step 1: use memoryview");
        return NULL;
    }
    return column_over((PyObject *)c, c->at + start * c->strides[0], c->format,
                       c->item, (size_t)n, c->ndim == 2 ? c->shape[1] : -1);
}

static PyObject *column_subscript(column *c, PyObject *key)
{
    if (PyObject_TypeCheck(key, &PySlice_Type)) return column_slice(c, key);
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred()) return NULL;
    return column_item(c, i < 0 ? i + c->shape[0] : i);
}

static PyObject *column_tolist(column *c, PyObject *none)
{
    (void)none;
    PyObject *list = PyList_New(c->shape[0]);

    for (Py_ssize_t i = 0; list && i < c->shape[0]; i++) {
        PyObject *item = column_item(c, i);
        if (item && c->ndim == 2) {
            PyObject *row = column_tolist((column *)item, NULL);
            Py_DECREF(item);
            item = row;
        }
        if (!item) Py_CLEAR(list);
        if (item) PyList_SetItem(list, i, item);
    }
    return list;
}

static PyObject *column_repr(column *c)
{
    PyObject *list = column_tolist(c, NULL), *text = NULL;

    if (list && c->shape[0] <= 20 && c->format[1] == 0) {
        text = PyUnicode_FromFormat("Column('%s', %R)", c->format, list);
    } else if (list) {
        text = PyUnicode_FromFormat("<Column of %zd rows>", c->shape[0]);
    }
    Py_XDECREF(list);
    return text;
}

/* Columns are equal to columns, and to lists of what they hold. */
static PyObject *column_compare(column *c, PyObject *other, int op)
{
    PyObject *said, *mine, *theirs;

    if (op != Py_EQ && op != Py_NE) Py_RETURN_NOTIMPLEMENTED;
    if (Py_IS_TYPE(other, column_type)) {
        theirs = column_tolist((column *)other, NULL);
    } else if (PyObject_TypeCheck(other, &PyList_Type)) {
        theirs = Py_NewRef(other);
    } else {
        Py_RETURN_NOTIMPLEMENTED;
    }
    mine = theirs ? column_tolist(c, NULL) : NULL;
    said = mine ? PyObject_RichCompare(mine, theirs, op) : NULL;
    Py_XDECREF(mine);
    Py_XDECREF(theirs);
    return said;
}

/* ---- Pickle ---- */

static PyObject *column_reduce(column *c, PyObject *none)
{
    (void)none;
    PyObject *module = PyImport_ImportModule("sked._core");
    PyObject *make = module ? PyObject_GetAttrString(module, "rebuild") : NULL;
    PyObject *said = make ? Py_BuildValue("N(y#snnn)", make, c->at, bytes_of(c),
                                          c->format, c->item, c->shape[0],
                                          c->ndim == 2 ? c->shape[1] : -1)
                          : NULL;

    Py_XDECREF(module);
    return said;
}

/* The formats that answers have, so that a forged pickle finds no others. */
static int plain_format(const char *format, Py_ssize_t item)
{
    return (item == 8 && strlen(format) == 1 && strchr("qQd", *format)) ||
           (item == 4 && strlen(format) == 1 && strchr("iI", *format)) ||
           (item == 1 && !strcmp(format, "B")) ||
           (item > 0 && !strncmp(format, "T{", 2));
}

PyObject *columns_rebuild(PyObject *module, PyObject *const *argv,
                          Py_ssize_t argc)
{
    const char *bytes, *format;
    size_t length, item, rows;
    int64_t width;
    READ("tsnnq", &bytes, &length, &format, &item, &rows, &width);

    size_t row = item * (size_t)(width >= 0 ? width : 1);
    if (item > 4096 || width > INT32_MAX || strlen(format) > 200 ||
        !plain_format(format, (Py_ssize_t)item) ||
        (row ? length / row != rows || length % row : length)) {
        PyErr_SetString(PyExc_ValueError, "not the bytes of a column");
        return args_fail(&a);
    }
    column *c = args_column(&a, format, (Py_ssize_t)item, rows,
                            (Py_ssize_t)width);
    if (!c) return NULL;
    memcpy(c->at, bytes, length);
    return args_end(&a, "O", c);
}

/* ---- The type ---- */

static PyMethodDef column_methods[] = {
    {"tolist", (PyCFunction)(void (*)(void))column_tolist, METH_NOARGS,
     "tolist($self, /)\n--\n\nThe numbers as a list; of records, their bytes."},
    {"__reduce__", (PyCFunction)(void (*)(void))column_reduce, METH_NOARGS, 0},
    {NULL, NULL, 0, NULL},
};

static PyObject *column_get_shape(column *c, void *none)
{
    (void)none;
    if (c->ndim == 1) return Py_BuildValue("(n)", c->shape[0]);
    return Py_BuildValue("(nn)", c->shape[0], c->shape[1]);
}

static PyObject *column_get_format(column *c, void *none)
{
    (void)none;
    return PyUnicode_FromString(c->format);
}

static PyGetSetDef column_getset[] = {
    {"shape", (getter)column_get_shape, NULL, "Rows, and numbers in each.",
     NULL},
    {"format", (getter)column_get_format, NULL, "As the struct module has it.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot column_slots[] = {
    {Py_tp_dealloc, (void *)column_dealloc},
    {Py_bf_getbuffer, (void *)column_buffer},
    {Py_sq_length, (void *)column_length},
    {Py_sq_item, (void *)column_item},
    {Py_tp_iter, (void *)PySeqIter_New},
    {Py_mp_length, (void *)column_length},
    {Py_mp_subscript, (void *)column_subscript},
    {Py_tp_richcompare, (void *)column_compare},
    {Py_tp_hash, (void *)PyObject_HashNotImplemented},
    {Py_tp_repr, (void *)column_repr},
    {Py_tp_methods, column_methods},
    {Py_tp_getset, column_getset},
    {Py_tp_doc, "Numbers of one kind, in memory that numpy sees uncopied."},
    {0, NULL},
};

static PyType_Spec column_spec = {
    .name = "sked._core.Column",
    .basicsize = sizeof(column),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
             Py_TPFLAGS_IMMUTABLETYPE,
    .slots = column_slots,
};

int columns_add(PyObject *module)
{
    column_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &column_spec,
                                                           NULL);
    if (!column_type) return -1;
    return PyModule_AddType(module, column_type);
}
