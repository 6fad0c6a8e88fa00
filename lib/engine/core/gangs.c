/*
 * Nodes are filled in the order of adding, each with as many tasks as it takes:
 * tasks are alike, so whenever any choice of nodes would do this one does. A
 * gang starts within one pass or not at all, and holds nothing before: so no
 * two of them can hold up each other. What an elastic one has beyond that is
 * started as tasks of any ask are.
 */
#include "engine/core/gangs.h"

#include "engine/core/exact.h"
#include "engine/core/exclusive.h"
#include "engine/core/extras.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/core/open.h"
#include "engine/core/out.h"
#include "engine/core/refusal.h"
#include "engine/core/same.h"
#include "engine/order/fits.h"
#include "engine/order/shapes.h"
#include "engine/order/domains.h"
#include "engine/order/wants.h"
#include "engine/pool.h"
#include "engine/steps.h"

uint64_t skedi_gang_space(const sked_engine *e, uint32_t ask,
                          uint32_t partition)
{
    if (skedi_shape_gang(e, ask_at(e, ask)->shape).same &&
        !skedi_same_is_soft(e, ask)) {
        return skedi_same_most(e, ask, partition);
    }
    if (extra_of(e, ask_at(e, ask))->each > 0) {
        return skedi_exact_most(e, ask, partition, 0, 0);
    }
    uint64_t sum = 0;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        sum += (uint64_t)skedi_gang_on(e, ask, n, partition);
    }
    return sum;
}

int skedi_gang_class_forms(sked_engine *e, uint32_t shape, uint32_t partition)
{
    uint32_t times = shape_at(e, shape)->times;

    if (skedi_fit_sum(e, shape, partition) >= times) return 1;
    skedi_fit_turn_away(e, shape, partition, times);
    return 0;
}

int skedi_gang_is_ending(const sked_engine *e, uint32_t ask)
{
    uint32_t g = e->notices.n > 0 ? ask_at(e, ask)->first_group : SKEDI_NONE;

    while (g != SKEDI_NONE && skedi_group_dying(e, g) == 0) {
        g = group_at(e, g)->ask_next;
    }
    return g != SKEDI_NONE;
}

/* A gang on its way to the nodes. */
typedef struct gang_walk {
    uint32_t ask;
    uint32_t partition;
    uint32_t shape;
    uint32_t node;      /* the next one to look at */
    int all;            /* 1: all that fits a node may start there */
    engine_exact exact; /* and the value that its nodes have in common */
    int64_t left;       /* tasks without a node */
} gang_walk;

static gang_walk gang_begin(sked_engine *e, uint32_t ask, uint32_t partition)
{
    const engine_ask *a = ask_at(e, ask);
    gang_walk w = {.ask = ask,
                   .partition = partition,
                   .shape = a->shape,
                   .node = e->first_node,
                   .all = skedi_gang_takes_all(e, ask),
                   .exact.key = skedi_shape_gang(e, a->shape).same,
                   .left = skedi_gang_step(e, a, a->open)};

    if (w.exact.key &&
        !skedi_same_find(e, ask, partition, w.left, &w.exact.value)) {
        w.exact.key = 0; /* it only prefers nodes that share one */
    }
    (void)skedi_exact_forms(e, ask, partition, w.left, &w.exact);
    return w;
}

/* The next node that takes tasks, and how many. There is one. */
static uint32_t gang_next(const sked_engine *e, gang_walk *w, int64_t *count)
{
    for (;;) {
        uint32_t node = w->node;
        w->node = node_at(e, node)->next;
        if (node_at(e, node)->partition != w->partition) continue;
        if (w->exact.key &&
            !skedi_node_has(e, node, w->exact.key, w->exact.value)) {
            continue;
        }
        int64_t fit = skedi_fit_on(e, w->shape, node);
        if (!w->all) fit = skedi_gang_allowed(e, w->ask, node, fit);
        if (extra_of(e, ask_at(e, w->ask))->each > 0) {
            fit = skedi_exact_share(e, w->ask, node, fit, &w->exact);
        }
        *count = skedi_i64_min(fit, w->left);
        w->left -= *count;
        if (*count > 0) return node;
    }
}

/* Do bounds hold all of the nodes that an exclusive gang would start on? */
static int gang_is_within(sked_engine *e, uint32_t ask, uint32_t partition)
{
    int64_t sum[SKED_MAX_KINDS] = {0}, all[SKED_MAX_KINDS], count;
    gang_walk w;
    uint32_t row, kind;

    if (!skedi_ask_is_exclusive(ask_at(e, ask))) return 1;
    w = gang_begin(e, ask, partition);
    while (w.left > 0) {
        skedi_exclusive_amount(e, ask, gang_next(e, &w, &count), all);
        for (uint32_t k = 0; k < e->kinds; k++) sum[k] += all[k];
    }
    return skedi_exclusive_bound(e, ask, partition, sum, &row, &kind) ==
           SKED_REASON_ORDER;
}

int skedi_gang_forms(sked_engine *e, uint32_t ask, uint32_t partition,
                     int *again)
{
    const engine_ask *a = ask_at(e, ask);

    if (!skedi_gang_class_forms(e, a->shape, partition)) return 0;
    if (skedi_gang_is_ending(e, ask)) {
        *again = 1;
        return 0;
    }
    if (skedi_gang_takes_all(e, ask)) return 1;
    int64_t step = skedi_gang_step(e, a, a->open), value;
    int shared = skedi_shape_gang(e, a->shape).same &&
                 !skedi_same_is_soft(e, ask);
    int forms = shared ? skedi_same_find(e, ask, partition, step, &value)
                       : skedi_gang_space(e, ask, partition) >= (uint64_t)step;
    forms = forms && gang_is_within(e, ask, partition);
    *again |= !forms;
    return forms;
}

int skedi_gang_grows_on(const sked_engine *e, uint32_t ask, uint32_t node)
{
    return skedi_gang_allowed(e, ask, node, 1) > 0 &&
           skedi_same_joins(e, ask, node);
}

int skedi_gang_joins(const sked_engine *e, uint32_t ask, uint32_t node,
                     int64_t count)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t most = skedi_shape_per_node(e, a->shape), there;

    if (a->first_group == SKEDI_NONE) return 1;
    there = skedi_gang_there(e, ask, node);
    if (most < INT32_MAX && there + count > most) return 0;
    if (extra_of(e, a)->each > 0 && there == 0 && count < most) return 0;
    return skedi_same_joins(e, ask, node);
}

/* How many groups a gang makes: one a node, and one more where the numbers of
 * its tasks there have a gap. */
static uint64_t groups_of(sked_engine *e, uint32_t ask, uint32_t partition)
{
    gang_walk w = gang_begin(e, ask, partition);
    uint32_t range = extra_of(e, ask_at(e, ask))->ranges;
    int64_t count, run = skedi_ask_run(e, ask);
    uint64_t n = 0;

    while (w.left > 0) {
        (void)gang_next(e, &w, &count);
        for (; count > 0; n++) {
            if (run == 0) run = skedi_range_pass(e, &range);
            int64_t here = skedi_i64_min(run, count);
            run -= here;
            count -= here;
        }
    }
    return n;
}

void skedi_gang_fill(sked_engine *e, uint32_t ask, uint32_t account,
                     uint32_t node, int64_t count, int32_t reason)
{
    engine_waiting since = skedi_ask_waiting(e, ask_at(e, ask));

    while (count > 0) {
        int64_t run = skedi_i64_min(skedi_ask_run(e, ask), count);
        skedi_out_close(e); /* no group goes on from another */
        skedi_group_place(e, ask, account, node, (uint32_t)run, reason);
        count -= run;
    }
    if (e->delays && ask_at(e, ask)->open > 0) e->waiting[ask] = since;
}

/* Memory for so many groups of a gang, and (`rest` 1) for the shape of what
 * stays open. A group that has its node to itself may take a shape more. 0: no
 * memory. */
static int gang_reserve(sked_engine *e, uint32_t ask, uint64_t groups, int rest)
{
    uint64_t wants = groups + 2 * (uint64_t)e->parts;

    return skedi_pool_reserve(&e->groups, &e->hooks.mem, groups) &&
           skedi_exclusive_reserve(e, ask, groups + (uint64_t)rest) &&
           skedi_work_reserve_any(e, ask, groups) &&
           skedi_out_reserve(e, (size_t)groups) &&
           (!rest ||
            (skedi_ask_reserve(e, ask) && skedi_wants_reserve(e, wants)));
}

sked_status skedi_gang_start(sked_engine *e, uint32_t ask, uint32_t account,
                             uint32_t partition)
{
    uint64_t groups = groups_of(e, ask, partition);
    gang_walk w = gang_begin(e, ask, partition);
    int64_t count;

    int rest = extra_of(e, ask_at(e, ask))->spare > 0;
    if (!gang_reserve(e, ask, groups, rest)) return SKED_ERR_NOMEM;
    skedi_group_charge(e, ask, partition);
    while (w.left > 0) {
        uint32_t node = gang_next(e, &w, &count);
        skedi_gang_fill(e, ask, account, node, count, SKED_REASON_GANG);
    }
    skedi_out_close(e);
    skedi_ask_reform(e, ask);
    return SKED_OK;
}
