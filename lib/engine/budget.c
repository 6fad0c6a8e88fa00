/*
 * Budgets beside the limits of queues: users in a leaf, limit trees, start
 * rates, and the rows of limit trees that charge a job.
 *
 * Each budget has a bound, a charge, and the asks that the budget keeps out.
 * When the charge falls or the bound rises, these asks come back.
 *
 * Invariants: the charge of a user or a row is the sum over groups; an ask
 * that is kept out shows no bit in its line.
 */
#include <string.h>

#include "base/assert.h"
#include "base/fail.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/store.h"

/*
 * A blocked user's entries stay in line but show no bit, and the account stands
 * in its cell's list of blocked ones. Whenever the cell's books or its users
 * change, those few are looked at again.
 */

static uint64_t budget_account_name(uint32_t cell, uint32_t user)
{
    return (uint64_t)cell << 32 | (uint64_t)(user + 1);
}

uint32_t skedi_account_find(const sked_engine *e, uint32_t cell, uint32_t user)
{
    return skedi_keymap_get(&e->account_of, budget_account_name(cell, user));
}

uint32_t skedi_account_of_ask(const sked_engine *e, uint32_t ask,
                              uint32_t partition)
{
    const engine_job *job = job_at(e, ask_at(e, ask)->job);

    if (!e->rows.by_user[job->row]) return SKEDI_NONE;
    return skedi_account_find(e, (uint32_t)cell_of(e, job->row, partition),
                              job->user);
}

int skedi_account_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->accounts, &e->hooks.mem, more) &&
           skedi_amounts_reserve(e, &e->account_used, &e->accounts) &&
           skedi_amounts_reserve(e, &e->account_paid, &e->accounts) &&
           skedi_keymap_reserve(&e->account_of, &e->hooks.mem,
                                e->account_of.n + (size_t)more);
}

static engine_user *budget_user_at(const sked_engine *e, uint32_t user)
{
    return (engine_user *)e->users.item + user;
}

/* What the tree says that a user weighs in a leaf. */
static uint32_t budget_user_weight_of(const sked_engine *e, uint32_t row,
                                      uint32_t user)
{
    const char *name = budget_user_at(e, user)->name;
    int64_t weight = 1;

    if (!name || sked_tree_user_weight(e->tree, e->rows.id[row], name,
                                       &weight) != SKED_OK) {
        return 1;
    }
    return (uint32_t)weight;
}

static void budget_list_account(sked_engine *e, uint32_t account)
{
    engine_account *s = account_at(e, account);
    uint32_t *first = &budget_user_at(e, s->user)->first_account;

    s->user_prev = SKEDI_NONE;
    s->user_next = *first;
    if (*first != SKEDI_NONE) account_at(e, *first)->user_prev = account;
    *first = account;
}

static void budget_unlist_account(sked_engine *e, uint32_t account)
{
    SKEDI_ASSERT(account_at(e, account)->entries == 0);
    const engine_account *s = account_at(e, account);

    SKEDI_ASSERT(account == (s->user_prev == SKEDI_NONE
                                 ? budget_user_at(e, s->user)->first_account
                                 : account_at(e, s->user_prev)->user_next));
    if (s->user_prev == SKEDI_NONE) {
        budget_user_at(e, s->user)->first_account = s->user_next;
    } else {
        account_at(e, s->user_prev)->user_next = s->user_next;
    }
    if (s->user_next != SKEDI_NONE) {
        account_at(e, s->user_next)->user_prev = s->user_prev;
    }
}

uint32_t skedi_account_take(sked_engine *e, uint32_t cell, uint32_t user)
{
    uint32_t account = skedi_account_find(e, cell, user);

    if (account != SKEDI_NONE) return account;
    account = skedi_pool_take(&e->accounts);
    *account_at(e, account) = (engine_account){
        .name = budget_account_name(cell, user),
        .cell = cell,
        .user = user,
        .weight = budget_user_weight_of(e, cell / e->parts, user),
        .first = SKEDI_NONE,
        .next = SKEDI_NONE,
    };
    for (uint32_t k = 0; k < e->kinds; k++) {
        engine_row_of(e, &e->account_used, account)[k] = 0;
        engine_row_of(e, &e->account_paid, account)[k] = 0;
    }
    skedi_keymap_put(&e->account_of, budget_account_name(cell, user), account);
    budget_list_account(e, account);
    return account;
}

/* Takes an account out of its cell's list of blocked ones. */
static void budget_unblock_account(sked_engine *e, uint32_t account)
{
    uint32_t *at = &e->cells[account_at(e, account)->cell].blocked;

    while (*at != account) at = &account_at(e, *at)->next;
    *at = account_at(e, account)->next;
    account_at(e, account)->blocked = 0;
}

void skedi_account_drop_if_idle(sked_engine *e, uint32_t account)
{
    engine_account *s = account_at(e, account);

    if (s->entries > 0 || s->groups > 0 || e->keeping) return;
    if (s->blocked) budget_unblock_account(e, account);
    budget_unlist_account(e, account);
    skedi_keymap_remove(&e->account_of, s->name);
    skedi_pool_give(&e->accounts, account);
}

/* ceil(a * num / den), which is no more than SKED_AMOUNT_MAX + 1. */
static int64_t budget_part_up(int64_t a, uint64_t num, uint64_t den)
{
    uint64_t rem, part = skedi_muldiv((uint64_t)a, num, den, &rem);

    return (int64_t)part + (rem > 0);
}

/* What users of a cell are measured by: the kind it uses most of, what there is
 * of that to divide among them, and the most that one may hold of it. */
typedef struct user_measure {
    uint32_t kind;
    int64_t base;
    int64_t most;
} user_measure;

/* So many millionths of what is guaranteed to a leaf; SKED_UNLIMITED: more than
 * an amount. */
static int64_t budget_times_promised(int64_t promised, int64_t factor)
{
    if (skedi_cmp_mul((uint64_t)promised, (uint64_t)factor,
                      (uint64_t)SKED_AMOUNT_MAX, (uint64_t)SKED_PPM) > 0) {
        return SKED_UNLIMITED;
    }
    return budget_part_up(promised, (uint64_t)factor, (uint64_t)SKED_PPM);
}

/* What is guaranteed to a leaf in a kind. */
static inline int64_t budget_promised_to(const sked_engine *e, uint32_t cell,
                                         uint32_t kind)
{
    return e->cells[cell].promised ? cell_row(e, e->cell_promised, cell)[kind]
                                   : 0;
}

/* What the leaf's user_factor lets one user hold of a kind. */
static inline int64_t budget_most_of_one(const sked_engine *e, uint32_t cell,
                                         int64_t promised)
{
    if (promised == 0) return SKED_UNLIMITED;
    int64_t factor = e->rows.user_factor[cell / e->parts];
    return factor == SKED_UNLIMITED ? factor
                                    : budget_times_promised(promised, factor);
}

static inline user_measure budget_measure_of(const sked_engine *e,
                                             uint32_t cell)
{
    int moved = e->partition[cell % e->parts].dirty != 0;
    uint32_t k = moved ? skedi_cell_lead(e, cell) : e->cells[cell].lead;
    int64_t base = cell_row(e, e->cell_used, cell)[k] + 1;
    int64_t promised = budget_promised_to(e, cell, k);

    return (user_measure){k, promised > base ? promised : base,
                          budget_most_of_one(e, cell, promised)};
}

/* Does no part of what there is bound the user? */
static inline int budget_is_unmeasured(const sked_engine *e,
                                       const engine_account *s)
{
    return e->rows.user_limit[s->cell / e->parts] >= SKED_PPM ||
           !e->cells[s->cell].account_weight || !s->entries;
}

int64_t skedi_account_limit(const sked_engine *e, uint32_t account,
                            uint32_t *kind)
{
    const engine_account *s = account_at(e, account);
    user_measure m = budget_measure_of(e, s->cell);
    uint64_t ppm = (uint64_t)e->rows.user_limit[s->cell / e->parts];

    *kind = m.kind;
    if (budget_is_unmeasured(e, s)) return m.most;
    int64_t by_weight = budget_part_up(m.base, s->weight,
                                       e->cells[s->cell].account_weight);
    int64_t part = budget_part_up(m.base, ppm, (uint64_t)SKED_PPM);
    return skedi_i64_min(m.most, skedi_i64_max(by_weight, part));
}

/* Does a user hold as much as its limit? Without a division: x >= ceil(a / b)
 * where x * b >= a. */
static inline int budget_fills_part(const sked_engine *e,
                                    const engine_account *s, uint64_t used,
                                    user_measure m, uint64_t all)
{
    uint64_t ppm = (uint64_t)e->rows.user_limit[s->cell / e->parts];
    uint64_t base = (uint64_t)m.base;

    if (used >= (uint64_t)m.most) return 1;
    if (budget_is_unmeasured(e, s)) return 0;
    return skedi_cmp_mul(used, (uint64_t)SKED_PPM, base, ppm) >= 0 &&
           skedi_cmp_mul(used, all, base, s->weight) >= 0;
}

static inline int budget_account_fills(const sked_engine *e, uint32_t account,
                                       user_measure m)
{
    const engine_account *s = account_at(e, account);
    uint64_t held = (uint64_t)skedi_account_held(e, account, m.kind);

    return budget_fills_part(e, s, held, m, e->cells[s->cell].account_weight);
}

int skedi_account_would_fill(const sked_engine *e, uint32_t account,
                             const engine_without *then)
{
    const engine_account *s = account_at(e, account);
    uint32_t k = skedi_lead_of(e, s->cell % e->parts, then->used);
    int64_t promised = budget_promised_to(e, s->cell, k);
    user_measure m = {k, skedi_i64_max(promised, then->used[k] + 1),
                      budget_most_of_one(e, s->cell, promised)};

    return budget_fills_part(e, s, (uint64_t)skedi_i64_max(then->own[k], 0), m,
                             e->cells[s->cell].account_weight + then->weight);
}

int skedi_account_is_full(const sked_engine *e, uint32_t account)
{
    return budget_account_fills(
        e, account, budget_measure_of(e, account_at(e, account)->cell));
}

/* Shows an entry with its bits in its line and tells those above. */
static void budget_show_entry(sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    skedi_line_show(e, entry, skedi_entry_mask(e, entry));
    skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
}

static void budget_show_account(sked_engine *e, uint32_t account)
{
    for (uint32_t x = account_at(e, account)->first; x != SKEDI_NONE;
         x = entry_at(e, x)->account_next) {
        budget_show_entry(e, x);
    }
}

void skedi_account_block(sked_engine *e, uint32_t account)
{
    SKEDI_ASSERT(account != SKEDI_NONE);
    engine_account *s = account_at(e, account);

    s->blocked = 1;
    s->next = e->cells[s->cell].blocked;
    e->cells[s->cell].blocked = account;
    budget_show_account(e, account);
}

void skedi_accounts_wake(sked_engine *e, uint32_t cell)
{
    uint32_t account = e->cells[cell].blocked;

    if (account == SKEDI_NONE) return;
    user_measure m = budget_measure_of(e, cell);
    while (account != SKEDI_NONE) {
        uint32_t next = account_at(e, account)->next;
        if (!budget_account_fills(e, account, m)) {
            budget_unblock_account(e, account);
            budget_show_account(e, account);
            skedi_partition_stir(e, cell % e->parts);
        }
        account = next;
    }
}

void skedi_accounts_wake_all(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        skedi_accounts_wake(e, (uint32_t)cell_of(e, row, partition));
    }
}

/* Orders a user's entries in a leaf anew. O(entries). */
static void budget_rekey_account(sked_engine *e, uint32_t account)
{
    for (uint32_t x = account_at(e, account)->first; x != SKEDI_NONE;
         x = entry_at(e, x)->account_next) {
        skedi_line_rekey(e, x);
    }
}

void skedi_account_charge(sked_engine *e, uint32_t account,
                          const int64_t *delta)
{
    int64_t *used = engine_row_of(e, &e->account_used, account);

    for (uint32_t k = 0; k < e->kinds; k++) used[k] += delta[k];
    if (e->rows.apps[account_at(e, account)->cell / e->parts] ==
        SKED_APPS_USER_FAIR) {
        budget_rekey_account(e, account);
    }
}

void skedi_accounts_reweigh(sked_engine *e, uint32_t user)
{
    for (uint32_t i = budget_user_at(e, user)->first_account; i != SKEDI_NONE;
         i = account_at(e, i)->user_next) {
        engine_account *s = account_at(e, i);
        uint32_t weight = budget_user_weight_of(e, s->cell / e->parts, user);
        if (s->entries > 0) {
            e->cells[s->cell].account_weight += weight;
            e->cells[s->cell].account_weight -= s->weight;
        }
        s->weight = weight;
        if (e->rows.apps[s->cell / e->parts] == SKED_APPS_USER_FAIR) {
            budget_rekey_account(e, i);
        }
        skedi_accounts_wake(e, s->cell);
    }
}

/*
 * A count for each queue that has a rate, and the moment at which its second
 * began. Nothing happens when a second is over: what it let start is taken off
 * when the count is read. Only a queue that refused something is looked at
 * again by itself, at the first such moment (`rate_due`).
 */

#define RATE_SECOND INT64_C(1000000000)

int skedi_rates_said(const skedi_image *image)
{
    const int64_t *rate = image->number[SKEDI_AT_START_RATE];

    for (uint32_t row = 0; rate && row < image->n; row++) {
        if (rate[row] != SKED_UNLIMITED) return 1;
    }
    return 0;
}

void skedi_rates_fill(sked_engine *e, const skedi_image *image)
{
    for (uint32_t row = 0; e->rated && row < e->rows.n; row++) {
        e->rows.rate[row].most = image->number[SKEDI_AT_START_RATE][row];
    }
}

void skedi_rates_carry(sked_engine *e, const sked_engine *old,
                       const uint32_t *row_of)
{
    e->rate_due = INT64_MAX; /* nothing is struck yet */
    for (uint32_t row = 0; e->rated && old->rated && row < old->rows.n; row++) {
        uint32_t to = row_of ? row_of[row] : row;
        const engine_rate *was = &old->rows.rate[row];
        if (to == SKEDI_NO_ROW || was->most == SKED_UNLIMITED) continue;
        e->rows.rate[to].begin = was->begin;
        e->rows.rate[to].count = was->count;
    }
}

/* Takes off what the seconds that are over by now let start. */
static engine_rate budget_rate_now(const sked_engine *e, uint32_t row)
{
    engine_rate r = e->rows.rate[row];

    if (r.most == SKED_UNLIMITED || r.count == 0) return r;
    uint64_t over = (uint64_t)e->now - (uint64_t)r.begin;
    over /= (uint64_t)RATE_SECOND;
    if (over > (uint64_t)(r.count / r.most)) {
        r.count = 0;
    } else { /* no overflow: not more than was counted, and not later than now */
        r.count -= (int64_t)over * r.most;
        r.begin += (int64_t)over * RATE_SECOND;
    }
    return r;
}

uint32_t skedi_rate_refusal(const sked_engine *e, uint32_t leaf)
{
    uint32_t refused = SKEDI_NONE;

    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        engine_rate r = budget_rate_now(e, row);
        if (r.count >= r.most) refused = row;
        if (row == 0) return refused;
    }
}

uint64_t skedi_rate_left(const sked_engine *e, uint32_t leaf)
{
    uint64_t left = UINT64_MAX;

    if (!e->rated) return left;
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        engine_rate r = budget_rate_now(e, row);
        uint64_t own = (uint64_t)skedi_i64_max(r.most - r.count, 0);
        if (own < left) left = own;
        if (row == 0) return left;
    }
}

sked_time skedi_rate_lapse(const sked_engine *e, uint32_t row)
{
    engine_rate r = budget_rate_now(e, row);
    int64_t seconds = r.count / r.most;

    if (seconds == 0) return e->now;
    if (r.begin > INT64_MAX - seconds * RATE_SECOND) return INT64_MAX;
    return r.begin + seconds * RATE_SECOND;
}

void skedi_rates_count(sked_engine *e, uint32_t leaf, uint32_t count)
{
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        engine_rate r = budget_rate_now(e, row);
        if (r.most != SKED_UNLIMITED) {
            if (r.count == 0) r.begin = e->now;
            r.count += count;
            e->rows.rate[row] = r;
        }
        if (row == 0) return;
    }
}

void skedi_rates_strike(sked_engine *e, uint32_t row, uint32_t partition)
{
    skedi_books_strike(e, row, partition, ~SKEDI_MIXED_CLASSES);
    skedi_books_strike(e, row, partition, SKEDI_MIXED_CLASSES);
    e->rate_due = skedi_i64_min(e->rate_due, skedi_rate_lapse(e, row));
}

void skedi_rates_lift(sked_engine *e, sked_time now)
{
    sked_time before = e->now;

    e->rate_due = INT64_MAX;
    e->now = now;
    for (uint32_t row = 0; e->rated && row < e->rows.n; row++) {
        if (e->rows.rate[row].most == SKED_UNLIMITED) continue;
        sked_time due = skedi_rate_lapse(e, row);
        if (due > now) {
            e->rate_due = skedi_i64_min(e->rate_due, due);
        } else {
            skedi_head_open(e, row);
        }
    }
    e->now = before;
}

/*
 * An ask that was stopped is looked at again when what its row holds falls, or
 * the tree is another one. So it costs nothing in between.
 */

/* ---- Bounds ---- */

/* Does a row's limit not hold a step beside what is used and reserved there, or
 * (`more` is not NULL) beside what is used and `more`? */
static int budget_tree_row_refuses(const sked_engine *e, const engine_limits *t,
                                   uint32_t row, const int64_t *step,
                                   const int64_t *more, uint32_t *kind)
{
    const int64_t *limit = skedi_tree_amounts(e, t->limit, row);
    const int64_t *used = skedi_tree_amounts(e, t->used, row);
    const int64_t *reserved = skedi_tree_amounts(e, t->reserved, row);

    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] == 0 || limit[k] == SKED_UNLIMITED) continue;
        int64_t has = more ? used[k] + more[(size_t)row * e->kinds + k]
                           : used[k] + reserved[k];
        if (has <= limit[k] && step[k] <= limit[k] - has) continue;
        *kind = k;
        return 1;
    }
    return 0;
}

engine_tree_bound skedi_trees_bound(const sked_engine *e, uint32_t job,
                                    const int64_t *step, const int64_t *more)
{
    const engine_charge *charge = skedi_charge_of(e, job);
    engine_tree_bound bound = {SKEDI_NONE, SKEDI_NONE, 0};
    uint32_t kind;

    for (uint32_t i = 0; charge && i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t row = charge->row[i];
        for (; row != SKEDI_NONE; row = t->parent[row]) {
            if (!budget_tree_row_refuses(e, t, row, step, more, &kind))
                continue;
            bound = (engine_tree_bound){i, row, kind};
        }
        if (bound.tree != SKEDI_NONE) break;
        if (more) more += (size_t)t->n * e->kinds;
    }
    return bound;
}

/* ---- Asks that are kept out ---- */

int skedi_trees_reserve_all(sked_engine *e)
{
    engine_trees *t = &e->trees;

    if (t->stop_cap >= e->asks.cap) return 1;
    void *grown = skedi_grow(&e->hooks.mem, t->stop, t->stop_cap, e->asks.cap,
                             sizeof *t->stop);
    if (!grown) return 0;
    t->stop = grown;
    t->stop_cap = e->asks.cap;
    return 1;
}

/* Shows the entries of an ask with their bits, or with none. */
static void budget_show_stopped(sked_engine *e, uint32_t ask, int stopped)
{
    for (uint32_t i = ask_at(e, ask)->first_entry; i != SKEDI_NONE;
         i = entry_next(e, i)) {
        engine_entry *x = entry_at(e, i);
        x->stopped = stopped != 0;
        skedi_line_show(e, i, skedi_entry_mask(e, i));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
        if (!stopped) skedi_partition_stir(e, x->cell % e->parts);
    }
}

void skedi_trees_stop(sked_engine *e, uint32_t ask, uint32_t tree, uint32_t row)
{
    SKEDI_ASSERT(tree < SKED_MAX_LIMIT_TREES && row < e->trees.at[tree].n);
    uint32_t *first = &e->trees.at[tree].stop[row];

    e->trees.stop[ask] = (engine_stop){tree, row, *first, SKEDI_NONE};
    if (*first != SKEDI_NONE) e->trees.stop[*first].prev = ask;
    *first = ask;
    budget_show_stopped(e, ask, 1);
}

static void budget_unlink_stop(sked_engine *e, uint32_t ask)
{
    SKEDI_ASSERT(ask < e->trees.stop_cap);
    const engine_stop *s = &e->trees.stop[ask];

    SKEDI_ASSERT(ask == (s->prev == SKEDI_NONE
                             ? e->trees.at[s->tree].stop[s->row]
                             : e->trees.stop[s->prev].next));
    if (s->prev == SKEDI_NONE)
        e->trees.at[s->tree].stop[s->row] = s->next;
    else
        e->trees.stop[s->prev].next = s->next;
    if (s->next != SKEDI_NONE) e->trees.stop[s->next].prev = s->prev;
}

void skedi_trees_forget(sked_engine *e, uint32_t ask)
{
    uint32_t first = ask_at(e, ask)->first_entry;

    if (first == SKEDI_NONE || !entry_at(e, first)->stopped) return;
    budget_unlink_stop(e, ask);
    for (uint32_t i = first; i != SKEDI_NONE; i = entry_next(e, i)) {
        entry_at(e, i)->stopped = 0;
    }
}

void skedi_trees_restart(sked_engine *e)
{
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        engine_limits *t = &e->trees.at[i];
        if (t->n) memset(t->stop, 0xff, t->n * sizeof *t->stop);
        if (t->n) memset(t->running, 0, t->n * sizeof *t->running);
    }
}

void skedi_trees_wake(sked_engine *e, uint32_t tree, uint32_t row, int all)
{
    const engine_limits *t = &e->trees.at[tree];
    uint32_t ask = t->stop[row], next, kind;

    for (; ask != SKEDI_NONE; ask = next) {
        const engine_ask *a = ask_at(e, ask);
        const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
        next = e->trees.stop[ask].next;
        if (!all && budget_tree_row_refuses(e, t, row, step, NULL, &kind))
            continue;
        budget_unlink_stop(e, ask);
        budget_show_stopped(e, ask, 0);
    }
}

/* ---- Books ---- */

void skedi_trees_freed(sked_engine *e, uint32_t job)
{
    const engine_charge *charge = skedi_charge_of(e, job);

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        uint32_t row = skedi_charge_row(charge, i);
        for (; row != SKEDI_NONE; row = e->trees.at[i].parent[row]) {
            skedi_trees_wake(e, i, row, 0);
        }
    }
}

/* Adds to what is used on the paths of a job, or reserved. */
static void budget_book_trees(sked_engine *e, uint32_t job,
                              const int64_t *delta, int reserved)
{
    const engine_charge *charge = skedi_charge_of(e, job);

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t row = skedi_charge_row(charge, i);
        for (; row != SKEDI_NONE; row = t->parent[row]) {
            int64_t *to = skedi_tree_amounts(
                e, reserved ? t->reserved : t->used, row);
            for (uint32_t k = 0; k < e->kinds; k++) to[k] += delta[k];
        }
    }
}

void skedi_trees_charge(sked_engine *e, uint32_t job, const int64_t *delta,
                        int back)
{
    budget_book_trees(e, job, delta, 0);
    if (back) skedi_trees_freed(e, job);
}

void skedi_trees_book(sked_engine *e, uint32_t job, const int64_t *delta)
{
    budget_book_trees(e, job, delta, 1);
}

void skedi_tree_drop_books(sked_engine *e, engine_limits *t)
{
    size_t n = t->n, amounts = n * (3 * (size_t)e->kinds + 2);

    skedi_free(&e->hooks.mem, t->limit, amounts, sizeof *t->limit);
    skedi_free(&e->hooks.mem, t->parent, 3 * n, sizeof *t->parent);
    sked_tree_free(t->tree);
    *t = (engine_limits){0};
}

void skedi_trees_free(sked_engine *e)
{
    engine_trees *trees = &e->trees;

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        skedi_tree_drop_books(e, &trees->at[i]);
    }
    skedi_pool_free(&trees->charges, &e->hooks.mem);
    skedi_free(&e->hooks.mem, trees->stop, trees->stop_cap,
               sizeof *trees->stop);
}

/* Where jobs are charged: rows by what the host said, lists by row. */

sked_status skedi_charge_in(const sked_engine *e, const sked_events *batch,
                            const sked_event *event, uint32_t *rows,
                            sked_error *err)
{
    const sked_event_charge said = skedi_event_charge(batch, event);
    const sked_queue_id id[SKED_MAX_LIMIT_TREES] = {said.first, said.second};

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const sked_tree *tree = e->trees.at[i].tree;
        rows[i] = SKEDI_NONE;
        if (id[i] == SKED_NO_QUEUE) continue;
        if (tree) rows[i] = skedi_image_row(skedi_tree_image(tree), id[i]);
        if (rows[i] != SKEDI_NONE) continue;
        return skedi_fail(err, SKED_ERR_STALE, "no such queue of a limit tree",
                          (skedi_fault){.queue = id[i], .got = i + 1});
    }
    return SKED_OK;
}

int skedi_charge_reserve(sked_engine *e)
{
    const engine_limits *t = e->trees.at;

    return (!t[0].tree && !t[1].tree) ||
           skedi_pool_reserve(&e->trees.charges, &e->hooks.mem, 1);
}

void skedi_charge_link(sked_engine *e, uint32_t charge, uint32_t tree)
{
    engine_charge *c = charge_at(e, charge);

    if (c->row[tree] == SKEDI_NONE) return;
    uint32_t *first = &e->trees.at[tree].charge[c->row[tree]];
    c->next[tree] = *first;
    c->prev[tree] = SKEDI_NONE;
    if (*first != SKEDI_NONE) charge_at(e, *first)->prev[tree] = charge;
    *first = charge;
}

static void budget_unlink_charge(sked_engine *e, uint32_t charge, uint32_t tree)
{
    const engine_charge *c = charge_at(e, charge);

    if (c->row[tree] == SKEDI_NONE) return;
    SKEDI_ASSERT(charge == (c->prev[tree] == SKEDI_NONE
                                ? e->trees.at[tree].charge[c->row[tree]]
                                : charge_at(e, c->prev[tree])->next[tree]));
    if (c->prev[tree] == SKEDI_NONE)
        e->trees.at[tree].charge[c->row[tree]] = c->next[tree];
    else
        charge_at(e, c->prev[tree])->next[tree] = c->next[tree];
    if (c->next[tree] != SKEDI_NONE)
        charge_at(e, c->next[tree])->prev[tree] = c->prev[tree];
}

void skedi_charge_take(sked_engine *e, uint32_t job, const uint32_t *rows)
{
    uint32_t charge;

    job_at(e, job)->charge = SKEDI_NONE;
    if (rows[0] == SKEDI_NONE && rows[1] == SKEDI_NONE) return;
    charge = skedi_pool_take(&e->trees.charges);
    *charge_at(e, charge) = (engine_charge){
        .job = job, .row = {rows[0], rows[1]}, .live = 1};
    job_at(e, job)->charge = charge;
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        skedi_charge_link(e, charge, i);
    }
}

void skedi_charge_drop(sked_engine *e, uint32_t job)
{
    uint32_t charge = job_at(e, job)->charge;

    if (charge == SKEDI_NONE) return;
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        budget_unlink_charge(e, charge, i);
    }
    skedi_pool_give(&e->trees.charges, charge);
}

int skedi_charge_may_run(const sked_engine *e, uint32_t job)
{
    const engine_charge *charge = skedi_charge_of(e, job);

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        uint32_t row = skedi_charge_row(charge, i);
        for (; row != SKEDI_NONE; row = t->parent[row]) {
            if (t->running[row] >= t->max_running[row]) return 0;
        }
    }
    return 1;
}
