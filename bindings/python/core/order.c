/* Whose turn it is: <sched/order.h>. */
#include "core.h"

/* A key of 128 bits as a Python number. */
static PyObject *key_number(const sked_order_key *key)
{
    PyObject *high = PyLong_FromUnsignedLongLong(key->high);
    PyObject *low = PyLong_FromUnsignedLongLong(key->low);
    PyObject *bits = PyLong_FromLong(64);
    PyObject *up = high && bits ? PyNumber_Lshift(high, bits) : NULL;
    PyObject *all = up && low ? PyNumber_Or(up, low) : NULL;

    Py_XDECREF(high);
    Py_XDECREF(low);
    Py_XDECREF(bits);
    Py_XDECREF(up);
    return all;
}

/* ---- Plain arrays ---- */

/* Keys are columns of 2 x uint64, the high word first. */
enum { CHILD_COLUMNS = 9 };

static int children_fit(args *a, sked_order_children_input *in, incol *c)
{
    size_t n = in->n, all = n * in->kinds;

    if (!args_need(a, &c[0], "eligible", n, 1) ||
        !args_need(a, &c[1], "weight", n, 1) ||
        !args_need(a, &c[2], "priority", n, 1) ||
        !args_need(a, &c[3], "usage", all, 1) ||
        !args_need(a, &c[4], "guarantee", all, 1) ||
        !args_need(a, &c[5], "parent", in->kinds, 1) ||
        !args_need(a, &c[6], "capacity", in->kinds, 1) ||
        !args_need(a, &c[7], "key", n, 1) ||
        !args_need(a, &c[8], "share", all, 1)) {
        return 0;
    }
    in->eligible = c[0].at;
    in->weight = c[1].at;
    in->priority = c[2].at;
    in->usage = c[3].at;
    in->guarantee = c[4].at;
    in->parent = c[5].at;
    in->capacity = c[6].at;
    in->key = c[7].at;
    in->share = c[8].at;
    return 1;
}

/* Memory for `n` answers and their keys. */
static int answers(args *a, size_t n, column **row, column **key)
{
    *row = args_column(a, "I", 4, n, -1);
    *key = *row ? args_column(a, "Q", 8, n, 2) : NULL;
    return *key != NULL;
}

static PyObject *answers_end(args *a, column *row, column *key, size_t n)
{
    row->shape[0] = key->shape[0] = (Py_ssize_t)n;
    return args_end(a, "OO", row, key);
}

CALL(order_children)
{
    host *h;
    incol c[CHILD_COLUMNS];
    column *row, *key;
    size_t n = 0;
    STRUCT_WITH(sked_order_children_input, in, 0);
    READ("xuiuuQQBUILLLLLL", &h, &in.flags, &in.order, &in.kind, &in.kinds,
         &in.n, &in.seed, &c[0], &c[1], &c[2], &c[3], &c[4], &c[5], &c[6],
         &c[7], &c[8]);
    if (!children_fit(&a, &in, c) || !answers(&a, in.n, &row, &key))
        return NULL;
    RUN(a, sked_order_children(&in, &h->c, (uint32_t *)row->at,
                               (sked_order_key *)key->at, &n, &a.err));
    return answers_end(&a, row, key, n);
}

CALL(order_apps)
{
    host *h;
    incol c[11];
    column *row, *key;
    size_t n = 0;
    STRUCT_WITH(sked_order_apps_input, in, 0);
    READ("xiuQQBLIULLULULL", &h, &in.order, &in.kinds, &in.n, &in.users, &c[0],
         &c[1], &c[2], &c[3], &c[4], &c[5], &c[6], &c[7], &c[8], &c[9], &c[10]);
    size_t rows = in.n, all = rows * in.kinds;
    if (!args_need(&a, &c[0], "eligible", rows, 1) ||
        !args_need(&a, &c[1], "submitted", rows, 1) ||
        !args_need(&a, &c[2], "priority", rows, 1) ||
        !args_need(&a, &c[3], "weight", rows, 1) ||
        !args_need(&a, &c[4], "usage", all, 1) ||
        !args_need(&a, &c[5], "pending", all, 1) ||
        !args_need(&a, &c[6], "user", rows, 1) ||
        !args_need(&a, &c[7], "user_usage", (size_t)in.users * in.kinds, 1) ||
        !args_need(&a, &c[8], "user_weight", in.users, 1) ||
        !args_need(&a, &c[9], "capacity", in.kinds, 1) ||
        !args_need(&a, &c[10], "key", rows, 1) ||
        !answers(&a, rows, &row, &key)) {
        return NULL;
    }
    in.eligible = c[0].at;
    in.submitted = c[1].at;
    in.priority = c[2].at;
    in.weight = c[3].at;
    in.usage = c[4].at;
    in.pending = c[5].at;
    in.user = c[6].at;
    in.user_usage = c[7].at;
    in.user_weight = c[8].at;
    in.capacity = c[9].at;
    in.key = c[10].at;
    RUN(a, sked_order_apps(&in, &h->c, (uint32_t *)row->at,
                           (sked_order_key *)key->at, &n, &a.err));
    return answers_end(&a, row, key, n);
}

/* ---- The handle ---- */

CALL(order_new)
{
    host *h;
    sked_order *order = NULL;
    STRUCT_WITH(sked_order_options, opts, 0);
    READ("xuQ", &h, &opts.flags, &opts.seed);
    SHORT(a, sked_order_new(&opts, &h->c, &order, &a.err));
    return args_handle(&a, H_ORDER, order);
}

CALL(order_copy)
{
    sked_order *order, *copy = NULL;
    host *h;
    READ("hx", H_ORDER, &order, &h);
    RUN(a, sked_order_copy(order, &h->c, &copy, &a.err));
    return args_handle(&a, H_ORDER, copy);
}

static int view_fits(args *a, const sked_tree *tree, const incol *capacity,
                     const incol *eligible, const incol *share)
{
    size_t kinds = sked_schema_kinds(sked_tree_schema(tree));
    size_t rows = sked_tree_count(tree);

    return args_need(a, capacity, "capacity", kinds, 0) &&
           args_need(a, eligible, "eligible", rows, 1) &&
           args_need(a, share, "share", rows * kinds, 1);
}

CALL(order_list)
{
    sked_order *order;
    sked_tree *tree;
    sked_ledger *ledger;
    incol capacity, eligible, share;
    uint64_t parent;
    size_t n = 0;
    READ("HhhLBLQ", H_ORDER, &order, H_TREE, &tree, H_LEDGER, &ledger,
         &capacity, &eligible, &share, &parent);
    if (!view_fits(&a, tree, &capacity, &eligible, &share)) return NULL;
    STRUCT_WITH(sked_order_input, view, .tree = tree, .ledger = ledger,
                .capacity = capacity.at, .eligible = eligible.at,
                .share = share.at);
    (void)!sked_tree_children(tree, parent, NULL, 0, &n);
    column *out = args_column(&a, "Q", 8, n, -1);
    if (!out) return NULL;
    RUN(a, sked_order_list(order, &view, parent, (uint64_t *)out->at, n, &n,
                           &a.err));
    out->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "O", out);
}

CALL(order_next)
{
    sked_order *order;
    sked_tree *tree;
    sked_ledger *ledger;
    incol capacity, eligible, share;
    uint64_t parent, child = 0;
    READ("HhhLBLQ", H_ORDER, &order, H_TREE, &tree, H_LEDGER, &ledger,
         &capacity, &eligible, &share, &parent);
    if (!view_fits(&a, tree, &capacity, &eligible, &share)) return NULL;
    STRUCT_WITH(sked_order_input, view, .tree = tree, .ledger = ledger,
                .capacity = capacity.at, .eligible = eligible.at,
                .share = share.at);
    SHORT(a, sked_order_next(order, &view, parent, &child, &a.err));
    return args_end(&a, "K", (unsigned long long)child);
}

PyMethodDef order_methods[] = {
    METHOD(order_children), METHOD(order_apps), METHOD(order_new),
    METHOD(order_copy),     METHOD(order_list), METHOD(order_next),
    {NULL, NULL, 0, NULL},
};
