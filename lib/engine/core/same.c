/*
 * Values are weighed in scratch of their domains, which are known of every
 * attribute of which the nodes of some gang share a value.
 */
#include "engine/core/same.h"

#include "engine/core/exact.h"
#include "engine/core/reservations.h"
#include "engine/order/domains.h"

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

static uint32_t next_reserved(const sked_engine *e, uint32_t ask, uint32_t at)
{
    while (at != SKEDI_NONE && reservation_at(e, at)->ask != ask) {
        at = reservation_at(e, at)->later;
    }
    return at;
}

int skedi_same_reserved(const sked_engine *e, uint32_t ask)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    uint32_t first = next_reserved(e, ask, e->first_reservation);

    if (key == 0 || skedi_same_is_soft(e, ask) || first == SKEDI_NONE) return 1;
    engine_domain_walk w = skedi_domains_of(e, key);
    while (skedi_domain_next(e, reservation_at(e, first)->node, &w) !=
           SKEDI_NONE) {
        uint32_t at = first;
        while (at != SKEDI_NONE &&
               skedi_node_has(e, reservation_at(e, at)->node, key, w.value)) {
            at = next_reserved(e, ask, reservation_at(e, at)->later);
        }
        if (at == SKEDI_NONE && skedi_same_has(e, ask, key, w.value)) return 1;
    }
    return 0;
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

/* The first value of a node that the nodes of so many more tasks, and those
 * where tasks of the ask run, may share. 0: there is none. */
static int value_of_node(const sked_engine *e, uint32_t ask, uint32_t node,
                         int64_t tasks, int64_t *value)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;
    engine_domain_walk w = skedi_domains_of(e, key);
    uint32_t domain;

    while ((domain = skedi_domain_next(e, node, &w)) != SKEDI_NONE) {
        if (skedi_domain_at(e, domain)->tasks < (uint64_t)tasks) continue;
        if (!skedi_same_has(e, ask, key, w.value)) continue;
        engine_exact exact = {.key = key, .value = w.value};
        if (!skedi_exact_forms(e, ask, node_at(e, node)->partition, tasks,
                               &exact)) {
            skedi_domain_at(e, domain)->tasks = 0; /* not looked at again */
            continue;
        }
        *value = w.value;
        return 1;
    }
    return 0;
}

uint64_t skedi_same_on(const sked_engine *e, uint32_t ask, uint32_t partition,
                       int64_t value)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same, sum = 0;

    if (!skedi_same_has(e, ask, key, value)) return 0;
    if (extra_of(e, ask_at(e, ask))->each > 0) {
        return skedi_exact_most(e, ask, partition, key, value);
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (!skedi_node_has(e, n, key, value)) continue;
        sum += (uint64_t)skedi_gang_on(e, ask, n, partition);
    }
    return sum;
}

uint64_t skedi_same_most(const sked_engine *e, uint32_t ask, uint32_t partition)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same, most = 0;
    const engine_domain_key *all = skedi_domains_of(e, key).only;

    for (uint32_t i = 0; i < all->n; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        if (d->partition != partition) continue;
        uint64_t sum = skedi_same_on(e, ask, partition, d->value);
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

int skedi_same_look(const sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value)
{
    uint64_t key = skedi_shape_gang(e, ask_at(e, ask)->shape).same;

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        engine_domain_walk w = skedi_domains_of(e, key);
        if (skedi_gang_on(e, ask, n, partition) == 0) continue;
        while (skedi_domain_next(e, n, &w) != SKEDI_NONE) {
            *value = w.value;
            if (skedi_same_on(e, ask, partition, w.value) >= (uint64_t)tasks)
                return 1;
        }
    }
    return 0;
}
