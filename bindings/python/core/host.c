/*
 * Hooks: what the library asks of Python.
 *
 * The progress hook is always set, since it is how Ctrl-C gets in: it looks at
 * signals every 20 ms at most, whatever the user's own hook wants. What a hook
 * raises is kept, stops the call at its next progress check, and is raised by
 * the call unchanged; later hooks of the call are not entered. Where a call
 * runs several handles, that holds for all of them.
 */
#include "core.h"

#include <stdlib.h>
#include <time.h>

enum { HOOK_RAISED = -1000, CHECK_EVERY = 20000000 };

static int64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Who keeps what a hook raised. */
static host *keeper(host *h)
{
    return h->call ? h->call : h;
}

static void keep_error(host *h)
{
    PyObject *type, *value, *trace;

    h = keeper(h);
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    if (h->error) {
        Py_XDECREF(value);
    } else {
        h->error = value;
    }
}

/* Calls a hook; the arguments are those of Py_BuildValue and are stolen. */
static PyObject *call_hook(host *h, int which, PyObject *arguments)
{
    PyObject *said = NULL;

    if (!keeper(h)->error && arguments) {
        said = PyObject_CallObject(h->hook[which], arguments);
    }
    Py_XDECREF(arguments);
    if (!said && PyErr_Occurred()) keep_error(h);
    return said;
}

static void hook_log(void *user, int32_t level, const char *line)
{
    PyGILState_STATE state = PyGILState_Ensure();

    Py_XDECREF(
        call_hook(user, HOOK_LOG, Py_BuildValue("(is)", (int)level, line)));
    PyGILState_Release(state);
}

static void hook_trace(void *user, const sked_trace *r)
{
    PyGILState_STATE state = PyGILState_Ensure();

    Py_XDECREF(call_hook(
        user, HOOK_TRACE,
        Py_BuildValue("(iKLLL)", (int)r->what, (unsigned long long)r->queue,
                      (long long)r->a, (long long)r->b, (long long)r->c)));
    PyGILState_Release(state);
}

static sked_time hook_clock(void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *said = call_hook(user, HOOK_CLOCK, PyTuple_New(0));
    long long now = said ? PyLong_AsLongLong(said) : 0;

    Py_XDECREF(said);
    if (PyErr_Occurred()) keep_error(user);
    PyGILState_Release(state);
    return now;
}

static uint64_t hook_random(void *user)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *said = call_hook(user, HOOK_RANDOM, PyTuple_New(0));
    unsigned long long bits = said ? PyLong_AsUnsignedLongLong(said) : 0;

    Py_XDECREF(said);
    if (PyErr_Occurred()) keep_error(user);
    PyGILState_Release(state);
    return bits;
}

/* Signals, then the user's own hook, where False stops. */
static sked_status look_around(host *h, uint64_t done, uint64_t total)
{
    PyObject *said;
    int stop = 0;

    if (PyErr_CheckSignals() < 0) keep_error(h);
    if (h->hook[HOOK_PROGRESS]) {
        said = call_hook(h, HOOK_PROGRESS,
                         Py_BuildValue("(KK)", (unsigned long long)done,
                                       (unsigned long long)total));
        stop = said == Py_False;
        Py_XDECREF(said);
    }
    if (keeper(h)->error) return HOOK_RAISED;
    return stop ? SKED_STOPPED : SKED_OK;
}

static sked_status hook_progress(void *user, uint64_t done, uint64_t total)
{
    host *h = user;
    int64_t now = nanoseconds();

    if (keeper(h)->error) return HOOK_RAISED;
    int due = h->hook[HOOK_PROGRESS] && done == total; /* the end is told */
    if (now - h->last_check < CHECK_EVERY && !due) return SKED_OK;
    h->last_check = now;
    PyGILState_STATE state = PyGILState_Ensure();
    sked_status rc = look_around(h, done, total);
    PyGILState_Release(state);
    return rc;
}

/* The C library's allocator, counted, for tests. */
static void *counted_resize(void *user, void *old, size_t old_size, size_t size)
{
    host *h = user;

    if (size == 0) {
        h->live -= old_size;
        free(old);
        return NULL;
    }
    h->requests++;
    if (h->requests >= h->fail_at && h->requests <= h->fail_until) return NULL;
    void *at = realloc(old, size);
    if (at) h->live += size - (old ? old_size : 0);
    return at;
}

/* ---- Life ---- */

static const char *const hook_names[HOOKS] = {"log", "trace", "clock", "random",
                                              "progress"};

/* Which hooks does the object have? An attribute that is None is none. */
static int take_hooks(host *h, PyObject *from)
{
    for (int i = 0; i < HOOKS && from != Py_None; i++) {
        h->hook[i] = PyObject_GetAttrString(from, hook_names[i]);
        if (!h->hook[i]) return 0;
        if (h->hook[i] == Py_None) Py_CLEAR(h->hook[i]);
    }
    if (h->hook[HOOK_LOG]) h->c.log = hook_log;
    if (h->hook[HOOK_TRACE]) h->c.trace = hook_trace;
    if (h->hook[HOOK_CLOCK]) h->c.clock = hook_clock;
    if (h->hook[HOOK_RANDOM]) h->c.random = hook_random;
    return 1;
}

static int take_cancel(host *h, PyObject *flag)
{
    if (flag == Py_None) return 1;
    if (PyObject_GetBuffer(flag, &h->cancel,
                           PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) < 0) {
        return 0;
    }
    if (h->cancel.len < 4) {
        PyErr_SetString(PyExc_ValueError, "a cancel flag of four bytes");
        return 0;
    }
    h->c.cancel = h->cancel.buf;
    return 1;
}

/* (hooks, cancel, memory_limit, threads, log_level, flags, counted) */
static int take_settings(host *h, PyObject *said)
{
    PyObject *hooks, *flag;
    unsigned long long limit;
    unsigned threads, level, flags;
    int counted;

    if (!PyArg_ParseTuple(said, "OOKIIIi", &hooks, &flag, &limit, &threads,
                          &level, &flags, &counted)) {
        return 0;
    }
    h->c.memory_limit = limit;
    h->c.threads = threads;
    h->c.log_level = level;
    h->c.flags = flags;
    if (counted) h->c.resize = counted_resize;
    return take_hooks(h, hooks) && take_cancel(h, flag);
}

host *host_new(PyObject *said)
{
    host *h = PyMem_Calloc(1, sizeof *h);

    if (!h) {
        PyErr_NoMemory();
        return NULL;
    }
    h->c.struct_size = sizeof h->c;
    h->c.user = h;
    h->c.progress = hook_progress;
    h->last_check = nanoseconds();
    if (said != Py_None && !take_settings(h, said)) {
        host_free(h);
        return NULL;
    }
    return h;
}

void host_free(host *h)
{
    if (!h) return;
    for (int i = 0; i < HOOKS; i++) Py_XDECREF(h->hook[i]);
    Py_XDECREF(h->error);
    if (h->cancel.obj) PyBuffer_Release(&h->cancel);
    PyMem_Free(h);
}
