/*
 * Guess, then verify. One exact pass sorts the rows by a bracket around the
 * guessed level. Exact selection finds the level among the breakpoints left
 * undecided by the bracket. The level is valid if it lies inside the bracket.
 * If not, the bracket widens, at last to all levels.
 */
#include "fill/guess.h"

static skedi_u128 halves_sum(const uint64_t halves[2])
{
    return skedi_u128_add(skedi_u128_shl(skedi_u128_of(halves[1]), 32),
                          skedi_u128_of(halves[0]));
}

/*
 * Makes one pass with a bracket. Returns 1 if `level` is found. If not, `level`
 * may be a hint: the level at which the rows that rise at the edge of the
 * bracket would reach the total.
 */
static int solve_within(skedi_fill_work *work, const skedi_fill_in *in,
                        const skedi_fill_kernel *kernel,
                        const skedi_fill_bracket *bracket, int64_t total,
                        skedi_fill_level *level)
{
    skedi_fill_tally tally = {.keys = work->scratch};

    kernel->sort(in, bracket, &tally);
    work->stats.passes++;
    work->stats.undecided += tally.m;
    work->undecided = tally.m;
    work->from = bracket->ra;
    work->to = bracket->rb;
    skedi_fill_totals totals = {halves_sum(tally.lo), halves_sum(tally.hi)};
    if (skedi_fill_settle(&totals, total, level)) return 1;

    skedi_fill_sums sums = {halves_sum(tally.fixed),
                            skedi_u128_of(tally.slope)};
    int miss = skedi_fill_cross(work, tally.keys, tally.m, sums, level);
    if (miss == 0 && skedi_fill_bracket_holds(bracket, level)) return 1;
    work->stats.retries++;
    return 0;
}

void skedi_fill_solve_fast(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_kernel *kernel, int64_t total,
                           const skedi_fill_level *warm,
                           skedi_fill_level *level)
{
    static const double spreads[] = {1, 4, 0}; /* the last cannot miss */
    skedi_fill_bracket bracket;

    for (int k = 0; k < 2 && skedi_fill_bracket_warm(warm, &bracket); k++) {
        if (solve_within(work, in, kernel, &bracket, total, level)) return;
        warm = level; /* outside the bracket: a hint from the edge */
    }
    for (size_t k = 0; k < sizeof spreads / sizeof spreads[0]; k++) {
        skedi_fill_bracket_cold(work, in, kernel, total, spreads[k], &bracket);
        if (solve_within(work, in, kernel, &bracket, total, level)) return;
    }
}

void skedi_fill_emit_fast(skedi_fill_work *work, const skedi_fill_in *in,
                          const skedi_fill_kernel *kernel,
                          const skedi_fill_level *level, int32_t rounding,
                          int64_t *share)
{
    uint64_t high = skedi_u128_high(level->den);
    uint64_t den = skedi_u128_low(level->den);
    int fits = high == 0 && den > 0 && den < UINT64_C(1) << 50;

    if (level->outcome != SKED_FILL_OUTCOME_OK || !fits) {
        skedi_fill_emit_plain(work, in, level, rounding, share);
    } else if (rounding == SKED_APPORTION_PREFIX) {
        skedi_fill_cut cut = skedi_fill_cut_at(work, in, level);
        skedi_fill_prefix(in, &cut, share);
    } else if (rounding == SKED_APPORTION_WEBSTER) {
        skedi_fill_webster(work, in, kernel, level, share);
    } else if (!skedi_fill_largest(work, in, kernel, level, share)) {
        skedi_fill_emit_plain(work, in, level, rounding, share);
    }
}
