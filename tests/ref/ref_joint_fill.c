/* The arithmetic of shares, with plain wide numbers. */
#include "ref_joint_fill.h"

#include <sched/base.h>

#include <stdlib.h>
#include <string.h>

static ref_wide wide(int64_t x)
{
    return ref_wide_of((uint64_t)x);
}

int64_t ref_joint_ratio(int64_t x, int64_t num, ref_wide den)
{
    return ref_joint_amount(
        ref_wide_div(ref_wide_mul(wide(x), (uint64_t)num), den));
}

int64_t ref_joint_amount(ref_wide x)
{
    if (ref_wide_cmp(x, wide(SKED_AMOUNT_MAX)) > 0) return SKED_AMOUNT_MAX;
    return (int64_t)ref_wide_word(x, 0);
}

int ref_joint_better(const int64_t *a, const int64_t *b, uint32_t k,
                     uint32_t by)
{
    return ref_wide_cmp(ref_wide_mul(wide(a[k]), (uint64_t)b[by]),
                        ref_wide_mul(wide(b[k]), (uint64_t)a[by])) > 0;
}

ref_wide ref_joint_times(const ref_want *want, uint32_t k)
{
    return ref_wide_mul(wide(want->task[k]), (uint64_t)want->count);
}

ref_wide ref_joint_beside(const int64_t *task, uint32_t k, uint32_t by,
                          int64_t bound)
{
    return ref_wide_div(ref_wide_mul(wide(bound), (uint64_t)task[k]),
                        wide(task[by]));
}

ref_wide ref_joint_key(const int64_t *hi, const int64_t *by, uint32_t kinds,
                       uint32_t which, uint32_t weight)
{
    const ref_wide end = ref_wide_shift(ref_wide_of(1), 63);
    ref_wide best = ref_wide_of(1);

    for (uint32_t k = 0; k < kinds; k++) {
        ref_wide x = end;
        if (!(which >> k & 1) || hi[k] == 0) continue;
        if (by[k] > 0 && weight > 0) {
            x = ref_wide_div(ref_wide_shift(wide(hi[k]), 62), wide(by[k]));
            x = ref_wide_div(x, ref_wide_of(weight));
        }
        if (ref_wide_cmp(x, best) > 0) best = x;
    }
    return ref_wide_cmp(best, end) > 0 ? end : best;
}

/* ---- Families ---- */

void ref_family_open(ref_family *f, const int64_t *floors)
{
    size_t n = (size_t)f->n * f->kinds;

    f->low = calloc(n + 1, sizeof *f->low);
    f->number = calloc((size_t)f->n + 1, sizeof *f->number);
    if (!f->low || !f->number) abort();
    memcpy(f->low, floors, n * sizeof *floors);
    for (uint32_t k = 0; k < f->kinds; k++) {
        ref_wide sum = ref_wide_of(0);
        for (uint32_t i = 0; i < f->n; i++) {
            sum = ref_wide_add(sum, wide(floors[i * f->kinds + k]));
        }
        if (ref_wide_cmp(sum, wide(f->total[k])) <= 0) continue;
        for (uint32_t i = 0; i < f->n; i++) {
            int64_t *low = &f->low[i * f->kinds + k];
            *low = ref_joint_ratio(*low, f->total[k], sum);
        }
    }
}

void ref_family_close(ref_family *f)
{
    free(f->low);
    free(f->number);
}

static int64_t clamped(ref_wide x, int64_t low, int64_t top)
{
    if (ref_wide_cmp(x, wide(low)) < 0) return low;
    if (ref_wide_cmp(x, wide(top)) > 0) return top;
    return (int64_t)ref_wide_word(x, 0);
}

/* Where a child leaves its floor (or reaches its top), as weight r: x / w. */
typedef struct level_at {
    int64_t x;
    uint32_t w;
} level_at;

/* The sum at that level is no more than the total. */
static int holds(const ref_family *f, uint32_t k, level_at r)
{
    ref_wide sum = ref_wide_of(0);

    for (uint32_t i = 0; i < f->n; i++) {
        size_t at = (size_t)i * f->kinds + k;
        ref_wide x = ref_wide_mul(wide(r.x), f->weight[i]);
        ref_wide low = ref_wide_mul(wide(f->low[at]), r.w);
        ref_wide top = ref_wide_mul(wide(f->top[at]), r.w);
        if (ref_wide_cmp(x, top) > 0) x = top;
        if (f->weight[i] == 0 || ref_wide_cmp(x, low) < 0) x = low;
        sum = ref_wide_add(sum, x);
    }
    return ref_wide_cmp(sum, ref_wide_mul(wide(f->total[k]), r.w)) <= 0;
}

static int higher(level_at a, level_at b)
{
    return ref_wide_cmp(ref_wide_mul(wide(a.x), b.w),
                        ref_wide_mul(wide(b.x), a.w)) > 0;
}

/* The highest level at which a child begins or ends to rise that the total
 * holds. */
static level_at last_held(const ref_family *f, uint32_t k)
{
    level_at best = {0, 1};

    for (uint32_t i = 0; i < 2 * f->n; i++) {
        const int64_t *of = i < f->n ? f->low : f->top;
        level_at r = {of[(size_t)(i % f->n) * f->kinds + k],
                      f->weight[i % f->n]};
        if (r.w > 0 && higher(r, best) && holds(f, k, r)) best = r;
    }
    return best;
}

void ref_family_fill(const ref_family *f, uint32_t k, int64_t *part)
{
    ref_wide left = wide(f->total[k]), all = ref_wide_of(0);
    level_at r = last_held(f, k);
    uint64_t weights = 0;

    for (uint32_t i = 0; i < f->n; i++) {
        all = ref_wide_add(all, wide(f->top[(size_t)i * f->kinds + k]));
    }
    int fits = ref_wide_cmp(all, left) <= 0;
    for (uint32_t i = 0; i < f->n; i++) {
        size_t at = (size_t)i * f->kinds + k;
        int low = f->weight[i] == 0 ||
                  higher((level_at){f->low[at], f->weight[i]}, r);
        int top = !low && !higher((level_at){f->top[at], f->weight[i]}, r);
        if (fits) low = f->weight[i] == 0, top = !low;
        part[at] = top ? f->top[at] : low ? f->low[at] : -1;
        if (part[at] < 0)
            weights += f->weight[i];
        else if (!fits)
            left = ref_wide_minus(left, wide(part[at]));
    }
    for (uint32_t i = 0; i < f->n; i++) {
        size_t at = (size_t)i * f->kinds + k;
        if (part[at] >= 0) continue;
        part[at] = (int64_t)ref_wide_word(
            ref_wide_div(ref_wide_mul(left, f->weight[i]),
                         ref_wide_of(weights)),
            0);
    }
}

/* What a child has at a level. */
static int64_t at_level(const ref_family *f, uint32_t i, uint32_t k, ref_wide L)
{
    size_t at = (size_t)i * f->kinds + k;

    if (!(f->hot >> k & 1)) return f->top[at];
    if (f->weight[i] == 0) return f->low[at];
    return clamped(
        ref_wide_div(ref_wide_mul(L, (uint64_t)f->hi[at]), f->number[i]),
        f->low[at], f->top[at]);
}

/* Kinds of which a level takes more than there is; who stays has its share. */
static uint32_t beyond(const ref_family *f, const uint8_t *stays,
                       const int64_t *share, ref_wide L)
{
    uint32_t over = 0;

    for (uint32_t k = 0; k < f->kinds; k++) {
        ref_wide sum = ref_wide_of(0);
        for (uint32_t i = 0; i < f->n; i++) {
            int64_t x = stays[i] ? share[(size_t)i * f->kinds + k]
                                 : at_level(f, i, k, L);
            sum = ref_wide_add(sum, wide(x));
        }
        if (!(f->hot >> k & 1)) continue;
        if (ref_wide_cmp(sum, wide(f->total[k])) > 0) over |= UINT32_C(1) << k;
    }
    return over;
}

/* Does a level, of amounts that are not rounded but to 2^-32 of a unit, take no
 * more of a kind than there is? */
static int flows(const ref_family *f, const uint8_t *stays,
                 const int64_t *share, uint32_t k, ref_wide L)
{
    ref_wide sum = ref_wide_of(0);

    for (uint32_t i = 0; i < f->n; i++) {
        size_t at = (size_t)i * f->kinds + k;
        ref_wide x = ref_wide_shift(wide(f->low[at]), 32);
        ref_wide top = ref_wide_shift(wide(f->top[at]), 32);
        if (f->weight[i] > 0 && !stays[i]) {
            ref_wide y = ref_wide_mul(L, (uint64_t)f->hi[at]);
            y = ref_wide_div(ref_wide_shift(y, 32), f->number[i]);
            if (ref_wide_cmp(y, x) > 0) x = y;
            if (ref_wide_cmp(x, top) > 0) x = top;
        }
        if (stays[i]) x = ref_wide_shift(wide(share[at]), 32);
        sum = ref_wide_add(sum, x);
    }
    return ref_wide_cmp(sum, ref_wide_shift(wide(f->total[k]), 32)) <= 0;
}

/* The level at which a kind ends so, below one that takes too much of it. */
static ref_wide end_of(const ref_family *f, const uint8_t *stays,
                       const int64_t *share, uint32_t k, ref_wide high)
{
    ref_wide low = ref_wide_of(0), one = ref_wide_of(1);

    while (ref_wide_cmp(ref_wide_add(low, one), high) < 0) {
        ref_wide mid = ref_wide_div(ref_wide_add(low, high), ref_wide_of(2));
        if (flows(f, stays, share, k, mid))
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* Of kinds of which a level takes too much, those that end first. */
static uint32_t first_of(const ref_family *f, const uint8_t *stays,
                         const int64_t *share, uint32_t over, ref_wide L)
{
    uint32_t first = over;

    for (uint32_t k = 0; k < f->kinds; k++) {
        for (uint32_t by = 0; by < f->kinds; by++) {
            if (!(over >> k & 1) || !(over >> by & 1)) continue;
            if (ref_wide_cmp(end_of(f, stays, share, k, L),
                             end_of(f, stays, share, by, L)) > 0) {
                first &= ~(UINT32_C(1) << k);
            }
        }
    }
    return first;
}

/* The largest level up to the last that takes no more than there is. */
static ref_wide highest(const ref_family *f, const uint8_t *stays,
                        const int64_t *share, ref_wide L, ref_wide last)
{
    ref_wide top = last;

    while (ref_wide_cmp(L, top) < 0) {
        ref_wide mid = ref_wide_add(ref_wide_add(L, top), ref_wide_of(1));
        mid = ref_wide_div(mid, ref_wide_of(2));
        if (beyond(f, stays, share, mid))
            top = ref_wide_minus(mid, ref_wide_of(1));
        else
            L = mid;
    }
    return L;
}

/* Would a child have more of these kinds at a higher level? */
static int wants_more(const ref_family *f, uint32_t i, uint32_t over,
                      ref_wide L, ref_wide last)
{
    for (uint32_t k = 0; k < f->kinds; k++) {
        if ((over >> k & 1) && at_level(f, i, k, last) > at_level(f, i, k, L)) {
            return 1;
        }
    }
    return 0;
}

void ref_family_level(const ref_family *f, int64_t *share)
{
    uint8_t *stays = calloc((size_t)f->n + 1, 1);
    ref_wide L = ref_wide_of(0), last = ref_wide_of(1);
    uint32_t left = f->n;

    if (!stays) abort();
    for (uint32_t i = 0; i < f->n; i++) {
        if (ref_wide_cmp(f->number[i], last) > 0) last = f->number[i];
    }
    while (left > 0) {
        L = highest(f, stays, share, L, last);
        int end = ref_wide_cmp(L, last) == 0;
        ref_wide next = ref_wide_add(L, ref_wide_of(1));
        uint32_t over = end ? UINT32_MAX : beyond(f, stays, share, next);
        if (!end) over = first_of(f, stays, share, over, next);
        for (uint32_t i = 0; i < f->n; i++) {
            if (stays[i] || (!end && !wants_more(f, i, over, L, last)))
                continue;
            for (uint32_t k = 0; k < f->kinds; k++) {
                share[(size_t)i * f->kinds + k] = at_level(f, i, k, L);
            }
            stays[i] = 1;
            left--;
        }
    }
    free(stays);
}
