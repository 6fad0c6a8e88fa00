/* What a round kills, noted until it ends. */
#include "engine/probe.h"
#include "sim/run.h"

sked_status skedi_round_kill(sked_sim *sim, const sked_decision *d,
                             int64_t *ran)
{
    void *grown = sim->kills;

    if (!skedi_ensure(&sim->hooks.mem, &grown, &sim->kills_cap,
                      sim->n_kills + 1, sizeof *sim->kills)) {
        return SKED_ERR_NOMEM;
    }
    sim->kills = grown;
    sim->kills[sim->n_kills++] = (sim_kill){d->group, (uint32_t)d->count,
                                            (uint32_t)d->node - 1};
    sim->result.killed += (uint64_t)d->count;
    *ran = d->time - skedi_probe_since(sim->engine, d->group);
    return SKED_OK;
}
