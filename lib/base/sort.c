/*
 * Two stable sorts, because libc's sort is unstable and differs between libcs:
 * a bottom-up merge sort over short sorted runs for any comparison, and an LSD
 * radix sort for 64-bit keys.
 *
 * The radix sort first sorts by the top bits in which keys differ, as many as
 * should distinguish most keys. An insertion pass then corrects the rest. If
 * the insertion needs too many moves, the radix sort runs again over all bytes.
 *
 * Both sorts leave their result in the input array and detect sorted input.
 */
#include "base/sort.h"

#include <string.h>

#include "base/bits.h"

enum {
    SORT_RUN = 12,  /* shorter runs are cheaper to insert than to merge */
    RADIX_MIN = 64, /* below this, histograms cost more than they save */
    RADIX_SPARE = 4 /* bits above the minimum for n distinct keys */
};

static void insert_runs(uint32_t *items, size_t n, skedi_compare compare,
                        const void *ctx)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t item = items[i];
        size_t at = i;
        while (at % SORT_RUN != 0 && compare(ctx, items[at - 1], item) > 0) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = item;
    }
}

/* Merges from[0..mid) and from[mid..n) into `to`. */
static void merge_pair(uint32_t *to, const uint32_t *from, size_t mid, size_t n,
                       skedi_compare compare, const void *ctx)
{
    size_t left = 0, right = mid;

    if (mid >= n || compare(ctx, from[mid - 1], from[mid]) <= 0) {
        memcpy(to, from, n * sizeof *to);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int take_right = left == mid || (right < n && compare(ctx, from[left],
                                                              from[right]) > 0);
        to[i] = from[take_right ? right++ : left++];
    }
}

static int in_order(const uint32_t *items, size_t n, skedi_compare compare,
                    const void *ctx)
{
    for (size_t i = 1; i < n; i++) {
        if (compare(ctx, items[i - 1], items[i]) > 0) return 0;
    }
    return 1;
}

void skedi_sort(uint32_t *items, uint32_t *scratch, size_t n,
                skedi_compare compare, const void *ctx)
{
    uint32_t *from = items, *to = scratch;

    if (in_order(items, n, compare, ctx)) return;
    insert_runs(items, n, compare, ctx);
    for (size_t width = SORT_RUN; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t rest = n - at < 2 * width ? n - at : 2 * width;
            merge_pair(to + at, from + at, width, rest, compare, ctx);
        }
        uint32_t *held = from;
        from = to;
        to = held;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}

static void insert_keys(skedi_keyed *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        skedi_keyed item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].key > item.key; at--) {
            items[at] = items[at - 1];
        }
        items[at] = item;
    }
}

typedef struct key_span {
    uint64_t low;
    unsigned bits; /* width of highest - lowest; 0: in order */
} key_span;

static key_span span_of(const skedi_keyed *items, size_t n)
{
    uint64_t low = UINT64_MAX, high = 0, last = 0;
    int disorder = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t key = items[i].key;
        disorder |= key < last;
        last = key;
        low = key < low ? key : low;
        high = key > high ? key : high;
    }
    return (key_span){low, disorder ? 64 - skedi_clz64(high - low) : 0};
}

/* A counting sort by the byte at `shift`. */
static void scatter(skedi_keyed *to, const skedi_keyed *from, size_t n,
                    uint64_t low, unsigned shift)
{
    uint32_t start[257] = {0};

    for (size_t i = 0; i < n; i++) {
        start[((from[i].key - low) >> shift & 255) + 1]++;
    }
    for (unsigned v = 1; v < 256; v++) start[v] += start[v - 1];
    for (size_t i = 0; i < n; i++) {
        to[start[(from[i].key - low) >> shift & 255]++] = from[i];
    }
}

/* Sorts by the bits from `shift` upwards. */
static void sort_from(skedi_keyed *items, skedi_keyed *scratch, size_t n,
                      key_span span, unsigned shift)
{
    skedi_keyed *from = items, *to = scratch;

    for (; shift < span.bits; shift += 8) {
        scatter(to, from, n, span.low, shift);
        skedi_keyed *held = from;
        from = to;
        to = held;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}

/* Insertion sort of nearly sorted items. Returns 0 if `n` moves do not
 * suffice. */
static int put_right(skedi_keyed *items, size_t n)
{
    size_t moves = n;

    for (size_t i = 1; i < n; i++) {
        skedi_keyed item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1].key > item.key && moves > 0; moves--) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = item;
    }
    return moves > 0;
}

void skedi_sort_keys(skedi_keyed *items, skedi_keyed *scratch, size_t n)
{
    if (n < RADIX_MIN) {
        insert_keys(items, n);
        return;
    }
    key_span span = span_of(items, n);
    unsigned most = 64 - skedi_clz64(n) + RADIX_SPARE;
    unsigned top = (most + 7) / 8 * 8;

    if (span.bits == 0) return;
    if (span.bits > top) {
        sort_from(items, scratch, n, span, span.bits - top);
        if (put_right(items, n)) return;
    }
    sort_from(items, scratch, n, span, 0);
}
