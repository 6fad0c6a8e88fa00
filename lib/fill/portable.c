/*
 * The loops of the guessing path in plain C: the path of machines without
 * wide vectors, and the tail of those with.
 *
 * Doubles only sort rows into "certainly bounded", "certainly at the level"
 * and "to be decided exactly"; the certain sides stand a guard band away from
 * the guess. Quotas are guessed in doubles and corrected by their remainder,
 * which 64 bits hold modulo 2^64 as long as den < 2^50.
 */
#include "base/bits.h"
#include "fill/paths.h"

void skedi_fill_use_rows(const skedi_fill_in *in, size_t from, double x,
                         double *used, double *slope)
{
    double sum = 0, rising = 0;

    for (size_t i = from; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        double lo = (double)(int64_t)row.lo, hi = (double)(int64_t)row.hi;
        double weight = (double)(uint32_t)row.weight, at = weight * x;

        rising += weight * (double)((at >= lo) & (at < hi));
        at = at > hi ? hi : at;
        at = at < lo ? lo : at;
        sum += at;
    }
    *used += sum;
    *slope += rising;
}

static void halves_add(uint64_t halves[2], uint64_t x)
{
    halves[0] += (uint32_t)x;
    halves[1] += x >> 32;
}

/* a or b, without a branch that half the rows would take. */
static uint64_t either(int first, uint64_t a, uint64_t b)
{
    return b ^ ((a ^ b) & (0 - (uint64_t)first));
}

/* All of it without branches but the last, which few rows take. */
void skedi_fill_sort_rows(const skedi_fill_in *in, size_t from,
                          const skedi_fill_bracket *bracket,
                          skedi_fill_tally *tally)
{
    for (size_t i = from; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        double lo = (double)(int64_t)row.lo, hi = (double)(int64_t)row.hi;
        double weight = (double)(uint32_t)row.weight;
        double low = weight * bracket->low, high = weight * bracket->high;

        int top = (row.lo == row.hi) | (hi < low);
        int bottom = !top & (lo > high);
        int free = (hi > high) & ((lo < low) | (row.lo == 0));
        int rises = free & !top & !bottom;
        uint64_t held = either(top, row.hi, row.lo);
        halves_add(tally->lo, row.lo);
        halves_add(tally->hi, row.hi);
        halves_add(tally->fixed, either(rises, 0, held));
        tally->slope += either(rises, row.weight, 0);
        if (!(top | bottom | rises)) {
            tally->slope += row.lo ? 0 : row.weight;
            tally->m += skedi_fill_breakpoints(&row, i, &tally->keys[tally->m]);
        }
    }
}

/*
 * The quota of a row, exactly: 0 <= rem < den. Returns 0 far above the cap,
 * where there is no 64-bit quotient, not even a guess. Any rounding mode will
 * do.
 */
static int quota_at(const skedi_fill_cut *cut, const skedi_fill_row *row,
                    uint64_t *whole, int64_t *rem)
{
    double x = (double)(uint32_t)row->weight * cut->level;
    int64_t den = (int64_t)cut->den;

    if (x > (double)(int64_t)row->hi * 1.000000000001 + 2) return 0;
    uint64_t q = (uint64_t)(int64_t)x;
    uint64_t r = row->weight * cut->num - q * cut->den;
    int64_t by = (int64_t)((double)(int64_t)r * cut->inverse);
    int64_t left = (int64_t)(r - (uint64_t)by * cut->den);
    int64_t under = left < 0, over = left >= den;
    *rem = left + den * (under - over);
    *whole = q + (uint64_t)(by - under + over);
    return 1;
}

static uint64_t clamped(uint64_t q, const skedi_fill_row *row)
{
    return q < row->lo ? row->lo : q < row->hi ? q : row->hi;
}

uint64_t skedi_fill_round_rows(const skedi_fill_in *in, size_t from,
                               skedi_fill_cut *cut, int64_t *share)
{
    uint32_t *rows = cut->rows;
    uint64_t sum = 0;
    size_t m = cut->m;

    for (size_t i = from; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        uint64_t q = row.hi;
        int64_t rem;
        if (quota_at(cut, &row, &q, &rem)) {
            int64_t off = 2 * rem - cut->cut;
            int64_t near = cut->base + (int64_t)row.weight * cut->slope;
            int up = off >= 0, many = near >= (int64_t)cut->den;
            int inside = (q >= row.lo) & (q < row.hi);
            rows[m] = (uint32_t)i | (uint32_t)up << 31;
            m += (size_t)((off <= near) & (-off <= near) & (inside | many));
            q = clamped(q + (uint64_t)up, &row);
        }
        share[i] = (int64_t)q;
        sum += q;
    }
    cut->m = m;
    return sum;
}

void skedi_fill_prefix(const skedi_fill_in *in, const skedi_fill_cut *cut,
                       int64_t *share)
{
    int64_t carry = 0, den = (int64_t)cut->den;

    for (size_t i = 0; i < in->n; i++) {
        skedi_fill_row row = skedi_fill_row_at(in, i);
        uint64_t q = row.hi;
        int64_t rem;
        if (quota_at(cut, &row, &q, &rem) && q >= row.lo && q < row.hi) {
            carry += rem;
            int64_t full = carry >= den;
            carry -= den * full;
            q += (uint64_t)full;
        }
        share[i] = (int64_t)clamped(q, &row);
    }
}

/* Rows that only exact arithmetic can place: at lo for now. */
void skedi_fill_undecided(const skedi_fill_in *in, size_t from, unsigned mask,
                          skedi_fill_tally *tally)
{
    for (; mask; mask &= mask - 1) {
        size_t i = from + (size_t)skedi_ctz64(mask);
        skedi_fill_row row = skedi_fill_row_at(in, i);
        tally->slope += row.lo ? 0 : row.weight;
        tally->m += skedi_fill_breakpoints(&row, i, &tally->keys[tally->m]);
    }
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
