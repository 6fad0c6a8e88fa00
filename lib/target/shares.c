/*
 * What the targets of a round are measured against: guarantees in force, what
 * of the demand counts, and the shares that follow.
 *
 * Rows stand with parents first, so that one sweep from the last to the first
 * sums children into parents, and one forwards hands down. Sums live in memory
 * that is used later for something else.
 */
#include "base/fail.h"
#include "target/state.h"

/* ---- Guarantees ---- */

static uint64_t target_weight(const skedi_targets *t, size_t row)
{
    return t->queues.weight ? t->queues.weight[row] : 1;
}

static void copy_guarantees(skedi_targets *t)
{
    int64_t *to = skedi_targets_column(t, SKEDI_TARGET_GUARANTEE);

    for (size_t i = 0; i < t->n * t->kinds; i++) {
        to[i] = t->queues.guarantee ? t->queues.guarantee[i] : 0;
    }
}

/*
 * In families where nothing is guaranteed of a kind, every child is guaranteed
 * its weight's part, up to the unit: what the weights up to it have, rounded
 * down, less what those before it have.
 */
static void guarantee_by_weight(skedi_targets *t, size_t k)
{
    int64_t *own = skedi_targets_column(t, SKEDI_TARGET_GUARANTEE) + k;
    int64_t *told = skedi_targets_column(t, SKEDI_TARGET_SHARES);
    uint64_t *sum = (uint64_t *)skedi_targets_column(t, SKEDI_TARGET_TAKES);
    uint64_t *before = (uint64_t *)skedi_targets_column(t, SKEDI_TARGET_OWES);
    size_t step = t->kinds;

    for (size_t row = 0; row < t->n; row++) {
        told[row] = 0;
        sum[row] = before[row] = 0;
    }
    for (size_t row = 1; row < t->n; row++) {
        size_t up = (size_t)t->queues.parent[row];
        told[up] |= own[row * step];
        sum[up] += target_weight(t, row);
    }
    own[0] = t->queues.capacity[k];
    for (size_t row = 1; row < t->n; row++) {
        size_t up = (size_t)t->queues.parent[row];
        uint64_t whole = (uint64_t)own[up * step], rest;
        if (told[up] || sum[up] == 0) continue;
        uint64_t from = skedi_muldiv(whole, before[up], sum[up], &rest);
        before[up] += target_weight(t, row);
        uint64_t to = skedi_muldiv(whole, before[up], sum[up], &rest);
        own[row * step] = (int64_t)(to - from);
    }
}

/* floor(part * whole / sum), for part <= sum. */
static int64_t cut_in_ratio(int64_t part, int64_t whole, skedi_u128 sum)
{
    skedi_u128 rest;
    skedi_u128 product = skedi_u128_mul((uint64_t)part, (uint64_t)whole);

    return (int64_t)skedi_u128_low(skedi_u128_div_wide(product, sum, &rest));
}

static skedi_u128 sum_of_children(const skedi_targets *t, size_t row)
{
    const uint64_t *low = (const uint64_t *)skedi_targets_column(
        t, SKEDI_TARGET_TAKES);
    const uint64_t *high = (const uint64_t *)skedi_targets_column(
        t, SKEDI_TARGET_OWES);

    return skedi_u128_make(high[row], low[row]);
}

static void add_to_parent(skedi_targets *t, size_t row, int64_t amount)
{
    size_t up = (size_t)t->queues.parent[row];
    skedi_u128 sum = skedi_u128_add(sum_of_children(t, up),
                                    skedi_u128_of((uint64_t)amount));

    skedi_targets_column(t,
                         SKEDI_TARGET_TAKES)[up] = (int64_t)skedi_u128_low(sum);
    skedi_targets_column(t,
                         SKEDI_TARGET_OWES)[up] = (int64_t)skedi_u128_high(sum);
}

/* From the leaves up: children's guarantees lift their parent's as far as its
 * limit goes. Before they are cut they stand among the caps, too: a row of weight
 * 0 holds no more. */
static void lift_guarantees(skedi_targets *t, size_t k)
{
    const int64_t *own = skedi_targets_column(t, SKEDI_TARGET_GUARANTEE) + k;
    int64_t *force = skedi_targets_column(t, SKEDI_TARGET_FORCE) + k;
    int64_t *lifted = skedi_targets_column(t, SKEDI_TARGET_CAPS) + k;
    int64_t *low = skedi_targets_column(t, SKEDI_TARGET_TAKES);
    int64_t *high = skedi_targets_column(t, SKEDI_TARGET_OWES);

    for (size_t row = 0; row < t->n; row++) low[row] = high[row] = 0;
    for (size_t row = t->n; row-- > 0;) {
        size_t at = row * t->kinds;
        int64_t cap = skedi_targets_cap(t, row, k, own[at]);
        skedi_u128 sum = sum_of_children(t, row);
        skedi_u128 most = skedi_u128_of((uint64_t)SKED_UNLIMITED);
        int wide = skedi_u128_cmp(sum, most) > 0;
        int64_t below = wide ? SKED_UNLIMITED : (int64_t)skedi_u128_low(sum);
        force[at] = skedi_i64_min(cap, skedi_i64_max(own[at], below));
        lifted[at] = force[at];
        if (row > 0) add_to_parent(t, row, force[at]);
    }
}

/* From the root down: where children's add up to more than the parent's, each
 * is cut in one ratio. The root's is the capacity. */
static void cut_guarantees(skedi_targets *t, size_t k)
{
    int64_t *force = skedi_targets_column(t, SKEDI_TARGET_FORCE) + k;

    force[0] = t->queues.capacity[k];
    for (size_t row = 1; row < t->n; row++) {
        size_t up = (size_t)t->queues.parent[row];
        int64_t whole = force[up * t->kinds];
        skedi_u128 sum = sum_of_children(t, up);
        if (skedi_u128_cmp(sum, skedi_u128_of((uint64_t)whole)) <= 0) continue;
        force[row * t->kinds] = cut_in_ratio(force[row * t->kinds], whole, sum);
    }
}

/* ---- What counts of the demand ---- */

/* Of a leaf: what it wants in all, and what of that is not to be taken. */
static void want_of_leaf(skedi_targets *t, size_t row, size_t k)
{
    size_t at = row * t->kinds + k;
    int64_t usage = skedi_targets_told(t, t->queues.usage, row, k, 0);
    int64_t told = skedi_targets_told(t, t->queues.demand, row, k, 0);

    skedi_targets_column(t, SKEDI_TARGET_DEMAND)[at] = skedi_i64_max(told,
                                                                     usage);
    skedi_targets_column(t, SKEDI_TARGET_HELD)[at] = t->allowed[row] ? 0
                                                                     : usage;
}

sked_status skedi_targets_want(skedi_targets *t)
{
    sked_status rc = SKED_OK;

    for (size_t row = 0; row < t->n && rc == SKED_OK; row++) {
        if (row % SKEDI_TARGET_LOOK == 0) {
            rc = skedi_hooks_check(t->hooks, row, t->n);
        }
        for (size_t k = 0; t->leaf[row] && k < t->kinds; k++) {
            want_of_leaf(t, row, k);
        }
    }
    return rc;
}

/* In the imbalance dialect a leaf wants no more of others than brings it to its
 * guarantee, unless it may grow. */
static void want_of_others(skedi_targets *t)
{
    int64_t *wanted = skedi_targets_column(t, SKEDI_TARGET_WANTED);
    const int64_t *demand = skedi_targets_column(t, SKEDI_TARGET_DEMAND);
    const int64_t *force = skedi_targets_column(t, SKEDI_TARGET_FORCE);
    int imbalance = t->options.mode == SKED_TARGET_MODE_IMBALANCE;

    for (size_t at = 0; at < t->n * t->kinds; at++) {
        size_t row = at / t->kinds;
        int grows = t->options.flags & SKED_TARGET_FLAG_BALANCE &&
                    t->allowed[row];
        if (!t->leaf[row]) continue;
        wanted[at] = demand[at];
        if (!imbalance || grows) continue;
        int64_t used = skedi_targets_told(t, t->queues.usage, row,
                                          at % t->kinds, 0);
        wanted[at] = skedi_i64_min(demand[at], skedi_i64_max(used, force[at]));
    }
}

static sked_share_options options_of_shares(const sked_target_options *o)
{
    static const int32_t model[] = {SKED_SHARE_MODEL_CAPACITY,
                                    SKED_SHARE_MODEL_INSTANTANEOUS,
                                    SKED_SHARE_MODEL_ENTITLEMENT};
    int bands = (o->flags & SKED_TARGET_FLAG_PRIORITY) != 0;

    return (sked_share_options){
        .struct_size = sizeof(sked_share_options),
        .flags = bands ? SKED_SHARE_FLAG_BANDS : 0,
        .model = model[o->mode],
        .scope = o->scope,
        .kind = o->kind,
    };
}

sked_status skedi_targets_share(skedi_targets *t, sked_error *err)
{
    sked_share_options options = options_of_shares(&t->options);
    sked_share_input queues = t->queues;
    sked_status rc = SKED_OK;

    copy_guarantees(t);
    for (size_t k = 0; k < t->kinds && rc == SKED_OK; k++) {
        rc = skedi_hooks_check(t->hooks, k, t->kinds);
        if (t->options.flags & SKED_TARGET_FLAG_BY_WEIGHT)
            guarantee_by_weight(t, k);
        lift_guarantees(t, k);
        cut_guarantees(t, k);
    }
    if (rc == SKED_OK) rc = skedi_targets_fit_leaves(t);
    if (rc != SKED_OK) {
        return skedi_fail_stopped(err, rc);
    }
    queues.struct_size = sizeof queues;
    /* The capacity model cuts by usage, the others by demand: only there does
     * the cut have to come first. */
    int imbalance = t->options.mode == SKED_TARGET_MODE_IMBALANCE;
    queues.guarantee = skedi_targets_column(
        t, imbalance ? SKEDI_TARGET_FORCE : SKEDI_TARGET_GUARANTEE);
    want_of_others(t);
    queues.limit = skedi_targets_column(t, SKEDI_TARGET_LIMITS);
    queues.demand = skedi_targets_column(t, SKEDI_TARGET_WANTED);
    queues.held = skedi_targets_column(t, SKEDI_TARGET_HELD);
    return sked_share_once(&queues, &options, &t->hooks->host,
                           skedi_targets_column(t, SKEDI_TARGET_SHARES), err);
}

/* ---- Claims and keeps ---- */

/* Of a leaf, by the dialect: it keeps its share, whatever the dead zone (which says
 * only whether it gives). */
static void bound_leaf(skedi_targets *t, size_t at)
{
    int64_t share = skedi_targets_column(t, SKEDI_TARGET_SHARES)[at];
    int64_t force = skedi_targets_column(t, SKEDI_TARGET_FORCE)[at];
    int part = t->options.mode == SKED_TARGET_MODE_STARVATION;

    skedi_targets_column(t, SKEDI_TARGET_CLAIMS)[at] = part ? skedi_i64_min(
                                                                  force, share)
                                                            : share;
    skedi_targets_column(t, SKEDI_TARGET_BOUNDS)[at] = share;
}

void skedi_targets_bound(skedi_targets *t)
{
    int64_t *share = skedi_targets_column(t, SKEDI_TARGET_SHARES);
    int64_t *claim = skedi_targets_column(t, SKEDI_TARGET_CLAIMS);
    int64_t *bound = skedi_targets_column(t, SKEDI_TARGET_BOUNDS);

    for (size_t at = 0; at < t->n * t->kinds; at++) {
        if (!t->in.share && t->leaf[at / t->kinds]) {
            bound_leaf(t, at);
        } else if (t->in.share) {
            share[at] = t->in.share[at];
            claim[at] = t->leaf[at / t->kinds] ? t->in.claim[at] : 0;
            skedi_targets_column(t, SKEDI_TARGET_FORCE)[at] = claim[at];
            bound[at] = skedi_i64_max(t->in.keep[at], claim[at]);
        }
    }
}
