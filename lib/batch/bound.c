/*
 * Lower bounds. The dual bound is the least time L such that every task can
 * end within L and the least work that does it fits into slots * L; that the
 * test is monotone in L makes it a bisection over whole ticks. Between two
 * whole ticks the work does not change, so the exact fraction follows.
 *
 * A dual feasible function f keeps "what is stacked on one slot adds up to 1 at
 * most" true, so sum over tasks of min width * f(time / L) <= slots is needed
 * too. Any mixture of such functions is one. Where it does not hold for L,
 * every schedule is longer than L.
 */
#include "batch/state.h"

enum {
    MIXTURE = 5,       /* in fifths */
    SCALE = 6,         /* of values, so that u_1, u_2 and u_3 are whole */
    FUNCTIONS = 4,     /* identity, u_1, u_2, u_3 */
    FINEST_SHIFT = 12, /* steps down to a 4096th of the bound */
    COARSEST = 50
};

int64_t skedi_batch_work_within(const skedi_batch *b, int64_t ticks)
{
    int64_t sum = 0;

    for (uint32_t j = 0; j < b->n; j++) {
        sum += b->least[skedi_batch_fewest(b, j, b->first[j], ticks)];
    }
    return sum;
}

static int64_t longest_path(const skedi_batch *b)
{
    int64_t path = 0;

    for (uint32_t j = 0; j < b->n; j++) {
        path = skedi_i64_max(path, b->time[b->first[j + 1] - 1]);
    }
    return path;
}

static int64_t ceil_over_slots(const skedi_batch *b, int64_t work)
{
    return (work + (int64_t)b->slots - 1) / (int64_t)b->slots;
}

int64_t skedi_batch_dual(const skedi_batch *b)
{
    int64_t low = longest_path(b);
    int64_t high = skedi_i64_max(
        low, ceil_over_slots(b, skedi_batch_work_within(b, low)));

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (skedi_batch_work_within(b, middle) <= (int64_t)b->slots * middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

/* The exact bound, of which `whole` is the next whole number of ticks. */
static sked_ratio exact_dual(const skedi_batch *b, int64_t whole, int64_t path)
{
    sked_ratio ratio = {whole, 1};

    if (whole == path) return ratio;
    int64_t work = skedi_batch_work_within(b, whole - 1);
    if (work >= (int64_t)b->slots * whole) return ratio;
    return (sked_ratio){work, (int64_t)b->slots};
}

/* ---- Dual feasible functions ---- */

/* The mixture of time / ticks, in units of 1 / (MIXTURE * SCALE * ticks). */
static int64_t mixture_of(const int64_t weight[FUNCTIONS], int64_t time,
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

/* Is there surely no schedule of so many ticks? */
static int is_too_short(const skedi_batch *b, const int64_t weight[FUNCTIONS],
                        int64_t ticks)
{
    int64_t left = (int64_t)b->slots * ticks * MIXTURE * SCALE;

    for (uint32_t j = 0; j < b->n && left >= 0; j++) {
        int64_t least = INT64_MAX;
        uint32_t at = skedi_batch_fewest(b, j, b->first[j], ticks);
        for (; at < b->first[j + 1]; at++) {
            int64_t value = mixture_of(weight, b->time[at], ticks);
            least = skedi_i64_min(least, (int64_t)b->width[at] * value);
        }
        left -= least;
    }
    return left < 0;
}

/* Raises a bound by one mixture as far as it goes. */
static int64_t raise_bound(const skedi_batch *b,
                           const int64_t weight[FUNCTIONS], int64_t bound)
{
    int64_t step = bound / COARSEST + 1;

    while (step > bound >> FINEST_SHIFT) {
        if (is_too_short(b, weight, bound - 1 + step)) {
            bound += step;
        } else {
            step /= 2;
        }
    }
    return bound;
}

static sked_status by_functions(skedi_batch *b, int64_t *bound)
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
        *bound = raise_bound(b, w, *bound);
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
    bounds->path = longest_path(b);
    bounds->dual = exact_dual(b, whole, bounds->path);
    bounds->functions = whole;
    sked_status rc = by_functions(b, &bounds->functions);
    bounds->best = bounds->functions;
    return rc;
}
