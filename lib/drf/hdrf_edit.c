/*
 * What changes in a sked_hdrf: capacity, leaves, weights. Sums of usage come
 * first; if they make a kind full, or free again, all nodes are built anew,
 * else the one that changed climbs.
 */
#include <string.h>

#include "base/fail.h"
#include "drf/hdrf_tree.h"

enum {
    HDRF_ROWS_CHECKED = 4096, /* rows between two looks at the cancel flag */
    HDRF_ROWS_BUILD = 8,      /* this part of the nodes: build anew */
    HDRF_RUN_CHECKED = 1024   /* decisions between two looks */
};

/* After a leaf has changed. */
static void leaf_changed(sked_hdrf *tree, uint32_t leaf)
{
    if (skedi_hdrf_refill(tree))
        skedi_hdrf_build(tree);
    else
        skedi_hdrf_climb(tree, leaf);
}

sked_status sked_hdrf_set_capacity(sked_hdrf *tree, const int64_t *capacity,
                                   sked_error *err)
{
    const char *missing = !tree ? "tree" : !capacity ? "capacity" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_amounts_in(capacity, 1, tree->kinds,
                                      "capacity is out of range", err);
    if (rc != SKED_OK) return rc;

    for (uint32_t k = 0; k < tree->kinds; k++) {
        tree->capacity[k] = capacity[k];
        tree->scale[k] = skedi_drf_scale_of(capacity[k]);
    }
    (void)skedi_hdrf_refill(tree);
    skedi_hdrf_build(tree);
    return SKED_OK;
}

sked_status sked_hdrf_set_full(sked_hdrf *tree, uint32_t kinds, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if ((uint64_t)kinds >> tree->kinds)
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such kind");

    tree->said_full = kinds;
    if (skedi_hdrf_refill(tree)) skedi_hdrf_build(tree);
    return SKED_OK;
}

static sked_status leaves_named(const sked_hdrf *tree, size_t n,
                                const uint32_t *leaf, const int64_t *pending,
                                sked_error *err)
{
    for (size_t i = 0; i < n; i++) {
        skedi_fault fault = {.row = (int64_t)i + 1, .got = leaf[i]};
        if (i % HDRF_ROWS_CHECKED == 0) {
            sked_status rc = skedi_hooks_check(&tree->hooks, i, n);
            if (rc != SKED_OK) {
                return skedi_fail_stopped(err, rc);
            }
        }
        if (!skedi_hdrf_is_leaf(tree, leaf[i])) {
            return skedi_fail(err, SKED_ERR_NOT_FOUND, "not a leaf", fault);
        }
        if (!pending || pending[i] >= 0) continue;
        fault.got = pending[i];
        return skedi_fail(err, SKED_ERR_RANGE, "number of tasks is negative",
                          fault);
    }
    return SKED_OK;
}

/* What a leaf uses becomes `usage`, in its row and in the sums. */
static void leaf_use(sked_hdrf *tree, uint32_t leaf, const int64_t *usage)
{
    int64_t *row = tree->usage + skedi_hdrf_row(tree, leaf);

    for (uint32_t k = 0; k < tree->kinds; k++) {
        tree->used[k] = skedi_u128_sub(tree->used[k],
                                       skedi_u128_of((uint64_t)row[k]));
        tree->used[k] = skedi_u128_add(tree->used[k],
                                       skedi_u128_of((uint64_t)usage[k]));
        row[k] = usage[k];
    }
}

/* Columns into rows, nothing computed yet. */
static void leaves_put(sked_hdrf *tree, size_t n, const uint32_t *leaf,
                       const int64_t *usage, const int64_t *demand,
                       const int64_t *pending)
{
    uint32_t kinds = tree->kinds;

    for (size_t i = 0; i < n; i++) {
        if (usage) leaf_use(tree, leaf[i], usage + i * kinds);
        if (demand) {
            memcpy(tree->demand + skedi_hdrf_row(tree, leaf[i]),
                   demand + i * kinds, kinds * sizeof *demand);
        }
        if (pending) tree->pending[leaf[i]] = pending[i];
    }
}

sked_status sked_hdrf_set_leaves(sked_hdrf *tree, const uint32_t *leaf,
                                 const int64_t *usage, const int64_t *demand,
                                 const int64_t *pending, size_t n,
                                 sked_error *err)
{
    sked_status rc = SKED_OK;

    const char *missing = !tree ? "tree" : n && !leaf ? "leaf" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (usage) {
        rc = skedi_amounts_in(usage, n, tree->kinds, "usage is out of range",
                              err);
    }
    if (rc == SKED_OK && demand) {
        rc = skedi_amounts_in(demand, n, tree->kinds, "demand is out of range",
                              err);
    }
    if (rc == SKED_OK) rc = leaves_named(tree, n, leaf, pending, err);
    if (rc != SKED_OK) return rc;

    leaves_put(tree, n, leaf, usage, demand, pending);
    if (skedi_hdrf_refill(tree) || n > tree->n / HDRF_ROWS_BUILD) {
        skedi_hdrf_build(tree);
        return SKED_OK;
    }
    for (size_t i = 0; i < n; i++) skedi_hdrf_climb(tree, leaf[i]);
    return SKED_OK;
}

sked_status sked_hdrf_set_weight(sked_hdrf *tree, uint32_t node,
                                 uint32_t weight, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (node >= tree->n)
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");

    skedi_hdrf_reweigh(tree, node, weight);
    return SKED_OK;
}

sked_status sked_hdrf_block(sked_hdrf *tree, uint32_t leaf, int blocked,
                            sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (!skedi_hdrf_is_leaf(tree, leaf))
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such leaf");

    skedi_hdrf_say(tree, leaf, blocked);
    return SKED_OK;
}

uint32_t sked_hdrf_next(const sked_hdrf *tree)
{
    uint32_t at = 0;

    if (!tree) return SKED_HDRF_NONE;
    while (tree->node[at].inner != SKED_HDRF_NONE) {
        at = skedi_hdrf_first(tree, tree->node[at].inner);
        if (at == SKED_HDRF_NONE) return at;
    }
    return tree->node[at].blocked ? SKED_HDRF_NONE : at;
}

/* Is so much free of every kind? */
static int tasks_fit(const sked_hdrf *tree, const int64_t *demand,
                     int64_t tasks)
{
    for (uint32_t k = 0; k < tree->kinds; k++) {
        if (demand[k] == 0) continue;
        skedi_u128 need = skedi_u128_mul((uint64_t)demand[k], (uint64_t)tasks);
        skedi_u128 after = skedi_u128_add(tree->used[k], need);
        skedi_u128 capacity = skedi_u128_of((uint64_t)tree->capacity[k]);
        if (skedi_u128_cmp(after, capacity) > 0) return 0;
    }
    return 1;
}

/* `tasks` more for a leaf; they are pending and they fit. */
static void leaf_give(sked_hdrf *tree, uint32_t leaf, int64_t tasks)
{
    const int64_t *demand = tree->demand + skedi_hdrf_row(tree, leaf);
    const int64_t *row = tree->usage + skedi_hdrf_row(tree, leaf);
    int64_t usage[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < tree->kinds; k++) {
        usage[k] = row[k] + (demand[k] ? demand[k] * tasks : 0);
    }
    leaf_use(tree, leaf, usage);
    if (tree->pending[leaf] != SKED_UNLIMITED) tree->pending[leaf] -= tasks;
    leaf_changed(tree, leaf);
}

/* What a leaf counts as having pending: nothing, where a task asks nothing. */
static int64_t pending_of(const sked_hdrf *tree, uint32_t leaf)
{
    const int64_t *demand = tree->demand + skedi_hdrf_row(tree, leaf);
    int64_t asks = 0;

    for (uint32_t k = 0; k < tree->kinds; k++) asks |= demand[k];
    return asks ? tree->pending[leaf] : 0;
}

sked_status sked_hdrf_allocate(sked_hdrf *tree, uint32_t leaf, int64_t tasks,
                               sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (tasks < 0) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "tasks is below 0");
    }
    if (!skedi_hdrf_is_leaf(tree, leaf))
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such leaf");
    int64_t pending = pending_of(tree, leaf);
    if (tasks > pending) {
        return skedi_fail(err, SKED_ERR_STATE, "fewer tasks are pending",
                          (skedi_fault){.got = tasks, .limit = pending});
    }
    if (!tasks_fit(tree, tree->demand + skedi_hdrf_row(tree, leaf), tasks)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "the tasks do not fit");
    }
    leaf_give(tree, leaf, tasks);
    return SKED_OK;
}

sked_status sked_hdrf_release(sked_hdrf *tree, uint32_t leaf,
                              const int64_t *amount, sked_error *err)
{
    int64_t usage[SKED_MAX_KINDS];

    const char *missing = !tree ? "tree" : !amount ? "amount" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!skedi_hdrf_is_leaf(tree, leaf))
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such leaf");
    const int64_t *row = tree->usage + skedi_hdrf_row(tree, leaf);
    for (uint32_t k = 0; k < tree->kinds; k++) {
        if (amount[k] < 0 || amount[k] > row[k]) {
            return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                              (skedi_fault){.kind = (int32_t)k + 1,
                                            .got = amount[k],
                                            .limit = row[k]});
        }
        usage[k] = row[k] - amount[k];
    }
    leaf_use(tree, leaf, usage);
    leaf_changed(tree, leaf);
    return SKED_OK;
}

sked_status sked_hdrf_run(sked_hdrf *tree, uint32_t *leaf, size_t cap,
                          size_t *n, sked_error *err)
{
    const char *missing = !tree          ? "tree"
                          : !n           ? "n"
                          : cap && !leaf ? "leaf"
                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);

    *n = 0;
    for (uint64_t step = 0; *n < cap; step++) {
        if (step % HDRF_RUN_CHECKED == 0 &&
            skedi_hooks_check(&tree->hooks, *n, cap) != SKED_OK) {
            return SKED_STOPPED;
        }
        uint32_t at = sked_hdrf_next(tree);
        if (at == SKED_HDRF_NONE) return SKED_OK;
        const int64_t *demand = tree->demand + skedi_hdrf_row(tree, at);
        if (!tasks_fit(tree, demand, 1)) {
            skedi_hdrf_say(tree, at, 1);
            continue;
        }
        leaf_give(tree, at, 1);
        leaf[(*n)++] = at;
    }
    return SKED_OK;
}
