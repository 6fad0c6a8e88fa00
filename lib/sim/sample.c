/* What queues used, what their shares were and what they waited for, at even
 * distances in time. */
#include "sim/run.h"

#include <string.h>

/* Every second sample stays, and they are taken half as often. */
static void thin_samples(sked_sim *sim, size_t row)
{
    size_t kept = (sim->n_samples + 1) / 2;

    for (size_t i = 1; i < kept; i++) {
        memcpy(sim->samples + i * row, sim->samples + 2 * i * row,
               row * sizeof *sim->samples);
    }
    sim->n_samples = kept;
    sim->opts.sample_every_ns *= 2;
}

/* What queues use and wait for, by row; unknown without shares. */
static const int64_t *demand_of(const sked_sim *sim, uint32_t kind)
{
    if (sim->opts.flags & SKED_SIM_FLAG_NO_SHARES) return NULL;
    return sked_ledger_view(sim->ledger, SKED_LEDGER_DEMAND, kind, NULL);
}

static sked_status add_sample(sked_sim *sim, size_t row)
{
    size_t at = sim->n_samples * row;
    void *grown = sim->samples;

    if (!skedi_ensure(&sim->hooks.mem, &grown, &sim->samples_cap, at + row,
                      sizeof *sim->samples)) {
        return SKED_ERR_NOMEM;
    }
    sim->samples = grown;
    sim->n_samples++;
    for (uint32_t k = 0; k < sim->kinds; k++) {
        const int64_t *demand = demand_of(sim, k);
        for (size_t r = 0; r < sim->n_rows; r++) {
            size_t i = r * sim->kinds + k;
            int64_t *to = sim->samples + at + i * SIM_SAMPLED;
            to[0] = sim->usage[i];
            to[1] = sim->fair[k * sim->n_rows + r];
            to[2] = demand ? demand[r] - sim->usage[i] : 0;
        }
    }
    return SKED_OK;
}

/* Notes of every queue what is sampled at each such instant before `to`. */
sked_status skedi_measure_sample(sked_sim *sim, sked_time to)
{
    size_t row = skedi_sample_row(sim);
    sked_status rc = SKED_OK;

    if (sim->opts.sample_every_ns == 0) return SKED_OK;
    while (rc == SKED_OK &&
           (int64_t)sim->n_samples * sim->opts.sample_every_ns <
               to - sim->base) {
        if (sim->opts.max_samples && sim->n_samples >= sim->opts.max_samples) {
            thin_samples(sim, row);
        } else {
            rc = add_sample(sim, row);
        }
    }
    return rc;
}
