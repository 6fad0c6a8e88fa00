/*
 * Reserve, swap, fill. A second engine struct holds the new columns while they
 * are made; once all memory is there it takes the first one's place, and what
 * happened so far (jobs, asks, groups) is booked anew.
 */
#include "engine/queue.h"

#include <string.h>

#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/admission.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/pending.h"
#include "engine/gang_fit.h"
#include "engine/budget.h"
#include "engine/order/wants.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "tree/attr.h"

/* ---- Columns ---- */

typedef struct grid_column {
    void *at; /* of the pointer to the column */
    size_t n;
    size_t size;
} grid_column;

enum { GRID_COLUMNS = 63 };

static size_t add_column(grid_column *list, size_t n, void *at, size_t items,
                         size_t size)
{
    list[n] = (grid_column){at, items, size};
    return n + 1;
}

/* Those of shares, where they are made. */
static size_t add_shared_columns(sked_engine *e, grid_column *c, size_t n)
{
    size_t amounts = (size_t)e->rows.n * e->parts * e->kinds;
    int64_t **columns[] = {&e->cell_force, &e->cell_kept, &e->cell_booked,
                           &e->cell_share, &e->cell_part, &e->cell_claim};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        n = add_column(c, n, columns[i], e->shared ? amounts : 0,
                       sizeof(int64_t));
    }
    n = add_column(c, n, &e->cell_standing,
                   e->shared ? (size_t)e->rows.n * e->parts : 0,
                   sizeof *e->cell_standing);
    n = add_column(c, n, &e->cell_reserved, e->keeps ? amounts : 0,
                   sizeof(int64_t));
    amounts = e->mastered ? amounts : 0;
    n = add_column(c, n, &e->cell_base, amounts, sizeof(int64_t));
    return add_column(c, n, &e->cell_masters, amounts, sizeof(int64_t));
}

/* Every plain column of the grid, with its length. */
static size_t grid_columns_of(sked_engine *e, grid_column *c)
{
    engine_rows *r = &e->rows;
    size_t rows = r->n, cells = rows * e->parts, n = 0;
    size_t kinds = (size_t)e->parts * e->kinds;

    n = add_column(c, n, &r->id, rows, sizeof *r->id);
    n = add_column(c, n, &r->parent, rows, sizeof *r->parent);
    n = add_column(c, n, &r->first_child, rows + 1, sizeof *r->first_child);
    n = add_column(c, n, &r->order, rows, 1);
    n = add_column(c, n, &r->fair_kind, rows, 1);
    n = add_column(c, n, &r->apps, rows, 1);
    n = add_column(c, n, &r->closed, rows, 1);
    n = add_column(c, n, &r->by_user, rows, 1);
    n = add_column(c, n, &r->tight, rows, 1);
    n = add_column(c, n, &r->wide, rows, 1);
    n = add_column(c, n, &r->weight, rows, sizeof *r->weight);
    n = add_column(c, n, &r->said, rows, sizeof *r->said);
    n = add_column(c, n, &r->inverse, rows, sizeof *r->inverse);
    n = add_column(c, n, &r->priority, rows, sizeof *r->priority);
    n = add_column(c, n, &r->tier, rows, 1);
    n = add_column(c, n, &r->promising, rows, 1);
    n = add_column(c, n, &r->user_limit, rows, sizeof *r->user_limit);
    n = add_column(c, n, &r->user_factor, rows, sizeof *r->user_factor);
    n = add_column(c, n, &r->am_share, rows, sizeof *r->am_share);
    n = add_column(c, n, &r->max_running, rows, sizeof *r->max_running);
    n = add_column(c, n, &r->weights, rows, sizeof *r->weights);
    n = add_column(c, n, &r->ceiling, rows * e->kinds, sizeof *r->ceiling);
    n = add_column(c, n, &r->used, rows * e->kinds, sizeof *r->used);
    n = add_column(c, n, &r->reserved, rows * e->kinds, sizeof *r->reserved);
    n = add_column(c, n, &r->running, rows, sizeof *r->running);
    n = add_column(c, n, &r->gate, rows, sizeof *r->gate);
    n = add_column(c, n, &r->rate, e->rated ? rows : 0, sizeof *r->rate);
    n = add_column(c, n, &r->wait, rows, sizeof *r->wait);
    n = add_column(c, n, &r->waiter, rows, sizeof *r->waiter);
    n = add_column(c, n, &r->waiters, rows, sizeof *r->waiters);
    n = add_column(c, n, &r->waiter_cap, rows, sizeof *r->waiter_cap);
    n = add_column(c, n, &r->best, rows, sizeof *r->best);
    n = add_column(c, n, &e->cells, cells, sizeof *e->cells);
    n = add_column(c, n, &e->cell_order, cells, sizeof *e->cell_order);
    n = add_column(c, n, &e->cell_deficit, cells, sizeof *e->cell_deficit);
    n = add_column(c, n, &e->cell_used, cells * e->kinds, sizeof(int64_t));
    n = add_column(c, n, &e->cell_limit, cells * e->kinds, sizeof(int64_t));
    n = add_column(c, n, &e->cell_promised, cells * e->kinds, sizeof(int64_t));
    n = add_shared_columns(e, c, n);
    n = add_column(c, n, &e->resolved, rows, sizeof(int64_t));
    n = add_column(c, n, &e->partition, e->parts, sizeof *e->partition);
    n = add_column(c, n, &e->capacity, kinds, sizeof(int64_t));
    n = add_column(c, n, &e->least, kinds * 64, sizeof(int64_t));
    return add_column(c, n, &e->scale, kinds, sizeof *e->scale);
}

/* Columns of many types, handled alike: their pointers as bytes. */
static void *column_get(const grid_column *c)
{
    void *column;

    memcpy(&column, c->at, sizeof column);
    return column;
}

static void column_put(const grid_column *c, void *column)
{
    memcpy(c->at, &column, sizeof column);
}

static int grid_alloc(sked_engine *e)
{
    grid_column list[GRID_COLUMNS];
    size_t n = grid_columns_of(e, list);

    for (size_t i = 0; i < n; i++) column_put(&list[i], NULL);
    for (size_t i = 0; i < n; i++) {
        void *column = skedi_new(&e->hooks.mem, list[i].n, list[i].size);
        if (!column) return 0;
        column_put(&list[i], column);
    }
    return 1;
}

static void free_lines(sked_engine *e)
{
    skedi_mem *mem = &e->hooks.mem;

    for (size_t c = 0; e->cells && c < (size_t)e->rows.n * e->parts; c++) {
        skedi_tourney_free(&e->cells[c].turn, mem);
        if (e->shared && e->cell_standing)
            skedi_tourney_free(&e->cell_standing[c].below, mem);
        skedi_line_free(e, &e->cells[c]);
    }
    for (uint32_t r = 0; e->rows.best && r < e->rows.n; r++) {
        skedi_tourney_free(&e->rows.wait[r], mem);
        skedi_free(mem, e->rows.waiter[r], e->rows.waiter_cap[r],
                   sizeof(uint32_t));
    }
}

static void free_classes(sked_engine *e)
{
    for (uint32_t p = 0; e->partition && p < e->parts; p++) {
        engine_partition *part = &e->partition[p];
        skedi_free(&e->hooks.mem, part->class_of, part->class_cap, 1);
        skedi_free(&e->hooks.mem, part->shape_count, part->class_cap,
                   sizeof *part->shape_count);
        skedi_fits_partition_free(e, part);
    }
}

void skedi_grid_free(sked_engine *e)
{
    grid_column list[GRID_COLUMNS];
    size_t n = grid_columns_of(e, list);

    free_lines(e);
    free_classes(e);
    for (size_t i = 0; i < n; i++) {
        skedi_free(&e->hooks.mem, column_get(&list[i]), list[i].n,
                   list[i].size);
        column_put(&list[i], NULL);
    }
    e->rows.n = 0;
}

/* ---- Memory for lines ---- */

static uint32_t grid_children(const sked_engine *e, uint32_t row)
{
    return e->rows.first_child[row + 1] - e->rows.first_child[row];
}

static int family_reserve(sked_engine *e, uint32_t row)
{
    uint32_t n = grid_children(e, row);

    for (uint32_t p = 0; p < e->parts; p++) {
        size_t cell = cell_of(e, row, p);
        if (!skedi_tourney_reserve(&e->cells[cell].turn, &e->hooks.mem, n) ||
            (e->rows.promising[row] &&
             !skedi_tourney_reserve(&e->cell_standing[cell].below,
                                    &e->hooks.mem, n))) {
            return 0;
        }
    }
    return skedi_tourney_reserve(&e->rows.wait[row], &e->hooks.mem, n);
}

/* The row in the new grid of a row in the old one. */
static uint32_t row_from_now(const uint32_t *row_of, uint32_t row)
{
    return row_of ? row_of[row] : row;
}

/* Counts how many asks and jobs will stand in each line, in columns that are
 * overwritten when the grid is filled. */
static void count_lines(sked_engine *e, const uint32_t *row_of)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || a->open == 0) continue;
        const engine_job *job = job_at(e, a->job);
        uint32_t row = row_from_now(row_of, job->row);
        for (uint32_t p = 0; p < e->parts; p++) {
            if (a->partition != p && a->partition != SKED_ANY_PARTITION) {
                continue;
            }
            e->cells[cell_of(e, row, p)].entries++;
        }
    }
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        const engine_job *job = job_at(e, i);
        if (job->state == JOB_FREE_SLOT) continue;
        e->rows.waiters[row_from_now(row_of, job->row)]++;
    }
}

static int line_reserve_all(sked_engine *e, uint32_t row)
{
    uint32_t waiters = e->rows.waiters[row];

    for (uint32_t p = 0; p < e->parts; p++) {
        engine_cell *cell = &e->cells[cell_of(e, row, p)];
        uint32_t n = cell->entries;
        cell->entries = 0;
        if (n && !skedi_line_reserve(e, cell, n)) return 0;
    }
    e->rows.waiters[row] = 0;
    if (!waiters) return 1;
    e->rows.waiter[row] = skedi_new(&e->hooks.mem, waiters, sizeof(uint32_t));
    if (!e->rows.waiter[row]) return 0;
    e->rows.waiter_cap[row] = waiters;
    return skedi_tourney_reserve(&e->rows.wait[row], &e->hooks.mem, waiters);
}

static int grid_reserve(sked_engine *e, const uint32_t *row_of)
{
    count_lines(e, row_of);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        int ok = grid_children(e, row) ? family_reserve(e, row)
                                       : line_reserve_all(e, row);
        if (!ok) return 0;
    }
    for (uint32_t p = 0; p < e->parts; p++) {
        engine_partition *part = &e->partition[p];
        size_t cap = e->shapes.cap;
        if (!skedi_fits_partition_reserve(e, part)) return 0;
        if (!cap) continue;
        part->class_of = skedi_new(&e->hooks.mem, cap, 1);
        part->class_cap = part->class_of ? cap : 0;
        if (!part->class_of) return 0;
        memset(part->class_of, SKEDI_NO_CLASS, cap);
        part->shape_count = skedi_new(&e->hooks.mem, cap,
                                      sizeof *part->shape_count);
        if (!part->shape_count) return 0;
    }
    return 1;
}

/* ---- Filling ---- */

/* Partitions keep what they have counted. */
static void carry_partitions(sked_engine *e, const sked_engine *old)
{
    for (uint32_t p = 0; p < e->parts; p++) {
        engine_partition *part = &e->partition[p];
        part->changes = 1;
        part->dirty = 1;
        if (p >= old->parts || !old->partition) continue;
        part->changes = old->partition[p].changes + 1;
        part->beats = old->partition[p].beats;
        part->nodes = old->partition[p].nodes;
        memcpy(e->capacity + (size_t)p * e->kinds,
               old->capacity + (size_t)p * e->kinds,
               e->kinds * sizeof *e->capacity);
    }
}

/* Queues keep their tags and levels of order `deficit`; one that was moved gets
 * the level of its new family as its tag. */
static void carry_tags(sked_engine *e, const sked_engine *old,
                       const uint32_t *row_of)
{
    for (uint32_t row = 0; row < old->rows.n; row++) {
        uint32_t to = row_from_now(row_of, row);
        if (to == SKEDI_NO_ROW) continue;
        for (uint32_t p = 0; p < old->parts; p++)
            e->cell_deficit[cell_of(e, to, p)] =
                old->cell_deficit[cell_of(old, row, p)];
    }
    for (uint32_t row = 1; row < old->rows.n; row++) {
        uint32_t to = row_from_now(row_of, row);
        if (to == SKEDI_NO_ROW) continue;
        uint32_t up = (uint32_t)e->rows.parent[to];
        if (row_from_now(row_of, (uint32_t)old->rows.parent[row]) == up)
            continue;
        for (uint32_t p = 0; p < old->parts; p++) {
            e->cell_deficit[cell_of(e, to, p)]
                .tag = e->cell_deficit[cell_of(e, up, p)].level;
        }
    }
}

static void restart_pool(engine_pool *pool)
{
    pool->n = pool->live = 0;
    pool->free = SKEDI_NONE;
}

static void restart_map(skedi_keymap *map)
{
    if (map->cap) memset(map->slot, 0, map->cap * sizeof *map->slot);
    map->n = 0;
}

/* Users begin with no running jobs, no waiting ones and no accounts. */
static void restart_users(sked_engine *e)
{
    engine_user *users = e->users.item;

    for (uint32_t u = 0; u < e->users.n; u++) {
        users[u].running = 0;
        users[u].first_waiting = users[u].first_account = SKEDI_NONE;
    }
    e->stats.jobs_waiting = 0;
    skedi_trees_restart(e);
}

static void book_everything(sked_engine *e, const uint32_t *row_of,
                            uint32_t *scratch)
{
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        engine_job *job = job_at(e, i);
        if (job->state == JOB_FREE_SLOT) continue;
        job->row = row_from_now(row_of, job->row);
        job->queue = e->rows.id[job->row];
        if (job->state == JOB_RUNNING) skedi_job_count(e, i, 1);
        skedi_groups_rebook(e, i, 1);
    }
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        if (job_at(e, i)->state == JOB_WAITING) skedi_wait_join(e, i);
    }
    for (uint32_t i = 0; i < e->asks.n; i++) {
        engine_ask *a = ask_at(e, i);
        if (!a->live) continue;
        a->first_entry = SKEDI_NONE;
        if (skedi_ask_stands(e, a)) skedi_entries_add(e, i);
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        skedi_reservation_rebook(e, i);
    }
    for (size_t c = 0; c < (size_t)e->rows.n * e->parts; c++) {
        skedi_steady_sort(e, &e->cells[c], scratch);
    }
}

/* Entries and accounts, at most one for each ask or group in each partition:
 * memory in the pools that stay. */
static int pools_reserve(sked_engine *e, uint32_t parts)
{
    uint64_t entries = (uint64_t)e->asks.live * parts;

    return skedi_entry_rows_reserve(e, entries) &&
           skedi_account_reserve(e, entries + e->groups.live);
}

/* Memory for what shares need besides; it stays when the rest fails. What runs
 * may be of another shape than its ask. */
static int shares_reserve(sked_engine *e, const skedi_image *image,
                          uint32_t parts)
{
    uint64_t wants = (uint64_t)e->asks.live * parts + e->groups.live;
    skedi_mem *mem = &e->hooks.mem;

    return skedi_pool_reserve(&e->wants, mem, wants) &&
           skedi_keymap_reserve(&e->want_of, mem, (size_t)wants) &&
           skedi_joint_ensure(&e->joint, mem, image->n, e->kinds);
}

int skedi_grid_build(sked_engine *e, sked_tree *tree, const uint32_t *row_of,
                     uint32_t parts)
{
    const skedi_image *image = skedi_tree_image(tree);

    /* Cells have numbers. */
    if ((uint64_t)image->n * parts >= SKEDI_NONE || !pools_reserve(e, parts)) {
        return 0;
    }
    int mastered = skedi_grid_bounds_masters(image);
    int placed = mastered || skedi_grid_needs_shares(image);
    int shared = placed || e->preempt != NULL;
    if (shared && !shares_reserve(e, image, parts)) return 0;
    sked_engine next = *e;
    next.shared = shared;
    next.placed = placed;
    next.keeps = image->amount[SKEDI_AT_LEND] != NULL;
    next.mastered = mastered;
    next.rated = skedi_rates_said(image);
    next.lends = 0;
    next.tree = tree;
    next.parts = parts;
    next.rows = (engine_rows){.n = image->n};
    if (!grid_alloc(&next)) {
        skedi_grid_free(&next);
        return 0;
    }
    skedi_grid_rows(&next, image);
    skedi_rates_fill(&next, image);
    uint32_t asks = e->asks.live;
    uint32_t *scratch = skedi_new(&next.hooks.mem, asks, sizeof *scratch);
    if (!scratch || !grid_reserve(&next, row_of)) {
        skedi_free(&next.hooks.mem, scratch, asks, sizeof *scratch);
        skedi_grid_free(&next);
        return 0;
    }
    sked_engine old = *e;
    *e = next; /* nothing below here can fail */
    if (e->watch) e->watch->queues_changed(e);
    carry_partitions(e, &old);
    carry_tags(e, &old, row_of);
    skedi_weights_carry(e, &old, row_of);
    skedi_rates_carry(e, &old, row_of);
    skedi_gates_carry(e, &old, row_of);
    skedi_fits_sum(e);
    restart_pool(&e->entries);
    restart_pool(&e->accounts);
    restart_map(&e->account_of);
    restart_pool(&e->wants);
    restart_map(&e->want_of);
    restart_users(e);
    e->booking = 1;
    for (uint32_t p = 0; p < e->parts; p++) skedi_partition_refresh(e, p);
    book_everything(e, row_of, scratch);
    e->booking = 0;
    skedi_free(&e->hooks.mem, scratch, asks, sizeof *scratch);
    old.hooks.mem = e->hooks.mem;
    skedi_grid_free(&old);
    e->hooks.mem = old.hooks.mem;
    return 1;
}

int skedi_partition_reserve(sked_engine *e, uint32_t partition)
{
    uint32_t parts = e->parts;

    while (parts <= partition) parts *= 2;
    return parts == e->parts || skedi_grid_build(e, e->tree, NULL, parts);
}
