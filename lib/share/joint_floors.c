/*
 * What is guaranteed to a child may be of no use: guarantees of two kinds in
 * another ratio than its tasks need them, or of one kind beside a scarce other.
 * So floors are made such that the child can use them, and what its tasks need
 * besides goes along.
 */
#include "share/joint_family.h"

#include <sched/queue.h>

/* A floor no larger than what can be used beside the parts of other kinds. */
static int64_t usable_floor(const joint_family *f, uint32_t row, uint32_t k)
{
    const skedi_joint *j = f->j;
    size_t at = joint_at(j, k, row);
    int64_t floor = j->floor[at];
    int64_t kept = skedi_i64_min(j->kept[at], floor);

    for (uint32_t i = 0; i < j->kinds; i++) {
        size_t other = joint_at(j, i, row);
        if (i == k || !(f->contended >> i & 1)) continue;
        if (floor <= kept || j->part[other] >= j->most[other]) continue;
        floor = skedi_i64_min(floor,
                              j->beside(j->ctx, row, k, i, j->part[other]));
    }
    return skedi_i64_max(floor, kept);
}

/* A part of what a row would like at most. */
typedef struct joint_ratio {
    uint64_t num;
    uint64_t den;
} joint_ratio;

static int ratio_below(joint_ratio a, joint_ratio b)
{
    return skedi_cmp_mul(a.num, b.den, b.num, a.den) < 0;
}

/* The part at which it has the largest of its floors, if its parts of all kinds
 * go so far. */
static joint_ratio ratio_of_floors(const joint_family *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    joint_ratio most = {0, 1};

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(f->contended >> k & 1) || j->most[at] == 0) continue;
        joint_ratio own = {(uint64_t)j->floor[at], (uint64_t)j->most[at]};
        if (ratio_below(most, own)) most = own;
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(f->contended >> k & 1) || j->most[at] == 0) continue;
        joint_ratio own = {(uint64_t)j->part[at], (uint64_t)j->most[at]};
        if (ratio_below(own, most)) most = own;
    }
    return most;
}

/* Floors that can be used, and of each kind as much as goes with them. */
static void set_floors(const joint_family *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    int64_t floor[SKED_MAX_KINDS];
    uint64_t rem;

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        floor[k] = f->contended >> k & 1 ? usable_floor(f, row, k) : j->top[at];
    }
    for (uint32_t k = 0; k < j->kinds; k++) {
        j->floor[joint_at(j, k, row)] = floor[k];
    }
    joint_ratio with = ratio_of_floors(f, row);
    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(f->contended >> k & 1)) continue;
        int64_t goes = (int64_t)skedi_muldiv((uint64_t)j->most[at], with.num,
                                             with.den, &rem);
        j->floor[at] = skedi_i64_max(j->floor[at], goes);
    }
}

void skedi_joint_floors(const joint_family *f)
{
    for (uint32_t c = f->from; c < f->to; c++) set_floors(f, c);
}

/* ---- Keys ---- */

/* floor(floor(2^62 * num / den) / weight), at most 2^63. */
static uint64_t joint_part(int64_t num, int64_t den, uint32_t weight)
{
    const uint64_t most = UINT64_C(1) << 63;
    uint64_t rem;

    if (num == 0) return 0;
    if (den == 0) return most;
    skedi_u128 scaled = skedi_u128_shl(skedi_u128_of((uint64_t)num), 62);
    skedi_u128 part = skedi_u128_div(scaled, (uint64_t)den, &rem);
    part = skedi_u128_div(part, weight, &rem);
    return skedi_u128_cmp(part, skedi_u128_of(most)) < 0 ? skedi_u128_low(part)
                                                         : most;
}

/* The largest part of what `of` says, over some kinds. */
static uint64_t largest_of_most(const skedi_joint *j, uint32_t row,
                                const int64_t *of, uint32_t kinds)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        size_t at = joint_at(j, k, row);
        if (!(kinds >> k & 1)) continue;
        uint64_t part = joint_part(j->most[at], of[at], 1);
        most = part > most ? part : most;
    }
    return most;
}

static uint64_t dominant_part(const skedi_joint *j, uint32_t row)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k < j->kinds; k++) {
        uint64_t part = joint_part(j->most[joint_at(j, k, row)], j->capacity[k],
                                   j->weight[row]);
        most = part > most ? part : most;
    }
    return most;
}

/* Contended kinds in which a row has a floor, and can use something: what is
 * kept for it of others says nothing of what it has to rise to. */
static uint32_t floored(const joint_family *f, uint32_t row)
{
    uint32_t kinds = 0;

    for (uint32_t k = 0; k < f->j->kinds; k++) {
        size_t at = joint_at(f->j, k, row);
        if (f->j->floor[at] > 0 && f->j->most[at] > 0) {
            kinds |= UINT32_C(1) << k;
        }
    }
    return kinds & f->contended;
}

uint64_t skedi_joint_key(const joint_family *f, uint32_t row)
{
    const skedi_joint *j = f->j;
    uint32_t fair = j->fair_kind[f->parent], kinds = 0;
    uint64_t key = 0;

    if (j->weight[row] == 0) return 0;
    switch (j->order[f->parent]) {
    case SKED_ORDER_POLICY_FAIR:
        key = joint_part(j->most[joint_at(j, fair, row)], j->capacity[fair],
                         j->weight[row]);
        if (j->most[joint_at(j, fair, row)] == 0) key = dominant_part(j, row);
        break;
    case SKED_ORDER_POLICY_UTILISATION:
        kinds = floored(f, row); /* fallthrough */
    case SKED_ORDER_POLICY_SHARE:
        key = largest_of_most(j, row, kinds ? j->floor : j->part,
                              kinds ? kinds : f->contended);
        break;
    default: key = dominant_part(j, row);
    }
    return key ? key : 1;
}
