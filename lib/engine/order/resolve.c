/*
 * What follows from a partition's capacity: limits and guarantees in amounts,
 * and with them every key. It is made anew as a whole when the capacity
 * changed.
 */
#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/budget.h"
#include "engine/order/shares.h"

/* A queue holds no more than it may borrow beyond its guarantee. */
static void resolve_borrow(sked_engine *e, uint32_t partition, uint32_t k)
{
    const skedi_image *image = skedi_tree_image(e->tree);
    const int64_t *borrow = skedi_image_amounts(image, SKEDI_AT_BORROW, k);

    for (uint32_t row = 1; borrow && row < e->rows.n; row++) {
        size_t at = cell_of(e, row, partition) * e->kinds + k;
        int64_t most = skedi_amount_add(borrow[row], e->cell_promised[at]);
        e->cell_limit[at] = skedi_i64_min(e->cell_limit[at], most);
    }
}

/* Of a kind that lies on no node the root holds what there is: no node bounds
 * it. */
static void resolve_pool(sked_engine *e, uint32_t partition, uint32_t k)
{
    int64_t *limit = &e->cell_limit[cell_of(e, 0, partition) * e->kinds + k];
    int64_t all = e->capacity[(size_t)partition * e->kinds + k];

    if (kind_is_pooled(e, k)) *limit = skedi_i64_min(*limit, all);
}

/* Which cells have any limit to ask about, and any guarantee. */
static void resolve_bounded(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t cell = cell_of(e, row, partition);
        const int64_t *limit = cell_row(e, e->cell_limit, cell);
        const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;
        const int64_t *promised = cell_row(e, e->cell_promised, cell);
        uint8_t bounded = 0, some = 0;
        for (uint32_t k = 0; k < e->kinds; k++) {
            some |= promised[k] > 0;
            if (limit[k] == SKED_UNLIMITED && ceiling[k] == SKED_UNLIMITED) {
                continue;
            }
            bounded = 1;
        }
        e->cells[cell].promised = some;
        e->cells[cell].bounded = bounded;
        e->cells[cell].under_bound = bounded;
        if (row == 0) continue;
        size_t above = cell_of(e, (uint32_t)e->rows.parent[row], partition);
        e->cells[cell].under_bound |= e->cells[above].under_bound;
    }
}

/* Limits and guarantees of a partition, from the tree and its capacity. */
static void resolve_partition(sked_engine *e, uint32_t partition)
{
    const skedi_image *image = skedi_tree_image(e->tree);
    const int64_t *capacity = e->capacity + (size_t)partition * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        e->scale[(size_t)partition * e->kinds + k] = skedi_drf_scale_of(
            capacity[k]);
        for (int what = 0; what < 2; what++) {
            int64_t *to = what ? e->cell_promised : e->cell_limit;
            skedi_image_resolve(image,
                                what ? SKEDI_AT_GUARANTEE : SKEDI_AT_LIMIT, k,
                                capacity[k], e->resolved);
            for (uint32_t row = 0; row < e->rows.n; row++) {
                to[cell_of(e, row, partition) * e->kinds + k] =
                    e->resolved[row];
            }
        }
        resolve_borrow(e, partition, k);
        resolve_pool(e, partition, k);
    }
    skedi_shares_resolve(e, partition);
    resolve_bounded(e, partition);
}

void skedi_partition_refresh(sked_engine *e, uint32_t partition)
{
    engine_partition *p = &e->partition[partition];

    if (!p->dirty) return;
    p->dirty = 0;
    p->struck = 0;
    resolve_partition(e, partition);
    p->fresh = 0;
    for (uint32_t row = e->rows.n; row-- > 0;) {
        size_t cell = cell_of(e, row, partition);
        e->cells[cell].full = 0;
        e->cells[cell].turned = 0;
        if (row_is_leaf(e, row)) {
            skedi_cell_renew_lead(e, row, partition);
            skedi_line_rekey_all(e, cell);
        }
        if (row > 0) skedi_cell_play(e, row, partition);
    }
    skedi_accounts_wake_all(e, partition);
    skedi_partition_stir(e, partition);
}
