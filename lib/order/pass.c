/*
 * Passes over a family: listing it, picking the first, and charging what was
 * given. A pass first makes sure of its memory; after that nothing can fail,
 * so that a refused call has drawn no number and moved no level.
 */
#include "base/arith.h"
#include "base/fail.h"
#include "order/handle.h"

/* One pass that is under way. */
typedef struct order_pass {
    skedi_order_sight sight;
    uint32_t parent;
    sked_order_key least; /* of the parent's order alone */
} order_pass;

static int goes_by(const order_pass *pass, int32_t order)
{
    return pass->sight.image->order[pass->parent] == order;
}

static sked_status pass_start(order_pass *pass, sked_order *order,
                              const sked_order_input *view,
                              sked_queue_id parent, sked_error *err)
{
    sked_status rc = skedi_order_look(view, 1, &pass->sight, err);

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
    int ok = skedi_order_sorting_make(&order->sorting, &order->hooks.mem,
                                      children);
    if (ok && goes_by(pass, SKED_ORDER_POLICY_DEFICIT)) {
        ok = skedi_order_memory_ensure(order, parent);
    }
    if (!ok) return skedi_fail_memory(err);
    pass->least = skedi_order_gather(order, &pass->sight, pass->parent);
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

/* The level follows the least tag up; weight 0 has none: all ones. */
static void raise_level(sked_order *order, const order_pass *pass)
{
    const skedi_image *image = pass->sight.image;
    int none = (pass->least.high & pass->least.low) == UINT64_MAX;

    if (!goes_by(pass, SKED_ORDER_POLICY_DEFICIT) || none) return;
    skedi_order_remember(order, skedi_order_place_of(image, pass->parent))
        ->level = pass->least;
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
    raise_level(order, &pass);
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
        /* Then all are. */
        first = (size_t)skedi_random_below(&order->random, order->sorting.n);
    }
    raise_level(order, &pass);
    *child = pass.sight.image->id[order->sorting.positions[first]];
    return SKED_OK;
}

/* Counts a family's tags from its level on, so that there is memory again: only
 * their distance counts, and what is below the level counts as the level. */
static void count_from_level(sked_order *order, const skedi_image *image,
                             uint32_t parent, skedi_order_memory *of_parent)
{
    sked_order_key level = of_parent->level;
    skedi_u128 base = skedi_u128_make(level.high, level.low);
    uint32_t end = image->first_child[parent + 1];

    for (uint32_t r = image->first_child[parent]; r < end; r++) {
        uint32_t slot = (uint32_t)image->id[r];
        skedi_order_place place = skedi_order_place_of(image, r);
        if (slot >= order->slots ||
            !skedi_order_same_queue(order->memory[slot].of, place) ||
            !skedi_order_same_parent(order->memory[slot].of, place)) {
            continue;
        }
        sked_order_key *tag = &order->memory[slot].tag;
        int ahead = skedi_order_compare(*tag, level) > 0;
        skedi_u128 left = skedi_u128_sub(skedi_u128_make(tag->high, tag->low),
                                         base);
        *tag = ahead ? (sked_order_key){skedi_u128_high(left),
                                        skedi_u128_low(left)}
                     : (sked_order_key){0};
    }
    of_parent->level = (sked_order_key){0};
}

static sked_order_key later(sked_order_key a, sked_order_key b)
{
    return skedi_order_compare(a, b) < 0 ? b : a;
}

/* Moves the tag of `row` on by a cost. */
static sked_status charge_row(sked_order *order, const skedi_order_sight *sight,
                              uint32_t row, const int64_t *cost,
                              sked_error *err)
{
    const skedi_image *image = sight->image;
    uint32_t parent = (uint32_t)image->parent[row];
    skedi_order_rule rule = {.kinds = image->kinds,
                             .capacity = sight->capacity};

    if (!skedi_order_memory_ensure(order, image->id[row]) ||
        !skedi_order_memory_ensure(order, image->id[parent])) {
        return skedi_fail_memory(err);
    }
    skedi_order_memory *child = skedi_order_remember(
        order, skedi_order_place_of(image, row));
    skedi_order_memory *up = skedi_order_remember(
        order, skedi_order_place_of(image, parent));
    sked_order_key from = later(child->tag, up->level);
    if (!skedi_order_advance(&rule, from, cost, image->weight[row],
                             &child->tag)) {
        child->tag = from;
        count_from_level(order, image, parent, up);
        (void)skedi_order_advance(&rule, child->tag, cost, image->weight[row],
                                  &child->tag);
    }
    return SKED_OK;
}

sked_status sked_order_charge(sked_order *order, const sked_order_input *input,
                              sked_queue_id queue, const int64_t *amounts,
                              sked_error *err)
{
    skedi_order_sight sight = {0};

    const char *missing = !order ? "order" : !amounts ? "amounts" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_order_look(input, 0, &sight, err);
    if (rc != SKED_OK) return rc;
    const skedi_image *image = sight.image;
    uint32_t row = skedi_image_row(image, queue);
    if (row == SKEDI_NO_ROW) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue",
                          (skedi_fault){.queue = queue});
    }
    if (row == 0) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "the root has no turn");
    }
    rc = skedi_amounts_in(amounts, 1, image->kinds, "amount is out of range",
                          err);
    if (rc != SKED_OK ||
        image->order[image->parent[row]] != SKED_ORDER_POLICY_DEFICIT ||
        image->weight[row] == 0) {
        return rc;
    }
    return charge_row(order, &sight, row, amounts, err);
}
