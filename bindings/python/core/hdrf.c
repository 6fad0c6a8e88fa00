/* Dominant resource fairness over a tree: <sched/hdrf.h>. As in drf.c, the
 * number of kinds comes from the Python class. */
#include "core.h"

CALL(hdrf_new)
{
    host *h;
    incol parent, weight;
    sked_hdrf *tree = NULL;
    STRUCT_WITH(sked_hdrf_options, opts, 0);
    READ("xuUU", &h, &opts.kinds, &parent, &weight);
    if (!args_need(&a, &weight, "weight", parent.n, 1)) return NULL;
    if (parent.n > SKED_MAX_QUEUES) {
        PyErr_SetString(PyExc_OverflowError, "too many nodes");
        return args_fail(&a);
    }
    RUN(a, sked_hdrf_new(parent.at, weight.at, parent.n, &opts, &h->c, &tree,
                         &a.err));
    return args_handle(&a, H_HDRF, tree);
}

CALL(hdrf_of_tree)
{
    host *h;
    sked_tree *queues;
    sked_hdrf *tree = NULL;
    READ("xh", &h, H_TREE, &queues);
    RUN(a, sked_hdrf_of_tree(queues, &h->c, &tree, &a.err));
    return args_handle(&a, H_HDRF, tree);
}

CALL(hdrf_set_capacity)
{
    size_t kinds;
    sked_hdrf *tree;
    incol capacity;
    READ("HnL", H_HDRF, &tree, &kinds, &capacity);
    if (!args_need(&a, &capacity, "capacity", kinds, 0)) return NULL;
    RUN(a, sked_hdrf_set_capacity(tree, capacity.at, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_set_leaves)
{
    size_t kinds;
    sked_hdrf *tree;
    incol leaf, usage, demand, pending;
    READ("HnULLL", H_HDRF, &tree, &kinds, &leaf, &usage, &demand, &pending);
    if (!args_need(&a, &usage, "usage", leaf.n * kinds, 1) ||
        !args_need(&a, &demand, "demand", leaf.n * kinds, 1) ||
        !args_need(&a, &pending, "pending", leaf.n, 1)) {
        return NULL;
    }
    RUN(a, sked_hdrf_set_leaves(tree, leaf.at, usage.at, demand.at, pending.at,
                                leaf.n, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_release)
{
    size_t kinds;
    sked_hdrf *tree;
    uint32_t leaf;
    incol amount;
    READ("HnuL", H_HDRF, &tree, &kinds, &leaf, &amount);
    if (!args_need(&a, &amount, "amount", kinds, 0)) return NULL;
    SHORT(a, sked_hdrf_release(tree, leaf, amount.at, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_run)
{
    sked_hdrf *tree;
    size_t cap, n = 0;
    READ("Hn", H_HDRF, &tree, &cap);
    column *out = args_column(&a, "I", 4, cap, -1);
    if (!out) return NULL;
    RUN(a, sked_hdrf_run(tree, (uint32_t *)out->at, cap, &n, &a.err));
    out->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "Oi", out, (int)a.rc);
}

CALL(hdrf_share)
{
    sked_hdrf *tree;
    uint32_t node;
    sked_hdrf_standing s = {0};
    READ("hu", H_HDRF, &tree, &node);
    SHORT(a, sked_hdrf_share(tree, node, &s));
    return args_end(&a, "KKII", (unsigned long long)s.key,
                    (unsigned long long)s.share, (unsigned)s.weight,
                    (unsigned)s.blocked);
}

CALL(hdrf_usage)
{
    size_t kinds;
    sked_hdrf *tree;
    uint32_t leaf;
    int64_t pending = 0;
    READ("hnu", H_HDRF, &tree, &kinds, &leaf);
    column *out = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    if (!out) return NULL;
    SHORT(a, sked_hdrf_usage(tree, leaf, (int64_t *)out->at, &pending));
    out->shape[0] = (Py_ssize_t)(kinds < SKED_MAX_KINDS ? kinds
                                                        : SKED_MAX_KINDS);
    return args_end(&a, "OL", out, (long long)pending);
}

PyMethodDef hdrf_methods[] = {
    METHOD(hdrf_new),        METHOD(hdrf_of_tree), METHOD(hdrf_set_capacity),
    METHOD(hdrf_set_leaves), METHOD(hdrf_release), METHOD(hdrf_run),
    METHOD(hdrf_share),      METHOD(hdrf_usage),   {NULL, NULL, 0, NULL},
};
