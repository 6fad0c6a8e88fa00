/*
 * Guesses the level: an interval of doubles, right or wrong.
 *
 * The guess starts from the last level, if the caller kept the last level. If
 * not, Newton's method runs on the rows, or in large families on a sample of
 * the rows. The sample's part of the total, less and plus 2.5 standard
 * deviations, gives two sample levels. The two levels bracket the family's
 * level. No guess decides an answer.
 */
#include "fill/guess.h"

#include <string.h>

/* Levels lie between 2^-63 and 2^62; at the ends all rows are bounded. */
static const double level_top = 9223372036854775808.0;
static const double level_bottom = 1.0 / 18446744073709551616.0;

enum {
    NEWTON_STEPS = 40,
    SAMPLE_FROM = 4096, /* smaller families are their own sample */
    SAMPLE_MOST = 4096
};

double skedi_fill_root(double x)
{
    uint64_t bits;
    double root;

    memcpy(&bits, &x, sizeof bits);
    bits = (bits >> 1) + (UINT64_C(1023) << 51); /* half the exponent */
    memcpy(&root, &bits, sizeof root);
    for (int i = 0; i < 3; i++) root = (root + x / root) / 2;
    return root;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

static double between(double from, double to)
{
    if (from < level_bottom) from = level_bottom;
    if (to > 16 * from) return skedi_fill_root(from) * skedi_fill_root(to);
    return from + (to - from) / 2;
}

typedef struct newton_run {
    const skedi_fill_kernel *kernel;
    const skedi_fill_in *in;
    double near; /* how close to the wanted use is close enough */
    uint64_t rows;
} newton_run;

/* Approximates the level that uses `want`, starting from `x`. Returns an end if
 * no level uses `want`. */
static double newton(newton_run *run, double want, double x)
{
    double from = 0, to = level_top;

    for (int step = 0; step < NEWTON_STEPS; step++) {
        double used = 0, slope = 0;
        run->kernel->use(run->in, x, &used, &slope);
        run->rows += run->in->n;
        if (distance(used, want) <= run->near) return x;

        int below = used < want;
        if (x == (below ? level_top : 0)) return x;
        double end = below ? to : from;
        from = below ? x : from;
        to = below ? to : x;
        double next = slope > 0 ? x + (want - used) / slope : end;
        int probes = next == end && (end == 0 || end == level_top) && step < 20;
        if (!probes && !(next > from && next < to)) next = between(from, to);
        if (next == x) return x;
        x = next;
    }
    return x;
}

static void bracket_set(skedi_fill_bracket *bracket, double ra, double rb)
{
    const double guard = 1e-12;

    *bracket = (skedi_fill_bracket){ra, rb, ra * (1 - guard), rb * (1 + guard)};
}

int skedi_fill_bracket_warm(const skedi_fill_level *warm,
                            skedi_fill_bracket *bracket)
{
    const double width = 1e-3;

    if (!warm || warm->outcome != SKED_FILL_OUTCOME_OK || warm->num == 0)
        return 0;
    uint64_t den = skedi_u128_low(warm->den);
    if (skedi_u128_high(warm->den) || den == 0) return 0;

    double level = (double)warm->num / (double)den;
    bracket_set(bracket, level * (1 - width), level * (1 + width));
    return 1;
}

int skedi_fill_bracket_holds(const skedi_fill_bracket *bracket,
                             const skedi_fill_level *level)
{
    const double guard = 1e-12;
    double at = (double)level->num / (double)skedi_u128_low(level->den);

    return (bracket->ra == 0 || at >= bracket->ra * (1 + guard)) &&
           (bracket->rb >= level_top || at <= bracket->rb * (1 - guard));
}

static double weight_sum(const skedi_fill_in *in)
{
    uint64_t sum = in->weight ? 0 : in->n;

    for (size_t i = 0; in->weight && i < in->n; i++) sum += in->weight[i];
    return sum ? (double)(int64_t)sum : 1;
}

/* Newton's method on all rows: the end point is the level except for rounding.
 */
static void bracket_newton(newton_run *run, double total, double spread,
                           skedi_fill_bracket *bracket)
{
    run->near = total * 1e-13;
    double x = newton(run, total, total / weight_sum(run->in));
    bracket_set(bracket, x * (1 - 1e-9 * spread), x * (1 + 1e-9 * spread));
}

size_t skedi_fill_spread(size_t n, size_t m, size_t k)
{
    uint64_t noise = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    size_t step = n / m;

    noise = (noise ^ noise >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return k * step + (size_t)((noise >> 32) * (uint64_t)step >> 32);
}

/* Some rows, copied into scratch. */
static skedi_fill_in sample(const skedi_fill_work *work,
                            const skedi_fill_in *in, size_t n)
{
    int64_t *lo = work->scratch, *hi = lo + n;
    uint32_t *weight = (uint32_t *)(hi + n);

    for (size_t k = 0; k < n; k++) {
        size_t i = skedi_fill_spread(in->n, n, k);
        skedi_fill_row row = skedi_fill_row_at(in, i);
        lo[k] = (int64_t)row.lo;
        hi[k] = (int64_t)row.hi;
        weight[k] = (uint32_t)row.weight;
    }
    return (skedi_fill_in){.lo = lo, .hi = hi, .weight = weight, .n = n};
}

/* The standard deviation of the sum of shares at `x`, over samples. */
static double sample_spread(const skedi_fill_in *in, double x)
{
    double n = (double)in->n, sum = 0, squares = 0;

    for (size_t i = 0; i < in->n; i++) {
        double at = (double)in->weight[i] * x;
        if (at > (double)in->hi[i]) at = (double)in->hi[i];
        if (at < (double)in->lo[i]) at = (double)in->lo[i];
        sum += at;
        squares += at * at;
    }
    double variance = squares - sum / n * sum;
    return variance > 0 ? skedi_fill_root(variance) : 0;
}

static void bracket_sample(skedi_fill_work *work, newton_run *run, double total,
                           double spread, skedi_fill_bracket *bracket)
{
    size_t n = 256 + run->in->n / 64;
    if (n > SAMPLE_MOST) n = SAMPLE_MOST;

    double want = total * ((double)n / (double)run->in->n);
    skedi_fill_in rows = sample(work, run->in, n);
    run->in = &rows;
    run->near = want * 1e-4;
    double x = newton(run, want, want / weight_sum(&rows));
    double off = 2.5 * spread * sample_spread(&rows, x) + want * 1e-9;
    run->near = off / 16;
    double ra = want > off ? newton(run, want - off, x) : 0;
    double rb = newton(run, want + off, x);
    bracket_set(bracket, ra * (1 - 1e-9), rb * (1 + 1e-9));
}

void skedi_fill_bracket_cold(skedi_fill_work *work, const skedi_fill_in *in,
                             const skedi_fill_kernel *kernel, int64_t total,
                             double spread, skedi_fill_bracket *bracket)
{
    newton_run run = {.kernel = kernel, .in = in};
    double want = (double)total;

    if (spread == 0) {
        bracket_set(bracket, 0, level_top);
    } else if (in->n < SAMPLE_FROM) {
        bracket_newton(&run, want, spread, bracket);
    } else {
        bracket_sample(work, &run, want, spread, bracket);
    }
    work->stats.guess_steps += run.rows;
}
