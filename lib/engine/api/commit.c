/*
 * Another tree takes the place of the one that an engine has. Queues are found
 * again by what made them, or by path; what cannot be is refused before
 * anything changes.
 */
#include <sched/engine.h>

#include "base/fail.h"
#include "engine/api/apply.h"
#include "engine/api/log.h"
#include "engine/busy.h"
#include "engine/exclusion.h"
#include "engine/queue.h"
#include "engine/work.h"
#include "engine/alloc.h"
#include "engine/store.h"
#include "engine/preempt/rounds.h"
#include "target/handle.h"
#include "tree/path_text.h"

static sked_status refuse_job(const sked_engine *e, uint32_t row,
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
static sked_status check_jobs(const sked_engine *e, const skedi_image *image,
                              const uint32_t *row_of, sked_error *err)
{
    for (uint32_t i = 0; i < e->jobs.n; i++) {
        const engine_job *job = job_at(e, i);
        if (job->state == JOB_FREE_SLOT) continue;
        uint32_t row = row_of[job->row];
        if (row != SKEDI_NO_ROW && skedi_image_is_leaf(image, row)) continue;
        return refuse_job(e, job->row, err);
    }
    return SKED_OK;
}

/* Takes over `next`, which is the engine's own from then on. */
static sked_status take_over(sked_engine *e, sked_tree *next,
                             const uint32_t *row_of, sked_error *err)
{
    const skedi_image *image = skedi_tree_image(next);
    sked_tree *before = e->tree;
    sked_status rc = check_jobs(e, image, row_of, err);

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

static sked_status commit_copy(sked_engine *e, sked_tree *copy, sked_error *err)
{
    size_t n = e->rows.n;

    uint32_t *row_of = skedi_new(&e->hooks.mem, n, sizeof *row_of);
    if (!row_of) {
        return skedi_fail_memory(err);
    }
    skedi_tree_match(e->tree, copy, row_of);
    sked_status rc = take_over(e, copy, row_of, err);
    skedi_free(&e->hooks.mem, row_of, n, sizeof *row_of);
    return rc;
}

static sked_status commit_tree(sked_engine *engine, const sked_tree *tree,
                               sked_time now, sked_error *err)
{
    sked_tree *copy = NULL;
    sked_status rc = skedi_engine_time(engine, now, err);

    if (rc == SKED_OK) {
        rc = sked_schema_same(sked_tree_schema(engine->tree),
                              sked_tree_schema(tree), err);
    }
    if (rc == SKED_OK) rc = skedi_engine_own_tree(engine, tree, &copy, err);
    if (rc != SKED_OK) return rc;
    rc = commit_copy(engine, copy, err);
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
    rc = commit_tree(engine, tree, now, err);
    engine->cut = SKED_OK; /* it stands */
    skedi_log_decisions(engine);
    if (rc == SKED_OK) skedi_log_notes(engine);
    return skedi_busy_leave(engine, rc);
}
