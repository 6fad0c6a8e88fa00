/*
 * What leaves have started since the last round, by their turn or in what was
 * reserved, sets the pace at which others end for them. What started since the
 * last round is likely to start until the next one too, without any victim. So
 * as many steps of a leaf that have just become due wait for one round more,
 * once, where nothing says when they are to be served: beyond the guarantee of
 * their leaf, and where the policy claims at once, without any clock.
 */
#include "engine/preempt/started.h"

#include <string.h>

#include "engine/core/groups.h"
#include "round/state.h"
#include "target/handle.h"

static int64_t *started_by(const sked_engine *e, uint32_t row,
                           uint32_t partition)
{
    int64_t *sums = e->preempt->started.item;

    return sums + cell_of(e, row, partition) * e->kinds;
}

/* Nothing is counted before the first round, or after a commit before the
 * next. */
static int is_counted(const sked_engine *e)
{
    return e->preempt->started.n > 0;
}

void skedi_started_note(sked_engine *e, uint32_t ask, uint32_t node,
                        int64_t count)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);

    if (!is_counted(e)) return;
    int64_t *sum = started_by(e, job_at(e, a->job)->row,
                              node_at(e, node)->partition);
    for (uint32_t k = 0; k < e->kinds; k++) {
        sum[k] = skedi_amount_add(sum[k], task[k] * count);
    }
}

int skedi_started_ready(sked_engine *e)
{
    round_list *started = &e->preempt->started;
    size_t n = (size_t)e->rows.n * e->parts * e->kinds;

    if (started->n == n) return 1;
    if (!skedi_ensure(&e->hooks.mem, &started->item, &started->cap, n,
                      sizeof(int64_t))) {
        return 0;
    }
    started->n = n;
    memset(started->item, 0, n * sizeof(int64_t));
    return 1;
}

void skedi_started_restart(sked_engine *e)
{
    round_list *started = &e->preempt->started;

    if (started->n > 0) memset(started->item, 0, started->n * sizeof(int64_t));
    e->preempt->last_round = e->now;
}

/* ---- Who waits ---- */

int skedi_started_waits(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    uint32_t policy = (uint32_t)(part->by - part->policy);
    const int64_t *held = part->held + (size_t)want->leaf * e->kinds;
    const int64_t *force = cell_row(e, e->cell_force,
                                    cell_of(e, want->leaf, part->partition));
    int beyond = 0;

    if (want->rule != PLAN_CLAIM) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) {
        beyond |= want->step[k] > 0 && held[k] + want->step[k] > force[k];
    }
    switch (e->preempt->target[policy]->options.mode) {
    case SKED_TARGET_MODE_IMBALANCE: return 1;
    case SKED_TARGET_MODE_ENTITLEMENT: return beyond;
    default: return 0;
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

/* Takes a step out of what its leaf has started. 0: that is less. */
static int count_step(const sked_engine *e, int64_t *sums,
                      const round_placement *placement)
{
    const engine_ask *a = ask_at(e, placement->ask);
    const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
    uint32_t partition = node_at(e, placement->node)->partition;
    int64_t *left = sums +
                    cell_of(e, job_at(e, a->job)->row, partition) * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (task[k] > 0 && task[k] * placement->count > left[k]) return 0;
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        left[k] -= task[k] * placement->count;
    }
    return 1;
}

int skedi_started_hold(sked_engine *e)
{
    const struct engine_preempt *own = e->preempt;
    round_placement *all = own->placements.item;
    size_t n = own->started.n;

    if (own->lazy || own->watches || own->untold) return 1;
    int64_t *left = skedi_round_reserve(e, n, sizeof *left);
    if (!left) return 0;
    memcpy(left, own->started.item, n * sizeof *left);
    for (size_t i = own->placements.n; i-- > 0;) {
        round_placement *placement = &all[i];
        if (!placement->due || !placement->victims || !placement->waits ||
            placement->made || placement->span != 1) {
            continue;
        }
        if (!is_overdue(e, placement) && count_step(e, left, placement)) {
            placement->due = 0;
        }
    }
    return 1;
}
