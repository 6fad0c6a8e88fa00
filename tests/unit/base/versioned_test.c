#include "test.h"

#include <sched/sked.h>

#include "base/versioned.h"

/* A struct in three ages: one field more each time. */
typedef struct options {
    uint32_t struct_size;
    uint32_t flags;
    int64_t first;
    int64_t second;
} options;

typedef struct options_later {
    options known;
    int64_t third;
} options_later;

enum { FIRST_AGE = SKEDI_SIZE_THROUGH(options, first) };

static options taken;

static sked_status take(const void *src)
{
    return skedi_struct_in(&taken, sizeof taken, src, FIRST_AGE);
}

static void nothing_said_is_all_zero(void **state)
{
    (void)state;
    taken.first = 5;
    assert_ok(take(NULL));
    assert_true(taken.struct_size == sizeof taken && taken.first == 0);
}

static void an_older_caller_lacks_a_field(void **state)
{
    options old = {FIRST_AGE, 1, 2, 3};
    (void)state;

    assert_ok(take(&old));
    assert_true(taken.struct_size == sizeof taken && taken.flags == 1);
    assert_true(taken.first == 2 && taken.second == 0);
}

static void a_newer_caller_may_leave_the_news_zero(void **state)
{
    options_later later = {{sizeof later, 1, 2, 3}, 0};
    (void)state;

    assert_ok(take(&later));
    assert_true(taken.second == 3);
    later.third = 1;
    assert_status(SKED_ERR_VERSION, take(&later));
}

static void a_size_that_no_release_had_is_refused(void **state)
{
    options bad = {0, 0, 0, 0};
    (void)state;

    assert_status(SKED_ERR_VERSION, take(&bad));
    bad.struct_size = FIRST_AGE - 1;
    assert_status(SKED_ERR_VERSION, take(&bad));
    bad.struct_size = 4097;
    assert_status(SKED_ERR_VERSION, take(&bad));
}

static void results_are_held_to_the_same_sizes(void **state)
{
    int64_t share;
    sked_fill_input in = {.struct_size = sizeof in, .n = 1, .total = 1};
    sked_fill_result result = {.struct_size = UINT32_MAX, .share = &share};
    (void)state;

    assert_status(SKED_ERR_VERSION, skedi_struct_out(FIRST_AGE - 1, FIRST_AGE));
    assert_ok(skedi_struct_out(FIRST_AGE, FIRST_AGE));
    assert_ok(skedi_struct_out(4096, FIRST_AGE));
    assert_status(SKED_ERR_VERSION, skedi_struct_out(4097, FIRST_AGE));
    assert_status(SKED_ERR_VERSION, sked_fill(&in, NULL, NULL, &result, NULL));
    result.struct_size = sizeof result + 8;
    assert_ok(sked_fill(&in, NULL, NULL, &result, NULL));
    assert_true(result.struct_size == sizeof result + 8 && share == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_is_all_zero),
        cmocka_unit_test(an_older_caller_lacks_a_field),
        cmocka_unit_test(a_newer_caller_may_leave_the_news_zero),
        cmocka_unit_test(results_are_held_to_the_same_sizes),
        cmocka_unit_test(a_size_that_no_release_had_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
