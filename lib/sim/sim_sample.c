/* What queues used and what their shares were, at even distances in time. */
#include "sim/sim_run.h"

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
    sim->opts.sample_every *= 2;
}

static sked_status add_sample(sked_sim *sim, size_t row)
{
    size_t at = sim->n_samples * row;
    void *room = sim->samples;

    if (!skedi_ensure(&sim->hooks.mem, &room, &sim->samples_cap, at + row,
                      sizeof *sim->samples)) {
        return SKED_ERR_NOMEM;
    }
    sim->samples = room;
    sim->n_samples++;
    for (size_t i = 0; i < row / 2; i++) {
        size_t r = i / sim->kinds, k = i % sim->kinds;
        sim->samples[at + i * 2] = sim->usage[i];
        sim->samples[at + i * 2 + 1] = sim->fair[k * sim->n_rows + r];
    }
    return SKED_OK;
}

/* Notes usage and share of every queue at each sampled instant before `to`. */
sked_status skedi_measure_sample(sked_sim *sim, sked_time to)
{
    size_t row = (size_t)sim->n_rows * sim->kinds * 2;
    sked_status rc = SKED_OK;

    if (sim->opts.sample_every == 0) return SKED_OK;
    while (rc == SKED_OK &&
           (int64_t)sim->n_samples * sim->opts.sample_every < to - sim->base) {
        if (sim->opts.max_samples && sim->n_samples >= sim->opts.max_samples) {
            thin_samples(sim, row);
        } else {
            rc = add_sample(sim, row);
        }
    }
    return rc;
}
