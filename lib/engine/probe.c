/* Looks at an engine for those that may not see its structs. */

#include "engine/alloc.h"
#include "engine/gang_fit.h"
#include "engine/preempt.h"
#include "engine/probe.h"
#include "engine/queue.h"
#include "engine/reservation.h"

int skedi_probe_has_decided(const sked_engine *e)
{
    return e->out_next > e->out_from;
}

const sked_engine_stats *skedi_probe_stats(const sked_engine *e)
{
    return &e->stats;
}

/* ---- Nodes ---- */

/* Where a node is, or SKEDI_NONE. Keys from 1 on in the order in which nodes
 * came are their places, while none was taken away. */
static uint32_t probe_place_of(const sked_engine *e, uint64_t node)
{
    uint32_t at = (uint32_t)(node - 1);

    if (node - 1 < e->nodes.n && node_at(e, at)->key == node &&
        node_at(e, at)->state != NODE_FREE_SLOT) {
        return at;
    }
    return skedi_keymap_get(&e->node_of, node);
}

int skedi_probe_looks_again(const sked_engine *e, uint64_t node)
{
    uint32_t at = probe_place_of(e, node);

    if (at == SKEDI_NONE) return 0;
    const engine_node *n = node_at(e, at);
    return n->seen != e->partition[n->partition].changes;
}

const int64_t *skedi_probe_free(const sked_engine *e, uint64_t node,
                                int64_t *sum)
{
    uint32_t at = probe_place_of(e, node);

    if (at == SKEDI_NONE) return NULL;
    const int64_t *free = engine_row_of(e, &e->node_free, at);
    if (node_at(e, at)->first_reservation == SKEDI_NONE) return free;
    for (uint32_t k = 0; k < e->kinds; k++) {
        sum[k] = free[k] + skedi_reservation_of(e, at, k);
    }
    return sum;
}

sked_time skedi_probe_wake(const sked_engine *e, uint64_t node)
{
    uint32_t at = probe_place_of(e, node);

    return at == SKEDI_NONE ? INT64_MAX : node_at(e, at)->wake_time;
}

/* ---- Tasks ---- */

uint32_t skedi_probe_tasks(const sked_engine *e, uint64_t group)
{
    uint32_t at = skedi_group_find(e, group);

    return at == SKEDI_NONE ? 0 : group_at(e, at)->count;
}

sked_time skedi_probe_since(const sked_engine *e, uint64_t group)
{
    return group_at(e, skedi_group_find(e, group))->deadline_from;
}

/* ---- Queues ---- */

int skedi_probe_offer_of(sked_engine *e, uint32_t partition,
                         skedi_probe_offer *offer)
{
    if (partition >= e->parts) return 0;
    skedi_partition_refresh(e, partition);
    skedi_fits_refresh(e);
    const engine_partition *part = &e->partition[partition];
    offer->classes = skedi_cell_offer(e, cell_of(e, 0, partition), 0);
    offer->changes = part->changes;
    offer->least = e->least + (size_t)partition * 64 * e->kinds;
    return offer->classes != 0;
}

void skedi_probe_refresh(sked_engine *e, uint32_t partition)
{
    skedi_partition_refresh(e, partition);
}

/* A kind that a step does not want bounds nothing. */
static int probe_bound_holds(const sked_engine *e, const int64_t *bound,
                             const int64_t *step)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] > 0 && step[k] > bound[k]) return 0;
    }
    return 1;
}

int skedi_probe_limits_hold(const sked_engine *e, uint32_t row,
                            uint32_t partition, const int64_t *step)
{
    for (;; row = (uint32_t)e->rows.parent[row]) {
        size_t cell = cell_of(e, row, partition);
        const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;
        if (!probe_bound_holds(e, ceiling, step) ||
            !probe_bound_holds(e, cell_row(e, e->cell_limit, cell), step)) {
            return 0;
        }
        if (row == 0) return 1;
    }
}

int skedi_probe_usage(const sked_engine *e, uint32_t row, uint32_t partition,
                      const int64_t **used, const int64_t **guaranteed)
{
    if (partition >= e->parts) return 0;
    *used = cell_row(e, e->cell_used, cell_of(e, row, partition));
    *guaranteed = cell_row(e, e->cell_promised, cell_of(e, row, partition));
    return 1;
}

sked_time skedi_probe_rates_until(const sked_engine *e)
{
    return e->rate_due;
}

/* ---- Gangs that form ---- */

/* `at`, or what was found before where that is sooner, if it is later than
 * `after`. */
static sked_time probe_sooner(sked_time at, sked_time after, sked_time found)
{
    return at > after && at < found ? at : found;
}

sked_time skedi_probe_forms_until(const sked_engine *e, sked_time after)
{
    int64_t most = e->opts.form_for_ns;
    sked_time found = INT64_MAX;

    for (uint32_t p = 0; most > 0 && p < e->forms.cap; p++) {
        const engine_forming *f = &e->forms.gang[p];
        int forms = f->arrival != 0 && f->since <= INT64_MAX - most;
        if (forms) found = probe_sooner(f->since + most, after, found);
        if (f->resting != 0) found = probe_sooner(f->rests, after, found);
    }
    return found;
}

/* ---- Preemption ---- */

int skedi_probe_round_is_due(const sked_engine *e)
{
    return skedi_round_is_due(e);
}

int skedi_probe_reserved(const sked_engine *e, uint32_t *at, uint64_t *node)
{
    uint32_t next = *at ? reservation_at(e, *at - 1)->later
                        : e->first_reservation;

    if (next == SKEDI_NONE) return 0;
    *node = node_at(e, reservation_at(e, next)->node)->key;
    *at = next + 1;
    return 1;
}

int skedi_probe_is_reserved(const sked_engine *e, uint64_t node)
{
    uint32_t at = probe_place_of(e, node);

    return at != SKEDI_NONE && node_at(e, at)->first_reservation != SKEDI_NONE;
}

sked_time skedi_probe_reserved_until(const sked_engine *e)
{
    if (e->first_reservation == SKEDI_NONE) return INT64_MAX;
    return reservation_at(e, e->first_reservation)->until;
}
