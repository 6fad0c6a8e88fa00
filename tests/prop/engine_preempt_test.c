/*
 * Rounds of preemption of the engine against its slow twin, event for event
 * (engine_pair.h): who is told, killed, let off, and who gets the room, in all
 * dialects, while nodes go, trees change, jobs end and the host says what it
 * likes.
 */
#include "test.h"

#include <stdlib.h>

#include "engine_pair.h"
#include "size.h"

/* Rounds of preemption. */
static void worlds_that_preempt_are_the_same(void **state)
{
    const char *one = getenv("SKED_TEST_SEED");
    uint64_t first = one ? strtoull(one, NULL, 10) : 1;
    uint64_t last = one ? first : test_size(200, 2000);
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = first; seed <= last; seed++) {
        pair_seen s = pair_run(20000 + seed, 3 + seed % 8,
                               1 + (uint32_t)(seed % 4), 500, world_contend);
        all.held += s.held;
        for (int k = 0; k <= SKED_DECIDE_LOST; k++) all.said[k] += s.said[k];
    }
    if (one) return;
    assert_true(all.said[SKED_DECIDE_RESERVE] > 300);
    assert_true(all.said[SKED_DECIDE_NOTIFY] > 300);
    assert_true(all.said[SKED_DECIDE_KILL] > 300);
    assert_true(all.said[SKED_DECIDE_WITHDRAW] > 200);
    assert_true(all.held > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_that_preempt_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
