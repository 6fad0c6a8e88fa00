/* By what a leaf admits its jobs: takes the host's bounds in, and time on. */
#include <sched/engine_admit.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/api/apply.h"
#include "engine/api/log.h"
#include "engine/busy.h"
#include "engine/admission.h"
#include "engine/work.h"

SKEDI_NO_TAIL_PADDING(sked_engine_admit_options, controllers);

/* One bound; NULL is `rest` of every kind. */
static sked_status take_gate_bound(const sked_engine *e, engine_gate *gate,
                                   int which, const int64_t *said, int64_t rest,
                                   sked_error *err)
{
    int64_t *to = gate->bound + (size_t)which * SKED_MAX_KINDS;

    for (uint32_t k = 0; k < e->kinds; k++) {
        to[k] = said ? said[k] : rest;
        if (to[k] == SKED_UNLIMITED) continue;
        if (to[k] >= 0 && to[k] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.got = to[k],
                                        .limit = SKED_AMOUNT_MAX,
                                        .kind = (int32_t)k + 1});
    }
    return SKED_OK;
}

static sked_status take_gate(const sked_engine *e, engine_gate *gate,
                             const sked_engine_admit_options *options,
                             sked_error *err)
{
    uint32_t v1 = SKEDI_SIZE_THROUGH(sked_engine_admit_options, controllers);
    sked_engine_admit_options own;

    if (skedi_struct_in(&own, sizeof own, options, v1) != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (own.flags & ~(uint32_t)SKED_ADMIT_FLAG_PREEMPTION) {
        return skedi_fail_flags(err, "options");
    }
    const int64_t *said[GATE_BOUNDS] = {
        [GATE_ENTITLEMENT] = own.entitlement,
        [GATE_SLACK] = own.slack,
        [GATE_RESERVATION] = own.reservation,
        [GATE_CONTROLLERS] = own.controllers,
    };
    sked_status rc = SKED_OK;

    gate->preempts = own.flags & SKED_ADMIT_FLAG_PREEMPTION;
    for (int i = 0; rc == SKED_OK && i < GATE_BOUNDS; i++) {
        int64_t rest = i == GATE_CONTROLLERS ? SKED_UNLIMITED : 0;
        rc = take_gate_bound(e, gate, i, said[i], rest, err);
    }
    return rc;
}

static sked_status admit_by(sked_engine *e, uint32_t row, sked_time now,
                            const sked_engine_admit_options *options,
                            sked_error *err)
{
    engine_gate *gate = options ? skedi_gate_new(e) : NULL;

    if (options && !gate) return skedi_fail_memory(err);
    sked_status rc = skedi_engine_time(e, now, err);
    if (rc == SKED_OK && options) rc = take_gate(e, gate, options, err);
    if (rc == SKED_OK) rc = skedi_engine_catch_up(e, now, err);
    if (rc != SKED_OK) {
        skedi_gate_free(e, gate);
        return rc;
    }
    skedi_engine_advance(e, now);
    skedi_gate_put(e, row, gate);
    (void)skedi_jobs_admit(e); /* what lacks memory waits */
    return SKED_OK;
}

sked_status sked_engine_admit(sked_engine *engine, sked_queue_id queue,
                              sked_time now,
                              const sked_engine_admit_options *options,
                              sked_error *err)
{
    uint32_t row;

    if (!engine) return skedi_fail_null(err, "engine");
    sked_status rc = skedi_hooks_now(&engine->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    engine->pace = 0;
    rc = skedi_job_leaf(engine, queue, &row, err);
    if (rc == SKED_OK) rc = admit_by(engine, row, now, options, err);
    engine->cut = SKED_OK; /* it stands */
    skedi_log_decisions(engine);
    return skedi_busy_leave(engine, rc);
}
