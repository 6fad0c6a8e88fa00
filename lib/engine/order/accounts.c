/*
 * A blocked user's entries stay in line but show no bit, and the account stands
 * in its cell's list of blocked ones. Whenever the cell's books or its users
 * change, those few are looked at again.
 */
#include "engine/order/accounts.h"

#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/order/keys.h"
#include "engine/store.h"

static uint64_t account_name(uint32_t cell, uint32_t user)
{
    return (uint64_t)cell << 32 | (uint64_t)(user + 1);
}

uint32_t skedi_account_find(const sked_engine *e, uint32_t cell, uint32_t user)
{
    return skedi_keymap_get(&e->account_of, account_name(cell, user));
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

static engine_user *user_at(const sked_engine *e, uint32_t user)
{
    return (engine_user *)e->users.item + user;
}

/* What the tree says that a user weighs in a leaf. */
static uint32_t user_weight_of(const sked_engine *e, uint32_t row,
                               uint32_t user)
{
    const char *name = user_at(e, user)->name;
    int64_t weight = 1;

    if (!name || sked_tree_user_weight(e->tree, e->rows.id[row], name,
                                       &weight) != SKED_OK) {
        return 1;
    }
    return (uint32_t)weight;
}

static void list_account(sked_engine *e, uint32_t account)
{
    engine_account *s = account_at(e, account);
    uint32_t *first = &user_at(e, s->user)->first_account;

    s->user_prev = SKEDI_NONE;
    s->user_next = *first;
    if (*first != SKEDI_NONE) account_at(e, *first)->user_prev = account;
    *first = account;
}

static void unlist_account(sked_engine *e, uint32_t account)
{
    const engine_account *s = account_at(e, account);

    if (s->user_prev == SKEDI_NONE) {
        user_at(e, s->user)->first_account = s->user_next;
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
        .name = account_name(cell, user),
        .cell = cell,
        .user = user,
        .weight = user_weight_of(e, cell / e->parts, user),
        .first = SKEDI_NONE,
        .next = SKEDI_NONE,
    };
    for (uint32_t k = 0; k < e->kinds; k++) {
        engine_row_of(e, &e->account_used, account)[k] = 0;
        engine_row_of(e, &e->account_paid, account)[k] = 0;
    }
    skedi_keymap_put(&e->account_of, account_name(cell, user), account);
    list_account(e, account);
    return account;
}

/* Takes an account out of its cell's list of blocked ones. */
static void unblock_account(sked_engine *e, uint32_t account)
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
    if (s->blocked) unblock_account(e, account);
    unlist_account(e, account);
    skedi_keymap_remove(&e->account_of, s->name);
    skedi_pool_give(&e->accounts, account);
}

/* ceil(a * num / den), which is no more than SKED_AMOUNT_MAX + 1. */
static int64_t part_up(int64_t a, uint64_t num, uint64_t den)
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
static int64_t times_promised(int64_t promised, int64_t factor)
{
    if (skedi_cmp_mul((uint64_t)promised, (uint64_t)factor,
                      (uint64_t)SKED_AMOUNT_MAX, (uint64_t)SKED_PPM) > 0) {
        return SKED_UNLIMITED;
    }
    return part_up(promised, (uint64_t)factor, (uint64_t)SKED_PPM);
}

/* What is guaranteed to a leaf in a kind. */
static inline int64_t promised_to(const sked_engine *e, uint32_t cell,
                                  uint32_t kind)
{
    return e->cells[cell].promised ? cell_row(e, e->cell_promised, cell)[kind]
                                   : 0;
}

/* What the leaf's user_factor lets one user hold of a kind. */
static inline int64_t most_of_one(const sked_engine *e, uint32_t cell,
                                  int64_t promised)
{
    if (promised == 0) return SKED_UNLIMITED;
    int64_t factor = e->rows.user_factor[cell / e->parts];
    return factor == SKED_UNLIMITED ? factor : times_promised(promised, factor);
}

static inline user_measure measure_of(const sked_engine *e, uint32_t cell)
{
    int moved = e->partition[cell % e->parts].dirty != 0;
    uint32_t k = moved ? skedi_cell_lead(e, cell) : e->cells[cell].lead;
    int64_t base = cell_row(e, e->cell_used, cell)[k] + 1;
    int64_t promised = promised_to(e, cell, k);

    return (user_measure){k, promised > base ? promised : base,
                          most_of_one(e, cell, promised)};
}

/* Does no part of what there is bound the user? */
static inline int is_unmeasured(const sked_engine *e, const engine_account *s)
{
    return e->rows.user_limit[s->cell / e->parts] >= SKED_PPM ||
           !e->cells[s->cell].account_weight || !s->entries;
}

int64_t skedi_account_limit(const sked_engine *e, uint32_t account,
                            uint32_t *kind)
{
    const engine_account *s = account_at(e, account);
    user_measure m = measure_of(e, s->cell);
    uint64_t ppm = (uint64_t)e->rows.user_limit[s->cell / e->parts];

    *kind = m.kind;
    if (is_unmeasured(e, s)) return m.most;
    int64_t by_weight = part_up(m.base, s->weight,
                                e->cells[s->cell].account_weight);
    int64_t part = part_up(m.base, ppm, (uint64_t)SKED_PPM);
    return skedi_i64_min(m.most, skedi_i64_max(by_weight, part));
}

/* Does a user hold as much as its limit? Without a division: x >= ceil(a / b)
 * where x * b >= a. */
static inline int fills_part(const sked_engine *e, const engine_account *s,
                             uint64_t used, user_measure m, uint64_t all)
{
    uint64_t ppm = (uint64_t)e->rows.user_limit[s->cell / e->parts];
    uint64_t base = (uint64_t)m.base;

    if (used >= (uint64_t)m.most) return 1;
    if (is_unmeasured(e, s)) return 0;
    return skedi_cmp_mul(used, (uint64_t)SKED_PPM, base, ppm) >= 0 &&
           skedi_cmp_mul(used, all, base, s->weight) >= 0;
}

static inline int account_fills(const sked_engine *e, uint32_t account,
                                user_measure m)
{
    const engine_account *s = account_at(e, account);
    uint64_t held = (uint64_t)skedi_account_held(e, account, m.kind);

    return fills_part(e, s, held, m, e->cells[s->cell].account_weight);
}

int skedi_account_would_fill(const sked_engine *e, uint32_t account,
                             const engine_without *then)
{
    const engine_account *s = account_at(e, account);
    uint32_t k = skedi_lead_of(e, s->cell % e->parts, then->used);
    int64_t promised = promised_to(e, s->cell, k);
    user_measure m = {k, skedi_i64_max(promised, then->used[k] + 1),
                      most_of_one(e, s->cell, promised)};

    return fills_part(e, s, (uint64_t)skedi_i64_max(then->own[k], 0), m,
                      e->cells[s->cell].account_weight + then->weight);
}

int skedi_account_is_full(const sked_engine *e, uint32_t account)
{
    return account_fills(e, account,
                         measure_of(e, account_at(e, account)->cell));
}

/* Shows an entry with its bits in its line and tells those above. */
static void show_entry(sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    skedi_line_show(e, entry, skedi_entry_mask(e, entry));
    skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
}

static void show_account(sked_engine *e, uint32_t account)
{
    for (uint32_t x = account_at(e, account)->first; x != SKEDI_NONE;
         x = entry_at(e, x)->account_next) {
        show_entry(e, x);
    }
}

void skedi_account_block(sked_engine *e, uint32_t account)
{
    engine_account *s = account_at(e, account);

    s->blocked = 1;
    s->next = e->cells[s->cell].blocked;
    e->cells[s->cell].blocked = account;
    show_account(e, account);
}

void skedi_accounts_wake(sked_engine *e, uint32_t cell)
{
    uint32_t account = e->cells[cell].blocked;

    if (account == SKEDI_NONE) return;
    user_measure m = measure_of(e, cell);
    while (account != SKEDI_NONE) {
        uint32_t next = account_at(e, account)->next;
        if (!account_fills(e, account, m)) {
            unblock_account(e, account);
            show_account(e, account);
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
static void rekey_account(sked_engine *e, uint32_t account)
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
        rekey_account(e, account);
    }
}

void skedi_accounts_reweigh(sked_engine *e, uint32_t user)
{
    for (uint32_t i = user_at(e, user)->first_account; i != SKEDI_NONE;
         i = account_at(e, i)->user_next) {
        engine_account *s = account_at(e, i);
        uint32_t weight = user_weight_of(e, s->cell / e->parts, user);
        if (s->entries > 0) {
            e->cells[s->cell].account_weight += weight;
            e->cells[s->cell].account_weight -= s->weight;
        }
        s->weight = weight;
        if (e->rows.apps[s->cell / e->parts] == SKED_APPS_USER_FAIR) {
            rekey_account(e, i);
        }
        skedi_accounts_wake(e, s->cell);
    }
}
