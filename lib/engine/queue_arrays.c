/*
 * The arrays of queue x partition: made from a tree, refilled when capacity
 * or the tree changes.
 *
 * A second engine struct holds new arrays while they are made. When all memory
 * is there, the new arrays replace the old ones, and jobs, asks and groups are
 * charged again.
 *
 * Invariants: a failure leaves the old arrays in place. Limits, guarantees and
 * keys of a partition follow from its capacity and are made as a whole.
 */
#include <string.h>

#include "engine/admission.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/exclusion.h"
#include "engine/gang_fit.h"
#include "engine/shares.h"
#include "engine/wants.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"
#include "tree/attr.h"

/* What the rows of a grid say of their queues: from the tree, once. */

static int64_t queue_grid_amount(const skedi_image *image, uint32_t index,
                                 uint32_t k, uint32_t row, int64_t rest)
{
    const int64_t *at = skedi_image_amounts(image, index, k);

    return at ? at[row] : rest;
}

/* The most of a kind that a queue may hold wherever it is. */
static int64_t queue_grid_ceiling(const skedi_image *image, uint32_t k,
                                  uint32_t row)
{
    const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    int64_t limit = queue_grid_amount(image, SKEDI_AT_LIMIT, k, row,
                                      SKED_UNLIMITED);
    int64_t borrow = queue_grid_amount(image, SKEDI_AT_BORROW, k, row,
                                       SKED_UNLIMITED);
    int64_t own = queue_grid_amount(image, SKEDI_AT_GUARANTEE, k, row, 0);

    /* The root has the capacity; parts are resolved partition by partition. */
    if (row == 0 || (parts && parts[row] != SKED_UNSET)) return limit;
    return skedi_i64_min(limit, skedi_amount_add(borrow, own));
}

static void queue_grid_fill_row(engine_rows *r, const skedi_image *image,
                                uint32_t row)
{
    uint32_t up = row ? (uint32_t)image->parent[row] : 0;
    int closed = image->state[row] == SKED_STATE_DRAINING;

    r->id[row] = image->id[row];
    r->parent[row] = image->parent[row];
    r->first_child[row] = image->first_child[row];
    r->order[row] = image->order[row];
    r->fair_kind[row] = image->fair_kind[row];
    r->apps[row] = image->apps[row];
    r->closed[row] = (uint8_t)(closed || (row && r->closed[up]));
    r->weight[row] = image->weight[row];
    r->inverse[row] = skedi_drf_inverse(image->weight[row]);
    r->priority[row] = image->priority[row];
    r->tier[row] = (uint8_t)skedi_image_effective(
        image, SKED_QUEUE_TIER - SKED_QUEUE_WEIGHT, row);
    r->user_limit[row] = skedi_image_effective(
        image, SKED_QUEUE_USER_LIMIT - SKED_QUEUE_WEIGHT, row);
    r->user_factor[row] = skedi_image_effective(
        image, SKED_QUEUE_USER_FACTOR - SKED_QUEUE_WEIGHT, row);
    r->max_running[row] = skedi_image_effective(image, SKEDI_AT_MAX_RUNNING,
                                                row);
    r->am_share[row] = skedi_image_effective(image, SKEDI_AT_AM_SHARE, row);
    r->by_user[row] = r->user_limit[row] < SKED_PPM ||
                      r->user_factor[row] != SKED_UNLIMITED ||
                      r->apps[row] == SKED_APPS_USER_FAIR;
    r->best[row] = SKEDI_NONE;
    if (row) r->weights[up] += image->weight[row];
}

static int queue_grid_guarantees(const sked_engine *e, const skedi_image *image,
                                 uint32_t row)
{
    const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    int64_t sum = parts && parts[row] != SKED_UNSET ? parts[row] : 0;

    for (uint32_t k = 0; k < e->kinds; k++) {
        sum |= queue_grid_amount(image, SKEDI_AT_GUARANTEE, k, row, 0);
    }
    return sum != 0;
}

/* Families in which something is guaranteed to a child, or below one. */
static void queue_mark_promising(sked_engine *e, const skedi_image *image)
{
    engine_rows *r = &e->rows;

    for (uint32_t row = r->n; row-- > 1;) {
        uint32_t up = (uint32_t)r->parent[row];
        if (r->promising[row] || queue_grid_guarantees(e, image, row)) {
            r->promising[up] = 1;
        }
    }
}

/* Fills the rows' columns from the tree. */
static void queue_grid_rows(sked_engine *e, const skedi_image *image)
{
    engine_rows *r = &e->rows;

    for (uint32_t row = 0; row < r->n; row++) {
        queue_grid_fill_row(r, image, row);
        for (uint32_t k = 0; k < e->kinds; k++) {
            int64_t most = queue_grid_ceiling(image, k, row);
            r->ceiling[(size_t)row * e->kinds + k] = most;
            r->wide[row] |= most != SKED_UNLIMITED;
        }
    }
    r->first_child[r->n] = image->first_child[r->n];
    queue_mark_promising(e, image);
    for (size_t c = 0; c < (size_t)r->n * e->parts; c++) {
        uint32_t row = (uint32_t)(c / e->parts);
        int steady = row_is_leaf(e, row) && skedi_line_is_steady(r->apps[row]);
        e->cells[c].steady = (uint8_t)steady;
        e->cells[c].turn.masks = (uint32_t)steady;
        e->cells[c].free_place = SKEDI_NONE;
        e->cells[c].blocked = SKEDI_NONE;
        e->cells[c].first_want = SKEDI_NONE;
    }
}

/* Do places go by shares? Is what masters hold bounded somewhere? */
static int queue_grid_needs_shares(const skedi_image *image)
{
    const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
    int needs = image->amount[SKEDI_AT_GUARANTEE] ||
                image->amount[SKEDI_AT_LEND];

    for (uint32_t row = 0; !needs && row < image->n; row++) {
        needs = image->order[row] == SKED_ORDER_POLICY_SHARE ||
                image->order[row] == SKED_ORDER_POLICY_UTILISATION ||
                image->order[row] == SKED_ORDER_POLICY_PRIORITY ||
                (parts && parts[row] != SKED_UNSET);
    }
    return needs;
}

static int queue_grid_bounds_masters(const skedi_image *image)
{
    for (uint32_t row = 0; row < image->n; row++) {
        if (skedi_image_effective(image, SKEDI_AT_AM_SHARE, row) !=
            SKED_UNLIMITED) {
            return 1;
        }
    }
    return 0;
}

/*
 * What follows from a partition's capacity: limits and guarantees in amounts,
 * and with them every key. It is made anew as a whole when the capacity
 * changed.
 */

/* A queue holds no more than it may borrow beyond its guarantee. */
static void queue_resolve_borrow(sked_engine *e, uint32_t partition, uint32_t k)
{
    const skedi_image *image = skedi_tree_image(e->tree);
    const int64_t *borrow = skedi_image_amounts(image, SKEDI_AT_BORROW, k);

    for (uint32_t row = 1; borrow && row < e->rows.n; row++) {
        size_t at = cell_of(e, row, partition) * e->kinds + k;
        int64_t most = skedi_amount_add(borrow[row], e->cell_promised[at]);
        e->cell_limit[at] = skedi_i64_min(e->cell_limit[at], most);
    }
}

/* Of a kind that lies on no node the root holds what there is: no node bounds
 * it. */
static void queue_resolve_pool(sked_engine *e, uint32_t partition, uint32_t k)
{
    int64_t *limit = &e->cell_limit[cell_of(e, 0, partition) * e->kinds + k];
    int64_t all = e->capacity[(size_t)partition * e->kinds + k];

    if (kind_is_pooled(e, k)) *limit = skedi_i64_min(*limit, all);
}

/* Which cells have any limit to ask about, and any guarantee. */
static void queue_resolve_bounded(sked_engine *e, uint32_t partition)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        size_t cell = cell_of(e, row, partition);
        const int64_t *limit = cell_row(e, e->cell_limit, cell);
        const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;
        const int64_t *promised = cell_row(e, e->cell_promised, cell);
        uint8_t bounded = 0, some = 0;
        for (uint32_t k = 0; k < e->kinds; k++) {
            some |= promised[k] > 0;
            if (limit[k] == SKED_UNLIMITED && ceiling[k] == SKED_UNLIMITED) {
                continue;
            }
            bounded = 1;
        }
        e->cells[cell].promised = some;
        e->cells[cell].bounded = bounded;
        e->cells[cell].under_bound = bounded;
        if (row == 0) continue;
        size_t above = cell_of(e, (uint32_t)e->rows.parent[row], partition);
        e->cells[cell].under_bound |= e->cells[above].under_bound;
    }
}

/* Limits and guarantees of a partition, from the tree and its capacity. */
static void queue_resolve_partition(sked_engine *e, uint32_t partition)
{
    const skedi_image *image = skedi_tree_image(e->tree);
    const int64_t *capacity = e->capacity + (size_t)partition * e->kinds;

    for (uint32_t k = 0; k < e->kinds; k++) {
        e->scale[(size_t)partition * e->kinds + k] = skedi_drf_scale_of(
            capacity[k]);
        for (int what = 0; what < 2; what++) {
            int64_t *to = what ? e->cell_promised : e->cell_limit;
            skedi_image_resolve(image,
                                what ? SKEDI_AT_GUARANTEE : SKEDI_AT_LIMIT, k,
                                capacity[k], e->resolved);
            for (uint32_t row = 0; row < e->rows.n; row++) {
                to[cell_of(e, row, partition) * e->kinds + k] =
                    e->resolved[row];
            }
        }
        queue_resolve_borrow(e, partition, k);
        queue_resolve_pool(e, partition, k);
    }
    skedi_shares_resolve(e, partition);
    queue_resolve_bounded(e, partition);
}

void skedi_partition_refresh(sked_engine *e, uint32_t partition)
{
    engine_partition *p = &e->partition[partition];

    if (!p->dirty) return;
    p->dirty = 0;
    p->struck = 0;
    queue_resolve_partition(e, partition);
    p->fresh = 0;
    for (uint32_t row = e->rows.n; row-- > 0;) {
        size_t cell = cell_of(e, row, partition);
        e->cells[cell].full = 0;
        e->cells[cell].turned = 0;
        if (row_is_leaf(e, row)) {
            skedi_cell_renew_lead(e, row, partition);
            skedi_line_rekey_all(e, cell);
        }
        if (row > 0) skedi_cell_play(e, row, partition);
    }
    skedi_accounts_wake_all(e, partition);
    skedi_partition_stir(e, partition);
}

/*
 * Reserve, swap, fill. A second engine struct holds the new columns while they
 * are made; once all memory is there it takes the first one's place, and what
 * happened so far (jobs, asks, groups) is booked anew.
 */

/* ---- Columns ---- */

typedef struct grid_column {
    void *at; /* of the pointer to the column */
    size_t n;
    size_t size;
} grid_column;

enum { GRID_COLUMNS = 65 };

static size_t queue_add_column(grid_column *list, size_t n, void *at,
                               size_t items, size_t size)
{
    list[n] = (grid_column){at, items, size};
    return n + 1;
}

/* Those of shares, where they are made. */
static size_t queue_add_shared_columns(sked_engine *e, grid_column *c, size_t n)
{
    size_t amounts = (size_t)e->rows.n * e->parts * e->kinds;
    int64_t **columns[] = {&e->cell_force, &e->cell_kept, &e->cell_booked,
                           &e->cell_share, &e->cell_part, &e->cell_claim,
                           &e->cell_most,  &e->cell_peak};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        n = queue_add_column(c, n, columns[i], e->shared ? amounts : 0,
                             sizeof(int64_t));
    }
    n = queue_add_column(c, n, &e->cell_standing,
                         e->shared ? (size_t)e->rows.n * e->parts : 0,
                         sizeof *e->cell_standing);
    n = queue_add_column(c, n, &e->cell_reserved, e->keeps ? amounts : 0,
                         sizeof(int64_t));
    amounts = e->mastered ? amounts : 0;
    n = queue_add_column(c, n, &e->cell_base, amounts, sizeof(int64_t));
    return queue_add_column(c, n, &e->cell_masters, amounts, sizeof(int64_t));
}

/* Every plain column of the grid, with its length. */
static size_t queue_grid_columns_of(sked_engine *e, grid_column *c)
{
    engine_rows *r = &e->rows;
    size_t rows = r->n, cells = rows * e->parts, n = 0;
    size_t kinds = (size_t)e->parts * e->kinds;

    n = queue_add_column(c, n, &r->id, rows, sizeof *r->id);
    n = queue_add_column(c, n, &r->parent, rows, sizeof *r->parent);
    n = queue_add_column(c, n, &r->first_child, rows + 1,
                         sizeof *r->first_child);
    n = queue_add_column(c, n, &r->order, rows, 1);
    n = queue_add_column(c, n, &r->fair_kind, rows, 1);
    n = queue_add_column(c, n, &r->apps, rows, 1);
    n = queue_add_column(c, n, &r->closed, rows, 1);
    n = queue_add_column(c, n, &r->promised, rows, 4);
    n = queue_add_column(c, n, &r->by_user, rows, 1);
    n = queue_add_column(c, n, &r->tight, rows, 1);
    n = queue_add_column(c, n, &r->wide, rows, 1);
    n = queue_add_column(c, n, &r->weight, rows, sizeof *r->weight);
    n = queue_add_column(c, n, &r->said, rows, sizeof *r->said);
    n = queue_add_column(c, n, &r->inverse, rows, sizeof *r->inverse);
    n = queue_add_column(c, n, &r->priority, rows, sizeof *r->priority);
    n = queue_add_column(c, n, &r->tier, rows, 1);
    n = queue_add_column(c, n, &r->promising, rows, 1);
    n = queue_add_column(c, n, &r->user_limit, rows, sizeof *r->user_limit);
    n = queue_add_column(c, n, &r->user_factor, rows, sizeof *r->user_factor);
    n = queue_add_column(c, n, &r->am_share, rows, sizeof *r->am_share);
    n = queue_add_column(c, n, &r->max_running, rows, sizeof *r->max_running);
    n = queue_add_column(c, n, &r->weights, rows, sizeof *r->weights);
    n = queue_add_column(c, n, &r->ceiling, rows * e->kinds,
                         sizeof *r->ceiling);
    n = queue_add_column(c, n, &r->used, rows * e->kinds, sizeof *r->used);
    n = queue_add_column(c, n, &r->reserved, rows * e->kinds,
                         sizeof *r->reserved);
    n = queue_add_column(c, n, &r->running, rows, sizeof *r->running);
    n = queue_add_column(c, n, &r->gate, rows, sizeof *r->gate);
    n = queue_add_column(c, n, &r->rate, e->rated ? rows : 0, sizeof *r->rate);
    n = queue_add_column(c, n, &r->wait, rows, sizeof *r->wait);
    n = queue_add_column(c, n, &r->waiter, rows, sizeof *r->waiter);
    n = queue_add_column(c, n, &r->waiters, rows, sizeof *r->waiters);
    n = queue_add_column(c, n, &r->waiter_cap, rows, sizeof *r->waiter_cap);
    n = queue_add_column(c, n, &r->best, rows, sizeof *r->best);
    n = queue_add_column(c, n, &e->cells, cells, sizeof *e->cells);
    n = queue_add_column(c, n, &e->cell_order, cells, sizeof *e->cell_order);
    n = queue_add_column(c, n, &e->cell_used, cells * e->kinds,
                         sizeof(int64_t));
    n = queue_add_column(c, n, &e->cell_limit, cells * e->kinds,
                         sizeof(int64_t));
    n = queue_add_column(c, n, &e->cell_promised, cells * e->kinds,
                         sizeof(int64_t));
    n = queue_add_shared_columns(e, c, n);
    n = queue_add_column(c, n, &e->resolved, rows, sizeof(int64_t));
    n = queue_add_column(c, n, &e->partition, e->parts, sizeof *e->partition);
    n = queue_add_column(c, n, &e->capacity, kinds, sizeof(int64_t));
    n = queue_add_column(c, n, &e->least, kinds * 64, sizeof(int64_t));
    return queue_add_column(c, n, &e->scale, kinds, sizeof *e->scale);
}

/* Columns of many types, handled alike: their pointers as bytes. */
static void *queue_column_get(const grid_column *c)
{
    void *column;

    memcpy(&column, c->at, sizeof column);
    return column;
}

static void queue_column_put(const grid_column *c, void *column)
{
    memcpy(c->at, &column, sizeof column);
}

static int queue_grid_alloc(sked_engine *e)
{
    grid_column list[GRID_COLUMNS];
    size_t n = queue_grid_columns_of(e, list);

    for (size_t i = 0; i < n; i++) queue_column_put(&list[i], NULL);
    for (size_t i = 0; i < n; i++) {
        void *column = skedi_new(&e->hooks.mem, list[i].n, list[i].size);
        if (!column) return 0;
        queue_column_put(&list[i], column);
    }
    return 1;
}

static void queue_free_lines(sked_engine *e)
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

static void queue_free_classes(sked_engine *e)
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
    size_t n = queue_grid_columns_of(e, list);

    queue_free_lines(e);
    queue_free_classes(e);
    for (size_t i = 0; i < n; i++) {
        skedi_free(&e->hooks.mem, queue_column_get(&list[i]), list[i].n,
                   list[i].size);
        queue_column_put(&list[i], NULL);
    }
    e->rows.n = 0;
}

/* ---- Memory for lines ---- */

static uint32_t queue_grid_children(const sked_engine *e, uint32_t row)
{
    return e->rows.first_child[row + 1] - e->rows.first_child[row];
}

static int queue_family_reserve(sked_engine *e, uint32_t row)
{
    uint32_t n = queue_grid_children(e, row);

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
static uint32_t queue_row_from_now(const uint32_t *row_of, uint32_t row)
{
    return row_of ? row_of[row] : row;
}

/* Counts how many asks and jobs will stand in each line, in columns that are
 * overwritten when the grid is filled. */
static void queue_count_lines(sked_engine *e, const uint32_t *row_of)
{
    for (uint32_t i = 0; i < e->asks.n; i++) {
        const engine_ask *a = ask_at(e, i);
        if (!a->live || a->open == 0) continue;
        const engine_job *job = job_at(e, a->job);
        uint32_t row = queue_row_from_now(row_of, job->row);
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
        e->rows.waiters[queue_row_from_now(row_of, job->row)]++;
    }
}

static int queue_line_reserve_all(sked_engine *e, uint32_t row)
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

static int queue_grid_reserve(sked_engine *e, const uint32_t *row_of)
{
    queue_count_lines(e, row_of);
    for (uint32_t row = 0; row < e->rows.n; row++) {
        int ok = queue_grid_children(e, row) ? queue_family_reserve(e, row)
                                             : queue_line_reserve_all(e, row);
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
static void queue_carry_partitions(sked_engine *e, const sked_engine *old)
{
    for (uint32_t p = 0; p < e->parts; p++) {
        engine_partition *part = &e->partition[p];
        part->changes = 1;
        part->dirty = 1;
        if (p >= old->parts || !old->partition) continue;
        part->changes = old->partition[p].changes + 1;
        part->nodes = old->partition[p].nodes;
        memcpy(e->capacity + (size_t)p * e->kinds,
               old->capacity + (size_t)p * e->kinds,
               e->kinds * sizeof *e->capacity);
    }
}

static void queue_restart_pool(engine_pool *pool)
{
    pool->n = pool->live = 0;
    pool->free = SKEDI_NONE;
}

static void queue_restart_map(skedi_keymap *map)
{
    if (map->cap) memset(map->slot, 0, map->cap * sizeof *map->slot);
    map->n = 0;
}

/* Users begin with no running jobs, no waiting ones and no accounts. */
static void queue_restart_users(sked_engine *e)
{
    engine_user *users = e->users.item;

    for (uint32_t u = 0; u < e->users.n; u++) {
        users[u].running = 0;
        users[u].first_waiting = users[u].first_account = SKEDI_NONE;
    }
    e->stats.jobs_waiting = 0;
    skedi_trees_restart(e);
}

static void queue_book_everything(sked_engine *e, const uint32_t *row_of,
                                  uint32_t *scratch)
{
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        engine_job *job = job_at(e, i);
        if (job->state == JOB_FREE_SLOT) continue;
        job->row = queue_row_from_now(row_of, job->row);
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
static int queue_pools_reserve(sked_engine *e, uint32_t parts)
{
    uint64_t entries = (uint64_t)e->asks.live * parts;

    return skedi_entry_rows_reserve(e, entries) &&
           skedi_account_reserve(e, entries + e->groups.live);
}

/* Memory for what shares need besides; it stays when the rest fails. What runs
 * may be of another shape than its ask. */
static int queue_shares_reserve(sked_engine *e, const skedi_image *image,
                                uint32_t parts)
{
    uint64_t wants = (uint64_t)e->asks.live * parts + e->groups.live;
    skedi_mem *mem = &e->hooks.mem;

    return skedi_pool_reserve(&e->wants, mem, wants) &&
           skedi_keymap_reserve(&e->want_of, mem, (size_t)wants) &&
           skedi_joint_ensure(&e->joint, mem, image->n, e->kinds, e->wants.cap);
}

int skedi_grid_build(sked_engine *e, sked_tree *tree, const uint32_t *row_of,
                     uint32_t parts)
{
    const skedi_image *image = skedi_tree_image(tree);

    /* Cells have numbers. */
    if ((uint64_t)image->n * parts >= SKEDI_NONE ||
        !queue_pools_reserve(e, parts)) {
        return 0;
    }
    int mastered = queue_grid_bounds_masters(image);
    int placed = mastered || queue_grid_needs_shares(image);
    int shared = placed || e->preempt != NULL;
    if (shared && !queue_shares_reserve(e, image, parts)) return 0;
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
    if (!queue_grid_alloc(&next)) {
        skedi_grid_free(&next);
        return 0;
    }
    queue_grid_rows(&next, image);
    skedi_rates_fill(&next, image);
    uint32_t asks = e->asks.live;
    uint32_t *scratch = skedi_new(&next.hooks.mem, asks, sizeof *scratch);
    if (!scratch || !queue_grid_reserve(&next, row_of)) {
        skedi_free(&next.hooks.mem, scratch, asks, sizeof *scratch);
        skedi_grid_free(&next);
        return 0;
    }
    sked_engine old = *e;
    *e = next; /* nothing below here can fail */
    if (e->watch) e->watch->queues_changed(e);
    queue_carry_partitions(e, &old);
    skedi_weights_carry(e, &old, row_of);
    skedi_rates_carry(e, &old, row_of);
    skedi_gates_carry(e, &old, row_of);
    skedi_fits_sum(e);
    queue_restart_pool(&e->entries);
    queue_restart_pool(&e->accounts);
    queue_restart_map(&e->account_of);
    queue_restart_pool(&e->wants);
    queue_restart_map(&e->want_of);
    queue_restart_users(e);
    e->booking = 1;
    for (uint32_t p = 0; p < e->parts; p++) skedi_partition_refresh(e, p);
    queue_book_everything(e, row_of, scratch);
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
