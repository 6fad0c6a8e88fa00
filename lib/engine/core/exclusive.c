/*
 * A task that has a node to itself is a group of one with amounts of its own:
 * as much as the node has. So the books of the node, the user and the queues,
 * and rounds of preemption, know it as a task that was resized. Steps, and with
 * them orders, classes and shares of what is open, stay what was asked for.
 */
#include "engine/core/exclusive.h"

#include "engine/pending.h"
#include "engine/order/wants.h"

void skedi_exclusive_amount(const sked_engine *e, uint32_t ask, uint32_t node,
                            int64_t *amount)
{
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, ask)->shape);
    const int64_t *all = engine_row_of(e, &e->node_capacity, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        amount[k] = kind_is_pooled(e, k) ? task[k] : all[k];
    }
}

int skedi_exclusive_shapes_reserve(sked_engine *e, uint64_t starts)
{
    return skedi_shape_reserve(e, starts) && skedi_wants_reserve(e, starts);
}

uint32_t skedi_exclusive_shape(sked_engine *e, uint32_t ask, uint32_t node)
{
    int64_t all[SKED_MAX_KINDS];

    skedi_exclusive_amount(e, ask, node, all);
    return skedi_shape_take(e, all, 1, SKEDI_NONE, (engine_gang){0});
}
