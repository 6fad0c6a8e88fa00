/*
 * Useful widths of tasks, and lower bounds of the makespan.
 *
 * A width is useful if a task is faster with it than with any smaller one. The
 * dual bound is the least time in which every task can end and the least work
 * fits into all slots.
 */

#include "base/fail.h"
#include "base/sort.h"
#include "batch/state.h"

/*
 * Finds the useful widths. A width is useful if the task is faster than with
 * any smaller width. In the model, only the smallest width of each number of
 * waves can be useful, so only O(sqrt(blocks)) widths are examined.
 */

/* The next width that may be faster than `width`; 0: none. */
static uint32_t batch_next_width(const skedi_batch *b, uint32_t j,
                                 uint32_t width)
{
    if (b->in.table) return width < b->slots ? width + 1 : 0;
    uint64_t waves = (b->blocks[j] - 1) / width + 1;
    if (waves == 1) return 0;
    uint64_t next = (b->blocks[j] - 1) / (waves - 1) + 1;
    return next <= b->slots ? (uint32_t)next : 0;
}

/* Counts the useful widths of a task; writes the widths if `width` has
 * memory. */
static uint32_t batch_useful_widths(const skedi_batch *b, uint32_t j,
                                    uint32_t *width, int64_t *time)
{
    int64_t least = INT64_MAX;
    int64_t factor = b->real ? b->real[j] : SKED_PPM;
    uint32_t n = 0;

    for (uint32_t k = 1; k; k = batch_next_width(b, j, k)) {
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

static void batch_fill_widths(skedi_batch *b)
{
    for (uint32_t j = 0; j < b->n; j++) {
        uint32_t at = b->first[j];
        (void)batch_useful_widths(b, j, b->width + at, b->time + at);
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
        all += batch_useful_widths(b, j, NULL, NULL);
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
    batch_fill_widths(b);
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

static int batch_larger_key_first(const void *ctx, uint32_t a, uint32_t b)
{
    const int64_t *key = ctx;

    return (key[a] < key[b]) - (key[a] > key[b]);
}

void skedi_batch_sort(const skedi_batch *b, uint32_t *order, const int64_t *key)
{
    for (uint32_t j = 0; j < b->n; j++) order[j] = j;
    skedi_sort(order, b->scratch, b->n, batch_larger_key_first, key);
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

/*
 * Lower bounds. The dual bound is the least time L with two properties: every
 * task can end within L, and the least work for that fits into slots * L. The
 * test is monotone in L, so a bisection over whole ticks finds the bound.
 * Between two whole ticks the work is constant, which gives the exact fraction.
 *
 * A dual feasible function f keeps the sum of every stack on a slot at most 1.
 * Every schedule of length L therefore satisfies: sum over tasks of min width *
 * f(time / L) <= slots. Any mixture of dual feasible functions is dual
 * feasible. If the inequality fails for L, every schedule is longer than L.
 */

enum {
    MIXTURE = 5,       /* in fifths */
    SCALE = 6,         /* of values: u_1, u_2 and u_3 are whole */
    FUNCTIONS = 4,     /* identity, u_1, u_2, u_3 */
    FINEST_SHIFT = 12, /* steps down to a 4096th of the bound */
    COARSEST = 50
};

/* The least work with which every task ends within `ticks`; `ticks` is at least
 * the longest of the shortest times. */
static int64_t batch_work_within(const skedi_batch *b, int64_t ticks)
{
    int64_t sum = 0;

    for (uint32_t j = 0; j < b->n; j++) {
        sum += b->least[skedi_batch_fewest(b, j, b->first[j], ticks)];
    }
    return sum;
}

static int64_t batch_longest_path(const skedi_batch *b)
{
    int64_t path = 0;

    for (uint32_t j = 0; j < b->n; j++) {
        path = skedi_i64_max(path, b->time[b->first[j + 1] - 1]);
    }
    return path;
}

static int64_t batch_ceil_over_slots(const skedi_batch *b, int64_t work)
{
    return (work + (int64_t)b->slots - 1) / (int64_t)b->slots;
}

int64_t skedi_batch_dual(const skedi_batch *b)
{
    int64_t low = batch_longest_path(b);
    int64_t high = skedi_i64_max(
        low, batch_ceil_over_slots(b, batch_work_within(b, low)));

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (batch_work_within(b, middle) <= (int64_t)b->slots * middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

/* The exact bound; `whole` is the bound rounded up to whole ticks. */
static sked_ratio batch_exact_dual(const skedi_batch *b, int64_t whole,
                                   int64_t path)
{
    sked_ratio ratio = {whole, 1};

    if (whole == path) return ratio;
    int64_t work = batch_work_within(b, whole - 1);
    if (work >= (int64_t)b->slots * whole) return ratio;
    return (sked_ratio){work, (int64_t)b->slots};
}

/* ---- Dual feasible functions ---- */

/* The mixture of time / ticks, in units of 1 / (MIXTURE * SCALE * ticks). */
static int64_t batch_mixture_of(const int64_t weight[FUNCTIONS], int64_t time,
                                int64_t ticks)
{
    int64_t value = weight[0] * SCALE * time;

    for (int64_t q = 1; q < FUNCTIONS; q++) {
        int64_t parts = (q + 1) * time;
        if (weight[q] == 0) continue;
        value += weight[q] * (parts % ticks
                                  ? SCALE / q * ticks * (parts / ticks)
                                  : SCALE * time);
    }
    return value;
}

/* True if certainly no schedule has `ticks` ticks. */
static int batch_is_too_short(const skedi_batch *b,
                              const int64_t weight[FUNCTIONS], int64_t ticks)
{
    int64_t left = (int64_t)b->slots * ticks * MIXTURE * SCALE;

    for (uint32_t j = 0; j < b->n && left >= 0; j++) {
        int64_t least = INT64_MAX;
        uint32_t at = skedi_batch_fewest(b, j, b->first[j], ticks);
        for (; at < b->first[j + 1]; at++) {
            int64_t value = batch_mixture_of(weight, b->time[at], ticks);
            least = skedi_i64_min(least, (int64_t)b->width[at] * value);
        }
        left -= least;
    }
    return left < 0;
}

/* Raises a bound by one mixture as far as possible. */
static int64_t batch_raise_bound(const skedi_batch *b,
                                 const int64_t weight[FUNCTIONS], int64_t bound)
{
    int64_t step = bound / COARSEST + 1;

    while (step > bound >> FINEST_SHIFT) {
        if (batch_is_too_short(b, weight, bound - 1 + step)) {
            bound += step;
        } else {
            step /= 2;
        }
    }
    return bound;
}

static sked_status batch_by_functions(skedi_batch *b, int64_t *bound)
{
    sked_status rc = SKED_OK;
    const int64_t parts = (int64_t)(MIXTURE + 1) * (MIXTURE + 1) *
                          (MIXTURE + 1);

    for (int64_t i = 1; i < parts && rc == SKED_OK; i++) {
        int64_t w[FUNCTIONS] = {0, i % (MIXTURE + 1),
                                i / (MIXTURE + 1) % (MIXTURE + 1),
                                i / ((MIXTURE + 1) * (MIXTURE + 1))};
        w[0] = MIXTURE - w[1] - w[2] - w[3];
        if (w[0] < 0) continue;
        *bound = batch_raise_bound(b, w, *bound);
        rc = skedi_hooks_check(&b->hooks, (uint64_t)i, (uint64_t)parts);
    }
    return rc;
}

sked_status skedi_batch_bound_all(skedi_batch *b, sked_batch_bounds *bounds)
{
    int64_t area = 0;
    int64_t whole = skedi_batch_dual(b);

    for (uint32_t j = 0; j < b->n; j++) area += b->least[b->first[j]];
    bounds->area = (sked_ratio){area, (int64_t)b->slots};
    bounds->path = batch_longest_path(b);
    bounds->dual = batch_exact_dual(b, whole, bounds->path);
    bounds->functions = whole;
    sked_status rc = batch_by_functions(b, &bounds->functions);
    bounds->best = bounds->functions;
    return rc;
}
