/* When something happens next that is no node event, if anything does. */
#include "sim/run.h"

sked_time skedi_sim_next(const sked_sim *sim)
{
    sked_time at = skedi_ends_next(sim);

    if (sim->next_job < sim->n_jobs) {
        at = skedi_i64_min(at, sim->jobs[sim->next_job].submit);
    }
    if (sim->next_change < sim->n_changes) {
        at = skedi_i64_min(at, sim->changes[sim->next_change].at);
    }
    at = skedi_i64_min(at, skedi_lapses_next(sim));
    at = skedi_i64_min(at, sim->wake_at);
    return skedi_i64_min(at, skedi_round_next(sim));
}
