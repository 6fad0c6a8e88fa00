/* Places asks job by job: takes the host's options in, and time on. */
#include <sched/engine_place.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/api/apply.h"
#include "engine/api/log.h"
#include "engine/busy.h"
#include "engine/pass.h"
#include "engine/nodes.h"

SKEDI_NO_TAIL_PADDING(sked_engine_place_options, reserved);

static sked_status take_place_options(sked_engine_place_options *to,
                                      const sked_engine_place_options *options,
                                      sked_error *err)
{
    uint32_t v1 = SKEDI_SIZE_THROUGH(sked_engine_place_options, n);

    if (skedi_struct_in(to, sizeof *to, options, v1) != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (to->reserved) return skedi_fail_reserved(err, "options");
    if (to->mode == 0) to->mode = SKED_ENGINE_PLACE_MODE_FIRST;
    if (to->mode > SKED_ENGINE_PLACE_MODE_SCORE) {
        return skedi_fail(err, SKED_ERR_ARG, "no such mode",
                          (skedi_fault){.got = to->mode});
    }
    if (to->n > 0 && !to->nodes) return skedi_fail_null(err, "nodes");
    return to->n > 0 && !to->scores ? skedi_fail_null(err, "scores") : SKED_OK;
}

/* The scores of this call, by node. `started` says meanwhile what has one. */
static sked_status take_scores(sked_engine *e,
                               const sked_engine_place_options *opts,
                               sked_error *err)
{
    engine_rankings *ranks = &e->ranks;
    sked_status rc = SKED_OK;
    uint64_t i = 0;

    for (; rc == SKED_OK && i < opts->n; i++) {
        uint32_t node = skedi_keymap_get(&e->node_of, opts->nodes[i]);
        skedi_fault at = {.row = (int64_t)i + 1};
        if (node == SKEDI_NONE) {
            rc = skedi_fail(err, SKED_ERR_NOT_FOUND, "no such node", at);
        } else if (ranks->started[node]++) {
            rc = skedi_fail(err, SKED_ERR_EXISTS, "node is listed twice", at);
        } else {
            ranks->score[node] = opts->scores[i];
        }
    }
    for (size_t n = 0; n < ranks->cap; n++) ranks->started[n] = 0;
    return rc;
}

static sked_status place_now(sked_engine *e,
                             const sked_engine_place_options *opts,
                             sked_time now, uint64_t budget, sked_error *err)
{
    sked_status rc = skedi_engine_time(e, now, err);

    if (rc == SKED_OK && !skedi_ranks_open(e)) rc = skedi_fail_memory(err);
    if (rc == SKED_OK) rc = take_scores(e, opts, err);
    if (rc == SKED_OK) rc = skedi_engine_catch_up(e, now, err);
    if (rc != SKED_OK) return rc;
    skedi_engine_advance(e, now);
    e->ranks.mode = opts->mode;
    e->ranks.sample = opts->sample;
    rc = skedi_place_all(e, budget);
    return rc < 0 ? skedi_fail_plain(err, rc, "placing was cut short") : rc;
}

sked_status sked_engine_place(sked_engine *engine, sked_time now,
                              uint64_t budget,
                              const sked_engine_place_options *options,
                              sked_error *err)
{
    sked_engine_place_options opts;

    if (!engine) return skedi_fail_null(err, "engine");
    sked_status rc = take_place_options(&opts, options, err);
    if (rc == SKED_OK) rc = skedi_hooks_now(&engine->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    engine->pace = 0;
    rc = place_now(engine, &opts, now, budget, err);
    skedi_ranks_close(engine);
    rc = skedi_engine_take_cut(engine, rc, err);
    skedi_log_decisions(engine);
    return skedi_busy_leave(engine, rc);
}
