#include "test.h"

#include <sched/sked.h>

static void every_code_has_its_name(void **state)
{
    (void)state;
    assert_string_equal(sked_status_name(SKED_OK), "SKED_OK");
    assert_string_equal(sked_status_name(SKED_ERR_STALE), "SKED_ERR_STALE");
    assert_string_equal(sked_status_name(-1234), "SKED_ERR_UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
