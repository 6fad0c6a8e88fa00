#ifndef SKEDI_TIERS_THRESHOLD_H
#define SKEDI_TIERS_THRESHOLD_H

#include <sched/tiers.h>

/* What a tier may be allocated. */
#define SKEDI_TIER_MOST (SKED_AMOUNT_MAX / SKED_MAX_TIERS)

/* The step that holds: 0 asks for 1 %. A larger one than SKED_PPM leads from
 * any low to any high, too, but sums with it might overflow. */
static inline int64_t skedi_tier_step(int64_t step_ppm)
{
    if (step_ppm > SKED_PPM) return SKED_PPM;
    return step_ppm ? step_ppm : 10000;
}

/* How many thresholds a tier has, and the i-th of them. */
static inline uint64_t skedi_tier_count(int64_t low, int64_t high, int64_t step)
{
    return (uint64_t)((high - low + step - 1) / step) + 1;
}

static inline int64_t skedi_tier_threshold(int64_t low, int64_t high,
                                           int64_t step, uint64_t i)
{
    int64_t at = low + (int64_t)i * step;

    return at < high ? at : high;
}

int skedi_tier_bounds_are_sound(int64_t low, int64_t high, int64_t step);

#endif
