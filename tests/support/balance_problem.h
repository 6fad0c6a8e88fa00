#ifndef TEST_BALANCE_PROBLEM_H
#define TEST_BALANCE_PROBLEM_H

/* Two clusters and what runs in them by day and by night. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { KINDS = 2, BUCKETS = 2 };

static const int64_t whole = SKED_BALANCE_WHOLE;

/* Two clusters of 100 cpu and 100 memory; day and night. */
typedef struct problem {
    sked_balance_input in;
    int64_t capacity[3 * KINDS];
    int64_t instance[3 * KINDS];
    uint32_t zone[3];
    int64_t usage[4 * BUCKETS * KINDS];
    uint32_t tier[4];
    uint32_t home[4];
    uint8_t allowed[4 * 3];
    int64_t cost[4 * 3];
    uint32_t cluster[4];
    int64_t utilisation[3];
    sked_balance_result result;
    sked_balance_move moves[4];
} problem;

static inline void make(problem *p, uint32_t clusters)
{
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < 3 * KINDS; i++) {
        p->capacity[i] = 100;
        p->instance[i] = 10;
    }
    memset(p->allowed, 1, sizeof p->allowed);
    p->in = (sked_balance_input){.struct_size = sizeof p->in,
                                 .kinds = KINDS,
                                 .buckets = BUCKETS,
                                 .clusters = clusters,
                                 .capacity = p->capacity,
                                 .instance = p->instance,
                                 .usage = p->usage,
                                 .home = p->home};
    p->result = (sked_balance_result){.struct_size = sizeof p->result,
                                      .cluster = p->cluster,
                                      .utilisation = p->utilisation};
}

/* A workflow with its cpu and memory by day and by night. */
static inline void add(problem *p, uint32_t home, int64_t day_cpu,
                       int64_t day_memory, int64_t night_cpu,
                       int64_t night_memory)
{
    uint32_t w = (uint32_t)p->in.workflows++;
    int64_t *usage = p->usage + (size_t)w * BUCKETS * KINDS;

    p->home[w] = home;
    p->tier[w] = 1;
    usage[0] = day_cpu;
    usage[1] = day_memory;
    usage[2] = night_cpu;
    usage[3] = night_memory;
}

static inline void balance(problem *p)
{
    assert_ok(sked_balance(&p->in, NULL, &p->result, p->moves, 4, NULL));
    assert_i64(p->result.complete, 1);
}

#endif
