/*
 * The Arrow C data interface: a table handed out as a stream of one batch, and
 * one array taken in. The structs are those of the specification (they are
 * its ABI); nothing of Arrow is linked. Buffers are not copied: what is handed
 * out holds its columns, what is taken in holds its capsule.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* One column of a table; of a text column the offsets and the bytes. */
typedef struct field {
    char *name;
    char format[2];
    Py_buffer data[2];
    int buffers;
} field;

/* A table that was handed out; freed with the last struct that needs it. */
typedef struct table {
    field *field;
    Py_ssize_t fields;
    int64_t rows;
    int users;
    int sent;
} table;

static void table_drop(table *t)
{
    PyGILState_STATE state = PyGILState_Ensure();

    if (--t->users == 0) {
        for (Py_ssize_t i = 0; i < t->fields; i++) {
            for (int b = 0; b < t->field[i].buffers; b++) {
                PyBuffer_Release(&t->field[i].data[b]);
            }
            free(t->field[i].name);
        }
        free(t->field);
        free(t);
    }
    PyGILState_Release(state);
}

/* ---- Schemas ---- */

static void child_schema_release(struct ArrowSchema *s)
{
    s->release = NULL;
}

static void schema_release(struct ArrowSchema *s)
{
    table *t = s->private_data;

    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
    }
    if (s->children) free(s->children[0]);
    free(s->children);
    s->release = NULL;
    table_drop(t);
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    table *t = stream->private_data;
    size_t n = (size_t)t->fields;
    struct ArrowSchema *child = calloc(n ? n : 1, sizeof *child);
    struct ArrowSchema **children = calloc(n ? n : 1, sizeof *children);

    if (!child || !children) {
        free(child);
        free(children);
        return 12; /* ENOMEM */
    }
    for (size_t i = 0; i < n; i++) {
        child[i] = (struct ArrowSchema){.format = t->field[i].format,
                                        .name = t->field[i].name,
                                        .release = child_schema_release};
        children[i] = &child[i];
    }
    if (n == 0) children[0] = child;
    *out = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .n_children = (int64_t)n,
                                .children = children,
                                .release = schema_release,
                                .private_data = t};
    t->users++;
    return 0;
}

/* ---- Arrays ---- */

/* The structs of one batch, in one block. A child may be moved away by who
 * takes it, so each child holds the table and its own part of the block. */
typedef struct part {
    struct ArrowArray array;
    const void *buffers[3];
    table *table;
} part;

static void child_release(struct ArrowArray *a)
{
    part *p = a->private_data;

    a->release = NULL;
    table_drop(p->table);
    free(p);
}

static void batch_release(struct ArrowArray *a)
{
    table *t = a->private_data;

    for (int64_t i = 0; i < a->n_children; i++) {
        struct ArrowArray *child = a->children[i];
        if (child->release) child->release(child);
        free(child);
    }
    free(a->children);
    free(a->buffers);
    a->release = NULL;
    table_drop(t);
}

static struct ArrowArray *child_of(table *t, const field *f)
{
    struct ArrowArray *out = calloc(1, sizeof *out);
    part *p = calloc(1, sizeof *p);

    if (!out || !p) {
        free(out);
        free(p);
        return NULL;
    }
    p->table = t;
    for (int b = 0; b < f->buffers; b++) p->buffers[b + 1] = f->data[b].buf;
    *out = (struct ArrowArray){.length = t->rows,
                               .n_buffers = f->buffers + 1,
                               .buffers = p->buffers,
                               .release = child_release,
                               .private_data = p};
    t->users++;
    return out;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    table *t = stream->private_data;
    size_t n = (size_t)t->fields;

    *out = (struct ArrowArray){.release = NULL};
    if (t->sent) return 0;
    out->children = calloc(n ? n : 1, sizeof *out->children);
    out->buffers = calloc(1, sizeof *out->buffers);
    out->private_data = t;
    t->users++;
    int ok = out->children && out->buffers;
    for (size_t i = 0; i < n && ok; i++) {
        out->children[i] = child_of(t, &t->field[i]);
        ok = out->children[i] != NULL;
        out->n_children += ok;
    }
    if (!ok) {
        batch_release(out);
        return 12;
    }
    out->length = t->rows;
    out->n_buffers = 1;
    out->release = batch_release;
    t->sent = 1;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void stream_release(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
    table_drop(stream->private_data);
}

static void capsule_free(PyObject *capsule)
{
    struct ArrowArrayStream *s = PyCapsule_GetPointer(capsule,
                                                      "arrow_array_stream");

    if (s && s->release) s->release(s);
    free(s);
}

/* ---- Handing out ---- */

static const char *arrow_format(const char *format)
{
    switch (*format) {
    case 'q': return "l";
    case 'Q': return "L";
    case 'i': return "i";
    case 'I': return "I";
    case 'd': return "g";
    case 'B': return "C";
    default: return NULL;
    }
}

/* (name, column) or (name, offsets, bytes) */
static int take_field(table *t, PyObject *said)
{
    field *f = &t->field[t->fields];
    PyObject *name = NULL, *part[2] = {NULL, NULL};

    if (!PyArg_ParseTuple(said, "UO|O", &name, &part[0], &part[1])) return 0;
    for (int b = 0; b < 2 && part[b]; b++) {
        if (PyObject_GetBuffer(part[b], &f->data[b],
                               PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
            break;
        }
        f->buffers++;
    }
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    f->name = text ? strdup(text) : NULL;
    t->fields++; /* from here on it is dropped with the table */
    if (PyErr_Occurred()) return 0;
    const char *format = f->buffers == 2 ? "u"
                                         : arrow_format(f->data[0].format);
    int64_t rows = f->data[0].len / f->data[0].itemsize - (f->buffers == 2);
    if (!f->name || !format || (t->fields > 1 && rows != t->rows)) {
        PyErr_SetString(PyExc_ValueError, "not a column of this table");
        return 0;
    }
    memcpy(f->format, format, 2);
    t->rows = rows;
    return 1;
}

PyObject *columns_arrow(PyObject *module, PyObject *const *argv,
                        Py_ssize_t argc)
{
    PyObject *list;
    READ("O", &list);

    Py_ssize_t n = PySequence_Size(list);
    table *t = n < 0 ? NULL : calloc(1, sizeof *t);
    if (t) t->field = calloc((size_t)n + 1, sizeof *t->field);
    struct ArrowArrayStream *s = calloc(1, sizeof *s);
    if (!t || !t->field || !s) {
        if (t) free(t->field);
        free(t);
        free(s);
        return n < 0 ? args_fail(&a) : PyErr_NoMemory();
    }
    t->users = 1;
    *s = (struct ArrowArrayStream){get_schema, get_next, get_last_error,
                                   stream_release, t};
    PyObject *capsule = PyCapsule_New(s, "arrow_array_stream", capsule_free);
    for (Py_ssize_t i = 0; i < n && capsule; i++) {
        PyObject *said = PySequence_GetItem(list, i);
        if (!said || !take_field(t, said)) Py_CLEAR(capsule);
        Py_XDECREF(said);
    }
    return capsule;
}

/* ---- Taking in ---- */

static const char *plain_format(const char *arrow, Py_ssize_t *item)
{
    *item = 8;
    switch (*arrow) {
    case 'l': return "q";
    case 'L': return "Q";
    case 'g': return "d";
    default: break;
    }
    *item = 4;
    switch (*arrow) {
    case 'i': return "i";
    case 'I': return "I";
    default: return NULL;
    }
}

PyObject *columns_from_arrow(PyObject *module, PyObject *const *argv,
                             Py_ssize_t argc)
{
    PyObject *first, *second;
    Py_ssize_t item;
    READ("OO", &first, &second);

    struct ArrowSchema *s = PyCapsule_GetPointer(first, "arrow_schema");
    struct ArrowArray *array = s ? PyCapsule_GetPointer(second, "arrow_array")
                                 : NULL;
    if (!array) return args_fail(&a);
    const char *format = s->format && strlen(s->format) == 1
                             ? plain_format(s->format, &item)
                             : NULL;
    if (!format || s->dictionary || array->null_count != 0 ||
        array->n_buffers != 2) {
        PyErr_SetString(PyExc_TypeError,
                        "needs an Arrow array of numbers without nulls");
        return args_fail(&a);
    }
    const char *at = array->buffers[1];
    PyObject *column = column_over(second, at ? at + array->offset * item : "",
                                   format, item, (size_t)array->length, -1);
    return column ? args_end(&a, "N", column) : args_fail(&a);
}
