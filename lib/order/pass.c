/*
 * Passes over a family: listing the children, or picking the first child. A
 * pass reserves memory before the first draw of a number: a failed call has
 * drawn no number.
 */
#include "base/fail.h"
#include "order/handle.h"

/* One pass. */
typedef struct order_pass {
    skedi_order_sight sight;
    uint32_t parent;
} order_pass;

static int goes_by(const order_pass *pass, int32_t order)
{
    return pass->sight.image->order[pass->parent] == order;
}

static sked_status pass_start(order_pass *pass, sked_order *order,
                              const sked_order_input *view,
                              sked_queue_id parent, sked_error *err)
{
    sked_status rc = skedi_order_look(view, &pass->sight, err);

    if (rc != SKED_OK) return rc;
    const skedi_image *image = pass->sight.image;
    skedi_fault fault = {.queue = parent};
    pass->parent = skedi_image_row(image, parent);
    if (pass->parent == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue", fault);
    }
    uint32_t children = skedi_image_children(image, pass->parent);
    if (children == 0) {
        return skedi_fail(err, SKED_ERR_ARG, "queue is a leaf", fault);
    }
    rc = skedi_order_shares_in(order, &pass->sight, pass->parent, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_hooks_check(&order->hooks, 0, children);
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    if (!skedi_order_sorting_make(&order->sorting, &order->hooks.mem,
                                  children)) {
        return skedi_fail_memory(err);
    }
    skedi_order_gather(order, &pass->sight, pass->parent);
    return SKED_OK;
}

/* The place in the memory of the least key. */
static size_t least_key(const skedi_order_sorting *sorting)
{
    size_t least = 0;

    for (size_t i = 1; i < sorting->n; i++) {
        if (skedi_order_compare(sorting->keys[i], sorting->keys[least]) < 0) {
            least = i;
        }
    }
    return least;
}

sked_status sked_order_list(sked_order *order, const sked_order_input *input,
                            sked_queue_id parent, sked_queue_id *ids,
                            size_t cap, size_t *n, sked_error *err)
{
    order_pass pass;

    const char *missing = !order            ? "order"
                          : !n              ? "n"
                          : cap > 0 && !ids ? "ids"
                                            : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = pass_start(&pass, order, input, parent, err);
    if (rc != SKED_OK) return rc;
    skedi_order_sorting *sorting = &order->sorting;
    *n = sorting->n;
    if (cap < sorting->n) {
        return skedi_fail_cap(err, sorting->n, cap);
    }
    if (sorting->n == 0) return SKED_OK;
    if (goes_by(&pass, SKED_ORDER_POLICY_RANDOM)) {
        skedi_order_shuffle(sorting, skedi_order_undrawn(order->flags),
                            &order->random);
    }
    skedi_order_sort(sorting);
    for (size_t i = 0; i < sorting->n; i++) {
        uint32_t row = sorting->positions[sorting->items[i].index];
        ids[i] = pass.sight.image->id[row];
    }
    return SKED_OK;
}

sked_status sked_order_next(sked_order *order, const sked_order_input *input,
                            sked_queue_id parent, sked_queue_id *child,
                            sked_error *err)
{
    order_pass pass;

    const char *missing = !order ? "order" : !child ? "child" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    *child = SKED_NO_QUEUE;
    sked_status rc = pass_start(&pass, order, input, parent, err);
    if (rc != SKED_OK || order->sorting.n == 0) return rc;

    size_t first = least_key(&order->sorting);
    if (goes_by(&pass, SKED_ORDER_POLICY_RANDOM) &&
        order->sorting.keys[first].high == skedi_order_undrawn(order->flags)) {
        /* All children are undrawn. */
        first = (size_t)skedi_random_below(&order->random, order->sorting.n);
    }
    *child = pass.sight.image->id[order->sorting.positions[first]];
    return SKED_OK;
}
