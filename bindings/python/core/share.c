/* Shares: <sched/fill.h>, <sched/share.h>, <sched/fair_tree.h>. */
#include "core.h"

CALL(fill)
{
    host *h;
    incol guarantee, limit, demand, weight, wide;
    STRUCT_WITH(sked_fill_input, in, 0);
    STRUCT_WITH(sked_fill_options, opts, 0);
    STRUCT_WITH(sked_fill_result, out, 0);
    READ("xqQLLLULuii", &h, &in.total, &in.n, &guarantee, &limit, &demand,
         &weight, &wide, &opts.flags, &opts.form, &opts.rounding);
    size_t n = (size_t)in.n;
    if (!args_need(&a, &guarantee, "guarantee", n, 1) ||
        !args_need(&a, &limit, "limit", n, 1) ||
        !args_need(&a, &demand, "demand", n, 1) ||
        !args_need(&a, &weight, "weight", n, 1) ||
        !args_need(&a, &wide, "amount_weight", n, 1)) {
        return NULL;
    }
    column *share = args_column(&a, "q", 8, n, -1);
    column *bound = share ? args_column(&a, "B", 1, n, -1) : NULL;
    if (!bound) return NULL;
    in.guarantee = guarantee.at;
    in.limit = limit.at;
    in.demand = demand.at;
    in.weight = weight.at;
    in.amount_weight = wide.at;
    out.share = (int64_t *)share->at;
    out.bound = (uint8_t *)bound->at;
    RUN(a, sked_fill(&in, &opts, &h->c, &out, &a.err));
    return args_end(&a, "OOiLLL", share, bound, (int)out.outcome,
                    (long long)out.leftover, (long long)out.level.num,
                    (long long)out.level.den);
}

CALL(fill_time_weights)
{
    incol weight, usage;
    int64_t total, k;
    READ("ULqq", &weight, &usage, &total, &k);
    if (!args_need(&a, &weight, "weight", usage.n, 1)) return NULL;
    column *out = args_column(&a, "q", 8, usage.n, -1);
    if (!out) return NULL;
    RUN(a, sked_fill_time_weights(weight.at, usage.at, usage.n, total, k,
                                  (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

/* ---- The handle ---- */

CALL(share_new)
{
    host *h;
    sked_share *share = NULL;
    STRUCT_WITH(sked_share_options, opts, 0);
    READ("xuiiiu", &h, &opts.flags, &opts.model, &opts.scope, &opts.rounding,
         &opts.kind);
    SHORT(a, sked_share_new(&opts, &h->c, &share, &a.err));
    return args_handle(&a, H_SHARE, share);
}

static size_t kinds_in(const sked_tree *tree)
{
    return sked_schema_kinds(sked_tree_schema(tree));
}

#define COMPUTE(name)                                                          \
    CALL(name)                                                                 \
    {                                                                          \
        sked_share *share;                                                     \
        sked_tree *tree;                                                       \
        sked_ledger *ledger;                                                   \
        incol capacity;                                                        \
        READ("HhhL", H_SHARE, &share, H_TREE, &tree, H_LEDGER, &ledger,        \
             &capacity);                                                       \
        if (!args_need(&a, &capacity, "capacity", kinds_in(tree), 0)) {        \
            return NULL;                                                       \
        }                                                                      \
        RUN(a, sked_##name(share, tree, ledger, capacity.at, &a.err));         \
        return args_end(&a, "");                                               \
    }

COMPUTE(share_compute)
COMPUTE(share_update)

CALL(share_query)
{
    sked_share *share;
    sked_tree *tree;
    sked_ledger *ledger;
    incol capacity;
    uint64_t queue;
    READ("HhhLQ", H_SHARE, &share, H_TREE, &tree, H_LEDGER, &ledger, &capacity,
         &queue);
    size_t kinds = kinds_in(tree);
    if (!args_need(&a, &capacity, "capacity", kinds, 0)) return NULL;
    column *out = args_column(&a, "q", 8, kinds, -1);
    if (!out) return NULL;
    RUN(a, sked_share_query(share, tree, ledger, capacity.at, queue,
                            (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

/* With the number of kinds, which the handle does not tell. */
CALL(share_get)
{
    sked_share *share;
    uint64_t queue;
    int64_t amounts[SKED_MAX_KINDS] = {0};
    size_t kinds;
    READ("hQn", H_SHARE, &share, &queue, &kinds);
    column *out = args_column(&a, "q", 8, kinds, -1);
    if (!out) return NULL;
    SHORT(a, sked_share_get(share, queue, amounts, &a.err));
    for (size_t k = 0; k < kinds && k < SKED_MAX_KINDS; k++) {
        ((int64_t *)out->at)[k] = amounts[k];
    }
    return args_end(&a, "O", out);
}

CALL(share_column)
{
    sked_share *share;
    uint32_t kind;
    size_t n = 0;
    READ("hu", H_SHARE, &share, &kind);
    SHORT(a, sked_share_column(share, kind, NULL, 0, &n, &a.err));
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    if (n)
        RUN(a,
            sked_share_column(share, kind, (int64_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(share_bounds)
{
    sked_share *share;
    sked_tree *tree;
    sked_ledger *ledger;
    uint32_t kind;
    size_t n;
    READ("hhhu", H_SHARE, &share, H_TREE, &tree, H_LEDGER, &ledger, &kind);
    n = sked_tree_count(tree);
    column *out = args_column(&a, "B", 1, n, -1);
    if (!out) return NULL;
    RUN(a, sked_share_bounds(share, tree, ledger, kind, (uint8_t *)out->at, n,
                             &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(share_level)
{
    sked_share *share;
    uint64_t queue;
    uint32_t kind;
    sked_ratio level = {0, 0};
    READ("hQu", H_SHARE, &share, &queue, &kind);
    SHORT(a, sked_share_level(share, queue, kind, &level, &a.err));
    return args_end(&a, "LL", (long long)level.num, (long long)level.den);
}

CALL(share_get_stats)
{
    sked_share *share;
    STRUCT_WITH(sked_share_stats, s, 0);
    READ("h", H_SHARE, &share);
    SHORT(a, sked_share_get_stats(share, &s));
    return args_end(
        &a, "{sKsKsKsKsKsK}", "computed", (unsigned long long)s.computed,
        "full", (unsigned long long)s.full, "families",
        (unsigned long long)s.families, "queues", (unsigned long long)s.queues,
        "levels", (unsigned long long)s.levels, "passes",
        (unsigned long long)s.passes);
}

/* ---- One shot ---- */

CALL(share_once)
{
    host *h;
    incol parent, weight, priority, guarantee, limit, borrow, lend, demand,
        usage, running, state, held, capacity;
    STRUCT_WITH(sked_share_input, in, 0);
    STRUCT_WITH(sked_share_options, opts, 0);
    READ("xIUILLLLLLLBLLuiiiu", &h, &parent, &weight, &priority, &guarantee,
         &limit, &borrow, &lend, &demand, &usage, &running, &state, &held,
         &capacity, &opts.flags, &opts.model, &opts.scope, &opts.rounding,
         &opts.kind);
    size_t n = parent.n, all = n * capacity.n;
    if (n > INT32_MAX || capacity.n > SKED_MAX_KINDS) {
        PyErr_SetString(PyExc_OverflowError, "too many rows or kinds");
        return args_fail(&a);
    }
    if (!args_need(&a, &weight, "weight", n, 1) ||
        !args_need(&a, &priority, "priority", n, 1) ||
        !args_need(&a, &guarantee, "guarantee", all, 1) ||
        !args_need(&a, &limit, "limit", all, 1) ||
        !args_need(&a, &borrow, "borrow", all, 1) ||
        !args_need(&a, &lend, "lend", all, 1) ||
        !args_need(&a, &demand, "demand", all, 1) ||
        !args_need(&a, &usage, "usage", all, 1) ||
        !args_need(&a, &running, "running", n, 1) ||
        !args_need(&a, &state, "state", n, 1) ||
        !args_need(&a, &held, "held", all, 1)) {
        return NULL;
    }
    column *out = args_column(&a, "q", 8, n, (Py_ssize_t)capacity.n);
    if (!out) return NULL;
    in.kinds = (uint32_t)capacity.n;
    in.n = n;
    in.parent = parent.at;
    in.weight = weight.at;
    in.priority = priority.at;
    in.guarantee = guarantee.at;
    in.limit = limit.at;
    in.borrow = borrow.at;
    in.lend = lend.at;
    in.demand = demand.at;
    in.usage = usage.at;
    in.running = running.at;
    in.state = state.at;
    in.held = held.at;
    in.capacity = capacity.at;
    RUN(a, sked_share_once(&in, &opts, &h->c, (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

/* ---- Fair tree ---- */

CALL(fair_tree_ranks)
{
    host *h;
    incol parent, shares, usage;
    READ("UULx", &parent, &shares, &usage, &h);
    if (!args_need(&a, &shares, "shares", parent.n, 1) ||
        !args_need(&a, &usage, "usage", parent.n, 0)) {
        return NULL;
    }
    column *out = args_column(&a, "I", 4, parent.n, -1);
    if (!out) return NULL;
    RUN(a, sked_fair_tree_ranks(parent.at, shares.at, usage.at, parent.n, &h->c,
                                (uint32_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(fair_tree)
{
    sked_tree *tree;
    sked_ledger *ledger;
    uint32_t kind;
    host *h;
    size_t n;
    READ("hhux", H_TREE, &tree, H_LEDGER, &ledger, &kind, &h);
    n = sked_tree_count(tree);
    column *out = args_column(&a, "I", 4, n, -1);
    if (!out) return NULL;
    RUN(a, sked_fair_tree(tree, ledger, kind, &h->c, (uint32_t *)out->at, n, &n,
                          &a.err));
    return args_end(&a, "O", out);
}

PyMethodDef share_methods[] = {
    METHOD(fill),
    METHOD(fill_time_weights),
    METHOD(share_new),
    METHOD(share_compute),
    METHOD(share_update),
    METHOD(share_query),
    METHOD(share_get),
    METHOD(share_column),
    METHOD(share_bounds),
    METHOD(share_level),
    METHOD(share_get_stats),
    METHOD(share_once),
    METHOD(fair_tree_ranks),
    METHOD(fair_tree),
    {NULL, NULL, 0, NULL},
};
