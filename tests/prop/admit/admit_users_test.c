/* Bounds of users against their twin over random leaves. */
#include "test.h"

#include <sched/admit.h>

#include <string.h>

#include "ref_admit.h"
#include "size.h"
#include "words.h"

enum { USERS = 7, KINDS = 3 };

typedef struct leaf {
    sked_admit_users_input in;
    int64_t guarantee[KINDS], limit[KINDS], step[KINDS];
    int64_t used[USERS * KINDS], wanted[USERS * KINDS];
    uint32_t weight[USERS];
} leaf;

/* Small numbers, and now and then those at the end. */
static int64_t amount(test_words *w, uint64_t below, int huge)
{
    if (!huge) return (int64_t)test_below(w, below);
    return SKED_AMOUNT_MAX / (USERS + 1) - (int64_t)test_below(w, below);
}

static void draw_leaf(leaf *l, test_words *w)
{
    static const int64_t parts[] = {0,       1,        333333,    500000,
                                    1000000, 10000000, 1000000000};
    uint32_t kinds = 1 + (uint32_t)test_below(w, KINDS);
    uint64_t n = test_below(w, USERS + 1);
    int huge = test_below(w, 5) == 0;

    l->in = (sked_admit_users_input){.struct_size = sizeof l->in,
                                     .kinds = kinds,
                                     .n = n,
                                     .part_ppm = parts[test_below(w, 7)],
                                     .factor_ppm = parts[test_below(w, 7)],
                                     .guarantee = l->guarantee,
                                     .limit = l->limit,
                                     .step = l->step,
                                     .used = l->used,
                                     .wanted = l->wanted,
                                     .weight = l->weight};
    if (test_below(w, 3) == 0) l->in.factor_ppm = SKED_UNLIMITED;
    for (uint32_t k = 0; k < kinds; k++) {
        l->guarantee[k] = test_below(w, 3) ? amount(w, 60, huge) : 0;
        l->limit[k] = test_below(w, 3) ? amount(w, 90, huge) : SKED_UNLIMITED;
        l->step[k] = 1 + (int64_t)test_below(w, 9);
        if (huge && test_below(w, 3) == 0) l->step[k] = SKED_AMOUNT_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        int asks = test_below(w, 3) > 0;
        l->weight[i] = (uint32_t)test_below(w, 4);
        if (test_below(w, 40) == 0) l->weight[i] = UINT32_MAX;
        for (size_t k = 0; k < kinds; k++) {
            l->used[i * kinds + k] = amount(w, 40, huge);
            l->wanted[i * kinds + k] = asks ? amount(w, 20, huge) : 0;
        }
    }
}

static void users_have_what_the_words_say(void **state)
{
    static leaf l;
    int64_t bound[2][USERS * KINDS], wanted[2][USERS * KINDS];
    uint8_t may[2][USERS];
    test_words w = {11};
    uint64_t yes = 0, no = 0;
    (void)state;

    for (size_t i = 0; i < test_size(20000, 1000000); i++) {
        sked_admit_users_result result = {.struct_size = sizeof result,
                                          .bound = bound[0],
                                          .wanted = wanted[0],
                                          .may = may[0]};
        draw_leaf(&l, &w);
        assert_ok(sked_admit_users(&l.in, &result, NULL));
        ref_admit_users(&l.in, bound[1], wanted[1], may[1]);
        for (size_t at = 0; at < l.in.n * l.in.kinds; at++) {
            assert_i64(bound[0][at], bound[1][at]);
            assert_i64(wanted[0][at], wanted[1][at]);
        }
        for (size_t user = 0; user < l.in.n; user++) {
            assert_int_equal(may[0][user], may[1][user]);
            yes += may[0][user];
            no += !may[0][user];
        }
    }
    assert_true(yes > 1000 && no > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_have_what_the_words_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
