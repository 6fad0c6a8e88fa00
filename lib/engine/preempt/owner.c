/*
 * What queues may claim and what they keep, from the shares that placement goes
 * by, and the same for users where they preempt each other: then each user of a
 * leaf is a leaf of its own below it.
 */
#include <string.h>

#include "base/fail.h"
#include "base/sort.h"
#include "engine/order/shares.h"
#include "engine/preempt/rounds.h"
#include "target/handle.h"

/* ---- Queues ---- */

/* Is there an order above that does not lead to shares? There claims reach up
 * to guarantees and no further. */
static int is_below_other_order(const sked_engine *e, uint32_t row)
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
static uint32_t kinds_by_weight(const sked_engine *e, uint32_t row,
                                uint32_t partition)
{
    const sked_target_options *o = &e->preempt->target->options;
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
static int claims_share(const sked_engine *e, uint32_t row)
{
    const sked_target_options *o = &e->preempt->target->options;
    int whole = o->mode == SKED_TARGET_MODE_ENTITLEMENT ||
                o->flags & SKED_TARGET_FLAG_BALANCE;

    return whole && !is_below_other_order(e, row);
}

/* Does a leaf claim a part of its share, guaranteed or not, once its fair
 * time-out has passed? */
static int claims_fair_part(const sked_engine *e, uint32_t row)
{
    int32_t dialect = e->preempt->target->options.mode;
    int64_t timeout = skedi_image_effective(skedi_tree_image(e->tree),
                                            SKEDI_AT_FAIR_TIMEOUT, row);

    return dialect == SKED_TARGET_MODE_STARVATION &&
           timeout != SKED_UNLIMITED && !is_below_other_order(e, row);
}

static void claim_bounds(const sked_engine *e, uint32_t row, uint32_t partition,
                         uint32_t by_weight, int64_t *claim)
{
    size_t cell = cell_of(e, row, partition);
    const int64_t *share = cell_row(e, e->cell_share, cell);
    int whole = claims_share(e, row);

    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t most = cell_row(e, e->cell_claim, cell)[k];
        if (by_weight >> k & 1) {
            most = skedi_i64_max(most, cell_row(e, e->cell_part, cell)[k]);
        }
        claim[k] = whole ? share[k] : skedi_i64_min(most, share[k]);
    }
}

void skedi_claim_bounds(const sked_engine *e, uint32_t row, uint32_t partition,
                        int64_t *claim)
{
    claim_bounds(e, row, partition, kinds_by_weight(e, row, partition), claim);
}

/* One leaf: how far it may claim once it is due, and what it keeps; and the
 * kinds of which a step has to need one, so that it claims at all. */
static void bound_queue(const round_part *part, uint32_t row,
                        uint32_t by_weight, int64_t *claim, int64_t *keep)
{
    const sked_engine *e = part->e;
    const sked_target_options *o = &e->preempt->target->options;
    size_t cell = cell_of(e, row, part->partition);
    const int64_t *share = cell_row(e, e->cell_share, cell);
    const int64_t *force = cell_row(e, e->cell_force, cell);

    part->named[row] = skedi_named(e, row, part->partition) | by_weight;
    if (claims_share(e, row) || claims_fair_part(e, row)) {
        part->named[row] |= contended_above(part, row);
    }
    claim_bounds(e, row, part->partition, by_weight, claim);
    for (uint32_t k = 0; k < e->kinds; k++) {
        keep[k] = o->mode == SKED_TARGET_MODE_IMBALANCE
                      ? skedi_i64_max(share[k],
                                      raised(force[k], o->ignored_ppm, 1))
                      : raised(share[k], o->ignored_ppm, 0);
    }
}

/* What queues have, or have and want; parents' are left as they are. */
static int64_t *usage_by_row(round_part *part)
{
    const sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *rows = skedi_round_reserve(part->e, cells, sizeof *rows);

    if (rows) memcpy(rows, part->held, cells * sizeof *rows);
    return rows;
}

static int64_t *demand_by_row(round_part *part)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *rows = skedi_round_reserve(e, cells, sizeof *rows);

    for (uint32_t row = 0; rows && row < e->rows.n; row++) {
        memcpy(rows + (size_t)row * e->kinds,
               cell_row(e, e->cell_used, cell_of(e, row, part->partition)),
               e->kinds * sizeof *rows);
    }
    return rows && skedi_wanted_add(e, part->partition, rows) ? rows : NULL;
}

/* The columns of shares, claims and keeps by row; siblings stand side by side.
 * 0: no memory. */
static int bound_leaves(round_part *part, sked_target_input *in)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *share = skedi_round_reserve(e, cells, sizeof *share);
    int64_t *claim = skedi_round_reserve(e, cells, sizeof *claim);
    int64_t *keep = skedi_round_reserve(e, cells, sizeof *keep);
    int32_t up = -1;
    uint32_t by_weight = 0;

    part->named = skedi_round_reserve(e, e->rows.n, sizeof *part->named);
    if (!share || !claim || !keep || !part->named) return 0;
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t at = (size_t)row * e->kinds;
        memcpy(share + at,
               cell_row(e, e->cell_share, cell_of(e, row, part->partition)),
               e->kinds * sizeof *share);
        if (row > 0 && e->rows.parent[row] != up) {
            up = e->rows.parent[row];
            by_weight = kinds_by_weight(e, row, part->partition);
        }
        if (!row_is_leaf(e, row)) continue;
        bound_queue(part, row, by_weight, claim + at, keep + at);
    }
    in->share = share;
    in->claim = claim;
    in->keep = keep;
    return 1;
}

/* What is left of what the round may take. */
static int take_budget(round_part *part)
{
    sked_engine *e = part->e;
    const sked_target *target = e->preempt->target;
    size_t cells = (size_t)e->rows.n * e->kinds;
    const int64_t *budget = sked_target_total(target, SKED_TARGET_TOTAL_BUDGET,
                                              NULL);

    part->take = skedi_round_reserve(e, cells, sizeof *part->take);
    part->gave = skedi_round_reserve(e, e->rows.n, sizeof *part->gave);
    if (!part->take || !part->gave) return 0;
    memcpy(part->take, sked_target_view(target, SKED_TARGET_COLUMN_TAKE, NULL),
           cells * sizeof *part->take);
    for (uint32_t k = 0; k < e->kinds; k++) {
        part->budget[k] = skedi_i64_min(budget[k], SKED_AMOUNT_MAX);
    }
    return 1;
}

/* Time-outs lift claims to a part of the share, which orders that lead to none
 * would not give back: below these, claims reach up to guarantees alone. */
static int cap_claims(round_part *part, const int64_t *most)
{
    sked_engine *e = part->e;
    size_t cells = (size_t)e->rows.n * e->kinds;
    int64_t *claim = skedi_round_reserve(e, cells, sizeof *claim);

    if (!claim) return 0;
    memcpy(claim,
           sked_target_view(e->preempt->target, SKED_TARGET_COLUMN_CLAIM, NULL),
           cells * sizeof *claim);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        if (!row_is_leaf(e, row) || !is_below_other_order(e, row)) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            size_t at = (size_t)row * e->kinds + k;
            claim[at] = skedi_i64_min(claim[at], most[at]);
        }
    }
    part->claim = claim;
    return 1;
}

/* What lazy rounds take by between rounds. */
static int remember_keeps(round_part *part)
{
    sked_engine *e = part->e;
    struct engine_preempt *own = e->preempt;
    size_t cells = (size_t)e->rows.n * e->parts;

    if (!own->lazy) return 1;
    if (!skedi_ensure(&e->hooks.mem, &own->keeps.item, &own->keeps.cap,
                      cells * e->kinds, sizeof(int64_t)) ||
        !skedi_ensure(&e->hooks.mem, &own->claims.item, &own->claims.cap,
                      cells * e->kinds, sizeof(int64_t)) ||
        !skedi_ensure(&e->hooks.mem, &own->givers.item, &own->givers.cap, cells,
                      1)) {
        return 0;
    }
    int64_t *keeps = own->keeps.item, *claims = own->claims.item;
    uint8_t *givers = own->givers.item;
    if (own->keeps.n == 0) memset(givers, 0, cells);
    own->keeps.n = cells;
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t cell = cell_of(e, row, part->partition);
        int gives = (part->reasons[row] & ROUND_GIVING) != 0;
        size_t at = (size_t)row * e->kinds, bytes = e->kinds * sizeof *keeps;
        memcpy(keeps + cell * e->kinds, part->keep + at, bytes);
        memcpy(claims + cell * e->kinds, part->claim + at, bytes);
        givers[cell] = (uint8_t)((gives ? ROUND_GIVES : 0) |
                                 (part->allowed[row] ? ROUND_ALLOWED : 0));
    }
    return 1;
}

sked_status skedi_round_owners(round_part *part, sked_error *err)
{
    sked_engine *e = part->e;
    const sked_target *target = e->preempt->target;
    sked_target_input in = {
        .struct_size = sizeof in,
        .partition = part->partition,
        .tree = e->tree,
        .usage = usage_by_row(part),
        .demand = demand_by_row(part),
        .running = e->rows.running,
        .capacity = e->capacity + (size_t)part->partition * e->kinds,
    };

    skedi_shares_renew(e, part->partition);
    if (!in.usage || !in.demand || !bound_leaves(part, &in)) {
        return SKED_ERR_NOMEM;
    }
    sked_status rc = sked_target_compute(e->preempt->target, &in, e->now, err);
    if (rc != SKED_OK) return rc;
    part->reasons = sked_target_reasons(target, NULL);
    part->allowed = target->last.allowed;
    part->share = sked_target_view(target, SKED_TARGET_COLUMN_SHARE, NULL);
    part->excess = sked_target_view(target, SKED_TARGET_COLUMN_EXCESS, NULL);
    part->keep = skedi_targets_column(&target->last, SKEDI_TARGET_BOUNDS);
    return cap_claims(part, in.claim) && take_budget(part) &&
                   remember_keeps(part)
               ? SKED_OK
               : SKED_ERR_NOMEM;
}

/* ---- Users ---- */

/* Users of a leaf, which share what it has by weight as far as they want. */
typedef struct user_list {
    const sked_engine *e;
    const int64_t *demand; /* accounts x kinds */
    uint32_t *account;
    uint32_t *scratch;
    uint32_t n;
    uint32_t k;
} user_list;

/* By demand over weight, the least first. */
static int compare_users(const void *ctx, uint32_t a, uint32_t b)
{
    const user_list *l = ctx;
    const sked_engine *e = l->e;
    uint64_t x = (uint64_t)l->demand[(size_t)a * e->kinds + l->k];
    uint64_t y = (uint64_t)l->demand[(size_t)b * e->kinds + l->k];

    return skedi_cmp_mul(x, account_at(e, b)->weight, y,
                         account_at(e, a)->weight);
}

/* Shares an amount of one kind among those in order. */
static void share_kind(const user_list *l, int64_t total, int64_t *to)
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
            to[at] = part; /* and so does each that comes after */
            continue;
        }
        to[at] = l->demand[at];
        total -= to[at];
        weight -= own;
    }
}

static void share_leaf(round_part *part, user_list *l, uint32_t row)
{
    size_t at = (size_t)row * part->e->kinds;

    for (l->k = 0; l->k < part->e->kinds; l->k++) {
        skedi_sort(l->account, l->scratch, l->n, compare_users, l);
        share_kind(l, part->claim[at + l->k], part->account_claim);
        share_kind(l, part->share[at + l->k], part->account_share);
        share_kind(l, part->keep[at + l->k], part->account_keep);
    }
}

/* What users hold, with what was told to end, and want besides. */
static int64_t *demand_of_users(round_part *part)
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

/* Lists the accounts of the partition, those of a leaf side by side. */
static uint32_t list_accounts(const sked_engine *e, const round_part *part,
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
    part->account_claim = skedi_round_reserve(e, cells, sizeof(int64_t));
    part->account_share = skedi_round_reserve(e, cells, sizeof(int64_t));
    part->account_keep = skedi_round_reserve(e, cells, sizeof(int64_t));
    l.demand = demand_of_users(part);
    if (!items || !l.account || !l.scratch || !part->account_claim ||
        !part->account_share || !part->account_keep || !l.demand) {
        return 0;
    }
    uint32_t n = list_accounts(e, part, items);
    for (uint32_t i = 0; i < n; i++) {
        l.account[l.n++] = items[i].tag;
        if (i + 1 < n && items[i + 1].key == items[i].key) continue;
        share_leaf(part, &l, (uint32_t)items[i].key);
        l.n = 0;
    }
    return 1;
}
