/*
 * What leaves have started by their turn since the last round sets the pace at
 * which others end for them: so much is likely to start until the next one too,
 * without any victim. So as many steps of a leaf that have just become due wait
 * for one round more, once, where nothing says when they are to be served:
 * beyond the guarantee of their leaf, and where the policy claims at once,
 * without any clock. By entitlement within the guarantee they wait only where
 * so much would do for all of them.
 */
#include "engine/preempt/started.h"

#include <string.h>

#include "engine/core/groups.h"
#include "round/state.h"
#include "target/handle.h"

/* Where the sums of a leaf in a partition stand: partitions follow each other, so
 * that one more comes behind them. */
static size_t sums_at(const sked_engine *e, uint32_t row, uint32_t partition)
{
    return ((size_t)partition * e->rows.n + row) * e->kinds;
}

/* Of sums by partition and leaf those of the leaf of an ask where a node is. */
static int64_t *sums_of(const sked_engine *e, int64_t *sums, uint32_t ask,
                        uint32_t node)
{
    uint32_t row = job_at(e, ask_at(e, ask)->job)->row;

    return sums + sums_at(e, row, node_at(e, node)->partition);
}

/* Nothing is counted before the first round, or after a commit before the next;
 * nor in partitions that had no nodes, nor had those above them, in the last
 * one. */
static int is_counted(const sked_engine *e, uint32_t node)
{
    return sums_at(e, 0, node_at(e, node)->partition) < e->preempt->started.n;
}

void skedi_started_note(sked_engine *e, uint32_t ask, uint32_t node,
                        int64_t count)
{
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, ask)->shape);

    if (!is_counted(e, node)) return;
    int64_t *sum = sums_of(e, e->preempt->started.item, ask, node);
    for (uint32_t k = 0; k < e->kinds; k++) {
        sum[k] = skedi_amount_add(sum[k], task[k] * count);
    }
}

int skedi_started_ready(sked_engine *e)
{
    round_list *started = &e->preempt->started;
    size_t had = started->n, n = 0;

    for (uint32_t p = 0; p < e->parts; p++) {
        if (e->partition[p].nodes > 0) n = sums_at(e, 0, p + 1);
    }
    if (n <= had) return 1;
    if (!skedi_ensure(&e->hooks.mem, &started->item, &started->cap, n,
                      sizeof(int64_t))) {
        return 0;
    }
    started->n = n;
    memset((int64_t *)started->item + had, 0, (n - had) * sizeof(int64_t));
    return 1;
}

uint64_t skedi_started_digest(const sked_engine *e)
{
    const int64_t *item = e->preempt->started.item;
    uint64_t sum = 0;

    for (size_t i = 0; i < e->preempt->started.n; i++) {
        size_t leaf = i / e->kinds;
        skedi_hash hash;
        if (!item[i]) continue;
        skedi_hash_start(&hash, 17);
        skedi_hash_u64(&hash, e->rows.id[leaf % e->rows.n]);
        skedi_hash_u32(&hash, (uint32_t)(leaf / e->rows.n));
        skedi_hash_u32(&hash, (uint32_t)(i % e->kinds));
        skedi_hash_u64(&hash, (uint64_t)item[i]);
        sum += skedi_hash_end(&hash);
    }
    return sum;
}

void skedi_started_restart(sked_engine *e)
{
    round_list *started = &e->preempt->started;

    if (started->n > 0) memset(started->item, 0, started->n * sizeof(int64_t));
    e->preempt->last_round = e->now;
}

/* ---- Who waits ---- */

enum round_wait skedi_started_waits(const round_part *part,
                                    const plan_want *want)
{
    const sked_engine *e = part->e;
    uint32_t policy = (uint32_t)(part->by - part->policy);
    const int64_t *held = part->held + (size_t)want->leaf * e->kinds;
    const int64_t *force = cell_row(e, e->cell_force,
                                    cell_of(e, want->leaf, part->partition));
    int beyond = 0;

    if (want->rule != PLAN_CLAIM) return ROUND_WAIT_NOT;
    for (uint32_t k = 0; k < e->kinds; k++) {
        beyond |= want->step[k] > 0 && held[k] + want->step[k] > force[k];
    }
    switch (e->preempt->target[policy]->options.mode) {
    case SKED_TARGET_MODE_IMBALANCE: return ROUND_WAIT_PART;
    case SKED_TARGET_MODE_ENTITLEMENT:
        return beyond ? ROUND_WAIT_PART : ROUND_WAIT_WHOLE;
    default: return ROUND_WAIT_NOT;
    }
}

/* Did the notices of all its victims run out by the last round? */
static int is_overdue(const sked_engine *e, const round_placement *placement)
{
    const skedi_round_list *list = &e->preempt->round->list;
    const round_victim *v = e->preempt->victims.item;

    for (uint32_t i = 0; i < placement->victims; i++) {
        uint64_t name = skedi_group_name(e, v[placement->first + i].group);
        size_t at = skedi_round_find(list, name);
        if (at == list->n || list->item[at].seen.key != name) return 0;
        if (list->item[at].seen.deadline > e->preempt->last_round) return 0;
    }
    return 1;
}

/* Has it become due since the last round, on one node? */
static int is_newly_due(const sked_engine *e, const round_placement *placement)
{
    return placement->due && placement->victims && !placement->made &&
           placement->span == 1 && !is_overdue(e, placement);
}

static int64_t *sums_for(const sked_engine *e, int64_t *sums,
                         const round_placement *placement)
{
    return sums_of(e, sums, placement->ask, placement->node);
}

static void add_step(const sked_engine *e, int64_t *sum,
                     const round_placement *placement, int64_t by)
{
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, placement->ask)->shape);

    for (uint32_t k = 0; k < e->kinds; k++) {
        sum[k] += by * task[k] * placement->count;
    }
}

static int is_no_more(const sked_engine *e, const int64_t *need,
                      const int64_t *left)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (need[k] > left[k]) return 0;
    }
    return 1;
}

/* Of the steps that wait one by one (ROUND_WAIT_PART) the last ones wait, as
 * far as what they hold is no more than their leaf has started. */
static void hold_parts(sked_engine *e, int64_t *left)
{
    round_placement *all = e->preempt->placements.item;

    for (size_t i = e->preempt->placements.n; i-- > 0;) {
        round_placement *placement = &all[i];
        int64_t step[SKED_MAX_KINDS] = {0};
        if (placement->waits != ROUND_WAIT_PART ||
            !is_newly_due(e, placement)) {
            continue;
        }
        int64_t *sum = sums_for(e, left, placement);
        add_step(e, step, placement, 1);
        if (!is_no_more(e, step, sum)) continue;
        add_step(e, sum, placement, -1);
        placement->due = 0;
    }
}

/* The others (ROUND_WAIT_WHOLE) of a leaf wait, all or none: where all its
 * steps that are newly due hold no more than is left of what it has started. */
static void hold_wholes(sked_engine *e, const int64_t *left, int64_t *need)
{
    round_placement *all = e->preempt->placements.item;
    size_t n = e->preempt->placements.n;

    memset(need, 0, e->preempt->started.n * sizeof *need);
    for (size_t i = 0; i < n; i++) {
        if (is_newly_due(e, &all[i])) {
            add_step(e, sums_for(e, need, &all[i]), &all[i], 1);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const int64_t *all_due = sums_for(e, need, &all[i]);
        if (all[i].waits != ROUND_WAIT_WHOLE || !is_newly_due(e, &all[i]))
            continue;
        if (is_no_more(e, all_due, left + (all_due - need))) all[i].due = 0;
    }
}

int skedi_started_hold(sked_engine *e)
{
    const struct engine_preempt *own = e->preempt;
    size_t n = own->started.n;

    if (own->lazy || own->watches || own->untold) return 1;
    int64_t *left = skedi_round_reserve(e, 2 * n, sizeof *left);
    if (!left) return 0;
    if (n > 0) memcpy(left, own->started.item, n * sizeof *left);
    hold_parts(e, left);
    hold_wholes(e, left, left + n);
    return 1;
}
