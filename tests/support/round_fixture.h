#ifndef TEST_ROUND_FIXTURE_H
#define TEST_ROUND_FIXTURE_H

/* Rounds over columns written by hand. */
#include "test.h"

#include <sched/round.h>

#include "host.h"
#include "round/state.h"

enum { GRACE = 100, JOB = 7 };

static inline sked_round *rounds(uint32_t flags, int64_t grace)
{
    sked_round_options options = {
        .struct_size = sizeof options, .flags = flags, .grace_ns = grace};
    sked_round *round;

    assert_ok(sked_round_new(&options, NULL, &round, NULL));
    return round;
}

/* Wants `count` tasks of one key of job 7, each of 10 units. */
static inline sked_status want(sked_round *round, uint64_t key, uint32_t count,
                               sked_time now)
{
    const uint64_t job = JOB;
    const int64_t amount = 10;
    const sked_time since = 0;
    sked_round_input in = {.struct_size = sizeof in,
                           .n = count > 0,
                           .key = &key,
                           .count = &count,
                           .job = &job,
                           .amount = &amount,
                           .unsaved_since = &since};

    return sked_round_update(round, &in, now, NULL);
}

#endif
