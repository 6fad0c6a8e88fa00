/*
 * Arithmetic on vectors, one amount a kind. A function that can fail checks
 * every kind before the first write. A failed call therefore leaves its output
 * unchanged, even if the output is also an input.
 */
#include <string.h>

#include "base/fail.h"
#include "base/arith.h"
#include "base/decay.h"
#include "res/amount.h"

/* Writes a + b to `sum`. Returns 0 if the sum exceeds the largest amount. */
static int add_amounts(int64_t a, int64_t b, int64_t *sum)
{
    *sum = skedi_amount_add(a, b);
    return *sum != SKED_UNLIMITED || a == SKED_UNLIMITED || b == SKED_UNLIMITED;
}

sked_status sked_vec_add(const int64_t *a, const int64_t *b, size_t n,
                         int64_t *out, sked_error *err)
{
    int64_t sum;

    for (size_t k = 0; k < n; k++) {
        if (!add_amounts(a[k], b[k], &sum))
            return skedi_fail_plain(err, SKED_ERR_RANGE,
                                    "the sum is out of range");
    }
    for (size_t k = 0; k < n; k++) out[k] = skedi_amount_add(a[k], b[k]);
    return SKED_OK;
}

sked_status sked_vec_subtract(const int64_t *a, const int64_t *b, size_t n,
                              int64_t *out, sked_error *err)
{
    for (size_t k = 0; k < n; k++) {
        if (a[k] < b[k])
            return skedi_fail_plain(err, SKED_ERR_RANGE,
                                    "the difference is below 0");
    }
    sked_vec_excess(a, b, n, out);
    return SKED_OK;
}

void sked_vec_excess(const int64_t *a, const int64_t *b, size_t n, int64_t *out)
{
    for (size_t k = 0; k < n; k++) out[k] = skedi_amount_sub(a[k], b[k]);
}

void sked_vec_min(const int64_t *a, const int64_t *b, size_t n, int64_t *out)
{
    for (size_t k = 0; k < n; k++) out[k] = skedi_i64_min(a[k], b[k]);
}

void sked_vec_max(const int64_t *a, const int64_t *b, size_t n, int64_t *out)
{
    for (size_t k = 0; k < n; k++) out[k] = skedi_i64_max(a[k], b[k]);
}

/* a * num / den as an amount; 0: the result is no amount. */
static int scale_amount(int64_t a, sked_ratio by, int32_t rounding,
                        int64_t *out)
{
    uint64_t den = (uint64_t)by.den, rem;
    const uint64_t most = (uint64_t)SKED_AMOUNT_MAX;

    if (a == SKED_UNLIMITED) {
        *out = a;
        return 1;
    }
    skedi_u128 x = skedi_u128_mul((uint64_t)a, (uint64_t)by.num);
    x = skedi_u128_div(x, den, &rem);
    if (rem > 0 && rounding == SKED_ROUNDING_REFUSE) return 0;
    int up = skedi_rounds_up(rem, den, rounding);
    x = skedi_u128_add(x, skedi_u128_of((uint64_t)up));
    if (skedi_u128_cmp(x, skedi_u128_of(most)) > 0) return 0;
    *out = (int64_t)skedi_u128_low(x);
    return 1;
}

sked_status sked_vec_scale(const int64_t *a, sked_ratio by, int32_t rounding,
                           size_t n, int64_t *out, sked_error *err)
{
    int64_t found[SKED_MAX_KINDS];

    if (by.den <= 0 || by.num < 0 || !skedi_is_rounding(rounding) ||
        n > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "no such ratio, rounding or n");
    }
    for (size_t k = 0; k < n; k++) {
        if (!scale_amount(a[k], by, rounding, &found[k]))
            return skedi_fail_plain(err, SKED_ERR_RANGE,
                                    "the product is out of range");
    }
    memcpy(out, found, n * sizeof *out);
    return SKED_OK;
}

/* a in whole steps, down or up; -1: the result exceeds the largest amount. */
static int64_t in_steps(int64_t a, int64_t step, int up)
{
    if (step <= 0 || a == SKED_UNLIMITED || a % step == 0) return a;
    int64_t down = a - a % step;
    if (!up) return down;
    return step > SKED_AMOUNT_MAX - down ? -1 : down + step;
}

sked_status sked_vec_round(const int64_t *a, const int64_t *step,
                           int32_t rounding, size_t n, int64_t *out,
                           sked_error *err)
{
    int up = rounding == SKED_ROUNDING_UP;

    if (!up && rounding != SKED_ROUNDING_DOWN)
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such rounding");
    for (size_t k = 0; k < n; k++) {
        if (in_steps(a[k], step[k], up) < 0)
            return skedi_fail_plain(err, SKED_ERR_RANGE,
                                    "amount or step is out of range");
    }
    for (size_t k = 0; k < n; k++) out[k] = in_steps(a[k], step[k], up);
    return SKED_OK;
}

sked_status sked_vec_normalise(const int64_t *asked, const int64_t *least,
                               const int64_t *most, const int64_t *step,
                               size_t n, int64_t *out, sked_error *err)
{
    int64_t found[SKED_MAX_KINDS] = {0};

    if (n > SKED_MAX_KINDS)
        return skedi_fail_plain(err, SKED_ERR_RANGE, "n is too large");
    sked_vec_max(asked, least, n, found);
    sked_status rc = sked_vec_round(found, step, SKED_ROUNDING_UP, n, found,
                                    err);
    if (rc == SKED_OK) sked_vec_min(found, most, n, out);
    return rc;
}

int sked_vec_compare(const int64_t *a, const int64_t *b, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    }
    return 0;
}

uint32_t sked_vec_relation(const int64_t *a, const int64_t *b, size_t n,
                           uint32_t kinds)
{
    uint32_t found = 0;

    for (size_t k = 0; k < n; k++, kinds >>= 1) {
        if (!(kinds & 1)) continue;
        found |= a[k] < b[k]    ? SKED_VEC_LESS
                 : a[k] == b[k] ? SKED_VEC_EQUAL
                                : SKED_VEC_MORE;
    }
    return found;
}

uint32_t sked_vec_asked(const int64_t *vec, size_t n)
{
    uint32_t kinds = 0;

    for (size_t k = 0; k < n; k++) kinds |= (uint32_t)(vec[k] > 0) << k;
    return kinds;
}

int sked_vec_fits(const int64_t *demand, const int64_t *free, size_t n)
{
    return !(sked_vec_relation(demand, free, n, UINT32_MAX) & SKED_VEC_MORE);
}

int sked_vec_fits_asked(const int64_t *demand, const int64_t *free, size_t n)
{
    uint32_t kinds = sked_vec_asked(demand, n);

    return !(sked_vec_relation(demand, free, n, kinds) & SKED_VEC_MORE);
}

int64_t sked_vec_count(const int64_t *demand, const int64_t *free, size_t n)
{
    int64_t count = SKED_UNLIMITED;

    for (size_t k = 0; k < n; k++) {
        if (demand[k] <= 0 || free[k] == SKED_UNLIMITED) continue;
        int64_t times = free[k] < 0 ? 0 : free[k] / demand[k];
        count = skedi_i64_min(count, times);
    }
    return count;
}

sked_status sked_vec_sum(const int64_t *rows, size_t count, size_t n,
                         int64_t *out, sked_error *err)
{
    int64_t sum[SKED_MAX_KINDS] = {0};

    if (n > SKED_MAX_KINDS)
        return skedi_fail_plain(err, SKED_ERR_RANGE, "n is too large");
    for (size_t i = 0; i < count; i++) {
        if (sked_vec_add(sum, rows + i * n, n, sum, NULL) != SKED_OK) {
            return skedi_fail_plain(err, SKED_ERR_RANGE,
                                    "the sum is out of range");
        }
    }
    memcpy(out, sum, n * sizeof *out);
    return SKED_OK;
}

size_t sked_vec_fits_rows(const int64_t *demand, const int64_t *rows,
                          size_t count, size_t n, uint8_t *fits)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        fits[i] = (uint8_t)sked_vec_fits(demand, rows + i * n, n);
        found += fits[i];
    }
    return found;
}

sked_status sked_vec_decay(int64_t *amounts, size_t n, int64_t elapsed_ns,
                           int64_t half_life_ns, sked_error *err)
{
    if (elapsed_ns < 0 || half_life_ns < 1)
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "elapsed_ns or half_life_ns is out of range");

    skedi_decay decay = skedi_decay_over(elapsed_ns, half_life_ns);
    for (size_t i = 0; i < n; i++) {
        if (amounts[i] == SKED_UNLIMITED) continue;
        amounts[i] = (int64_t)skedi_decay_of(decay, (uint64_t)amounts[i]);
    }
    return SKED_OK;
}
