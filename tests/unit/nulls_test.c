/* A read without a code has nothing to say of no handle. */
#include <sched/sked.h>

#include "test.h"

static void no_placement_answers_nothing(void **state)
{
    (void)state;

    assert_null(sked_locality_choice(NULL));
    assert_null(sked_locality_host_blocks(NULL));
    assert_null(sked_locality_levels(NULL));
    assert_true(sked_locality_unplaced(NULL) == 0);
    assert_i64(sked_locality_floor(NULL), 0);
    assert_i64(sked_locality_least_load(NULL), 0);
    assert_true(sked_locality_transfers(NULL, 1) == 0);
    assert_i64(sked_locality_load(NULL, 1), 0);
    assert_true(sked_locality_live_host(NULL, 0) == SKED_LOCALITY_NO_HOST);
    assert_null(sked_locality_live_loads(NULL));
    assert_true(sked_locality_live_least_load(NULL) == 0);
    assert_true(sked_locality_live_transfers(NULL, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_placement_answers_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
