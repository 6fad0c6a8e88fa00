/* How many applications a leaf may have, and what their masters may hold. */
#include "test.h"

#include <sched/admit.h>

enum { PPM = 1000000 };

/* ---- Applications ---- */

static sked_admit_apps_input tenth(void)
{
    return (sked_admit_apps_input){.struct_size = sizeof(sked_admit_apps_input),
                                   .total = 10000,
                                   .part = {1, 10},
                                   .leaf = SKED_UNSET,
                                   .part_ppm = PPM / 2,
                                   .factor_ppm = 5 * SKED_PPM};
}

static void apps_are(const sked_admit_apps_input *in, int64_t leaf,
                     int64_t user)
{
    sked_admit_apps_result out = {.struct_size = sizeof out};

    assert_ok(sked_admit_apps(in, &out, NULL));
    assert_i64(out.leaf, leaf);
    assert_i64(out.user, user);
}

static void applications_go_by_parts(void **state)
{
    sked_admit_apps_input in = tenth();
    (void)state;

    apps_are(&in, 1000, 1000); /* 2,500 for a user: all that there are */
    in.factor_ppm = PPM;
    apps_are(&in, 1000, 500);
    in.part = (sked_ratio){1, 3};
    in.part_ppm = 333333;
    apps_are(&in, 3333, 1110); /* 1,110.99 */
    in.factor_ppm = SKED_UNLIMITED;
    apps_are(&in, 3333, 3333);
    in.leaf = 7;
    in.part = (sked_ratio){0, 0}; /* not looked at */
    in.factor_ppm = 2 * SKED_PPM;
    apps_are(&in, 7, 4);
    in.leaf = SKED_AMOUNT_MAX;
    in.part_ppm = in.factor_ppm = 1000 * SKED_PPM;
    apps_are(&in, SKED_AMOUNT_MAX, SKED_AMOUNT_MAX);
}

static void is_refused(const sked_admit_apps_input *in, sked_status status)
{
    sked_admit_apps_result out = {.struct_size = sizeof out, .leaf = 77};

    assert_status(status, sked_admit_apps(in, &out, NULL));
    assert_i64(out.leaf, 77);
}

static void applications_are_refused(void **state)
{
    const sked_ratio parts[] = {{-1, 2}, {1, 0}, {3, 2}, {1, -2}};
    sked_admit_apps_input in = tenth();
    sked_admit_apps_result out = {.struct_size = 8};
    (void)state;

    is_refused(NULL, SKED_ERR_ARG);
    assert_status(SKED_ERR_ARG, sked_admit_apps(&in, NULL, NULL));
    assert_status(SKED_ERR_VERSION, sked_admit_apps(&in, &out, NULL));
    in.struct_size = 8;
    is_refused(&in, SKED_ERR_VERSION);
    in = tenth();
    in.reserved = 1;
    is_refused(&in, SKED_ERR_ARG);
    for (size_t i = 0; i < 4; i++) {
        in = tenth();
        in.part = parts[i];
        is_refused(&in, SKED_ERR_RANGE);
    }
    for (int64_t wrong = -1; wrong <= 1000 * SKED_PPM + 1;
         wrong += 1000 * SKED_PPM + 2) {
        in = tenth();
        in.part_ppm = wrong;
        is_refused(&in, SKED_ERR_RANGE);
        in = tenth();
        in.factor_ppm = wrong;
        is_refused(&in, SKED_ERR_RANGE);
    }
    in = tenth();
    in.total = -1;
    is_refused(&in, SKED_ERR_RANGE);
    in.leaf = SKED_AMOUNT_MAX + 1;
    is_refused(&in, SKED_ERR_RANGE);
}

/* ---- Masters ---- */

typedef struct scene {
    sked_admit_masters_input in;
    sked_admit_masters_result result;
    int64_t guarantee[2], limit[2], step[2], leaf[2], user[2];
} scene;

/* A leaf of 192 of a limit of 1,920 in steps of one, of which masters may have
 * a tenth. */
static void begin(scene *s)
{
    *s = (scene){.guarantee = {196608}, .limit = {1966080}, .step = {1024, 1}};
    s->in = (sked_admit_masters_input){.struct_size = sizeof s->in,
                                       .kinds = 1,
                                       .guarantee = s->guarantee,
                                       .limit = s->limit,
                                       .step = s->step,
                                       .share_ppm = PPM / 10,
                                       .part_ppm = PPM / 2,
                                       .factor_ppm = 5 * SKED_PPM,
                                       .weight = 1};
    s->result = (sked_admit_masters_result){
        .struct_size = sizeof s->result, .leaf = s->leaf, .user = s->user};
}

static void masters_have(scene *s, int64_t leaf, int64_t user)
{
    assert_ok(sked_admit_masters(&s->in, &s->result, NULL));
    assert_i64(s->leaf[0], leaf);
    assert_i64(s->user[0], user);
}

static void masters_go_by_parts(void **state)
{
    scene s;
    (void)state;

    begin(&s);
    masters_have(&s, 196608, 98304); /* one user that is active has all */
    s.in.active = 3;                 /* half is more than a third */
    s.in.factor_ppm = PPM;
    masters_have(&s, 196608, 10240); /* 9,830.4 in steps */
    s.in.part_ppm = 1;
    masters_have(&s, 196608, 7168); /* 6,553.6 */
    s.in.weight = 2;
    masters_have(&s, 196608, 13312); /* 13,107.2 */
    s.in.weight = 4;                 /* no more than all */
    masters_have(&s, 196608, 20480);
    s.in.weight = 0;
    masters_have(&s, 196608, 0);
    s.in.factor_ppm = SKED_UNLIMITED;
    masters_have(&s, 196608, 196608);
}

static void a_limit_counts_where_it_holds_the_guarantee(void **state)
{
    scene s;
    (void)state;

    begin(&s);
    s.in.kinds = 2;
    s.in.factor_ppm = SKED_PPM;
    s.guarantee[1] = 10;
    s.limit[1] = 9;
    masters_have(&s, 20480, 20480);
    assert_i64(s.leaf[1], 1);
    s.limit[1] = 30;
    masters_have(&s, 196608, 20480);
    assert_i64(s.leaf[1], 3);
    s.in.limit = NULL;
    s.in.step = NULL;
    masters_have(&s, 19661, 19661);
    s.in.guarantee = NULL;
    masters_have(&s, 0, 0);
}

static void the_largest_amounts_hold(void **state)
{
    scene s;
    (void)state;

    begin(&s);
    s.guarantee[0] = s.limit[0] = SKED_AMOUNT_MAX;
    s.in.share_ppm = PPM;
    s.in.factor_ppm = s.in.part_ppm = 1000 * SKED_PPM;
    s.in.active = s.in.weight = UINT32_MAX;
    masters_have(&s, SKED_AMOUNT_MAX, SKED_AMOUNT_MAX);
    s.step[0] = SKED_AMOUNT_MAX;
    s.guarantee[0] = s.limit[0] = 1;
    masters_have(&s, SKED_AMOUNT_MAX, SKED_AMOUNT_MAX);
    s.step[0] = SKED_AMOUNT_MAX - 2; /* two of them are no amount */
    s.guarantee[0] = s.limit[0] = SKED_AMOUNT_MAX - 1;
    masters_have(&s, SKED_AMOUNT_MAX, SKED_AMOUNT_MAX);
}

static void is_refused_too(scene *s, sked_status status)
{
    s->leaf[0] = 77;
    assert_status(status, sked_admit_masters(&s->in, &s->result, NULL));
    assert_i64(s->leaf[0], 77);
    begin(s);
}

static void masters_are_refused(void **state)
{
    scene s;
    (void)state;

    begin(&s);
    assert_status(SKED_ERR_ARG, sked_admit_masters(NULL, &s.result, NULL));
    assert_status(SKED_ERR_ARG, sked_admit_masters(&s.in, NULL, NULL));
    s.result.struct_size = 8;
    is_refused_too(&s, SKED_ERR_VERSION);
    s.in.struct_size = 8;
    is_refused_too(&s, SKED_ERR_VERSION);
    s.in.kinds = 0;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.in.kinds = SKED_MAX_KINDS + 1;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.in.share_ppm = PPM + 1;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.in.share_ppm = -1;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.in.part_ppm = -1;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.in.factor_ppm = 1000 * SKED_PPM + 1;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.guarantee[0] = -1;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.limit[0] = SKED_UNLIMITED;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.step[0] = 0;
    is_refused_too(&s, SKED_ERR_RANGE);
    s.result.leaf = s.result.user = NULL;
    assert_ok(sked_admit_masters(&s.in, &s.result, NULL));
}

/* Each message says what is wrong with which field. */
static void messages_are_sentences(void **state)
{
    sked_admit_apps_result out = {.struct_size = sizeof out};
    sked_admit_apps_input in = tenth();
    sked_error err;
    scene s;
    (void)state;

    in.part.num = -1;
    assert_status(SKED_ERR_RANGE, sked_admit_apps(&in, &out, &err));
    assert_string_equal(err.message, "part is out of range");
    in = tenth();
    in.total = -1;
    assert_status(SKED_ERR_RANGE, sked_admit_apps(&in, &out, &err));
    assert_string_equal(err.message, "total is out of range");
    in.leaf = -1;
    assert_status(SKED_ERR_RANGE, sked_admit_apps(&in, &out, &err));
    assert_string_equal(err.message, "leaf is out of range");
    in = tenth();
    in.part_ppm = -1;
    assert_status(SKED_ERR_RANGE, sked_admit_apps(&in, &out, &err));
    assert_string_equal(err.message, "part_ppm or factor_ppm is out of range");
    begin(&s);
    s.in.kinds = 0;
    assert_status(SKED_ERR_RANGE, sked_admit_masters(&s.in, &s.result, &err));
    assert_string_equal(err.message, "kinds is out of range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applications_go_by_parts),
        cmocka_unit_test(applications_are_refused),
        cmocka_unit_test(messages_are_sentences),
        cmocka_unit_test(masters_go_by_parts),
        cmocka_unit_test(a_limit_counts_where_it_holds_the_guarantee),
        cmocka_unit_test(the_largest_amounts_hold),
        cmocka_unit_test(masters_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
