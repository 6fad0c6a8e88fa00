/*
 * A placement that follows changes. Each host has a list of its blocks and one
 * of the blocks that could be there. Hosts are sorted by count, and the
 * beginning of every count is known, so that a count changes by one with one
 * exchange (bucket sort). Lists of placed blocks have as much capacity as those
 * of replicas, so that moving blocks never needs memory.
 */
#include "locality/live.h"

#include <string.h>

#include "base/fail.h"

/* ---- Counts ---- */

static void exchange_hosts(sked_locality_live *live, uint32_t h, uint32_t with)
{
    uint32_t at = live->spot[h], other = live->sorted[with];

    live->sorted[with] = h;
    live->sorted[at] = other;
    live->spot[other] = at;
    live->spot[h] = with;
}

void skedi_live_more(sked_locality_live *live, uint32_t h)
{
    exchange_hosts(live, h, --live->begin[++live->count[h]]);
}

void skedi_live_less(sked_locality_live *live, uint32_t h)
{
    exchange_hosts(live, h, live->begin[live->count[h]--]++);
}

/* ---- Lists ---- */

/* Puts the replicas of a block into the lists of their hosts. */
static void hold_block(sked_locality_live *live, uint32_t b)
{
    uint32_t *row = skedi_live_row(live, b);

    for (uint32_t k = 0; k < live->width && row[k] != SKED_LOCALITY_NO_HOST;
         k++) {
        skedi_live_list *list = &live->held[row[k]];
        row[live->width + k] = list->n;
        list->block[list->n++] = b;
    }
}

/* Removes a block from a list; the last one takes its place. */
static void release_place(sked_locality_live *live, uint32_t h, uint32_t at)
{
    skedi_live_list *list = &live->held[h];
    uint32_t last = list->block[--list->n], k = 0;
    uint32_t *row = skedi_live_row(live, last);

    while (row[k] != h) k++;
    list->block[at] = last;
    row[live->width + k] = at;
}

void skedi_live_release(sked_locality_live *live, uint32_t b)
{
    uint32_t *row = skedi_live_row(live, b);

    for (uint32_t k = 0; k < live->width; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        release_place(live, row[k], row[live->width + k]);
        row[k] = SKED_LOCALITY_NO_HOST;
    }
}

/* ---- Memory ---- */

static int ensure_u32(sked_locality_live *live, uint32_t **column, size_t *cap,
                      size_t want)
{
    void *at = *column;

    if (!skedi_ensure(&live->hooks.mem, &at, cap, want, sizeof **column)) {
        return 0;
    }
    *column = at;
    return 1;
}

/* Capacity for one more number. */
static int reserve_number(sked_locality_live *live)
{
    size_t n = (size_t)live->blocks + 1;
    void *at = live->block;

    if (n > SIZE_MAX / 2 / live->width ||
        !skedi_ensure(&live->hooks.mem, &at, &live->block_cap, n,
                      sizeof *live->block)) {
        return 0;
    }
    live->block = at;
    return ensure_u32(live, &live->moved, &live->moved_cap, n) &&
           ensure_u32(live, &live->rows, &live->row_cap, n * 2 * live->width);
}

/* Capacity for one more block on a host, and a begin for its count. */
static int reserve_on_host(sked_locality_live *live, uint32_t h)
{
    size_t want = (size_t)live->held[h].n + 1, begins = live->begins;

    if (!ensure_u32(live, &live->held[h].block, &live->held[h].cap, want) ||
        !ensure_u32(live, &live->here[h].block, &live->here[h].cap, want) ||
        !ensure_u32(live, &live->begin, &live->begins, want + 3)) {
        return 0;
    }
    for (; begins < live->begins; begins++) live->begin[begins] = live->hosts;
    return 1;
}

/* ---- A block comes or goes ---- */

/* The hosts of a row, each once, those that are lost left out. */
static sked_status take_replicas(const sked_locality_live *live,
                                 const uint32_t *replicas, size_t n,
                                 uint32_t *row, sked_error *err)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = replicas[i], k = 0;
        if (h == SKED_LOCALITY_NO_HOST) continue;
        if (h >= live->hosts) {
            return skedi_fail(err, SKED_ERR_RANGE, "a replica is on no host",
                              (skedi_fault){.row = (int64_t)i + 1,
                                            .got = h,
                                            .limit = live->hosts});
        }
        while (k < taken && row[k] != h) k++;
        row[k] = h;
        if (k == taken) taken++;
    }
    while (taken < live->width) row[taken++] = SKED_LOCALITY_NO_HOST;
    return SKED_OK;
}

/* The host with the least count, the first such in the row;
 * SKED_LOCALITY_NO_HOST: there is none. */
static uint32_t least_host(const sked_locality_live *live, const uint32_t *row)
{
    uint32_t best = SKED_LOCALITY_NO_HOST;

    for (uint32_t k = 0; k < live->width && row[k] != SKED_LOCALITY_NO_HOST;
         k++) {
        if (best == SKED_LOCALITY_NO_HOST ||
            live->count[row[k]] < live->count[best]) {
            best = row[k];
        }
    }
    return best;
}

/* Puts a block where it makes the loads decreasingly minimal. */
static void place_block(sked_locality_live *live, uint32_t b)
{
    const uint32_t *row = skedi_live_row(live, b);
    uint32_t best = least_host(live, row), last;

    if (best == SKED_LOCALITY_NO_HOST) return;
    uint32_t least = live->count[best];
    last = best;
    if (least > 0 && live->begin[least - 1] < live->begin[least]) {
        skedi_live_begin(live);
        for (uint32_t k = 0; k < live->width && row[k] != SKED_LOCALITY_NO_HOST;
             k++) {
            if (live->count[row[k]] != least) continue;
            skedi_live_seed(live, &live->ahead, row[k]);
        }
        for (uint32_t i = live->begin[least - 1]; i < live->begin[least]; i++) {
            skedi_live_seed(live, &live->back, live->sorted[i]);
        }
        (void)skedi_live_shift(live, least, &best, &last);
    }
    skedi_live_more(live, last);
    skedi_live_put(live, b, best);
}

sked_status sked_locality_live_add(sked_locality_live *live,
                                   const uint32_t *replicas, size_t n,
                                   uint32_t *block, sked_error *err)
{
    uint32_t row[SKED_MAX_LOCALITY_REPLICAS];

    const char *missing = !live            ? "live"
                          : !block         ? "block"
                          : n && !replicas ? "replicas"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (n > live->width || live->blocks == SKED_MAX_LOCALITY_BLOCKS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "more replicas, or blocks, than there may be",
            (skedi_fault){.got = (int64_t)n, .limit = live->width});
    }
    sked_status rc = take_replicas(live, replicas, n, row, err);
    if (rc != SKED_OK) return rc;
    int ready = reserve_number(live);
    for (uint32_t k = 0; k < live->width && row[k] != SKED_LOCALITY_NO_HOST;
         k++) {
        ready = ready && reserve_on_host(live, row[k]);
    }
    if (!ready) return skedi_loc_stopped(SKED_ERR_NOMEM, err);

    uint32_t b = live->spare;
    if (b == SKEDI_NO_BLOCK) {
        b = live->blocks++;
        live->block[b] = (skedi_live_block){.host = SKED_LOCALITY_NO_HOST};
    } else {
        live->spare = live->block[b].at;
    }
    live->block[b].is_there = 1;
    memcpy(skedi_live_row(live, b), row, live->width * sizeof *row);
    hold_block(live, b);
    place_block(live, b);
    live->nowhere += live->block[b].host == SKED_LOCALITY_NO_HOST;
    *block = b;
    return SKED_OK;
}

/* One block less on `h`: another one may come, from a host with one more. */
static void fill_gap(sked_locality_live *live, uint32_t h)
{
    uint32_t had = live->count[h], first, last;
    uint32_t from = live->begin[had + 1], to = live->begin[had + 2];

    skedi_live_less(live, h);
    if (from == to) return;
    skedi_live_begin(live);
    for (uint32_t i = from; i < to; i++) {
        skedi_live_seed(live, &live->ahead, live->sorted[i]);
    }
    skedi_live_seed(live, &live->back, h);
    if (!skedi_live_shift(live, had, &first, &last)) return;
    skedi_live_less(live, first);
    skedi_live_more(live, last);
}

sked_status sked_locality_live_remove(sked_locality_live *live, uint32_t block,
                                      sked_error *err)
{
    if (!live) return skedi_fail_null(err, "live");
    if (block >= live->blocks || !live->block[block].is_there) {
        return skedi_fail(err, SKED_ERR_NOT_FOUND, "there is no such block",
                          (skedi_fault){.got = block, .limit = live->blocks});
    }
    uint32_t h = live->block[block].host;
    live->nowhere -= h == SKED_LOCALITY_NO_HOST;
    if (h != SKED_LOCALITY_NO_HOST) skedi_live_take_away(live, block);
    skedi_live_release(live, block);
    if (h != SKED_LOCALITY_NO_HOST) fill_gap(live, h);
    live->block[block].is_there = 0;
    live->block[block].at = live->spare;
    live->spare = block;
    return SKED_OK;
}
