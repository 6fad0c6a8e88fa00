/* Applies events to the engine, and takes its decisions. */
#include "base/fail.h"
#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

/* A gang starts on nodes beside the one whose event it was. */
static void note_gang_node(sked_sim *sim, const sked_decision *d)
{
    if (d->kind != SKED_DECISION_ALLOCATE || d->reason != SKED_REASON_GANG)
        return;
    skedi_lane_note(sim, (uint32_t)d->node - 1);
}

sked_status skedi_sim_hear(sked_sim *sim)
{
    sked_decision decisions[64];
    size_t n = 64;
    sked_status rc = SKED_OK;

    if (!skedi_probe_has_decided(sim->engine)) return SKED_OK;
    while (n == 64 && rc == SKED_OK) {
        (void)!sked_engine_take(sim->engine, decisions, 64, &n, NULL);
        for (size_t i = 0; i < n && rc == SKED_OK; i++) {
            rc = skedi_measure_record(sim, &decisions[i]);
            note_gang_node(sim, &decisions[i]);
        }
    }
    return rc;
}

sked_status skedi_sim_tell_batch(sked_sim *sim, sked_event *events, size_t n,
                                 const sked_events *batch, sked_error *err)
{
    sked_error own = {.code = SKED_OK};
    sked_status rc = SKED_OK;
    int stands;

    for (size_t i = 0; i < n && rc == SKED_OK;) {
        events[i].time = sim_service(sim);
        rc = skedi_engine_event(sim->engine, batch, &events[i], &stands, &own);
        i += stands != 0; /* stopped: again, once decisions are taken */
        if (rc < 0) break;
        rc = skedi_sim_hear(sim);
    }
    sim->result.events += n;
    if (rc < 0 && err) *err = own;
    return rc;
}

sked_status skedi_sim_tell(sked_sim *sim, sked_event *events, size_t n,
                           const int64_t *amounts, sked_error *err)
{
    const sked_events batch = {
        .struct_size = sizeof batch,
        .amounts = amounts,
        .n_amounts = amounts != NULL,
    };

    return skedi_sim_tell_batch(sim, events, n, &batch, err);
}
