/* What the rows of a grid say of their queues: from the tree, once. */
#include "engine/queue.h"

#include "engine/pending.h"
#include "tree/attr.h"

static int64_t grid_amount(const skedi_image *image, uint32_t index, uint32_t k,
                           uint32_t row, int64_t rest)
{
    const int64_t *at = skedi_image_amounts(image, index, k);

    return at ? at[row] : rest;
}

/* The most of a kind that a queue may hold wherever it is. */
static int64_t grid_ceiling(const skedi_image *image, uint32_t k, uint32_t row)
{
    const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    int64_t limit = grid_amount(image, SKEDI_AT_LIMIT, k, row, SKED_UNLIMITED);
    int64_t borrow = grid_amount(image, SKEDI_AT_BORROW, k, row,
                                 SKED_UNLIMITED);
    int64_t own = grid_amount(image, SKEDI_AT_GUARANTEE, k, row, 0);

    /* The root has the capacity; parts are resolved partition by partition. */
    if (row == 0 || (parts && parts[row] != SKED_UNSET)) return limit;
    return skedi_i64_min(limit, skedi_amount_add(borrow, own));
}

static void grid_fill_row(engine_rows *r, const skedi_image *image,
                          uint32_t row)
{
    uint32_t up = row ? (uint32_t)image->parent[row] : 0;
    int closed = image->state[row] == SKED_STATE_DRAINING;

    r->id[row] = image->id[row];
    r->parent[row] = image->parent[row];
    r->first_child[row] = image->first_child[row];
    r->order[row] = image->order[row];
    r->fair_kind[row] = image->fair_kind[row];
    r->apps[row] = image->apps[row];
    r->closed[row] = (uint8_t)(closed || (row && r->closed[up]));
    r->weight[row] = image->weight[row];
    r->inverse[row] = skedi_drf_inverse(image->weight[row]);
    r->priority[row] = image->priority[row];
    r->tier[row] = (uint8_t)skedi_image_effective(
        image, SKED_QUEUE_TIER - SKED_QUEUE_WEIGHT, row);
    r->user_limit[row] = skedi_image_effective(
        image, SKED_QUEUE_USER_LIMIT - SKED_QUEUE_WEIGHT, row);
    r->user_factor[row] = skedi_image_effective(
        image, SKED_QUEUE_USER_FACTOR - SKED_QUEUE_WEIGHT, row);
    r->max_running[row] = skedi_image_effective(image, SKEDI_AT_MAX_RUNNING,
                                                row);
    r->am_share[row] = skedi_image_effective(image, SKEDI_AT_AM_SHARE, row);
    r->by_user[row] = r->user_limit[row] < SKED_PPM ||
                      r->user_factor[row] != SKED_UNLIMITED ||
                      r->apps[row] == SKED_APPS_USER_FAIR;
    r->best[row] = SKEDI_NONE;
    r->tagged += r->order[row] == SKED_ORDER_POLICY_DEFICIT;
    if (row) r->weights[up] += image->weight[row];
}

static int grid_guarantees(const sked_engine *e, const skedi_image *image,
                           uint32_t row)
{
    const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    int64_t sum = parts && parts[row] != SKED_UNSET ? parts[row] : 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        sum |= grid_amount(image, SKEDI_AT_GUARANTEE, k, row, 0);
    }
    return sum != 0;
}

/* Families in which something is guaranteed to a child, or below one. */
static void mark_promising(sked_engine *e, const skedi_image *image)
{
    engine_rows *r = &e->rows;

    for (uint32_t row = r->n; row-- > 1;) {
        uint32_t up = (uint32_t)r->parent[row];
        if (r->promising[row] || grid_guarantees(e, image, row)) {
            r->promising[up] = 1;
        }
    }
}

void skedi_grid_rows(sked_engine *e, const skedi_image *image)
{
    engine_rows *r = &e->rows;

    for (uint32_t row = 0; row < r->n; row++) {
        grid_fill_row(r, image, row);
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t most = grid_ceiling(image, k, row);
            r->ceiling[(size_t)row * e->kinds + k] = most;
            r->wide[row] |= most != SKED_UNLIMITED;
        }
    }
    r->first_child[r->n] = image->first_child[r->n];
    mark_promising(e, image);
    for (size_t c = 0; c < (size_t)r->n * e->parts; c++) {
        uint32_t row = (uint32_t)(c / e->parts);
        int steady = row_is_leaf(e, row) && skedi_line_is_steady(r->apps[row]);
        e->cells[c].steady = (uint8_t)steady;
        e->cells[c].turn.masks = (uint32_t)steady;
        e->cells[c].free_place = SKEDI_NONE;
        e->cells[c].blocked = SKEDI_NONE;
        e->cells[c].first_want = SKEDI_NONE;
    }
}

int skedi_grid_needs_shares(const skedi_image *image)
{
    const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    int needs = image->amount[SKEDI_AT_GUARANTEE] ||
                image->amount[SKEDI_AT_LEND];

    for (uint32_t row = 0; !needs && row < image->n; row++) {
        needs = image->order[row] == SKED_ORDER_POLICY_SHARE ||
                image->order[row] == SKED_ORDER_POLICY_UTILISATION ||
                image->order[row] == SKED_ORDER_POLICY_PRIORITY ||
                (parts && parts[row] != SKED_UNSET);
    }
    return needs;
}

int skedi_grid_bounds_masters(const skedi_image *image)
{
    for (uint32_t row = 0; row < image->n; row++) {
        if (skedi_image_effective(image, SKEDI_AT_AM_SHARE, row) !=
            SKED_UNLIMITED) {
            return 1;
        }
    }
    return 0;
}
