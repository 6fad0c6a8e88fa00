/* Gangs over nodes, for tests of an engine. */
#ifndef ENGINE_GANGS_H
#define ENGINE_GANGS_H

#include "engine_rules.h"

/* An ask for tasks of 1 cpu, with how it starts as a gang. */
static inline sked_status add_gang_event(engine_fixture *f, sked_event event,
                                         sked_event_gang gang)
{
    const int64_t amounts[] = {1, 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .gangs = &gang};

    event.time = f->now;
    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

/* A gang of a job, of so many tasks of 1 cpu, which starts so, with these flags
 * besides. */
static inline sked_status add_gang_of(engine_fixture *f, uint64_t key,
                                      uint64_t job, int64_t count,
                                      sked_event_gang gang, uint32_t flags)
{
    return add_gang_event(
        f,
        (sked_event){.kind = SKED_EVENT_ASK_ADD,
                     .key = key,
                     .owner = job,
                     .count = count,
                     .amount = 1,
                     .flags = SKED_ASK_GANG | SKED_ASK_SPREAD | flags},
        gang);
}

/* The same of job 1, with no more flags. */
static inline sked_status add_gang_so(engine_fixture *f, uint64_t key,
                                      int64_t count, sked_event_gang gang)
{
    return add_gang_of(f, key, 1, count, gang, 0);
}

/* The same, at most so many on a node. */
static inline sked_status add_gang(engine_fixture *f, uint64_t key,
                                   int64_t count, uint32_t per_node)
{
    return add_gang_so(f, key, count, (sked_event_gang){.per_node = per_node});
}

/* Nodes 1 to n of 4 cpu, and job 1. */
static inline void nodes_of_four(engine_fixture *f,
                                 const sked_engine_options *opts, uint64_t n)
{
    (void)engine_alone(f, opts, 4, 100, 1);
    for (uint64_t i = 2; i <= n; i++) engine_add_node(f, i, 0, 4, 100);
    (void)engine_taken(f);
}

typedef struct gang_part {
    uint64_t node;
    int64_t task;
    int64_t count;
} gang_part;

/* A heartbeat starts these parts of a gang, and nothing else. */
static inline void starts_parts(engine_fixture *f, uint64_t node, uint64_t ask,
                                const gang_part *parts, size_t n)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    assert_int_equal(engine_taken(f), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(f->last[i].kind, SKED_DECISION_ALLOCATE);
        assert_int_equal(f->last[i].reason, SKED_REASON_GANG);
        assert_i64((int64_t)f->last[i].ask, (int64_t)ask);
        assert_i64((int64_t)f->last[i].node, (int64_t)parts[i].node);
        assert_i64(f->last[i].task, parts[i].task);
        assert_i64(f->last[i].count, parts[i].count);
    }
    assert_ok(sked_engine_check(f->engine, NULL));
}

static inline void starts_no_part(engine_fixture *f, uint64_t node)
{
    starts_parts(f, node, 0, NULL, 0);
}

#endif
