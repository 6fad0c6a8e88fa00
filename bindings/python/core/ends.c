/* How a call ends: what it returns, or the exception for its status. */
#include "core.h"

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
