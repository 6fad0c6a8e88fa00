/* Admission against its twin over random pools. */
#include "test.h"

#include <sched/admit.h>

#include <string.h>

#include "ref_admit.h"
#include "size.h"
#include "words.h"

typedef struct world {
    sked_admit_input pool;
    int64_t bound[4][REF_ADMIT_KINDS];
    int64_t held[SKED_ADMIT_HELD_SUMS * REF_ADMIT_KINDS];
    int64_t need[REF_ADMIT_GANGS * REF_ADMIT_KINDS];
    uint32_t tasks[REF_ADMIT_GANGS];
    int32_t priority[REF_ADMIT_GANGS];
    uint8_t kind[REF_ADMIT_GANGS], line[REF_ADMIT_GANGS];
    uint8_t state[REF_ADMIT_GANGS];
} world;

static void draw_pool(world *d, test_words *w)
{
    static const int32_t levels[] = {INT32_MIN, -1, 0, 1, INT32_MAX};
    uint32_t kinds = 1 + (uint32_t)test_below(w, REF_ADMIT_KINDS);
    uint32_t n = (uint32_t)test_below(w, REF_ADMIT_GANGS + 1);
    uint32_t flags = (uint32_t)test_below(w, 2);
    uint32_t most = (uint32_t)test_below(w, 4 * n + 4);
    int bounded = (int)test_below(w, 2);

    d->pool = (sked_admit_input){
        .struct_size = sizeof d->pool,
        .flags = flags,
        .kinds = kinds,
        .n = n,
        .most = most > 2 * n + 1 ? 0 : most,
        .entitlement = d->bound[0],
        .slack = d->bound[1],
        .reservation = d->bound[2],
        .controllers = bounded ? d->bound[3] : NULL,
        .held = d->held,
        .need = d->need,
        .tasks = d->tasks,
        .priority = d->priority,
        .kind = d->kind,
        .line = d->line,
        .state = d->state,
    };
    for (int b = 0; b < 4; b++) {
        for (uint32_t k = 0; k < kinds; k++) {
            d->bound[b][k] = (int64_t)test_below(w, 120);
        }
    }
    for (uint32_t i = 0; i < SKED_ADMIT_HELD_SUMS * kinds; i++) {
        d->held[i] = (int64_t)test_below(w, 30);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < kinds; k++) {
            d->need[i * kinds + k] = (int64_t)test_below(w, 12);
        }
        d->tasks[i] = 1 + (uint32_t)test_below(w, 2);
        d->priority[i] = levels[test_below(w, 5)];
        d->kind[i] = (uint8_t)test_below(w, 8);
        d->line[i] = test_below(w, 2) ? 0 : (uint8_t)test_below(w, 4);
        d->state[i] = test_below(w, 5) ? 0 : (uint8_t)test_below(w, 3);
    }
}

static void assert_same(const world *d)
{
    static ref_admit twin, own;
    sked_admit_result result = {.struct_size = sizeof result,
                                .outcome = own.outcome,
                                .line = own.line,
                                .order = own.order,
                                .held = own.held};

    ref_admit_once(&d->pool, &twin);
    assert_ok(sked_admit(&d->pool, NULL, &result, NULL));
    assert_int_equal(result.admitted, twin.admitted);
    assert_int_equal(result.waiting, twin.waiting);
    for (uint32_t i = 0; i < d->pool.n; i++) {
        if (own.outcome[i] != twin.outcome[i]) {
            fail_msg("gang %u: %u, not %u", i, own.outcome[i], twin.outcome[i]);
        }
        if (twin.outcome[i] != SKED_ADMIT_OUTCOME_IN) {
            assert_int_equal(own.line[i], twin.line[i]);
        }
    }
    for (uint32_t i = 0; i < result.admitted + result.waiting; i++) {
        assert_int_equal(own.order[i], twin.order[i]);
    }
    for (uint32_t i = 0; i < SKED_ADMIT_HELD_SUMS * d->pool.kinds; i++) {
        assert_i64(own.held[i], twin.held[i]);
    }
}

static void pools_let_in_as_the_words_say(void **state)
{
    static world d;
    test_words w = {7};
    (void)state;

    for (size_t i = 0; i < test_size(20000, 1000000); i++) {
        draw_pool(&d, &w);
        assert_same(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_let_in_as_the_words_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
