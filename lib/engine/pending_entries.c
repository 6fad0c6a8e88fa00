/*
 * Entries: a pending ask has one entry in its leaf in its partition, or one
 * in each partition.
 *
 * Invariants: an ask has entries while tasks of the ask are open and nothing
 * blocks the ask. Callers reserve memory first, so adding an entry cannot
 * fail.
 */

#include "base/assert.h"
#include "engine/budget.h"
#include "engine/queue.h"
#include "engine/wants.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/store.h"
#include "engine/watch.h"

/* The partitions that one names: all of them, or itself. */
static void pending_partitions_of(const sked_engine *e, uint32_t partition,
                                  uint32_t *from, uint32_t *to)
{
    int any = partition == SKED_ANY_PARTITION;

    *from = any ? 0 : partition;
    *to = any ? e->parts : partition + 1;
}

int skedi_entry_rows_reserve(sked_engine *e, uint64_t more)
{
    if (!skedi_pool_reserve(&e->entries, &e->hooks.mem, more)) return 0;
    if (!e->wide || e->entry_next_cap >= e->entries.cap) return 1;
    uint32_t *grown = skedi_grow(&e->hooks.mem, e->entry_next,
                                 e->entry_next_cap, e->entries.cap,
                                 sizeof *grown);
    if (!grown) return 0;
    e->entry_next = grown;
    e->entry_next_cap = e->entries.cap;
    return 1;
}

int skedi_entries_reserve_in(sked_engine *e, uint32_t row, uint32_t partition)
{
    uint32_t from, to;

    pending_partitions_of(e, partition, &from, &to);
    e->wide |= partition == SKED_ANY_PARTITION;
    if (!skedi_entry_rows_reserve(e, to - from)) return 0;
    if (!skedi_wants_reserve(e, to - from)) return 0;
    if (e->rows.by_user[row] && !skedi_account_reserve(e, to - from)) return 0;
    for (uint32_t p = from; p < to; p++) {
        if (!skedi_line_reserve(e, &e->cells[cell_of(e, row, p)], 1)) return 0;
    }
    return 1;
}

int skedi_entries_reserve(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    return skedi_entries_reserve_in(e, job_at(e, a->job)->row, a->partition);
}

/* Memory in the lines of a leaf for one ask more than its cells expect. */
static int pending_expect_in(sked_engine *e, uint32_t ask, uint32_t row,
                             uint64_t *entries)
{
    uint32_t from, to;

    pending_partitions_of(e, ask_at(e, ask)->partition, &from, &to);
    for (uint32_t p = from; p < to; p++) {
        engine_cell *cell = &e->cells[cell_of(e, row, p)];
        if (!skedi_line_reserve(e, cell, ++cell->expected)) return 0;
    }
    *entries += to - from;
    return 1;
}

static void pending_expect_none(sked_engine *e, uint32_t row,
                                uint32_t partition)
{
    uint32_t from, to;

    pending_partitions_of(e, partition, &from, &to);
    for (uint32_t p = from; p < to; p++) {
        e->cells[cell_of(e, row, p)].expected = 0;
    }
}

int skedi_entries_reserve_of(sked_engine *e, uint32_t job, uint32_t row,
                             uint64_t *entries)
{
    uint64_t before = *entries;
    int ok = 1;

    for (uint32_t a = job_at(e, job)->first_ask; ok && a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        if (ask_at(e, a)->open > 0) ok = pending_expect_in(e, a, row, entries);
    }
    pending_expect_none(e, row, SKED_ANY_PARTITION);
    if (!ok || !e->rows.by_user[row]) return ok;
    return skedi_account_reserve(e, *entries > before ? e->parts : 0);
}

int skedi_entries_expect(sked_engine *e, uint32_t ask, uint64_t *entries)
{
    return pending_expect_in(e, ask, job_at(e, ask_at(e, ask)->job)->row,
                             entries);
}

void skedi_entries_expected(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    pending_expect_none(e, job_at(e, a->job)->row, a->partition);
}

static void pending_account_entry(sked_engine *e, uint32_t entry, uint32_t user)
{
    engine_entry *x = entry_at(e, entry);
    uint32_t account = skedi_account_take(e, x->cell, user);
    engine_account *s = account_at(e, account);

    x->account = account;
    x->account_next = s->first;
    x->account_prev = SKEDI_NONE;
    if (s->first != SKEDI_NONE) entry_at(e, s->first)->account_prev = entry;
    s->first = entry;
    if (s->entries++ == 0) e->cells[x->cell].account_weight += s->weight;
}

static void pending_unaccount_entry(sked_engine *e, uint32_t entry)
{
    engine_entry *x = entry_at(e, entry);
    engine_account *s = account_at(e, x->account);

    SKEDI_ASSERT(s->entries > 0);
    if (x->account_prev == SKEDI_NONE)
        s->first = x->account_next;
    else
        entry_at(e, x->account_prev)->account_next = x->account_next;
    if (x->account_next != SKEDI_NONE) {
        entry_at(e, x->account_next)->account_prev = x->account_prev;
    }
    if (--s->entries == 0) e->cells[x->cell].account_weight -= s->weight;
    skedi_account_drop_if_idle(e, x->account);
}

/* One entry more (1) or less (-1) in every cell of the path. */
static void pending_count_open(sked_engine *e, uint32_t leaf,
                               uint32_t partition, int by)
{
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        engine_cell *cell = &e->cells[cell_of(e, row, partition)];
        SKEDI_ASSERT(by > 0 || cell->open > 0);
        cell->open = by > 0 ? cell->open + 1 : cell->open - 1;
        if (row == 0) return;
    }
}

static void pending_add_entry(sked_engine *e, uint32_t ask, uint32_t partition)
{
    engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t cell = (uint32_t)cell_of(e, job->row, partition);
    uint32_t entry = skedi_pool_take(&e->entries);
    engine_entry *x = entry_at(e, entry);

    *x = (engine_entry){
        .ask = ask, .cell = cell, .account = SKEDI_NONE, .live = 1};
    if (e->entry_next) e->entry_next[entry] = a->first_entry + 1;
    a->first_entry = entry;
    skedi_class_take(e, partition, skedi_class_shape(e, a));
    if (e->rows.by_user[job->row]) pending_account_entry(e, entry, job->user);
    x->key = skedi_entry_key(e, entry);
    pending_count_open(e, job->row, partition, 1);
    skedi_line_join(e, entry, skedi_entry_mask(e, entry));
    skedi_cell_show(e, job->row, partition);
    skedi_partition_stir(e, partition);
    if (x->account != SKEDI_NONE) skedi_accounts_wake(e, cell);
}

/* ---- Asks in lines that refuse nodes ---- */

static engine_extra *pending_listed_at(const sked_engine *e, uint32_t ask)
{
    return extra_at(e, ask_at(e, ask)->extra);
}

static void pending_unlist_ask(sked_engine *e, uint32_t ask)
{
    engine_extra *own = pending_listed_at(e, ask);

    SKEDI_ASSERT(own->joined && own->shape != SKEDI_NONE);
    if (own->later == SKEDI_NONE)
        shape_at(e, own->shape)->first = own->sooner;
    else
        pending_listed_at(e, own->later)->sooner = own->sooner;
    if (own->sooner != SKEDI_NONE)
        pending_listed_at(e, own->sooner)->later = own->later;
    own->joined = 0;
}

/* Puts an ask into the list of its class's shape, as the one that came last. */
static void pending_list_ask(sked_engine *e, uint32_t ask)
{
    engine_extra *own = pending_listed_at(e, ask);

    if (own->joined)
        pending_unlist_ask(e, ask); /* its entries were made anew */
    engine_shape *shape = shape_at(e, own->shape);
    own->joined = ++e->joins;
    own->later = SKEDI_NONE;
    own->sooner = shape->first;
    if (own->sooner != SKEDI_NONE)
        pending_listed_at(e, own->sooner)->later = ask;
    shape->first = ask;
}

void skedi_entries_recent(sked_engine *e, uint32_t ask)
{
    pending_list_ask(e, ask);
}

/* Takes the classes of an ask's entries (1), or gives them back (0); in between
 * the entries show no bit. */
static void pending_class_entries(sked_engine *e, uint32_t ask, int take)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t shape = skedi_class_shape(e, a);

    for (uint32_t x = a->first_entry; x != SKEDI_NONE; x = entry_next(e, x)) {
        uint32_t cell = entry_at(e, x)->cell, p = cell % e->parts;
        if (take) skedi_class_take(e, p, shape);
        skedi_line_show(e, x, take ? skedi_entry_mask(e, x) : 0);
        skedi_cell_show(e, cell / e->parts, p);
        if (!take) skedi_class_give(&e->partition[p], shape);
    }
}

void skedi_entries_bucket(sked_engine *e, uint32_t ask, uint32_t bucket)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t before = extra_of(e, a)->shape, shape = SKEDI_NONE;

    if (before == SKEDI_NONE && bucket == 0) return;
    if (extra_of(e, a)->joined) pending_unlist_ask(e, ask);
    pending_class_entries(e, ask, 0);
    if (bucket && skedi_shape_reserve(e, 1)) {
        shape = skedi_shape_bucket(e, a->shape, bucket);
    }
    extra_at(e, a->extra)->shape = shape;
    if (before != SKEDI_NONE) skedi_shape_give(e, before);
    pending_class_entries(e, ask, 1);
    if (shape != SKEDI_NONE && a->first_entry != SKEDI_NONE)
        pending_list_ask(e, ask);
}

void skedi_entries_add(sked_engine *e, uint32_t ask)
{
    SKEDI_ASSERT(ask_at(e, ask)->first_entry == SKEDI_NONE);
    uint32_t from, to;

    pending_partitions_of(e, ask_at(e, ask)->partition, &from, &to);
    for (uint32_t p = to; p-- > from;) pending_add_entry(e, ask, p);
    if (extra_of(e, ask_at(e, ask))->shape != SKEDI_NONE)
        pending_list_ask(e, ask);
    skedi_watch_ask(e, ask, ask_at(e, ask)->open);
    skedi_wants_open(e, ask, ask_at(e, ask)->open, SKEDI_NONE);
}

static void pending_remove_entry(sked_engine *e, uint32_t entry)
{
    engine_entry *x = entry_at(e, entry);
    SKEDI_ASSERT(x->live);
    const engine_ask *a = ask_at(e, x->ask);
    uint32_t row = x->cell / e->parts, partition = x->cell % e->parts;
    int accounted = x->account != SKEDI_NONE;

    skedi_line_leave(e, entry);
    skedi_class_give(&e->partition[partition], skedi_class_shape(e, a));
    if (accounted) pending_unaccount_entry(e, entry);
    pending_count_open(e, row, partition, -1);
    skedi_cell_show(e, row, partition);
    uint32_t at = x->cell;
    skedi_pool_give(&e->entries, entry);
    if (accounted) skedi_accounts_wake(e, at);
}

void skedi_entries_remove(sked_engine *e, uint32_t ask)
{
    engine_ask *a = ask_at(e, ask);

    skedi_watch_ask(e, ask, -a->open);
    skedi_wants_open(e, ask, -a->open, SKEDI_NONE);
    skedi_trees_forget(e, ask);
    if (extra_of(e, a)->joined) pending_unlist_ask(e, ask);
    while (a->first_entry != SKEDI_NONE) {
        uint32_t entry = a->first_entry;
        a->first_entry = entry_next(e, entry);
        pending_remove_entry(e, entry);
    }
}

void skedi_entries_rekey(sked_engine *e, uint32_t job)
{
    for (uint32_t i = job_at(e, job)->first_ask; i != SKEDI_NONE;
         i = ask_at(e, i)->next) {
        skedi_pace_work(e);
        for (uint32_t x = ask_at(e, i)->first_entry; x != SKEDI_NONE;
             x = entry_next(e, x)) {
            skedi_line_rekey(e, x);
        }
    }
}

void skedi_entries_reshare(sked_engine *e, uint32_t job)
{
    uint8_t apps = e->rows.apps[job_at(e, job)->row];

    if (job_at(e, job)->state != JOB_RUNNING) return;
    if (apps != SKED_APPS_FAIR && apps != SKED_APPS_SIZE) return;
    skedi_entries_rekey(e, job);
}
