/*
 * Two stable sorts of our own, because libc's is unstable and differs between
 * libcs: a bottom-up merge over short sorted runs for any comparison, and a
 * radix sort, least byte first, for 64-bit keys. Both leave their result where
 * the input was; both notice input that is in order.
 */
#include "base/sort.h"

#include <string.h>

enum {
    SORT_RUN = 12,  /* shorter runs are cheaper to insert than to merge */
    RADIX_MIN = 64, /* below this, eight histograms cost more than they save */
    KEY_BYTES = 8
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

/* How often each byte value stands at each place; 0 when all is in order. */
static int count_bytes(const skedi_keyed *items, size_t n,
                       uint32_t count[KEY_BYTES][256])
{
    uint64_t last = 0;
    int disorder = 0;

    memset(count, 0, KEY_BYTES * sizeof count[0]);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = items[i].key;
        disorder |= key < last;
        last = key;
        for (unsigned b = 0; b < KEY_BYTES; b++) count[b][key >> 8 * b & 255]++;
    }
    return disorder;
}

/* Moves every item behind those whose byte `b` is less. */
static void scatter(skedi_keyed *to, const skedi_keyed *from, size_t n,
                    unsigned b, const uint32_t count[256])
{
    uint32_t start[256], sum = 0;

    for (unsigned v = 0; v < 256; v++) {
        start[v] = sum;
        sum += count[v];
    }
    for (size_t i = 0; i < n; i++) {
        to[start[from[i].key >> 8 * b & 255]++] = from[i];
    }
}

void skedi_sort_keys(skedi_keyed *items, skedi_keyed *scratch, size_t n)
{
    uint32_t count[KEY_BYTES][256];
    skedi_keyed *from = items, *to = scratch;

    if (n < RADIX_MIN) {
        insert_keys(items, n);
        return;
    }
    if (!count_bytes(items, n, count)) return;
    for (unsigned b = 0; b < KEY_BYTES; b++) {
        if (count[b][from[0].key >> 8 * b & 255] == n) continue; /* all alike */
        scatter(to, from, n, b, count[b]);
        skedi_keyed *held = from;
        from = to;
        to = held;
    }
    if (from != items) memcpy(items, from, n * sizeof *items);
}
