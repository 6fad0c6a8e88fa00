#ifndef TEST_ENGINE_EXCLUSIVE_H
#define TEST_ENGINE_EXCLUSIVE_H

/* Tasks that have nodes to themselves, for tests of an engine. */
#include "engine_gangs.h"

/* An ask of a job for tasks of 1 cpu and 1 of memory with nodes to themselves. */
static inline sked_status ask_alone(engine_fixture *f, uint64_t key,
                                    uint64_t job, int64_t count, uint32_t flags)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = job,
                                   .count = count,
                                   .amount = 1,
                                   .flags = SKED_ASK_EXCLUSIVE | flags},
                      1, 1);
}

static inline sked_status gang_alone(engine_fixture *f, uint64_t key,
                                     int64_t count, uint32_t at_once)
{
    return add_gang_of(f, key, 1, count,
                       (sked_event_gang){.per_node = 1, .at_once = at_once},
                       SKED_ASK_EXCLUSIVE);
}

/* A gang of job 1, up to `per_node` of whose tasks share a node that nothing
 * else does. */
static inline sked_status bunches_alone(engine_fixture *f, uint64_t key,
                                        int64_t count, uint32_t per_node)
{
    return add_gang_of(f, key, 1, count,
                       (sked_event_gang){.per_node = per_node},
                       SKED_ASK_EXCLUSIVE);
}

static inline int64_t cpu_free(const engine_fixture *f, uint64_t node)
{
    int64_t free[2];

    assert_ok(sked_engine_node_free(f->engine, node, free));
    return free[0];
}

static inline int64_t cpu_used(const engine_fixture *f, sked_queue_id queue)
{
    int64_t used[2];

    assert_ok(sked_engine_usage(f->engine, queue, 0, used, NULL));
    return used[0];
}

#endif
