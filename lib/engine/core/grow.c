/*
 * What has a node to itself holds all of it, whatever that is by now, until the
 * node has ended it: so nothing else starts there when it grows. Like all that
 * is adopted or resized, it may then be more than bounds hold.
 */
#include "engine/alloc.h"

#include "base/fail.h"
#include "engine/exclusive.h"
#include "engine/pending.h"
#include "engine/order/wants.h"

/* How many groups hold all of a node: each of the exclusive tasks that were
 * adopted there, of a bunch one group. `all` 1: also the other groups of a
 * bunch. */
static int64_t groups_alone(const sked_engine *e, uint32_t node, int all)
{
    int64_t n = 0;

    for (uint32_t i = node_at(e, node)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->next) {
        const engine_group *g = group_at(e, i);
        n += skedi_ask_is_exclusive(ask_at(e, g->ask)) &&
             (all || g->hold != HOLD_NOTHING);
    }
    return n;
}

/* Would what is held, and what may come to be held, stay amounts if a node had
 * `more` of a kind, which each of `tasks` tasks there then holds? */
static int growth_is_amount(const sked_engine *e, uint32_t node, uint32_t k,
                            int64_t tasks, int64_t more)
{
    if (more <= 0) return 1;
    if (more > SKED_AMOUNT_MAX / tasks) return 0;
    return skedi_most_held(e, k, more * tasks, node, more - more * tasks) <=
           SKED_AMOUNT_MAX;
}

sked_status skedi_exclusive_may_grow(sked_engine *e, uint32_t node,
                                     const int64_t *capacity, sked_error *err)
{
    const int64_t *own = engine_row_of(e, &e->node_capacity, node);
    int64_t tasks = groups_alone(e, node, 0), all = groups_alone(e, node, 1);

    tasks += skedi_remains_alone(e, node);
    if (tasks == 0) return SKED_OK;
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (kind_is_pooled(e, k)) continue;
        if (growth_is_amount(e, node, k, tasks, capacity[k] - own[k])) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "capacity is out of range",
                          (skedi_fault){.got = capacity[k],
                                        .limit = SKED_AMOUNT_MAX,
                                        .kind = (int32_t)k + 1});
    }
    if (skedi_shape_reserve(e, (uint64_t)all) &&
        skedi_wants_reserve(e, (uint64_t)all)) {
        return SKED_OK;
    }
    return skedi_fail_memory(err);
}

void skedi_exclusive_grow(sked_engine *e, uint32_t node)
{
    int64_t all[SKED_MAX_KINDS];

    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        uint32_t ask = group_at(e, g)->ask;
        if (!skedi_ask_is_exclusive(ask_at(e, ask))) continue;
        skedi_exclusive_amount(e, ask, node, all);
        skedi_group_resize(e, g, all);
    }
    skedi_remains_follow(e, node);
}
