/* Where a level cuts the rows. */
#include "fill/paths.h"

skedi_fill_cut skedi_fill_cut_at(const skedi_fill_work *work,
                                 const skedi_fill_in *in,
                                 const skedi_fill_level *level)
{
    uint64_t den = skedi_u128_low(level->den);

    return (skedi_fill_cut){
        .num = level->num,
        .den = den,
        .level = (double)(int64_t)level->num / (double)(int64_t)den,
        .inverse = 1.0 / (double)(int64_t)den,
        .rows = (uint32_t *)((skedi_fill_key *)work->scratch + in->n),
    };
}
