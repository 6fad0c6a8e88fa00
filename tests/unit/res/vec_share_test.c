#include "test.h"

#include <sched/sked.h>

#include "words.h"

enum { MOST_KINDS = 5 };

typedef struct dominant_case {
    int64_t capacity[2];
    int64_t usage[2];
    sked_ratio share;
    int32_t kind;
} dominant_case;

#define BIG (INT64_C(1) << 60)

static const dominant_case dominant_cases[] = {
    {{9, 18}, {6, 2}, {2, 3}, 0},   /* the DRF paper's user B */
    {{0, 20}, {0, 10}, {1, 2}, 1},  /* no capacity, no use: ignored */
    {{10, 20}, {0, 0}, {0, 1}, -1}, /* nothing used */
    {{0, 0}, {0, 0}, {0, 1}, -1},   /* nothing there, nothing used */
    {{10, 20}, {5, 10}, {1, 2}, 0}, /* equal: the first kind */
    {{0, 20}, {1, 40}, {1, 0}, 0},  /* used without capacity: infinite */
    {{5, 0}, {50, 3}, {1, 0}, 1},   /* infinite is above ten */
    {{0, 0}, {7, 3}, {1, 0}, 0},    /* infinities are equal */
    {{BIG, 1024}, {BIG / 2 + 1, 512}, {BIG / 2 + 1, BIG}, 0},
    {{SKED_AMOUNT_MAX, 3},
     {SKED_UNLIMITED, 6},
     {2, 1},
     1}, /* 2^63 - 1 over 2^62 is below 2 */
};

static void the_dominant_share_is_exact(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof dominant_cases / sizeof *dominant_cases;
         i++) {
        const dominant_case *c = &dominant_cases[i];
        sked_ratio share;
        int32_t kind = 9;
        sked_vec_dominant(c->capacity, c->usage, 2, &share, &kind);
        assert_i64(share.num, c->share.num);
        assert_i64(share.den, c->share.den);
        assert_int_equal(kind, c->kind);
        sked_vec_dominant(c->capacity, c->usage, 2, &share, NULL);
        assert_i64(share.num, c->share.num);
    }
}

static void ratios_compare_exactly(void **state)
{
    sked_ratio third = {1, 3}, same = {5, 15}, none = {0, 7}, over = {3, 0};
    sked_ratio big = {SKED_AMOUNT_MAX - 1, SKED_AMOUNT_MAX};
    sked_ratio less = {SKED_AMOUNT_MAX - 2, SKED_AMOUNT_MAX - 1};
    (void)state;

    assert_int_equal(sked_ratio_compare(third, same), 0);
    assert_int_equal(sked_ratio_compare(none, third), -1);
    assert_int_equal(sked_ratio_compare(third, none), 1);
    assert_int_equal(sked_ratio_compare(big, less), 1);
    assert_int_equal(sked_ratio_compare(over, big), 1);
    assert_int_equal(sked_ratio_compare(big, over), -1);
    assert_int_equal(sked_ratio_compare(over, over), 0);
}

static void reports_get_doubles(void **state)
{
    (void)state;
    assert_true(sked_ratio_double((sked_ratio){1, 4}) == 0.25);
    assert_true(sked_ratio_double((sked_ratio){0, 1}) == 0);
    assert_true(sked_ratio_double((sked_ratio){1, 0}) > 1e308);

    /* 1 - 2^-51 but for little: here it is two doubles off, no more. */
    const int64_t one = (int64_t)1 << 61;
    double got = sked_ratio_double(
        (sked_ratio){one + 257, one + 3 * 512 + 255});
    assert_true(got >= 1 - 0x1p-51 - 0x1p-51 && got <= 1 - 0x1p-51 + 0x1p-51);
}

static int by_dominant(const int64_t *capacity, const int64_t *a,
                       uint32_t weight_a, const int64_t *b, uint32_t weight_b)
{
    sked_vec_weighted left = {a, weight_a, 0}, right = {b, weight_b, 0};
    int order = sked_vec_compare_dominant(capacity, &left, &right, 2);

    assert_int_equal(sked_vec_compare_dominant(capacity, &right, &left, 2),
                     -order);
    return order;
}

static void weights_divide_dominant_shares(void **state)
{
    const int64_t capacity[] = {10, 20}, a[] = {5, 2}, b[] = {3, 0};
    const int64_t idle[] = {0, 0}, dear[] = {1, 0}, none[] = {0, 20};
    (void)state;

    assert_int_equal(by_dominant(capacity, a, 1, b, 1), 1);
    assert_int_equal(by_dominant(capacity, a, 5, b, 3), 0);
    assert_int_equal(by_dominant(capacity, a, 4, b, 2), -1);
    assert_int_equal(by_dominant(capacity, a, 1, idle, 1), 1);
    assert_int_equal(by_dominant(capacity, idle, 1, idle, 7), 0);
    assert_int_equal(by_dominant(capacity, idle, 0, a, 1), -1);
    assert_int_equal(by_dominant(capacity, b, 0, a, 1), 1);
    assert_int_equal(by_dominant(capacity, b, 0, a, 0), 0);
    assert_int_equal(by_dominant(none, dear, 9, a, 1), 0);
    assert_int_equal(by_dominant(none, dear, 9, none, 1), 1);
}

/* A part in 10^18 apart, with weights: beyond doubles and beyond 128 bits. */
static void weighted_shares_need_192_bits(void **state)
{
    const int64_t capacity[] = {SKED_AMOUNT_MAX - 1, 1};
    const int64_t a[] = {SKED_AMOUNT_MAX - 2, 0};
    const int64_t b[] = {SKED_AMOUNT_MAX - 3, 0};
    (void)state;

    assert_int_equal(by_dominant(capacity, a, UINT32_MAX, b, UINT32_MAX), 1);
    assert_int_equal(by_dominant(capacity, a, UINT32_MAX, b, UINT32_MAX - 1),
                     -1);
    assert_int_equal(by_dominant(capacity, a, UINT32_MAX, a, UINT32_MAX), 0);
}

typedef struct shares_case {
    int64_t capacity[3];
    int64_t a[3];
    int64_t b[3];
    int order;
} shares_case;

static const shares_case shares_cases[] = {
    {{4, 4, 4}, {1, 1, 1}, {1, 1, 1}, 0},
    {{4, 4, 4}, {1, 2, 1}, {2, 1, 0}, 1},  /* 2 1 1 against 2 1 0 */
    {{4, 8, 2}, {1, 4, 0}, {2, 1, 0}, 1},  /* halves; then 1/4 against 1/8 */
    {{4, 0, 4}, {1, 9, 1}, {2, 0, 0}, -1}, /* the second kind is not there */
    {{4, 4, 4}, {0, 0, 3}, {2, 2, 2}, 1},
    {{4, 4, 4}, {-1, -2, -3}, {-1, -2, -2}, -1}, /* overdrawn */
    {{4, 4, 4}, {INT64_MIN, 0, 0}, {-1, 0, 0}, -1},
    {{0, 0, 0}, {1, 1, 2}, {1, 1, 1}, 1},
    {{0, 0, 0}, {1, 0, 1}, {1, 1, 1}, -1},
    {{0, 0, 0}, {2, 0, 1}, {1, 1, 1}, 0},
    {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 0},
};

static void equal_shares_go_on_to_the_next(void **state)
{
    (void)state;

    for (size_t i = 0; i < sizeof shares_cases / sizeof *shares_cases; i++) {
        const shares_case *c = &shares_cases[i];
        assert_int_equal(sked_vec_compare_shares(c->capacity, c->a, c->b, 3),
                         c->order);
        assert_int_equal(sked_vec_compare_shares(c->capacity, c->b, c->a, 3),
                         -c->order);
    }
}

static void kinds_beyond_the_most_are_not_looked_at(void **state)
{
    int64_t capacity[SKED_MAX_KINDS + 1], a[SKED_MAX_KINDS + 1];
    int64_t b[SKED_MAX_KINDS + 1];
    (void)state;

    for (int k = 0; k <= SKED_MAX_KINDS; k++) capacity[k] = a[k] = b[k] = 1;
    a[SKED_MAX_KINDS] = 2;
    assert_int_equal(
        sked_vec_compare_shares(capacity, a, b, SKED_MAX_KINDS + 1), 0);
    a[SKED_MAX_KINDS - 1] = 2;
    assert_int_equal(
        sked_vec_compare_shares(capacity, a, b, SKED_MAX_KINDS + 1), 1);
}

/* a/b against c/d by continued fractions: whole parts, then what is over. */
static int slow_order(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    int turn = 1;

    for (;;) {
        uint64_t left = a / b, right = c / d;
        uint64_t over_a = a % b, over_c = c % d;
        if (left != right) return left < right ? -turn : turn;
        if (over_a == 0 || over_c == 0) {
            return turn * ((over_a > 0) - (over_c > 0));
        }
        a = b; /* both upside down: the order turns */
        b = over_a;
        c = d;
        d = over_c;
        turn = -turn;
    }
}

static int slow_part_order(const int64_t *capacity, const int64_t *a,
                           const int64_t *b, int i, int k)
{
    return slow_order((uint64_t)a[i], (uint64_t)capacity[i], (uint64_t)b[k],
                      (uint64_t)capacity[k]);
}

/* The kind of the next largest share that is not yet in `done`. */
static int slow_next(const int64_t *capacity, const int64_t *v, int n,
                     uint32_t *done)
{
    int best = -1;

    for (int k = 0; k < n; k++) {
        if (*done >> k & 1 || capacity[k] == 0) continue;
        if (best < 0 || slow_part_order(capacity, v, v, k, best) > 0) best = k;
    }
    if (best >= 0) *done |= (uint32_t)1 << best;
    return best;
}

static int slow_shares(const int64_t *capacity, const int64_t *a,
                       const int64_t *b, int n)
{
    uint32_t done_a = 0, done_b = 0;

    for (;;) {
        int i = slow_next(capacity, a, n, &done_a);
        int k = slow_next(capacity, b, n, &done_b);
        if (i < 0) return 0;
        int order = slow_part_order(capacity, a, b, i, k);
        if (order != 0) return order;
    }
}

static void random_rough(test_words *w, int64_t *v, int n, int few)
{
    for (int k = 0; k < n; k++) {
        v[k] = (int64_t)(few ? test_below(w, 5) : test_rough(w) >> 2);
    }
}

static void shares_agree_with_continued_fractions(void **state)
{
    test_words w = {71};
    (void)state;

    for (int i = 0; i < 50000; i++) {
        int64_t capacity[MOST_KINDS], a[MOST_KINDS], b[MOST_KINDS];
        int n = 1 + (int)test_below(&w, MOST_KINDS), few = i % 2;
        random_rough(&w, capacity, n, few);
        random_rough(&w, a, n, few);
        random_rough(&w, b, n, few);
        if (capacity[n - 1] == 0) capacity[n - 1] = 1;
        assert_int_equal(sked_vec_compare_shares(capacity, a, b, (size_t)n),
                         slow_shares(capacity, a, b, n));
    }
}

static void weighted_shares_agree_with_continued_fractions(void **state)
{
    test_words w = {72};
    (void)state;

    for (int i = 0; i < 50000; i++) {
        int64_t a[2] = {(int64_t)(test_rough(&w) >> 33), 0};
        int64_t b[2] = {(int64_t)(test_rough(&w) >> 33), 0};
        const int64_t capacity[2] = {(int64_t)(test_rough(&w) >> 33) + 1, 5};
        uint32_t u = (uint32_t)(test_rough(&w) >> 32) | 1;
        uint32_t v = (uint32_t)(test_rough(&w) >> 32) | 1;
        assert_int_equal(by_dominant(capacity, a, u, b, v),
                         slow_order((uint64_t)a[0], u, (uint64_t)b[0], v));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dominant_share_is_exact),
        cmocka_unit_test(ratios_compare_exactly),
        cmocka_unit_test(reports_get_doubles),
        cmocka_unit_test(weights_divide_dominant_shares),
        cmocka_unit_test(weighted_shares_need_192_bits),
        cmocka_unit_test(equal_shares_go_on_to_the_next),
        cmocka_unit_test(kinds_beyond_the_most_are_not_looked_at),
        cmocka_unit_test(shares_agree_with_continued_fractions),
        cmocka_unit_test(weighted_shares_agree_with_continued_fractions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
