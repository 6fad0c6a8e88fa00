/* Nodes come, change, drain and go. */
#include "ref_engine.h"
#include "ref_engine_alone.h"

#include <string.h>

#include "base/arith.h"

size_t ref_engine_node(const ref_engine *r, uint64_t key)
{
    for (size_t i = 0; i < r->nodes; i++) {
        if (!r->node[i].gone && r->node[i].key == key) return i;
    }
    return SIZE_MAX;
}

const int64_t *ref_engine_amounts(const ref_engine *r, const sked_events *batch,
                                  const sked_event *event, sked_status *rc)
{
    *rc = SKED_ERR_ARG;
    if (event->amount == 0 || event->amount > batch->n_amounts) return NULL;
    const int64_t *row = batch->amounts + (event->amount - 1) * r->kinds;
    *rc = SKED_ERR_RANGE;
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (row[k] < 0 || row[k] > SKED_AMOUNT_MAX) return NULL;
    }
    *rc = SKED_OK;
    return row;
}

/* Would all capacities, and all that may come to be used, be amounts, had the
 * node (SIZE_MAX: a new one) this capacity? */
static int sums_fit(const ref_engine *r, size_t node, const int64_t *capacity)
{
    int64_t used[REF_KINDS], free[REF_KINDS];

    ref_engine_held(r, used);
    for (uint32_t k = 0; k < r->kinds; k++) {
        uint64_t all = (uint64_t)capacity[k], most = (uint64_t)used[k];
        if (ref_engine_pooled(r, k)) continue;
        if (node == SIZE_MAX) most += (uint64_t)capacity[k];
        for (size_t i = 0; i < r->nodes; i++) {
            if (r->node[i].gone) continue;
            ref_engine_free_on(r, i, free);
            if (i == node)
                free[k] += capacity[k] - r->node[i].capacity[k];
            else
                all += (uint64_t)r->node[i].capacity[k];
            most += (uint64_t)skedi_i64_max(free[k], 0);
        }
        if (all > (uint64_t)SKED_AMOUNT_MAX ||
            most > (uint64_t)SKED_AMOUNT_MAX) {
            return 0;
        }
    }
    return 1;
}

/* Is anything there of a kind that is not (or, with 0, that is) a pool? */
static int has_others(const ref_engine *r, const int64_t *amounts, int pool)
{
    for (uint32_t k = 0; k < r->kinds; k++) {
        if (amounts[k] && ref_engine_pooled(r, k) != pool) return 1;
    }
    return 0;
}

sked_status ref_engine_pool(ref_engine *r, const sked_events *batch,
                            const sked_event *event)
{
    sked_status rc;
    const int64_t *amounts = ref_engine_amounts(r, batch, event, &rc);
    uint32_t p = event->partition;
    int64_t used[REF_KINDS];

    if (!amounts) return rc;
    if (has_others(r, amounts, 1) || p >= SKED_MAX_PARTITIONS) {
        return SKED_ERR_RANGE;
    }
    ref_engine_usage(r, 0, SKED_ANY_PARTITION, used);
    for (uint32_t k = 0; k < r->kinds; k++) {
        uint64_t all = (uint64_t)amounts[k] + (uint64_t)used[k];
        for (uint32_t i = 0; i < REF_PARTS; i++) {
            if (i != p) all += (uint64_t)r->pool[i][k];
        }
        if (all > (uint64_t)SKED_AMOUNT_MAX) return SKED_ERR_RANGE;
    }
    ref_engine_name_partition(r, p);
    for (uint32_t k = 0; k < r->kinds; k++) r->pool[p][k] = amounts[k];
    r->shares[p].changed = 1;
    return SKED_OK;
}

sked_status ref_engine_node_event(ref_engine *r, const sked_events *batch,
                                  const sked_event *event)
{
    size_t at = ref_engine_node(r, event->key);
    int up = event->kind == SKED_EVENT_NODE_UP;
    sked_status rc;
    const int64_t *amounts;

    if (!up && at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    if (event->kind == SKED_EVENT_NODE_DRAIN) {
        r->node[at].drains = 1;
        return SKED_OK;
    }
    if (event->kind == SKED_EVENT_NODE_RESUME) {
        r->node[at].drains = 0;
        if (r->node[at].until == SKED_UNSET) r->node[at].barred = 0;
        return SKED_OK;
    }
    amounts = ref_engine_amounts(r, batch, event, &rc);
    if (!amounts) return rc;
    if (has_others(r, amounts, 0)) return SKED_ERR_RANGE;
    if (up) {
        if (!event->key) return SKED_ERR_ARG;
        if (event->partition >= SKED_MAX_PARTITIONS) return SKED_ERR_RANGE;
        if (at != SIZE_MAX) return SKED_ERR_EXISTS;
        if (!sums_fit(r, SIZE_MAX, amounts)) return SKED_ERR_RANGE;
        rc = ref_engine_check_attributes(batch, event);
        if (rc != SKED_OK) return rc;
        ref_engine_name_partition(r, event->partition);
        ref_node *node = MORE(r, node, nodes);
        node->key = event->key;
        node->rack = event->owner;
        node->partition = event->partition;
        node->until = SKED_UNSET;
        at = r->nodes - 1;
        (void)ref_engine_attributes(r, batch, event);
    }
    if (!up &&
        (!sums_fit(r, at, amounts) || !ref_engine_may_grow(r, at, amounts))) {
        return SKED_ERR_RANGE;
    }
    r->shares[r->node[at].partition].changed = 1;
    for (uint32_t k = 0; k < r->kinds; k++) {
        r->node[at].capacity[k] = ref_engine_pooled(r, k) ? SKED_AMOUNT_MAX
                                                          : amounts[k];
    }
    ref_engine_grow(r, at);
    r->node[at].changes++;
    if (r->node[at].until == SKED_UNSET) r->node[at].barred = 0;
    ref_engine_see_node(r, at);
    return SKED_OK;
}

sked_status ref_engine_node_move(ref_engine *r, const sked_event *event)
{
    size_t at = ref_engine_node(r, event->key);

    if (at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    if (event->partition >= SKED_MAX_PARTITIONS) return SKED_ERR_RANGE;
    if (r->node[at].partition == event->partition) return SKED_OK;
    ref_engine_name_partition(r, event->partition);
    r->shares[r->node[at].partition].changed = 1;
    r->shares[event->partition].changed = 1;
    r->node[at].partition = event->partition;
    r->node[at].changes++;
    ref_engine_see_node(r, at);
    return SKED_OK;
}

sked_status ref_engine_node_down(ref_engine *r, const sked_event *event)
{
    size_t at = ref_engine_node(r, event->key);

    if (at == SIZE_MAX) return SKED_ERR_NOT_FOUND;
    for (size_t i = r->groups; i-- > 0;) {
        const ref_group *g = &r->group[i];
        if (g->state == REF_OVER || g->node != at) continue;
        const ref_job *job = &r->job[r->ask[g->ask].job];
        (void)ref_engine_decide(
            r, (sked_decision){.kind = SKED_DECISION_LOST,
                               .reason = SKED_REASON_NODE_LOST,
                               .job = job->key,
                               .ask = r->ask[g->ask].key,
                               .node = event->key,
                               .group = g->name,
                               .task = g->task,
                               .count = g->count,
                               .queue = job->queue,
                               .kind_at = -1,
                               .partition = r->node[at].partition});
        ref_engine_end(r, i, g->count, 1, 1);
    }
    for (size_t i = 0; i < r->remains; i++) {
        if (r->remain[i].node == at) r->remain[i].count = 0;
    }
    if (r->resume == at) r->resume = SIZE_MAX;
    r->node[at].gone = 1;
    r->shares[r->node[at].partition].changed = 1;
    return SKED_OK;
}
