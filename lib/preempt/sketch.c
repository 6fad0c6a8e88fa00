/* The draft of a plan, and how it is written down for the caller. */
#include "preempt/sketch.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_preempt_result, bound);
SKEDI_NO_TAIL_PADDING(sked_preempt_victim, cost);
SKEDI_NO_TAIL_PADDING(sked_preempt_placement, claim);

int skedi_sketch_choose(skedi_sketch *d, skedi_chosen chosen)
{
    skedi_chosen *last = d->n ? &d->list[d->n - 1] : NULL;

    if (last && last->lot == chosen.lot && last->request == chosen.request &&
        last->rule == chosen.rule) {
        last->copies += chosen.copies;
        return 1;
    }
    if (!skedi_ensure(&d->scene->hooks.mem, (void **)&d->list, &d->cap,
                      d->n + 1, sizeof *d->list)) {
        return 0;
    }
    d->list[d->n++] = chosen;
    return 1;
}

int skedi_sketch_place(skedi_sketch *d, sked_preempt_placement placement)
{
    sked_preempt_placement *last = d->n_placements
                                       ? &d->placements[d->n_placements - 1]
                                       : NULL;

    if (last && last->request == placement.request &&
        last->node == placement.node && last->claim == placement.claim) {
        last->count += placement.count;
        return 1;
    }
    if (!skedi_ensure(&d->scene->hooks.mem, (void **)&d->placements,
                      &d->placements_cap, d->n_placements + 1,
                      sizeof *d->placements)) {
        return 0;
    }
    d->placements[d->n_placements++] = placement;
    return 1;
}

sked_status skedi_plan_failed(sked_status rc, sked_error *err)
{
    return skedi_fail_stopped(err, rc);
}

/* Rows that a lot is written as. */
static uint32_t lot_width(const skedi_lot *lot)
{
    return lot->rows ? lot->rows : 1;
}

static void count_rows(const skedi_sketch *d, sked_preempt_result *plan)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < d->n; i++) {
        if (d->list[i].copies == 0) continue;
        rows += lot_width(&d->scene->lots[d->list[i].lot]);
    }
    plan->n_victims = (uint32_t)rows;
    plan->n_placements = (uint32_t)d->n_placements;
}

/* One row of a lot; a gang has a single copy. */
static void write_victim(const skedi_sketch *d, const skedi_chosen *c,
                         uint32_t row, sked_preempt_victim *v)
{
    const sked_preempt_input *in = &d->scene->in;
    const skedi_lot *lot = &d->scene->lots[c->lot];
    uint32_t count = lot->rows ? skedi_row_count(in, row) : c->copies;

    *v = (sked_preempt_victim){.row = row,
                               .count = count,
                               .request = c->request,
                               .reason = c->rule,
                               .cost = skedi_row_cost(in, row) * count};
}

static void write_victims(const skedi_sketch *d, sked_preempt_result *plan)
{
    uint32_t n = 0;

    for (size_t i = 0; i < d->n; i++) {
        const skedi_chosen *c = &d->list[i];
        const skedi_lot *lot = &d->scene->lots[c->lot];
        for (uint32_t r = 0; c->copies > 0 && r < lot_width(lot); r++) {
            sked_preempt_victim *v = &plan->victims[n++];
            write_victim(d, c, skedi_lot_row(d->scene, lot, r), v);
            plan->tasks += v->count;
            plan->cost += v->cost;
        }
    }
}

/* Usage when the victims have gone and the placements are taken. */
static void write_after(const skedi_sketch *d, sked_preempt_result *plan)
{
    const sked_preempt_input *in = &d->scene->in;

    memcpy(plan->after, in->usage,
           (size_t)in->n_queues * in->kinds * sizeof *plan->after);
    for (size_t i = 0; i < d->n; i++) {
        const skedi_lot *lot = &d->scene->lots[d->list[i].lot];
        int64_t *after = plan->after + (size_t)lot->queue * in->kinds;
        for (uint32_t k = 0; k < in->kinds; k++) {
            after[k] = skedi_amount_sub(after[k],
                                        lot->amount[k] * d->list[i].copies);
        }
    }
    for (size_t i = 0; i < d->n_placements; i++) {
        uint32_t r = d->placements[i].request;
        int64_t *after = plan->after + (size_t)in->request_queue[r] * in->kinds;
        for (uint32_t k = 0; k < in->kinds; k++) {
            int64_t one = in->request_amount[(size_t)r * in->kinds + k];
            after[k] = skedi_amount_add(after[k], one * d->placements[i].count);
        }
    }
}

/* By need, what counts for it; by request, all that victims hold. */
static void write_covered(const skedi_sketch *d, sked_preempt_result *plan)
{
    const sked_preempt_input *in = &d->scene->in;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t sum = 0;
        for (size_t i = 0; in->n_requests && i < d->n; i++) {
            const skedi_lot *lot = &d->scene->lots[d->list[i].lot];
            sum = skedi_amount_add(sum, lot->amount[k] * d->list[i].copies);
        }
        for (size_t q = 0; !in->n_requests && q < in->n_queues; q++) {
            size_t at = q * in->kinds + k;
            sum = skedi_amount_add(
                sum, skedi_i64_min(d->book.taken[at], skedi_take_of(in, at)));
        }
        plan->covered[k] = in->n_requests ? sum
                                          : skedi_i64_min(sum, in->need[k]);
    }
}

sked_status skedi_sketch_write(skedi_sketch *d, sked_preempt_result *plan,
                               sked_error *err)
{
    count_rows(d, plan);
    if (plan->n_victims > plan->victims_cap ||
        plan->n_placements > plan->placements_cap) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "the plan has more rows");
    }
    plan->tasks = plan->served = 0;
    plan->cost = 0;
    write_victims(d, plan);
    for (size_t i = 0; i < d->n_placements; i++) {
        plan->placements[i] = d->placements[i];
        plan->served += d->placements[i].count;
    }
    if (plan->after) write_after(d, plan);
    if (plan->covered) write_covered(d, plan);
    plan->outcome = d->outcome;
    plan->steps = d->cover.steps;
    plan->bound = d->bound;
    return SKED_OK;
}
