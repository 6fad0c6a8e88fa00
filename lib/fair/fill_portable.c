/*
 * The loops of the guessing path in plain C: the path of machines without
 * wide vectors, and the tail of those with.
 *
 * Doubles only sort rows into "certainly bounded", "certainly at the level"
 * and "to be decided exactly"; the certain sides stand a guard band away from
 * the guess. Quotas are guessed in doubles and corrected by their remainder,
 * which 64 bits hold modulo 2^64 as long as den < 2^50.
 */
#include "fair/fill_paths.h"

void skedi_fill_use_rows(const skedi_fill_in *in, size_t from, double x,
                         double *used, double *slope)
{
    for (size_t i = from; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        double lo = (double)(int64_t)row.lo, hi = (double)(int64_t)row.hi;
        double weight = (double)(uint32_t)row.weight, at = weight * x;

        if (at >= lo && at < hi) *slope += weight;
        if (at > hi) at = hi;
        if (at < lo) at = lo;
        *used += at;
    }
}

static void halves_add(uint64_t halves[2], uint64_t x)
{
    halves[0] += (uint32_t)x;
    halves[1] += x >> 32;
}

void skedi_fill_sort_rows(const skedi_fill_in *in, size_t from,
                          const skedi_fill_bracket *bracket,
                          skedi_fill_tally *tally)
{
    for (size_t i = from; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        double lo = (double)(int64_t)row.lo, hi = (double)(int64_t)row.hi;
        double weight = (double)(uint32_t)row.weight;
        double low = weight * bracket->low, high = weight * bracket->high;

        halves_add(tally->lo, row.lo);
        halves_add(tally->hi, row.hi);
        if (row.lo >= row.hi || hi < low) {
            halves_add(tally->fixed, row.hi);
        } else if (lo > high) {
            halves_add(tally->fixed, row.lo);
        } else if (hi > high && (lo < low || row.lo == 0)) {
            tally->slope += row.weight;
        } else {
            halves_add(tally->fixed, row.lo);
            tally->slope += row.lo ? 0 : row.weight;
            tally->m += skedi_fill_breakpoints(&row, i, &tally->keys[tally->m]);
        }
    }
}

/* Brings a guessed quota to where 0 <= rem < den; any rounding mode will do. */
static uint64_t quota_fix(uint64_t q, int64_t *rem, const skedi_fill_cut *cut)
{
    int64_t den = (int64_t)cut->den;
    int64_t by = (int64_t)((double)*rem * cut->inverse);

    q += (uint64_t)by;
    *rem = (int64_t)((uint64_t)*rem - (uint64_t)by * cut->den);
    if (*rem < 0) {
        q--;
        *rem += den;
    }
    if (*rem >= den) {
        q++;
        *rem -= den;
    }
    return q;
}

uint64_t skedi_fill_round_rows(const skedi_fill_in *in, size_t from,
                               skedi_fill_cut *cut, int64_t *share)
{
    uint64_t sum = 0;

    for (size_t i = from; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        uint64_t whole = row.hi;
        double x = (double)(uint32_t)row.weight * cut->level;

        /* Far above its cap a row has no 64-bit quotient: not even a guess. */
        if (x <= (double)(int64_t)row.hi * 1.000000000001 + 2) {
            uint64_t q = (uint64_t)(int64_t)x;
            int64_t rem = (int64_t)(row.weight * cut->num - q * cut->den);
            q = quota_fix(q, &rem, cut);
            int64_t off = 2 * rem - cut->cut;
            int64_t near = cut->base + (int64_t)row.weight * cut->slope;
            int up = off >= 0, one = q >= row.lo && q < row.hi;
            cut->rows[cut->m] = (uint32_t)i | (up ? SKEDI_FILL_SERVED : 0);
            cut->m += off <= near && -off <= near &&
                      (one || near >= (int64_t)cut->den);
            q += (uint64_t)up;
            whole = q < row.lo ? row.lo : q < row.hi ? q : row.hi;
        }
        share[i] = (int64_t)whole;
        sum += whole;
    }
    return sum;
}

static void use_portable(const skedi_fill_in *in, double x, double *used,
                         double *slope)
{
    skedi_fill_use_rows(in, 0, x, used, slope);
}

static void sort_portable(const skedi_fill_in *in,
                          const skedi_fill_bracket *bracket,
                          skedi_fill_tally *tally)
{
    skedi_fill_sort_rows(in, 0, bracket, tally);
}

static uint64_t round_portable(const skedi_fill_in *in, skedi_fill_cut *cut,
                               int64_t *share)
{
    return skedi_fill_round_rows(in, 0, cut, share);
}

const skedi_fill_kernel *skedi_fill_kernel_portable(void)
{
    static const skedi_fill_kernel kernel = {use_portable, sort_portable,
                                             round_portable};

    return &kernel;
}
