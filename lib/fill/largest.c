/*
 * Largest remainders in one pass. A sample gives two fractions around the last
 * unit. Rows above both fractions get their unit immediately; rows below get
 * none. The pass notes the rows between, and only the noted rows are ranked
 * exactly.
 */
#include "fill/guess.h"

enum { LARGEST_FROM = 256, LARGEST_SAMPLE = 4096 };

/* Lists the remainders of the sampled rows with a remainder, and returns their
 * number. */
static size_t remainder_sample(const skedi_fill_in *in,
                               const skedi_fill_level *level, size_t n,
                               skedi_fill_key *keys, double *units)
{
    double den = (double)(int64_t)skedi_u128_low(level->den);
    size_t m = 0;

    for (size_t k = 0; k < n; k++) {
        size_t i = skedi_fill_spread(in->n, n, k);
        skedi_fill_row row = skedi_fill_row_at(in, i);
        uint64_t whole;
        skedi_u128 part;
        if (!skedi_fill_quota(&row, level, &whole, &part)) continue;
        uint64_t rem = skedi_u128_low(part);
        keys[m] = (skedi_fill_key){rem, 1, (uint32_t)i, 0};
        m += rem > 0;
        *units += (double)(int64_t)rem / den;
    }
    return m;
}

/* The remainder at `rank` in the sample; a rank outside gives the end. */
static int64_t remainder_at(skedi_fill_work *work, skedi_fill_key *keys,
                            size_t n, double rank, uint64_t den)
{
    if (rank < 0) return 1;
    if (rank >= (double)n) return (int64_t)den - 1;

    size_t k = (size_t)rank;
    for (;;) {
        size_t at = skedi_fill_split(work, keys, n);
        if (k == at) return (int64_t)keys[at].v;
        if (k < at) {
            n = at;
        } else {
            keys += at + 1;
            n -= at + 1;
            k -= at + 1;
        }
    }
}

/* The edge between rows with a further unit and rows without a further unit,
 * and the edge's width. */
static void largest_edge(skedi_fill_work *work, const skedi_fill_in *in,
                         const skedi_fill_level *level, skedi_fill_cut *cut)
{
    skedi_fill_key *keys = work->scratch;
    size_t n = in->n / 4 < LARGEST_SAMPLE ? in->n / 4 : LARGEST_SAMPLE;
    double units = 0;
    size_t m = remainder_sample(in, level, n, keys, &units);
    double rank = (double)m - units;
    double off = skedi_fill_root((double)m + 1) + 1;
    int64_t low = remainder_at(work, keys, m, rank - off, cut->den);
    int64_t high = remainder_at(work, keys, m, rank + off, cut->den);

    cut->cut = low + high;
    cut->base = high - low;
    work->stats.guess_steps += n;
}

/* Takes the unit back from a noted row, and ranks the row by its remainder. */
static skedi_fill_key rank_row(const skedi_fill_in *in,
                               const skedi_fill_cut *cut, uint32_t note,
                               int64_t *share)
{
    size_t i = note & ~SKEDI_FILL_SERVED;

    share[i] -= (int64_t)(note >> 31);
    uint64_t used = (uint64_t)share[i] * cut->den;
    uint64_t rem = skedi_fill_weight(in, i) * cut->num - used;
    return (skedi_fill_key){cut->den - rem, 1, (uint32_t)i, 0};
}

int skedi_fill_largest(skedi_fill_work *work, const skedi_fill_in *in,
                       const skedi_fill_kernel *kernel,
                       const skedi_fill_level *level, int64_t *share)
{
    skedi_fill_cut cut = skedi_fill_cut_at(work, in, level);
    skedi_fill_key *keys = work->scratch;

    if (in->n < LARGEST_FROM) return 0;
    largest_edge(work, in, level, &cut);
    uint64_t left = (uint64_t)level->total - kernel->round(in, &cut, share);
    for (size_t k = 0; k < cut.m; k++) {
        keys[k] = rank_row(in, &cut, cut.rows[k], share);
        left += cut.rows[k] >> 31;
    }
    if (left > cut.m) { /* below zero, too */
        work->stats.wide_repairs++;
        return 0;
    }
    skedi_fill_give(work, keys, cut.m, (size_t)left, 1, share);
    return 1;
}
