/*
 * Values are weighed in scratch of their domains, which are known of every
 * attribute of which the nodes of some gang share a value.
 */
#include "engine/core/same.h"

#include "engine/core/exclusive.h"

#include "engine/core/bans.h"
#include "engine/core/refusal.h"
#include "engine/order/domains.h"
#include "engine/order/fits.h"

int skedi_gang_takes_all(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int counted = a->first_group != SKEDI_NONE &&
                  skedi_shape_per_node(e, a->shape) < INT32_MAX;

    return !skedi_ask_avoids(e, a) && extra_of(e, a)->places == SKEDI_NONE &&
           !counted && skedi_shape_gang(e, a->shape).same == 0 &&
           !skedi_ask_is_exclusive(a);
}

int64_t skedi_gang_allowed(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t fit)
{
    int64_t left = skedi_shape_per_node(e, ask_at(e, ask)->shape);

    if (fit == 0 || !skedi_place_allows(e, ask, node)) return 0;
    if (!skedi_exclusive_takes(e, ask, node)) return 0;
    if (left == INT32_MAX) return fit;
    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        if (group_at(e, g)->ask == ask) left -= group_at(e, g)->count;
    }
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

int skedi_same_has(const sked_engine *e, uint32_t ask, uint64_t key,
                   int64_t value)
{
    uint32_t g = ask_at(e, ask)->first_group;

    while (g != SKEDI_NONE &&
           skedi_node_has(e, group_at(e, g)->node, key, value)) {
        g = group_at(e, g)->ask_next;
    }
    return g == SKEDI_NONE;
}

int skedi_same_joins(const sked_engine *e, uint32_t ask, uint32_t node)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;

    if (key == 0 || skedi_same_is_soft(e, ask)) return 1;
    engine_domain_walk w = skedi_domains_of(e, key);
    while (skedi_domain_next(e, node, &w) != SKEDI_NONE) {
        if (skedi_same_has(e, ask, key, w.value)) return 1;
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

/* Sets the scratch of all domains of a node to 0, or adds to it. */
static void weigh_node(sked_engine *e, uint32_t node, uint64_t key,
                       int64_t tasks)
{
    engine_domain_walk w = skedi_domains_of(e, key);
    uint32_t domain;

    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        engine_domain *d = skedi_domain_at(e, domain);
        d->tasks = tasks == 0 ? 0 : d->tasks + (uint64_t)tasks;
    }
}

/* How many tasks of an ask the nodes of each value take, in the scratch of its
 * domains. */
static void weigh_all(sked_engine *e, uint32_t ask, uint32_t partition)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    uint32_t n;

    for (n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        weigh_node(e, n, key, 0);
    }
    for (n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t here = skedi_gang_on(e, ask, n, partition);
        if (here > 0) weigh_node(e, n, key, here);
    }
}

/* The first value of a node that so many tasks, and all that runs, may share. */
static int value_of_node(const sked_engine *e, uint32_t ask, uint32_t node,
                         int64_t tasks, int64_t *value)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    engine_domain_walk w = skedi_domains_of(e, key);
    uint32_t domain;

    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        if (skedi_domain_at(e, domain)->tasks < (uint64_t)tasks) continue;
        if (!skedi_same_has(e, ask, key, w.value)) continue;
        *value = w.value;
        return 1;
    }
    return 0;
}

uint64_t skedi_same_most(const sked_engine *e, uint32_t ask, uint32_t partition)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same, most = 0;
    const engine_domain_key *all = skedi_domains_of(e, key).only;

    for (uint32_t i = 0; i < all->n; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        uint64_t sum = 0;
        if (d->partition != partition ||
            !skedi_same_has(e, ask, key, d->value)) {
            continue;
        }
        for (uint32_t n = e->first_node; n != SKEDI_NONE;
             n = node_at(e, n)->next) {
            if (!skedi_node_has(e, n, key, d->value)) continue;
            sum += (uint64_t)skedi_gang_on(e, ask, n, partition);
        }
        if (sum > most) most = sum;
    }
    return most;
}

int skedi_same_find(sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value)
{
    weigh_all(e, ask, partition);
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (skedi_gang_on(e, ask, n, partition) == 0) continue;
        if (value_of_node(e, ask, n, tasks, value)) return 1;
    }
    return 0;
}
