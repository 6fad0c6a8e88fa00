/*
 * A weight counts in the keys of orders, which are made anew at once, and in
 * shares, which the next pass makes anew. Only a weight of 0 is a bound, and
 * none becomes 0 here.
 */
#include "engine/core/weights.h"

#include "base/fail.h"
#include "engine/order/books.h"

static uint32_t weight_of_tree(const sked_engine *e, uint32_t row)
{
    return skedi_tree_image(e->tree)->weight[row];
}

static void count_weight(engine_rows *rows, uint32_t row, uint32_t weight)
{
    uint64_t *sum = &rows->weights[rows->parent[row]];

    *sum += weight;
    *sum -= rows->weight[row];
    rows->weight[row] = weight;
    rows->inverse[row] = skedi_drf_inverse(weight);
}

static sked_status check_weight(const sked_engine *e, const sked_event *event,
                                uint32_t row, sked_error *err)
{
    skedi_fault fault = {.queue = event->queue};

    if (row == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue", fault);
    }
    if (event->count < 0 || event->count > UINT32_MAX) {
        fault.got = event->count;
        fault.limit = UINT32_MAX;
        return skedi_fail(err, SKED_ERR_RANGE, "weight is out of range", fault);
    }
    if (row == 0 || weight_of_tree(e, row) == 0) {
        return skedi_fail(err, SKED_ERR_STATE, "the queue has no weight",
                          fault);
    }
    return SKED_OK;
}

sked_status skedi_queue_weight(sked_engine *e, const sked_event *event,
                               sked_error *err)
{
    uint32_t row = skedi_image_row(skedi_tree_image(e->tree), event->queue);
    sked_status rc = check_weight(e, event, row, err);

    if (rc != SKED_OK) return rc;
    uint32_t weight = (uint32_t)event->count;
    e->rows.said[row] = weight;
    count_weight(&e->rows, row, weight ? weight : weight_of_tree(e, row));
    for (uint32_t p = 0; p < e->parts; p++) {
        e->partition[p].fresh = 0;
        if (!e->partition[p].dirty) skedi_cell_play(e, row, p);
        skedi_partition_stir(e, p);
    }
    e->epochs++; /* a round looks at it, too */
    return SKED_OK;
}

int skedi_weight_differs(const sked_engine *e, uint32_t row, uint32_t *tree)
{
    *tree = weight_of_tree(e, row);
    return row != 0 && e->rows.said[row] && e->rows.said[row] != *tree;
}

void skedi_weights_carry(sked_engine *e, const sked_engine *old,
                         const uint32_t *row_of)
{
    for (uint32_t row = 1; row < old->rows.n; row++) {
        uint32_t to = row_of ? row_of[row] : row, said = old->rows.said[row];
        if (!said || to == SKEDI_NO_ROW || e->rows.weight[to] == 0) continue;
        e->rows.said[to] = said;
        count_weight(&e->rows, to, said);
    }
}

int skedi_weights_are_sound(const sked_engine *e)
{
    const engine_rows *r = &e->rows;

    for (uint32_t row = 0; row < r->n; row++) {
        uint32_t weight = row && r->said[row] ? r->said[row]
                                              : weight_of_tree(e, row);
        uint64_t sum = 0;
        for (uint32_t c = r->first_child[row]; c < r->first_child[row + 1];
             c++) {
            sum += r->weight[c];
        }
        if (r->weight[row] != weight || sum != r->weights[row]) return 0;
    }
    return 1;
}
