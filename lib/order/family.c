/*
 * One family of a tree: the eligible children, their usage and guarantees, and
 * the key of each child.
 */
#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"
#include "order/handle.h"

SKEDI_NO_TAIL_PADDING(sked_order_input, share);

enum { ORDER_VIEW_V1 = SKEDI_SIZE_THROUGH(sked_order_input, eligible) };

sked_status skedi_order_look(const sked_order_input *view,
                             skedi_order_sight *sight, sked_error *err)
{
    sked_order_input seen;

    if (!view) return skedi_fail_null(err, "input");
    sked_status rc = skedi_struct_in(&seen, sizeof seen, view, ORDER_VIEW_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    if (seen.flags || !seen.tree || !seen.capacity || !seen.ledger) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "view lacks something");
    }
    *sight = (skedi_order_sight){
        .image = skedi_tree_image(seen.tree),
        .ledger = seen.ledger,
        .capacity = seen.capacity,
        .eligible = seen.eligible,
        .share = seen.share,
    };
    if (!skedi_ledger_follows(seen.ledger, sight->image)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the ledger follows other rows");
    }
    return skedi_amounts_in(seen.capacity, 1, sight->image->kinds,
                            "capacity is out of range", err);
}

static int reads_guarantees(const sked_order *order, int32_t of_parent)
{
    return skedi_order_by_parts(of_parent) ||
           (order->flags & SKED_ORDER_FLAG_GUARANTEE_FIRST) != 0;
}

sked_status skedi_order_shares_in(const sked_order *order,
                                  const skedi_order_sight *sight,
                                  uint32_t parent, sked_error *err)
{
    const skedi_image *image = sight->image;
    int needed = image->order[parent] == SKED_ORDER_POLICY_SHARE;
    uint32_t first = image->first_child[parent];

    if (!sight->share && needed) {
        return skedi_fail(err, SKED_ERR_ARG, "order share lacks shares",
                          (skedi_fault){.queue = image->id[parent]});
    }
    if (!sight->share ||
        !(needed || reads_guarantees(order, image->order[parent]))) {
        return SKED_OK;
    }
    sked_status rc = skedi_amounts_in(
        sight->share + (size_t)first * image->kinds,
        skedi_image_children(image, parent), image->kinds,
        "share is out of range", err);
    if (rc != SKED_OK && err) err->row += first;
    return rc;
}

/* Checks that the demand of a queue is above its usage in some kind. A draining
 * queue wants no resources. */
static int wants_more(const skedi_order_sight *sight, uint32_t row)
{
    if (sight->image->state[row] == SKED_STATE_DRAINING) return 0;
    for (uint32_t k = 0; k < sight->image->kinds; k++) {
        int64_t has = skedi_ledger_column(sight->ledger, SKED_LEDGER_USAGE,
                                          k)[row];
        int64_t wants = skedi_ledger_column(sight->ledger, SKED_LEDGER_DEMAND,
                                            k)[row];
        if (wants > has) return 1;
    }
    return 0;
}

static int may_go(const skedi_order_sight *sight, uint32_t row)
{
    return sight->eligible ? sight->eligible[row] != 0 : wants_more(sight, row);
}

/* The guarantee of a row, in amounts. `above` is the guarantee of its parent.
 */
static void said_of(const skedi_image *image, uint32_t row,
                    const int64_t *above, int64_t *said)
{
    const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    int64_t ppm = parts ? parts[row] : SKED_UNSET;
    uint64_t rem;

    for (uint32_t k = 0; k < image->kinds; k++) {
        const int64_t *own = skedi_image_amounts(image, SKEDI_AT_GUARANTEE, k);
        said[k] = own ? own[row] : 0;
        if (ppm == SKED_UNSET) continue;
        said[k] = (int64_t)skedi_muldiv((uint64_t)above[k], (uint64_t)ppm,
                                        (uint64_t)SKED_PPM, &rem);
    }
}

static uint64_t family_weight(const skedi_image *image, uint32_t parent)
{
    uint64_t sum = 0;

    for (uint32_t r = image->first_child[parent];
         r < image->first_child[parent + 1]; r++) {
        sum += image->weight[r];
    }
    return sum;
}

/* The amounts divided in a family: the configured guarantee, or amounts by
 * weight without a configured guarantee. */
typedef struct family_guarantee {
    int64_t said[SKED_MAX_KINDS];
    int64_t holds[SKED_MAX_KINDS];
} family_guarantee;

/* Replaces the amounts of a parent by the amounts of its child at `row`. */
static void step_down(const skedi_image *image, uint32_t row,
                      family_guarantee *at)
{
    int64_t said[SKED_MAX_KINDS];
    uint64_t rem, all = 0, weight = image->weight[row];

    said_of(image, row, at->said, said);
    for (uint32_t k = 0; k < image->kinds; k++) {
        at->said[k] = said[k];
        if (said[k] > 0 || weight == 0) {
            at->holds[k] = said[k];
            continue;
        }
        if (!all) all = family_weight(image, (uint32_t)image->parent[row]);
        at->holds[k] = (int64_t)skedi_muldiv((uint64_t)at->holds[k], weight,
                                             all, &rem);
    }
}

/* The amounts divided among the children of `row`. The children of the root
 * divide the capacity. */
static void guarantee_of(const skedi_order_sight *sight, uint32_t row,
                         family_guarantee *at)
{
    const skedi_image *image = sight->image;
    uint32_t path[SKED_MAX_DEPTH], steps = 0;

    for (uint32_t k = 0; k < image->kinds; k++) {
        at->said[k] = at->holds[k] = sight->capacity[k];
    }
    for (uint32_t r = row; r != 0; r = (uint32_t)image->parent[r]) {
        path[steps++] = r;
    }
    while (steps > 0) step_down(image, path[--steps], at);
}

/* The input of the keys of a family, with the memory of the input. */
typedef struct order_family {
    skedi_order_rule rule;
    skedi_drf_scale scale[SKED_MAX_KINDS];
    family_guarantee guarantee;
} order_family;

static void family_start(order_family *family, const sked_order *order,
                         const skedi_order_sight *sight, uint32_t row)
{
    const skedi_image *image = sight->image;
    skedi_order_rule *rule = &family->rule;

    *rule = (skedi_order_rule){
        .order = image->order[row],
        .flags = order->flags,
        .kind = image->fair_kind[row],
        .kinds = image->kinds,
        .scale = family->scale,
        .parent = family->guarantee.holds,
    };
    if (rule->order == SKED_ORDER_POLICY_DRF) {
        for (uint32_t k = 0; k < image->kinds; k++) {
            family->scale[k] = skedi_drf_scale_of(sight->capacity[k]);
        }
    }
    if (reads_guarantees(order, rule->order)) {
        guarantee_of(sight, row, &family->guarantee);
        rule->weights = family_weight(image, row);
    }
}

static sked_order_key child_key(order_family *family, const sked_order *order,
                                const skedi_order_sight *sight, uint32_t row)
{
    const skedi_image *image = sight->image;
    int64_t usage[SKED_MAX_KINDS], guarantee[SKED_MAX_KINDS];
    skedi_order_child child = {
        .usage = usage,
        .guarantee = guarantee,
        .weight = image->weight[row],
        .priority = image->priority[row],
    };

    for (uint32_t k = 0; k < image->kinds; k++) {
        usage[k] = skedi_ledger_column(sight->ledger, SKED_LEDGER_USAGE,
                                       k)[row];
    }
    if (sight->share) child.share = sight->share + (size_t)row * image->kinds;
    if (reads_guarantees(order, family->rule.order)) {
        said_of(image, row, family->guarantee.said, guarantee);
    } else {
        child.guarantee = NULL;
    }
    return skedi_order_key(&family->rule, &child);
}

void skedi_order_gather(sked_order *order, const skedi_order_sight *sight,
                        uint32_t parent)
{
    order_family family;
    uint32_t end = sight->image->first_child[parent + 1];

    family_start(&family, order, sight, parent);
    order->sorting.n = 0;
    for (uint32_t r = sight->image->first_child[parent]; r < end; r++) {
        if (!may_go(sight, r)) continue;
        skedi_order_sorting_add(&order->sorting, r,
                                child_key(&family, order, sight, r));
    }
}
