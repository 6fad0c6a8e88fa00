/* Ledgers: <sched/ledger.h>. */
#include "core.h"

/* How many kinds a ledger has: it shows columns of no others. */
static size_t kinds_of(const sked_ledger *ledger)
{
    uint32_t kinds = 0;
    size_t n;

    while (kinds < SKED_MAX_KINDS &&
           sked_ledger_view(ledger, SKED_LEDGER_USAGE, kinds, &n)) {
        kinds++;
    }
    return kinds;
}

static size_t width_of(const sked_ledger *ledger, int32_t which)
{
    return which == SKED_LEDGER_RUNNING ? 1 : kinds_of(ledger);
}

CALL(ledger_new)
{
    sked_tree *tree;
    host *h;
    sked_ledger *ledger = NULL;
    STRUCT_WITH(sked_ledger_options, opts, 0);
    READ("hxq", H_TREE, &tree, &h, &opts.half_life_ns);
    RUN(a, sked_ledger_new(tree, &opts, &h->c, &ledger, &a.err));
    return args_handle(&a, H_LEDGER, ledger);
}

CALL(ledger_copy)
{
    sked_ledger *ledger, *copy = NULL;
    host *h;
    READ("hx", H_LEDGER, &ledger, &h);
    RUN(a, sked_ledger_copy(ledger, &h->c, &copy, &a.err));
    return args_handle(&a, H_LEDGER, copy);
}

#define AMOUNTS(name)                                                          \
    CALL(name)                                                                 \
    {                                                                          \
        sked_ledger *ledger;                                                   \
        int32_t which;                                                         \
        incol queues, amounts;                                                 \
        READ("HiKL", H_LEDGER, &ledger, &which, &queues, &amounts);            \
        size_t n = queues.n * width_of(ledger, which);                         \
        if (!args_need(&a, &amounts, "amounts", n, 0)) return NULL;            \
        RUN(a, sked_##name(ledger, which, queues.at, amounts.at, queues.n,     \
                           &a.err));                                           \
        return args_end(&a, "");                                               \
    }

AMOUNTS(ledger_set)
AMOUNTS(ledger_add)

CALL(ledger_put)
{
    sked_ledger *ledger;
    int32_t which;
    uint32_t kind;
    incol by_row;
    READ("HiuL", H_LEDGER, &ledger, &which, &kind, &by_row);
    RUN(a, sked_ledger_put(ledger, which, kind, by_row.at, by_row.n, &a.err));
    return args_end(&a, "");
}

CALL(ledger_get)
{
    sked_ledger *ledger;
    int32_t which;
    uint64_t queue;
    READ("hiQ", H_LEDGER, &ledger, &which, &queue);
    column *out = args_column(&a, "q", 8, width_of(ledger, which), -1);
    if (!out) return NULL;
    SHORT(a, sked_ledger_get(ledger, which, queue, (int64_t *)out->at));
    return args_end(&a, "O", out);
}

/* Looks into the ledger, which cannot change while the column lives. */
CALL(ledger_view)
{
    sked_ledger *ledger;
    int32_t which;
    uint32_t kind;
    size_t n = 0;
    READ("hiu", H_LEDGER, &ledger, &which, &kind);
    const int64_t *at = sked_ledger_view(ledger, which, kind, &n);
    if (!at) {
        PyErr_SetString(PyExc_LookupError, "no such column or kind");
        return args_fail(&a);
    }
    PyObject *out = column_over(argv[0], at, "q", 8, n, -1);
    return out ? args_end(&a, "N", out) : args_fail(&a);
}

PyMethodDef ledger_methods[] = {
    METHOD(ledger_new),  METHOD(ledger_copy),   METHOD(ledger_set),
    METHOD(ledger_add),  METHOD(ledger_put),    METHOD(ledger_get),
    METHOD(ledger_view), {NULL, NULL, 0, NULL},
};
