#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/fail.h"

static void a_failure_carries_its_facts(void **state)
{
    sked_error err;
    (void)state;

    memset(&err, 0xff, sizeof err);
    assert_status(SKED_ERR_RANGE, skedi_fail(&err, SKED_ERR_RANGE, "too deep",
                                             (skedi_fault){.queue = 9,
                                                           .got = 65,
                                                           .limit = 64,
                                                           .row = 4,
                                                           .kind = 2,
                                                           .line = 7,
                                                           .column = 8}));
    assert_status(SKED_ERR_RANGE, err.code);
    assert_true(err.queue == 9 && err.got == 65 && err.limit == 64);
    assert_true(err.row == 3 && err.kind == 1);
    assert_true(err.line == 7 && err.column == 8);
    assert_string_equal(err.message, "too deep");
}

static void what_is_not_known_says_so(void **state)
{
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_ARG, skedi_fail_plain(&err, SKED_ERR_ARG, "no"));
    assert_true(err.row == -1 && err.kind == -1 && err.line == 0);
    assert_true(err.queue == SKED_NO_QUEUE);
    assert_status(SKED_ERR_ARG, skedi_fail_plain(NULL, SKED_ERR_ARG, "no"));
}

static void a_long_message_is_cut(void **state)
{
    sked_error err;
    char longest[400];
    (void)state;

    memset(longest, 'x', sizeof longest);
    longest[399] = 0;
    (void)skedi_fail_plain(&err, SKED_ERR_ARG, longest);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_carries_its_facts),
        cmocka_unit_test(what_is_not_known_says_so),
        cmocka_unit_test(a_long_message_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
