/*
 * The measures for the targets of a round: guarantees in force, the part of the
 * demand that counts, and the resulting shares.
 *
 * Parents stand before their children. One sweep from the last row to the first
 * sums children into parents; one forward sweep hands amounts down. Sums use
 * memory that later serves another purpose.
 */
#include "base/fail.h"
#include "base/versioned.h"
#include "target/state.h"

/*
 * The part of a leaf's wants that could run. A leaf's tasks hold several kinds
 * at once; a shortage of one kind blocks the tasks in all kinds.
 *
 * The wants beyond the usage are one vector here, whatever the tasks. The
 * vector counts in one ratio, rounded down: the part of the vector that the
 * first exhausted kind would hold. Let alike tasks hold s of one kind and t of
 * another kind. If m tasks fit into c of the first kind, the tasks hold m t <=
 * floor(c t / s) of the second kind. The count therefore includes every task
 * that fits, and less than one task that does not fit. Usage counts whole,
 * because the tasks run.
 */

/* The kind in which `left` is the smallest part of `open`, among kinds with an
 * open amount; `kinds`: no amount is open. */
static size_t first_to_run_out(const int64_t *open, const int64_t *left,
                               size_t kinds)
{
    size_t first = kinds;

    for (size_t k = 0; k < kinds; k++) {
        if (open[k] <= 0) continue;
        if (first < kinds &&
            skedi_cmp_mul((uint64_t)left[k], (uint64_t)open[first],
                          (uint64_t)left[first], (uint64_t)open[k]) >= 0) {
            continue;
        }
        first = k;
    }
    return first;
}

/* The part of `open` that `left` can hold, all kinds in one ratio; rounded
 * down. */
static void targets_fit(const int64_t *open, const int64_t *left, size_t kinds,
                        int64_t *fits)
{
    size_t first = first_to_run_out(open, left, kinds);

    for (size_t k = 0; k < kinds; k++) {
        uint64_t rest;
        fits[k] = 0;
        if (open[k] <= 0) continue;
        fits[k] = (int64_t)skedi_muldiv((uint64_t)open[k],
                                        (uint64_t)left[first],
                                        (uint64_t)open[first], &rest);
    }
}

/* ---- The rest under the caps of a path ---- */

/* The most that a row may hold by itself, with the given guarantee. */
static int64_t targets_cap(const skedi_targets *t, size_t row, size_t k,
                           int64_t guarantee)
{
    const sked_share_input *q = &t->queues;
    int64_t borrow = skedi_targets_told(t, q->borrow, row, k, SKED_UNLIMITED);
    int64_t limit = skedi_targets_told(t, q->limit, row, k, SKED_UNLIMITED);

    return skedi_i64_min(limit, skedi_amount_add(guarantee, borrow));
}

/* Finds the most that a row may hold of each kind, by its own cap and by all
 * caps above. If shares go by weights, a row of weight 0 has no more than its
 * guarantee as lifted by its children. The lifted guarantee stands in the place
 * of the row's cap. */
static void find_caps(const skedi_targets *t, size_t row)
{
    int imbalance = t->options.mode == SKED_TARGET_MODE_IMBALANCE;
    const int64_t *given = skedi_targets_column(
        t, imbalance ? SKEDI_TARGET_FORCE : SKEDI_TARGET_GUARANTEE);
    int64_t *caps = skedi_targets_column(t, SKEDI_TARGET_CAPS);
    int weightless = !imbalance && t->queues.weight &&
                     t->queues.weight[row] == 0;
    const int64_t *above = row > 0
                               ? caps + (size_t)t->queues.parent[row] * t->kinds
                               : t->queues.capacity;

    for (size_t k = 0; k < t->kinds; k++) {
        size_t at = row * t->kinds + k;
        int64_t cap = targets_cap(t, row, k, given[at]);
        if (weightless) cap = skedi_i64_min(cap, caps[at]);
        caps[at] = skedi_i64_min(above[k], cap);
    }
}

/* ---- The counted part of a leaf ---- */

typedef struct fit_leaf {
    int64_t used[SKED_MAX_KINDS];
    int64_t open[SKED_MAX_KINDS]; /* wants beyond the usage */
    int64_t left[SKED_MAX_KINDS]; /* rest under the caps */
} fit_leaf;

static void read_leaf(const skedi_targets *t, size_t row, fit_leaf *leaf)
{
    size_t at = row * t->kinds;
    const int64_t *demand = skedi_targets_column(t, SKEDI_TARGET_DEMAND) + at;
    const int64_t *caps = skedi_targets_column(t, SKEDI_TARGET_CAPS) + at;

    for (size_t k = 0; k < t->kinds; k++) {
        int64_t used = skedi_targets_told(t, t->queues.usage, row, k, 0);
        leaf->used[k] = used;
        leaf->open[k] = demand[k] - used;
        leaf->left[k] = skedi_amount_sub(caps[k], used);
    }
}

/* Cuts the demand to the amount that can run together under the caps. */
static void fit_demand(const skedi_targets *t, size_t row, const fit_leaf *leaf)
{
    int64_t *demand = skedi_targets_column(t, SKEDI_TARGET_DEMAND) +
                      row * t->kinds;
    int64_t fits[SKED_MAX_KINDS];

    targets_fit(leaf->open, leaf->left, t->kinds, fits);
    for (size_t k = 0; k < t->kinds; k++) {
        demand[k] = leaf->used[k] + skedi_i64_min(leaf->open[k], fits[k]);
    }
}

/* Cuts limits for shares that do not go by demand. A share goes no further than
 * the wants can grow under the caps, in the ratio of the wants. For a leaf
 * without wants, the ratio is the ratio of its usage. A kind outside the ratio
 * has no bound. */
static void fit_limit(const skedi_targets *t, size_t row, fit_leaf *leaf)
{
    size_t at = row * t->kinds;
    int64_t *limit = skedi_targets_column(t, SKEDI_TARGET_LIMITS) + at;
    const int64_t *own = skedi_targets_column(t, SKEDI_TARGET_GUARANTEE) + at;
    int64_t fits[SKED_MAX_KINDS], any = 0;

    for (size_t k = 0; k < t->kinds; k++) any |= leaf->open[k];
    for (size_t k = 0; !any && k < t->kinds; k++) {
        leaf->left[k] = skedi_amount_add(leaf->left[k], leaf->used[k]);
        leaf->open[k] = leaf->used[k];
        leaf->used[k] = 0;
    }
    targets_fit(leaf->open, leaf->left, t->kinds, fits);
    for (size_t k = 0; k < t->kinds; k++) {
        int lends = skedi_targets_told(t, t->queues.lend, row, k,
                                       SKED_UNLIMITED) == SKED_UNLIMITED;
        if (leaf->open[k] <= 0) continue;
        int64_t most = leaf->used[k] + fits[k];
        if (!lends) most = skedi_i64_max(most, own[k]);
        limit[k] = skedi_i64_min(limit[k], most);
    }
}

/* Cuts the wants of leaves to the amounts that could run. If shares do not go
 * by demand, also cuts limits. Returns SKED_OK, or the status of a stopped
 * call. */
static sked_status targets_fit_leaves(skedi_targets *t)
{
    int64_t *limit = skedi_targets_column(t, SKEDI_TARGET_LIMITS);
    sked_status rc = SKED_OK;
    fit_leaf leaf;

    for (size_t row = 0; row < t->n && rc == SKED_OK; row++) {
        if (row % SKEDI_TARGET_LOOK == 0) {
            rc = skedi_hooks_check(t->hooks, row, t->n);
        }
        for (size_t k = 0; k < t->kinds; k++) {
            limit[row * t->kinds + k] = skedi_targets_told(
                t, t->queues.limit, row, k, SKED_UNLIMITED);
        }
        if (t->options.flags & SKED_TARGET_FLAG_BY_KIND) continue;
        find_caps(t, row);
        if (!t->leaf[row]) continue;
        read_leaf(t, row, &leaf);
        fit_demand(t, row, &leaf);
        if (t->options.mode == SKED_TARGET_MODE_STARVATION) {
            fit_limit(t, row, &leaf);
        }
    }
    return rc;
}

/* ---- The need ---- */

void skedi_targets_need(skedi_targets *t, size_t row, const int64_t *owed)
{
    int64_t open[SKED_MAX_KINDS] = {0}, fits[SKED_MAX_KINDS];
    int plain = t->in.share || t->options.flags & SKED_TARGET_FLAG_BY_KIND;

    for (size_t k = 0; k < t->kinds; k++) {
        int64_t used = skedi_targets_told(t, t->queues.usage, row, k, 0);
        int64_t told = skedi_targets_told(t, t->queues.demand, row, k, 0);
        open[k] = skedi_targets_owes_kind(t, k) ? skedi_amount_sub(told, used)
                                                : 0;
    }
    if (!plain) targets_fit(open, owed, t->kinds, fits);
    for (size_t k = 0; k < t->kinds; k++) {
        int64_t part = plain ? owed[k] : skedi_i64_min(owed[k], fits[k]);
        t->need[k] = skedi_amount_add(t->need[k], part);
    }
}

/* The amounts that the users of one leaf may hold. */

SKEDI_NO_TAIL_PADDING(sked_target_users_input, demand);

enum { TARGET_USERS_V1 = SKEDI_SIZE_THROUGH(sked_target_users_input, demand) };

static sked_status users_amount(int64_t amount, size_t row, size_t k,
                                sked_error *err)
{
    if (amount >= 0 && amount <= SKED_AMOUNT_MAX) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                      (skedi_fault){.row = (int64_t)row,
                                    .kind = (int32_t)k + 1,
                                    .got = amount,
                                    .limit = SKED_AMOUNT_MAX});
}

static sked_status users_amounts(const sked_target_users_input *in,
                                 sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t k = 0; rc == SKED_OK && k < in->kinds; k++) {
        rc = users_amount(in->total[k], 0, k, err);
        for (size_t row = 0; rc == SKED_OK && row < in->n; row++) {
            size_t at = row * in->kinds + k;
            rc = users_amount(in->usage[at], row + 1, k, err);
            if (rc != SKED_OK || !in->demand) continue;
            rc = users_amount(in->demand[at], row + 1, k, err);
        }
    }
    return rc;
}

static sked_status users_in(sked_target_users_input *users,
                            const sked_target_users_input *in, sked_error *err)
{
    sked_status rc = skedi_struct_in(users, sizeof *users, in, TARGET_USERS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    const char *missing = !users->total                   ? "input.total"
                          : users->n > 0 && !users->usage ? "input.usage"
                                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (users->kinds < 1 || users->kinds > SKED_MAX_KINDS ||
        users->n > INT32_MAX || users->limit_ppm < 0 ||
        users->limit_ppm > SKED_PPM) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "kinds, n or limit is out of range");
    }
    return users_amounts(users, err);
}

static int is_active_user(const sked_target_users_input *in, size_t row)
{
    int any = 0;

    for (size_t k = 0; k < in->kinds; k++) {
        size_t at = row * in->kinds + k;
        any |= in->usage[at] > 0 || (in->demand && in->demand[at] > 0);
    }
    return any;
}

static uint64_t user_weight(const sked_target_users_input *in, size_t row)
{
    return in->weight ? in->weight[row] : 1;
}

/* floor(total * weight * ppm / 10^6), at most the total. */
static int64_t user_limit_of(const sked_target_users_input *in, int64_t total,
                             uint64_t weight)
{
    uint64_t part = weight * (uint64_t)in->limit_ppm, rest; /* < 2^52 */

    if (part >= (uint64_t)SKED_PPM) return total;
    return (int64_t)skedi_muldiv((uint64_t)total, part, (uint64_t)SKED_PPM,
                                 &rest);
}

static int64_t user_share(const sked_target_users_input *in, int64_t total,
                          uint64_t weight, uint64_t sum)
{
    uint64_t rest;
    int64_t limit = user_limit_of(in, total, weight);

    if (sum == 0) return limit;
    int64_t part = (int64_t)skedi_muldiv((uint64_t)total, weight, sum, &rest);
    return skedi_i64_max(part, limit);
}

sked_status sked_target_share_users(const sked_target_users_input *input,
                                    int64_t *share, int64_t *keep,
                                    sked_error *err)
{
    sked_target_users_input users;
    uint64_t sum = 0;

    const char *missing = !input   ? "input"
                          : !share ? "share"
                          : !keep  ? "keep"
                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = users_in(&users, input, err);
    if (rc != SKED_OK) return rc;
    for (size_t row = 0; row < users.n; row++) {
        if (is_active_user(&users, row)) sum += user_weight(&users, row);
    }
    for (size_t row = 0; row < users.n; row++) {
        int active = is_active_user(&users, row), over = 0;
        uint64_t weight = user_weight(&users, row);
        for (size_t k = 0; k < users.kinds; k++) {
            size_t at = row * users.kinds + k;
            share[at] = active ? user_share(&users, users.total[k], weight, sum)
                               : 0;
            over |= users.usage[at] > share[at];
        }
        for (size_t k = 0; k < users.kinds; k++) {
            size_t at = row * users.kinds + k;
            keep[at] = over ? share[at] : SKED_UNLIMITED;
        }
    }
    return SKED_OK;
}

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
 * Guarantees by weight, for families without any guarantee in a kind. Every
 * child is guaranteed its weight's part, up to the unit: the part of the
 * weights up to and including the child, rounded down, less the part of the
 * weights before the child, rounded down.
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

/* From the leaves up: the guarantees of the children lift the guarantee of
 * their parent, as far as the parent's cap. The lifted guarantees, before any
 * cut, are also written to the caps: a row of weight 0 holds no more. */
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
        int64_t cap = targets_cap(t, row, k, own[at]);
        skedi_u128 sum = sum_of_children(t, row);
        skedi_u128 most = skedi_u128_of((uint64_t)SKED_UNLIMITED);
        int wide = skedi_u128_cmp(sum, most) > 0;
        int64_t below = wide ? SKED_UNLIMITED : (int64_t)skedi_u128_low(sum);
        force[at] = skedi_i64_min(cap, skedi_i64_max(own[at], below));
        lifted[at] = force[at];
        if (row > 0) add_to_parent(t, row, force[at]);
    }
}

/* From the root down: if the guarantees of the children exceed the guarantee of
 * their parent, all children are cut in one ratio. The guarantee of the root is
 * the capacity. */
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

/* ---- The counted part of the demand ---- */

/* For a leaf: the total demand, and the part that may not be taken. */
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

/* In the imbalance dialect, a leaf wants from other queues only enough to reach
 * its guarantee, unless the leaf may grow. */
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
    if (rc == SKED_OK) rc = targets_fit_leaves(t);
    if (rc != SKED_OK) {
        return skedi_fail_stopped(err, rc);
    }
    queues.struct_size = sizeof queues;
    /* The capacity model cuts by usage, the other models by demand. The
     * capacity model alone needs guarantees that are cut beforehand. */
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

/* Sets the claim and the bound of a leaf, by the dialect. A leaf keeps its
 * share despite the dead zone. The dead zone decides only whether the leaf
 * gives. */
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
