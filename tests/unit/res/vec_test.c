#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "words.h"

#define MOST SKED_AMOUNT_MAX
#define NONE SKED_UNLIMITED

typedef struct three {
    int64_t v[3];
} three;

static void assert_vec(three got, three want)
{
    for (int k = 0; k < 3; k++) assert_i64(got.v[k], want.v[k]);
}

static three made(int64_t a, int64_t b, int64_t c)
{
    return (three){{a, b, c}};
}

static void sums_are_checked(void **state)
{
    three a = {{1, MOST - 1, NONE}}, b = {{2, 1, 5}}, out = {{8, 8, 8}};
    (void)state;

    assert_ok(sked_vec_add(a.v, b.v, 3, out.v, NULL));
    assert_vec(out, made(3, MOST, NONE));
    b.v[1] = 2;
    assert_status(SKED_ERR_RANGE, sked_vec_add(a.v, b.v, 3, a.v, NULL));
    assert_vec(a, made(1, MOST - 1, NONE));
    b.v[1] = NONE;
    assert_ok(sked_vec_add(a.v, b.v, 3, a.v, NULL));
    assert_vec(a, made(3, NONE, NONE));
    b.v[0] = -1;
    assert_status(SKED_ERR_RANGE, sked_vec_add(a.v, b.v, 3, a.v, NULL));
    b.v[0] = SKED_UNSET;
    assert_status(SKED_ERR_RANGE, sked_vec_add(a.v, b.v, 3, a.v, NULL));
}

static void differences_are_checked(void **state)
{
    three a = {{5, 7, NONE}}, b = {{5, 3, 9}}, out = {{8, 8, 8}};
    (void)state;

    assert_ok(sked_vec_subtract(a.v, b.v, 3, out.v, NULL));
    assert_vec(out, made(0, 4, NONE));
    b.v[1] = 8;
    assert_status(SKED_ERR_RANGE, sked_vec_subtract(a.v, b.v, 3, out.v, NULL));
    b.v[1] = NONE;
    assert_status(SKED_ERR_RANGE, sked_vec_subtract(a.v, b.v, 3, out.v, NULL));
    assert_vec(out, made(0, 4, NONE));
    sked_vec_excess(a.v, b.v, 3, out.v);
    assert_vec(out, made(0, 0, NONE));
    b.v[0] = 2;
    sked_vec_excess(a.v, b.v, 3, out.v);
    assert_vec(out, made(3, 0, NONE));
}

static void the_lesser_and_the_greater_go_kind_by_kind(void **state)
{
    three a = {{0, 100, NONE}}, b = {{10, 80, 4}}, out;
    (void)state;

    sked_vec_min(a.v, b.v, 3, out.v);
    assert_vec(out, made(0, 80, 4));
    sked_vec_max(a.v, b.v, 3, out.v);
    assert_vec(out, made(10, 100, NONE));
}

static void scaling_rounds_as_asked(void **state)
{
    three a = {{3, 1, 5}}, out = {{8, 8, 8}};
    sked_ratio by = {5, 2};
    (void)state;

    assert_ok(sked_vec_scale(a.v, by, SKED_ROUNDING_UP, 3, out.v, NULL));
    assert_vec(out, made(8, 3, 13));
    assert_ok(sked_vec_scale(a.v, by, SKED_ROUNDING_DOWN, 3, out.v, NULL));
    assert_vec(out, made(7, 2, 12));
    assert_ok(sked_vec_scale(a.v, by, SKED_ROUNDING_NEAREST, 3, out.v, NULL));
    assert_vec(out, made(8, 3, 13));
    assert_ok(sked_vec_scale(a.v, (sked_ratio){4, 3}, SKED_ROUNDING_NEAREST, 3,
                             out.v, NULL));
    assert_vec(out, made(4, 1, 7));
    assert_status(SKED_ERR_RANGE, sked_vec_scale(a.v, by, SKED_ROUNDING_REFUSE,
                                                 3, out.v, NULL));
    assert_ok(sked_vec_scale(a.v, (sked_ratio){4, 2}, SKED_ROUNDING_REFUSE, 3,
                             a.v, NULL));
    assert_vec(a, made(6, 2, 10));
}

static void scaling_knows_its_bounds(void **state)
{
    three a = {{NONE, MOST, MOST / 3}}, out = {{8, 8, 8}};
    sked_ratio third = {1, 3}, most = {MOST, 1}, less = {MOST - 1, MOST};
    (void)state;

    assert_ok(sked_vec_scale(a.v, third, SKED_ROUNDING_DOWN, 3, out.v, NULL));
    assert_vec(out, made(NONE, MOST / 3, MOST / 9));
    assert_ok(sked_vec_scale(a.v, less, SKED_ROUNDING_DOWN, 2, out.v, NULL));
    assert_i64(out.v[1], MOST - 1);
    assert_status(SKED_ERR_RANGE, sked_vec_scale(a.v, most, SKED_ROUNDING_DOWN,
                                                 3, out.v, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_vec_scale(a.v, (sked_ratio){1, 0}, SKED_ROUNDING_UP, 3,
                                 out.v, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_vec_scale(a.v, (sked_ratio){-1, 2}, SKED_ROUNDING_UP, 3,
                                 out.v, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_scale(a.v, third, 9, 3, out.v, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_scale(a.v, third, 1, 33, out.v, NULL));
    assert_i64(out.v[1], MOST - 1);
}

static void steps_are_whole(void **state)
{
    three a = {{1111, 1024, NONE}}, step = {{1024, 1024, 7}}, out = {{8, 8, 8}};
    (void)state;

    assert_ok(sked_vec_round(a.v, step.v, SKED_ROUNDING_UP, 3, out.v, NULL));
    assert_vec(out, made(2048, 1024, NONE));
    assert_ok(sked_vec_round(a.v, step.v, SKED_ROUNDING_DOWN, 3, out.v, NULL));
    assert_vec(out, made(1024, 1024, NONE));
    assert_status(
        SKED_ERR_ARG,
        sked_vec_round(a.v, step.v, SKED_ROUNDING_NEAREST, 3, out.v, NULL));
    a = made(5, MOST - 1, 9);
    step = made(0, MOST - 3, 3);
    assert_status(SKED_ERR_RANGE, sked_vec_round(a.v, step.v, SKED_ROUNDING_UP,
                                                 3, out.v, NULL));
    assert_vec(out, made(1024, 1024, NONE));
    assert_ok(sked_vec_round(a.v, step.v, SKED_ROUNDING_DOWN, 3, out.v, NULL));
    assert_vec(out, made(5, MOST - 3, 9));
}

static void a_request_is_normalised(void **state)
{
    three asked = {{1111, 2, 9000}}, least = {{1024, 1, 1}};
    three most = {{8192, 8, 8192}}, step = {{1024, 4, 0}}, out;
    int64_t many[33] = {0};
    sked_error err = {0};
    (void)state;

    assert_ok(
        sked_vec_normalise(asked.v, least.v, most.v, step.v, 3, out.v, NULL));
    assert_vec(out, made(2048, 4, 8192));
    least = made(9000, 1, 1);
    assert_ok(
        sked_vec_normalise(asked.v, least.v, most.v, step.v, 3, out.v, NULL));
    assert_vec(out, made(8192, 4, 8192));
    asked = made(MOST, 1, 1);
    step = made(MOST - 1, 1, 1);
    assert_status(SKED_ERR_RANGE, sked_vec_normalise(asked.v, least.v, most.v,
                                                     step.v, 3, out.v, &err));
    assert_status(SKED_ERR_RANGE, err.code);
    assert_status(SKED_ERR_RANGE,
                  sked_vec_normalise(many, many, many, many, 33, many, NULL));
}

static void vectors_have_a_total_order(void **state)
{
    three a = {{1, 2, 3}}, b = {{1, 2, 3}};
    (void)state;

    assert_int_equal(sked_vec_compare(a.v, b.v, 3), 0);
    b.v[2] = 4;
    assert_int_equal(sked_vec_compare(a.v, b.v, 3), -1);
    b.v[1] = 1;
    assert_int_equal(sked_vec_compare(a.v, b.v, 3), 1);
}

static void a_relation_says_all_that_holds(void **state)
{
    three a = {{1, 2, 3}}, b = {{2, 2, 1}};
    (void)state;

    assert_int_equal(sked_vec_relation(a.v, b.v, 3, UINT32_MAX),
                     SKED_VEC_LESS | SKED_VEC_EQUAL | SKED_VEC_MORE);
    assert_int_equal(sked_vec_relation(a.v, b.v, 3, 1), SKED_VEC_LESS);
    assert_int_equal(sked_vec_relation(a.v, b.v, 3, 6),
                     SKED_VEC_EQUAL | SKED_VEC_MORE);
    assert_int_equal(sked_vec_relation(a.v, b.v, 3, 0), 0);
}

static void a_demand_fits_or_not(void **state)
{
    three demand = {{1, 0, 2}}, room = {{1, -5, 2}};
    (void)state;

    assert_int_equal(sked_vec_asked(demand.v, 3), 5);
    assert_false(sked_vec_fits(demand.v, room.v, 3));
    assert_true(sked_vec_fits_asked(demand.v, room.v, 3));
    room.v[1] = 0;
    assert_true(sked_vec_fits(demand.v, room.v, 3));
    demand.v[2] = 3;
    assert_false(sked_vec_fits(demand.v, room.v, 3));
    assert_false(sked_vec_fits_asked(demand.v, room.v, 3));
    assert_true(sked_vec_fits(demand.v, room.v, 0));
}

static void the_scarcest_kind_counts(void **state)
{
    three demand = {{3, 0, 2}}, room = {{10, 0, 7}};
    (void)state;

    assert_i64(sked_vec_count(demand.v, room.v, 3), 3);
    room.v[2] = 1;
    assert_i64(sked_vec_count(demand.v, room.v, 3), 0);
    room.v[2] = -4;
    assert_i64(sked_vec_count(demand.v, room.v, 3), 0);
    room.v[2] = NONE;
    assert_i64(sked_vec_count(demand.v, room.v, 3), 3);
    room.v[0] = NONE;
    assert_i64(sked_vec_count(demand.v, room.v, 3), NONE);
    demand = made(0, 0, 0);
    assert_i64(sked_vec_count(demand.v, room.v, 3), NONE);
}

static void rows_add_up(void **state)
{
    int64_t rows[3][3] = {{1, 2, 3}, {4, 5, NONE}, {7, MOST - 7, 9}};
    int64_t many[33] = {0};
    three out = {{8, 8, 8}};
    (void)state;

    assert_ok(sked_vec_sum(rows[0], 3, 3, out.v, NULL));
    assert_vec(out, made(12, MOST, NONE));
    rows[0][1] = 3;
    assert_status(SKED_ERR_RANGE, sked_vec_sum(rows[0], 3, 3, out.v, NULL));
    assert_status(SKED_ERR_RANGE, sked_vec_sum(many, 1, 33, many, NULL));
    assert_vec(out, made(12, MOST, NONE));
    assert_ok(sked_vec_sum(NULL, 0, 3, out.v, NULL));
    assert_vec(out, made(0, 0, 0));
}

static void rows_that_fit_are_marked(void **state)
{
    int64_t rows[4][2] = {{4, 4}, {5, 3}, {3, 5}, {9, 9}};
    int64_t demand[2] = {4, 4};
    uint8_t fits[4];
    (void)state;

    assert_int_equal(sked_vec_fits_rows(demand, rows[0], 4, 2, fits), 2);
    assert_true(fits[0] == 1 && fits[1] == 0 && fits[2] == 0 && fits[3] == 1);
}

/* Small enough for 64 bits, where the language divides. */
static void scaling_agrees_with_long_division(void **state)
{
    test_words w = {61};
    (void)state;

    for (int i = 0; i < 100000; i++) {
        int64_t a = (int64_t)(test_rough(&w) >> 33), down, up, near;
        sked_ratio by = {(int64_t)(test_rough(&w) >> 33),
                         (int64_t)(test_rough(&w) >> 33) + 1};
        int64_t whole = a * by.num / by.den, rem = a * by.num % by.den;
        assert_ok(sked_vec_scale(&a, by, SKED_ROUNDING_DOWN, 1, &down, NULL));
        assert_ok(sked_vec_scale(&a, by, SKED_ROUNDING_UP, 1, &up, NULL));
        assert_ok(
            sked_vec_scale(&a, by, SKED_ROUNDING_NEAREST, 1, &near, NULL));
        assert_i64(down, whole);
        assert_i64(up, whole + (rem > 0));
        assert_i64(near, whole + (2 * rem >= by.den));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_checked),
        cmocka_unit_test(differences_are_checked),
        cmocka_unit_test(the_lesser_and_the_greater_go_kind_by_kind),
        cmocka_unit_test(scaling_rounds_as_asked),
        cmocka_unit_test(scaling_knows_its_bounds),
        cmocka_unit_test(steps_are_whole),
        cmocka_unit_test(a_request_is_normalised),
        cmocka_unit_test(vectors_have_a_total_order),
        cmocka_unit_test(a_relation_says_all_that_holds),
        cmocka_unit_test(a_demand_fits_or_not),
        cmocka_unit_test(the_scarcest_kind_counts),
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(rows_that_fit_are_marked),
        cmocka_unit_test(scaling_agrees_with_long_division),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
