#ifndef TEST_BATCH_WORLD_H
#define TEST_BATCH_WORLD_H

/*
 * Batches like the one of the document: 71 tasks of 584 GiB in all, sizes
 * log-normal, on 6 nodes; ticks are microseconds. Numbers come from SplitMix64
 * and Box and Muller's method, so a seed names one batch.
 */

#include <sched/batch_run.h>

enum { BATCH_WORLD_TASKS = 71, BATCH_WORLD_NODES = 6 };

typedef struct batch_world {
    uint64_t bytes[BATCH_WORLD_TASKS];
    uint64_t blocks[BATCH_WORLD_TASKS];
    int64_t actual_ppm[BATCH_WORLD_TASKS];
    sked_batch_input input;
} batch_world;

/* `noise` is the standard deviation of log times. Waves take 18 s at 240 slots
 * and 5.4 s at 72, so that the work is the same. */
void batch_world_make(batch_world *world, uint32_t slots, double noise,
                      uint64_t seed);

#endif
