/* Where jobs are charged: rows by what the host said, lists by row. */
#include "engine/core/charges.h"

#include "base/fail.h"
#include "engine/columns.h"
#include "engine/order/trees.h"
#include "engine/store.h"

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

static void unlink_charge(sked_engine *e, uint32_t charge, uint32_t tree)
{
    const engine_charge *c = charge_at(e, charge);

    if (c->row[tree] == SKEDI_NONE) return;
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
        unlink_charge(e, charge, i);
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
