#include "ref_running.h"

static int64_t running_at(const sked_plan_running_input *in, uint32_t queue,
                          sked_time t)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        uint32_t of = in->queue ? in->queue[i] : 0;
        n += of == queue && in->start[i] <= t && t < in->end[i];
    }
    return n;
}

/* Instants at which some run, and no more than `most`. */
static int64_t instants(const sked_plan_running_input *in, uint32_t queue,
                        int64_t most)
{
    int64_t n = 0;

    for (sked_time t = in->from; t < in->to; t++) {
        int64_t running = running_at(in, queue, t);
        n += running > 0 && running <= most;
    }
    return n;
}

int64_t ref_running(const sked_plan_running_input *in, uint32_t queue)
{
    int64_t part = in->part_ppm ? in->part_ppm : SKED_PPM;
    int64_t head_room = in->head_room_ppm ? in->head_room_ppm : 1250000;
    int64_t all = instants(in, queue, INT64_MAX), n = 0;

    while (instants(in, queue, n) * SKED_PPM < part * all) n++;
    n = (n * head_room + SKED_PPM - 1) / SKED_PPM;
    return n < 1 ? 1 : n;
}
