/* The books of the trees of limits, and the asks that they keep out. */
#include "engine/api/check.h"

#include "engine/reservation.h"
#include "engine/budget.h"

/* Is a job charged in a row or below it? */
static int is_charged_below(const sked_engine *e, uint32_t job, uint32_t tree,
                            uint32_t row)
{
    uint32_t at = skedi_charge_row(skedi_charge_of(e, job), tree);

    while (at != SKEDI_NONE && at != row) at = e->trees.at[tree].parent[at];
    return at == row;
}

/* What a row holds, has reserved and runs, counted. */
static int tree_row_is_sound(const sked_engine *e, uint32_t tree, uint32_t row)
{
    const engine_limits *t = &e->trees.at[tree];
    int64_t used[SKED_MAX_KINDS] = {0}, reserved[SKED_MAX_KINDS] = {0};
    int64_t running = 0, amount[SKED_MAX_KINDS];
    int same = 1;

    for (uint32_t i = 0; i < e->jobs.n; i++) {
        if (job_at(e, i)->state == JOB_FREE_SLOT) continue;
        if (!is_charged_below(e, i, tree, row)) continue;
        running += job_at(e, i)->state == JOB_RUNNING;
        for (uint32_t k = 0; k < e->kinds; k++) {
            used[k] += engine_row_of(e, &e->job_used, i)[k];
        }
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        uint32_t job = ask_at(e, reservation_at(e, i)->ask)->job;
        if (!is_charged_below(e, job, tree, row)) continue;
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
static int stops_are_sound(const sked_engine *e, uint32_t tree, uint32_t row,
                           uint64_t *stopped)
{
    uint32_t before = SKEDI_NONE;

    for (uint32_t i = e->trees.at[tree].stop[row]; i != SKEDI_NONE;
         before = i, i = e->trees.stop[i].next) {
        const engine_ask *a = ask_at(e, i);
        const engine_stop *s = &e->trees.stop[i];
        const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
        if (!a->live || s->tree != tree || s->row != row || s->prev != before ||
            !is_charged_below(e, a->job, tree, row) ||
            skedi_trees_bound(e, a->job, step, NULL).tree == SKEDI_NONE) {
            return 0;
        }
        ++*stopped;
    }
    return 1;
}

/* Each charge is on the lists of its rows. */
static int charges_are_sound(const sked_engine *e, uint32_t tree, uint32_t row,
                             uint64_t *listed)
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
static uint64_t count_stopped(const sked_engine *e, int *sound)
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
            if (!tree_row_is_sound(e, i, row)) {
                return skedi_engine_broken(err, "usage in a tree of limits",
                                           row);
            }
            sound &= stops_are_sound(e, i, row, &stopped) &&
                     charges_are_sound(e, i, row, &listed);
        }
    }
    for (uint32_t i = 0; i < e->trees.charges.n; i++) {
        const engine_charge *charge = charge_at(e, i);
        for (uint32_t t = 0; charge->live && t < SKED_MAX_LIMIT_TREES; t++) {
            named += charge->row[t] != SKEDI_NONE;
        }
    }
    if (sound && listed == named && stopped == count_stopped(e, &sound) &&
        sound) {
        return SKED_OK;
    }
    return skedi_engine_broken(err, "asks that a tree of limits keeps out",
                               (int64_t)stopped);
}
