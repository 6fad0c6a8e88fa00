/*
 * Dominant shares as exact fractions. A share is never computed as a number.
 * Two shares are compared by their cross products, in 128 bits, or with weights
 * in 192 bits.
 */
#include "base/arith.h"
#include "res/amount.h"

/* usage / capacity of one kind; negative values count as 0. */
typedef struct share_part {
    uint64_t usage;
    uint64_t capacity; /* 0 with usage > 0: infinite */
} share_part;

static uint64_t size_of_amount(int64_t amount)
{
    return amount > 0 ? (uint64_t)amount : 0;
}

/* No 0 / 0 arrives here, because an unused kind does not count. */
static int part_cmp(share_part a, share_part b)
{
    return skedi_cmp_mul(a.usage, b.capacity, b.usage, a.capacity);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The largest part and its kind; 0/1 and -1 without usage. */
static share_part largest_part(const int64_t *capacity, const int64_t *usage,
                               size_t n, int32_t *kind)
{
    share_part best = {0, 1};

    *kind = -1;
    for (size_t k = 0; k < n; k++) {
        share_part part = {size_of_amount(usage[k]),
                           size_of_amount(capacity[k])};
        if (part.usage == 0) continue;
        if (part.capacity == 0) part.usage = 1; /* all infinities alike */
        if (part_cmp(part, best) > 0) {
            best = part;
            *kind = (int32_t)k;
        }
    }
    return best;
}

int sked_ratio_compare(sked_ratio a, sked_ratio b)
{
    share_part left = {size_of_amount(a.num), size_of_amount(a.den)};
    share_part right = {size_of_amount(b.num), size_of_amount(b.den)};

    if (left.capacity == 0 || right.capacity == 0) {
        return (left.capacity == 0) - (right.capacity == 0);
    }
    return part_cmp(left, right);
}

double sked_ratio_double(sked_ratio ratio)
{
    return (double)ratio.num / (double)ratio.den;
}

void sked_vec_dominant(const int64_t *capacity, const int64_t *usage, size_t n,
                       sked_ratio *share, int32_t *kind)
{
    int32_t found;
    share_part part = largest_part(capacity, usage, n, &found);
    uint64_t by = common_divisor(part.usage, part.capacity);

    share->num = (int64_t)(part.usage / by);
    share->den = (int64_t)(part.capacity / by);
    if (kind) *kind = found;
}

int sked_vec_compare_dominant(const int64_t *capacity,
                              const sked_vec_weighted *a,
                              const sked_vec_weighted *b, size_t n)
{
    int32_t unused;
    share_part left = largest_part(capacity, a->vec, n, &unused);
    share_part right = largest_part(capacity, b->vec, n, &unused);
    int left_infinite = left.usage > 0 &&
                        (left.capacity == 0 || a->weight == 0);
    int right_infinite = right.usage > 0 &&
                         (right.capacity == 0 || b->weight == 0);

    if (left_infinite || right_infinite) return left_infinite - right_infinite;
    if (left.usage == 0 || right.usage == 0) {
        return (left.usage > 0) - (right.usage > 0);
    }
    return skedi_cmp_mul3(
        (const uint64_t[3]){left.usage, right.capacity, b->weight},
        (const uint64_t[3]){right.usage, left.capacity, a->weight});
}

/* A share of a kind with capacity; negative if the usage is negative. */
typedef struct signed_part {
    int64_t usage;
    int64_t capacity;
} signed_part;

static int signed_cmp(signed_part a, signed_part b)
{
    return skedi_i128_cmp(skedi_i128_scale(skedi_i128_of(a.usage), b.capacity),
                          skedi_i128_scale(skedi_i128_of(b.usage), a.capacity));
}

/* Sorts the parts of kinds with capacity, largest first, and returns their
 * number. */
static size_t sorted_parts(const int64_t *capacity, const int64_t *usage,
                           size_t n, signed_part parts[SKED_MAX_KINDS])
{
    size_t count = 0;

    for (size_t k = 0; k < n && k < SKED_MAX_KINDS; k++) {
        signed_part part = {usage[k], capacity[k]};
        if (part.capacity <= 0) continue;
        size_t at = count++;
        for (; at > 0 && signed_cmp(parts[at - 1], part) < 0; at--) {
            parts[at] = parts[at - 1];
        }
        parts[at] = part;
    }
    return count;
}

/* 1 when `relation` holds more and never less, -1 the other way, else 0. */
static int dominance(uint32_t relation)
{
    int more = (relation & SKED_VEC_MORE) != 0;
    int less = (relation & SKED_VEC_LESS) != 0;

    return more - less;
}

int sked_vec_compare_shares(const int64_t *capacity, const int64_t *a,
                            const int64_t *b, size_t n)
{
    signed_part left[SKED_MAX_KINDS], right[SKED_MAX_KINDS];
    size_t count = sorted_parts(capacity, a, n, left);

    if (sorted_parts(capacity, b, n, right) == 0) {
        return dominance(sked_vec_relation(a, b, n, UINT32_MAX));
    }
    for (size_t i = 0; i < count; i++) {
        int order = signed_cmp(left[i], right[i]);
        if (order != 0) return order;
    }
    return 0;
}
