#include "ref_fill.h"

#include <stdlib.h>

/* A row with the corner rules applied; while guarantees are cut, as weights. */
typedef struct ref_row {
    uint64_t lo;
    uint64_t hi;
    uint64_t w;
} ref_row;

static ref_row plain_row(const skedi_fill_in *in, size_t i)
{
    ref_row row;

    row.w = in->weight ? in->weight[i] : in->wide ? (uint64_t)in->wide[i] : 1;
    row.hi = (uint64_t)in->hi[i];
    row.lo = in->lo ? (uint64_t)in->lo[i] : 0;
    if (row.hi < row.lo) row.lo = row.hi;
    if (!row.w) row.hi = row.lo;
    return row;
}

static ref_row row_of(const skedi_fill_in *in, const skedi_fill_level *level,
                      size_t i)
{
    ref_row row = plain_row(in, i);

    if (level->outcome == SKED_FILL_OUTCOME_OVERCOMMIT) {
        row.w = row.hi = row.lo;
        row.lo = 0;
    }
    return row;
}

/* ---- the level ---- */

typedef struct ref_point {
    uint64_t v;
    uint64_t w;
} ref_point;

static int point_order(const void *a, const void *b)
{
    const ref_point *x = a, *y = b;

    return skedi_cmp_mul(x->v, y->w, y->v, x->w);
}

/* w * clamp(weight * v / w, lo, hi) */
static skedi_u128 held_at(const ref_row *row, const ref_point *p)
{
    skedi_u128 x = skedi_u128_mul(row->w, p->v);
    skedi_u128 lo = skedi_u128_mul(row->lo, p->w);
    skedi_u128 hi = skedi_u128_mul(row->hi, p->w);

    if (skedi_u128_cmp(x, hi) > 0) x = hi;
    if (skedi_u128_cmp(x, lo) < 0) x = lo;
    return x;
}

static int uses_total(const skedi_fill_in *in, const ref_point *p,
                      uint64_t total)
{
    skedi_u192 sum = {skedi_u128_of(0), 0};
    skedi_u192 want = skedi_u192_mul(skedi_u128_of(total), p->w);

    for (size_t i = 0; i < in->n; i++) {
        ref_row row = plain_row(in, i);
        skedi_u192 x = skedi_u192_mul(held_at(&row, p), 1);
        sum = skedi_u192_add(sum, x);
    }
    return skedi_u192_cmp(sum, want) >= 0;
}

/* The fraction on the piece that ends at `p`, where the total is used up. */
static void level_below(const skedi_fill_in *in, const ref_point *p,
                        skedi_fill_level *level)
{
    uint64_t left = (uint64_t)level->total;
    skedi_u128 slope = skedi_u128_of(0);

    for (size_t i = 0; i < in->n; i++) {
        ref_row row = plain_row(in, i);
        if (row.lo == row.hi) {
            left -= row.lo;
        } else if (skedi_cmp_mul(row.lo, p->w, row.w, p->v) >= 0) {
            left -= row.lo;
        } else if (skedi_cmp_mul(row.hi, p->w, row.w, p->v) < 0) {
            left -= row.hi;
        } else {
            slope = skedi_u128_add(slope, skedi_u128_of(row.w));
        }
    }
    level->num = left;
    level->den = slope;
}

static void level_search(const skedi_fill_in *in, skedi_fill_level *level)
{
    ref_point *points = malloc((2 * in->n + 1) * sizeof *points);
    size_t m = 0, from = 0;

    for (size_t i = 0; i < in->n; i++) {
        ref_row row = plain_row(in, i);
        if (row.lo == row.hi) continue;
        points[m++] = (ref_point){row.lo, row.w};
        points[m++] = (ref_point){row.hi, row.w};
    }
    qsort(points, m, sizeof *points, point_order);
    for (size_t to = m - 1; from < to;) {
        size_t mid = from + (to - from) / 2;
        if (uses_total(in, &points[mid], (uint64_t)level->total)) {
            to = mid;
        } else {
            from = mid + 1;
        }
    }
    level_below(in, &points[from], level);
    free(points);
}

void ref_fill_level(const skedi_fill_in *in, int64_t total,
                    skedi_fill_level *level)
{
    skedi_u128 lo = skedi_u128_of(0), hi = lo;
    skedi_u128 want = skedi_u128_of((uint64_t)total);

    for (size_t i = 0; i < in->n; i++) {
        ref_row row = plain_row(in, i);
        lo = skedi_u128_add(lo, skedi_u128_of(row.lo));
        hi = skedi_u128_add(hi, skedi_u128_of(row.hi));
    }
    *level = (skedi_fill_level){.outcome = SKED_FILL_OUTCOME_OK,
                                .total = total};
    level->den = skedi_u128_of(0);
    if (skedi_u128_cmp(hi, want) <= 0) {
        level->outcome = SKED_FILL_OUTCOME_SATURATED;
        level->total = (int64_t)skedi_u128_low(hi);
        level->leftover = total - level->total;
    } else if (skedi_u128_cmp(lo, want) > 0) {
        level->outcome = SKED_FILL_OUTCOME_OVERCOMMIT;
        level->num = (uint64_t)total;
        level->den = lo;
    } else if (skedi_u128_cmp(lo, want) == 0) {
        level->den = skedi_u128_of(1);
    } else {
        level_search(in, level);
    }
}

/* ---- shares ---- */

/* The exact share: whole units, and `part` / den more. */
static uint64_t exact_share(const ref_row *row, const skedi_fill_level *level,
                            skedi_u128 *part)
{
    skedi_u128 zero = skedi_u128_of(0);
    skedi_u128 x = skedi_u128_mul(row->w, level->num);
    skedi_u192 product = skedi_u192_mul(x, 1);

    *part = zero;
    if (level->outcome == SKED_FILL_OUTCOME_SATURATED) return row->hi;
    if (skedi_u192_cmp(product, skedi_u192_mul(level->den, row->hi)) >= 0) {
        return row->hi;
    }
    if (skedi_u192_cmp(product, skedi_u192_mul(level->den, row->lo)) <= 0) {
        return row->lo;
    }
    return skedi_u128_low(skedi_u128_div_wide(x, level->den, part));
}

typedef struct ref_loss {
    skedi_u128 part;
    size_t i;
} ref_loss;

static int loss_order(const void *a, const void *b)
{
    const ref_loss *x = a, *y = b;
    int order = skedi_u128_cmp(y->part, x->part);

    return order ? order : (x->i > y->i) - (x->i < y->i);
}

void ref_fill_largest(const skedi_fill_in *in, const skedi_fill_level *level,
                      int64_t *share)
{
    ref_loss *loss = malloc((in->n + 1) * sizeof *loss);
    uint64_t left = (uint64_t)level->total;

    for (size_t i = 0; i < in->n; i++) {
        ref_row row = row_of(in, level, i);
        loss[i].i = i;
        share[i] = (int64_t)exact_share(&row, level, &loss[i].part);
        left -= (uint64_t)share[i];
    }
    qsort(loss, in->n, sizeof *loss, loss_order);
    for (size_t k = 0; k < left; k++) share[loss[k].i]++;
    free(loss);
}

void ref_fill_prefix(const skedi_fill_in *in, const skedi_fill_level *level,
                     int64_t *share)
{
    skedi_u128 carry = skedi_u128_of(0), part;

    for (size_t i = 0; i < in->n; i++) {
        ref_row row = row_of(in, level, i);
        share[i] = (int64_t)exact_share(&row, level, &part);
        carry = skedi_u128_add(carry, part);
        int whole = level->outcome != SKED_FILL_OUTCOME_SATURATED &&
                    skedi_u128_cmp(carry, level->den) >= 0;
        if (whole) carry = skedi_u128_sub(carry, level->den);
        share[i] += whole;
    }
}

void ref_fill_webster(const skedi_fill_in *in, const skedi_fill_level *level,
                      int64_t *share)
{
    uint64_t left = (uint64_t)level->total;

    for (size_t i = 0; i < in->n; i++) {
        share[i] = (int64_t)row_of(in, level, i).lo;
        left -= (uint64_t)share[i];
    }
    for (; left > 0; left--) {
        size_t best = in->n;
        ref_point least = {0, 1};
        for (size_t i = 0; i < in->n; i++) {
            ref_row row = row_of(in, level, i);
            ref_point key = {2 * (uint64_t)share[i] + 1, row.w};
            if ((uint64_t)share[i] >= row.hi) continue;
            if (best < in->n && point_order(&key, &least) >= 0) continue;
            best = i;
            least = key;
        }
        share[best]++;
    }
}

int ref_fill_is_webster(const skedi_fill_in *in, const skedi_fill_level *level,
                        const int64_t *share)
{
    ref_point last = {0, 1}, next = {0, 1};
    size_t last_i = in->n, next_i = in->n;
    uint64_t left = (uint64_t)level->total;

    for (size_t i = 0; i < in->n; i++) {
        ref_row row = row_of(in, level, i);
        uint64_t a = (uint64_t)share[i];
        if (a < row.lo || a > row.hi) return 0;
        left -= a;
        ref_point down = {2 * a - 1, row.w}, up = {2 * a + 1, row.w};
        if (a > row.lo && (last_i == in->n || point_order(&down, &last) >= 0)) {
            last = down; /* of equal keys the latest row is served last */
            last_i = i;
        }
        if (a < row.hi && (next_i == in->n || point_order(&up, &next) < 0)) {
            next = up; /* and the earliest one next */
            next_i = i;
        }
    }
    if (left != 0) return 0;
    if (last_i == in->n || next_i == in->n) return 1;
    int order = point_order(&last, &next);
    return order < 0 || (order == 0 && last_i < next_i);
}
