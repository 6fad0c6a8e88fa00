/* 192 bits: the work of any trace, exactly. */
#include "../../examples/workload/wide.h"

#include "test.h"

static void assert_wide(wide a, const char *want)
{
    char text[WIDE_TEXT];

    assert_string_equal(wide_text(a, text), want);
}

static void products_carry_into_the_third_word(void **state)
{
    wide most = wide_of(UINT64_MAX, UINT64_MAX);

    (void)state;
    assert_wide(wide_of(0, 0), "0");
    assert_wide(most, "340282366920938463463374607431768211455");
    assert_wide(wide_times(most, UINT64_MAX),
                "6277101735386680763495507056286727952620534092958556749825");
    assert_wide(wide_times(wide_of(12, 0), 12), "144");
    assert_wide(wide_sum(most, wide_of(1, 0)),
                "340282366920938463463374607431768211456");
}

static void quotients_go_up(void **state)
{
    wide p = wide_times(wide_of(0, 1), UINT64_C(1000000007));

    (void)state;
    assert_wide(wide_divide_up(wide_of(7, 0), 7), "1");
    assert_wide(wide_divide_up(wide_of(8, 0), 7), "2");
    assert_wide(wide_divide_up(wide_of(0, 0), 7), "0");
    assert_wide(wide_divide_up(p, UINT64_C(1000000007)),
                "18446744073709551616");
    assert_wide(wide_divide_up(wide_of(UINT64_MAX, 0), UINT64_MAX), "1");
}

static void order_is_that_of_numbers(void **state)
{
    wide a = wide_of(5, 1), b = wide_of(4, 1), c = wide_of(9, 0);

    (void)state;
    assert_i64(wide_compare(a, a), 0);
    assert_i64(wide_compare(a, b), 1);
    assert_i64(wide_compare(c, b), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_carry_into_the_third_word),
        cmocka_unit_test(quotients_go_up),
        cmocka_unit_test(order_is_that_of_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
