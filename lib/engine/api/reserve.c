/* Memory for all that is to come, in one call. */
#include <sched/engine.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/busy.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/reservation.h"
#include "engine/alloc.h"
#include "engine/decision.h"
#include "engine/pending.h"
#include "engine/budget.h"
#include "engine/gang_fit.h"
#include "engine/order/sets.h"
#include "engine/store.h"

SKEDI_NO_TAIL_PADDING(sked_engine_reserve_input, spreads);

enum {
    ENGINE_RESERVE_V1 = SKEDI_SIZE_THROUGH(sked_engine_reserve_input,
                                           decisions),
    ENGINE_RESERVE_SPREADS = 8 /* where nothing is said of gangs over nodes */
};

/* What a count of 0 stands for. */
static void fill_in(const sked_engine *e, sked_engine_reserve_input *in)
{
    uint32_t parts = in->partitions > e->parts ? in->partitions : e->parts;

    in->partitions = parts;
    if (!in->leaf_jobs) in->leaf_jobs = in->jobs;
    if (!in->leaf_asks) in->leaf_asks = in->asks;
    if (!in->shapes) in->shapes = 2 * in->asks;
    if (!in->ranges) in->ranges = in->asks + in->groups;
    if (!in->refusals) in->refusals = in->groups;
    if (!in->spreads) {
        in->spreads = in->shapes;
        if (in->spreads > ENGINE_RESERVE_SPREADS) {
            in->spreads = ENGINE_RESERVE_SPREADS;
        }
    }
}

static sked_status take_reserve_input(const sked_engine *e,
                                      const sked_engine_reserve_input *input,
                                      sked_engine_reserve_input *in,
                                      sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, input, ENGINE_RESERVE_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    const uint64_t counts[] = {
        in->nodes,    in->jobs,      in->leaf_jobs, in->users,  in->accounts,
        in->asks,     in->wide_asks, in->leaf_asks, in->places, in->shapes,
        in->groups,   in->ranges,    in->refusals,  in->saved,  in->decisions,
        in->released, in->spreads};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i] <= SKED_ENGINE_RESERVE_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "a size is out of range",
                          (skedi_fault){.got = (int64_t)counts[i],
                                        .limit = SKED_ENGINE_RESERVE_MAX});
    }
    if (in->partitions > SKED_MAX_PARTITIONS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
    }
    if (in->wide_asks > in->asks) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "more wide asks than asks");
    }
    fill_in(e, in);
    return SKED_OK;
}

/* Memory in a pool for so many in all. */
static int pool_to(sked_engine *e, engine_pool *pool, uint64_t all)
{
    uint64_t more = all > pool->live ? all - pool->live : 0;

    return skedi_pool_reserve(pool, &e->hooks.mem, more);
}

static int map_to(sked_engine *e, skedi_keymap *map, uint64_t all)
{
    return skedi_keymap_reserve(map, &e->hooks.mem, (size_t)all);
}

/* Where there are trees of limits every job may be charged there. */
static int charges_to(sked_engine *e, uint64_t jobs)
{
    const engine_limits *t = e->trees.at;

    return (!t[0].tree && !t[1].tree) || pool_to(e, &e->trees.charges, jobs);
}

static int reserve_nodes_and_jobs(sked_engine *e,
                                  const sked_engine_reserve_input *in)
{
    return skedi_partition_reserve(e, in->partitions - 1) &&
           pool_to(e, &e->nodes, in->nodes) &&
           skedi_amounts_reserve(e, &e->node_capacity, &e->nodes) &&
           skedi_amounts_reserve(e, &e->node_free, &e->nodes) &&
           (!e->opts.pass_part_ppm ||
            skedi_amounts_reserve(e, &e->node_turn, &e->nodes)) &&
           skedi_sets_node_reserve(e) && skedi_fits_node_reserve(e) &&
           skedi_forming_reserve_all(e, in->nodes) &&
           map_to(e, &e->node_of, in->nodes) &&
           pool_to(e, &e->jobs, in->jobs) &&
           skedi_amounts_reserve(e, &e->job_used, &e->jobs) &&
           skedi_amounts_reserve(e, &e->job_open, &e->jobs) &&
           map_to(e, &e->job_of, in->jobs) && charges_to(e, in->jobs) &&
           pool_to(e, &e->users, in->users + 1) &&
           map_to(e, &e->user_of, in->users + 1);
}

/* Memory to put so many entries aside. */
static int aside_to(sked_engine *e, size_t entries)
{
    void *grown = e->set_aside;

    if (!skedi_ensure(&e->hooks.mem, &grown, &e->aside_cap, entries,
                      sizeof *e->set_aside)) {
        return 0;
    }
    e->set_aside = grown;
    return 1;
}

/* Events reserve for the worst before they change anything: one more than
 * there are, of what an event may need one of. */
static int reserve_asks(sked_engine *e, const sked_engine_reserve_input *in)
{
    /* Asks that refuse nodes are classed apart. */
    uint64_t apart = in->shapes * SKEDI_REFUSER_BUCKETS;
    apart = apart < in->refusals ? apart : in->refusals;
    uint64_t shapes = in->shapes + apart + 2;
    uint64_t more = shapes > e->shapes.live ? shapes - e->shapes.live : 0;
    uint64_t entries = in->asks - in->wide_asks +
                       (in->wide_asks + 1) * e->parts;

    uint64_t fits = e->fits.pool.live;
    fits = in->spreads + 1 > fits ? in->spreads + 1 - fits : 0;
    if (in->spreads == 0) fits = 0;
    e->wide |= in->wide_asks > 0;
    return pool_to(e, &e->asks, in->asks) && skedi_ask_rows_reserve(e, 0) &&
           pool_to(e, &e->extras, in->asks + 1) &&
           map_to(e, &e->ask_of, in->asks) && skedi_trees_reserve(e) &&
           pool_to(e, &e->entries, entries) && skedi_entry_rows_reserve(e, 0) &&
           pool_to(e, &e->ranges, in->ranges + 1) &&
           pool_to(e, &e->places, in->places) && skedi_shape_reserve(e, more) &&
           (fits == 0 || skedi_fit_reserve(e, fits)) &&
           aside_to(e, (size_t)entries);
}

/* What leaves want: as many records as shapes may be wanted in leaves, and as a
 * lost node may ask for besides. */
static int reserve_wants(sked_engine *e, const sked_engine_reserve_input *in)
{
    uint64_t entries = in->asks + (in->wide_asks + 1) * e->parts;
    uint64_t wants = 2 * (entries + in->groups) + in->groups * e->parts;

    return !e->shared ||
           (pool_to(e, &e->wants, wants) && map_to(e, &e->want_of, wants));
}

static int reserve_groups(sked_engine *e, const sked_engine_reserve_input *in)
{
    uint64_t waiting = e->out_next - e->out_from, saved = e->notices.live;
    uint64_t accounts = in->accounts + e->parts;
    uint64_t entries = in->asks + in->wide_asks * e->parts;
    int users = 0;

    for (uint32_t row = 0; row < e->rows.n; row++)
        users |= e->rows.by_user[row];
    if (users) accounts += entries; /* as many as a lost node may ask for */
    accounts = accounts > e->accounts.live ? accounts - e->accounts.live : 0;
    saved = in->saved > saved ? in->saved - saved : 0;
    uint64_t released = in->released > e->remains.live
                            ? in->released - e->remains.live
                            : 0;
    waiting = in->decisions > waiting ? in->decisions - waiting : 0;
    return reserve_wants(e, in) && pool_to(e, &e->groups, in->groups + 1) &&
           pool_to(e, &e->refusals, in->refusals + 1) &&
           map_to(e, &e->refusal_of, in->refusals + 1) &&
           pool_to(e, &e->bans, in->refusals + 1) && skedi_ban_reserve(e, 0) &&
           skedi_notice_reserve(e, saved) &&
           skedi_remains_reserve(e, released) &&
           skedi_account_reserve(e, accounts) &&
           skedi_out_reserve(e, (size_t)waiting + 1);
}

/* Lines of open asks and of waiting jobs, in every leaf. */
static int reserve_leaves(sked_engine *e, const sked_engine_reserve_input *in)
{
    for (uint32_t row = 0; row < e->rows.n; row++) {
        uint64_t jobs = e->rows.waiters[row];
        if (!row_is_leaf(e, row)) continue;
        jobs = in->leaf_jobs > jobs ? in->leaf_jobs - jobs : 0;
        if (!skedi_wait_reserve(e, row, (uint32_t)jobs + 1)) return 0;
        for (uint32_t p = 0; p < e->parts; p++) {
            engine_cell *cell = &e->cells[cell_of(e, row, p)];
            uint64_t asks = in->leaf_asks + 1;
            asks = asks > cell->open ? asks - cell->open : 0;
            if (!skedi_line_reserve(e, cell, (uint32_t)asks)) return 0;
        }
    }
    return 1;
}

sked_status sked_engine_reserve(sked_engine *engine,
                                const sked_engine_reserve_input *input,
                                sked_error *err)
{
    sked_engine_reserve_input in;

    const char *missing = !engine ? "engine" : !input ? "input" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = take_reserve_input(engine, input, &in, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    skedi_hooks_open(&engine->hooks);
    int ok = reserve_nodes_and_jobs(engine, &in) && reserve_asks(engine, &in) &&
             reserve_groups(engine, &in) && reserve_leaves(engine, &in);
    if (!ok) rc = skedi_fail_memory(err);
    return skedi_busy_leave(engine, skedi_hooks_seal(&engine->hooks, rc));
}
