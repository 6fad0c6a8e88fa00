/* What is out of date, family by family. */
#include "share/handle.h"

uint32_t skedi_share_moved(const sked_share *share, uint32_t family)
{
    const skedi_share_rows *rows = skedi_share_rows_seen(share);
    const skedi_share_results *results = skedi_share_results_seen(share);
    const skedi_share_shape *shape = &rows->shape;
    uint32_t moved = 0;
    uint32_t parent = shape->families[family].parent;

    for (uint32_t k = 0; k < rows->kinds; k++) {
        int64_t given = results->share[(size_t)k * shape->n + parent];
        size_t at = (size_t)k * shape->n_families + family;
        if (results->state[at].total != given) moved |= (uint32_t)1 << k;
    }
    return moved;
}

uint32_t skedi_share_stale(const sked_share *share, uint32_t family)
{
    return share->todo[family].dirty | skedi_share_moved(share, family);
}

int skedi_share_is_current(const sked_share *share, uint32_t row)
{
    const skedi_share_shape *shape = &skedi_share_rows_seen(share)->shape;
    uint32_t family = shape->member[row];

    if (skedi_share_is_complete(share)) return 1;
    while (family != SKEDI_NO_FAMILY) {
        const skedi_share_todo *todo = &share->todo[family];
        if (todo->dirty && todo->known != row) return 0;
        if (skedi_share_moved(share, family)) return 0;
        row = shape->families[family].parent;
        family = shape->member[row];
    }
    return 1;
}
