/*
 * Bounded Webster in a pass or two.
 *
 * Rounding half up at any level serves the units whose keys lie below it, so
 * the answer is a rounding at the right level plus a choice among the units
 * right there. Rounding at the exact level misses the total by about a third
 * of the root of n; each pass notes the rows with a unit that near, and only
 * those are looked at to make the sum exact.
 *
 * Where many rows are alike, their quotas all round one way and the sum is off
 * by more. A sample tells so, and how far to move the level before rounding.
 * Wrong guesses cost passes; skedi_fill_repair() ends them.
 */
#include "fill/guess.h"

enum {
    ROUND_PASSES = 5,
    ROUND_SAMPLE = 2048,
    ROUND_FEW = 256 /* rows, of which each is looked at sooner than guessed */
};

/*
 * Where to round: the level moved by `at` units of the family. Too few units
 * are served at `from`, too many at `to`.
 */
typedef struct round_search {
    int64_t at;
    int64_t from;
    int64_t to;
    int64_t near; /* units around `at` within which rows are noted */
} round_search;

/* A row at the level: what it gains when that moves. */
typedef struct round_row {
    double part;  /* of a unit, above the whole ones */
    double step;  /* units for one unit of the family */
    double least; /* change, against the whole units */
    double most;
} round_row;

static size_t round_sample(const skedi_fill_in *in,
                           const skedi_fill_level *level, round_row *rows)
{
    size_t n = in->n < ROUND_SAMPLE ? in->n : ROUND_SAMPLE, m = 0;
    double den = (double)(int64_t)skedi_u128_low(level->den);

    for (size_t k = 0; k < n; k++) {
        size_t i = skedi_fill_spread(in->n, n, k);
        skedi_fill_row row = skedi_fill_row_at(in, i);
        uint64_t whole;
        skedi_u128 part;
        if (!skedi_fill_quota(&row, level, &whole, &part)) continue;
        rows[m++] = (round_row){
            .part = (double)(int64_t)skedi_u128_low(part) / den,
            .step = (double)(uint32_t)row.weight / den,
            .least = -(double)(int64_t)(whole - row.lo),
            .most = (double)(int64_t)(row.hi - whole),
        };
    }
    return m;
}

/* Units that the sample gains when the level moves from 0 to `by`. */
static double sample_gain(const round_row *rows, size_t m, double by)
{
    const double shift = 4294967296.0; /* truncation becomes floor */
    double gain = 0;

    for (size_t k = 0; k < m; k++) {
        double x = rows[k].part + rows[k].step * by + 0.5;
        double base = rows[k].part >= 0.5 ? 1 : 0;
        x = (double)(int64_t)(x + shift) - shift;
        x = x > rows[k].most ? rows[k].most : x;
        x = x < rows[k].least ? rows[k].least : x;
        gain += x - base;
    }
    return gain;
}

/* The least move inside the search by which the sample gains `want`. */
static int64_t sample_move(const round_row *rows, size_t m,
                           const round_search *s, double want)
{
    int64_t from = s->from, to = s->to;

    while (from < to) {
        int64_t mid = from + (to - from) / 2;
        if (sample_gain(rows, m, (double)mid) >= want) {
            to = mid;
        } else {
            from = mid + 1;
        }
    }
    return from;
}

/*
 * By how many units the family would miss its total, as far as the sample
 * knows; and how wrong that may be.
 */
static double sample_miss(const round_row *rows, size_t m, double scale,
                          double *doubt)
{
    double miss = 0;

    for (size_t k = 0; k < m; k++) {
        miss += rows[k].part >= 0.5 ? rows[k].part - 1 : rows[k].part;
    }
    *doubt = scale > 1 ? scale * skedi_fill_root((double)m) : 1;
    return miss * scale;
}

static double size_of(double x)
{
    return x < 0 ? -x : x;
}

/* Looks where `extra` more units are served, give or take `doubt`. */
static void search_move(const round_row *rows, size_t m, double scale,
                        double extra, double doubt, round_search *s)
{
    double want = extra / scale, off = doubt / scale;
    int64_t low = sample_move(rows, m, s, want - off);
    int64_t high = sample_move(rows, m, s, want + off);

    s->at = low + (high - low) / 2;
    s->near = (high - low) / 2 + s->near;
}

/*
 * Asks a sample where to round: with `extra` known from a pass, or NULL: then
 * the level stays unless the sample clearly says otherwise.
 */
static void search_by_sample(skedi_fill_work *work, const skedi_fill_in *in,
                             const skedi_fill_level *level,
                             const int64_t *extra, round_search *s)
{
    round_row *rows = work->scratch;
    size_t n = in->n < ROUND_SAMPLE ? in->n : ROUND_SAMPLE;
    size_t m = round_sample(in, level, rows);
    double scale = (double)in->n / (double)n, doubt;
    double miss = sample_miss(rows, m, scale, &doubt);

    work->stats.guess_steps += n;
    if (extra) {
        miss = (double)*extra;
        doubt = 1 + 3 * scale * skedi_fill_root(size_of(miss) / scale + 1);
    } else if (size_of(miss) <= doubt) {
        return;
    }
    search_move(rows, m, scale, miss, doubt, s);
}

/* `extra` units are missing (or too many) at `at`: narrows, looks further. */
static void search_next(round_search *s, int64_t extra)
{
    int64_t off = extra < 0 ? -extra : extra;

    if (extra > 0) {
        s->from = s->at;
        s->at += off;
    } else {
        s->to = s->at;
        s->at -= off;
    }
    int64_t gap = s->to - s->from;
    if (s->at <= s->from || s->at >= s->to) s->at = s->from + gap / 2;
    s->near = 4 * s->near < gap ? 4 * s->near : gap;
}

/* A rounding at the level moved by `at`, with the rows `near` it noted. */
static int64_t round_there(const skedi_fill_in *in,
                           const skedi_fill_kernel *kernel,
                           const skedi_fill_level *level, round_search *s,
                           skedi_fill_cut *cut, int64_t *share)
{
    int64_t down = -(int64_t)level->num;

    if (s->at < down) s->at = down;
    cut->num = level->num + (uint64_t)s->at;
    cut->level = (double)(int64_t)cut->num / (double)(int64_t)cut->den;
    cut->slope = 2 * s->near;
    cut->m = 0;
    uint64_t sum = kernel->round(in, cut, share);
    return (int64_t)((uint64_t)level->total - sum);
}

void skedi_fill_webster(skedi_fill_work *work, const skedi_fill_in *in,
                        const skedi_fill_kernel *kernel,
                        const skedi_fill_level *level, int64_t *share)
{
    int64_t far = (int64_t)in->n + 1, extra = 0;
    double expect = skedi_fill_root((double)in->n);
    round_search s = {0, -far, far, (int64_t)(0.75 * expect + 2) + far / 400};
    skedi_fill_cut cut = skedi_fill_cut_at(work, in, level);

    cut.cut = (int64_t)cut.den;
    if (in->n > 4 * ROUND_SAMPLE) search_by_sample(work, in, level, NULL, &s);
    for (int pass = 0; pass < ROUND_PASSES; pass++) {
        extra = round_there(in, kernel, level, &s, &cut, share);
        if (skedi_fill_repair_near(work, in, &cut, extra, share)) return;
        work->stats.wide_repairs++;
        if (in->n <= ROUND_FEW) break;
        int moved = s.at != 0;
        search_next(&s, extra);
        if (!moved) search_by_sample(work, in, level, &extra, &s);
    }
    skedi_fill_level moved = *level;
    moved.num = cut.num;
    skedi_fill_repair(work, in, &moved, extra, share);
}
