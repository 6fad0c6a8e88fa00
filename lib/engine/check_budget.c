/*
 * Checks of limit trees and of asks that they keep out; how a violated
 * invariant is reported; usage above bounds after adoption or a change.
 */

#include "base/fail.h"
#include "engine/check.h"
#include "engine/engine.h"
#include "engine/budget.h"
#include "engine/queue.h"
#include "engine/reservation.h"

/* Formats a violated invariant. */

sked_status skedi_engine_broken(sked_error *err, const char *what, int64_t got)
{
    return skedi_fail(err, SKED_ERR_INTERNAL, what, (skedi_fault){.got = got});
}

/* The books of the trees of limits, and the asks that they keep out. */

/* Is a job charged in a row or below it? */
static int check_is_charged_below(const sked_engine *e, uint32_t job,
                                  uint32_t tree, uint32_t row)
{
    uint32_t at = skedi_charge_row(skedi_charge_of(e, job), tree);

    while (at != SKEDI_NONE && at != row) at = e->trees.at[tree].parent[at];
    return at == row;
}

/* What a row holds, has reserved and runs, counted. */
static int check_tree_row_is_sound(const sked_engine *e, uint32_t tree,
                                   uint32_t row)
{
    const engine_limits *t = &e->trees.at[tree];
    int64_t used[SKED_MAX_KINDS] = {0}, reserved[SKED_MAX_KINDS] = {0};
    int64_t running = 0, amount[SKED_MAX_KINDS];
    int same = 1;

    for (uint32_t i = 0; i < e->jobs.n; i++) {
        if (job_at(e, i)->state == JOB_FREE_SLOT) continue;
        if (!check_is_charged_below(e, i, tree, row)) continue;
        running += job_at(e, i)->state == JOB_RUNNING;
        for (uint32_t k = 0; k < e->kinds; k++) {
            used[k] += engine_row_of(e, &e->job_used, i)[k];
        }
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        uint32_t job = ask_at(e, reservation_at(e, i)->ask)->job;
        if (!check_is_charged_below(e, job, tree, row)) continue;
        skedi_reservation_holds(e, i, amount);
        for (uint32_t k = 0; k < e->kinds; k++) reserved[k] += amount[k];
    }
    for (uint32_t k = 0; k < e->kinds; k++) {
        same &= used[k] == skedi_tree_amounts(e, t->used, row)[k] &&
                reserved[k] == skedi_tree_amounts(e, t->reserved, row)[k];
    }
    return same && running == t->running[row];
}

/* Each ask on the list of a row is stopped, and for a reason. */
static int check_stops_are_sound(const sked_engine *e, uint32_t tree,
                                 uint32_t row, uint64_t *stopped)
{
    uint32_t before = SKEDI_NONE;

    for (uint32_t i = e->trees.at[tree].stop[row]; i != SKEDI_NONE;
         before = i, i = e->trees.stop[i].next) {
        const engine_ask *a = ask_at(e, i);
        const engine_stop *s = &e->trees.stop[i];
        const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
        if (!a->live || s->tree != tree || s->row != row || s->prev != before ||
            !check_is_charged_below(e, a->job, tree, row) ||
            skedi_trees_bound(e, a->job, step, NULL).tree == SKEDI_NONE) {
            return 0;
        }
        ++*stopped;
    }
    return 1;
}

/* Each charge is on the lists of its rows. */
static int check_charges_are_sound(const sked_engine *e, uint32_t tree,
                                   uint32_t row, uint64_t *listed)
{
    uint32_t before = SKEDI_NONE;

    for (uint32_t i = e->trees.at[tree].charge[row]; i != SKEDI_NONE;
         before = i, i = charge_at(e, i)->next[tree]) {
        const engine_charge *charge = charge_at(e, i);
        if (!charge->live || job_at(e, charge->job)->charge != i ||
            charge->row[tree] != row || charge->prev[tree] != before) {
            return 0;
        }
        ++*listed;
    }
    return 1;
}

/* How many asks have stopped entries; all of an ask's are, or none. */
static uint64_t check_count_stopped(const sked_engine *e, int *sound)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < e->asks.n; i++) {
        uint32_t x = ask_at(e, i)->first_entry;
        if (!ask_at(e, i)->live || x == SKEDI_NONE) continue;
        uint32_t stopped = entry_at(e, x)->stopped;
        n += stopped;
        for (; x != SKEDI_NONE; x = entry_next(e, x)) {
            *sound &= entry_at(e, x)->stopped == stopped;
        }
    }
    return n;
}

sked_status skedi_check_trees(const sked_engine *e, sked_error *err)
{
    uint64_t stopped = 0, listed = 0, named = 0;
    int sound = 1;

    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        for (uint32_t row = 0; row < e->trees.at[i].n; row++) {
            if (!check_tree_row_is_sound(e, i, row)) {
                return skedi_engine_broken(err, "usage in a tree of limits",
                                           row);
            }
            sound &= check_stops_are_sound(e, i, row, &stopped) &&
                     check_charges_are_sound(e, i, row, &listed);
        }
    }
    for (uint32_t i = 0; i < e->trees.charges.n; i++) {
        const engine_charge *charge = charge_at(e, i);
        for (uint32_t t = 0; charge->live && t < SKED_MAX_LIMIT_TREES; t++) {
            named += charge->row[t] != SKEDI_NONE;
        }
    }
    if (sound && listed == named && stopped == check_count_stopped(e, &sound) &&
        sound) {
        return SKED_OK;
    }
    return skedi_engine_broken(err, "asks that a tree of limits keeps out",
                               (int64_t)stopped);
}

/* What was adopted past its bounds, or was there when they changed. */

/* Is some amount above its bound? */
static int check_any_above(const sked_engine *e, const int64_t *used,
                           const int64_t *bound)
{
    int above = 0;

    for (uint32_t k = 0; k < e->kinds; k++) above |= used[k] > bound[k];
    return above;
}

/* Does a queue use more than a limit of it, in all or in a partition? */
static int check_row_is_over(const sked_engine *e, uint32_t row)
{
    int64_t used[SKED_MAX_KINDS];
    int over = 0;

    for (uint32_t k = 0; k < e->kinds; k++) used[k] = skedi_row_used(e, row, k);
    over = check_any_above(e, used, e->rows.ceiling + (size_t)row * e->kinds);
    for (uint32_t p = 0; p < e->parts; p++) {
        size_t cell = cell_of(e, row, p);
        over |= check_any_above(e, cell_row(e, e->cell_used, cell),
                                cell_row(e, e->cell_limit, cell));
    }
    return over;
}

void skedi_count_over(const sked_engine *e, sked_engine_stats *stats)
{
    static const int64_t none[SKED_MAX_KINDS];

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t lacks[SKED_MAX_KINDS];
        for (uint32_t k = 0; k < e->kinds; k++) {
            lacks[k] = -engine_row_of(e, &e->node_free, n)[k] -
                       skedi_reservation_of(e, n, k);
        }
        stats->nodes_over += (uint64_t)check_any_above(e, lacks, none);
    }
    for (uint32_t row = 0; row < e->rows.n; row++) {
        stats->queues_over += (uint64_t)check_row_is_over(e, row);
    }
    for (uint32_t i = 0; i < SKED_MAX_LIMIT_TREES; i++) {
        const engine_limits *t = &e->trees.at[i];
        for (size_t row = 0; row < t->n; row++) {
            stats->queues_over += (uint64_t)check_any_above(
                e, t->used + row * e->kinds, t->limit + row * e->kinds);
        }
    }
}
