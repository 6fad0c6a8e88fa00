/* Which way a family is filled. */
#include "fair/fill_paths.h"

size_t skedi_fill_scratch(size_t n)
{
    const size_t row = 2 * sizeof(skedi_fill_key), extra = 4096;

    return n > (SIZE_MAX - extra) / row ? 0 : n * row + extra;
}

int skedi_fill_has(int32_t path)
{
    return path == SKEDI_FILL_BEST || path == SKEDI_FILL_PLAIN;
}

void skedi_fill_solve(skedi_fill_work *work, const skedi_fill_in *in,
                      int64_t total, const skedi_fill_level *warm,
                      skedi_fill_level *level)
{
    (void)warm;
    skedi_fill_solve_plain(work, in, skedi_fill_row_at, total, level);
}

void skedi_fill_emit(skedi_fill_work *work, const skedi_fill_in *in,
                     const skedi_fill_level *level, int32_t rounding,
                     int64_t *share)
{
    skedi_fill_emit_plain(work, in, level, rounding, share);
}
