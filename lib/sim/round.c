/*
 * Rounds of preemption in virtual time, at even distances from the first
 * submission on. Simulated jobs do nothing about a notice; a task with a kill
 * order ends at once.
 */
#include "engine/api/probe.h"
#include "sim/lane.h"
#include "sim/run.h"

enum { SIM_ROUND_SECONDS = 3 };

static int64_t round_period(const sked_sim *sim)
{
    return sim->opts.round_every_ns ? sim->opts.round_every_ns
                                    : SIM_ROUND_SECONDS * INT64_C(1000000000);
}

/* Do tasks run and does an ask wait? Without both a round decides nothing. */
sked_time skedi_round_next(const sked_sim *sim)
{
    const sked_engine *e = sim->engine;

    if (!skedi_probe_preempts(e) || !sim->n_ends) return INT64_MAX;
    if (skedi_probe_stats(e)->asks == 0 && !skedi_probe_round_is_out(e)) {
        return INT64_MAX;
    }
    int64_t period = round_period(sim);
    int64_t passed = skedi_i64_max(sim->now, sim->round_at + 1) - sim->base;
    int64_t rounds = passed / period + (passed % period > 0);
    return sim->base + rounds * period;
}

int skedi_round_skips(sked_sim *sim, sked_time at)
{
    if (at != skedi_round_next(sim) || skedi_probe_round_is_due(sim->engine)) {
        return 0;
    }
    sim->round_at = at;
    return 1;
}

sked_status skedi_round_end_killed(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (size_t i = 0; i < sim->n_kills && rc == SKED_OK; i++) {
        sked_event killed = {.kind = SKED_EVENT_TASK_KILLED,
                             .key = sim->kills[i].group,
                             .count = sim->kills[i].count};
        rc = skedi_sim_tell(sim, &killed, 1, NULL, err);
        skedi_lane_note(sim, sim->kills[i].node);
    }
    sim->n_kills = 0;
    return rc;
}

sked_status skedi_round_now(sked_sim *sim, sked_error *err)
{
    sked_event event = {.kind = SKED_EVENT_ROUND};

    if (sim->now != skedi_round_next(sim)) return SKED_OK;
    sim->round_at = sim->now;
    sim->result.rounds++;
    skedi_reservations_note(sim); /* some may be given up */
    sked_status rc = skedi_sim_tell(sim, &event, 1, NULL, err);
    if (rc == SKED_OK) rc = skedi_round_end_killed(sim, err);
    skedi_reservations_note(sim);
    return rc;
}
