/*
 * A tree of limits comes, or takes the place of the one before: its books are
 * made anew from the jobs that are charged there, before the old ones go.
 */
#include <sched/engine_limits.h>

#include <string.h>

#include "base/fail.h"
#include "engine/api/apply.h"
#include "engine/api/log.h"
#include "engine/busy.h"
#include "engine/budget.h"
#include "engine/work.h"
#include "engine/reservation.h"
#include "tree/attr.h"
#include "tree/path_text.h"

/* ---- What a tree says ---- */

/* Has a row a value of an attribute? */
static int row_says(const skedi_image *image, const skedi_attr *attr,
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
static int counts_here(const skedi_attr *attr)
{
    return attr->id == SKED_QUEUE_LIMIT || attr->id == SKED_QUEUE_MAX_RUNNING ||
           attr->shape == SKEDI_SHAPE_TEXT;
}

static sked_status refuse_attribute(sked_queue_id queue, const char *name,
                                    const char *form, sked_error *err)
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
static sked_status check_attributes(const sked_tree *tree, sked_error *err)
{
    const skedi_image *image = skedi_tree_image(tree);

    for (uint32_t row = 0; row < image->n; row++) {
        for (size_t i = 0; i < SKEDI_ATTRS; i++) {
            const skedi_attr *attr = skedi_attr_at(i);
            if (counts_here(attr) || !row_says(image, attr, row)) continue;
            int part = attr->id == SKED_QUEUE_LIMIT_PPM;
            return refuse_attribute(image->id[row], attr->name,
                                    part ? " as a part" : "", err);
        }
        if (image->users[row] == 0) continue;
        return refuse_attribute(image->id[row], "user_weight", "", err);
    }
    return SKED_OK;
}

/* ---- Its books ---- */

/* What a row of a tree may hold and have. */
static void take_limits_row(sked_engine *e, engine_limits *t, uint32_t row)
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
static int make_books(sked_engine *e, sked_tree *tree, engine_limits *t)
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
    for (uint32_t row = 0; row < t->n; row++) take_limits_row(e, t, row);
    return 1;
}

/* ---- Taking it over ---- */

/* Every charge's queue is still there. */
static sked_status check_charged_queues(const sked_engine *e, uint32_t tree,
                                        const uint32_t *row_of, sked_error *err)
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
static void add_path(const sked_engine *e, const engine_limits *t, uint32_t row,
                     int64_t *to, const int64_t *amounts, int jobs)
{
    for (; row != SKEDI_NONE; row = t->parent[row]) {
        int64_t *at = skedi_tree_amounts(e, to, row);
        for (uint32_t k = 0; k < e->kinds; k++) at[k] += amounts[k];
        t->running[row] += jobs;
    }
}

/* All that is charged in a tree, under its rows by now. */
static void fill_books(sked_engine *e, uint32_t tree)
{
    const engine_limits *t = &e->trees.at[tree];
    int64_t amount[SKED_MAX_KINDS];

    for (uint32_t i = 0; i < e->trees.charges.n; i++) {
        const engine_charge *charge = charge_at(e, i);
        if (!charge->live) continue;
        skedi_charge_link(e, i, tree);
        add_path(e, t, charge->row[tree], t->used,
                 engine_row_of(e, &e->job_used, charge->job),
                 job_at(e, charge->job)->state == JOB_RUNNING);
    }
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        uint32_t job = ask_at(e, reservation_at(e, i)->ask)->job;
        skedi_reservation_holds(e, i, amount);
        add_path(e, t, skedi_charge_row(skedi_charge_of(e, job), tree),
                 t->reserved, amount, 0);
    }
}

/* What a tree kept out is looked at again, and jobs that it kept waiting. */
static void look_again(sked_engine *e, uint32_t tree)
{
    for (uint32_t i = 0; i < e->trees.charges.n; i++) {
        const engine_charge *charge = charge_at(e, i);
        if (!charge->live || charge->row[tree] == SKEDI_NONE) continue;
        if (job_at(e, charge->job)->state != JOB_WAITING) continue;
        skedi_wait_show(e, charge->job);
    }
}

/* The books of a tree are these from now on. Nothing here can fail. */
static void put_books(sked_engine *e, uint32_t tree, engine_limits *next,
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
    fill_books(e, tree);
    look_again(e, tree);
}

static sked_status take_copy(sked_engine *e, uint32_t tree, sked_tree *copy,
                             sked_error *err)
{
    const engine_limits *t = &e->trees.at[tree];
    engine_limits next;
    uint32_t n = t->n;
    uint32_t *row_of = skedi_new(&e->hooks.mem, n, sizeof *row_of);
    sked_status rc = SKED_OK;

    if (!row_of) return skedi_fail_memory(err);
    if (n) skedi_tree_match(t->tree, copy, row_of);
    rc = check_charged_queues(e, tree, row_of, err);
    if (rc == SKED_OK && !make_books(e, copy, &next)) {
        rc = skedi_fail_memory(err);
    }
    if (rc == SKED_OK) put_books(e, tree, &next, row_of);
    skedi_free(&e->hooks.mem, row_of, n, sizeof *row_of);
    return rc;
}

static sked_status limits_now(sked_engine *e, uint32_t tree,
                              const sked_tree *said, sked_time now,
                              sked_error *err)
{
    sked_tree *copy = NULL;
    sked_status rc = skedi_engine_time(e, now, err);

    if (rc == SKED_OK) {
        rc = sked_schema_same(sked_tree_schema(e->tree), sked_tree_schema(said),
                              err);
    }
    if (rc == SKED_OK) rc = check_attributes(said, err);
    if (rc == SKED_OK && !skedi_trees_reserve_all(e)) {
        rc = skedi_fail_memory(err);
    }
    if (rc == SKED_OK) rc = skedi_engine_own_tree(e, said, &copy, err);
    if (rc != SKED_OK) return rc;
    rc = take_copy(e, tree, copy, err);
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
    rc = limits_now(engine, which - 1, tree, now, err);
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
