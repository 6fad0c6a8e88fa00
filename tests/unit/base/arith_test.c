/*
 * Both builds of base/arith.h, against each other where the machine has a
 * 128-bit type, and each against sums bit by bit and the laws of division.
 */
#include "test.h"

#include <sched/sked.h>

#include "arith_ops.h"
#include "base/arith.h"
#include "words.h"

enum { ROUNDS = 200000 };

static const arith_ops *const both[] = {&arith_default, &arith_pairs};

static void same(two_words got, two_words want, const char *what)
{
    if (got.high == want.high && got.low == want.low) return;
    fail_msg("%s: %016llx%016llx, not %016llx%016llx", what,
             (unsigned long long)got.high, (unsigned long long)got.low,
             (unsigned long long)want.high, (unsigned long long)want.low);
}

static two_words rough(test_words *w)
{
    two_words x = {test_rough(w), test_rough(w)};

    if (test_below(w, 3) == 0) x.high = 0;
    return x;
}

static two_words slow_add(two_words a, two_words b)
{
    two_words sum = {a.high + b.high, a.low + b.low};

    if (sum.low < a.low) sum.high++;
    return sum;
}

/* a * b modulo 2^128, one bit of b at a time. */
static two_words slow_scale(two_words a, uint64_t b)
{
    two_words sum = {0, 0};

    for (; b != 0; b >>= 1) {
        if (b & 1) sum = slow_add(sum, a);
        a = slow_add(a, a);
    }
    return sum;
}

static int slow_cmp(two_words a, two_words b)
{
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return a.low < b.low ? -1 : a.low > b.low;
}

static void products_and_sums_are_exact(void **state)
{
    test_words w = {1};
    (void)state;

    for (int i = 0; i < ROUNDS; i++) {
        two_words a = rough(&w), b = rough(&w);
        two_words low = {0, a.low};
        two_words product = slow_scale(low, b.low);
        for (int k = 0; k < 2; k++) {
            const arith_ops *op = both[k];
            same(op->add(a, b), slow_add(a, b), "add");
            same(op->sub(slow_add(a, b), b), a, "sub");
            same(op->mul(a.low, b.low), product, "mul");
            same(op->scale(a, b.low), slow_scale(a, b.low), "scale");
            assert_int_equal(op->cmp(a, b), slow_cmp(a, b));
            assert_int_equal(op->cmp(a, a), 0);
        }
    }
}

static void shifts_are_by_powers_of_two(void **state)
{
    test_words w = {2};
    (void)state;

    for (unsigned by = 0; by < 128; by++) {
        for (int i = 0; i < 100; i++) {
            two_words a = rough(&w), left = a, right = a;
            for (unsigned n = 0; n < by; n++) {
                left = slow_add(left, left);
                right.low = right.low >> 1 | right.high << 63;
                right.high >>= 1;
            }
            for (int k = 0; k < 2; k++) {
                same(both[k]->shl(a, by), left, "shl");
                same(both[k]->shr(a, by), right, "shr");
            }
        }
    }
}

static void check_quotient(wide_quotient got, two_words a, two_words b)
{
    two_words back = slow_scale(b, got.quotient.low);
    two_words rest = slow_scale(b, got.quotient.high);

    back.high += rest.low;
    assert_true(slow_cmp(got.rem, b) < 0);
    same(slow_add(back, got.rem), a, "quotient * b + rem");
}

static void a_quotient_and_its_remainder_give_the_dividend_back(void **state)
{
    test_words w = {3};
    (void)state;

    for (int i = 0; i < ROUNDS; i++) {
        two_words a = rough(&w), b = rough(&w);
        two_words low = {0, b.low ? b.low : 1};
        if (b.high == 0) b = low;
        for (int k = 0; k < 2; k++) {
            check_quotient(both[k]->div(a, low.low), a, low);
            check_quotient(both[k]->div_wide(a, b), a, b);
        }
        same(arith_pairs.div(a, low.low).quotient,
             arith_default.div(a, low.low).quotient, "div");
        same(arith_pairs.div_wide(a, b).quotient,
             arith_default.div_wide(a, b).quotient, "div_wide");
    }
}

/* -2^120 < x < 2^120, so that sums and products by small numbers fit. */
static two_words rough_signed(test_words *w)
{
    two_words x = {test_rough(w) >> 8, test_rough(w)};

    if (test_below(w, 2)) x.high = 0;
    if (test_below(w, 2)) {
        x.low = 0 - x.low;
        x.high = ~x.high + (x.low == 0);
    }
    return x;
}

static two_words slow_negate(two_words x)
{
    two_words one = {0, 1}, turned = {~x.high, ~x.low};

    return slow_add(turned, one);
}

static int slow_sign(two_words x)
{
    if (x.high >> 63) return -1;
    return x.high != 0 || x.low != 0;
}

static void check_signed(const arith_ops *op, two_words a, two_words b)
{
    two_words less = slow_add(a, slow_negate(b));

    same(op->i_add(a, b), slow_add(a, b), "i_add");
    same(op->i_sub(a, b), less, "i_sub");
    same(op->i_negate(a), slow_negate(a), "i_negate");
    same(op->i_magnitude(a), slow_sign(a) < 0 ? slow_negate(a) : a,
         "i_magnitude");
    assert_int_equal(op->i_sign(a), slow_sign(a));
    assert_int_equal(op->i_cmp(a, b), slow_sign(less));
    assert_true((uint64_t)op->i_low(a) == a.low);
}

static void signed_numbers_follow_the_laws(void **state)
{
    test_words w = {4};
    (void)state;

    for (int i = 0; i < ROUNDS; i++) {
        two_words a = rough_signed(&w), b = rough_signed(&w);
        int64_t n = (int64_t)test_rough(&w) >> (i % 64);
        two_words wide = {n < 0 ? UINT64_MAX : 0, (uint64_t)n};
        two_words small = {a.high >> 63 ? UINT64_MAX : 0, a.low | 1};
        two_words product = slow_scale(small, (uint64_t)n);
        if (n < 0) product.high -= small.low;
        for (int k = 0; k < 2; k++) {
            check_signed(both[k], a, b);
            same(both[k]->i_of(n), wide, "i_of");
            if (n != INT64_MIN) {
                same(both[k]->i_scale(small, n), product, "i_scale");
            }
        }
    }
}

static void the_least_signed_number_has_a_magnitude(void **state)
{
    two_words least = {(uint64_t)1 << 63, 0};
    (void)state;

    for (int k = 0; k < 2; k++) {
        same(both[k]->i_magnitude(least), least, "i_magnitude");
        assert_int_equal(both[k]->i_sign(least), -1);
    }
}

static void muldiv_rounds_down_and_gives_the_rest(void **state)
{
    test_words w = {5};
    (void)state;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t n = test_rough(&w), den = test_rough(&w) | 1;
        uint64_t num = test_below(&w, 9) ? test_rough(&w) % den : den;
        for (int k = 0; k < 2; k++) {
            wide_quotient got = {{0, 0}, {0, 0}};
            two_words wide_n = {0, n}, wide_den = {0, den};
            got.quotient.low = both[k]->muldiv(n, num, den, &got.rem.low);
            check_quotient(got, slow_scale(wide_n, num), wide_den);
        }
    }
}

static int sign_of(int64_t x)
{
    return (x > 0) - (x < 0);
}

static void products_compare_exactly(void **state)
{
    test_words w = {6};
    (void)state;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t a = test_rough(&w) >> 1, b = test_rough(&w) >> 32;
        uint64_t c = test_rough(&w) | 1;
        uint64_t left[3] = {a, b, c}, right[3] = {b, c, a};
        for (int k = 0; k < 2; k++) {
            const arith_ops *op = both[k];
            /* a * b * c in any order, then with one factor one more */
            assert_int_equal(op->cmp_mul3(left, right), 0);
            right[2] = a + 1;
            assert_int_equal(op->cmp_mul3(left, right), b ? -1 : 0);
            assert_int_equal(op->cmp_mul3(right, left), b ? 1 : 0);
            right[2] = a;
            assert_int_equal(op->cmp_mul(a, b, b, a), 0);
            assert_int_equal(op->cmp_mul(a + 1, c, a, c), 1);
            assert_int_equal(op->cmp_mul(b, 1, a, 1),
                             sign_of((int64_t)b - (int64_t)a));
        }
    }
}

static void three_words_add_up_and_subtract(void **state)
{
    test_words w = {7};
    (void)state;

    for (int i = 0; i < ROUNDS; i++) {
        two_words a = rough(&w);
        uint64_t b = test_rough(&w), c = test_rough(&w) >> 1;
        uint64_t x[2][3], y[2][3], sum[2][3], back[2][3], once[2][3];
        for (int k = 0; k < 2; k++) {
            both[k]->mul_192(a, b, x[k]);
            both[k]->mul_192(a, c, y[k]);
            both[k]->add_192(x[k], y[k], sum[k]);
            both[k]->sub_192(sum[k], y[k], back[k]);
            both[k]->mul_192(a, b >> 1, once[k]);
            both[k]->add_192(once[k], once[k], once[k]);
            if (b & 1) {
                both[k]->add_192(once[k], (uint64_t[3]){0, a.high, a.low},
                                 once[k]);
            }
            assert_memory_equal(back[k], x[k], sizeof x[k]);
            assert_memory_equal(once[k], x[k], sizeof x[k]);
        }
        assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
    }
}

static void checked_sums_refuse_what_does_not_fit(void **state)
{
    int64_t out = 7;
    (void)state;

    assert_true(skedi_i64_add(INT64_MAX - 1, 1, &out));
    assert_i64(out, INT64_MAX);
    assert_false(skedi_i64_add(INT64_MAX, 1, &out));
    assert_false(skedi_i64_add(INT64_MIN, -1, &out));
    assert_true(skedi_i64_add(INT64_MIN, INT64_MAX, &out));
    assert_i64(out, -1);
    assert_true(skedi_i64_sub(INT64_MIN + 1, 1, &out));
    assert_i64(out, INT64_MIN);
    assert_false(skedi_i64_sub(INT64_MIN, 1, &out));
    assert_false(skedi_i64_sub(0, INT64_MIN, &out));
    assert_true(skedi_i64_sub(-1, INT64_MIN, &out));
    assert_i64(out, INT64_MAX);
}

static void checked_products_refuse_what_does_not_fit(void **state)
{
    (void)state;

    for (int k = 0; k < 2; k++) {
        int64_t out = 7;
        assert_true(both[k]->checked_mul(INT64_MAX, -1, &out));
        assert_i64(out, -INT64_MAX);
        assert_true(
            both[k]->checked_mul(INT64_C(1) << 31, -(INT64_C(1) << 32), &out));
        assert_i64(out, INT64_MIN);
        assert_false(
            both[k]->checked_mul(INT64_C(1) << 31, INT64_C(1) << 32, &out));
        assert_false(both[k]->checked_mul(INT64_MIN, -1, &out));
        assert_i64(out, INT64_MIN);
        assert_true(both[k]->checked_mul(INT64_MIN, 0, &out));
        assert_i64(out, 0);
    }
}

static void amounts_saturate_at_unlimited(void **state)
{
    (void)state;
    assert_i64(skedi_amount_add(2, 3), 5);
    assert_i64(skedi_amount_add(SKED_AMOUNT_MAX, 0), SKED_AMOUNT_MAX);
    assert_i64(skedi_amount_add(SKED_AMOUNT_MAX, 1), SKED_UNLIMITED);
    assert_i64(skedi_amount_add(1, SKED_AMOUNT_MAX), SKED_UNLIMITED);
    assert_i64(skedi_amount_add(0, SKED_UNLIMITED), SKED_UNLIMITED);
    assert_i64(skedi_amount_add(SKED_UNLIMITED, SKED_UNLIMITED),
               SKED_UNLIMITED);
    assert_i64(skedi_amount_sub(5, 3), 2);
    assert_i64(skedi_amount_sub(3, 5), 0);
    assert_i64(skedi_amount_sub(5, SKED_UNLIMITED), 0);
    assert_i64(skedi_amount_sub(SKED_UNLIMITED, 5), SKED_UNLIMITED);
    assert_i64(skedi_i64_min(-1, 2), -1);
    assert_i64(skedi_i64_min(2, -1), -1);
    assert_i64(skedi_i64_max(-1, 2), 2);
    assert_i64(skedi_i64_max(2, -1), 2);
}

static void bit_scans_find_the_ends(void **state)
{
    (void)state;

    for (unsigned i = 0; i < 64; i++) {
        uint64_t bit = (uint64_t)1 << i;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(both[k]->clz(bit), 63 - i);
            assert_int_equal(both[k]->clz(bit | (bit - 1)), 63 - i);
            assert_int_equal(both[k]->ctz(bit), i);
            assert_int_equal(both[k]->ctz(UINT64_MAX << i), i);
        }
        assert_int_equal(skedi_ones64(bit - 1), i);
        assert_int_equal(skedi_ones64(~(bit - 1)), 64 - i);
        assert_true(skedi_ceil_pow2(bit) == bit);
        if (i > 1) assert_true(skedi_ceil_pow2(bit - 1) == bit);
        if (i > 0 && i < 63) assert_true(skedi_ceil_pow2(bit + 1) == 2 * bit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_sums_are_exact),
        cmocka_unit_test(shifts_are_by_powers_of_two),
        cmocka_unit_test(a_quotient_and_its_remainder_give_the_dividend_back),
        cmocka_unit_test(signed_numbers_follow_the_laws),
        cmocka_unit_test(the_least_signed_number_has_a_magnitude),
        cmocka_unit_test(muldiv_rounds_down_and_gives_the_rest),
        cmocka_unit_test(products_compare_exactly),
        cmocka_unit_test(three_words_add_up_and_subtract),
        cmocka_unit_test(checked_sums_refuse_what_does_not_fit),
        cmocka_unit_test(checked_products_refuse_what_does_not_fit),
        cmocka_unit_test(amounts_saturate_at_unlimited),
        cmocka_unit_test(bit_scans_find_the_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
