/* What queues hold and may hold, as an explanation says it. */
#include "engine/api/explain_list.h"

#include "engine/exclusion.h"
#include "engine/queue.h"
#include "engine/budget.h"

void skedi_explain_add(explain_list *list, sked_engine_bound bound, int binds)
{
    bound.binds = binds && !list->bound;
    list->bound |= binds;
    if (list->n < list->cap) list->at[list->n] = bound;
    list->n++;
}

sked_engine_bound skedi_explain_bound(const sked_engine *e, const engine_ask *a,
                                      uint32_t row, uint32_t partition,
                                      uint32_t k, explain_line line)
{
    return (sked_engine_bound){.reason = SKED_REASON_QUEUE_LIMIT,
                               .kind = (int32_t)k,
                               .ask = a->key,
                               .queue = e->rows.id[row],
                               .need = line.need,
                               .bound = line.bound,
                               .partition = partition};
}

void skedi_explain_delta(const sked_engine *e, const engine_ask *a,
                         uint32_t row, uint32_t partition, const int64_t *step,
                         int64_t *delta)
{
    uint32_t at = job_at(e, a->job)->row;

    for (uint32_t k = 0; k < e->kinds; k++) delta[k] = step[k];
    for (; at != row; at = (uint32_t)e->rows.parent[at]) {
        skedi_books_climb(e, cell_of(e, at, partition), delta);
    }
}

explain_line skedi_explain_limit(const sked_engine *e, uint32_t row,
                                 uint32_t partition, uint32_t k, int64_t step,
                                 int64_t delta)
{
    size_t at = (size_t)row * e->kinds + k, cell = cell_of(e, row, partition);
    int64_t all = skedi_amount_add(skedi_row_used(e, row, k),
                                   e->rows.reserved[at]);
    int64_t runs = skedi_amount_add(
        cell_row(e, e->cell_used, cell)[k],
        e->keeps ? cell_row(e, e->cell_reserved, cell)[k] : 0);
    int64_t here = delta > 0 ? skedi_amount_add(skedi_booked(e, cell)[k], delta)
                             : skedi_amount_add(runs, step);
    explain_line whole = {skedi_amount_add(all, step), e->rows.ceiling[at]};
    explain_line local = {here, cell_row(e, e->cell_limit, cell)[k]};

    /* No overflow: neither is negative. */
    return whole.bound - whole.need <= local.bound - local.need ? whole : local;
}

/* The rows of a tree of limits from a job's up to the root; how many. */
static uint32_t tree_path_up(const sked_engine *e, const engine_job *job,
                             uint32_t tree, uint32_t *path)
{
    uint32_t row = SKEDI_NONE, depth = 0;

    if (job->charge != SKEDI_NONE) row = charge_at(e, job->charge)->row[tree];
    for (; row != SKEDI_NONE; row = e->trees.at[tree].parent[row]) {
        path[depth++] = row;
    }
    return depth;
}

/* A queue of a tree of limits. */
static sked_queue_id tree_queue(const engine_limits *t, uint32_t row)
{
    return skedi_tree_image(t->tree)->id[row];
}

void skedi_explain_trees_running(const sked_engine *e, const engine_job *job,
                                 int waits, explain_list *list)
{
    uint32_t path[SKED_MAX_DEPTH];

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t depth = tree_path_up(e, job, i, path);
        while (depth-- > 0) {
            int64_t running = t->running[path[depth]];
            int64_t most = t->max_running[path[depth]];
            if (most == SKED_UNLIMITED) continue;
            skedi_explain_add(
                list,
                (sked_engine_bound){.reason = SKED_REASON_TREE_1_RUNNING +
                                              (int32_t)i,
                                    .kind = -1,
                                    .queue = tree_queue(t, path[depth]),
                                    .need = running + waits,
                                    .bound = most,
                                    .partition = SKED_ANY_PARTITION},
                waits && running >= most);
        }
    }
}

/* The limits of one row. */
static void explain_tree_row(const sked_engine *e, uint32_t tree, uint32_t row,
                             const int64_t *step, sked_engine_bound bound,
                             explain_list *list)
{
    const engine_limits *t = &e->trees.at[tree];

    bound.reason = skedi_tree_reason(tree);
    bound.queue = tree_queue(t, row);
    for (uint32_t k = 0; k < e->kinds; k++) {
        size_t at = (size_t)row * e->kinds + k;
        if (step[k] == 0 || t->limit[at] == SKED_UNLIMITED) continue;
        bound.kind = (int32_t)k;
        bound.need = skedi_amount_add(t->used[at] + t->reserved[at], step[k]);
        bound.bound = t->limit[at];
        skedi_explain_add(list, bound, bound.need > bound.bound);
    }
}

void skedi_explain_trees(const sked_engine *e, const engine_ask *a,
                         const int64_t *step, uint32_t partition,
                         explain_list *list)
{
    const sked_engine_bound bound = {.ask = a->key, .partition = partition};
    uint32_t path[SKED_MAX_DEPTH];

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        uint32_t depth = tree_path_up(e, job_at(e, a->job), i, path);
        while (depth-- > 0) {
            explain_tree_row(e, i, path[depth], step, bound, list);
        }
    }
}

void skedi_explain_all_of(const sked_engine *e, uint32_t ask,
                          uint32_t partition, const int64_t *all,
                          explain_list *list)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t row = job_at(e, a->job)->row, k = 0;
    int64_t delta[SKED_MAX_KINDS], need;
    int32_t reason = skedi_exclusive_bound(e, ask, partition, all, &row, &k);
    explain_line line;

    if (reason == SKED_REASON_ORDER) return;
    if (skedi_reason_tree(reason) != SKEDI_NONE) {
        skedi_explain_trees(e, a, all, partition, list);
        return;
    }
    if (reason == SKED_REASON_MASTERS) {
        row = job_at(e, a->job)->row;
        (void)skedi_masters_against(e, ask, partition, all, &k, &need);
        line = (explain_line){need, skedi_masters_bound(e, row, partition, k)};
    } else {
        skedi_explain_delta(e, a, row, partition, all, delta);
        line = skedi_explain_limit(e, row, partition, k, all[k], delta[k]);
    }
    sked_engine_bound bound = skedi_explain_bound(e, a, row, partition, k,
                                                  line);
    bound.reason = reason;
    skedi_explain_add(list, bound, 1);
}
