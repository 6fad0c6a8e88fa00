/*
 * The level by exact selection over every breakpoint: no guess, no double, any
 * weight. Wide weights and tiny families use this path. The fast paths fall
 * back to this path.
 */
#include "fill/paths.h"

void skedi_fill_total(const skedi_fill_in *in, skedi_fill_view view,
                      skedi_fill_totals *sums)
{
    *sums = (skedi_fill_totals){skedi_u128_of(0), skedi_u128_of(0)};
    for (size_t i = 0; i < in->n; i++) {
        skedi_fill_row row = view(in, i);
        sums->lo = skedi_u128_add(sums->lo, skedi_u128_of(row.lo));
        sums->hi = skedi_u128_add(sums->hi, skedi_u128_of(row.hi));
    }
}

int skedi_fill_settle(const skedi_fill_totals *sums, int64_t total,
                      skedi_fill_level *level)
{
    skedi_u128 want = skedi_u128_of((uint64_t)total);

    *level = (skedi_fill_level){.outcome = SKED_FILL_OUTCOME_OK,
                                .total = total};
    level->den = skedi_u128_of(0);
    if (skedi_u128_cmp(sums->hi, want) <= 0) {
        level->outcome = SKED_FILL_OUTCOME_SATURATED;
        level->total = (int64_t)skedi_u128_low(sums->hi);
        level->leftover = total - level->total;
        return 1;
    }
    int order = skedi_u128_cmp(sums->lo, want);
    if (order > 0) {
        level->outcome = SKED_FILL_OUTCOME_OVERCOMMIT;
        level->num = (uint64_t)total;
        level->den = sums->lo;
    } else if (order == 0) { /* level 0: every entry at its guarantee */
        level->den = skedi_u128_of(1);
    }
    return order >= 0;
}

size_t skedi_fill_breakpoints(const skedi_fill_row *row, size_t i,
                              skedi_fill_key *key)
{
    size_t n = 0;

    if (row->lo) {
        key[n++] = (skedi_fill_key){row->lo, row->weight, (uint32_t)i, 0};
    }
    key[n++] = (skedi_fill_key){row->hi, row->weight,
                                (uint32_t)i | SKEDI_FILL_STOP, 0};
    return n;
}

void skedi_fill_solve_plain(skedi_fill_work *work, const skedi_fill_in *in,
                            skedi_fill_view view, int64_t total,
                            skedi_fill_level *level)
{
    skedi_fill_key *keys = work->scratch;
    skedi_fill_sums sums = {skedi_u128_of(0), skedi_u128_of(0)};
    skedi_fill_totals totals;
    size_t m = 0;

    skedi_fill_total(in, view, &totals);
    work->stats.passes++;
    if (skedi_fill_settle(&totals, total, level)) return;
    for (size_t i = 0; i < in->n; i++) {
        skedi_fill_row row = view(in, i);
        uint64_t rises = row.lo == 0 && row.hi > 0 ? row.weight : 0;
        sums.fixed = skedi_u128_add(sums.fixed, skedi_u128_of(row.lo));
        sums.slope = skedi_u128_add(sums.slope, skedi_u128_of(rises));
        if (row.lo == row.hi) continue;
        m += skedi_fill_breakpoints(&row, i, &keys[m]);
    }
    work->stats.undecided += m;
    work->undecided = m;
    work->from = 0;
    work->to = 9223372036854775808.0;                   /* above every level */
    (void)skedi_fill_cross(work, keys, m, sums, level); /* always found */
}
