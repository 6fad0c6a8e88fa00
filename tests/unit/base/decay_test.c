#include "test.h"

#include <string.h>

#include <sched/sked.h>

#include "base/decay.h"

/* Fractions of 256 places, most significant limb first; products of 512. */
enum { LIMBS = 8, PLACES = 256 };

static void square_of(const uint32_t x[LIMBS], uint32_t out[2 * LIMBS])
{
    memset(out, 0, 2 * LIMBS * sizeof *out);
    for (int i = LIMBS; i-- > 0;) {
        uint64_t carry = 0;
        for (int k = LIMBS; k-- > 0;) {
            carry += (uint64_t)x[i] * x[k] + out[i + k + 1];
            out[i + k + 1] = (uint32_t)carry;
            carry >>= 32;
        }
        out[i] = (uint32_t)carry;
    }
}

/* x = the square root of x, rounded down: bit by bit from the top. */
static void take_root(uint32_t x[LIMBS])
{
    uint32_t wide[2 * LIMBS] = {0}, root[LIMBS] = {0}, square[2 * LIMBS];

    memcpy(wide, x, LIMBS * sizeof *x);
    for (int bit = 0; bit < PLACES; bit++) {
        root[bit / 32] |= (uint32_t)1 << (31 - bit % 32);
        square_of(root, square);
        for (int i = 0; i < 2 * LIMBS; i++) {
            if (square[i] == wide[i]) continue;
            if (square[i] > wide[i]) {
                root[bit / 32] &= ~((uint32_t)1 << (31 - bit % 32));
            }
            break;
        }
    }
    memcpy(x, root, sizeof root);
}

/* With one bit in the fraction the largest amount shows the factor's bits. */
static void the_factors_are_roots_of_a_half(void **state)
{
    uint32_t x[LIMBS] = {(uint32_t)1 << 31};
    (void)state;

    for (int k = 1; k <= 32; k++) {
        take_root(x);
        uint64_t factor = (uint64_t)x[0] << 32 | x[1];
        skedi_decay by = {0, (uint32_t)1 << (32 - k)};
        /* amount * factor >> 64 at 2^63 and at 2^64 - 1 */
        assert_i64((int64_t)skedi_decay_of(by, (uint64_t)1 << 63),
                   (int64_t)(factor >> 1));
        assert_i64((int64_t)skedi_decay_of(by, UINT64_MAX),
                   (int64_t)(factor - 1));
    }
}

typedef struct known {
    int64_t amount;
    int64_t elapsed;
    int64_t half_life;
    int64_t left;
} known;

static void known_amounts_are_left(void **state)
{
    static const known cases[] = {
        {INT64_C(1) << 40, 1800, 3600, INT64_C(777472127993)},
        {INT64_C(1000000000000000), 1, 604800, INT64_C(999998853999346)},
        {INT64_C(1000000000000000), 604799, 604800, INT64_C(500000573081664)},
        {SKED_AMOUNT_MAX, 604800, 604800, INT64_C(2305843009213693952)},
        {SKED_AMOUNT_MAX, 2592000, 604800, INT64_C(236445568238081130)},
        {1, 1, 3600, 0},
        {SKED_AMOUNT_MAX, 0, 1, SKED_AMOUNT_MAX},
        {SKED_AMOUNT_MAX, 62, 1, 1},
        {SKED_AMOUNT_MAX, 63, 1, 0},
        {SKED_AMOUNT_MAX, INT64_MAX, 1, 0},
        {SKED_UNLIMITED, INT64_MAX, 1, SKED_UNLIMITED},
        {100, INT64_MAX, INT64_MAX, 50},
        {100, INT64_MAX - 1, INT64_MAX, 21},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t amount = cases[i].amount;
        assert_ok(sked_vec_decay(&amount, 1, cases[i].elapsed,
                                 cases[i].half_life, NULL));
        assert_i64(amount, cases[i].left);
    }
}

static void less_is_left_the_longer_it_takes(void **state)
{
    int64_t last = INT64_MAX - 1;
    (void)state;

    for (int64_t t = 0; t < 5000; t++) {
        int64_t amount = INT64_C(1000000000000);
        assert_ok(sked_vec_decay(&amount, 1, t, 700, NULL));
        assert_true(amount < last);
        last = amount;
    }
}

/* A third of a half-life is cut to 32 places, so that a little more is left
 * than the cube root of a half: of 2^62, less than 2^30. */
static void time_is_cut_to_32_places(void **state)
{
    const int64_t root = INT64_C(3660297618499336453); /* 2^62 / cbrt(2) */
    int64_t left = SKED_AMOUNT_MAX;

    (void)state;
    assert_ok(sked_vec_decay(&left, 1, 1, 3, NULL));
    assert_true(left > root && left < root + ((int64_t)1 << 30));
}

static void time_does_not_run_backwards(void **state)
{
    int64_t amounts[2] = {5, 6};
    (void)state;

    assert_status(SKED_ERR_ARG, sked_vec_decay(amounts, 2, -1, 10, NULL));
    assert_status(SKED_ERR_ARG, sked_vec_decay(amounts, 2, 1, 0, NULL));
    assert_true(amounts[0] == 5 && amounts[1] == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factors_are_roots_of_a_half),
        cmocka_unit_test(known_amounts_are_left),
        cmocka_unit_test(less_is_left_the_longer_it_takes),
        cmocka_unit_test(time_is_cut_to_32_places),
        cmocka_unit_test(time_does_not_run_backwards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
