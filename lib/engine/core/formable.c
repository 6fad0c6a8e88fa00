/* What is asked here is asked of all nodes at once; whether the gang may start is
 * asked anew each time, so that nothing that is found here need be exact. */
#include "engine/core/formable.h"

#include "engine/core/exclusive.h"
#include "engine/core/gangs.h"
#include "engine/core/refusal.h"
#include "engine/core/same.h"
#include "engine/order/domains.h"
#include "engine/order/fits.h"
#include "engine/order/shapes.h"
#include "engine/steps.h"

int skedi_forming_is_at(const sked_engine *e, uint32_t node,
                        const engine_forming_where *where)
{
    return where->same == 0 ||
           skedi_node_has(e, node, where->same, where->value);
}

int64_t skedi_forming_takes_on(const sked_engine *e, uint32_t ask,
                               uint32_t node, const engine_forming_where *where,
                               int64_t left)
{
    int64_t each = extra_of(e, ask_at(e, ask))->each;

    if (!skedi_forming_is_at(e, node, where)) return 0;
    int64_t may = skedi_gang_on(e, ask, node, node_at(e, node)->partition);
    may = skedi_i64_min(may, skedi_i64_max(left, 0));
    if (each == 0 || skedi_gang_there(e, ask, node) > 0) return may;
    return may >= each ? each : may == left ? may : 0;
}

/* ---- Whole nodes ---- */

/* The least that a gang may hold of which each node holds nothing else: for
 * each kind, as many times the least that a node has which could take its part
 * when empty as it takes nodes. 0: it is more than amounts can be. */
static int least_of_nodes(const sked_engine *e, uint32_t ask,
                          uint32_t partition, int64_t *sum)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    int64_t each = skedi_i64_max(extra_of(e, a)->each, 1);
    int64_t step = skedi_gang_step(e, a, a->open), all[SKED_MAX_KINDS];
    uint32_t need = (uint32_t)(step % each ? step % each : each);
    int holds = 1;

    for (uint32_t k = 0; k < e->kinds; k++) sum[k] = SKED_AMOUNT_MAX;
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        const int64_t *own = engine_row_of(e, &e->node_capacity, n);
        if (node_at(e, n)->partition != partition) continue;
        if (skedi_fit_times(e, task, own, need) < need) continue;
        skedi_exclusive_amount(e, ask, n, all);
        for (uint32_t k = 0; k < e->kinds; k++)
            sum[k] = skedi_i64_min(sum[k], all[k]);
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        holds &= skedi_i64_mul(sum[k], (step + each - 1) / each, &sum[k]) &&
                 sum[k] <= SKED_AMOUNT_MAX;
    }
    return holds;
}

/* Would bounds hold the nodes of a gang of which each holds nothing else? Not
 * where only they keep it from starting now. */
static int bounds_may_hold(const sked_engine *e, uint32_t ask,
                           uint32_t partition)
{
    const engine_ask *a = ask_at(e, ask);
    uint64_t step = (uint64_t)skedi_gang_step(e, a, a->open);
    int64_t sum[SKED_MAX_KINDS];
    uint32_t row, kind;

    return skedi_gang_space(e, ask, partition) < step &&
           least_of_nodes(e, ask, partition, sum) &&
           skedi_exclusive_bound(e, ask, partition, sum, &row, &kind) ==
               SKED_REASON_ORDER;
}

/* ---- One value ---- */

/* How many tasks of a gang a node holds when it is empty: of an exact one of
 * which nothing runs and whose nodes all take `each`, so many or none. */
static int64_t holds_when_empty(const sked_engine *e, uint32_t ask,
                                uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t each = a->first_group == SKEDI_NONE ? extra_of(e, a)->each : 0;
    int64_t here = skedi_fit_times(e,
                                   engine_row_of(e, &e->shape_task, a->shape),
                                   engine_row_of(e, &e->node_capacity, node),
                                   skedi_shape_per_node(e, a->shape));
    int even = each > 0 && shape_at(e, a->shape)->times % each == 0;

    return even && here < each ? 0 : here;
}

/* What the nodes of each value take of a gang now and hold of it when empty, in
 * the scratch of its domains. */
static void weigh_values(const sked_engine *e, uint32_t ask, uint32_t partition,
                         const engine_domain_key *key)
{
    const engine_forming_where any = {0};
    int64_t step = shape_at(e, ask_at(e, ask)->shape)->times;

    for (uint32_t i = 0; i < key->n; i++) {
        engine_domain *d = skedi_domain_at(e, key->at[i]);
        d->tasks = d->holds = 0;
    }
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        if (node_at(e, n)->partition != partition) continue;
        int64_t now = skedi_forming_takes_on(e, ask, n, &any, step);
        int64_t holds = holds_when_empty(e, ask, n);
        engine_domain_walk w = {.only = key};
        uint32_t domain;
        while ((domain = skedi_domain_next(e, n, &w)) != SKEDI_NONE) {
            skedi_domain_at(e, domain)->tasks += (uint64_t)now;
            skedi_domain_at(e, domain)->holds += (uint64_t)holds;
        }
    }
}

/* The value on which a gang forms, as skedi_forming_may(). 0: there is none. */
static int find_value(const sked_engine *e, uint32_t ask, uint32_t partition,
                      int own, engine_forming_where *where)
{
    uint64_t step = shape_at(e, ask_at(e, ask)->shape)->times, most = 0;
    const engine_domain_key *all = skedi_domains_of(e, where->same).only;
    int found = 0;

    weigh_values(e, ask, partition, all);
    for (uint32_t i = 0; i < all->n; i++) {
        const engine_domain *d = skedi_domain_at(e, all->at[i]);
        if (d->partition != partition || d->holds < step) continue;
        if (own ? d->value != where->value : found && d->tasks <= most)
            continue;
        if (!skedi_same_has(e, ask, where->same, d->value)) continue;
        where->value = d->value;
        most = d->tasks;
        found = 1;
    }
    return found;
}

int skedi_forming_may(const sked_engine *e, uint32_t ask, uint32_t partition,
                      int own, engine_forming_where *where)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_forming *f = &e->forms.gang[partition];
    uint32_t each = a->first_group == SKEDI_NONE ? extra_of(e, a)->each : 0;

    if (a->reserved) return 0; /* a round made way for all of it */
    if (f->resting == a->arrival && e->now < f->rests) return 0;
    if (skedi_gang_is_ending(e, ask)) return 0;
    if (!skedi_shape_may_fit(e, a->shape, partition, each)) return 0;
    if (skedi_ask_is_exclusive(a) && !bounds_may_hold(e, ask, partition))
        return 0;
    if (skedi_same_is_soft(e, ask)) return 1;
    where->same = skedi_shape_gang(e, a->shape).same;
    return where->same == 0 || find_value(e, ask, partition, own, where);
}
