/* The thresholds that a tier may have. */
#include "tiers/threshold.h"
#include "base/fail.h"

int skedi_tier_bounds_are_sound(int64_t low, int64_t high, int64_t step)
{
    return low >= 1 && low <= high && high <= SKED_PPM && step >= 0;
}

sked_status sked_tiers_thresholds(int64_t low_ppm, int64_t high_ppm,
                                  int64_t step_ppm, int64_t *ppm, size_t cap,
                                  size_t *n, sked_error *err)
{
    const char *missing = !n ? "n" : cap > 0 && !ppm ? "ppm" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!skedi_tier_bounds_are_sound(low_ppm, high_ppm, step_ppm))
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "low, high or step is out of range");
    int64_t step = skedi_tier_step(step_ppm);
    *n = (size_t)skedi_tier_count(low_ppm, high_ppm, step);
    if (cap < *n) return skedi_fail_cap(err, *n, cap);
    for (size_t i = 0; i < *n; i++) {
        ppm[i] = skedi_tier_threshold(low_ppm, high_ppm, step, i);
    }
    return SKED_OK;
}
