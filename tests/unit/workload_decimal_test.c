/* Decimal numbers, rounded as the contract of workload files says. */
#include "../../examples/workload/decimal.h"

#include <string.h>

#include "test.h"

static int64_t read(const char *text, int scale, int rounding)
{
    int64_t units = -1;

    assert_i64(decimal_read(text, strlen(text), scale, rounding, &units),
               DECIMAL_OK);
    return units;
}

static int code_of(const char *text)
{
    int64_t units;

    return decimal_read(text, strlen(text), 9, DECIMAL_NEAREST, &units);
}

static void numbers_become_units(void **state)
{
    (void)state;
    assert_i64(read("12", 9, DECIMAL_NEAREST), INT64_C(12000000000));
    assert_i64(read("0.5", 3, DECIMAL_UP), 500);
    assert_i64(read(".5", 3, DECIMAL_UP), 500);
    assert_i64(read("5.", 3, DECIMAL_UP), 5000);
    assert_i64(read("1.25e3", 0, DECIMAL_UP), 1250);
    assert_i64(read("125E-2", 3, DECIMAL_UP), 1250);
    assert_i64(read(" +7\t", 0, DECIMAL_UP), 7);
    assert_i64(read("000000000000000000000000000001", 0, DECIMAL_UP), 1);
    assert_i64(read("-0.000", 9, DECIMAL_NEAREST), 0);
    assert_i64(read("0e99999999999999999999", 9, DECIMAL_NEAREST), 0);
}

static void halves_go_up(void **state)
{
    (void)state;
    assert_i64(read("0.0000000005", 9, DECIMAL_NEAREST), 1);
    assert_i64(read("0.00000000049999999999", 9, DECIMAL_NEAREST), 0);
    assert_i64(read("0.00000000005", 9, DECIMAL_NEAREST), 0);
    assert_i64(read("1.9999999995", 9, DECIMAL_NEAREST), INT64_C(2000000000));
    assert_i64(read("15e-10", 9, DECIMAL_NEAREST), 2);
    assert_i64(read("2.5", 0, DECIMAL_NEAREST), 3);
}

static void amounts_go_up(void **state)
{
    (void)state;
    assert_i64(read("0.0001", 3, DECIMAL_UP), 1);
    assert_i64(read("1.0000", 0, DECIMAL_UP), 1);
    assert_i64(read("2708821333.3333335", 0, DECIMAL_UP), INT64_C(2708821334));
    assert_i64(read("1e-100000000", 0, DECIMAL_UP), 1);
}

static void two_to_the_62_is_the_last(void **state)
{
    (void)state;
    assert_i64(read("4611686018427387904", 0, DECIMAL_UP), INT64_C(1) << 62);
    assert_i64(read("4611686018.427387904", 9, DECIMAL_NEAREST), INT64_C(1)
                                                                     << 62);
    assert_i64(read("4611686018.4273879044", 9, DECIMAL_NEAREST), INT64_C(1)
                                                                      << 62);
    assert_i64(code_of("4611686018.4273879045"), DECIMAL_TOO_LARGE);
    assert_i64(code_of("9223372036854775808"), DECIMAL_TOO_LARGE);
    assert_i64(code_of("1e400"), DECIMAL_TOO_LARGE);
}

static void what_is_no_number_is_told_apart(void **state)
{
    const char *const bad[] = {"x",   "1x",  "1 2", "--1", "1.2.3", "1e",
                               "1e+", "0x1", "nan", "inf", ".",     "e5"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_i64(code_of(bad[i]), DECIMAL_SYNTAX);
    }
    assert_i64(code_of(""), DECIMAL_EMPTY);
    assert_i64(code_of("  "), DECIMAL_EMPTY);
    assert_i64(code_of("-1"), DECIMAL_NEGATIVE);
    assert_i64(code_of("-1e-30"), DECIMAL_NEGATIVE);
    for (int code = DECIMAL_OK; code <= DECIMAL_TOO_LARGE; code++) {
        assert_true(strlen(decimal_fault(code)) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_become_units),
        cmocka_unit_test(halves_go_up),
        cmocka_unit_test(amounts_go_up),
        cmocka_unit_test(two_to_the_62_is_the_last),
        cmocka_unit_test(what_is_no_number_is_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
