/* Arguments: read by a format, held until the call ends. See core.h. */
#include "core.h"

#include <string.h>

/* ---- Arguments ---- */

static int read_signed(PyObject *from, int64_t least, int64_t most,
                       int64_t *out)
{
    PyObject *whole = PyNumber_Index(from);

    if (!whole) return 0;
    long long value = PyLong_AsLongLong(whole);
    Py_DECREF(whole);
    if (value == -1 && PyErr_Occurred()) return 0;
    if (value < least || value > most) {
        PyErr_Format(PyExc_OverflowError, "%lld is not from %lld to %lld",
                     value, (long long)least, (long long)most);
        return 0;
    }
    *out = value;
    return 1;
}

int read_unsigned(PyObject *from, uint64_t most, uint64_t *out)
{
    PyObject *whole = PyNumber_Index(from);

    if (!whole) return 0;
    unsigned long long value = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    if (value == (unsigned long long)-1 && PyErr_Occurred()) return 0;
    if (value > most) {
        PyErr_Format(PyExc_OverflowError, "%llu is above %llu", value,
                     (unsigned long long)most);
        return 0;
    }
    *out = value;
    return 1;
}

static int read_text(PyObject *from, const char **text, size_t *length)
{
    Py_ssize_t n = 0;
    char *bytes = NULL;

    if (PyBytes_Check(from)) {
        if (PyBytes_AsStringAndSize(from, &bytes, &n) < 0) return 0;
        *text = bytes;
    } else {
        *text = PyUnicode_AsUTF8AndSize(from, &n);
    }
    if (!*text) return 0;
    if (length) {
        *length = (size_t)n;
    } else if (strlen(*text) != (size_t)n) {
        PyErr_SetString(PyExc_ValueError, "a text with a zero byte");
        return 0;
    }
    return 1;
}

/* Of a column's letter: its width, and the formats it may come in. */
static const char *formats_of(char letter, Py_ssize_t *item)
{
    switch (letter) {
    case 'L':
    case 'W': *item = 8; return "qln";
    case 'K': *item = 8; return "QLN";
    case 'I': *item = 4; return "il";
    case 'U': *item = 4; return "IL";
    case 'D': *item = 8; return "d";
    default: *item = 1; return "B?c";
    }
}

static int fits(const Py_buffer *view, char letter)
{
    Py_ssize_t item;
    const char *format = view->format ? view->format : "B";
    const char *may = formats_of(letter, &item);

    if (view->len && (uintptr_t)view->buf % (letter == 'R' ? 8 : item))
        return 0;
    if (letter == 'R') return 1;
    if (*format == '@' || *format == '=' ||
        *format == (PY_LITTLE_ENDIAN ? '<' : '>')) {
        format++;
    }
    return view->itemsize == item && format[0] && !format[1] &&
           strchr(may, format[0]);
}

/* What is read instead of `from`: records in a row, where memory may have them;
 * numbers as convert() makes them. */
static PyObject *another(PyObject *from, char letter)
{
    Py_ssize_t item;
    char code[2] = {*formats_of(letter, &item), 0};

    if (letter != 'R') {
        return PyObject_CallFunction(make_column, "Os", from, code);
    }
    if (PyObject_CheckBuffer(from)) return PyBytes_FromObject(from);
    PyErr_SetString(PyExc_TypeError, "needs a buffer of records");
    return NULL;
}

/* A view of `from`, or of another that has its numbers. */
static int take_view(args *a, PyObject *from, char letter)
{
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT |
                (letter == 'W' ? PyBUF_WRITABLE : 0);
    Py_buffer *view = &a->view[a->views];

    if (PyObject_GetBuffer(from, view, flags) == 0) {
        a->views++;
        if (fits(view, letter)) return 1;
        PyBuffer_Release(view);
        a->views--;
    } else if (letter == 'W') {
        return 0;
    }
    PyErr_Clear();
    if (letter == 'W') {
        PyErr_SetString(PyExc_TypeError, "a buffer of another format");
        return 0;
    }
    PyObject *made = another(from, letter);
    if (!made) return 0;
    int ok = PyObject_GetBuffer(made, view, flags) == 0;
    Py_DECREF(made); /* the view holds it */
    if (ok) a->views++;
    return ok;
}

static int read_column(args *a, PyObject *from, char letter, incol *out)
{
    *out = (incol){NULL, 0};
    if (from == Py_None) return 1;
    if (a->views == MAX_VIEWS) {
        PyErr_SetString(PyExc_SystemError, "too many columns");
        return 0;
    }
    if (!take_view(a, from, letter)) return 0;
    const Py_buffer *view = &a->view[a->views - 1];
    out->at = view->buf;
    out->n = (size_t)(view->len / (letter == 'R' ? 1 : view->itemsize));
    return 1;
}

int read_column_of(args *a, PyObject *from, char letter, incol *out)
{
    return read_column(a, from, letter, out);
}

static int read_handle(args *a, PyObject *from, char letter, va_list *to)
{
    int kind = va_arg(*to, int);
    void **at = va_arg(*to, void **);

    *at = NULL;
    if (letter == 'o' && from == Py_None) return 1;
    if (!handle_take((handle *)from, kind, letter == 'H')) return 0;
    handle *h = (handle *)from;
    a->with[a->held++] = h;
    if (letter == 'H') a->hooks = h->hooks;
    *at = h->at;
    return 1;
}

static int read_host(args *a, PyObject *from, va_list *to)
{
    host **out = va_arg(*to, host **);

    a->own = host_new(from);
    a->hooks = a->own;
    *out = a->own;
    return a->own != NULL;
}

static int read_number(PyObject *from, char letter, va_list *to)
{
    int64_t whole = 0;
    uint64_t natural = 0;

    switch (letter) {
    case 'i':
        if (!read_signed(from, INT32_MIN, INT32_MAX, &whole)) return 0;
        *va_arg(*to, int32_t *) = (int32_t)whole;
        return 1;
    case 'u':
        if (!read_unsigned(from, UINT32_MAX, &natural)) return 0;
        *va_arg(*to, uint32_t *) = (uint32_t)natural;
        return 1;
    case 'q':
        return read_signed(from, INT64_MIN, INT64_MAX, va_arg(*to, int64_t *));
    case 'Q': return read_unsigned(from, UINT64_MAX, va_arg(*to, uint64_t *));
    default:
        if (!read_unsigned(from, SIZE_MAX / 2, &natural)) return 0;
        *va_arg(*to, size_t *) = (size_t)natural;
        return 1;
    }
}

static int read_one(args *a, PyObject *from, char letter, va_list *to)
{
    const char **text;

    switch (letter) {
    case 'h':
    case 'H':
    case 'o': return read_handle(a, from, letter, to);
    case 'x': return read_host(a, from, to);
    case 'O': *va_arg(*to, PyObject **) = from; return 1;
    case 't':
        text = va_arg(*to, const char **);
        return read_text(from, text, va_arg(*to, size_t *));
    case 's':
    case 'z':
        text = va_arg(*to, const char **);
        *text = NULL;
        if (letter == 'z' && from == Py_None) return 1;
        return read_text(from, text, NULL);
    case 'i':
    case 'u':
    case 'q':
    case 'Q':
    case 'n': return read_number(from, letter, to);
    default: return read_column(a, from, letter, va_arg(*to, incol *));
    }
}

static void args_release(args *a)
{
    while (a->views) PyBuffer_Release(&a->view[--a->views]);
    while (a->made) Py_DECREF(a->out[--a->made]);
    while (a->held) handle_leave(a->with[--a->held]);
    host_free(a->own);
    a->own = NULL;
}

int args_read(args *a, PyObject *const *argv, Py_ssize_t argc,
              const char *format, ...)
{
    va_list to;
    int ok = argc == (Py_ssize_t)strlen(format);

    a->rc = SKED_OK;
    a->err.code = SKED_OK;
    a->away = NULL;
    a->hooks = a->own = NULL;
    a->views = a->held = a->made = 0;
    if (!ok) {
        PyErr_Format(PyExc_TypeError, "needs %zd arguments, not %zd",
                     (Py_ssize_t)strlen(format), argc);
        return 0;
    }
    va_start(to, format);
    for (Py_ssize_t i = 0; i < argc && ok; i++) {
        ok = read_one(a, argv[i], format[i], &to);
    }
    va_end(to);
    if (!ok) args_release(a);
    return ok;
}

int args_need(args *a, const incol *in, const char *name, size_t n,
              int optional)
{
    if ((!in->at && optional) || in->n == n) return 1;
    PyErr_Format(PyExc_ValueError, "%s has %zu numbers, needs %zu", name, in->n,
                 n);
    args_release(a);
    return 0;
}

column *args_column(args *a, const char *format, Py_ssize_t item, size_t rows,
                    Py_ssize_t width)
{
    PyObject *made = column_new(format, item, rows, width);

    if (!made) {
        args_release(a);
        return NULL;
    }
    a->out[a->made++] = made;
    return (column *)made;
}

int args_columns(args *a, const column_shape *shapes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const column_shape *r = &shapes[i];
        if (!args_column(a, r->format, r->item, r->rows, r->width)) return 0;
    }
    return 1;
}

PyObject *args_first(args *a, column *c, size_t n)
{
    c->shape[0] = (Py_ssize_t)n;
    return args_end(a, "O", c);
}

/* ---- Structs ---- */

static size_t numbers_in(const char *dims, const size_t *dim)
{
    size_t n = 1, more = 0;

    for (; *dims; dims++) {
        size_t by = *dims >= '0' && *dims <= '9' ? (size_t)(*dims - '0')
                                                 : dim[(unsigned char)*dims];
        if (*dims == '+') {
            more = 1;
        } else if (by && n > SIZE_MAX / 2 / by) {
            return SIZE_MAX; /* no column has so many */
        } else {
            n *= by;
        }
    }
    return n + more;
}

static int set_number(const field_of *f, PyObject *from, char *to, size_t *dim)
{
    int64_t whole = 0;
    uint64_t natural = 0;
    int is_signed = f->type == 'i' || f->type == 'q';
    int wide = f->type == 'q' || f->type == 'Q';

    if (is_signed && !read_signed(from, wide ? INT64_MIN : INT32_MIN,
                                  wide ? INT64_MAX : INT32_MAX, &whole)) {
        return 0;
    }
    if (!is_signed &&
        !read_unsigned(from, wide ? UINT64_MAX : UINT32_MAX, &natural)) {
        return 0;
    }
    if (is_signed) natural = (uint64_t)whole;
    uint32_t narrow = (uint32_t)natural;
    memcpy(to, wide ? (void *)&natural : (void *)&narrow, wide ? 8 : 4);
    if (*f->dims) dim[(unsigned char)*f->dims] = (size_t)natural;
    return 1;
}

static int set_column(args *a, const field_of *f, PyObject *from, char *to,
                      const size_t *dim)
{
    incol in;
    size_t n = numbers_in(f->dims, dim);

    if (!read_column(a, from, f->type, &in)) return 0;
    if (in.n != n) {
        PyErr_Format(PyExc_ValueError, "%s has %zu numbers, needs %zu", f->name,
                     in.n, n);
        return 0;
    }
    memcpy(to, &in.at, sizeof in.at);
    return 1;
}

static int set_field(args *a, PyObject *dict, const field_of *f, char *out,
                     size_t *dim, Py_ssize_t *seen)
{
    PyObject *key = PyUnicode_FromString(f->name);
    PyObject *from = key ? PyDict_GetItemWithError(dict, key) : NULL;

    Py_XDECREF(key);
    if (!from) return !PyErr_Occurred();
    *seen += 1;
    if (from == Py_None) return 1;
    if (strchr("iuqQ", f->type)) return set_number(f, from, out + f->at, dim);
    return set_column(a, f, from, out + f->at, dim);
}

int args_struct(args *a, PyObject *dict, const field_of *table, size_t fields,
                void *out, size_t *dim)
{
    Py_ssize_t seen = 0;
    int ok = PyDict_Check(dict);

    if (!ok) PyErr_SetString(PyExc_TypeError, "needs a dict");
    for (size_t i = 0; i < fields && ok; i++) {
        ok = set_field(a, dict, &table[i], out, dim, &seen);
    }
    if (ok && seen != PyDict_Size(dict)) {
        PyErr_Format(PyExc_TypeError, "fields that are not there in %S", dict);
        ok = 0;
    }
    if (!ok) args_release(a);
    return ok;
}

/* How a call ends: what it returns, or the exception for its status. */

/* ---- Ends ---- */

void args_go(args *a)
{
    a->away = PyEval_SaveThread();
}

void args_back(args *a)
{
    PyEval_RestoreThread(a->away);
    a->away = NULL;
}

PyObject *args_fail(args *a)
{
    args_release(a);
    return NULL;
}

/* The exception for a status; what a hook raised goes before it. */
static void raise_status(args *a)
{
    const sked_error *e = &a->err;
    int said = e->code == a->rc;
    PyObject *error = PyObject_CallFunction(
        make_error, "iziKLLLII", (int)a->rc, said ? e->message : NULL,
        said ? (int)e->kind : -1, (unsigned long long)(said ? e->queue : 0),
        (long long)(said ? e->got : 0), (long long)(said ? e->limit : 0),
        (long long)(said ? e->row : -1), (unsigned)(said ? e->line : 0),
        (unsigned)(said ? e->column : 0));

    if (!error) return;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
}

/* What a hook of this call raised: of a handle that is written to, or of a
 * call of its own; where it was stopped, of a handle that it read, too. */
static PyObject *take_raised(args *a)
{
    host *from = a->hooks;

    for (int i = 0; i < a->held && a->rc < 0; i++) {
        host *other = a->with[i]->hooks;
        if ((!from || !from->error) && other && other->error) from = other;
    }
    PyObject *error = from ? from->error : NULL;
    if (error) from->error = NULL;
    return error;
}

static int raise_hooks(args *a)
{
    PyObject *error = take_raised(a);

    if (!error) return 0;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return 1;
}

static int failed(args *a)
{
    if (raise_hooks(a)) return 1;
    if (a->rc >= 0) return 0;
    raise_status(a);
    return 1;
}

PyObject *args_end(args *a, const char *format, ...)
{
    PyObject *result = NULL;
    va_list from;

    if (!failed(a)) {
        va_start(from, format);
        result = Py_VaBuildValue(format, from);
        va_end(from);
    }
    args_release(a);
    return result;
}

PyObject *args_handle(args *a, int kind, void *at)
{
    handle *made = NULL;

    if (!failed(a)) {
        made = PyObject_GC_New(handle, handle_type);
        if (made) {
            made->at = at;
            made->kind = kind;
            made->hooks = a->own;
            made->users = 0;
            made->exports = 0;
            a->own = NULL;
            at = NULL;
            PyObject_GC_Track(made);
        }
    }
    if (at && !made) handle_drop(kind, at);
    args_release(a);
    return (PyObject *)made;
}
