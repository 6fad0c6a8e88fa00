/*
 * Rounds of preemption in virtual time, at even distances from the first
 * submission on. Simulated jobs do nothing about a notice; a task with a kill
 * order ends at once.
 */
#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

enum { SIM_ROUND_SECONDS = 3 };

static int64_t round_period(const sked_sim *sim)
{
    return sim->opts.round_every_ns ? sim->opts.round_every_ns
                                    : SIM_ROUND_SECONDS * INT64_C(1000000000);
}

/* Also while no task runs or no ask waits: a round moves the clocks of queues,
 * and by these later ones decide. */
sked_time skedi_round_next(const sked_sim *sim)
{
    const sked_engine *e = sim->engine;

    if (!skedi_probe_round_is_due(e)) return INT64_MAX;
    if (!skedi_sim_is_ahead(sim) &&
        (skedi_probe_stats(e)->asks == 0 || skedi_sim_is_at_rest(sim))) {
        return INT64_MAX;
    }
    int64_t period = round_period(sim);
    int64_t passed = skedi_i64_max(sim->now, sim->round_at + 1) - sim->base;
    int64_t rounds = passed / period + (passed % period > 0);
    return sim->base + rounds * period;
}

void skedi_round_pass(sked_sim *sim)
{
    sim->round_at = sim->now;
}

sked_status skedi_round_end_killed(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < sim->n_kills && rc == SKED_OK; i++) {
        sked_event killed = {.kind = SKED_EVENT_TASK_KILLED,
                             .key = sim->kills[i].group,
                             .count = sim->kills[i].count};
        rc = skedi_sim_tell(sim, &killed, 1, NULL, err);
        sim->changed = sim_service(sim);
        skedi_lane_note(sim, sim->kills[i].node);
    }
    sim->n_kills = 0;
    return rc;
}

sked_status skedi_round_now(sked_sim *sim, sked_error *err)
{
    sked_event event = {.kind = SKED_EVENT_ROUND};
    int is_due = sim->now == skedi_round_next(sim);

    skedi_round_pass(sim); /* none follows the node events of this instant */
    if (!is_due) return SKED_OK;
    sim->result.rounds++;
    sked_status rc = skedi_sim_tell(sim, &event, 1, NULL, err);
    if (rc == SKED_OK) rc = skedi_round_end_killed(sim, err);
    skedi_reserved_note(sim);
    return rc;
}
