#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/text.h"

static skedi_reader reader(const char *text)
{
    return skedi_read_from(text, strlen(text));
}

static void a_reader_passes_what_stands_there(void **state)
{
    skedi_reader r = reader(" \tab-x");
    (void)state;

    skedi_read_blanks(&r);
    assert_int_equal(skedi_read_column(&r, r.at), 3);
    assert_false(skedi_read_word(&r, "abc"));
    assert_true(skedi_read_word(&r, "ab"));
    assert_false(skedi_read_char(&r, 'x'));
    assert_true(skedi_read_char(&r, '-'));
    assert_false(skedi_read_word(&r, "xy"));
    assert_int_equal(skedi_read_peek(&r), 'x');
    assert_true(skedi_read_char(&r, 'x'));
    assert_int_equal(skedi_read_peek(&r), -1);
    assert_false(skedi_read_char(&r, 'x'));
    skedi_read_blanks(&r);
    assert_true(r.at == r.end);
}

static void a_byte_above_127_is_no_end(void **state)
{
    skedi_reader r = reader("\xff");
    (void)state;

    assert_int_equal(skedi_read_peek(&r), 255);
}

typedef struct number_case {
    const char *text;
    sked_status rc;
    uint64_t want;
} number_case;

static void integers_are_read_up_to_64_bits(void **state)
{
    static const number_case cases[] = {
        {"0", SKED_OK, 0},
        {"007x", SKED_OK, 7},
        {"18446744073709551615", SKED_OK, UINT64_MAX},
        {"18446744073709551616", SKED_ERR_RANGE, 1},
        {"18446744073709551620", SKED_ERR_RANGE, 1},
        {"99999999999999999999999", SKED_ERR_RANGE, 1},
        {"", SKED_ERR_SYNTAX, 1},
        {"-1", SKED_ERR_SYNTAX, 1},
        {":", SKED_ERR_SYNTAX, 1},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        skedi_reader r = reader(cases[i].text);
        uint64_t x = 1;
        assert_status(cases[i].rc, skedi_read_u64(&r, &x));
        assert_true(x == cases[i].want);
        assert_true(cases[i].rc == SKED_OK || r.at == cases[i].text);
    }
}

static void decimals_keep_their_digits(void **state)
{
    skedi_decimal x;
    skedi_reader r = reader("12.0340x");
    (void)state;

    assert_ok(skedi_read_decimal(&r, &x));
    assert_true(x.whole == 12 && x.part == 340 && x.places == 4 && !x.more);
    assert_int_equal(skedi_read_peek(&r), 'x');

    r = reader("1.99999999999999999900");
    assert_ok(skedi_read_decimal(&r, &x));
    assert_true(x.places == 18 && x.part == UINT64_C(999999999999999999));
    assert_false(x.more);
    r = reader("1.0000000000000000000001");
    assert_ok(skedi_read_decimal(&r, &x));
    assert_true(x.part == 0 && x.more);
}

static void a_dot_needs_digits_on_both_sides(void **state)
{
    static const char *const bad[] = {".5", "5.", "5.x", "x"};
    (void)state;

    for (int i = 0; i < 4; i++) {
        skedi_decimal x;
        skedi_reader r = reader(bad[i]);
        assert_status(SKED_ERR_SYNTAX, skedi_read_decimal(&r, &x));
        assert_true(r.at == bad[i]);
    }
}

typedef struct times_case {
    const char *text;
    uint64_t scale;
    int mode;
    sked_status rc;
    uint64_t want;
} times_case;

#define KI UINT64_C(1024)

static const times_case times_cases[] = {
    {"2.5", 1000, SKEDI_EXACT, SKED_OK, 2500},
    {"2.0005", 1000, SKEDI_EXACT, SKED_ERR_RANGE, 7},
    {"2.0005", 1000, SKEDI_DOWN, SKED_OK, 2000},
    {"2.0005", 1000, SKEDI_UP, SKED_OK, 2001},
    {"2.0005", 1000, SKEDI_NEAREST, SKED_OK, 2001},
    {"2.0004", 1000, SKEDI_NEAREST, SKED_OK, 2000},
    {"0.5", KI *KI *KI *KI *KI *KI, SKEDI_EXACT, SKED_OK, UINT64_C(1) << 59},
    {"4611686018427387904", 1, SKEDI_EXACT, SKED_OK, UINT64_C(1) << 62},
    {"4611686018427387905", 1, SKEDI_EXACT, SKED_ERR_RANGE, 7},
    {"4611686018427387904.5", 1, SKEDI_UP, SKED_ERR_RANGE, 7},
    {"18446744073709551615", KI *KI *KI *KI *KI *KI, SKEDI_DOWN, SKED_ERR_RANGE,
     7},
    /* more places than are kept: they decide where rounding up asks */
    {"1.0000000000000000001", 1000, SKEDI_UP, SKED_OK, 1001},
    {"1.0000000000000000001", 1000, SKEDI_DOWN, SKED_OK, 1000},
    {"1.4999999999999999999", 1, SKEDI_NEAREST, SKED_OK, 1},
    {"1.5000000000000000001", 1, SKEDI_NEAREST, SKED_OK, 2},
    {"1.0000000000000000001", 1, SKEDI_EXACT, SKED_ERR_RANGE, 7},
    {"1.0000000000000000001", KI *KI *KI, SKEDI_DOWN, SKED_ERR_RANGE, 7},
};

static void scaling_a_decimal_is_exact(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof times_cases / sizeof *times_cases; i++) {
        const times_case *c = &times_cases[i];
        skedi_reader r = reader(c->text);
        skedi_decimal x;
        uint64_t out = 7;
        assert_ok(skedi_read_decimal(&r, &x));
        sked_status rc = skedi_decimal_times(x, c->scale, c->mode,
                                             UINT64_C(1) << 62, &out);
        assert_status(c->rc, rc);
        assert_i64((int64_t)out, (int64_t)c->want);
    }
}

static void numbers_are_written_in_full(void **state)
{
    char text[200];
    skedi_writer w = {text, sizeof text, 0};
    (void)state;

    skedi_write_i64(&w, INT64_MIN);
    skedi_write_char(&w, ' ');
    skedi_write_i64(&w, INT64_MAX);
    skedi_write_text(&w, " ");
    skedi_write_u64(&w, UINT64_MAX);
    skedi_write_text(&w, " ");
    skedi_write_decimal(&w, 2, 500, 3);
    skedi_write_text(&w, " ");
    skedi_write_decimal(&w, 0, 50, 4);
    skedi_write_text(&w, " ");
    skedi_write_decimal(&w, 3, 0, 3);
    assert_ok(skedi_write_end(&w));
    assert_string_equal(text, "-9223372036854775808 9223372036854775807 "
                              "18446744073709551615 2.5 0.005 3");
}

static void a_full_writer_counts_on(void **state)
{
    char text[8];
    (void)state;

    for (size_t cap = 0; cap <= sizeof text; cap++) {
        memset(text, '#', sizeof text);
        skedi_writer w = {text, cap, 0};
        skedi_write_text(&w, "abc");
        skedi_write_text(&w, "defg");
        assert_int_equal(w.n, 7);
        assert_status(cap == 8 ? SKED_OK : SKED_ERR_RANGE, skedi_write_end(&w));
        if (cap > 0) assert_memory_equal(text, "abcdefg", cap - 1);
        if (cap > 0) assert_int_equal(text[cap - 1], 0);
        for (size_t i = cap; i < sizeof text; i++) {
            assert_int_equal(text[i], '#');
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_passes_what_stands_there),
        cmocka_unit_test(a_byte_above_127_is_no_end),
        cmocka_unit_test(integers_are_read_up_to_64_bits),
        cmocka_unit_test(decimals_keep_their_digits),
        cmocka_unit_test(a_dot_needs_digits_on_both_sides),
        cmocka_unit_test(scaling_a_decimal_is_exact),
        cmocka_unit_test(numbers_are_written_in_full),
        cmocka_unit_test(a_full_writer_counts_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
