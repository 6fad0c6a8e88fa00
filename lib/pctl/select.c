/*
 * Weighted selection by histograms (radix selection). A range of amounts is cut
 * into 512 buckets of equal width. A pass adds up the lengths by bucket. The
 * bucket in which the sum is reached is the next range. Amounts have 62 bits,
 * so seven passes always suffice.
 *
 * Units of the wanted buckets are copied to a list as soon as the list can hold
 * the units. A short list is sorted. For each bucket with a threshold, the
 * nearest bucket on either side with units is also copied, so the list has the
 * next smaller and larger amounts.
 */
#include "pctl/select.h"

#include <string.h>

/*
 * Many thresholds of a queue: the units in use are sorted once, and each
 * threshold is found in the running sum of lengths.
 */

int skedi_select_reserve_sorted(skedi_select_memory *memory, size_t n,
                                skedi_mem *mem)
{
    memory->n_sorted = n;
    for (int i = 0; i < 2; i++) {
        memory->sorted[i] = skedi_new(mem, n, sizeof(skedi_keyed));
        if (!memory->sorted[i]) return 0;
    }
    return 1;
}

/* Sorts the units in use and turns the other list into sums; how many. */
static size_t sort_units(const skedi_units *u, skedi_keyed *item,
                         skedi_keyed *sum)
{
    size_t n = 0;
    uint64_t upto = 0;

    for (size_t i = 0; i < u->n; i++) {
        item[n].key = (uint64_t)u->amount[i];
        item[n].index = (uint32_t)i;
        n += u->amount[i] != 0 && u->length[i] != 0;
    }
    skedi_sort_keys(item, sum, n);
    for (size_t i = 0; i < n; i++) {
        upto += (uint64_t)u->length[item[i].index];
        sum[i].key = upto;
    }
    return n;
}

/* The first of `n` rising keys that is at least `least`; n: none. */
static size_t first_from(const skedi_keyed *item, size_t n, uint64_t least)
{
    size_t from = 0;

    while (n > 0) {
        size_t half = n / 2;
        int below = item[from + half].key < least;
        from += below ? half + 1 : 0;
        n = below ? n - half - 1 : half;
    }
    return from;
}

void skedi_select_sorted(const skedi_units *units, skedi_spot *spot, size_t n,
                         skedi_select_memory *memory)
{
    const skedi_keyed *item = memory->sorted[0], *sum = memory->sorted[1];
    size_t used = sort_units(units, memory->sorted[0], memory->sorted[1]);

    memory->work.visits += units->n;
    for (size_t j = 0; j < n; j++) {
        uint64_t amount = item[first_from(sum, used, spot[j].need)].key;
        size_t first = first_from(item, used, amount);
        size_t next = first_from(item, used, amount + 1);
        spot[j].amount = amount;
        spot[j].covered = sum[next - 1].key;
        spot[j].lower = first > 0 ? item[first - 1].key : 0;
        spot[j].higher = next < used ? item[next].key : 0;
    }
}

enum { LIST_SHORT = 40 /* units to sort rather than count */ };

static unsigned shift_of(uint64_t low, uint64_t high)
{
    unsigned bits = high > low ? 64 - skedi_clz64(high - low) : 0;

    return bits > 9 ? bits - 9 : 0;
}

/* The bucket of an amount; the last bucket is for vacant units and higher
 * amounts. */
static inline size_t bucket_of(int64_t amount, uint64_t low, unsigned shift)
{
    uint64_t at = ((uint64_t)amount - low) >> shift;

    return at < SKEDI_BUCKETS ? (size_t)at : SKEDI_BUCKETS;
}

/* Adds up lengths by bucket. Units go to two tables in turn. Neighbours often
 * have the same amount, and in a single table the second addition would wait
 * for the first. */
static void count_lengths(skedi_buckets *b, const skedi_units *u)
{
    uint64_t *other = b->other, low = b->low, sum = 0;
    unsigned shift = b->shift;
    size_t i = 0;

    memset(b->upto, 0, sizeof b->upto);
    memset(b->other, 0, sizeof b->other);
    for (; i + 1 < u->n; i += 2) {
        b->upto[bucket_of(u->amount[i], low, shift)] += (uint64_t)u->length[i];
        other[bucket_of(u->amount[i + 1], low, shift)] += (uint64_t)
                                                              u->length[i + 1];
    }
    if (i < u->n) {
        other[bucket_of(u->amount[i], low, shift)] += (uint64_t)u->length[i];
    }
    for (size_t k = 0; k < SKEDI_BUCKETS; k++) {
        sum += b->upto[k] + other[k];
        b->upto[k] = sum;
    }
}

/* The first bucket by which the lengths reach `need`; `need` is reached. */
static size_t bucket_at(const skedi_buckets *b, uint64_t need)
{
    size_t at = 0;

    for (size_t step = SKEDI_BUCKETS / 2; step > 0; step /= 2) {
        at += b->upto[at + step - 1] < need ? step : 0;
    }
    return at;
}

static uint64_t before_bucket(const skedi_buckets *b, size_t at)
{
    return at > 0 ? b->upto[at - 1] : 0;
}

/* The nearest bucket before `at` with units, or `at`. */
static size_t filled_before(const skedi_buckets *b, size_t at)
{
    size_t k = at;

    if (before_bucket(b, at) == 0) return at;
    do k--;
    while (b->upto[k] == before_bucket(b, k));
    return k;
}

static size_t filled_after(const skedi_buckets *b, size_t at)
{
    size_t k = at;

    if (b->upto[at] == b->upto[SKEDI_BUCKETS - 1]) return at;
    do k++;
    while (b->upto[k] == b->upto[k - 1]);
    return k;
}

/* Answers by a bucket, when each bucket has only one amount. */
static void answer_by_bucket(const skedi_buckets *b, size_t at,
                             skedi_spot *spot)
{
    size_t lower = filled_before(b, at), higher = filled_after(b, at);

    spot->amount = b->low + at;
    spot->covered = b->upto[at];
    spot->lower = lower != at ? b->low + lower : 0;
    spot->higher = higher != at ? b->low + higher : 0;
}

/* ---- Lists ---- */

/* Copies the units in use with low <= amount <= high into the second list,
 * perhaps onto itself. Returns the number of copied units, or from->n + 1 if
 * the list may be too small. */
static size_t list_range(const skedi_units *from, uint64_t low, uint64_t high,
                         const skedi_select_memory *memory)
{
    int64_t *length = memory->length[1], *amount = memory->amount[1];
    size_t n = 0, cap = memory->cap[1];

    for (size_t at = 0; at < from->n; at += SKEDI_UNITS_BLOCK) {
        skedi_units u = skedi_units_at(from, at);
        if (n + u.n > cap && from->n > cap) return from->n + 1;
        for (size_t i = 0; i < u.n; i++) {
            int64_t l = u.length[i], a = u.amount[i];
            length[n] = l;
            amount[n] = a;
            n += (size_t)(((uint64_t)a - low <= high - low) & (l != 0));
        }
    }
    return n;
}

/* Copies the units of all marked buckets into the first list. */
static size_t list_marked(const skedi_units *from, const skedi_buckets *b,
                          const skedi_select_memory *memory)
{
    uint64_t low = b->low;
    size_t cap = memory->cap[0];
    unsigned shift = b->shift;
    int64_t *length = memory->length[0], *amount = memory->amount[0];
    size_t n = 0;

    for (size_t at = 0; at < from->n; at += SKEDI_UNITS_BLOCK) {
        skedi_units u = skedi_units_at(from, at);
        if (n + u.n > cap && from->n > cap) return from->n + 1;
        for (size_t i = 0; i < u.n; i++) {
            int64_t l = u.length[i], a = u.amount[i];
            length[n] = l;
            amount[n] = a;
            n += (size_t)(b->mark[bucket_of(a, low, shift)] & (l != 0));
        }
    }
    return n;
}

/* The next smaller and larger amounts than `amount` among units in use. */
void skedi_select_neighbours(const skedi_units *u, skedi_spot *spot)
{
    uint64_t lower = 0, higher = UINT64_MAX, mid = spot->amount;

    for (size_t i = 0; i < u->n; i++) {
        uint64_t a = u->length[i] ? (uint64_t)u->amount[i] : mid;
        lower = a < mid && a > lower ? a : lower;
        higher = a > mid && a < higher ? a : higher;
    }
    spot->lower = lower;
    spot->higher = higher == UINT64_MAX ? 0 : higher;
}

/* Sorts a short list by insertion. */
static void sort_list(int64_t *length, int64_t *amount, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        int64_t l = length[i], a = amount[i];
        size_t at = i;
        for (; at > 0 && amount[at - 1] > a; at--) {
            length[at] = length[at - 1];
            amount[at] = amount[at - 1];
        }
        length[at] = l;
        amount[at] = a;
    }
}

/* The answer from a short list of all units of a range. */
static void answer_by_list(const skedi_select_memory *memory, size_t n,
                           uint64_t below, skedi_spot *spot)
{
    int64_t *length = memory->length[1], *amount = memory->amount[1];
    uint64_t sum = below;
    size_t i = 0;

    sort_list(length, amount, n);
    while (sum < spot->need) sum += (uint64_t)length[i++];
    spot->amount = (uint64_t)amount[i - 1];
    for (; i < n && (uint64_t)amount[i] == spot->amount; i++) {
        sum += (uint64_t)length[i];
    }
    spot->covered = sum;
}

/* ---- A threshold ---- */

/* The next range is the bucket that holds the answer. */
static void narrow(skedi_range *r, const skedi_buckets *b, size_t at)
{
    r->below += before_bucket(b, at);
    r->low = b->low + ((uint64_t)at << b->shift);
    r->high = r->low + (((uint64_t)1 << b->shift) - 1);
}

/* Copies the units of the range into the second list, if the list can hold the
 * units. `from` is then the list, and the result is 1. */
static int list_narrowed(skedi_units *from, const skedi_range *r,
                         skedi_select_memory *memory)
{
    size_t n = list_range(from, r->low, r->high, memory);

    memory->work.visits += from->n;
    if (n > from->n) return 0;
    *from = (skedi_units){memory->length[1], memory->amount[1], n};
    return 1;
}

void skedi_select_in(const skedi_units *units, skedi_range r, skedi_spot *spot,
                     skedi_select_memory *memory)
{
    skedi_buckets *b = &memory->buckets;
    skedi_units from = *units;

    while (r.low < r.high) {
        if (list_narrowed(&from, &r, memory) && from.n <= LIST_SHORT) {
            answer_by_list(memory, from.n, r.below, spot);
            return;
        }
        b->low = r.low;
        b->shift = shift_of(r.low, r.high);
        count_lengths(b, &from);
        memory->work.visits += from.n;
        size_t at = bucket_at(b, spot->need - r.below);
        spot->covered = r.below + b->upto[at];
        narrow(&r, b, at);
    }
    spot->amount = r.low;
}

/* ---- All thresholds of a queue ---- */

/* Marks the buckets that the spots need, and writes each spot's bucket into the
 * spot. */
static void mark_buckets(skedi_buckets *b, skedi_spot *spot, size_t n)
{
    memset(b->mark, 0, sizeof b->mark);
    for (size_t j = 0; j < n; j++) {
        size_t at = bucket_at(b, spot[j].need);
        skedi_range r = {0, 0, 0};
        b->mark[at] = 1;
        b->mark[filled_before(b, at)] = 1;
        b->mark[filled_after(b, at)] = 1;
        narrow(&r, b, at);
        spot[j].lower = r.low;
        spot[j].higher = r.high;
        spot[j].covered = r.below;
    }
}

void skedi_select(const skedi_units *units, const skedi_units_sum *sum,
                  skedi_spot *spot, size_t n, skedi_select_memory *memory)
{
    skedi_buckets *b = &memory->buckets;
    skedi_units from = *units;

    b->low = sum->least;
    b->shift = shift_of(sum->least, sum->peak);
    count_lengths(b, units);
    memory->work.visits += units->n;
    for (size_t j = 0; b->shift == 0 && j < n; j++) {
        answer_by_bucket(b, bucket_at(b, spot[j].need), &spot[j]);
    }
    if (b->shift == 0) return;

    mark_buckets(b, spot, n);
    size_t listed = list_marked(units, b, memory);
    memory->work.visits += units->n;
    if (listed <= units->n) {
        from = (skedi_units){memory->length[0], memory->amount[0], listed};
    }
    for (size_t j = 0; j < n; j++) {
        skedi_range r = {spot[j].lower, spot[j].higher, spot[j].covered};
        skedi_select_in(&from, r, &spot[j], memory);
        skedi_select_neighbours(&from, &spot[j]);
        memory->work.visits += from.n;
    }
}

/* ---- Memory ---- */

size_t skedi_select_cap(size_t n)
{
    return n <= SKEDI_SELECT_LARGE ? n : SKEDI_SELECT_LARGE + n / 12;
}

void skedi_select_free(skedi_select_memory *memory, skedi_mem *mem)
{
    for (int i = 0; i < 2; i++) {
        skedi_free(mem, memory->length[i], memory->cap[i], sizeof(int64_t));
        skedi_free(mem, memory->amount[i], memory->cap[i], sizeof(int64_t));
        skedi_free(mem, memory->sorted[i], memory->n_sorted,
                   sizeof(skedi_keyed));
    }
}

int skedi_select_reserve(skedi_select_memory *memory, size_t cap,
                         skedi_mem *mem)
{
    memory->cap[0] = cap;
    memory->cap[1] = cap < SKEDI_SELECT_LARGE ? cap : SKEDI_SELECT_LARGE;
    for (int i = 0; i < 2; i++) {
        memory->length[i] = skedi_new(mem, memory->cap[i], sizeof(int64_t));
        memory->amount[i] = skedi_new(mem, memory->cap[i], sizeof(int64_t));
        if (!memory->length[i] || !memory->amount[i]) return 0;
    }
    return 1;
}
