#ifndef TEST_ENGINE_SCENE_H
#define TEST_ENGINE_SCENE_H

/* An engine that preempts between two queues, and rounds of it. */
#include "engine_fixture.h"

enum { SECOND = 1000000000 };

typedef struct scene {
    sked_queue_id a, b; /* half of everything each */
    sked_target_options targets;
    sked_round_options rounds;
    sked_engine_preempt_options preempt;
} scene;

static inline scene scene_begin(engine_fixture *f)
{
    scene s = {
        .targets = {.struct_size = sizeof s.targets,
                    .ignored_ppm = -1,
                    .factor_ppm = 1000000,
                    .per_round_ppm = -1},
        .rounds = {.struct_size = sizeof s.rounds,
                   .grace_ns = 15 * (int64_t)SECOND},
        .preempt = {.struct_size = sizeof s.preempt},
    };

    s.a = engine_queue(f, f->root, "a");
    s.b = engine_queue(f, f->root, "b");
    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_begin(f, NULL);
    return s;
}

static inline void scene_preempt(engine_fixture *f, scene *s)
{
    s->preempt.targets = &s->targets;
    s->preempt.rounds = &s->rounds;
    assert_ok(sked_engine_preempt(f->engine, &s->preempt, &f->err));
}

/* A node of 10 cpu full of ten tasks of job 1 (ask 1) in `a`; job 2 (ask 2) of
 * `b` wants `more`. */
static inline void scene_fill(engine_fixture *f, const scene *s, int64_t more)
{
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s->a, 1);
    engine_add_job(f, 2, s->b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 10, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->now = SECOND;
    if (more) assert_ok(engine_add_ask(f, 2, 2, more, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
}

static inline size_t scene_hold(engine_fixture *f, int64_t seconds)
{
    f->now = seconds * (int64_t)SECOND;
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    assert_ok(sked_engine_check(f->engine, NULL));
    return engine_taken(f);
}

static inline const sked_decision *scene_said(const engine_fixture *f,
                                              int32_t kind)
{
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind == kind) return &f->last[i];
    }
    fail_msg("nothing of kind %d was said", kind);
    return NULL;
}

static inline uint64_t scene_count(const engine_fixture *f, int32_t kind)
{
    uint64_t n = 0;

    for (size_t i = 0; i < 64; i++) {
        n += f->last[i].kind == kind ? (uint64_t)f->last[i].count : 0;
    }
    return n;
}

/* A job of a leaf with an ask of its own key, of tasks of 1. */
static inline void scene_work(engine_fixture *f, uint64_t key,
                              sked_queue_id leaf, uint32_t flags,
                              int32_t priority, int64_t count)
{
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                      .key = key,
                                      .queue = leaf,
                                      .owner = key,
                                      .flags = flags,
                                      .priority = priority},
                         0, 0));
    if (count) assert_ok(engine_add_ask(f, key, key, count, 1, 1));
}

/* Of what was just decided: tasks of a job that were told. */
static inline int64_t scene_told(const engine_fixture *f, uint64_t job)
{
    int64_t n = 0;

    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind != SKED_DECISION_NOTIFY) continue;
        if (f->last[i].job == job) n += f->last[i].count;
    }
    return n;
}

#endif
