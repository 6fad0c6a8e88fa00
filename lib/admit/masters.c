/* What the masters of a leaf's applications may hold, and those of one user. */
#include "admit/parts.h"
#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_admit_masters_input, weight);
SKEDI_NO_TAIL_PADDING(sked_admit_masters_result, user);

enum {
    ADMIT_MASTERS_V1 = SKEDI_SIZE_THROUGH(sked_admit_masters_input, weight),
    ADMIT_MASTERS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_admit_masters_result,
                                                 user)
};

/* ---- What may be wrong ---- */

static sked_status masters_amounts(const int64_t *amounts, uint32_t kinds,
                                   int64_t least, sked_error *err)
{
    for (uint32_t k = 0; amounts && k < kinds; k++) {
        if (amounts[k] >= least && amounts[k] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = amounts[k],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

static sked_status masters_said(sked_admit_masters_input *in,
                                const sked_admit_masters_input *input,
                                sked_error *err)
{
    sked_status rc = skedi_struct_in(in, sizeof *in, input, ADMIT_MASTERS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (in->kinds == 0 || in->kinds > SKED_MAX_KINDS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "kinds is out of range");
    }
    if (in->share_ppm < 0 || in->share_ppm > SKED_PPM ||
        !skedi_admit_is_part(in->part_ppm, in->factor_ppm)) {
        return skedi_fail_plain(
            err, SKED_ERR_RANGE,
            "share_ppm, part_ppm or factor_ppm is out of range");
    }
    rc = masters_amounts(in->guarantee, in->kinds, 0, err);
    if (rc == SKED_OK) rc = masters_amounts(in->limit, in->kinds, 0, err);
    return rc == SKED_OK ? masters_amounts(in->step, in->kinds, 1, err) : rc;
}

/* ---- The bounds ---- */

/* A part of an amount: at most all of it. */
typedef struct masters_part {
    uint64_t num;
    uint64_t den; /* below 2^32 */
} masters_part;

/* The part of a user, by its weight. */
static masters_part part_of_user(const sked_admit_masters_input *in)
{
    uint64_t active = in->active ? in->active : 1, ppm = (uint64_t)SKED_PPM;
    uint64_t least = (uint64_t)in->part_ppm;
    masters_part part = {1, active};

    if (least * active > ppm) part = (masters_part){least, ppm};
    part.num *= in->weight;
    return part.num >= part.den ? (masters_part){1, 1} : part;
}

/*
 * amount * share_ppm * part * factor_ppm, rounded up, at most SKED_AMOUNT_MAX.
 * Without the factor that is below 2^114: it is divided by all that the product
 * is to be divided by, and quotient and rest are taken times the factor.
 */
static uint64_t masters_of(uint64_t amount, uint64_t share, masters_part part,
                           uint64_t factor)
{
    uint64_t most = (uint64_t)SKED_AMOUNT_MAX, ppm = (uint64_t)SKED_PPM;
    uint64_t a, b, c;
    skedi_u128 all = skedi_u128_mul(amount, share * part.num);

    skedi_u128 whole = skedi_u128_div(all, ppm * ppm, &a);
    whole = skedi_u128_div(whole, part.den, &b);
    /* The rest is b * ppm^2 + a, of part.den * ppm^2. */
    skedi_u128 more = skedi_u128_add(
        skedi_u128_mul(b, factor),
        skedi_u128_div(skedi_u128_mul(a, factor), ppm * ppm, &a));
    more = skedi_u128_div(more, part.den, &c);
    uint64_t times = skedi_u128_low(whole); /* at most amount / ppm */
    if (skedi_cmp_mul(times, factor, most, 1) >= 0) return most;
    uint64_t sum = times * factor + skedi_u128_low(more) +
                   (uint64_t)(a > 0 || c > 0);
    return sum < most ? sum : most;
}

static int64_t masters_stepped(uint64_t amount, const int64_t *step, uint32_t k)
{
    uint64_t up = skedi_admit_stepped(amount, step ? (uint64_t)step[k] : 1, 1);

    return skedi_i64_min((int64_t)up, SKED_AMOUNT_MAX);
}

/* Does the limit hold all that is guaranteed? */
static int limit_counts(const sked_admit_masters_input *in)
{
    int holds = in->limit != NULL;

    for (uint32_t k = 0; holds && in->guarantee && k < in->kinds; k++) {
        holds = in->guarantee[k] <= in->limit[k];
    }
    return holds;
}

sked_status sked_admit_masters(const sked_admit_masters_input *input,
                               sked_admit_masters_result *result,
                               sked_error *err)
{
    sked_admit_masters_input in;

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size,
                                      ADMIT_MASTERS_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    rc = masters_said(&in, input, err);
    if (rc != SKED_OK) return rc;
    const int64_t *leaf = limit_counts(&in) ? in.limit : in.guarantee;
    const masters_part all = {1, 1}, own = part_of_user(&in);
    result->reserved = 0;
    for (uint32_t k = 0; k < in.kinds; k++) {
        uint64_t has = leaf ? (uint64_t)leaf[k] : 0;
        uint64_t sure = in.guarantee ? (uint64_t)in.guarantee[k] : 0;
        uint64_t share = (uint64_t)in.share_ppm;
        int64_t most = masters_stepped(
            masters_of(has, share, all, (uint64_t)SKED_PPM), in.step, k);
        int64_t user = most;
        if (in.factor_ppm != SKED_UNLIMITED) {
            user = masters_stepped(
                masters_of(sure, share, own, (uint64_t)in.factor_ppm), in.step,
                k);
        }
        if (result->leaf) result->leaf[k] = most;
        if (result->user) result->user[k] = skedi_i64_min(user, most);
    }
    return SKED_OK;
}
