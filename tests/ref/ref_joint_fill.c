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

/* ---- Families ---- */

void ref_family_open(ref_family *f, const int64_t *floors)
{
    size_t n = (size_t)f->n * f->kinds;

    f->low = calloc(n + 1, sizeof *f->low);
    if (!f->low) abort();
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
