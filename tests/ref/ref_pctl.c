#include "ref_pctl.h"

#include <stdlib.h>

#include "ref_wide.h"

typedef struct unit {
    uint64_t length;
    uint64_t amount;
} unit;

static int by_amount(const void *a, const void *b)
{
    uint64_t x = ((const unit *)a)->amount, y = ((const unit *)b)->amount;

    return (x > y) - (x < y);
}

static sked_wide wide_out(ref_wide x)
{
    return (sked_wide){ref_wide_word(x, 1), ref_wide_word(x, 0)};
}

/* amount * length of the first `n`. */
static ref_wide usage_of(const unit *u, size_t n)
{
    ref_wide sum = ref_wide_of(0);

    for (size_t i = 0; i < n; i++) {
        sum = ref_wide_add(sum,
                           ref_wide_mul(ref_wide_of(u[i].amount), u[i].length));
    }
    return sum;
}

/* `n` sorted units of one queue, each in use for longer than nothing. */
static sked_pctl_point point_by_sort(const unit *u, size_t n, uint64_t in_use,
                                     sked_ratio p)
{
    ref_wide want = ref_wide_mul(ref_wide_of(in_use), (uint64_t)p.num);
    sked_pctl_point out = {.covered = {0, 1}};
    uint64_t sum = 0;
    size_t i = 0, end;

    if (n == 0) return out;
    while (ref_wide_cmp(ref_wide_mul(ref_wide_of(sum), (uint64_t)p.den), want) <
           0) {
        sum += u[i++].length;
    }
    uint64_t amount = u[i - 1].amount;
    for (end = i; end < n && u[end].amount == amount; end++) {
        sum += u[end].length;
    }
    for (; i > 0 && u[i - 1].amount == amount; i--) continue;
    out.amount = (int64_t)amount;
    out.lower = i > 0 ? (int64_t)u[i - 1].amount : 0;
    out.higher = end < n ? (int64_t)u[end].amount : 0;
    out.covered = (sked_ratio){(int64_t)sum, (int64_t)in_use};
    out.waste = wide_out(ref_wide_minus(ref_wide_mul(ref_wide_of(amount), sum),
                                        usage_of(u, end)));
    return out;
}

void ref_pctl(const int64_t *length, const int64_t *amount, size_t n,
              const sked_ratio *threshold, size_t thresholds,
              sked_pctl_point *point, sked_pctl_queue *total)
{
    unit *u = malloc((n + 1) * sizeof *u);
    size_t used = 0;

    *total = (sked_pctl_queue){0};
    for (size_t i = 0; i < n; i++) {
        if (amount[i] == 0) total->vacant += length[i];
        if (amount[i] == 0 || length[i] == 0) continue;
        total->in_use += length[i];
        u[used++] = (unit){(uint64_t)length[i], (uint64_t)amount[i]};
    }
    qsort(u, used, sizeof *u, by_amount);
    total->least = used ? (int64_t)u[0].amount : 0;
    total->peak = used ? (int64_t)u[used - 1].amount : 0;
    total->usage = wide_out(usage_of(u, used));
    for (size_t j = 0; j < thresholds; j++) {
        point[j] = point_by_sort(u, used, (uint64_t)total->in_use,
                                 threshold[j]);
    }
    free(u);
}
