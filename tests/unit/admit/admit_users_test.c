/* Users of a leaf: what they may have, what is refused. */
#include "test.h"

#include <sched/admit.h>

typedef struct scene {
    sked_admit_users_input in;
    sked_admit_users_result result;
    int64_t used[2], wanted[2], bound[2], within[2];
    uint8_t may[2];
} scene;

/* Two users of a leaf that is guaranteed so much, who have and want that. */
static void begin(scene *s, const int64_t *guarantee)
{
    *s = (scene){.wanted = {9, 9}};
    s->in = (sked_admit_users_input){.struct_size = sizeof s->in,
                                     .kinds = 1,
                                     .n = 2,
                                     .part_ppm = 500000,
                                     .factor_ppm = SKED_UNLIMITED,
                                     .guarantee = guarantee,
                                     .used = s->used,
                                     .wanted = s->wanted};
    s->result = (sked_admit_users_result){.struct_size = sizeof s->result,
                                          .bound = s->bound,
                                          .wanted = s->within,
                                          .may = s->may};
}

static void answer(scene *s)
{
    assert_ok(sked_admit_users(&s->in, &s->result, NULL));
}

/* [CAP-17] */
static void active_users_divide_what_they_have(void **state)
{
    static const int64_t twenty[] = {20};
    scene s;
    (void)state;

    begin(&s, twenty);
    answer(&s);
    assert_i64(s.bound[0], 10); /* half of the guarantee */
    assert_int_equal(s.may[0], 1);
    s.used[0] = 10;
    s.used[1] = 15; /* 26 to divide, and 26 of the active */
    answer(&s);
    assert_i64(s.bound[0], 13);
    assert_i64(s.within[0], 3);
    assert_i64(s.within[1], 0);
    assert_int_equal(s.may[0], 1);
    assert_int_equal(s.may[1], 0);
    s.wanted[0] = 0; /* the other is active alone: 16 of its own */
    answer(&s);
    assert_i64(s.bound[1], 16);
    assert_i64(s.bound[0], 13);
    assert_int_equal(s.may[0], 0);
    assert_int_equal(s.may[1], 1);
}

static void no_user_passes_the_factor(void **state)
{
    static const int64_t twenty[] = {20}, limit[] = {17}, step[] = {4};
    static const uint32_t weight[] = {1, 2};
    scene s;
    (void)state;

    begin(&s, twenty);
    s.in.part_ppm = 3 * SKED_PPM;
    s.in.factor_ppm = 400000;
    answer(&s);
    assert_i64(s.bound[0], 8);
    s.used[0] = 8; /* the last may go beyond */
    answer(&s);
    assert_int_equal(s.may[0], 1);
    s.used[0] = 9;
    answer(&s);
    assert_int_equal(s.may[0], 0);
    s.in.weight = weight;
    s.in.step = step;
    s.in.factor_ppm = 450000; /* 9 is 12 in steps; twice for the other */
    answer(&s);
    assert_i64(s.bound[0], 12);
    assert_i64(s.bound[1], 24);
    s.in.limit = limit;
    s.in.factor_ppm = SKED_UNLIMITED;
    answer(&s);
    assert_i64(s.bound[0], 16);
    s.in.guarantee = NULL; /* the limit again, whatever the factor is */
    s.in.factor_ppm = 1;
    answer(&s);
    assert_i64(s.bound[0], 16);
}

static void leaves_that_are_none_are_refused(void **state)
{
    static const int64_t bad[] = {-1}, none[] = {0}, some[] = {5};
    sked_error err;
    scene s;
    (void)state;

    begin(&s, some);
    assert_status(SKED_ERR_ARG, sked_admit_users(NULL, &s.result, NULL));
    assert_status(SKED_ERR_ARG, sked_admit_users(&s.in, NULL, NULL));
    s.result.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_admit_users(&s.in, &s.result, &err));
    begin(&s, some);
    s.in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_admit_users(&s.in, &s.result, &err));
    begin(&s, some);
    s.in.kinds = 0;
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    s.in.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    begin(&s, some);
    s.in.n = (uint64_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    static const int64_t parts[] = {-1, 1000 * SKED_PPM + 1};
    for (int i = 0; i < 2; i++) {
        begin(&s, some);
        s.in.part_ppm = parts[i];
        assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
        begin(&s, some);
        s.in.factor_ppm = parts[i];
        assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    }
    begin(&s, bad);
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    assert_int_equal(err.kind, 0);
    begin(&s, some);
    s.in.step = none;
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    begin(&s, some);
    s.in.limit = bad;
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    begin(&s, some);
    s.wanted[1] = -1;
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    assert_i64(err.row, 1);
    begin(&s, some);
    s.used[0] = s.used[1] = SKED_AMOUNT_MAX / 2 + 1;
    s.may[0] = 7;
    assert_status(SKED_ERR_RANGE, sked_admit_users(&s.in, &s.result, &err));
    assert_i64(err.row, 1);
    assert_int_equal(s.may[0], 7);
}

static void columns_may_be_left_out(void **state)
{
    scene s;
    (void)state;

    begin(&s, NULL);
    s.in.used = NULL;
    s.result.bound = s.result.wanted = NULL;
    answer(&s);
    assert_int_equal(s.may[1], 1);
    s.in.wanted = NULL;
    s.result.bound = s.bound;
    s.result.may = NULL;
    answer(&s);
    assert_i64(s.bound[0], 1);
    s.in.n = 0;
    answer(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_users_divide_what_they_have),
        cmocka_unit_test(no_user_passes_the_factor),
        cmocka_unit_test(leaves_that_are_none_are_refused),
        cmocka_unit_test(columns_may_be_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
