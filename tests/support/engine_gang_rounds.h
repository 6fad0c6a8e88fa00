#ifndef TEST_ENGINE_GANG_ROUNDS_H
#define TEST_ENGINE_GANG_ROUNDS_H

/* Gangs over nodes of 4 cpu and rounds that kill at once. */
#include "engine_gangs.h"
#include "engine_scene.h"

enum { A = 1, B = 2, NODES_OF = 4 };

static inline sked_status gang_so(engine_fixture *f, uint64_t key, uint64_t job,
                                  int64_t count, sked_event_gang gang)
{
    return add_gang_of(f, key, job, count, gang, 0);
}

/* So many nodes of 4 cpu, half of which is queue a's (job 1) and half b's (job
 * 2); rounds look at so many gangs, and kill at once. */
static inline scene half_each(engine_fixture *f, uint64_t nodes, uint32_t gangs)
{
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    s.preempt.gangs = gangs;
    scene_preempt(f, &s);
    for (uint64_t n = 1; n <= nodes; n++) {
        engine_add_node(f, n, 0, NODES_OF, 100);
    }
    engine_add_job(f, A, s.a, 1);
    engine_add_job(f, B, s.b, 2);
    (void)engine_taken(f);
    return s;
}

static inline void pass(engine_fixture *f)
{
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Passes; how many tasks of an ask start. */
static inline int64_t starts_of(engine_fixture *f, uint64_t ask)
{
    int64_t n = 0;

    (void)engine_taken(f);
    pass(f);
    (void)engine_taken(f);
    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind == SKED_DECISION_ALLOCATE && d->ask == ask) n += d->count;
    }
    return n;
}

/* The groups that were told to end. */
typedef struct told {
    uint64_t group[16], node[16];
    int64_t count[16], sum;
    size_t n;
} told;

static inline told killed(const engine_fixture *f)
{
    told t = {.n = 0};

    for (size_t i = 0; i < 64; i++) {
        const sked_decision *d = &f->last[i];
        if (d->kind != SKED_DECISION_KILL) continue;
        t.group[t.n] = d->group;
        t.node[t.n] = d->node;
        t.count[t.n++] = d->count;
        t.sum += d->count;
    }
    return t;
}

static inline void end_one(engine_fixture *f, const told *t, size_t i)
{
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, t->group[i], t->count[i]));
}

static inline void full_of_a(engine_fixture *f, int64_t tasks)
{
    assert_ok(engine_add_ask(f, 1, A, tasks, 1, 1));
    assert_int_equal(starts_of(f, 1), tasks);
    f->now = SECOND;
}

static inline void say_zone(engine_fixture *f, uint64_t node, int64_t zone)
{
    const int32_t offsets[] = {0, 1};
    const sked_rule_attribute pair = {7, zone};
    const sked_event event = {.kind = SKED_EVENT_NODE_ATTRIBUTES,
                              .time = f->now,
                              .key = node,
                              .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .attribute_offsets = offsets,
                               .attributes = &pair,
                               .n_attributes = 1};

    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

#endif
