/* The rare parts of making a key: see drf/key.h. */
#include "drf/key.h"

#include "base/fail.h"

skedi_drf_scale skedi_drf_scale_of(int64_t capacity)
{
    uint64_t size = (uint64_t)capacity;

    if (size == 0) { /* usage is 0 here, and the part is 0 */
        return (skedi_drf_scale){.divisor = (uint64_t)1 << 63,
                                 .about = 0x1p+200};
    }
    unsigned zeros = skedi_clz64(size); /* 1 to 63 */
    skedi_drf_scale scale = {
        .divisor = size << zeros,
        .most = 4 * size - 1, /* 4 * 2^62 wraps to 0, and 0 - 1 is right */
        .capacity = size,
        .odd = zeros == 1,
        .shift = zeros > 1 ? zeros - 2 : 0,
        .about = 1 / (double)capacity,
    };
    scale.inverse = skedi_divide_inverse(scale.divisor);
    return scale;
}

/* floor(2^62 * usage / capacity), for any usage and a capacity. */
static skedi_u128 far_part(const skedi_drf_scale *scale, int64_t usage)
{
    uint64_t rem;

    return skedi_u128_div(skedi_u128_shl(skedi_u128_of((uint64_t)usage), 62),
                          scale->capacity, &rem);
}

uint64_t skedi_drf_key_far(const skedi_drf_scale *scale, const int64_t *usage,
                           uint32_t kinds, uint32_t weight)
{
    skedi_u128 most = skedi_u128_of(0);
    uint64_t rem;

    if (weight == 0) return SKED_DRF_INFINITE;
    for (uint32_t k = 0; k < kinds; k++) {
        if (usage[k] == 0) continue;
        if (scale[k].capacity == 0) return SKED_DRF_INFINITE;
        skedi_u128 part = far_part(&scale[k], usage[k]);
        if (skedi_u128_cmp(part, most) > 0) most = part;
    }
    skedi_u128 key = skedi_u128_div(most, weight, &rem);
    if (skedi_u128_cmp(key, skedi_u128_of(SKEDI_DRF_TOP)) > 0) {
        return SKEDI_DRF_TOP;
    }
    return skedi_u128_low(key);
}

/* True if a/b is above c/d; x/0 with x above 0 is above every finite ratio. */
static int part_above(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return skedi_cmp_mul((uint64_t)a, (uint64_t)d, (uint64_t)c, (uint64_t)b) >
           0;
}

sked_drf_standing skedi_drf_standing(const int64_t *usage,
                                     const int64_t *capacity, uint32_t kinds,
                                     uint32_t weight)
{
    skedi_drf_scale scale[SKED_MAX_KINDS];
    sked_drf_standing s = {.share = {0, 1}, .weight = weight, .kind = -1};

    for (uint32_t k = 0; k < kinds; k++) {
        scale[k] = skedi_drf_scale_of(capacity[k]);
        if (!part_above(usage[k], capacity[k], s.share.num, s.share.den)) {
            continue;
        }
        s.share = (sked_ratio){usage[k], capacity[k]};
        s.kind = (int32_t)k;
    }
    s.key = skedi_drf_key(scale, usage, kinds, weight,
                          skedi_drf_inverse(weight));
    return s;
}

sked_status skedi_amounts_in(const int64_t *amount, size_t n, uint32_t kinds,
                             const char *what, sked_error *err)
{
    for (size_t i = 0; i < n * kinds; i++) {
        if ((uint64_t)amount[i] <= (uint64_t)SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, what,
                          (skedi_fault){.kind = (int32_t)(i % kinds) + 1,
                                        .row = (int64_t)(i / kinds) + 1,
                                        .got = amount[i],
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}
