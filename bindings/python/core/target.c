/* Targets of preemption: <sched/target.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

#define O(type, name, dims) FIELD(type, sked_target_options, name, dims)
#define Q(type, name, dims) FIELD(type, sked_share_input, name, dims)
#define C(type, name, dims) FIELD(type, sked_target_once_input, name, dims)

static const field_of option_fields[] = {
    O('u', flags, ""),
    FIELD_AS('i', sked_target_options, mode, "dialect", ""),
    O('i', scope, ""),
    O('u', kind, ""),
    O('u', cycles, ""),
    FIELD_AS('q', sked_target_options, ignored_ppm, "ignored", ""),
    FIELD_AS('q', sked_target_options, factor_ppm, "factor", ""),
    FIELD_AS('q', sked_target_options, per_round_ppm, "per_round", ""),
    FIELD_AS('q', sked_target_options, utilisation_ppm, "utilisation", ""),
};

static const field_of queue_fields[] = {
    Q('u', kinds, "k"),   Q('Q', n, "n"),        Q('I', parent, "n"),
    Q('U', weight, "n"),  Q('I', priority, "n"), Q('L', guarantee, "nk"),
    Q('L', limit, "nk"),  Q('L', borrow, "nk"),  Q('L', lend, "nk"),
    Q('L', demand, "nk"), Q('L', usage, "nk"),   Q('L', running, "n"),
    Q('B', state, "n"),   Q('L', capacity, "k"),
};

static const field_of clock_fields[] = {
    C('q', now, ""),
    C('B', preempt_from, "n"),
    FIELD_AS('L', sked_target_once_input, min_timeout_ns, "min_timeout", "n"),
    FIELD_AS('L', sked_target_once_input, fair_timeout_ns, "fair_timeout", "n"),
    FIELD_AS('L', sked_target_once_input, fair_threshold_ppm, "fair_threshold",
             "n"),
    C('L', min_since, "n"),
    C('L', fair_since, "n"),
    C('U', rounds, "n"),
    C('L', share, "nk"),
    C('L', claim, "nk"),
    C('L', keep, "nk"),
};

enum { AMOUNT_COLUMNS = 7, TOTALS = 3 };

/* The columns of an answer: seven of n x kinds, four of n, three of kinds. */
static int result_room(args *a, size_t n, size_t kinds, sked_target_result *out)
{
    column *c[AMOUNT_COLUMNS + 4 + TOTALS];

    for (int i = 0; i < AMOUNT_COLUMNS + 4 + TOTALS; i++) {
        int narrow = i == AMOUNT_COLUMNS || i == AMOUNT_COLUMNS + 3;
        size_t rows = i < AMOUNT_COLUMNS + 4 ? n : kinds;
        c[i] = args_column(a, narrow ? "I" : "q", narrow ? 4 : 8, rows,
                           i < AMOUNT_COLUMNS ? (Py_ssize_t)kinds : -1);
        if (!c[i]) return 0;
    }
    out->share = (int64_t *)c[0]->at;
    out->excess = (int64_t *)c[1]->at;
    out->keep = (int64_t *)c[2]->at;
    out->take = (int64_t *)c[3]->at;
    out->owed = (int64_t *)c[4]->at;
    out->first = (int64_t *)c[5]->at;
    out->claim = (int64_t *)c[6]->at;
    out->reasons = (uint32_t *)c[7]->at;
    out->min_since = (int64_t *)c[8]->at;
    out->fair_since = (int64_t *)c[9]->at;
    out->rounds = (uint32_t *)c[10]->at;
    out->need = (int64_t *)c[11]->at;
    out->budget = (int64_t *)c[12]->at;
    out->free = (int64_t *)c[13]->at;
    return 1;
}

/* share, excess, keep, take, owed, first, claim, reasons, min_since,
 * fair_since, rounds, need, budget, free. */
CALL(target_once)
{
    host *h;
    PyObject *clocks, *queues, *options;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_target_once_input, in, 0);
    STRUCT_WITH(sked_share_input, q, 0);
    STRUCT_WITH(sked_target_options, o, 0);
    STRUCT_WITH(sked_target_result, out, 0);
    READ("OOOx", &clocks, &queues, &options, &h);
    if (!args_struct(&a, queues, queue_fields, COUNT(queue_fields), &q, dim) ||
        !args_struct(&a, clocks, clock_fields, COUNT(clock_fields), &in, dim) ||
        !args_struct(&a, options, option_fields, COUNT(option_fields), &o,
                     dim) ||
        !result_room(&a, dim['n'], dim['k'], &out)) {
        return NULL;
    }
    in.queues = &q;
    RUN(a, sked_target_once(&in, &o, &h->c, &out, &a.err));
    return args_end(&a, "OOOOOOOOOOOOOO", a.out[0], a.out[1], a.out[2],
                    a.out[3], a.out[4], a.out[5], a.out[6], a.out[7], a.out[8],
                    a.out[9], a.out[10], a.out[11], a.out[12], a.out[13]);
}

static const field_of user_fields[] = {
    FIELD('u', sked_target_users_input, kinds, "k"),
    FIELD('Q', sked_target_users_input, n, "n"),
    FIELD_AS('q', sked_target_users_input, limit_ppm, "limit", ""),
    FIELD('L', sked_target_users_input, total, "k"),
    FIELD('U', sked_target_users_input, weight, "n"),
    FIELD('L', sked_target_users_input, usage, "nk"),
    FIELD('L', sked_target_users_input, demand, "nk"),
};

CALL(target_share_users)
{
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_target_users_input, in, 0);
    READ("O", &dict);
    if (!args_struct(&a, dict, user_fields, COUNT(user_fields), &in, dim)) {
        return NULL;
    }
    Py_ssize_t kinds = (Py_ssize_t)dim['k'];
    if (!COLUMNS(a, {"q", 8, dim['n'], kinds}, {"q", 8, dim['n'], kinds})) {
        return NULL;
    }
    RUN(a, sked_target_share_users(&in, MADE(a, int64_t, 0),
                                   MADE(a, int64_t, 1), &a.err));
    return args_end(&a, "OO", a.out[0], a.out[1]);
}

/* ---- Over a tree ---- */

MAKE(target_new, H_TARGET, sked_target, option_fields, sked_target_options)

CALL(target_copy)
{
    sked_target *target, *copy = NULL;
    host *h;
    READ("hx", H_TARGET, &target, &h);
    RUN(a, sked_target_copy(target, &h->c, &copy, &a.err));
    return args_handle(&a, H_TARGET, copy);
}

static const field_of input_fields[] = {
    FIELD('u', sked_target_input, partition, ""),
    FIELD('L', sked_target_input, capacity, "k"),
    FIELD('L', sked_target_input, usage, "nk"),
    FIELD('L', sked_target_input, demand, "nk"),
    FIELD('L', sked_target_input, running, "n"),
    FIELD('L', sked_target_input, share, "nk"),
    FIELD('L', sked_target_input, claim, "nk"),
    FIELD('L', sked_target_input, keep, "nk"),
};

static int input_read(args *a, PyObject *dict, sked_tree *tree,
                      sked_ledger *ledger, sked_target_input *in)
{
    size_t dim[128] = {0};

    memset(in, 0, sizeof *in);
    in->struct_size = sizeof *in;
    in->tree = tree;
    in->ledger = ledger;
    dim['n'] = sked_tree_count(tree);
    dim['k'] = sked_schema_kinds(sked_tree_schema(tree));
    return args_struct(a, dict, input_fields, COUNT(input_fields), in, dim);
}

CALL(target_compute)
{
    sked_target *target;
    sked_tree *tree;
    sked_ledger *ledger;
    PyObject *dict;
    int64_t now;
    sked_target_input in;
    READ("HhoOq", H_TARGET, &target, H_TREE, &tree, H_LEDGER, &ledger, &dict,
         &now);
    if (!input_read(&a, dict, tree, ledger, &in)) return NULL;
    RUN(a, sked_target_compute(target, &in, now, &a.err));
    return args_end(&a, "");
}

/* A view into the targets: they cannot change while it lives. */
static PyObject *view_end(args *a, PyObject *owner, const void *at,
                          const char *format, size_t n, Py_ssize_t width)
{
    if (!at) {
        PyErr_SetString(PyExc_LookupError, "no such column, or no round yet");
        return args_fail(a);
    }
    PyObject *out = column_over(owner, at, format, *format == 'I' ? 4 : 8, n,
                                width);
    return out ? args_end(a, "N", out) : args_fail(a);
}

CALL(target_view)
{
    sked_target *target;
    int32_t which;
    size_t n = 0, kinds = 0;
    READ("hi", H_TARGET, &target, &which);
    const int64_t *at = sked_target_view(target, which, &n);
    (void)sked_target_total(target, SKED_TARGET_TOTAL_NEED, &kinds);
    return view_end(&a, argv[0], at, "q", n, (Py_ssize_t)kinds);
}

CALL(target_reasons)
{
    sked_target *target;
    size_t n = 0;
    READ("h", H_TARGET, &target);
    const uint32_t *at = sked_target_reasons(target, &n);
    return view_end(&a, argv[0], at, "I", n, -1);
}

CALL(target_total)
{
    sked_target *target;
    int32_t which;
    size_t n = 0;
    READ("hi", H_TARGET, &target, &which);
    const int64_t *at = sked_target_total(target, which, &n);
    return view_end(&a, argv[0], at, "q", n, -1);
}

CALL(target_clock)
{
    sked_target *target;
    uint32_t partition, rounds = 0;
    uint64_t queue;
    int64_t least = 0, fair = 0;
    READ("huQ", H_TARGET, &target, &partition, &queue);
    SHORT(a,
          sked_target_clock(target, partition, queue, &least, &fair, &rounds));
    return args_end(&a, "LLI", (long long)least, (long long)fair,
                    (unsigned)rounds);
}

/* ---- For engines ---- */

static const field_of preemption_fields[] = {
    FIELD('u', sked_engine_preempt_options, flags, ""),
    FIELD('Q', sked_engine_preempt_options, work, ""),
    FIELD_AS('q', sked_engine_preempt_options, keep_for_ns, "keep_for", ""),
    FIELD('u', sked_engine_preempt_options, gangs, ""),
};

static const field_of round_fields[] = {
    FIELD('u', sked_round_options, flags, ""),
    FIELD_AS('q', sked_round_options, grace_ns, "grace", ""),
};

/* The policies in order. More than there may be the engine refuses. */
static int policies_read(args *a, PyObject *list, preemption_in *out)
{
    size_t dim[128] = {0};
    Py_ssize_t n = PyList_Size(list);

    for (Py_ssize_t i = 0; i < n && i <= MORE_POLICIES; i++) {
        sked_target_options *to = i ? &out->more[i - 1] : &out->targets;
        to->struct_size = sizeof *to;
        if (i) out->list[i - 1] = to;
        if (!args_struct(a, PyList_GetItem(list, i), option_fields,
                         COUNT(option_fields), to, dim)) {
            return 0;
        }
    }
    out->c.more_targets = out->list;
    out->c.n_more_targets = n > 1 ? (uint64_t)n - 1 : 0;
    return 1;
}

/* (preemption, policies, rounds): a dict, a list of dicts, a dict. */
int preemption_read(args *a, PyObject *said, preemption_in *out)
{
    PyObject *own, *policies, *rounds;
    size_t dim[128] = {0};

    memset(out, 0, sizeof *out);
    out->c.struct_size = sizeof out->c;
    out->targets.struct_size = sizeof out->targets;
    out->rounds.struct_size = sizeof out->rounds;
    out->c.targets = &out->targets;
    out->c.rounds = &out->rounds;
    if (said == Py_None) return 1;
    out->on = 1;
    if (!PyArg_ParseTuple(said, "OO!O", &own, &PyList_Type, &policies,
                          &rounds)) {
        (void)args_fail(a);
        return 0;
    }
    return args_struct(a, own, preemption_fields, COUNT(preemption_fields),
                       &out->c, dim) &&
           policies_read(a, policies, out) &&
           args_struct(a, rounds, round_fields, COUNT(round_fields),
                       &out->rounds, dim);
}

PyMethodDef target_methods[] = {
    METHOD(target_once),    METHOD(target_share_users), METHOD(target_new),
    METHOD(target_copy),    METHOD(target_compute),     METHOD(target_view),
    METHOD(target_reasons), METHOD(target_total),       METHOD(target_clock),
    {NULL, NULL, 0, NULL},
};
