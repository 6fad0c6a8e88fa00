/*
 * Owners of tasks: the amount that each owner may claim, the amount that is
 * protected, and the surplus tasks. An owner is a queue. If users preempt each
 * other, each user of a leaf is an owner too.
 *
 * Each policy of the list reads the same queues, but has clocks of its own. The
 * protected amount of a leaf is the maximum over all policies. Tasks of an
 * owner are protected in a fixed order: fixed tasks, then tasks that are not
 * revocable, then by priority, by terms (masters first) and by amounts.
 *
 * Invariants: a claim by one policy stays within the protected amount of the
 * leaf. The order of protection is constant while demand is constant. Rounds
 * therefore do not end the tasks of two owners in turns.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "engine/alloc.h"
#include "engine/shares.h"
#include "engine/preempt.h"
#include "target/handle.h"

/*
 * Bounds of leaves, computed from the same shares as placement. A leaf has a
 * claim bound by each policy, and a single protected amount (`keep`): the
 * maximum over all policies. A claim by one policy therefore stays within the
 * protected amount. No policy takes tasks that another policy protects.
 */

static const sked_target_options *preempt_dialect_of(const sked_engine *e,
                                                     uint32_t policy)
{
    return &e->preempt->target[policy]->options;
}

/* True if an ancestor orders its children without regard to shares. Claims
 * below this ancestor end at the guarantee. */
static int preempt_is_below_other_order(const sked_engine *e, uint32_t row)
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

/* Returns amount * (10^6 + more) / 10^6, at most SKED_AMOUNT_MAX. The quotient
 * is rounded up if `up` is set, else down. */
static int64_t preempt_raised(int64_t amount, int64_t more, int up)
{
    uint64_t rest;
    skedi_u128 sum = skedi_u128_mul((uint64_t)amount,
                                    (uint64_t)(SKED_PPM + more));
    skedi_u128 part = skedi_u128_div(sum, (uint64_t)SKED_PPM, &rest);
    skedi_u128 most = skedi_u128_of((uint64_t)SKED_AMOUNT_MAX);

    if (skedi_u128_cmp(part, most) >= 0) return SKED_AMOUNT_MAX;
    return (int64_t)skedi_u128_low(part) + (up && rest > 0);
}

/* Returns the kinds in which the row and its siblings have no guarantee. The
 * result is 0 without SKED_TARGET_FLAG_BY_WEIGHT and for the root. */
static uint32_t preempt_kinds_by_weight(const sked_engine *e,
                                        const sked_target_options *o,
                                        uint32_t row, uint32_t partition)
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

/* Returns the kinds that are contended among the children of any ancestor. */
static uint32_t preempt_contended_above(const round_part *part, uint32_t row)
{
    const sked_engine *e = part->e;
    uint32_t kinds = 0;

    while (row > 0) {
        row = (uint32_t)e->rows.parent[row];
        kinds |= skedi_contended(e, row, part->partition);
    }
    return kinds;
}

/* True if the claims of a queue may reach its share, guaranteed or not. */
static int preempt_claims_share(const sked_engine *e,
                                const sked_target_options *o, uint32_t row)
{
    int whole = o->mode == SKED_TARGET_MODE_ENTITLEMENT ||
                o->flags & SKED_TARGET_FLAG_BALANCE;

    return whole && !preempt_is_below_other_order(e, row);
}

/* True if a leaf may claim a part of its share, guaranteed or not, after its
 * fair time-out. */
static int preempt_claims_fair_part(const sked_engine *e,
                                    const sked_target_options *o, uint32_t row)
{
    int64_t timeout = skedi_image_effective(skedi_tree_image(e->tree),
                                            SKEDI_AT_FAIR_TIMEOUT, row);

    return o->mode == SKED_TARGET_MODE_STARVATION &&
           timeout != SKED_UNLIMITED && !preempt_is_below_other_order(e, row);
}

/* Computes the claim bound of a leaf by one policy. The bound applies when the
 * leaf is due by the clocks of the policy. */
static void preempt_claim_bounds(const sked_engine *e,
                                 const sked_target_options *o, uint32_t row,
                                 uint32_t partition, uint32_t by_weight,
                                 int64_t *claim)
{
    size_t cell = cell_of(e, row, partition);
    const int64_t *share = cell_row(e, e->cell_share, cell);
    int whole = preempt_claims_share(e, o, row);

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
        const sked_target_options *o = preempt_dialect_of(e, i);
        preempt_claim_bounds(e, o, row, partition,
                             preempt_kinds_by_weight(e, o, row, partition),
                             own);
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

/* Computes the bounds of one leaf for one policy:
 *   claim  the claim bound;
 *   keep   the protected amount, raised if this policy protects more than the
 *          policies before;
 *   named  a step is a claim only if the step needs one of these kinds. */
static void preempt_bound_queue(const round_part *part, uint32_t policy,
                                uint32_t row, uint32_t by_weight,
                                int64_t *claim, int64_t *keep)
{
    const sked_engine *e = part->e;
    const sked_target_options *o = preempt_dialect_of(e, policy);
    size_t cell = cell_of(e, row, part->partition);
    const int64_t *share = cell_row(e, e->cell_share, cell);
    const int64_t *force = cell_row(e, e->cell_force, cell);
    uint32_t *named = &part->policy[policy].named[row];

    *named = skedi_named(e, row, part->partition) | by_weight;
    if (preempt_claims_share(e, o, row) ||
        preempt_claims_fair_part(e, o, row)) {
        *named |= preempt_contended_above(part, row);
    }
    preempt_claim_bounds(e, o, row, part->partition, by_weight, claim);
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t own = o->mode == SKED_TARGET_MODE_IMBALANCE
                          ? skedi_i64_max(
                                share[k],
                                preempt_raised(force[k], o->ignored_ppm, 1))
                          : preempt_raised(share[k], o->ignored_ppm, 0);
        keep[k] = skedi_i64_max(keep[k], own);
    }
}

/* Computes the bounds of all leaves for one policy. Siblings are adjacent rows.
 * The kinds by weight are therefore computed once for each family. */
static void preempt_bound_by_policy(const round_part *part, uint32_t policy,
                                    int64_t *claim, int64_t *keep)
{
    const sked_engine *e = part->e;
    int32_t up = -1;
    uint32_t by_weight = 0;

    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = (size_t)row * e->kinds;
        if (row > 0 && e->rows.parent[row] != up) {
            up = e->rows.parent[row];
            by_weight = preempt_kinds_by_weight(
                e, preempt_dialect_of(e, policy), row, part->partition);
        }
        if (!row_is_leaf(e, row)) continue;
        preempt_bound_queue(part, policy, row, by_weight, claim + at,
                            keep + at);
    }
}

/* Computes the bounds of all leaves for all policies. `keep` is rows x kinds
 * and contains zeros at first. */
static void preempt_bound_leaves(round_part *part, int64_t *const *claim,
                                 int64_t *keep)
{
    for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
        preempt_bound_by_policy(part, i, claim[i], keep);
    }
}

/*
 * Claiming and giving queues of a round, policy by policy. All policies read
 * the same queues and the same protected amounts. Each policy has clocks of its
 * own.
 */

/* Copies the held amounts of all queues. NULL: no memory. */
static int64_t *preempt_usage_by_row(round_part *part)
{
    const sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *rows = skedi_round_reserve(part->e, cells, sizeof *rows);

    if (rows) memcpy(rows, part->held, cells * sizeof *rows);
    return rows;
}

/* Returns the usage of each queue, plus the open demand of leaves. A sum above
 * SKED_AMOUNT_MAX becomes SKED_AMOUNT_MAX, because no capacity is larger. NULL:
 * no memory. */
static int64_t *preempt_demand_by_row(round_part *part)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *rows = skedi_round_reserve(e, cells, sizeof *rows);

    for (uint32_t row = 0; rows && row < e->rows.n; row++) {
        memcpy(rows + (size_t)row * e->kinds,
               cell_row(e, e->cell_used, cell_of(e, row, part->partition)),
               e->kinds * sizeof *rows);
    }
    if (!rows || !skedi_wanted_add(e, part->partition, rows)) return NULL;
    for (size_t i = 0; i < cells; i++) {
        rows[i] = skedi_i64_min(rows[i], SKED_AMOUNT_MAX);
    }
    return rows;
}

/* Copies the shares of all queues. NULL: no memory. */
static int64_t *preempt_share_by_row(const round_part *part)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *share = skedi_round_reserve(e, cells, sizeof *share);

    for (uint32_t row = 0; share && row < e->rows.n; row++) {
        memcpy(share + (size_t)row * e->kinds,
               cell_row(e, e->cell_share, cell_of(e, row, part->partition)),
               e->kinds * sizeof *share);
    }
    return share;
}

/* Reserves memory for the results of all policies and for the claim bounds of
 * leaves. 0: no memory. */
static int preempt_open_policies(round_part *part, int64_t **claim)
{
    sked_engine *e = part->e;
    uint32_t n = e->preempt->policies;
    size_t cells = (size_t)e->rows.n * e->kinds;

    part->policy = skedi_round_reserve(e, n, sizeof *part->policy);
    part->took = skedi_round_reserve(e, cells, sizeof *part->took);
    part->gave = skedi_round_reserve(e, e->rows.n, sizeof *part->gave);
    part->gave_to = skedi_round_reserve(e, e->rows.n, sizeof *part->gave_to);
    if (!part->policy || !part->took || !part->gave || !part->gave_to) return 0;
    part->by = part->policy;
    for (uint32_t i = 0; i < n; i++) {
        round_policy *p = &part->policy[i];
        claim[i] = skedi_round_reserve(e, cells, sizeof *claim[i]);
        p->named = skedi_round_reserve(e, e->rows.n, sizeof *p->named);
        if (!claim[i] || !p->named) return 0;
    }
    return 1;
}

/* Copies the amounts that a round may take by a policy: from each leaf, and in
 * total. 0: no memory. */
static int preempt_take_budget(const round_part *part,
                               const sked_target *target, round_policy *policy)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    const int64_t *budget = sked_target_total(target, SKED_TARGET_TOTAL_BUDGET,
                                              NULL);
    int64_t *take = skedi_round_reserve(e, cells, sizeof *take);

    if (!take) return 0;
    memcpy(take, sked_target_view(target, SKED_TARGET_COLUMN_TAKE, NULL),
           cells * sizeof *take);
    for (uint32_t k = 0; k < e->kinds; k++) {
        policy->budget[k] = skedi_i64_min(budget[k], SKED_AMOUNT_MAX);
    }
    policy->take = take;
    return 1;
}

/* Copies the claims that a target has computed. A time-out may raise a claim to
 * a part of the share. If an order above the leaf ignores shares, placement
 * does not lead to the share, and the claim is cut to the bound `most`. 0: no
 * memory. */
static int preempt_cap_claims(const round_part *part, const sked_target *target,
                              const int64_t *most, round_policy *policy)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *claim = skedi_round_reserve(e, cells, sizeof *claim);

    if (!claim) return 0;
    memcpy(claim, sked_target_view(target, SKED_TARGET_COLUMN_CLAIM, NULL),
           cells * sizeof *claim);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        if (!row_is_leaf(e, row) || !preempt_is_below_other_order(e, row))
            continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            size_t at = (size_t)row * e->kinds + k;
            claim[at] = skedi_i64_min(claim[at], most[at]);
        }
    }
    policy->claim = claim;
    return 1;
}

/* Computes the results of one policy and advances its clocks to now. */
static sked_status preempt_judge_by(const round_part *part, uint32_t policy,
                                    const sked_target_input *in,
                                    sked_error *err)
{
    sked_target *target = part->e->preempt->target[policy];
    round_policy *p = &part->policy[policy];
    sked_status rc = sked_target_compute(target, in, part->e->now, err);

    if (rc != SKED_OK) return rc;
    p->reasons = sked_target_reasons(target, NULL);
    return preempt_cap_claims(part, target, in->claim, p) &&
                   preempt_take_budget(part, target, p)
               ? SKED_OK
               : SKED_ERR_NOMEM;
}

/* ---- All of them ---- */

sked_status skedi_round_owners(round_part *part, sked_error *err)
{
    sked_engine *e = part->e;
    int64_t *claim[SKED_MAX_PREEMPT_POLICIES] = {0};
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *keep = skedi_round_reserve(e, cells, sizeof *keep);
    sked_target_input in = {
        .struct_size = sizeof in,
        .partition = part->partition,
        .tree = e->tree,
        .usage = preempt_usage_by_row(part),
        .demand = preempt_demand_by_row(part),
        .running = e->rows.running,
        .capacity = e->capacity + (size_t)part->partition * e->kinds,
        .keep = keep,
    };
    sked_status rc = SKED_OK;

    skedi_shares_renew(e, part->partition);
    in.share = preempt_share_by_row(part);
    if (!in.usage || !in.demand || !in.share || !keep ||
        !preempt_open_policies(part, claim)) {
        return SKED_ERR_NOMEM;
    }
    preempt_bound_leaves(part, claim, keep);
    for (uint32_t i = 0; i < e->preempt->policies && rc == SKED_OK; i++) {
        in.claim = claim[i];
        rc = preempt_judge_by(part, i, &in, err);
    }
    if (rc != SKED_OK) return rc;
    /* The columns below are equal for all policies. */
    const sked_target *target = e->preempt->target[0];
    part->allowed = target->last.allowed;
    part->share = sked_target_view(target, SKED_TARGET_COLUMN_SHARE, NULL);
    part->excess = sked_target_view(target, SKED_TARGET_COLUMN_EXCESS, NULL);
    part->keep = skedi_targets_column(&target->last, SKEDI_TARGET_BOUNDS);
    return SKED_OK;
}

/*
 * Users as owners. If users preempt each other, each user of a leaf counts as a
 * separate leaf below it. The user gets a part of the leaf's claim by each
 * policy, of the leaf's share and of the leaf's protected amount.
 */

/* The users of one leaf. An amount of the leaf is divided among the users by
 * weight. No user gets more than its demand. */
typedef struct user_list {
    const sked_engine *e;
    const int64_t *demand; /* accounts x kinds */
    uint32_t *account;
    uint32_t *scratch;
    uint32_t n;
    uint32_t k;
} user_list;

/* Compares by demand divided by weight, the smallest first. */
static int preempt_compare_users(const void *ctx, uint32_t a, uint32_t b)
{
    const user_list *l = ctx;
    const sked_engine *e = l->e;
    uint64_t x = (uint64_t)l->demand[(size_t)a * e->kinds + l->k];
    uint64_t y = (uint64_t)l->demand[(size_t)b * e->kinds + l->k];

    return skedi_cmp_mul(x, account_at(e, b)->weight, y,
                         account_at(e, a)->weight);
}

/* Divides an amount of one kind among the users by progressive filling. The
 * users are in the order of preempt_compare_users(). */
static void preempt_share_kind(const user_list *l, int64_t total, int64_t *to)
{
    uint64_t weight = 0, rest;

    for (uint32_t i = 0; i < l->n; i++) {
        weight += account_at(l->e, l->account[i])->weight;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        size_t at = (size_t)l->account[i] * l->e->kinds + l->k;
        uint64_t own = account_at(l->e, l->account[i])->weight;
        int64_t part = own ? (int64_t)skedi_muldiv((uint64_t)total, own, weight,
                                                   &rest)
                           : 0;
        if (l->demand[at] > part) {
            to[at] = part; /* all later users get only their part too */
            continue;
        }
        to[at] = l->demand[at];
        total -= to[at];
        weight -= own;
    }
}

/* Divides the claims, the share and the protected amount of a leaf among its
 * users. */
static void preempt_share_leaf(round_part *part, user_list *l, uint32_t row)
{
    size_t at = (size_t)row * part->e->kinds;

    for (l->k = 0; l->k < part->e->kinds; l->k++) {
        skedi_sort(l->account, l->scratch, l->n, preempt_compare_users, l);
        for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
            const round_policy *p = &part->policy[i];
            preempt_share_kind(l, p->claim[at + l->k], p->account_claim);
        }
        preempt_share_kind(l, part->share[at + l->k], part->account_share);
        preempt_share_kind(l, part->keep[at + l->k], part->account_keep);
    }
}

/* Returns the usage of each user plus its open demand. Tasks with a kill order
 * count as usage. NULL: no memory. */
static int64_t *preempt_demand_of_users(round_part *part)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->accounts.n * e->kinds;
    int64_t *demand = skedi_round_reserve(e, cells, sizeof *demand);

    if (!demand) return NULL;
    memcpy(demand, e->account_used.at, cells * sizeof *demand);
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->account == SKEDI_NONE) continue;
        const engine_ask *a = ask_at(e, x->ask);
        const int64_t *task = engine_row_of(e, &e->shape_task, a->shape);
        int64_t *to = demand + (size_t)x->account * e->kinds;
        for (uint32_t k = 0; k < e->kinds; k++) {
            to[k] = skedi_amount_add(to[k], task[k] * a->open);
        }
    }
    return demand;
}

/* Lists the accounts of the partition, and returns their number. The accounts
 * of a leaf are adjacent. */
static uint32_t preempt_list_accounts(const sked_engine *e,
                                      const round_part *part,
                                      skedi_keyed *items)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < e->accounts.n; i++) {
        const engine_account *s = account_at(e, i);
        if (!s->name || s->cell % e->parts != part->partition) continue;
        items[n] = (skedi_keyed){s->cell / e->parts, n, i};
        n++;
    }
    skedi_sort_keys(items, items + e->accounts.n, n);
    return n;
}

static int preempt_reserve_users(round_part *part, uint64_t cells)
{
    sked_engine *e = part->e;
    int all = 1;

    part->account_share = skedi_round_reserve(e, cells, sizeof(int64_t));
    part->account_keep = skedi_round_reserve(e, cells, sizeof(int64_t));
    for (uint32_t i = 0; i < e->preempt->policies; i++) {
        round_policy *p = &part->policy[i];
        p->account_claim = skedi_round_reserve(e, cells, sizeof(int64_t));
        all &= p->account_claim != NULL;
    }
    return all && part->account_share && part->account_keep;
}

int skedi_round_users(round_part *part)
{
    sked_engine *e = part->e;
    uint64_t accounts = e->accounts.n, cells = accounts * e->kinds;
    user_list l = {.e = e};

    if (!(e->preempt->opts.flags & SKED_PREEMPT_FLAG_BY_USER) ||
        accounts == 0) {
        return 1;
    }
    skedi_keyed *items = skedi_round_reserve(e, accounts * 2, sizeof *items);
    l.account = skedi_round_reserve(e, accounts, sizeof *l.account);
    l.scratch = skedi_round_reserve(e, accounts, sizeof *l.scratch);
    l.demand = preempt_demand_of_users(part);
    if (!items || !l.account || !l.scratch || !l.demand ||
        !preempt_reserve_users(part, cells)) {
        return 0;
    }
    uint32_t n = preempt_list_accounts(e, part, items);
    for (uint32_t i = 0; i < n; i++) {
        l.account[l.n++] = items[i].tag;
        if (i + 1 < n && items[i + 1].key == items[i].key) continue;
        preempt_share_leaf(part, &l, (uint32_t)items[i].key);
        l.n = 0;
    }
    return 1;
}

/*
 * Gangs over nodes as victims. A gang ends as a whole: all groups on all nodes.
 * The cost of a gang is the sum of the costs of all its tasks. A gang may be a
 * victim under these conditions:
 *   - all its tasks run in one partition;
 *   - all its tasks hold equal amounts and have the same host cost, if any;
 *   - no task has a kill order or ends in time;
 *   - the gang is not elastic.
 * An elastic gang grows task by task. One more task could turn a protected gang
 * into surplus.
 */

/* True if all groups of a gang over nodes are in its class, and no task of the
 * gang has a kill order or ends in time. */
static int preempt_unit_is_whole(const sked_engine *e, uint32_t class)
{
    const victim_classes *classes = &e->preempt->classes;
    uint32_t ask = victim_class_at(classes, class)->gang - 1;
    uint32_t g = ask_at(e, ask)->first_group;

    while (g != SKEDI_NONE && classes->place[g].class == class + 1 &&
           skedi_round_going(e, g) == 0) {
        g = group_at(e, g)->ask_next;
    }
    return g == SKEDI_NONE;
}

/* Returns the first group of a gang over nodes, in the list of the ask. */
static uint32_t preempt_unit_first(const sked_engine *e, uint32_t class)
{
    const victim_classes *classes = &e->preempt->classes;

    return ask_at(e, victim_class_at(classes, class)->gang - 1)->first_group;
}

/* Returns the number of tasks of a group that are under notice. */
static uint32_t preempt_marked_tasks(const sked_engine *e, uint32_t group)
{
    uint32_t n = sked_round_mark_count(e->preempt->round,
                                       skedi_group_name(e, group));

    return n < group_at(e, group)->count ? n : group_at(e, group)->count;
}

plan_pick skedi_unit_pick(const round_part *part, uint32_t class)
{
    sked_engine *e = part->e;
    victim_class *of = victim_class_at(&e->preempt->classes, class);
    plan_pick pick = {.group = preempt_unit_first(e, class),
                      .class = class,
                      .most = (uint32_t)part->live[class],
                      .gang = 1,
                      .wide = 1,
                      .last = !(of->terms & CLASS_REVOCABLE)};

    for (uint32_t g = pick.group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        int64_t count = group_at(e, g)->count;
        pick.marked |= preempt_marked_tasks(e, g) > 0;
        pick.tasks += (uint32_t)count;
        /* A host cost is for one task, a computed cost for one shape held. */
        if (of->host_cost < 0) count = skedi_group_times(group_at(e, g), count);
        pick.cost += skedi_victim_class_cost(e, of, g) * count;
    }
    if (pick.marked) pick.cost = 0;
    return pick;
}

void skedi_unit_move(round_part *part, const plan_pick *pick, int by)
{
    const sked_engine *e = part->e;

    for (uint32_t g = pick->group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        int64_t count = (int64_t)group_at(e, g)->count * by;
        uint32_t *marks = &part->marks[group_at(e, g)->node];
        skedi_least_take(part->s, g, count);
        skedi_books_gone(part, g, count);
        if (pick->marked) {
            *marks = (uint32_t)(*marks -
                                (int64_t)preempt_marked_tasks(e, g) * by);
        }
    }
}

void skedi_node_fix(round_part *part, uint32_t node)
{
    const engine_node *n = node_at(part->e, node);

    if (part->listed[node] || n->state != NODE_OPEN) return;
    if (n->partition != part->partition) return;
    part->listed[node] = 1;
    part->fixed[part->n_fixed++] = node;
}

/*
 * Surplus tasks. Tasks of an owner (a leaf, or a user of a leaf) are protected
 * in the order at the top of this file. Identical tasks form a rank. The engine
 * goes through the ranks in order. In each rank, as many tasks are protected as
 * fit into the protected amount beside all earlier ranks. The other tasks of
 * the rank are surplus. A round may take any part of the surplus, or all.
 *
 * The numbers of protected tasks, rank by rank, form the tuple of an owner.
 * Tuples are compared in the order of protection. Taking surplus never lowers a
 * tuple. Serving an owner within its protected amount raises its tuple.
 *
 * Two tasks of one rank hold equal amounts of each kind that binds their owner.
 * A leaf is not bound by a kind if its family is not short of the kind and the
 * leaf holds at most its protected amount. All tasks of the leaf fit in this
 * kind.
 */

int skedi_victim_class_is_gang(const sked_engine *e, const victim_class *class)
{
    if (class->gang) return 1;
    return memcmp(engine_row_of(e, &e->shape_step, class->shape),
                  engine_row_of(e, &e->shape_task, class->shape),
                  e->kinds * sizeof(int64_t)) != 0;
}

/* Returns how many units fit into `there`. Only the kinds in `kinds` count. */
static int64_t preempt_times_in(const sked_engine *e, const int64_t *unit,
                                const int64_t *there, uint32_t kinds)
{
    int64_t times = INT64_MAX;

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (unit[k] == 0 || !(kinds >> k & 1)) continue;
        times = skedi_i64_min(times, skedi_i64_max(there[k], 0) / unit[k]);
    }
    return times;
}

/* ---- The order of protection ---- */

/* Returns the kinds that bind the owners in a leaf. All kinds bind if users are
 * owners, because users divide amounts of all kinds. */
static uint32_t preempt_kinds_that_bind(const round_part *part, uint32_t row)
{
    const sked_engine *e = part->e;
    size_t at = (size_t)row * e->kinds;
    uint32_t kinds = 0;

    if (row == 0 || part->account_keep) return UINT32_MAX;
    kinds = skedi_contended(e, (uint32_t)e->rows.parent[row], part->partition);
    /* Running tasks may exceed a cap of the leaf. */
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (part->held[at + k] > part->keep[at + k]) kinds |= UINT32_C(1) << k;
    }
    return kinds;
}

static int preempt_compare_amounts(const sked_engine *e, const int64_t *x,
                                   const int64_t *y, uint32_t kinds)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (x[k] != y[k] && kinds >> k & 1) return x[k] > y[k] ? -1 : 1;
    }
    return 0;
}

/* Returns a rank for terms; a larger rank is protected first. Masters precede
 * other tasks. Tasks whose end loses no work come last. */
static uint32_t preempt_safety_of(uint32_t terms)
{
    return (terms & CLASS_MASTER) | (~terms & CLASS_KEEPS);
}

/* Computes the amounts of one unit of a class: a whole gang over nodes, or one
 * step. */
static void preempt_unit_of(const sked_engine *e, const victim_class *class,
                            int64_t *unit)
{
    uint32_t shape = class->shape;

    for (uint32_t k = 0; k < e->kinds; k++) {
        unit[k] = class->gang ? engine_row_of(e, &e->shape_task, shape)[k] *
                                    class->tasks
                              : engine_row_of(e, &e->shape_step, shape)[k];
    }
}

/* Compares two classes of one owner by the order of protection: negative if `a`
 * is protected first, 0 if both are in one rank. */
static int preempt_class_order(const sked_engine *e, const victim_class *a,
                               const victim_class *b, uint32_t kinds)
{
    int one = skedi_victim_class_is_gang(e, a),
        other = skedi_victim_class_is_gang(e, b);

    if ((a->terms ^ b->terms) & CLASS_REVOCABLE) {
        return b->terms & CLASS_REVOCABLE ? -1 : 1;
    }
    if (a->priority != b->priority) return a->priority > b->priority ? -1 : 1;
    if (a->terms != b->terms) {
        return (int)preempt_safety_of(b->terms) -
               (int)preempt_safety_of(a->terms);
    }
    if (one != other) return other - one;
    int by = preempt_compare_amounts(
        e, engine_row_of(e, &e->shape_task, a->shape),
        engine_row_of(e, &e->shape_task, b->shape), kinds);
    if (by) return by;
    int64_t x[SKED_MAX_KINDS], y[SKED_MAX_KINDS];
    preempt_unit_of(e, a, x);
    preempt_unit_of(e, b, y);
    return preempt_compare_amounts(e, x, y, kinds);
}

static int preempt_compare_owned(const void *ctx, uint32_t a, uint32_t b)
{
    const round_part *part = ctx;
    const sked_engine *e = part->e;
    const victim_class *x = victim_class_at(&e->preempt->classes, a);
    const victim_class *y = victim_class_at(&e->preempt->classes, b);

    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    if (x->account != y->account) return x->account < y->account ? -1 : 1;
    return preempt_class_order(e, x, y, part->binds[x->cell / e->parts]);
}

/* True if a queue gives by any policy. */
static int preempt_row_gives(const round_part *part, uint32_t row)
{
    uint32_t reasons = 0;

    for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
        reasons |= part->policy[i].reasons[row];
    }
    return (reasons & ROUND_GIVING) != 0;
}

/* True if the round needs the surplus of a leaf. The leaf gives, or its own
 * asks may preempt its tasks by user or by priority. */
static int preempt_matters(const round_part *part, uint32_t row)
{
    uint32_t inside = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;
    const sked_engine *e = part->e;

    if (preempt_row_gives(part, row)) return 1;
    return e->preempt->opts.flags & inside && part->allowed[row] &&
           e->cells[cell_of(e, row, part->partition)].open > 0;
}

/* Lists the classes by owner, in the order of protection. A leaf whose surplus
 * is not needed has no class in the list. 0: no memory. */
static int preempt_list_owned(round_part *part)
{
    sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    uint32_t n = 0, row = 0, *scratch;

    part->order = skedi_round_reserve(e, classes->pool.n, sizeof *part->order);
    scratch = skedi_round_reserve(e, classes->pool.n, sizeof *scratch);
    part->from = skedi_round_reserve(e, (uint64_t)e->rows.n + 1,
                                     sizeof *part->from);
    part->binds = skedi_round_reserve(e, e->rows.n, sizeof *part->binds);
    if (!part->order || !scratch || !part->from || !part->binds) return 0;
    for (uint32_t i = 0; i < e->rows.n; i++) {
        if (row_is_leaf(e, i))
            part->binds[i] = preempt_kinds_that_bind(part, i);
    }
    for (uint32_t i = 0; i < classes->pool.n; i++) {
        const victim_class *class = victim_class_at(classes, i);
        if (!class->name || class->cell % e->parts != part->partition) continue;
        if (preempt_matters(part, class->cell / e->parts)) part->order[n++] = i;
    }
    skedi_sort(part->order, scratch, n, preempt_compare_owned, part);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t own = victim_class_at(classes, part->order[i])->cell /
                       e->parts;
        while (row <= own) part->from[row++] = i;
    }
    while (row <= e->rows.n) part->from[row++] = n;
    return 1;
}

/* ---- How many run ---- */

/* Counts the live tasks of each class. Tasks with a kill order, and tasks that
 * end in time, are not live. A gang over nodes counts 0 unless the gang is
 * whole. */
static void preempt_count_live(round_part *part)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    const engine_notice *notice = e->notices.item;

    for (uint32_t i = 0; i < classes->pool.n; i++) {
        part->live[i] = victim_class_at(classes, i)->tasks;
    }
    for (uint32_t i = 0; i < e->notices.n; i++) {
        uint32_t g = skedi_group_find(e, notice[i].group);
        if (g == SKEDI_NONE || !classes->place[g].class) continue;
        part->live[skedi_victim_class_of(classes, g)] -= skedi_group_times(
            group_at(e, g), skedi_round_going(e, g));
    }
    for (uint32_t i = 0; i < classes->pool.n; i++) {
        const victim_class *class = victim_class_at(classes, i);
        if (!class->name) continue;
        part->revocable |= (class->terms & CLASS_REVOCABLE) != 0;
        if (class->gang && !preempt_unit_is_whole(e, i)) part->live[i] = 0;
    }
}

/* Returns the number of units of a class: tasks, or gangs. A gang over nodes is
 * one unit while the gang has live tasks. Any other gang is one group, and
 * counts if no task of the group ends or is taken. */
static int64_t preempt_live_units(const round_part *part, uint32_t class)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    int64_t n = 0;

    if (victim_class_at(classes, class)->gang) return part->live[class] > 0;
    if (!skedi_victim_class_is_gang(e, victim_class_at(classes, class)))
        return part->live[class];
    for (uint32_t g = victim_class_at(classes, class)->last; g != SKEDI_NONE;
         g = classes->place[g].before) {
        n += skedi_round_going(e, g) == 0 && part->s->taken[g] == 0;
    }
    return n;
}

/* ---- The walk ---- */

/* An owner, with the range of its classes in `order`. */
typedef struct spare_owner {
    uint32_t from, to;
    uint32_t kinds;               /* that bind the owner */
    int64_t left[SKED_MAX_KINDS]; /* of the protected amount */
} spare_owner;

/* Returns the owner whose classes begin at `from`. Usage outside the live tasks
 * of these classes is fixed and is protected first. Planned steps that start by
 * their turn do not count yet. */
static spare_owner preempt_owner_at(const round_part *part, uint32_t from)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    const victim_class *first = victim_class_at(classes, part->order[from]);
    uint32_t row = first->cell / e->parts;
    spare_owner o = {.from = from, .to = from, .kinds = part->binds[row]};
    int user = first->account != SKEDI_NONE;
    const int64_t *used = user ? part->account_used +
                                     (size_t)first->account * e->kinds
                               : part->held + (size_t)row * e->kinds;
    const int64_t *keep = user ? part->account_keep +
                                     (size_t)first->account * e->kinds
                               : part->keep + (size_t)row * e->kinds;

    const int64_t *turn = user ? part->account_turn +
                                     (size_t)first->account * e->kinds
                               : part->leaf_turn + (size_t)row * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        o.left[k] = keep[k] - used[k] + turn[k];
    }
    for (; o.to < part->from[row + 1]; o.to++) {
        const victim_class *class = victim_class_at(classes, part->order[o.to]);
        if (class->account != first->account) break;
        const int64_t *task = engine_row_of(e, &e->shape_task, class->shape);
        for (uint32_t k = 0; k < e->kinds; k++) {
            o.left[k] += task[k] * part->live[part->order[o.to]];
        }
    }
    return o;
}

/* Protects as many of `units` as fit, and subtracts their amounts from `left`.
 * Returns the number of protected units. */
static int64_t preempt_protect(const sked_engine *e, spare_owner *o,
                               const victim_class *class, int64_t units)
{
    int64_t unit[SKED_MAX_KINDS];

    preempt_unit_of(e, class, unit);
    int64_t n = skedi_i64_min(units,
                              preempt_times_in(e, unit, o->left, o->kinds));

    for (uint32_t k = 0; k < e->kinds; k++) o->left[k] -= unit[k] * n;
    return n;
}

/* Protects as many of `units` as begin within the protected amount. The last
 * unit may end above the protected amount; then `left` is cut at 0. A unit does
 * not begin if the unit needs a binding kind with nothing left. */
static int64_t preempt_protect_begun(const sked_engine *e, spare_owner *o,
                                     const victim_class *class, int64_t units)
{
    int64_t unit[SKED_MAX_KINDS];
    int64_t n = preempt_protect(e, o, class, units);
    int begins = n < units;

    preempt_unit_of(e, class, unit);
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (unit[k] > 0 && o->kinds >> k & 1) begins &= o->left[k] > 0;
    }
    if (!begins) return n;
    for (uint32_t k = 0; k < e->kinds; k++) {
        o->left[k] = skedi_i64_max(o->left[k] - unit[k], 0);
    }
    return n + 1;
}

/* Returns the end of the rank that begins with the class at `from`. */
static uint32_t preempt_rank_end(const round_part *part, const spare_owner *o,
                                 uint32_t from)
{
    const victim_classes *classes = &part->e->preempt->classes;
    const victim_class *first = victim_class_at(classes, part->order[from]);
    uint32_t i = from + 1;

    while (i < o->to &&
           preempt_class_order(part->e, first,
                               victim_class_at(classes, part->order[i]),
                               o->kinds) == 0) {
        i++;
    }
    return i;
}

/* Computes the surplus of the rank from the class at `from` up to `to`. `spare`
 * counts the units that do not fit into the protected amount. `above` counts
 * the surplus units that begin above the protected amount. */
static void preempt_spare_rank(round_part *part, spare_owner *o,
                               spare_owner *begun, uint32_t from, uint32_t to)
{
    const victim_classes *classes = &part->e->preempt->classes;
    uint32_t first = part->order[from];
    int64_t units = 0;

    for (uint32_t i = from; i < to; i++) {
        part->rank[part->order[i]] = first;
        units += preempt_live_units(part, part->order[i]);
    }
    const victim_class *class = victim_class_at(classes, first);
    part->spare[first] = units - preempt_protect(part->e, o, class, units);
    part->above[first] = skedi_i64_min(
        part->spare[first],
        units - preempt_protect_begun(part->e, begun, class, units));
}

int skedi_round_spare(round_part *part)
{
    sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;

    if (!skedi_victim_classes_ready(e) || !preempt_list_owned(part)) return 0;
    part->spare = skedi_round_reserve(e, classes->pool.n, sizeof *part->spare);
    part->rank = skedi_round_reserve(e, classes->pool.n, sizeof *part->rank);
    part->live = skedi_round_reserve(e, classes->pool.n, sizeof *part->live);
    part->above = skedi_round_reserve(e, classes->pool.n, sizeof *part->above);
    if (!part->spare || !part->above || !part->rank || !part->live) return 0;
    for (uint32_t i = 0; i < classes->pool.n; i++) part->rank[i] = i;
    preempt_count_live(part);
    for (uint32_t i = 0; i < part->from[e->rows.n];) {
        spare_owner o = preempt_owner_at(part, i), begun = o;
        while (i < o.to) {
            uint32_t end = preempt_rank_end(part, &o, i);
            preempt_spare_rank(part, &o, &begun, i, end);
            i = end;
        }
    }
    return 1;
}

/* True if a step is a claim beyond the guaranteed part of its leaf's share. */
static int preempt_is_beyond(const round_part *part, const plan_want *want)
{
    const sked_engine *e = part->e;
    const int64_t *claim = cell_row(e, e->cell_claim,
                                    cell_of(e, want->leaf, part->partition));
    const int64_t *held = part->held + (size_t)want->leaf * e->kinds;
    int beyond = 0;

    for (uint32_t k = 0; k < e->kinds && want->rule == PLAN_CLAIM; k++) {
        beyond |= want->step[k] > 0 && want->step[k] > claim[k] - held[k];
    }
    return beyond;
}

int64_t skedi_spare_for(const round_part *part, const plan_want *want,
                        uint32_t class)
{
    uint32_t rank = part->rank[class];

    return preempt_is_beyond(part, want)
               ? skedi_i64_min(part->spare[rank], part->above[rank])
               : part->spare[rank];
}

/* ---- Within a leaf ---- */

/* Returns the number of units of a class that the picks of a plan take. */
static int64_t preempt_units_picked(const round_list *picks, uint32_t class,
                                    int gang)
{
    const plan_pick *pick = picks->item;
    int64_t n = 0;

    for (size_t i = 0; i < picks->n; i++) {
        if (pick[i].class == class && pick[i].count) {
            n += gang ? 1 : pick[i].count;
        }
    }
    return n;
}

/* Returns a class for a step, to compare with the classes of the owner. */
static victim_class preempt_class_of_want(const round_part *part,
                                          const plan_want *want)
{
    const sked_engine *e = part->e;
    const engine_ask *a = ask_at(e, want->ask);

    return (victim_class){
        .shape = a->shape,
        .priority = want->priority,
        .terms = skedi_victim_terms(e, a),
    };
}

/* Finds the owner of a step in its leaf: the user if users are owners, else the
 * leaf. 0: the owner has no class. */
static int preempt_owner_of_want(const round_part *part, const plan_want *want,
                                 spare_owner *o)
{
    const sked_engine *e = part->e;
    int by_user = part->account_keep && want->account != SKEDI_NONE;
    uint32_t end = part->from[want->leaf + 1];
    int found = 0;

    for (uint32_t i = part->from[want->leaf]; !found && i < end; i = o->to) {
        *o = preempt_owner_at(part, i);
        uint32_t account = victim_class_at(&e->preempt->classes, part->order[i])
                               ->account;
        found = !by_user || account == want->account;
    }
    return found;
}

/* Counts the units of a rank, from the class at `from` up to `to`. `*after`
 * gets the units that stay. `*before` gets the units that stay, plus the units
 * that the picks take. */
static void preempt_count_rank(const round_part *part, const round_list *picks,
                               uint32_t from, uint32_t to, int64_t *before,
                               int64_t *after)
{
    const sked_engine *e = part->e;

    *before = *after = 0;
    for (uint32_t i = from; i < to; i++) {
        uint32_t class = part->order[i];
        int gang = skedi_victim_class_is_gang(
            e, victim_class_at(&e->preempt->classes, class));
        *after += preempt_live_units(part, class);
        *before += preempt_units_picked(picks, class, gang);
    }
    *before += *after;
}

int skedi_protects(round_part *part, const plan_want *want,
                   const round_list *picks)
{
    const sked_engine *e = part->e;
    const victim_classes *classes = &e->preempt->classes;
    spare_owner was, is;
    victim_class own = preempt_class_of_want(part, want);
    int added = job_at(e, ask_at(e, want->ask)->job)->flags & SKED_JOB_FIXED;

    if (added || !preempt_owner_of_want(part, want, &was)) return 1;
    is = was;
    for (uint32_t i = was.from, end; i < was.to; i = end) {
        const victim_class *k = victim_class_at(classes, part->order[i]);
        int by = preempt_class_order(e, &own, k, was.kinds);
        int64_t before, after;
        end = preempt_rank_end(part, &was, i);
        preempt_count_rank(part, picks, i, end, &before, &after);
        if (!added && by < 0) { /* the step begins a rank */
            if (preempt_protect(e, &is, &own, 1) > 0) return 1;
            added = 1;
        }
        if (!added && by == 0) {
            after++;
            added = 1;
        }
        before = preempt_protect(e, &was, k, before);
        after = preempt_protect(e, &is, k, after);
        if (before != after) return after > before;
    }
    return 1;
}
