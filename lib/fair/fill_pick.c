/*
 * Exact selection among fractions.
 *
 * Quickselect with a pivot drawn from a fixed sequence: the answer does not
 * depend on the draw, only the work does. Comparisons multiply crosswise in
 * 128 bits, so nothing is rounded.
 */
#include "fair/fill_pick.h"

#include "fair/fill_row.h"

static int key_before(const skedi_fill_key *a, const skedi_fill_key *b)
{
    if (a->w != b->w) {
        skedi_u128 left = skedi_u128_mul(a->v, b->w);
        skedi_u128 right = skedi_u128_mul(b->v, a->w);
        int order = skedi_u128_cmp(left, right);
        if (order != 0) return order < 0;
    } else if (a->top != b->top) {
        return a->top < b->top;
    } else if (a->v != b->v) {
        return a->v < b->v;
    }
    return a->id < b->id;
}

static void key_swap(skedi_fill_key *a, skedi_fill_key *b)
{
    skedi_fill_key held = *a;

    *a = *b;
    *b = held;
}

/* A place in [0, n), from the n-th number of a fixed sequence. */
static size_t draw(size_t n, uint64_t *state)
{
    *state = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    *state ^= *state >> 27;
    return (size_t)((*state >> 32) * (uint64_t)n >> 32);
}

/* Brings a fair pivot to the end of the keys. */
static void place_pivot(skedi_fill_key *keys, size_t n)
{
    uint64_t state = n + UINT64_C(0x9e3779b97f4a7c15);
    skedi_fill_key *a = &keys[draw(n, &state)];

    if (n > 32) { /* the middle of three */
        skedi_fill_key *b = &keys[draw(n, &state)];
        skedi_fill_key *c = &keys[draw(n, &state)];
        skedi_fill_key *less = key_before(a, b) ? a : b;
        skedi_fill_key *more = less == a ? b : a;
        a = key_before(c, less) ? less : key_before(c, more) ? c : more;
    }
    key_swap(a, &keys[n - 1]);
}

size_t skedi_fill_split(skedi_fill_work *work, skedi_fill_key *keys, size_t n)
{
    size_t front = 0;

    place_pivot(keys, n);
    const skedi_fill_key pivot = keys[n - 1];
    for (size_t j = 0; j + 1 < n; j++) {
        skedi_fill_key key = keys[j];
        keys[j] = keys[front];
        keys[front] = key;
        front += (size_t)key_before(&key, &pivot);
    }
    key_swap(&keys[front], &keys[n - 1]);
    work->stats.select_steps += n;
    return front;
}

void skedi_fill_pick(skedi_fill_work *work, skedi_fill_key *keys, size_t n,
                     size_t k)
{
    while (k > 0 && k < n) {
        size_t at = skedi_fill_split(work, keys, n);
        if (k <= at) {
            n = at;
        } else {
            keys += at + 1;
            n -= at + 1;
            k -= at + 1;
        }
    }
}

/* Passes the breakpoint: a row leaves lo and rises, or stops at hi. */
static void sums_pass(skedi_fill_sums *sums, const skedi_fill_key *key)
{
    skedi_u128 v = skedi_u128_of(key->v), w = skedi_u128_of(key->w);

    if (key->id & SKEDI_FILL_STOP) {
        sums->fixed = skedi_u128_add(sums->fixed, v);
        sums->slope = skedi_u128_sub(sums->slope, w);
    } else {
        sums->fixed = skedi_u128_sub(sums->fixed, v);
        sums->slope = skedi_u128_add(sums->slope, w);
    }
}

/* Does the family, at the level of `key`, use `total` or more? */
static int reaches(const skedi_fill_sums *sums, const skedi_fill_key *key,
                   uint64_t total)
{
    if (skedi_u128_cmp(sums->fixed, skedi_u128_of(total)) > 0) return 1;
    uint64_t left = total - skedi_u128_low(sums->fixed);
    return skedi_fill_cmp(sums->slope, key->v, skedi_u128_mul(left, key->w)) >=
           0;
}

int skedi_fill_cross(skedi_fill_work *work, skedi_fill_key *keys, size_t n,
                     skedi_fill_sums sums, skedi_fill_level *level)
{
    uint64_t total = (uint64_t)level->total;

    while (n > 0) {
        size_t at = skedi_fill_split(work, keys, n);
        skedi_fill_sums here = sums;
        for (size_t i = 0; i < at; i++) sums_pass(&here, &keys[i]);
        if (reaches(&here, &keys[at], total)) {
            n = at;
            continue;
        }
        sums_pass(&here, &keys[at]);
        sums = here;
        keys += at + 1;
        n -= at + 1;
    }
    skedi_u128 zero = skedi_u128_of(0);
    int order = skedi_u128_cmp(sums.fixed, skedi_u128_of(total));
    if (order > 0) return -1;
    if (order < 0 && skedi_u128_cmp(sums.slope, zero) == 0) return 1;
    level->num = total - skedi_u128_low(sums.fixed);
    level->den = order == 0 ? skedi_u128_of(1) : sums.slope;
    return 0;
}
