/*
 * Widths chosen when tasks start, against a running estimate of when all could
 * be done. The estimate is the least time by which the slots that are not
 * promised to what runs hold the work of what waits, each task taken with the
 * fewest slots that end by then. A part eta of the time until then is the
 * target: below 1 it keeps long tasks from ending last, so that one that runs
 * over does not move the end.
 *
 * While nothing runs all slots are free and the first task always fits.
 */
#include "batch/live.h"

#include "base/sort.h"

enum { FINEST = 20 }; /* the estimate: to a 2^-20 part */

/* Do the slots until `at` hold what waits? */
static int is_enough(const skedi_batch_live *live, int64_t at)
{
    const skedi_batch *b = live->b;
    int64_t left = (int64_t)b->slots * (at - live->now);

    for (uint32_t i = 0; i < live->running; i++) {
        uint32_t j = live->run[i];
        int64_t until = skedi_i64_min(live->expect[j], at);
        left -= (int64_t)live->plan.width[j] * (until - live->now);
    }
    for (uint32_t i = 0; i < live->waiting && left >= 0; i++) {
        uint32_t j = live->plan.order[i];
        uint32_t k = skedi_batch_fewest(b, j, b->first[j], at - live->now);
        left -= (int64_t)b->width[k] * b->time[k];
    }
    return left >= 0;
}

/* When all could be done. */
static int64_t earliest_end(const skedi_batch_live *live)
{
    const skedi_batch *b = live->b;
    int64_t low = live->now, latest = live->now;

    for (uint32_t i = 0; i < live->waiting; i++) {
        uint32_t j = live->plan.order[i];
        low = skedi_i64_max(low, live->now + b->time[b->first[j + 1] - 1]);
    }
    for (uint32_t i = 0; i < live->running; i++) {
        latest = skedi_i64_max(latest, live->expect[live->run[i]]);
    }
    int64_t high = skedi_i64_max(low, latest);
    while (!is_enough(live, high)) high += (high - live->now) / 4 + 1;
    while (low < high && high - low > (high - live->now) >> FINEST) {
        int64_t middle = low + (high - low) / 2;
        if (is_enough(live, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return skedi_i64_max(high, latest);
}

/* Nothing waits any more: slots that are left go to what begins. */
static void widen_last(skedi_batch_live *live, uint32_t n)
{
    const skedi_batch *b = live->b;
    int more = 1;

    while (more && live->free) {
        more = skedi_batch_widen_longest(b, live->begun, n, live->mark,
                                         &live->free);
    }
}

void skedi_batch_adapt(skedi_batch_live *live)
{
    const skedi_batch *b = live->b;
    uint32_t *order = live->plan.order, kept = 0, n = 0;
    uint64_t rem;

    if (live->waiting == 0 || live->free == 0) return;
    live_drift(live);
    int64_t target = (int64_t)skedi_muldiv(
        (uint64_t)(earliest_end(live) - live->now), (uint64_t)live->eta,
        (uint64_t)SKED_PPM, &rem);
    for (uint32_t i = 0; i < live->waiting; i++) {
        uint32_t j = order[i];
        uint32_t at = skedi_batch_fewest(b, j, b->first[j], target);
        if (b->width[at] > live->free) {
            order[kept++] = j;
            continue;
        }
        live->mark[j] = at;
        live->begun[n++] = j;
        live->free -= b->width[at];
    }
    live->waiting = kept;
    if (kept == 0) widen_last(live, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = live->begun[i];
        batch_give(b, &live->plan, j, live->mark[j]);
        live->free += live->plan.width[j]; /* taken again as it starts */
        live_start(live, j);
    }
}
