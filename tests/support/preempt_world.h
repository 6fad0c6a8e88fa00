#ifndef TEST_PREEMPT_WORLD_H
#define TEST_PREEMPT_WORLD_H

/* Random rounds of preemption, small enough to try every set of victims. */

#include <sched/preempt.h>

#include "words.h"

enum {
    WORLD_ROWS = 9,
    WORLD_QUEUES = 4,
    WORLD_KINDS = 3,
    WORLD_NODES = 4,
    WORLD_JOBS = 4,
    WORLD_USERS = 5,
    WORLD_REQUESTS = 4,
    WORLD_VICTIMS = 256
};

/* The problem, and the room its columns stand in. */
typedef struct preempt_world {
    sked_preempt_input in;
    sked_rank_input rank;
    int64_t usage[WORLD_QUEUES * WORLD_KINDS];
    int64_t share[WORLD_QUEUES * WORLD_KINDS];
    int64_t keep[WORLD_QUEUES * WORLD_KINDS];
    int64_t take[WORLD_QUEUES * WORLD_KINDS];
    int64_t queue_budget[WORLD_QUEUES * WORLD_KINDS];
    int64_t need[WORLD_KINDS];
    int64_t budget[WORLD_KINDS];
    int64_t partition_budget[WORLD_KINDS];
    int64_t user_usage[WORLD_USERS * WORLD_KINDS];
    int64_t user_share[WORLD_USERS * WORLD_KINDS];
    int64_t user_budget[WORLD_USERS * WORLD_KINDS];
    int64_t job_budget[WORLD_JOBS];
    uint32_t queue[WORLD_ROWS];
    int64_t amount[WORLD_ROWS * WORLD_KINDS];
    uint32_t count[WORLD_ROWS];
    int64_t cost[WORLD_ROWS];
    int64_t turn[WORLD_ROWS];
    uint32_t node[WORLD_ROWS];
    uint32_t job[WORLD_ROWS];
    uint32_t user[WORLD_ROWS];
    int32_t priority[WORLD_ROWS];
    uint32_t gang[WORLD_ROWS];
    uint8_t state[WORLD_ROWS];
    uint32_t request_queue[WORLD_REQUESTS];
    int64_t request_amount[WORLD_REQUESTS * WORLD_KINDS];
    uint32_t request_count[WORLD_REQUESTS];
    uint32_t request_user[WORLD_REQUESTS];
    int32_t request_priority[WORLD_REQUESTS];
    uint32_t request_per_node[WORLD_REQUESTS];
    uint32_t place_offset[WORLD_REQUESTS + 1];
    uint32_t place[WORLD_REQUESTS * WORLD_NODES];
    int64_t free[WORLD_NODES * WORLD_KINDS];
    sked_preempt_victim victims[WORLD_VICTIMS];
    sked_preempt_placement placements[WORLD_VICTIMS];
    int64_t after[WORLD_QUEUES * WORLD_KINDS];
    int64_t covered[WORLD_KINDS];
    sked_preempt_result plan;
} preempt_world;

/* A round by need (`requests` 0), or with 1 to `requests` requests. */
void preempt_world_draw(preempt_world *world, test_words *words,
                        uint32_t requests);

/* Some requests are gangs over nodes, or (`all`) each of them is. */
void preempt_world_gangs(preempt_world *world, test_words *words, int all);

/* Rows in the order in which they are to go. */
void preempt_world_order(const preempt_world *world, uint32_t *order);

#endif
