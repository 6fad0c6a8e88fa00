#include "batch_world.h"

#include <math.h>

static uint64_t bits(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
    return (double)(bits(state) >> 11) * (1.0 / 9007199254740992.0);
}

static double normal_double(uint64_t *state)
{
    double u = uniform(state) + 1e-18, v = uniform(state);

    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

void batch_world_make(batch_world *w, uint32_t slots, double noise,
                      uint64_t seed)
{
    double size[BATCH_WORLD_TASKS], sum = 0;

    for (int j = 0; j < BATCH_WORLD_TASKS; j++) {
        size[j] = exp(1.7 * normal_double(&seed));
        sum += size[j];
    }
    for (int j = 0; j < BATCH_WORLD_TASKS; j++) {
        double gib = size[j] * 584 / sum;
        double off = exp(noise * normal_double(&seed) - noise * noise / 2);
        w->bytes[j] = (uint64_t)(gib * 1073741824.0);
        w->blocks[j] = (uint64_t)ceil(gib * 8);
        w->actual_ppm[j] = (int64_t)(off * 1e6 + 0.5);
    }
    w->input = (sked_batch_input){.struct_size = sizeof w->input,
                                  .tasks = BATCH_WORLD_TASKS,
                                  .slots = slots,
                                  .nodes = BATCH_WORLD_NODES,
                                  .start = 1000000,
                                  .block = slots == 72 ? 5400000 : 18000000,
                                  .slot = 20000,
                                  .bytes = w->bytes,
                                  .blocks = w->blocks,
                                  .actual_ppm = w->actual_ppm};
}
