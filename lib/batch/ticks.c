/* How long a task takes with so many slots; memory and faults of a batch. */
#include "batch/state.h"
#include "base/fail.h"

void *skedi_batch_take(skedi_batch *b, size_t n, size_t size)
{
    /* SKED_MAX_BATCH_WIDTHS entries at most: the product fits in 31 bits. */
    return skedi_arena_take(&b->arena, n * size, &b->hooks.mem);
}

sked_status skedi_batch_row_fault(sked_error *err, const char *what,
                                  uint32_t row, int64_t got)
{
    return skedi_fail(err, SKED_ERR_RANGE, what,
                      (skedi_fault){.row = (int64_t)row + 1, .got = got});
}

/* num / SKED_PPM to the nearest, at least 1; too large numbers stay too
 * large. */
static int64_t per_whole(skedi_u128 num)
{
    uint64_t rem;
    skedi_u128 q = skedi_u128_div(num, (uint64_t)SKED_PPM, &rem);
    uint64_t whole = skedi_u128_low(q);

    if (skedi_u128_high(q) || whole > (uint64_t)SKED_AMOUNT_MAX) {
        return SKED_AMOUNT_MAX;
    }
    whole += skedi_rounds_up(rem, (uint64_t)SKED_PPM, SKEDI_NEAREST) != 0;
    return whole ? (int64_t)whole : 1;
}

static int64_t ticks_of_waves(const skedi_batch *b, uint32_t j, uint32_t width,
                              int64_t factor)
{
    uint64_t waves = (b->blocks[j] - 1) / width + 1;
    skedi_u128 product = skedi_u128_mul((uint64_t)b->in.block, waves);
    int64_t extra = b->in.slot * (int64_t)(width - 1);
    int64_t all = per_whole(skedi_u128_scale(product, (uint64_t)factor));

    if (all > SKED_MAX_BATCH_WORK) return SKED_MAX_BATCH_WORK + 1;
    return b->in.start + all + extra;
}

int64_t skedi_batch_ticks(const skedi_batch *b, uint32_t j, uint32_t width,
                          int64_t factor)
{
    int64_t own = b->in.multiplier_ppm ? b->in.multiplier_ppm[j] : SKED_PPM;
    size_t cell = (size_t)j * b->slots + width - 1;

    if (own != SKED_PPM) {
        factor = per_whole(skedi_u128_mul((uint64_t)own, (uint64_t)factor));
    }
    if (!b->in.table) return ticks_of_waves(b, j, width, factor);
    if (factor == SKED_PPM) return b->in.table[cell];
    int64_t ticks = per_whole(
        skedi_u128_mul((uint64_t)b->in.table[cell], (uint64_t)factor));
    return ticks > SKED_MAX_BATCH_WORK ? SKED_MAX_BATCH_WORK + 1 : ticks;
}
