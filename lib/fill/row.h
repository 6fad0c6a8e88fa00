#ifndef SKEDI_FILL_ROW_H
#define SKEDI_FILL_ROW_H

/* A row of a family, after the rules for contradictory bounds. */

#include "base/arith.h"
#include "fill/solve.h"

/* The sign of a * b - c; the product may take 192 bits. */
static inline int skedi_fill_cmp(skedi_u128 a, uint64_t b, skedi_u128 c)
{
    if (skedi_u128_high(a) == 0) {
        return skedi_u128_cmp(skedi_u128_mul(skedi_u128_low(a), b), c);
    }
    skedi_u192 right = {skedi_u128_of(skedi_u128_high(c)), skedi_u128_low(c)};
    return skedi_u192_cmp(skedi_u192_mul(a, b), right);
}

typedef struct skedi_fill_row {
    uint64_t lo;
    uint64_t hi;
    uint64_t weight;
} skedi_fill_row;

static inline uint64_t skedi_fill_weight(const skedi_fill_in *in, size_t i)
{
    if (in->weight) return in->weight[i];
    return in->wide ? (uint64_t)in->wide[i] : 1;
}

/* The limit beats the guarantee. A row without weight gets only its guarantee.
 */
static inline skedi_fill_row skedi_fill_row_at(const skedi_fill_in *in,
                                               size_t i)
{
    skedi_fill_row row = {
        .lo = in->lo ? (uint64_t)in->lo[i] : 0,
        .hi = (uint64_t)in->hi[i],
        .weight = skedi_fill_weight(in, i),
    };

    if (row.lo > row.hi) row.lo = row.hi;
    if (row.weight == 0) row.hi = row.lo;
    return row;
}

/* The family while guarantees are cut: a row's weight is its guarantee. */
static inline skedi_fill_row skedi_fill_row_cut(const skedi_fill_in *in,
                                                size_t i)
{
    uint64_t lo = skedi_fill_row_at(in, i).lo;

    return (skedi_fill_row){.lo = 0, .hi = lo, .weight = lo};
}

typedef skedi_fill_row (*skedi_fill_view)(const skedi_fill_in *in, size_t i);

static inline skedi_fill_view skedi_fill_view_of(const skedi_fill_level *level)
{
    return level->outcome == SKED_FILL_OUTCOME_OVERCOMMIT ? skedi_fill_row_cut
                                                          : skedi_fill_row_at;
}

#endif
