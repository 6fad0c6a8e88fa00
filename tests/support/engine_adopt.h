#ifndef TEST_ENGINE_ADOPT_H
#define TEST_ENGINE_ADOPT_H

/* Tasks that run already, told to an engine. */
#include "engine_fixture.h"

/* One event with what stands beside it. */
static inline sked_status say_of(engine_fixture *f, sked_event event,
                                 sked_time moment, int64_t task)
{
    const int64_t amounts[] = {1, 1};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1,
                         .moments = &moment,
                         .tasks = &task};

    event.time = f->now;
    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static inline sked_status running(engine_fixture *f, uint64_t node,
                                  uint64_t ask, int64_t count)
{
    return say_of(f,
                  (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                               .key = node,
                               .owner = ask,
                               .count = count},
                  SKED_UNSET, SKED_UNSET);
}

static inline sked_status running_from(engine_fixture *f, uint64_t node,
                                       uint64_t ask, int64_t count,
                                       int64_t task)
{
    return say_of(f,
                  (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                               .key = node,
                               .owner = ask,
                               .count = count},
                  SKED_UNSET, task);
}

static inline void is_adopted(engine_fixture *f, int64_t task, int64_t count)
{
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_ALLOCATE);
    assert_int_equal(f->last[0].reason, SKED_REASON_ADOPTED);
    assert_i64(f->last[0].task, task);
    assert_i64(f->last[0].count, count);
    assert_i64(f->last[0].detail, 0); /* nothing to confirm */
    assert_ok(sked_engine_check(f->engine, NULL));
}

#endif
