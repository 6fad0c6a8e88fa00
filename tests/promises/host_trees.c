/* Trees of limits as the engine has them, and whether its books agree. */
#include "host.h"

static int plant_one(host *h, uint32_t t)
{
    const world *w = h->w;
    sked_tree *tree = NULL;
    char name[] = "b0";

    if (sked_tree_new(h->schema, NULL, NULL, &tree, NULL)) return 0;
    h->limits[t] = tree;
    h->bound_id[t][0] = sked_tree_root(tree);
    for (uint32_t row = 0; row < w->bounds[t]; row++) {
        const world_bound *b = &w->bound[t][row];
        sked_queue_id *id = &h->bound_id[t][row];
        name[1] = (char)('0' + row);
        if (row > 0 &&
            sked_tree_add(tree, h->bound_id[t][b->parent], name, id, NULL)) {
            return 0;
        }
        if (b->limited &&
            sked_tree_set_vec(tree, *id, SKED_QUEUE_LIMIT, b->limit, NULL)) {
            return 0;
        }
        if (b->max_running != SKED_UNSET &&
            sked_tree_set(tree, *id, SKED_QUEUE_MAX_RUNNING, b->max_running,
                          NULL)) {
            return 0;
        }
    }
    return sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL) == SKED_OK &&
           sked_engine_commit_limits(h->engine, t + 1, tree, h->now, NULL) ==
               SKED_OK;
}

void host_plant_limits(host *h)
{
    for (uint32_t t = 0; t < h->w->trees; t++) {
        if (plant_one(h, t)) continue;
        host_broken(h, PROMISE_CALLS, "limit tree %u is refused", t + 1);
        h->failed = 1;
    }
}

void host_fell_limits(host *h)
{
    for (uint32_t t = 0; t < WORLD_TREES; t++) sked_tree_free(h->limits[t]);
}

sked_event_charge host_charge(const host *h, uint32_t job)
{
    sked_queue_id id[WORLD_TREES] = {SKED_NO_QUEUE, SKED_NO_QUEUE};

    for (uint32_t t = 0; t < h->w->trees; t++) {
        uint32_t row = h->w->job[job].charged[t];
        if (row > 0) id[t] = h->bound_id[t][row - 1];
    }
    return (sked_event_charge){id[0], id[1]};
}

static void check_bound(host *h, uint32_t t, uint32_t row)
{
    int64_t use[WORLD_KINDS];

    if (sked_engine_limits_usage(h->engine, t + 1, h->bound_id[t][row], use,
                                 NULL)) {
        host_broken(h, PROMISE_CALLS, "usage of limit tree %u", t + 1);
        return;
    }
    for (uint32_t k = 0; k < h->w->kinds; k++) {
        int64_t own = books_charged(&h->b, t, (int32_t)row, k);
        if (own == use[k]) continue;
        host_broken(h, PROMISE_CALLS,
                    "limit tree %u, row %u: %lld of kind %u; the books say "
                    "%lld",
                    t + 1, row, (long long)use[k], k, (long long)own);
    }
}

void check_charged(host *h)
{
    for (uint32_t t = 0; t < h->w->trees; t++) {
        for (uint32_t row = 0; row < h->w->bounds[t]; row++) {
            check_bound(h, t, row);
        }
    }
}

/* A start keeps every limit of every tree, with what is reserved where that is
 * known. */
void check_trees(host *h, int32_t ask, int32_t node)
{
    int sure = h->w->mode != WORLD_CHANGES && books_are_sure(&h->b);

    if (books_trees_hold(&h->b, ask, node, 1, sure ? node : BOOKS_NOTHING))
        return;
    host_broken(h, PROMISE_LIMIT,
                "round %u: ask %d on node %d passes what a tree of limits has",
                h->rounds, ask + 1, node + 1);
}

void check_trees_admit(host *h, uint32_t job)
{
    for (uint32_t t = 0; t < h->w->trees; t++) {
        int32_t row = (int32_t)h->w->job[job].charged[t] - 1;
        for (; row >= 0; row = h->w->bound[t][row].parent) {
            int64_t most = h->w->bound[t][row].max_running;
            if (most == SKED_UNSET || h->adopting) continue;
            h->checked |= 1u << PROMISE_RUNNING;
            if (books_charged_jobs(&h->b, t, row) <= most) continue;
            host_broken(h, PROMISE_RUNNING,
                        "round %u: too many jobs run in limit tree %u, row %d",
                        h->rounds, t + 1, row);
        }
    }
}
