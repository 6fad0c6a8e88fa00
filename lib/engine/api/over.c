/* What was adopted past its bounds, or was there when they changed. */
#include "engine/api/over.h"

#include "engine/reservation.h"
#include "engine/queue.h"

/* Is some amount above its bound? */
static int any_above(const sked_engine *e, const int64_t *used,
                     const int64_t *bound)
{
    int above = 0;

    for (uint32_t k = 0; k < e->kinds; k++) above |= used[k] > bound[k];
    return above;
}

/* Does a queue use more than a limit of it, in all or in a partition? */
static int row_is_over(const sked_engine *e, uint32_t row)
{
    int64_t used[SKED_MAX_KINDS];
    int over = 0;

    for (uint32_t k = 0; k < e->kinds; k++) used[k] = skedi_row_used(e, row, k);
    over = any_above(e, used, e->rows.ceiling + (size_t)row * e->kinds);
    for (uint32_t p = 0; p < e->parts; p++) {
        size_t cell = cell_of(e, row, p);
        over |= any_above(e, cell_row(e, e->cell_used, cell),
                          cell_row(e, e->cell_limit, cell));
    }
    return over;
}

void skedi_count_over(const sked_engine *e, sked_engine_stats *stats)
{
    static const int64_t none[SKED_MAX_KINDS];

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t lacks[SKED_MAX_KINDS];
        for (uint32_t k = 0; k < e->kinds; k++) {
            lacks[k] = -engine_row_of(e, &e->node_free, n)[k] -
                       skedi_reservation_of(e, n, k);
        }
        stats->nodes_over += (uint64_t)any_above(e, lacks, none);
    }
    for (uint32_t row = 0; row < e->rows.n; row++) {
        stats->queues_over += (uint64_t)row_is_over(e, row);
    }
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        for (size_t row = 0; row < t->n; row++) {
            stats->queues_over += (uint64_t)any_above(
                e, t->used + row * e->kinds, t->limit + row * e->kinds);
        }
    }
}
