/*
 * The ground of the extension: handles, arguments, columns, errors, hooks.
 *
 * Every function of the library has one of the same name here (sked_tree_add
 * is _core.tree_add) that reads its arguments by a format, runs the call and
 * hands the outcome on; what is comfortable stands in Python on top of it.
 * The limited API of Python 3.11 is all that is used, so one build serves
 * 3.11 and later.
 */
#ifndef SKED_PYTHON_CORE_H
#define SKED_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <sched/sked.h>

#include "records.h"

/* ---- Hooks ---- */

enum { HOOK_LOG, HOOK_TRACE, HOOK_CLOCK, HOOK_RANDOM, HOOK_PROGRESS, HOOKS };

/* A sked_host whose `user` is itself. One for each handle and no other. */
typedef struct host {
    sked_host c;
    PyObject *hook[HOOKS]; /* bound methods; NULL: not overridden */
    PyObject *error;       /* what a hook raised, until the call ends */
    struct host *call;     /* of the call that runs it beside others, or NULL */
    Py_buffer cancel;      /* .obj NULL: nothing cancels */
    int64_t last_check;    /* when signals were last looked at, ns */
    /* For tests: counts of memory, and which request is to fail. */
    uint64_t live;
    uint64_t requests;
    uint64_t fail_at;
    uint64_t fail_until;
} host;

/* From None (our defaults), or from a tuple that hooks.py makes. NULL with an
 * exception on failure. */
host *host_new(PyObject *said);
void host_free(host *h);

/* ---- Handles ---- */

enum {
    H_SCHEMA,
    H_TREE,
    H_DIFF,
    H_LEDGER,
    H_SHARE,
    H_DRF,
    H_HDRF,
    H_ORDER,
    H_ENGINE,
    H_SIM,
    H_HISTORY,
    H_PLAN,
    H_TARGET,
    H_ROUND,
    H_ROUTER,
    H_ADVICE,
    H_AUDIT,
    H_BATCH_RUN,
    H_LOCALITY,
    H_LOCALITY_LIVE,
    H_LIFE_SECRETS,
    H_TIMELINE,
    H_LIFE_UPDATE,
    H_KINDS
};

typedef struct handle {
    PyObject_HEAD void *at; /* NULL: closed */
    host *hooks;
    int kind;
    int users;          /* calls that run: -1 one that writes, else readers */
    Py_ssize_t exports; /* columns that look into it: it may not change */
} handle;

/* Takes a handle of that kind for a call, or raises: 0. Lets it go again. */
int handle_take(handle *h, int kind, int writes);
void handle_leave(handle *h);
/* Frees an object of the library. */
void handle_drop(int kind, void *at);

/* What Python does for us: errors.make and columns.convert. */
extern PyObject *make_error, *make_column;

/* ---- Columns ---- */

typedef struct column {
    PyObject_HEAD char *at;
    PyObject *owner; /* whose memory it is; NULL: ours */
    Py_ssize_t shape[2];
    Py_ssize_t strides[2];
    int ndim;
    Py_ssize_t item;
    char format[240];
} column;

extern PyTypeObject *handle_type, *column_type;

/* `rows` numbers of `format`, or rows of `width` of them when width >= 0. */
PyObject *column_new(const char *format, Py_ssize_t item, size_t rows,
                     Py_ssize_t width);
/* The same over memory of `owner`; a handle may not change meanwhile. */
PyObject *column_over(PyObject *owner, const void *at, const char *format,
                      Py_ssize_t item, size_t rows, Py_ssize_t width);
PyObject *columns_arrow(PyObject *module, PyObject *const *argv,
                        Py_ssize_t argc);
PyObject *columns_from_arrow(PyObject *module, PyObject *const *argv,
                             Py_ssize_t argc);
PyObject *columns_rebuild(PyObject *module, PyObject *const *argv,
                          Py_ssize_t argc);
int columns_add(PyObject *module);

/* ---- One call ---- */

enum { MAX_VIEWS = 96, MAX_HELD = 16 };

/* A column that came in: NULL and 0 for None. */
typedef struct incol {
    void *at;
    size_t n; /* numbers in it, whatever its shape */
} incol;

typedef struct args {
    sked_status rc;
    sked_error err;
    PyThreadState *away; /* while others may run Python */
    host *hooks;         /* of the handle that is written to, or of the call */
    host *own;           /* of a call without one, or of a handle to be */
    int views, held, made;
    Py_buffer view[MAX_VIEWS];
    handle *with[MAX_HELD];
    PyObject *out[MAX_HELD];
} args;

/*
 * Reads arguments as `format` says, a letter each, with where they go:
 *
 *   h H    a handle of that kind, read or written: int, void **
 *   o      the same or None, read: int, void **
 *   i u q Q n   int32_t, uint32_t, int64_t, uint64_t, size_t
 *   s z    a text, or None: const char **
 *   t      a text or bytes with its length: const char **, size_t *
 *   L K I U B D  a column of int64, uint64, int32, uint32, bytes, double, or
 *          None: incol *
 *   W      an int64 column that is written to: incol *
 *   R      records (bytes of any format): incol *
 *   x      hooks for a new handle, or for this call: host ** (may be NULL)
 *   O      anything: PyObject **
 *
 * 0 with an exception when one does not fit; nothing is left to release then.
 */
int args_read(args *a, PyObject *const *argv, Py_ssize_t argc,
              const char *format, ...);

/* A column of that letter; 0 with an exception, and nothing released. */
int read_column_of(args *a, PyObject *from, char letter, incol *out);

/* 0 with an exception, and everything released, unless `column` has `n`
 * numbers (or is None and `optional`). */
int args_need(args *a, const incol *in, const char *name, size_t n,
              int optional);

/* A column for an answer; the call owns it. NULL as args_need. */
column *args_column(args *a, const char *format, Py_ssize_t item, size_t rows,
                    Py_ssize_t width);

/* Columns for an answer, one after the other, as args_column; 0 as there.
 * MADE is the memory of the i-th column that the call owns. */
typedef struct column_shape {
    const char *format;
    Py_ssize_t item;
    size_t rows;
    Py_ssize_t width;
} column_shape;

int args_columns(args *a, const column_shape *shapes, size_t n);

#define COLUMNS(a, ...)                                                        \
    args_columns(&(a), (const column_shape[]){__VA_ARGS__},                    \
                 sizeof((const column_shape[]){__VA_ARGS__}) /                 \
                     sizeof(column_shape))
#define MADE(a, type, i) ((type *)(void *)((column *)(a).out[i])->at)

/* The rows of an answer that count, when it was made for more. */
PyObject *args_first(args *a, column *c, size_t n);

/* ---- Structs ---- */

/*
 * A field of a struct that a dict fills. Numbers (i u q Q) may be kept as a
 * dimension, under the letter in `dims`; columns (L K I U B) must have as many
 * numbers as `dims` says: letters are dimensions, a digit is itself, and '+'
 * adds one to all.
 */
typedef struct field_of {
    const char *name;
    char type;
    uint16_t at;
    const char *dims;
} field_of;

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define FIELD_AS(type, of, name, key, dims)                                    \
    {                                                                          \
        key, type, offsetof(of, name), dims                                    \
    }
/* The same where Python has the name of C. */
#define FIELD(type, of, name, dims) FIELD_AS(type, of, name, #name, dims)

/* Fills `out` (whose struct_size is set) from a dict; what is not in it, or
 * None, stays as it is. 0 with an exception, and everything released, when it
 * does not fit. `dim` has 128 dimensions, by letter. */
int args_struct(args *a, PyObject *dict, const field_of *table, size_t fields,
                void *out, size_t *dim);

/* How an engine preempts, from None (off: 0 is put in `on`) or a tuple: a dict,
 * a list of one dict a policy, and a dict of how rounds go. 0 as args_struct. */
enum { MORE_POLICIES = SKED_MAX_PREEMPT_POLICIES - 1 };

typedef struct preemption_in {
    sked_engine_preempt_options c;
    sked_target_options targets, more[MORE_POLICIES];
    const sked_target_options *list[MORE_POLICIES];
    sked_round_options rounds;
    int on;
} preemption_in;

int preemption_read(args *a, PyObject *dict, preemption_in *out);

/* Jobs of <sched/plan.h>, with fields as pairs of (offsets, blob), and the
 * arrays that they need. 0 as args_struct. */
enum { MOST_FIELDS = 32 };

typedef struct plan_jobs_in {
    sked_plan_jobs c;
    const char *text[MOST_FIELDS];
    const int32_t *offset[MOST_FIELDS];
} plan_jobs_in;

int plan_jobs_read(args *a, PyObject *dict, PyObject *fields,
                   plan_jobs_in *jobs);
PyObject *plan_change_value(const sked_plan_change *c);

/*
 * What a simulation is made from. READ with SIM_LETTERS and SIM_PLACES, then
 * sim_fits (0 as args_struct), then sim_start, after which the rc says whether
 * there was memory; sim_finish in any case after that.
 */
typedef struct sim_columns {
    incol c[13], specs, amounts, failures, said;
    incol rule, rule_offsets, terms, values, attribute_offsets, attributes;
    PyObject *how;
    preemption_in preempt;
    sked_sim_jobs jobs;
    sked_sim_nodes *nodes;
    sked_sim_failure *fail;
    sked_sim_options options;
    sked_engine_options engine;
    size_t n_nodes, n_failures, kinds;
} sim_columns;

#define SIM_LETTERS "LLLLKKIUKIUULULLLOUIRLIR"
#define SIM_PLACES(s)                                                          \
    &(s).c[0], &(s).c[1], &(s).c[2], &(s).c[3], &(s).c[4], &(s).c[5],          \
        &(s).c[6], &(s).c[7], &(s).c[8], &(s).c[9], &(s).c[10], &(s).c[11],    \
        &(s).c[12], &(s).specs, &(s).amounts, &(s).failures, &(s).said,        \
        &(s).how, &(s).rule, &(s).rule_offsets, &(s).terms, &(s).values,       \
        &(s).attribute_offsets, &(s).attributes
int sim_fits(args *a, sim_columns *sim, size_t kinds);
void sim_start(args *a, sim_columns *sim);
void sim_finish(sim_columns *sim);

/* A whole number up to `most`; 0 with an exception. */
int read_unsigned(PyObject *from, uint64_t most, uint64_t *out);

/* Lets go of everything the call holds. */
void args_go(args *a);
void args_back(args *a);

/* Ends the call: None, an exception, or what Py_BuildValue makes of it. */
PyObject *args_end(args *a, const char *format, ...);
/* The same for a call that made a handle. */
PyObject *args_handle(args *a, int kind, void *at);
/* Ends the call with the exception that is set. */
PyObject *args_fail(args *a);

/* Ends a call with the text of a diff. */
PyObject *diff_end(args *a, const sked_diff *diff);

/* Runs a call while other threads may run Python, or (SHORT) may not. */
#define RUN(a, call) (args_go(&(a)), (a).rc = (call), args_back(&(a)))
#define SHORT(a, call) ((a).rc = (call))

#define CALL(name)                                                             \
    static PyObject *name(PyObject *module, PyObject *const *argv,             \
                          Py_ssize_t argc)
#define READ(...)                                                              \
    args a;                                                                    \
    (void)module;                                                              \
    if (!args_read(&a, argv, argc, __VA_ARGS__)) return NULL
/* A call of a dict that fills `in`, and hooks. */
#define READ_STRUCT(table, type, in)                                           \
    host *h;                                                                   \
    PyObject *dict;                                                            \
    size_t dim[128] = {0};                                                     \
    STRUCT_WITH(type, in, 0);                                                  \
    READ("Ox", &dict, &h);                                                     \
    if (!args_struct(&a, dict, table, COUNT(table), &in, dim)) return NULL
/* The call that makes a handle from hooks and a dict of options. */
#define MAKE(name, kind, made, table, options)                                 \
    CALL(name)                                                                 \
    {                                                                          \
        host *h;                                                               \
        PyObject *dict;                                                        \
        made *out = NULL;                                                      \
        size_t dim[128] = {0};                                                 \
        STRUCT_WITH(options, o, 0);                                            \
        READ("xO", &h, &dict);                                                 \
        if (!args_struct(&a, dict, table, COUNT(table), &o, dim)) {            \
            return NULL;                                                       \
        }                                                                      \
        SHORT(a, sked_##name(&o, &h->c, &out, &a.err));                        \
        return args_handle(&a, kind, out);                                     \
    }
#define METHOD(name)                                                           \
    {                                                                          \
#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, 0             \
    }

extern PyMethodDef advice_methods[], audit_methods[], round_methods[],
    schema_methods[], vec_methods[], tree_methods[], ledger_methods[],
    drf_rows_methods[], share_methods[], drf_methods[], hdrf_methods[],
    order_methods[], engine_methods[], sim_methods[], plan_methods[],
    history_methods[], tiers_methods[], diff_methods[], preempt_methods[],
    target_methods[], plain_methods[], route_methods[], report_methods[],
    admit_methods[], rule_methods[], batch_methods[], locality_methods[],
    life_methods[], life_policy_methods[], life_update_methods[],
    states_methods[], timeline_methods[];

#define STRUCT_WITH(type, name, ...)                                           \
    type name = {.struct_size = (uint32_t)sizeof(type), __VA_ARGS__}

#endif
