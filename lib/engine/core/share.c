/* Of what fits a node a gang may take less: by what it refuses, by its places,
 * by its tasks that are there, and where the node is to be empty. */
#include "engine/core/share.h"

#include "engine/core/bans.h"
#include "engine/core/exclusive.h"
#include "engine/core/refusal.h"
#include "engine/order/shapes.h"

int skedi_gang_takes_all(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int counted = a->first_group != SKEDI_NONE &&
                  skedi_shape_per_node(e, a->shape) < INT32_MAX;

    return !skedi_ask_avoids(e, a) && extra_of(e, a)->places == SKEDI_NONE &&
           !counted && skedi_shape_gang(e, a->shape).same == 0 &&
           extra_of(e, a)->each == 0 && !skedi_ask_is_exclusive(a);
}

int64_t skedi_gang_there(const sked_engine *e, uint32_t ask, uint32_t node)
{
    int64_t count = 0;

    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        if (group_at(e, g)->ask == ask) count += group_at(e, g)->count;
    }
    return count;
}

int64_t skedi_gang_allowed(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t fit)
{
    int64_t left = skedi_shape_per_node(e, ask_at(e, ask)->shape);

    if (fit == 0 || !skedi_place_allows(e, ask, node)) return 0;
    if (!skedi_exclusive_takes(e, ask, node)) return 0;
    if (left == INT32_MAX) return fit;
    left -= skedi_gang_there(e, ask, node);
    return skedi_i64_max(skedi_i64_min(fit, left), 0);
}

int skedi_node_has(const sked_engine *e, uint32_t node, uint64_t key,
                   int64_t value)
{
    const engine_traits *own = &e->rules.traits[node];
    uint64_t from = 0, to = own->n;

    while (from < to) {
        uint64_t at = from + (to - from) / 2;
        const sked_rule_attribute *pair = &own->at[at];
        if (pair->key == key && pair->value == value) return 1;
        if (pair->key < key || (pair->key == key && pair->value < value))
            from = at + 1;
        else
            to = at;
    }
    return 0;
}

int64_t skedi_gang_on(const sked_engine *e, uint32_t ask, uint32_t node,
                      uint32_t partition)
{
    uint32_t shape = ask_at(e, ask)->shape;
    const engine_node *n = node_at(e, node);

    if (n->partition != partition || n->state != NODE_OPEN) return 0;
    return skedi_gang_allowed(
        e, ask, node,
        skedi_fit_times(e, engine_row_of(e, &e->shape_task, shape),
                        engine_row_of(e, &e->node_free, node),
                        skedi_shape_per_node(e, shape)));
}
