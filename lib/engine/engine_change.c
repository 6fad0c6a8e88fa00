/*
 * Changes of what an engine was made with: another tree, limit trees, and
 * memory that is reserved in one call.
 *
 * Invariant: a change is refused before anything changes, or is made as a
 * whole.
 */
#include <sched/engine.h>
#include <sched/engine_limits.h>
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/alloc.h"
#include "engine/engine.h"
#include "engine/budget.h"
#include "engine/wants.h"
#include "engine/decision.h"
#include "engine/exclusion.h"
#include "engine/gang_fit.h"
#include "engine/filter.h"
#include "engine/pending.h"
#include "engine/preempt.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/store.h"
#include "engine/work.h"
#include "target/handle.h"
#include "tree/attr.h"
#include "tree/path_text.h"

/*
 * A tree of limits comes, or takes the place of the one before: its books are
 * made anew from the jobs that are charged there, before the old ones go.
 */

/* ---- What a tree says ---- */

/* Has a row a value of an attribute? */
static int engine_row_says(const skedi_image *image, const skedi_attr *attr,
                           uint32_t row)
{
    uint32_t index = skedi_attr_index(attr);
    int64_t rest = skedi_attr_rest(attr);
    int says = 0;

    if (attr->shape == SKEDI_SHAPE_NUMBER) {
        return skedi_image_number(image, index, row) != rest;
    }
    for (uint32_t k = 0; k < image->kinds; k++) {
        const int64_t *at = skedi_image_amounts(image, index, k);
        says |= at && at[row] != rest;
    }
    return says;
}

/* Does an attribute count in a tree of limits, or for the host alone? */
static int engine_counts_here(const skedi_attr *attr)
{
    return attr->id == SKED_QUEUE_LIMIT || attr->id == SKED_QUEUE_MAX_RUNNING ||
           attr->shape == SKEDI_SHAPE_TEXT;
}

static sked_status engine_refuse_attribute(sked_queue_id queue,
                                           const char *name, const char *form,
                                           sked_error *err)
{
    char message[sizeof err->message];
    skedi_writer w = {message, sizeof message, 0};

    skedi_write_text(&w, "a tree of limits has no ");
    skedi_write_text(&w, name);
    skedi_write_text(&w, form);
    (void)skedi_write_end(&w);
    return skedi_fail(err, SKED_ERR_ARG, message,
                      (skedi_fault){.queue = queue});
}

/* Has every queue limits and nothing else? */
static sked_status engine_check_attributes(const sked_tree *tree,
                                           sked_error *err)
{
    const skedi_image *image = skedi_tree_image(tree);

    for (uint32_t row = 0; row < image->n; row++) {
        for (size_t i = 0; i < SKEDI_ATTRS; i++) {
            const skedi_attr *attr = skedi_attr_at(i);
            if (engine_counts_here(attr) || !engine_row_says(image, attr, row))
                continue;
            int part = attr->id == SKED_QUEUE_LIMIT_PPM;
            return engine_refuse_attribute(image->id[row], attr->name,
                                           part ? " as a part" : "", err);
        }
        if (image->users[row] == 0) continue;
        return engine_refuse_attribute(image->id[row], "user_weight", "", err);
    }
    return SKED_OK;
}

/* ---- Its books ---- */

/* What a row of a tree may hold and have. */
static void engine_take_limits_row(sked_engine *e, engine_limits *t,
                                   uint32_t row)
{
    const skedi_image *image = skedi_tree_image(t->tree);

    for (uint32_t k = 0; k < e->kinds; k++) {
        const int64_t *at = skedi_image_amounts(image, SKEDI_AT_LIMIT, k);
        t->limit[(size_t)row * e->kinds + k] = at ? at[row] : SKED_UNLIMITED;
    }
    t->max_running[row] = skedi_image_effective(image, SKEDI_AT_MAX_RUNNING,
                                                row);
    t->parent[row] = row ? (uint32_t)image->parent[row] : SKEDI_NONE;
    t->charge[row] = t->stop[row] = SKEDI_NONE;
}

/* Books of `tree`, which is theirs from then on, where nothing is charged. 0: no
 * memory. */
static int engine_make_books(sked_engine *e, sked_tree *tree, engine_limits *t)
{
    size_t n = skedi_tree_image(tree)->n, amounts = n * e->kinds;
    int64_t *all = skedi_new(&e->hooks.mem, 3 * amounts + 2 * n, sizeof *all);
    uint32_t *rows = skedi_new(&e->hooks.mem, 3 * n, sizeof *rows);

    if (!all || !rows) {
        skedi_free(&e->hooks.mem, all, 3 * amounts + 2 * n, sizeof *all);
        skedi_free(&e->hooks.mem, rows, 3 * n, sizeof *rows);
        return 0;
    }
    *t = (engine_limits){
        .tree = tree,
        .n = (uint32_t)n,
        .limit = all,
        .used = all + amounts,
        .reserved = all + 2 * amounts,
        .max_running = all + 3 * amounts,
        .running = all + 3 * amounts + n,
        .parent = rows,
        .charge = rows + n,
        .stop = rows + 2 * n,
    };
    for (uint32_t row = 0; row < t->n; row++) engine_take_limits_row(e, t, row);
    return 1;
}

/* ---- Taking it over ---- */

/* Every charge's queue is still there. */
static sked_status engine_check_charged_queues(const sked_engine *e,
                                               uint32_t tree,
                                               const uint32_t *row_of,
                                               sked_error *err)
{
    const engine_limits *t = &e->trees.at[tree];

    for (uint32_t row = 0; row < t->n; row++) {
        char message[sizeof err->message];
        skedi_writer w = {message, sizeof message, 0};
        if (t->charge[row] == SKEDI_NONE || row_of[row] != SKEDI_NO_ROW) {
            continue;
        }
        skedi_write_text(&w, "a job is charged in this queue: ");
        skedi_write_image_path(&w, t->tree, row);
        (void)skedi_write_end(&w);
        return skedi_fail(
            err, SKED_ERR_STATE, message,
            (skedi_fault){.queue = skedi_tree_image(t->tree)->id[row]});
    }
    return SKED_OK;
}

/* Adds what a job has to the rows of its path: `amounts` to those of `to`, jobs
 * to those that run. */
static void engine_add_path(const sked_engine *e, const engine_limits *t,
                            uint32_t row, int64_t *to, const int64_t *amounts,
                            int jobs)
{
    for (; row != SKEDI_NONE; row = t->parent[row]) {
        int64_t *at = skedi_tree_amounts(e, to, row);
        for (uint32_t k = 0; k < e->kinds; k++) at[k] += amounts[k];
        t->running[row] += jobs;
    }
}

/* All that is charged in a tree, under its rows by now. */
static void engine_fill_books(sked_engine *e, uint32_t tree)
{
    const engine_limits *t = &e->trees.at[tree];
    int64_t amount[SKED_MAX_KINDS];

    for (uint32_t i = 0; i < e->trees.charges.n; i++) {
        const engine_charge *charge = charge_at(e, i);
        if (!charge->live) continue;
        skedi_charge_link(e, i, tree);
        engine_add_path(e, t, charge->row[tree], t->used,
                        engine_row_of(e, &e->job_used, charge->job),
                        job_at(e, charge->job)->state == JOB_RUNNING);
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        uint32_t job = ask_at(e, reservation_at(e, i)->ask)->job;
        skedi_reservation_holds(e, i, amount);
        engine_add_path(e, t, skedi_charge_row(skedi_charge_of(e, job), tree),
                        t->reserved, amount, 0);
    }
}

/* What a tree kept out is looked at again, and jobs that it kept waiting. */
static void engine_look_again(sked_engine *e, uint32_t tree)
{
    for (uint32_t i = 0; i < e->trees.charges.n; i++) {
        const engine_charge *charge = charge_at(e, i);
        if (!charge->live || charge->row[tree] == SKEDI_NONE) continue;
        if (job_at(e, charge->job)->state != JOB_WAITING) continue;
        skedi_wait_show(e, charge->job);
    }
}

/* The books of a tree are these from now on. Nothing here can fail. */
static void engine_put_books(sked_engine *e, uint32_t tree, engine_limits *next,
                             const uint32_t *row_of)
{
    engine_limits *t = &e->trees.at[tree];

    for (uint32_t row = 0; row < t->n; row++) skedi_trees_wake(e, tree, row, 1);
    for (uint32_t i = 0; i < e->trees.charges.n; i++) {
        uint32_t *row = &charge_at(e, i)->row[tree];
        if (!charge_at(e, i)->live || *row == SKEDI_NONE) continue;
        *row = row_of[*row];
    }
    skedi_tree_drop_books(e, t);
    *t = *next;
    engine_fill_books(e, tree);
    engine_look_again(e, tree);
}

static sked_status engine_take_copy(sked_engine *e, uint32_t tree,
                                    sked_tree *copy, sked_error *err)
{
    const engine_limits *t = &e->trees.at[tree];
    engine_limits next;
    uint32_t n = t->n;
    uint32_t *row_of = skedi_new(&e->hooks.mem, n, sizeof *row_of);
    sked_status rc = SKED_OK;

    if (!row_of) return skedi_fail_memory(err);
    if (n) skedi_tree_match(t->tree, copy, row_of);
    rc = engine_check_charged_queues(e, tree, row_of, err);
    if (rc == SKED_OK && !engine_make_books(e, copy, &next)) {
        rc = skedi_fail_memory(err);
    }
    if (rc == SKED_OK) engine_put_books(e, tree, &next, row_of);
    skedi_free(&e->hooks.mem, row_of, n, sizeof *row_of);
    return rc;
}

static sked_status engine_limits_now(sked_engine *e, uint32_t tree,
                                     const sked_tree *said, sked_time now,
                                     sked_error *err)
{
    sked_tree *copy = NULL;
    sked_status rc = skedi_engine_time(e, now, err);

    if (rc == SKED_OK) {
        rc = sked_schema_same(sked_tree_schema(e->tree), sked_tree_schema(said),
                              err);
    }
    if (rc == SKED_OK) rc = engine_check_attributes(said, err);
    if (rc == SKED_OK && !skedi_trees_reserve_all(e)) {
        rc = skedi_fail_memory(err);
    }
    if (rc == SKED_OK) rc = skedi_engine_own_tree(e, said, &copy, err);
    if (rc != SKED_OK) return rc;
    rc = engine_take_copy(e, tree, copy, err);
    if (rc != SKED_OK) {
        sked_tree_free(copy);
        return rc;
    }
    skedi_engine_advance(e, now);
    (void)skedi_jobs_admit(e); /* what lacks memory waits */
    return SKED_OK;
}

sked_status sked_engine_commit_limits(sked_engine *engine, uint32_t which,
                                      const sked_tree *tree, sked_time now,
                                      sked_error *err)
{
    const char *missing = !engine ? "engine" : !tree ? "tree" : NULL;

    if (missing) return skedi_fail_null(err, missing);
    if (which < 1 || which > SKED_MAX_LIMIT_TREES) {
        return skedi_fail(
            err, SKED_ERR_ARG, "no such tree of limits",
            (skedi_fault){.got = which, .limit = SKED_MAX_LIMIT_TREES});
    }
    sked_status rc = skedi_hooks_now(&engine->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    engine->pace = 0;
    rc = engine_limits_now(engine, which - 1, tree, now, err);
    engine->cut = SKED_OK; /* it stands */
    skedi_log_decisions(engine);
    return skedi_busy_leave(engine, rc);
}

sked_status sked_engine_limits_usage(const sked_engine *engine, uint32_t which,
                                     sked_queue_id queue, int64_t *usage,
                                     int64_t *running)
{
    if (!engine || !usage || which < 1 || which > SKED_MAX_LIMIT_TREES) {
        return SKED_ERR_ARG;
    }
    const engine_limits *t = &engine->trees.at[which - 1];
    if (!t->tree) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_image(t->tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    memcpy(usage, skedi_tree_amounts(engine, t->used, row),
           engine->kinds * sizeof *usage);
    if (running) *running = t->running[row];
    return SKED_OK;
}

/* Memory for all that is to come, in one call. */

SKEDI_NO_TAIL_PADDING(sked_engine_reserve_input, spreads);

enum {
    ENGINE_RESERVE_V1 = SKEDI_SIZE_THROUGH(sked_engine_reserve_input,
                                           decisions),
    ENGINE_RESERVE_SPREADS = 8 /* where nothing is said of gangs over nodes */
};

/* What a count of 0 stands for. */
static void engine_fill_in(const sked_engine *e, sked_engine_reserve_input *in)
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

static sked_status
engine_take_reserve_input(const sked_engine *e,
                          const sked_engine_reserve_input *input,
                          sked_engine_reserve_input *in, sked_error *err)
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
    engine_fill_in(e, in);
    return SKED_OK;
}

/* Memory in a pool for so many in all. */
static int engine_pool_to(sked_engine *e, engine_pool *pool, uint64_t all)
{
    uint64_t more = all > pool->live ? all - pool->live : 0;

    return skedi_pool_reserve(pool, &e->hooks.mem, more);
}

static int engine_map_to(sked_engine *e, skedi_keymap *map, uint64_t all)
{
    return skedi_keymap_reserve(map, &e->hooks.mem, (size_t)all);
}

/* Where there are trees of limits every job may be charged there. */
static int engine_charges_to(sked_engine *e, uint64_t jobs)
{
    const engine_limits *t = e->trees.at;

    return (!t[0].tree && !t[1].tree) ||
           engine_pool_to(e, &e->trees.charges, jobs);
}

static int engine_reserve_nodes_and_jobs(sked_engine *e,
                                         const sked_engine_reserve_input *in)
{
    return skedi_partition_reserve(e, in->partitions - 1) &&
           engine_pool_to(e, &e->nodes, in->nodes) &&
           skedi_amounts_reserve(e, &e->node_capacity, &e->nodes) &&
           skedi_amounts_reserve(e, &e->node_free, &e->nodes) &&
           skedi_heap_reserve(&e->wakes, e->nodes.cap, &e->hooks.mem) &&
           skedi_sets_node_reserve(e) && skedi_fits_node_reserve(e) &&
           skedi_forming_reserve_all(e, in->nodes) &&
           engine_map_to(e, &e->node_of, in->nodes) &&
           engine_pool_to(e, &e->jobs, in->jobs) &&
           skedi_amounts_reserve(e, &e->job_used, &e->jobs) &&
           skedi_amounts_reserve(e, &e->job_open, &e->jobs) &&
           engine_map_to(e, &e->job_of, in->jobs) &&
           engine_charges_to(e, in->jobs) &&
           engine_pool_to(e, &e->users, in->users + 1) &&
           engine_map_to(e, &e->user_of, in->users + 1);
}

/* Memory to put so many entries aside. */
static int engine_aside_to(sked_engine *e, size_t entries)
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
static int engine_reserve_asks(sked_engine *e,
                               const sked_engine_reserve_input *in)
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
    return engine_pool_to(e, &e->asks, in->asks) &&
           skedi_ask_rows_reserve(e, 0) &&
           engine_pool_to(e, &e->extras, in->asks + 1) &&
           engine_map_to(e, &e->ask_of, in->asks) && skedi_trees_reserve(e) &&
           engine_pool_to(e, &e->entries, entries) &&
           skedi_entry_rows_reserve(e, 0) &&
           engine_pool_to(e, &e->ranges, in->ranges + 1) &&
           engine_pool_to(e, &e->places, in->places) &&
           skedi_shape_reserve(e, more) &&
           (fits == 0 || skedi_fit_reserve(e, fits)) &&
           engine_aside_to(e, (size_t)entries);
}

/* What leaves want: as many records as shapes may be wanted in leaves, and as a
 * lost node may ask for besides. */
static int engine_reserve_wants(sked_engine *e,
                                const sked_engine_reserve_input *in)
{
    uint64_t entries = in->asks + (in->wide_asks + 1) * e->parts;
    uint64_t wants = 2 * (entries + in->groups) + in->groups * e->parts;

    return !e->shared ||
           (engine_pool_to(e, &e->wants, wants) &&
            engine_map_to(e, &e->want_of, wants) && skedi_wants_reserve(e, 0));
}

static int engine_reserve_groups(sked_engine *e,
                                 const sked_engine_reserve_input *in)
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
    return engine_reserve_wants(e, in) &&
           engine_pool_to(e, &e->groups, in->groups + 1) &&
           engine_pool_to(e, &e->refusals, in->refusals + 1) &&
           engine_map_to(e, &e->refusal_of, in->refusals + 1) &&
           engine_pool_to(e, &e->bans, in->refusals + 1) &&
           skedi_ban_reserve(e, 0) && skedi_notice_reserve(e, saved) &&
           skedi_remains_reserve(e, released) &&
           skedi_account_reserve(e, accounts) &&
           skedi_out_reserve(e, (size_t)waiting + 1);
}

/* Lines of open asks and of waiting jobs, in every leaf. */
static int engine_reserve_leaves(sked_engine *e,
                                 const sked_engine_reserve_input *in)
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
    sked_status rc = engine_take_reserve_input(engine, input, &in, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    skedi_hooks_open(&engine->hooks);
    int ok = engine_reserve_nodes_and_jobs(engine, &in) &&
             engine_reserve_asks(engine, &in) &&
             engine_reserve_groups(engine, &in) &&
             engine_reserve_leaves(engine, &in);
    if (!ok) rc = skedi_fail_memory(err);
    return skedi_busy_leave(engine, skedi_hooks_seal(&engine->hooks, rc));
}

/*
 * Another tree takes the place of the one that an engine has. Queues are found
 * again by what made them, or by path; what cannot be is refused before
 * anything changes.
 */

static sked_status engine_refuse_job(const sked_engine *e, uint32_t row,
                                     sked_error *err)
{
    char message[sizeof err->message];
    skedi_writer w = {message, sizeof message, 0};

    skedi_write_text(&w, "a job is in this queue: ");
    skedi_write_image_path(&w, e->tree, row);
    (void)skedi_write_end(&w);
    return skedi_fail(err, SKED_ERR_STATE, message,
                      (skedi_fault){.queue = e->rows.id[row]});
}

/* Every job's row must become a leaf. */
static sked_status engine_check_jobs(const sked_engine *e,
                                     const skedi_image *image,
                                     const uint32_t *row_of, sked_error *err)
{
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        const engine_job *job = job_at(e, i);
        if (job->state == JOB_FREE_SLOT) continue;
        uint32_t row = row_of[job->row];
        if (row != SKEDI_NO_ROW && skedi_image_is_leaf(image, row)) continue;
        return engine_refuse_job(e, job->row, err);
    }
    return SKED_OK;
}

/* Takes over `next`, which is the engine's own from then on. */
static sked_status engine_take_over(sked_engine *e, sked_tree *next,
                                    const uint32_t *row_of, sked_error *err)
{
    const skedi_image *image = skedi_tree_image(next);
    sked_tree *before = e->tree;
    sked_status rc = engine_check_jobs(e, image, row_of, err);

    if (rc != SKED_OK) return rc;
    if (!skedi_grid_build(e, next, row_of, e->parts)) {
        return skedi_fail_memory(err);
    }
    skedi_round_forget(e);
    for (uint32_t i = 0; e->preempt && i < e->preempt->policies; i++) {
        skedi_target_rekey(e->preempt->target[i], skedi_tree_image(before),
                           image, row_of);
    }
    sked_tree_free(before);
    return SKED_OK;
}

static sked_status engine_commit_copy(sked_engine *e, sked_tree *copy,
                                      sked_error *err)
{
    size_t n = e->rows.n;

    uint32_t *row_of = skedi_new(&e->hooks.mem, n, sizeof *row_of);
    if (!row_of) {
        return skedi_fail_memory(err);
    }
    skedi_tree_match(e->tree, copy, row_of);
    sked_status rc = engine_take_over(e, copy, row_of, err);
    skedi_free(&e->hooks.mem, row_of, n, sizeof *row_of);
    return rc;
}

static sked_status engine_commit_tree(sked_engine *engine,
                                      const sked_tree *tree, sked_time now,
                                      sked_error *err)
{
    sked_tree *copy = NULL;
    sked_status rc = skedi_engine_time(engine, now, err);

    if (rc == SKED_OK) {
        rc = sked_schema_same(sked_tree_schema(engine->tree),
                              sked_tree_schema(tree), err);
    }
    if (rc == SKED_OK) rc = skedi_engine_own_tree(engine, tree, &copy, err);
    if (rc != SKED_OK) return rc;
    rc = engine_commit_copy(engine, copy, err);
    if (rc != SKED_OK) {
        sked_tree_free(copy);
        return rc;
    }
    skedi_engine_advance(engine, now);
    skedi_bans_see_limits(engine, SKEDI_NONE);
    (void)skedi_asks_settle(engine); /* what lacks memory waits */
    (void)skedi_jobs_admit(engine);
    return SKED_OK;
}

sked_status sked_engine_commit(sked_engine *engine, const sked_tree *tree,
                               sked_time now, sked_error *err)
{
    const char *missing = !engine ? "engine" : !tree ? "tree" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_now(&engine->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    engine->pace = 0;
    rc = engine_commit_tree(engine, tree, now, err);
    engine->cut = SKED_OK; /* it stands */
    skedi_log_decisions(engine);
    if (rc == SKED_OK) skedi_log_notes(engine);
    return skedi_busy_leave(engine, rc);
}
