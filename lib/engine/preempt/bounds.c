/*
 * How far leaves may claim by each policy of a list, and what they keep, from
 * the shares that placement goes by. A leaf has one keep, the most that any of
 * the policies lets it: so what it claims by one stays within what it keeps,
 * and nothing that is protected by one goes by another.
 */
#include <string.h>

#include "engine/order/shares.h"
#include "engine/preempt/owners.h"
#include "target/handle.h"

static const sked_target_options *dialect_of(const sked_engine *e,
                                             uint32_t policy)
{
    return &e->preempt->target[policy]->options;
}

int skedi_is_below_other_order(const sked_engine *e, uint32_t row)
{
    while (row > 0) {
        row = (uint32_t)e->rows.parent[row];
        int order = e->rows.order[row];
        if (order == SKED_ORDER_POLICY_FIFO ||
            order == SKED_ORDER_POLICY_RANDOM ||
            order == SKED_ORDER_POLICY_PRIORITY) {
            return 1;
        }
    }
    return 0;
}

/* floor(amount * (10^6 + more) / 10^6), or rounded up. */
static int64_t raised(int64_t amount, int64_t more, int up)
{
    uint64_t rest;
    skedi_u128 sum = skedi_u128_mul((uint64_t)amount,
                                    (uint64_t)(SKED_PPM + more));
    skedi_u128 part = skedi_u128_div(sum, (uint64_t)SKED_PPM, &rest);
    skedi_u128 most = skedi_u128_of((uint64_t)SKED_AMOUNT_MAX);

    if (skedi_u128_cmp(part, most) >= 0) return SKED_AMOUNT_MAX;
    return (int64_t)skedi_u128_low(part) + (up && rest > 0);
}

/* With SKED_TARGET_FLAG_BY_WEIGHT: the kinds in which nothing is guaranteed in
 * the family of a row. */
static uint32_t kinds_by_weight(const sked_engine *e,
                                const sked_target_options *o, uint32_t row,
                                uint32_t partition)
{
    uint32_t kinds = 0, up = row ? (uint32_t)e->rows.parent[row] : 0;

    if (row == 0 || !(o->flags & SKED_TARGET_FLAG_BY_WEIGHT)) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t any = 0;
        for (uint32_t c = e->rows.first_child[up];
             c < e->rows.first_child[up + 1]; c++) {
            any |= cell_row(e, e->cell_promised, cell_of(e, c, partition))[k];
        }
        if (!any) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

/* Kinds of which a queue on a path wants more than its family has. */
static uint32_t contended_above(const round_part *part, uint32_t row)
{
    const sked_engine *e = part->e;
    uint32_t kinds = 0;

    while (row > 0) {
        row = (uint32_t)e->rows.parent[row];
        kinds |= skedi_contended(e, row, part->partition);
    }
    return kinds;
}

/* Do claims reach up to the share? */
static int claims_share(const sked_engine *e, const sked_target_options *o,
                        uint32_t row)
{
    int whole = o->mode == SKED_TARGET_MODE_ENTITLEMENT ||
                o->flags & SKED_TARGET_FLAG_BALANCE;

    return whole && !skedi_is_below_other_order(e, row);
}

/* Does a leaf claim a part of its share, guaranteed or not, once its fair
 * time-out has passed? */
static int claims_fair_part(const sked_engine *e, const sked_target_options *o,
                            uint32_t row)
{
    int64_t timeout = skedi_image_effective(skedi_tree_image(e->tree),
                                            SKEDI_AT_FAIR_TIMEOUT, row);

    return o->mode == SKED_TARGET_MODE_STARVATION &&
           timeout != SKED_UNLIMITED && !skedi_is_below_other_order(e, row);
}

/* How far a leaf may claim by a policy once it is due. */
static void claim_bounds(const sked_engine *e, const sked_target_options *o,
                         uint32_t row, uint32_t partition, uint32_t by_weight,
                         int64_t *claim)
{
    size_t cell = cell_of(e, row, partition);
    const int64_t *share = cell_row(e, e->cell_share, cell);
    int whole = claims_share(e, o, row);

    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t most = cell_row(e, e->cell_claim, cell)[k];
        if (by_weight >> k & 1) {
            most = skedi_i64_max(most, cell_row(e, e->cell_part, cell)[k]);
        }
        claim[k] = whole ? share[k] : skedi_i64_min(most, share[k]);
    }
}

int32_t skedi_claim_lacks(const sked_engine *e, uint32_t row,
                          uint32_t partition, const int64_t *need,
                          int64_t *claim)
{
    int64_t own[SKED_MAX_KINDS], most[SKED_MAX_KINDS] = {0};
    int32_t lacks = -1;

    for (uint32_t i = 0; i < e->preempt->policies; i++) {
        const sked_target_options *o = dialect_of(e, i);
        claim_bounds(e, o, row, partition,
                     kinds_by_weight(e, o, row, partition), own);
        lacks = -1;
        for (uint32_t k = e->kinds; k-- > 0;) {
            most[k] = skedi_i64_max(most[k], own[k]);
            if (need[k] > own[k]) lacks = (int32_t)k;
        }
        if (lacks < 0) return -1;
        *claim = own[lacks];
    }
    for (uint32_t k = e->kinds; k-- > 0;) {
        if (need[k] <= most[k]) continue;
        lacks = (int32_t)k;
        *claim = most[k];
    }
    return lacks;
}

/* One leaf: how far it may claim by a policy once it is due; what it keeps, if
 * that is more than by the policies before; and the kinds of which a step has
 * to need one, so that it claims at all. */
static void bound_queue(const round_part *part, uint32_t policy, uint32_t row,
                        uint32_t by_weight, int64_t *claim, int64_t *keep)
{
    const sked_engine *e = part->e;
    const sked_target_options *o = dialect_of(e, policy);
    size_t cell = cell_of(e, row, part->partition);
    const int64_t *share = cell_row(e, e->cell_share, cell);
    const int64_t *force = cell_row(e, e->cell_force, cell);
    uint32_t *named = &part->policy[policy].named[row];

    *named = skedi_named(e, row, part->partition) | by_weight;
    if (claims_share(e, o, row) || claims_fair_part(e, o, row)) {
        *named |= contended_above(part, row);
    }
    claim_bounds(e, o, row, part->partition, by_weight, claim);
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t own = o->mode == SKED_TARGET_MODE_IMBALANCE
                          ? skedi_i64_max(share[k],
                                          raised(force[k], o->ignored_ppm, 1))
                          : raised(share[k], o->ignored_ppm, 0);
        keep[k] = skedi_i64_max(keep[k], own);
    }
}

/* All leaves, by one policy. Siblings stand side by side, so what holds for a
 * family is worked out once. */
static void bound_by_policy(const round_part *part, uint32_t policy,
                            int64_t *claim, int64_t *keep)
{
    const sked_engine *e = part->e;
    int32_t up = -1;
    uint32_t by_weight = 0;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = (size_t)row * e->kinds;
        if (row > 0 && e->rows.parent[row] != up) {
            up = e->rows.parent[row];
            by_weight = kinds_by_weight(e, dialect_of(e, policy), row,
                                        part->partition);
        }
        if (!row_is_leaf(e, row)) continue;
        bound_queue(part, policy, row, by_weight, claim + at, keep + at);
    }
}

void skedi_bound_leaves(round_part *part, int64_t *const *claim, int64_t *keep)
{
    for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
        bound_by_policy(part, i, claim[i], keep);
    }
}
