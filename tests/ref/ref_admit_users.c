#include "ref_admit.h"

#include "ref_wide.h"

/* ceil or floor of a * num / den, at most SKED_AMOUNT_MAX. */
static uint64_t portion(uint64_t a, uint64_t num, uint64_t den, int up)
{
    ref_wide top = ref_wide_mul(ref_wide_of(a), num);
    ref_wide most = ref_wide_of((uint64_t)SKED_AMOUNT_MAX);

    if (up) top = ref_wide_add(top, ref_wide_of(den - 1));
    ref_wide part = ref_wide_div(top, ref_wide_of(den));
    return ref_wide_cmp(part, most) > 0 ? (uint64_t)SKED_AMOUNT_MAX
                                        : ref_wide_word(part, 0);
}

static int asks(const sked_admit_users_input *in, size_t user)
{
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (in->wanted[user * in->kinds + k] > 0) return 1;
    }
    return 0;
}

static uint64_t bound_of(const sked_admit_users_input *in, size_t user,
                         uint32_t k)
{
    uint64_t step = (uint64_t)in->step[k], all = 0, active = 0;
    uint64_t weights = 0, active_weights = 0, base, weight, part = 0, most;
    uint64_t whole = (uint64_t)in->guarantee[k];

    if (whole < step) whole = step;
    for (size_t i = 0; i < in->n; i++) {
        uint64_t used = (uint64_t)in->used[i * in->kinds + k];
        all += used;
        weights += in->weight[i];
        if (!asks(in, i)) continue;
        active += used;
        active_weights += in->weight[i];
    }
    uint64_t there = all < whole ? whole : all + step;
    base = asks(in, user) ? active + step : there;
    weight = asks(in, user) ? active_weights : weights;
    if (weight > 0) part = portion(base, 1, weight, 1);
    uint64_t least = portion(there, (uint64_t)in->part_ppm, 1000000, 1);
    if (part < least) part = least;
    if (in->factor_ppm == SKED_UNLIMITED || in->guarantee[k] == 0) {
        most = in->limit[k] == SKED_UNLIMITED
                   ? (uint64_t)SKED_AMOUNT_MAX
                   : (uint64_t)in->limit[k] / step * step;
    } else {
        most = portion((uint64_t)whole, (uint64_t)in->factor_ppm, 1000000, 0);
    }
    if (part > most) part = most;
    part = (part + step - 1) / step * step;
    return portion(part, in->weight[user], 1, 0) / step * step;
}

void ref_admit_users(const sked_admit_users_input *in, int64_t *bound,
                     int64_t *wanted, uint8_t *may)
{
    for (size_t i = 0; i < in->n; i++) {
        may[i] = (uint8_t)asks(in, i);
        for (uint32_t k = 0; k < in->kinds; k++) {
            size_t at = i * in->kinds + k;
            bound[at] = (int64_t)bound_of(in, i, k);
            wanted[at] = in->wanted[at];
            if (in->used[at] + wanted[at] > bound[at]) {
                wanted[at] = bound[at] - in->used[at];
            }
            if (wanted[at] < 0) wanted[at] = 0;
            if (in->wanted[at] > 0 && in->used[at] > bound[at]) may[i] = 0;
        }
    }
}
