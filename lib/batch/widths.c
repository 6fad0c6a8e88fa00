/*
 * Useful widths: those at which a task is faster than with any smaller one.
 * With the model only the smallest width of each number of waves can be
 * useful, which leaves O(sqrt(blocks)) of them to look at.
 */
#include "base/fail.h"
#include "base/sort.h"
#include "batch/state.h"

/* The next width that could be faster than `width`; 0: none. */
static uint32_t next_width(const skedi_batch *b, uint32_t j, uint32_t width)
{
    if (b->in.table) return width < b->slots ? width + 1 : 0;
    uint64_t waves = (b->blocks[j] - 1) / width + 1;
    if (waves == 1) return 0;
    uint64_t next = (b->blocks[j] - 1) / (waves - 1) + 1;
    return next <= b->slots ? (uint32_t)next : 0;
}

/* How many useful widths a task has; they are written where there is memory. */
static uint32_t useful_widths(const skedi_batch *b, uint32_t j, uint32_t *width,
                              int64_t *time)
{
    int64_t least = INT64_MAX;
    int64_t factor = b->real ? b->real[j] : SKED_PPM;
    uint32_t n = 0;

    for (uint32_t k = 1; k; k = next_width(b, j, k)) {
        int64_t ticks = skedi_batch_ticks(b, j, k, factor);
        if (ticks >= least) continue;
        least = ticks;
        if (width) {
            width[n] = k;
            time[n] = ticks;
        }
        n++;
    }
    return n;
}

static void fill_widths(skedi_batch *b)
{
    for (uint32_t j = 0; j < b->n; j++) {
        uint32_t at = b->first[j];
        (void)useful_widths(b, j, b->width + at, b->time + at);
        int64_t least = INT64_MAX;
        for (uint32_t k = b->first[j + 1]; k-- > at;) {
            least = skedi_i64_min(least, (int64_t)b->width[k] * b->time[k]);
            b->least[k] = least;
        }
    }
}

sked_status skedi_batch_list_widths(skedi_batch *b, sked_error *err)
{
    uint64_t all = 0;

    for (uint32_t j = 0; j < b->n; j++) {
        all += useful_widths(b, j, NULL, NULL);
        if (all > SKED_MAX_BATCH_WIDTHS) {
            return skedi_batch_row_fault(err, "more than 2^24 useful widths", j,
                                         0);
        }
        b->first[j + 1] = (uint32_t)all;
    }
    b->width = skedi_batch_take(b, (size_t)all, sizeof *b->width);
    b->time = skedi_batch_take(b, (size_t)all, sizeof *b->time);
    b->least = skedi_batch_take(b, (size_t)all, sizeof *b->least);
    if (!b->width || !b->time || !b->least) {
        return skedi_fail_memory(err);
    }
    fill_widths(b);
    return SKED_OK;
}

uint32_t skedi_batch_fewest(const skedi_batch *b, uint32_t j, uint32_t from,
                            int64_t ticks)
{
    uint32_t last = b->first[j + 1] - 1;

    while (from < last) {
        uint32_t middle = from + (last - from) / 2;
        if (b->time[middle] <= ticks) {
            last = middle;
        } else {
            from = middle + 1;
        }
    }
    return from;
}

/* ---- Sorting ---- */

static int larger_key_first(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *key = ctx;

    return (key[a] < key[b]) - (key[a] > key[b]);
}

void skedi_batch_sort(const skedi_batch *b, uint32_t *order, const int64_t *key)
{
    for (uint32_t j = 0; j < b->n; j++) order[j] = j;
    skedi_sort(order, b->scratch, b->n, larger_key_first, key);
}

void skedi_batch_step_width(const skedi_batch *b, skedi_batch_plan *plan,
                            uint32_t j, int64_t steps)
{
    int64_t first = b->first[j], last = (int64_t)b->first[j + 1] - 1;
    int64_t at = first;

    while (at < last && b->width[at + 1] <= plan->width[j]) at++;
    at = skedi_i64_min(skedi_i64_max(at + steps, first), last);
    batch_give(b, plan, j, (uint32_t)at);
}
