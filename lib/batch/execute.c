/*
 * Running a plan in virtual time: at each moment tasks start in order while
 * there are slots, then the clock goes on to the next end. What runs is kept
 * sorted, the next to end last, so that a start costs a few moves. With
 * overtaking, what waits is a list by position, from which starts are taken
 * out.
 */
#include "batch/state.h"

int skedi_batch_bench_take(skedi_batch *b, skedi_batch_bench *bench)
{
    bench->end = skedi_batch_take(b, b->n, sizeof *bench->end);
    bench->taken = skedi_batch_take(b, b->n, sizeof *bench->taken);
    bench->next = skedi_batch_take(b, (size_t)b->n + 1, sizeof *bench->next);
    skedi_batch_bench_clear(b, bench);
    return bench->end && bench->taken && bench->next;
}

void skedi_batch_bench_clear(const skedi_batch *b, skedi_batch_bench *bench)
{
    bench->running = 0;
    bench->free = b->slots;
    bench->now = 0;
}

static void start_one(skedi_batch_bench *bench, const skedi_batch_plan *plan,
                      uint32_t j, int64_t *end)
{
    int64_t at = bench->now + plan->time[j];

    batch_begin(bench, at, plan->width[j]);
    if (end) end[j] = at;
}

/* No later task starts before an earlier one. */
static void run_strictly(skedi_batch_bench *bench, const skedi_batch_plan *plan,
                         const uint32_t *order, uint32_t n, int64_t *end)
{
    for (uint32_t i = 0; i < n; i++) {
        while (plan->width[order[i]] > bench->free) batch_advance(bench);
        start_one(bench, plan, order[i], end);
    }
}

/* Any task that fits starts; position i of the order is entry i + 1. */
static void run_overtaking(skedi_batch_bench *bench,
                           const skedi_batch_plan *plan, const uint32_t *order,
                           uint32_t n, int64_t *end)
{
    uint32_t *next = bench->next;

    for (uint32_t i = 0; i < n; i++) next[i] = i + 1;
    next[n] = 0;
    while (next[0]) {
        uint32_t before = 0;
        for (uint32_t i = next[0]; i && bench->free; i = next[i]) {
            uint32_t j = order[i - 1];
            if (plan->width[j] > bench->free) {
                before = i;
                continue;
            }
            start_one(bench, plan, j, end);
            next[before] = next[i];
        }
        if (next[0]) batch_advance(bench);
    }
}

int64_t skedi_batch_execute(skedi_batch_bench *bench,
                            const skedi_batch_plan *plan, const uint32_t *order,
                            uint32_t n, int64_t *end)
{
    if (plan->overtake) {
        run_overtaking(bench, plan, order, n, end);
    } else {
        run_strictly(bench, plan, order, n, end);
    }
    return bench->end[0]; /* the last to end */
}

int64_t skedi_batch_makespan(const skedi_batch *b, skedi_batch_bench *bench,
                             const skedi_batch_plan *plan, int64_t *end)
{
    skedi_batch_bench_clear(b, bench);
    return skedi_batch_execute(bench, plan, plan->order, b->n, end);
}

int skedi_batch_widen_longest(const skedi_batch *b, const uint32_t *begun,
                              uint32_t n, uint32_t *mark, uint32_t *free)
{
    uint32_t longest = SKEDI_BATCH_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = begun[i], at = mark[j];
        if (at + 1 == b->first[j + 1]) continue;
        if (b->width[at + 1] - b->width[at] > *free) continue;
        if (longest == SKEDI_BATCH_NONE ||
            b->time[at] > b->time[mark[longest]]) {
            longest = j;
        }
    }
    if (longest == SKEDI_BATCH_NONE) return 0;
    uint32_t at = mark[longest]++;
    *free -= b->width[at + 1] - b->width[at];
    return 1;
}
