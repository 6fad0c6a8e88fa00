/*
 * Which queues are below their guarantee: those that, in some partition, have
 * tasks open and use less than is guaranteed to them of each kind that these
 * tasks want. A queue whose tasks wait for cores, of which it has its
 * guarantee, is not below it because of memory that it has no use for.
 */
#include "engine/probe.h"
#include "sim/run.h"

int skedi_below_reserve(sked_sim *sim)
{
    size_t cells = (size_t)sim->n_rows * sim->n_lanes;
    const skedi_image *image = skedi_tree_image(sim->tree);

    sim->open = skedi_new(&sim->hooks.mem, cells * sim->kinds,
                          sizeof *sim->open);
    sim->promises = skedi_new(&sim->hooks.mem, sim->n_rows, 1);
    if (!sim->open || !sim->promises) return 0;
    for (uint32_t row = 0; row < sim->n_rows; row++) {
        const int64_t *parts = image->number[SKEDI_AT_GUARANTEE_PPM];
        sim->promises[row] = parts && parts[row] != SKED_UNSET;
        for (uint32_t k = 0; k < sim->kinds; k++) {
            const int64_t *own = skedi_image_amounts(image, SKEDI_AT_GUARANTEE,
                                                     k);
            sim->promises[row] |= own && own[row] > 0;
        }
    }
    return 1;
}

void skedi_below_free(sked_sim *sim)
{
    size_t cells = (size_t)sim->n_rows * sim->n_lanes;

    skedi_free(&sim->hooks.mem, sim->open, cells * sim->kinds,
               sizeof *sim->open);
    skedi_free(&sim->hooks.mem, sim->promises, sim->n_rows, 1);
}

static void move_lane(sked_sim *sim, uint32_t job, uint32_t lane, int64_t tasks)
{
    const sim_job *j = &sim->jobs[job];
    const int64_t *task = sim->amounts + (size_t)j->given * sim->kinds;

    for (uint32_t row = j->row;; row = (uint32_t)sim->parent[row]) {
        size_t cell = (size_t)row * sim->n_lanes + lane;
        int64_t *open = sim->open + cell * sim->kinds;
        for (uint32_t k = 0; sim->promises[row] && k < sim->kinds; k++) {
            (void)skedi_i64_add(open[k], task[k] * tasks, &open[k]);
        }
        if (row == 0) return;
    }
}

void skedi_below_move(sked_sim *sim, uint32_t job, int64_t tasks)
{
    uint32_t partition = sim->jobs[job].partition;

    for (uint32_t lane = 0; tasks && lane < sim->n_lanes; lane++) {
        if (partition == lane || partition == SKED_ANY_PARTITION) {
            move_lane(sim, job, lane, tasks);
        }
    }
}

static int is_below_in(const sked_sim *sim, uint32_t row, uint32_t lane)
{
    size_t cell = (size_t)row * sim->n_lanes + lane;
    const int64_t *open = sim->open + cell * sim->kinds, *used, *promised;
    int below = 0;

    if (!skedi_probe_usage(sim->engine, row, lane, &used, &promised)) return 0;
    for (uint32_t k = 0; k < sim->kinds; k++) {
        if (open[k] <= 0 || promised[k] == 0) continue;
        if (used[k] >= promised[k]) return 0;
        below = 1;
    }
    return below;
}

int skedi_is_below(const sked_sim *sim, uint32_t row)
{
    if (!sim->promises[row]) return 0;
    for (uint32_t lane = 0; lane < sim->n_lanes; lane++) {
        if (is_below_in(sim, row, lane)) return 1;
    }
    return 0;
}
