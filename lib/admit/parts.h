#ifndef SKEDI_ADMIT_PARTS_H
#define SKEDI_ADMIT_PARTS_H

/* Parts of amounts, and steps. */

#include <sched/admit.h>

#include "base/arith.h"

/* May one user have such a part, and times so much? */
static inline int skedi_admit_is_part(int64_t part_ppm, int64_t factor_ppm)
{
    const int64_t most = INT64_C(1000) * SKED_PPM;

    return part_ppm >= 0 && part_ppm <= most &&
           (factor_ppm == SKED_UNLIMITED ||
            (factor_ppm >= 0 && factor_ppm <= most));
}

/* a * num / den, at most SKED_AMOUNT_MAX; `up`: a rest counts as one. */
static inline uint64_t skedi_admit_part(uint64_t a, uint64_t num, uint64_t den,
                                        int up)
{
    uint64_t rest, most = (uint64_t)SKED_AMOUNT_MAX;

    if (skedi_cmp_mul(a, num, most, den) >= 0) return most;
    uint64_t part = skedi_muldiv(a, num, den, &rest);
    return part + (uint64_t)(up && rest > 0);
}

/* A multiple of a step that is no less, or no more. */
static inline uint64_t skedi_admit_stepped(uint64_t amount, uint64_t step,
                                           int up)
{
    uint64_t rest = amount % step;

    if (rest == 0) return amount;
    return up ? amount - rest + step : amount - rest;
}

#endif
