/* Applications and masters against their twins over random leaves. */
#include "test.h"

#include <sched/admit.h>

#include "ref_admit.h"
#include "size.h"
#include "words.h"

enum { KINDS = 3 };

static const int64_t parts[] = {0,      1,       333333,   500000,
                                999999, 1000000, 10000000, 1000000000};

static int64_t part(test_words *w)
{
    return parts[test_below(w, 8)];
}

static int64_t factor(test_words *w)
{
    return test_below(w, 5) ? part(w) : SKED_UNLIMITED;
}

/* Small numbers, and now and then those at the end. */
static int64_t amount(test_words *w, uint64_t below)
{
    if (test_below(w, 6)) return (int64_t)test_below(w, below);
    return SKED_AMOUNT_MAX - (int64_t)test_below(w, below);
}

static void applications_are_what_the_words_say(void **state)
{
    test_words w = {12};
    (void)state;

    for (size_t i = 0; i < test_size(20000, 1000000); i++) {
        int64_t den = 1 + amount(&w, 1000) % SKED_AMOUNT_MAX, leaf, user;
        const sked_admit_apps_input in = {
            .struct_size = sizeof in,
            .total = amount(&w, 20000),
            .part = {(int64_t)test_below(&w, (uint64_t)den + 1), den},
            .leaf = test_below(&w, 2) ? SKED_UNSET : amount(&w, 1000),
            .part_ppm = part(&w),
            .factor_ppm = factor(&w)};
        sked_admit_apps_result out = {.struct_size = sizeof out};
        assert_ok(sked_admit_apps(&in, &out, NULL));
        ref_admit_apps(&in, &leaf, &user);
        assert_i64(out.leaf, leaf);
        assert_i64(out.user, user);
    }
}

static void masters_have_what_the_words_say(void **state)
{
    test_words w = {13};
    uint64_t own = 0;
    (void)state;

    for (size_t i = 0; i < test_size(20000, 1000000); i++) {
        int64_t guarantee[KINDS], limit[KINDS], step[KINDS];
        int64_t leaf[2][KINDS], user[2][KINDS];
        const sked_admit_masters_input in = {
            .struct_size = sizeof in,
            .kinds = 1 + (uint32_t)test_below(&w, KINDS),
            .guarantee = guarantee,
            .limit = limit,
            .step = step,
            .share_ppm = parts[test_below(&w, 6)],
            .part_ppm = part(&w),
            .factor_ppm = factor(&w),
            .active = test_below(&w, 9) ? (uint32_t)test_below(&w, 5)
                                        : UINT32_MAX,
            .weight = test_below(&w, 9) ? (uint32_t)test_below(&w, 5)
                                        : UINT32_MAX};
        sked_admit_masters_result out = {
            .struct_size = sizeof out, .leaf = leaf[0], .user = user[0]};
        for (uint32_t k = 0; k < in.kinds; k++) {
            guarantee[k] = amount(&w, 3000000);
            limit[k] = amount(&w, 9000000);
            step[k] = 1 + amount(&w, 9) % SKED_AMOUNT_MAX;
        }
        assert_ok(sked_admit_masters(&in, &out, NULL));
        ref_admit_masters(&in, leaf[1], user[1]);
        for (uint32_t k = 0; k < in.kinds; k++) {
            assert_i64(leaf[0][k], leaf[1][k]);
            assert_i64(user[0][k], user[1][k]);
            own += user[0][k] > 0 && user[0][k] < leaf[0][k];
        }
    }
    assert_true(own > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applications_are_what_the_words_say),
        cmocka_unit_test(masters_have_what_the_words_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
