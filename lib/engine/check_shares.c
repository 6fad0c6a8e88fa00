/* Recomputes the books of head room, what leaves want, which children are below
 * a guarantee, and what cells say in short of guarantees and bounds. */
#include "engine/check.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/queue.h"
#include "engine/wants.h"

/* What is reserved in a leaf's cell of a kind. */
static int64_t check_reserved_in(const sked_engine *e, size_t cell, uint32_t k)
{
    int64_t sum = 0;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *reserved = reservation_at(e, i);
        uint32_t row = job_at(e, ask_at(e, reserved->ask)->job)->row;
        uint32_t partition = node_at(e, reserved->node)->partition;
        if (cell_of(e, row, partition) != cell) continue;
        sum += skedi_reservation_amount(e, i, k);
    }
    return sum;
}

static sked_status check_booked(const sked_engine *e, size_t cell,
                                sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);
    uint32_t partition = (uint32_t)(cell % e->parts);

    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t held = 0;
        if (row_is_leaf(e, row)) {
            held = cell_row(e, e->cell_used, cell)[k] +
                   check_reserved_in(e, cell, k);
        }
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            size_t at = cell_of(e, c, partition) * e->kinds + k;
            held += skedi_i64_max(e->cell_booked[at], e->cell_kept[at]);
        }
        if (held != cell_row(e, e->cell_booked, cell)[k]) {
            return skedi_engine_broken(err, "what counts as held by a queue",
                                       row);
        }
    }
    return SKED_OK;
}

/* What is reserved in a cell and below it. */
static sked_status check_reserved(const sked_engine *e, size_t cell,
                                  sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);
    uint32_t partition = (uint32_t)(cell % e->parts);

    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t sum = row_is_leaf(e, row) ? check_reserved_in(e, cell, k) : 0;
        for (uint32_t c = e->rows.first_child[row];
             c < e->rows.first_child[row + 1]; c++) {
            sum += cell_row(e, e->cell_reserved, cell_of(e, c, partition))[k];
        }
        if (sum != cell_row(e, e->cell_reserved, cell)[k]) {
            return skedi_engine_broken(err, "what is reserved in a queue", row);
        }
    }
    return SKED_OK;
}

/* Tasks of a shape that run in a cell or are open for it. */
static int64_t check_wanted_of(const sked_engine *e, const engine_want *w)
{
    int64_t tasks = 0;

    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->cell != w->cell) continue;
        const engine_ask *a = ask_at(e, x->ask);
        if (a->shape == w->shape) tasks += a->open;
    }
    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        const engine_ask *a = ask_at(e, g->ask);
        uint32_t partition = node_at(e, g->node)->partition;
        size_t cell = cell_of(e, job_at(e, a->job)->row, partition);
        int same = skedi_group_shape(e, g) == w->shape;
        if (cell == w->cell && same) tasks += skedi_group_times(g, g->count);
    }
    return tasks;
}

static sked_status check_wants(const sked_engine *e, sked_error *err)
{
    int64_t tasks = 0;
    uint64_t wanted = 0;

    for (uint32_t i = 0; i < e->wants.n; i++) {
        const engine_want *w = want_at(e, i);
        if (!w->name) continue;
        if (w->tasks <= 0 || w->tasks != check_wanted_of(e, w)) {
            return skedi_engine_broken(err, "what a leaf wants", w->cell);
        }
        tasks += w->tasks;
    }
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (x->live) wanted += (uint64_t)ask_at(e, x->ask)->open;
    }
    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        wanted += (uint64_t)skedi_group_times(g, g->count);
    }
    if (wanted != (uint64_t)tasks) {
        return skedi_engine_broken(err, "what leaves want", tasks);
    }
    return SKED_OK;
}

static sked_status check_below(const sked_engine *e, size_t cell,
                               sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);

    if (!e->rows.promising[row]) return SKED_OK;
    engine_standings family = skedi_standings_of(e, row,
                                                 (uint32_t)(cell % e->parts));
    if (skedi_tourney_is_sound(&e->cell_standing[cell].below,
                               skedi_standing_before, &family)) {
        return SKED_OK;
    }
    return skedi_engine_broken(err, "queues below their guarantee", row);
}

static sked_status check_masters(const sked_engine *e, size_t cell,
                                 sked_error *err)
{
    int64_t sum[SKED_MAX_KINDS] = {0};

    for (uint32_t i = 0; i < e->groups.n; i++) {
        const engine_group *g = group_at(e, i);
        if (g->state == GROUP_FREE_SLOT) continue;
        const engine_ask *a = ask_at(e, g->ask);
        uint32_t partition = node_at(e, g->node)->partition;
        if (!(a->flags & SKED_ASK_MASTER) ||
            cell_of(e, job_at(e, a->job)->row, partition) != cell) {
            continue;
        }
        for (uint32_t k = 0; k < e->kinds; k++) {
            sum[k] += skedi_group_task(e, g)[k] *
                      skedi_group_times(g, g->count);
        }
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (sum[k] != cell_row(e, e->cell_masters, cell)[k]) {
            return skedi_engine_broken(err, "what masters hold",
                                       (int64_t)(cell / e->parts));
        }
    }
    return SKED_OK;
}

/* Is some amount of a cell not `none`? */
static int check_has_some(const sked_engine *e, const int64_t *amounts,
                          int64_t none)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (amounts[k] != none) return 1;
    }
    return 0;
}

/* Has a queue a limit in a partition, or a ceiling, in some kind? */
static int check_has_bound(const sked_engine *e, uint32_t row,
                           uint32_t partition)
{
    size_t cell = cell_of(e, row, partition);
    const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;

    return check_has_some(e, cell_row(e, e->cell_limit, cell),
                          SKED_UNLIMITED) ||
           check_has_some(e, ceiling, SKED_UNLIMITED);
}

/* What a cell says in short of its guarantees, and of bounds on its path. */
static sked_status check_flags(const sked_engine *e, size_t cell,
                               sked_error *err)
{
    uint32_t row = (uint32_t)(cell / e->parts);
    uint32_t partition = (uint32_t)(cell % e->parts);
    const int64_t *promised = cell_row(e, e->cell_promised, cell);
    int under_bound = 0;

    if (e->partition[partition].dirty) return SKED_OK;
    for (int32_t up = (int32_t)row; up >= 0; up = e->rows.parent[up]) {
        under_bound |= check_has_bound(e, (uint32_t)up, partition);
    }
    if (e->cells[cell].bounded != check_has_bound(e, row, partition) ||
        e->cells[cell].under_bound != under_bound) {
        return skedi_engine_broken(err, "whether a queue has a bound", row);
    }
    if (e->cells[cell].promised != check_has_some(e, promised, 0)) {
        return skedi_engine_broken(err, "whether a queue has a guarantee", row);
    }
    return SKED_OK;
}

sked_status skedi_check_shares(const sked_engine *e, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t cell = 0; cell < (size_t)e->rows.n * e->parts; cell++) {
        if (rc == SKED_OK) rc = check_flags(e, cell, err);
        if (!e->shared) continue;
        if (rc == SKED_OK) rc = check_booked(e, cell, err);
        if (rc == SKED_OK && e->keeps) rc = check_reserved(e, cell, err);
        if (rc == SKED_OK) rc = check_below(e, cell, err);
        if (rc == SKED_OK && e->mastered) rc = check_masters(e, cell, err);
    }
    return rc == SKED_OK && e->shared ? check_wants(e, err) : rc;
}
