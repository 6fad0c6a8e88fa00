/*
 * The sum over the groups of a job is no column: no task holds less than
 * nothing or asks for more than any task ever did, which in nearly all jobs says
 * that the sum is far from the largest amount.
 */
#include "engine/core/totals.h"

#include "base/fail.h"
#include "engine/alloc.h"

/* What tasks of a group hold, or want when they are open again. */
static int64_t group_counts(const sked_engine *e, const engine_group *g,
                            uint32_t k)
{
    const engine_ask *a = ask_at(e, g->ask);
    int64_t asked = engine_row_of(e, &e->shape_task, a->shape)[k];
    int64_t held = skedi_group_task(e, g)[k];
    int64_t again = a->closed ? 0 : asked * g->count;

    return skedi_i64_max(held * skedi_group_times(g, g->count), again);
}

/* Adds what all groups of a job count to a sum, but for those that change. */
static int64_t add_groups(const sked_engine *e, const engine_more *more,
                          uint32_t k, int64_t sum)
{
    for (uint32_t a = job_at(e, more->job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            if (g == more->group) continue;
            sum = skedi_amount_add(sum, group_counts(e, group_at(e, g), k));
        }
    }
    return sum;
}

/* No less than the groups of a job count, worked out at once. */
static int64_t add_bound(const sked_engine *e, uint32_t job, uint32_t k,
                         int64_t sum)
{
    int64_t again;

    if (!skedi_i64_mul(e->most_asked, job_at(e, job)->running, &again)) {
        return SKED_UNLIMITED;
    }
    sum = skedi_amount_add(sum, engine_row_of(e, &e->job_used, job)[k]);
    return skedi_amount_add(sum, again);
}

/* Does a kind of what comes stay an amount with all that there is? */
static int kind_is_amount(const sked_engine *e, const engine_more *more,
                          uint32_t k)
{
    int64_t wanted, held = 0;
    int64_t sum = engine_row_of(e, &e->job_open, more->job)[k] -
                  more->asked[k] * more->taken;

    if (!skedi_i64_mul(more->asked[k], more->tasks, &wanted)) return 0;
    if (more->held && !skedi_i64_mul(more->held[k], more->times, &held)) {
        return 0;
    }
    sum = skedi_amount_add(sum, skedi_i64_max(wanted, held));
    return add_bound(e, more->job, k, sum) != SKED_UNLIMITED ||
           add_groups(e, more, k, sum) != SKED_UNLIMITED;
}

/* Is every sum below 2^62 at a glance, since no task has an amount of more than 40
 * bits, and there are not 2^20 of them? Saves 1 % of `bench sim.swf`. */
static int is_small(const sked_engine *e, const engine_more *more)
{
    const int64_t *open = engine_row_of(e, &e->job_open, more->job);
    const int64_t *used = engine_row_of(e, &e->job_used, more->job);
    int64_t amounts = e->most_asked, sums = 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        amounts |= more->asked[k];
        sums |= open[k] | used[k];
    }
    return !more->held && amounts >> 40 == 0 && sums >> 59 == 0 &&
           (more->tasks | job_at(e, more->job)->running) >> 20 == 0;
}

int skedi_more_is_amount(const sked_engine *e, const engine_more *more,
                         sked_error *err)
{
    const int64_t *task = more->held ? more->held : more->asked;
    uint32_t k = 0;

    if (is_small(e, more)) return 1;
    while (k < e->kinds && kind_is_amount(e, more, k)) k++;
    if (k == e->kinds) return 1;
    (void)skedi_fail(err, SKED_ERR_RANGE, "tasks are out of range together",
                     (skedi_fault){.got = task[k],
                                   .limit = SKED_AMOUNT_MAX,
                                   .kind = (int32_t)k + 1});
    return 0;
}

int skedi_total_is_amount(const sked_engine *e, uint32_t job,
                          const int64_t *task, int64_t tasks, sked_error *err)
{
    const engine_more more = {
        .asked = task, .tasks = tasks, .job = job, .group = SKEDI_NONE};

    return skedi_more_is_amount(e, &more, err);
}

void skedi_total_see(sked_engine *e, const int64_t *task)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        e->most_asked = skedi_i64_max(e->most_asked, task[k]);
    }
}
