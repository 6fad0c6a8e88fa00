/*
 * What the children of a queue add up to. A queue that states no guarantee has
 * the sum of those below it, so sums are taken over the nearest guarantees that
 * are stated, however deep they stand.
 */
#include "tree/fault.h"

int skedi_any_guaranteed(const int64_t *amounts, uint32_t kinds)
{
    for (uint32_t k = 0; amounts && k < kinds; k++) {
        if (amounts[k] > 0) return 1;
    }
    return 0;
}

static void child_sum(const skedi_draft *draft, uint32_t slot,
                      skedi_sum_below *sum)
{
    const int64_t *own = skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, slot);
    int64_t part = skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot);
    int64_t priority = skedi_draft_number(draft, SKEDI_AT_PRIORITY, slot);
    int any = skedi_any_guaranteed(own, draft->kinds);

    sum->highest = skedi_i64_max(sum->highest, priority);
    if (any || part > 0) sum->lowest = skedi_i64_min(sum->lowest, priority);
    sum->n_weighty += skedi_draft_number(draft, SKEDI_AT_WEIGHT, slot) > 0;
    if (part != SKED_UNSET) {
        sum->parts += part;
        sum->n_parts++;
    }
    sum->n_amounts += any;
}

int skedi_rules_states(const skedi_draft *draft, uint32_t slot)
{
    return skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot) !=
               SKED_UNSET ||
           skedi_any_guaranteed(
               skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, slot),
               draft->kinds);
}

/* Adds up the nearest guarantees stated below; of a part no amount is known. */
static void guarantees_add(const skedi_draft *draft, uint32_t top,
                           skedi_sum_below *sum)
{
    uint32_t s = skedi_draft_next(draft, top, top, 0);

    while (s != SKEDI_NO_SLOT) {
        int stated = skedi_rules_states(draft, s);
        const int64_t *own = skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, s);
        for (uint32_t k = 0; stated && k < draft->kinds; k++) {
            sum->guarantee[k] = skedi_u128_add(sum->guarantee[k],
                                               skedi_u128_of((uint64_t)own[k]));
        }
        s = skedi_draft_next(draft, top, s, stated);
    }
}

int64_t skedi_sum_amount(skedi_u128 sum)
{
    skedi_u128 most = skedi_u128_of(INT64_MAX);

    return skedi_u128_cmp(sum, most) > 0 ? INT64_MAX
                                         : (int64_t)skedi_u128_low(sum);
}

/* What a queue is guaranteed itself. What the root has is not known here unless
 * it says so. */
static void own_guarantee(const skedi_draft *draft, uint32_t slot,
                          skedi_sum_below *sum)
{
    const int64_t *own = skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, slot);

    sum->lifted = own && slot != 0 && !skedi_rules_states(draft, slot);
    for (uint32_t k = 0; own && k < draft->kinds; k++) {
        sum->has[k] = sum->lifted ? skedi_sum_amount(sum->guarantee[k])
                                  : own[k];
    }
}

void skedi_family_add(const skedi_draft *draft, uint32_t slot,
                      skedi_sum_below *sum)
{
    int any = draft->amount[SKEDI_AT_GUARANTEE].at != NULL;

    sum->parts = sum->n_parts = sum->n_amounts = sum->n_weighty = 0;
    sum->highest = INT64_MIN;
    sum->lowest = INT64_MAX;
    for (uint32_t k = 0; k < draft->kinds; k++) {
        sum->guarantee[k] = skedi_u128_of(0);
        sum->has[k] = 0;
    }
    for (uint32_t s = draft->slot[slot].first; s != SKEDI_NO_SLOT;
         s = draft->slot[s].next) {
        child_sum(draft, s, sum);
    }
    if (any && (slot != 0 || skedi_rules_states(draft, slot))) {
        guarantees_add(draft, slot, sum);
    }
    own_guarantee(draft, slot, sum);
}
