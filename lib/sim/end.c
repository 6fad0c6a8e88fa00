/* A heap of what is to end, by time, then by order of starting. */
#include "sim/run.h"

static int ends_before(const sim_end *a, const sim_end *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

int skedi_ends_reserve(sked_sim *sim)
{
    void *grown = sim->ends;

    if (!skedi_ensure(&sim->hooks.mem, &grown, &sim->ends_cap, sim->n_ends + 2,
                      sizeof *sim->ends)) {
        return 0;
    }
    sim->ends = grown;
    return 1;
}

void skedi_ends_push(sked_sim *sim, sim_end end)
{
    size_t at = sim->n_ends++;

    while (at > 0 && ends_before(&end, &sim->ends[(at - 1) / 4])) {
        sim->ends[at] = sim->ends[(at - 1) / 4];
        at = (at - 1) / 4;
    }
    sim->ends[at] = end;
}

sim_end skedi_ends_pop(sked_sim *sim)
{
    sim_end first = sim->ends[0], last = sim->ends[--sim->n_ends];
    size_t at = 0, n = sim->n_ends;

    for (;;) {
        size_t least = at;
        const sim_end *best = &last;
        for (size_t kid = 4 * at + 1; kid <= 4 * at + 4 && kid < n; kid++) {
            if (!ends_before(&sim->ends[kid], best)) continue;
            least = kid;
            best = &sim->ends[kid];
        }
        if (least == at) break;
        sim->ends[at] = sim->ends[least];
        at = least;
    }
    if (n) sim->ends[at] = last;
    return first;
}
