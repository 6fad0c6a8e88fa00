#ifndef TEST_ENGINE_BOUND_H
#define TEST_ENGINE_BOUND_H

/* Why a job waits, for tests of an engine. */
#include "engine_fixture.h"

/* The bound that is in the way of job 1. */
static inline sked_engine_bound why(const engine_fixture *f)
{
    sked_engine_bound all[32] = {{0}};
    size_t n;

    assert_ok(sked_engine_explain_job(f->engine, 1, all, 32, &n));
    for (size_t i = 0; i < n; i++) {
        if (all[i].binds) return all[i];
    }
    fail_msg("nothing binds");
    return all[0];
}

static inline void assert_bound(const engine_fixture *f, int32_t reason,
                                int64_t need, int64_t bound)
{
    const sked_engine_bound got = why(f);

    assert_int_equal(got.reason, reason);
    assert_i64(got.need, need);
    assert_i64(got.bound, bound);
}

#endif
