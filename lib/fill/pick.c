/*
 * Exact selection among fractions.
 *
 * Quickselect with a pivot drawn from a fixed sequence: the answer does not
 * depend on the draw, only the work does. Comparisons multiply crosswise in
 * 128 bits, so nothing is rounded.
 */
#include "fill/pick.h"

#include "fill/row.h"

/* By the fractions alone. */
static int key_cmp(const skedi_fill_key *a, const skedi_fill_key *b)
{
    if (a->w != b->w) return skedi_cmp_mul(a->v, b->w, b->v, a->w);
    if (a->top != b->top) return a->top < b->top ? -1 : 1;
    return (a->v > b->v) - (a->v < b->v);
}

static int key_before(const skedi_fill_key *a, const skedi_fill_key *b)
{
    int order = key_cmp(a, b);

    return order != 0 ? order < 0 : a->id < b->id;
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

/* A key that is probably not far from the middle: of three, if many. */
static size_t draw_pivot(const skedi_fill_key *keys, size_t n)
{
    uint64_t state = n + UINT64_C(0x9e3779b97f4a7c15);
    size_t a = draw(n, &state);

    if (n > 32) {
        size_t b = draw(n, &state), c = draw(n, &state);
        size_t less = key_before(&keys[a], &keys[b]) ? a : b;
        size_t more = less == a ? b : a;
        a = key_before(&keys[c], &keys[less])   ? less
            : key_before(&keys[c], &keys[more]) ? c
                                                : more;
    }
    return a;
}

size_t skedi_fill_split(skedi_fill_work *work, skedi_fill_key *keys, size_t n)
{
    size_t front = 0;

    key_swap(&keys[draw_pivot(keys, n)], &keys[n - 1]);
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

/* Gives to the keys before the pivot and to the first `ties` equal to it. */
static void give_to(const skedi_fill_key *keys, size_t n,
                    const skedi_fill_key *pivot, size_t ties, int by,
                    int64_t *share)
{
    for (size_t i = 0; i < n; i++) {
        int order = by * key_cmp(&keys[i], pivot);
        if (order > 0 || (order == 0 && ties == 0)) continue;
        ties -= order == 0;
        share[keys[i].id] += by;
    }
}

/* Keeps the keys on one side of the pivot, in their order. */
static size_t keep_side(skedi_fill_key *keys, size_t n,
                        const skedi_fill_key *pivot, int side)
{
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        skedi_fill_key key = keys[i];
        keys[m] = key;
        m += key_cmp(&key, pivot) == side;
    }
    return m;
}

/*
 * The keys are never reordered, only thinned out, so that among equals the
 * first ones found are the first to get.
 */
void skedi_fill_give(skedi_fill_work *work, skedi_fill_key *keys, size_t n,
                     size_t want, int by, int64_t *share)
{
    work->stats.candidates += n;
    work->stats.repaired += want;
    while (want > 0) {
        const skedi_fill_key pivot = keys[draw_pivot(keys, n)];
        size_t before = 0, ties = 0;
        for (size_t i = 0; i < n; i++) {
            int order = by * key_cmp(&keys[i], &pivot);
            before += order < 0;
            ties += order == 0;
        }
        work->stats.select_steps += n;
        if (want < before) {
            n = keep_side(keys, n, &pivot, -by);
            continue;
        }
        size_t equals = want - before < ties ? want - before : ties;
        give_to(keys, n, &pivot, equals, by, share);
        want -= before + equals;
        if (want > 0) n = keep_side(keys, n, &pivot, by);
    }
}

/* x or -x modulo 2^128, without a branch; x is not 0. */
static skedi_u128 with_sign(uint64_t x, uint64_t minus)
{
    return skedi_u128_make(minus, (x ^ minus) - minus);
}

/* Passes the breakpoint: a row leaves lo and rises, or stops at hi. */
static void sums_pass(skedi_fill_sums *sums, const skedi_fill_key *key)
{
    uint64_t rises = (uint64_t)(key->id >> 31) - 1; /* all ones or none */

    sums->fixed = skedi_u128_add(sums->fixed, with_sign(key->v, rises));
    sums->slope = skedi_u128_add(sums->slope, with_sign(key->w, ~rises));
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
