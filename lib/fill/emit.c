/*
 * From a level to whole units, row by row, in 128 bits: the emission for any
 * weight, and the twin of the vector ones.
 */
#include "fill/paths.h"

int skedi_fill_quota(const skedi_fill_row *row, const skedi_fill_level *level,
                     uint64_t *whole, skedi_u128 *part)
{
    skedi_u128 product = skedi_u128_mul(row->weight, level->num);

    *part = skedi_u128_of(0);
    *whole = row->hi; /* a row far above its cap has no 64-bit quotient */
    if (skedi_fill_cmp(level->den, row->hi, product) <= 0) return 0;
    *whole = row->lo;
    if (skedi_fill_cmp(level->den, row->lo, product) >= 0) return 0;
    *whole = skedi_u128_low(skedi_u128_div_wide(product, level->den, part));
    return 1;
}

/* Every entry at the nearest whole unit, halves up; returns the sum. */
static int64_t emit_nearest(const skedi_fill_in *in,
                            const skedi_fill_level *level, int64_t *share)
{
    skedi_fill_view view = skedi_fill_view_of(level);
    uint64_t sum = 0; /* modulo 2^64: only its distance to the total counts */

    for (size_t i = 0; i < in->n; i++) {
        skedi_fill_row row = view(in, i);
        uint64_t whole;
        skedi_u128 part;
        if (skedi_fill_quota(&row, level, &whole, &part)) {
            skedi_u128 twice = skedi_u128_shl(part, 1);
            whole += skedi_u128_cmp(twice, level->den) >= 0;
        }
        share[i] = (int64_t)whole;
        sum += whole;
    }
    return (int64_t)sum;
}

/* The key of what rounding down took from a row: the largest part is least. */
static skedi_fill_key loss_key(skedi_u128 den, skedi_u128 part, size_t i)
{
    skedi_u128 left = skedi_u128_sub(den, part);

    return (skedi_fill_key){skedi_u128_low(left), 1, (uint32_t)i,
                            (uint32_t)skedi_u128_high(left)};
}

static void emit_largest(skedi_fill_work *work, const skedi_fill_in *in,
                         const skedi_fill_level *level, int64_t *share)
{
    skedi_fill_view view = skedi_fill_view_of(level);
    skedi_fill_key *keys = work->scratch;
    size_t m = 0;
    uint64_t left = (uint64_t)level->total;

    for (size_t i = 0; i < in->n; i++) {
        skedi_fill_row row = view(in, i);
        uint64_t whole;
        skedi_u128 part;
        if (skedi_fill_quota(&row, level, &whole, &part)) {
            keys[m] = loss_key(level->den, part, i);
            m += skedi_u128_cmp(part, skedi_u128_of(0)) != 0;
        }
        share[i] = (int64_t)whole;
        left -= whole;
    }
    skedi_fill_give(work, keys, m, (size_t)left, 1, share);
}

static void emit_prefix(const skedi_fill_in *in, const skedi_fill_level *level,
                        int64_t *share)
{
    skedi_fill_view view = skedi_fill_view_of(level);
    skedi_u128 carry = skedi_u128_of(0);

    for (size_t i = 0; i < in->n; i++) {
        skedi_fill_row row = view(in, i);
        uint64_t whole;
        skedi_u128 part;
        if (skedi_fill_quota(&row, level, &whole, &part)) {
            carry = skedi_u128_add(carry, part);
            if (skedi_u128_cmp(carry, level->den) >= 0) {
                carry = skedi_u128_sub(carry, level->den);
                whole++;
            }
        }
        share[i] = (int64_t)whole;
    }
}

/* No entry is at a level: all at hi. */
static void emit_roof(const skedi_fill_in *in, int64_t *share)
{
    for (size_t i = 0; i < in->n; i++) {
        share[i] = (int64_t)skedi_fill_row_at(in, i).hi;
    }
}

void skedi_fill_emit_plain(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_level *level, int32_t rounding,
                           int64_t *share)
{
    if (level->outcome == SKED_FILL_OUTCOME_SATURATED) {
        emit_roof(in, share);
    } else if (rounding == SKED_APPORTION_LARGEST) {
        emit_largest(work, in, level, share);
    } else if (rounding == SKED_APPORTION_PREFIX) {
        emit_prefix(in, level, share);
    } else {
        int64_t sum = emit_nearest(in, level, share);
        skedi_fill_repair(work, in, level, level->total - sum, share);
    }
}

uint8_t skedi_fill_bound(const skedi_fill_in *in, const skedi_fill_level *level,
                         size_t i)
{
    skedi_fill_row row = skedi_fill_row_at(in, i);

    if (level->outcome == SKED_FILL_OUTCOME_OVERCOMMIT) return SKED_BOUND_TOTAL;
    if (row.weight == 0) return SKED_BOUND_WEIGHT;
    if (level->outcome == SKED_FILL_OUTCOME_SATURATED) return SKED_BOUND_LIMIT;
    skedi_u128 product = skedi_u128_mul(row.weight, level->num);
    if (skedi_fill_cmp(level->den, row.hi, product) < 0) {
        return SKED_BOUND_LIMIT;
    }
    if (skedi_fill_cmp(level->den, row.lo, product) > 0) {
        return SKED_BOUND_GUARANTEE;
    }
    return SKED_BOUND_NONE;
}
