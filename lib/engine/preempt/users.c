/*
 * Users as owners: where they preempt each other each user of a leaf is a leaf
 * of its own below it, with a part of what the leaf may claim by each policy,
 * of its share and of what it keeps.
 */
#include <string.h>

#include "base/sort.h"
#include "engine/preempt/owners.h"

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

/* Shares an amount of one kind among the users, in the order of
 * compare_users(). */
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

/* Shares out what a leaf may claim, its share and what it keeps. */
static void share_leaf(round_part *part, user_list *l, uint32_t row)
{
    size_t at = (size_t)row * part->e->kinds;

    for (l->k = 0; l->k < part->e->kinds; l->k++) {
        skedi_sort(l->account, l->scratch, l->n, compare_users, l);
        for (uint32_t i = 0; i < part->e->preempt->policies; i++) {
            const round_policy *p = &part->policy[i];
            share_kind(l, p->claim[at + l->k], p->account_claim);
        }
        share_kind(l, part->share[at + l->k], part->account_share);
        share_kind(l, part->keep[at + l->k], part->account_keep);
    }
}

/* What users hold, with what got a kill order, and want besides. */
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

static int reserve_users(round_part *part, uint64_t cells)
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
    l.demand = demand_of_users(part);
    if (!items || !l.account || !l.scratch || !l.demand ||
        !reserve_users(part, cells)) {
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
