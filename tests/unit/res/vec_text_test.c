#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "words.h"

enum { KINDS = 4 };

static sked_schema *kinds;

static int setup(void **state)
{
    static const char text[] = "cpu=m memory=B gpu disk=B";

    (void)state;
    return sked_schema_parse(text, sizeof text - 1, NULL, &kinds, NULL);
}

static int teardown(void **state)
{
    (void)state;
    sked_schema_free(kinds);
    return 0;
}

#define GI (INT64_C(1) << 30)
#define NONE SKED_UNLIMITED

typedef struct reading {
    const char *text;
    int64_t want[KINDS];
    const char *shortest;
} reading;

/* Missing kinds read as 7. */
static const reading readings[] = {
    {"cpu=2.5,memory=4GiB,gpu=1",
     {2500, 4 * GI, 1, 7},
     "cpu=2.5,memory=4GiB,gpu=1,disk=7"},
    {"", {7, 7, 7, 7}, "cpu=7m,memory=7,gpu=7,disk=7"},
    {" \t", {7, 7, 7, 7}, "cpu=7m,memory=7,gpu=7,disk=7"},
    {" gpu = 2K ; cpu=2500m",
     {2500, 7, 2000, 7},
     "cpu=2.5,memory=7,gpu=2000,disk=7"},
    {"memory=1k,disk=1KB,gpu=1Ki",
     {7, 1000, 1024, 1000},
     "cpu=7m,memory=1KB,gpu=1024,disk=1KB"},
    {"memory=1M,disk=1Mi,gpu=1G",
     {7, 1000000, 1000000000, 1048576},
     "cpu=7m,memory=1MB,gpu=1000000000,disk=1MiB"},
    {"memory=1T,disk=2Pi,gpu=1E",
     {7, INT64_C(1000000000000), INT64_C(1000000000000000000),
      INT64_C(1) << 51},
     "cpu=7m,memory=1TB,gpu=1000000000000000000,disk=2PiB"},
    {"memory=1.5KiB,disk=0.5PB",
     {7, 1536, 7, INT64_C(500000000000000)},
     "cpu=7m,memory=1536,gpu=7,disk=500TB"},
    {"memory=12B,disk=0", {7, 12, 7, 0}, "cpu=7m,memory=12,gpu=7,disk=0"},
    {"cpu=unlimited,disk=unlimited",
     {NONE, 7, 7, NONE},
     "cpu=unlimited,memory=7,gpu=7,disk=unlimited"},
    {"cpu=0.001E",
     {INT64_C(1000000000000000000), 7, 7, 7},
     "cpu=1000000000000000,memory=7,gpu=7,disk=7"},
    {"cpu=1.0000000000000000000000",
     {1000, 7, 7, 7},
     "cpu=1,memory=7,gpu=7,disk=7"},
    {"cpu=0.123,gpu=12", {123, 7, 12, 7}, "cpu=123m,memory=7,gpu=12,disk=7"},
    {"memory=4Ei,disk=4611686018427387903",
     {7, SKED_AMOUNT_MAX, 7, SKED_AMOUNT_MAX - 1},
     "cpu=7m,memory=4EiB,gpu=7,disk=4611686018427387903"},
    {"cpu=4611686018427387.904",
     {SKED_AMOUNT_MAX, 7, 7, 7},
     "cpu=4611686018427387.904,memory=7,gpu=7,disk=7"},
};

static sked_status parse(const char *text, int64_t missing, int64_t *vec,
                         sked_error *err)
{
    return sked_vec_parse(kinds, text, strlen(text), missing, vec, err);
}

static void amounts_are_read_and_written_exactly(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        int64_t vec[KINDS];
        char text[200];
        size_t n;
        assert_ok(parse(readings[i].text, 7, vec, NULL));
        for (int k = 0; k < KINDS; k++) assert_i64(vec[k], readings[i].want[k]);
        assert_ok(sked_vec_format(kinds, vec, SKED_FORM_SHORT, text,
                                  sizeof text, &n));
        assert_string_equal(text, readings[i].shortest);
        assert_int_equal(n, strlen(text));
    }
}

typedef struct refusal {
    const char *text;
    sked_status rc;
    uint32_t column;
    int32_t kind;
    const char *message;
} refusal;

static const refusal refusals[] = {
    {"cpu", SKED_ERR_SYNTAX, 4, 0, "'=' expected"},
    {"cpu 5", SKED_ERR_SYNTAX, 5, 0, "'=' expected"},
    {"cpu=", SKED_ERR_SYNTAX, 5, 0, "number expected"},
    {"cpu=x", SKED_ERR_SYNTAX, 5, 0, "number expected"},
    {"cpu=1,", SKED_ERR_SYNTAX, 7, -1, "name of a kind expected"},
    {",cpu=1", SKED_ERR_SYNTAX, 1, -1, "name of a kind expected"},
    {"cpu=1 gpu=1", SKED_ERR_SYNTAX, 7, -1, "',' or the end expected"},
    {"gpu=1m", SKED_ERR_SYNTAX, 6, -1, "',' or the end expected"},
    {"gpu=1B", SKED_ERR_SYNTAX, 6, -1, "',' or the end expected"},
    {"memory=1m", SKED_ERR_SYNTAX, 9, -1, "',' or the end expected"},
    {"cpu=1\n", SKED_ERR_SYNTAX, 6, -1, "',' or the end expected"},
    {"disc=1", SKED_ERR_NOT_FOUND, 1, -1, "no such kind"},
    {"cpu=1, cpu=1", SKED_ERR_EXISTS, 8, 0, "kind comes twice"},
    {"gpu=-1", SKED_ERR_RANGE, 5, 2, "negative"},
    {"gpu=1.5", SKED_ERR_RANGE, 5, 2, "finer than the unit"},
    {"cpu=1.5m", SKED_ERR_RANGE, 5, 0, "finer than the unit"},
    {"cpu=0.0001", SKED_ERR_RANGE, 5, 0, "finer than the unit"},
    {"cpu=4611686018427387.905", SKED_ERR_RANGE, 5, 0, "above 2^62 units"},
    {"cpu=18446744073709551615", SKED_ERR_RANGE, 5, 0, "above 2^62 units"},
    {"gpu=99999999999999999999", SKED_ERR_RANGE, 5, 2, "above 2^62 units"},
    {"disk=5Ei", SKED_ERR_RANGE, 6, 3, "above 2^62 units"},
    {"cpu=0.0000000000000000001", SKED_ERR_RANGE, 5, 0, "too many decimals"},
};

static void a_refusal_says_where_and_why(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        int64_t vec[KINDS] = {1, 2, 3, 4};
        sked_error err;
        assert_status(r->rc, parse(r->text, 0, vec, &err));
        assert_string_equal(err.message, r->message);
        assert_int_equal(err.line, 1);
        assert_int_equal(err.column, r->column);
        assert_int_equal(err.kind, r->kind);
        for (int k = 0; k < KINDS; k++) assert_i64(vec[k], k + 1);
    }
}

static void text_ends_where_its_length_says(void **state)
{
    int64_t vec[KINDS];
    (void)state;

    assert_ok(sked_vec_parse(kinds, "cpu=12345", 6, 0, vec, NULL));
    assert_i64(vec[0], 12000);
}

static void the_log_form_has_one_unit_a_kind(void **state)
{
    int64_t vec[KINDS] = {1000, GI, SKED_UNLIMITED, SKED_UNSET};
    char text[100];
    size_t n;
    (void)state;

    assert_ok(sked_vec_format(kinds, vec, SKED_FORM_LOG, text, 100, &n));
    assert_string_equal(text, "cpu=1000m;memory=1073741824;gpu=unlimited");
    assert_ok(sked_vec_format(kinds, vec, SKED_FORM_LOG, text, n + 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_vec_format(kinds, vec, SKED_FORM_LOG, text, n, &n));
    assert_int_equal(n, strlen("cpu=1000m;memory=1073741824;gpu=unlimited"));
}

static void what_is_no_amount_is_not_written(void **state)
{
    int64_t vec[KINDS] = {1, -1, SKED_AMOUNT_MAX + 1, 0};
    char text[SKED_AMOUNT_TEXT_MAX];
    size_t n = 9;
    (void)state;

    assert_status(SKED_ERR_RANGE,
                  sked_vec_format(kinds, vec, 0, text, sizeof text, &n));
    assert_int_equal(n, 0);
    assert_status(SKED_ERR_RANGE, sked_amount_format("m", vec[1], 0, text));
    assert_status(SKED_ERR_RANGE, sked_amount_format("m", vec[2], 0, text));
    assert_status(SKED_ERR_RANGE, sked_amount_format("m", SKED_UNSET, 0, text));
}

static void amounts_stand_alone_too(void **state)
{
    char text[SKED_AMOUNT_TEXT_MAX];
    int64_t amount = 0;
    sked_error err;
    (void)state;

    assert_ok(sked_amount_parse("B", "1.5GB", 5, 0, &amount, NULL));
    assert_i64(amount, 1500000000);
    assert_ok(sked_amount_format("B", amount, SKED_FORM_SHORT, text));
    assert_string_equal(text, "1.5GB");
    assert_ok(sked_amount_format("m", SKED_AMOUNT_MAX, SKED_FORM_LOG, text));
    assert_string_equal(text, "4611686018427387904m");
    assert_status(SKED_ERR_SYNTAX,
                  sked_amount_parse("B", "1GBx", 4, 0, &amount, &err));
    assert_int_equal(err.column, 4);
    assert_string_equal(err.message, "nothing may stand behind an amount");
    assert_i64(amount, 1500000000);
    assert_status(SKED_ERR_RANGE,
                  sked_amount_parse("B", "-1", 2, 0, &amount, &err));
    assert_int_equal(err.column, 1);
}

static int64_t rounded(const char *text, int32_t rounding)
{
    int64_t amount = -1;

    assert_ok(sked_amount_parse("m", text, strlen(text), rounding, &amount, 0));
    return amount;
}

static void amounts_are_rounded_as_asked(void **state)
{
    (void)state;
    assert_i64(rounded("0.0005", SKED_ROUNDING_DOWN), 0);
    assert_i64(rounded("0.0005", SKED_ROUNDING_UP), 1);
    assert_i64(rounded("0.0005", SKED_ROUNDING_NEAREST), 1);
    assert_i64(rounded("0.00049999999999999999", SKED_ROUNDING_NEAREST), 0);
    assert_i64(rounded("0.33333333333333333333333", SKED_ROUNDING_UP), 334);
    assert_i64(rounded("2", SKED_ROUNDING_UP), 2000);
}

static void bad_arguments_are_refused(void **state)
{
    char text[SKED_AMOUNT_TEXT_MAX];
    int64_t v[KINDS] = {0};
    (void)state;

    assert_status(SKED_ERR_ARG, sked_vec_parse(NULL, "", 0, 0, v, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_parse(kinds, NULL, 0, 0, v, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_parse(kinds, "", 0, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_format(NULL, v, 0, text, 9, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_format(kinds, NULL, 0, text, 9, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_format(kinds, v, 0, NULL, 9, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_format(kinds, v, 2, text, 9, NULL));
    assert_status(SKED_ERR_RANGE, sked_vec_format(kinds, v, 0, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_parse(NULL, "1", 1, 0, v, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_parse("m", NULL, 1, 0, v, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_parse("m", "1", 1, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_parse("x", "1", 1, 0, v, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_parse("m", "1", 1, 4, v, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_parse("m", "1", 1, -1, v, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_format(NULL, 1, 0, text));
    assert_status(SKED_ERR_ARG, sked_amount_format("m", 1, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_amount_format("x", 1, 0, text));
    assert_status(SKED_ERR_ARG, sked_amount_format("m", 1, 2, text));
}

/* Both forms of any amount read back as it, and none needs more room. */
static void any_amount_round_trips(void **state)
{
    static const char *const units[] = {"m", "B", "1"};
    test_words w = {51};
    (void)state;

    for (int i = 0; i < 100000; i++) {
        int64_t amount = (int64_t)(test_rough(&w) % ((UINT64_C(1) << 62) + 1));
        const char *unit = units[i % 3];
        if (i % 5 == 0) amount -= amount % 1000000;
        for (int32_t form = 0; form < 2; form++) {
            char text[SKED_AMOUNT_TEXT_MAX];
            int64_t back = -1;
            assert_ok(sked_amount_format(unit, amount, form, text));
            assert_ok(sked_amount_parse(unit, text, strlen(text), 0, &back, 0));
            assert_i64(back, amount);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_read_and_written_exactly),
        cmocka_unit_test(a_refusal_says_where_and_why),
        cmocka_unit_test(text_ends_where_its_length_says),
        cmocka_unit_test(the_log_form_has_one_unit_a_kind),
        cmocka_unit_test(what_is_no_amount_is_not_written),
        cmocka_unit_test(amounts_stand_alone_too),
        cmocka_unit_test(amounts_are_rounded_as_asked),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(any_amount_round_trips),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
