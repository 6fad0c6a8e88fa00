/*
 * A batch that a host runs: the steps of live.c. The host takes decisions in
 * pieces, and ended tasks are kept as spans.
 */
#include <sched/batch_run.h>

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "batch/live.h"

SKEDI_NO_TAIL_PADDING(sked_batch_run_stats, bound);

enum { RUN_STATS_V1 = SKEDI_SIZE_THROUGH(sked_batch_run_stats, bound) };

enum task_state { TASK_WAITS, TASK_RUNS, TASK_ENDED };

struct sked_batch_run {
    skedi_batch b;
    skedi_batch_live live;
    sked_batch_span *ended; /* in the order of reports */
    uint32_t n_ended;
    uint32_t taken; /* of live.begun */
    uint8_t *state; /* by task */
    int64_t expected;
    int64_t bound;
};

/* ---- Begin ---- */

/* Plans, finds the end of the plan, and returns the clock to 0. */
static sked_status plan_at_zero(sked_batch_run *run,
                                sked_batch_options *options)
{
    skedi_batch *b = &run->b;
    skedi_batch_plan plan;

    run->ended = skedi_batch_take(b, b->n, sizeof *run->ended);
    run->state = skedi_batch_take(b, b->n, sizeof *run->state);
    if (!run->ended || !run->state || !skedi_batch_plan_take(b, &plan) ||
        !skedi_batch_live_take(b, &run->live)) {
        return SKED_ERR_NOMEM;
    }
    sked_status rc = skedi_batch_make_plan(&run->live, options, &plan);
    if (rc != SKED_OK) return rc;
    skedi_batch_live_begin(&run->live, options, &plan);
    rc = skedi_batch_live_run(&run->live, NULL, run->ended);
    for (uint32_t j = 0; j < b->n && rc == SKED_OK; j++) {
        run->expected = skedi_i64_max(run->expected, run->ended[j].end);
    }
    run->bound = skedi_batch_dual(b);
    skedi_batch_live_begin(&run->live, options, &plan);
    return rc;
}

sked_status sked_batch_run_new(const sked_batch_input *input,
                               const sked_batch_options *options,
                               const sked_host *host, sked_batch_run **out,
                               sked_error *err)
{
    sked_batch_options taken;
    skedi_batch b;

    if (!out) return skedi_fail_null(err, "run");
    sked_status rc = skedi_batch_options_in(&taken, options, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_batch_in(&b, input, SKEDI_BATCH_BELIEVED, host, err);
    if (rc != SKED_OK) return rc;
    sked_batch_run *run = skedi_new(&b.hooks.mem, 1, sizeof *run);
    if (!run) {
        skedi_batch_drop(&b);
        return skedi_fail_memory(err);
    }
    run->b = b;
    rc = plan_at_zero(run, &taken);
    if (rc != SKED_OK) {
        run->b.hooks.host.user_free = NULL; /* the creation failed */
        sked_batch_run_free(run);
        return skedi_fail_stopped(err, rc);
    }
    *out = run;
    return SKED_OK;
}

void sked_batch_run_free(sked_batch_run *run)
{
    if (!run) return;
    skedi_batch_drop(&run->b);
    skedi_hooks hooks = run->b.hooks;
    skedi_free(&hooks.mem, run, 1, sizeof *run);
    skedi_hooks_done(hooks.host);
}

/* ---- Steps ---- */

static sked_status moment_in(const sked_batch_run *run, int64_t now,
                             sked_error *err)
{
    int64_t most = SKED_AMOUNT_MAX / (int64_t)run->b.slots;

    if (now >= run->live.now && now <= most) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "now goes back, or is too large",
                      (skedi_fault){.got = now, .limit = run->live.now});
}

/* Makes a step at `now`. If the host stops the step, the batch keeps its state:
 * the order of waiting tasks, the expected ends of running tasks, and the
 * random state. Two columns for virtual runs hold the saved state. */
static sked_status step_at(skedi_batch_live *live, int64_t now)
{
    const size_t n = live->b->n;
    skedi_random random = live->random;
    int64_t before = live->now;

    if (live->method == SKED_BATCH_METHOD_DYNAMIC) {
        memcpy(live->of, live->plan.order, n * sizeof *live->of);
        memcpy(live->end, live->expect, n * sizeof *live->end);
    }
    live->now = now;
    sked_status rc = skedi_batch_live_step(live);
    if (rc == SKED_OK) return rc; /* only DYNAMIC is stopped */
    memcpy(live->plan.order, live->of, n * sizeof *live->of);
    memcpy(live->expect, live->end, n * sizeof *live->end);
    live->random = random;
    live->now = before;
    return rc;
}

sked_status sked_batch_run_next(sked_batch_run *run, int64_t now,
                                sked_batch_start *starts, size_t cap, size_t *n,
                                sked_error *err)
{
    const char *missing = !run             ? "run"
                          : !n             ? "n"
                          : cap && !starts ? "starts"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    skedi_batch_live *live = &run->live;
    sked_status rc = moment_in(run, now, err);
    if (rc != SKED_OK) return rc;
    if (run->taken == live->n_begun) {
        rc = step_at(live, now);
        run->taken = 0;
    }
    if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    live->now = now;
    *n = 0;
    while (*n < cap && run->taken < live->n_begun) {
        uint32_t j = live->begun[run->taken++];
        live->start[j] = now;
        live->expect[j] = now + live->plan.time[j];
        run->state[j] = TASK_RUNS;
        starts[(*n)++] = (sked_batch_start){j, live->plan.width[j]};
    }
    return SKED_OK;
}

sked_status sked_batch_run_finish(sked_batch_run *run, uint32_t task,
                                  int64_t now, sked_error *err)
{
    if (!run) return skedi_fail_null(err, "run");
    if (task >= run->b.n) {
        return skedi_fail(err, SKED_ERR_NOT_FOUND, "no such task",
                          (skedi_fault){.got = task, .limit = run->b.n - 1});
    }
    if (run->state[task] != TASK_RUNS) {
        return skedi_fail(err, SKED_ERR_STATE, "the task does not run",
                          (skedi_fault){.got = task});
    }
    sked_status rc = moment_in(run, now, err);
    if (rc != SKED_OK) return rc;
    skedi_batch_live *live = &run->live;
    if (now <= live->start[task]) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "now is not after its start",
            (skedi_fault){.got = now, .limit = live->start[task]});
    }
    live->now = now;
    skedi_batch_live_end(live, task);
    run->state[task] = TASK_ENDED;
    run->ended[run->n_ended++] = (sked_batch_span){live->start[task], now, task,
                                                   live->plan.width[task]};
    return SKED_OK;
}

/* ---- Reads ---- */

sked_status sked_batch_run_get_stats(const sked_batch_run *run,
                                     sked_batch_run_stats *stats,
                                     sked_error *err)
{
    const char *missing = !run ? "run" : !stats ? "stats" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(stats->struct_size, RUN_STATS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "stats");
    const skedi_batch_live *live = &run->live;
    stats->method = live->method;
    stats->waiting = live->waiting;
    stats->running = live->running;
    stats->finished = run->n_ended;
    stats->free = live->free;
    stats->now = live->now;
    stats->eta_ppm = live->method == SKED_BATCH_METHOD_ADAPT ? live->eta : 0;
    stats->expected = run->expected;
    stats->bound = run->bound;
    return SKED_OK;
}

sked_status sked_batch_run_spans(const sked_batch_run *run,
                                 sked_batch_span *spans, size_t cap, size_t *n)
{
    if (!run || !n || (cap && !spans)) return SKED_ERR_ARG;
    *n = run->n_ended;
    if (run->n_ended > cap) return SKED_ERR_RANGE;
    for (uint32_t i = 0; i < run->n_ended; i++) spans[i] = run->ended[i];
    return SKED_OK;
}
