/*
 * Tasks of one ask that start one after the other on a node, whatever else is
 * looked at in between, start at once. They do where nothing that is open could
 * come before them, which is asked of what the walk itself goes by, and where
 * nothing but the node bounds them. Tasks that take nothing move no key, so
 * what came first stays first.
 */
#include "engine/core/alike.h"

#include "engine/core/groups.h"
#include "engine/core/open.h"
#include "engine/core/out.h"
#include "engine/order/domains.h"
#include "engine/order/fits.h"
#include "engine/order/rates.h"
#include "engine/order/shapes.h"

/* Does the first open task go on from the group that was decided last? */
static int continues_group(sked_engine *e, uint32_t ask, uint32_t node)
{
    const sked_decision *last = skedi_out_last(e);

    return last && last->ask == ask_at(e, ask)->key &&
           last->node == node_at(e, node)->key &&
           last->task + last->count == skedi_ask_first(e, ask);
}

/* Do starts of an ask change nothing but what it holds and what is open? */
static int starts_are_plain(const sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    const uint32_t *tags;

    if (a->open <= 1 || extra_of(e, a)->places != SKEDI_NONE) return 0;
    if (a->flags & SKED_ASK_GANG || extra_of(e, a)->paid > 0 || a->reserved)
        return 0;
    return !e->rules.counting || skedi_tags_of(e, x->ask, &tags) == 0;
}

int skedi_takes_nothing(const sked_engine *e, uint32_t shape)
{
    const int64_t *task = engine_row_of(e, &e->shape_task, shape);
    int64_t any = 0;

    for (uint32_t k = 0; k < e->kinds; k++) any |= task[k];
    return any == 0;
}

/* Is the draw of some family on the path another one after a start? */
static int is_drawn(const sked_engine *e, uint32_t row)
{
    while (row > 0) {
        row = (uint32_t)e->rows.parent[row];
        if (e->rows.order[row] == SKED_ORDER_POLICY_RANDOM) return 1;
    }
    return 0;
}

/* Does one place alone offer something? */
static int offers_alone(const skedi_tourney *t, uint64_t fit)
{
    uint32_t first = skedi_tourney_next(t, 0, fit);

    return first != SKEDI_NO_PLACE &&
           skedi_tourney_next(t, first + 1, fit) == SKEDI_NO_PLACE;
}

/* Is there nothing beside an entry, by these classes, or nothing that could
 * come before it? */
static int stands_alone(const sked_engine *e, uint32_t entry, uint64_t fit)
{
    uint32_t cell = entry_at(e, entry)->cell, row = cell / e->parts;
    const engine_cell *leaf = &e->cells[cell];

    if (!leaf->steady && !offers_alone(&leaf->turn, fit)) return 0;
    while (row > 0) {
        row = (uint32_t)e->rows.parent[row];
        size_t up = cell_of(e, row, cell % e->parts);
        if (!offers_alone(&e->cells[up].turn, fit)) return 0;
    }
    return 1;
}

/* Do queues bound what an entry may hold, or go by what it was given? */
static int is_bounded(const sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    const engine_ask *a = ask_at(e, x->ask);

    return e->rows.tagged || e->cells[x->cell].under_bound ||
           job_at(e, a->job)->charge != SKEDI_NONE ||
           (e->mastered && a->flags & SKED_ASK_MASTER);
}

uint32_t skedi_alike_many(sked_engine *e, uint32_t entry, uint32_t node,
                          uint64_t fit, uint64_t most)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    const int64_t *free = engine_row_of(e, &e->node_free, node);

    if (!starts_are_plain(e, entry)) return 1;
    if (!continues_group(e, x->ask, node)) return 1;
    fit = skedi_classes_fit(e, x->cell % e->parts, fit, free);
    if (skedi_takes_nothing(e, a->shape)) {
        if (is_drawn(e, x->cell / e->parts)) return 1;
    } else if (is_bounded(e, entry) || !stands_alone(e, entry, fit)) {
        return 1;
    }
    int64_t count = skedi_i64_min(skedi_ask_run(e, x->ask),
                                  INT32_MAX - skedi_out_last(e)->count);
    uint64_t left = skedi_rate_left(e, x->cell / e->parts);
    if (most < (uint64_t)count) count = (int64_t)most;
    if (left < (uint64_t)count) count = (int64_t)left;
    if (count <= 1) return 1;
    return skedi_fit_times(e, engine_row_of(e, &e->shape_task, a->shape), free,
                           (uint32_t)count);
}
