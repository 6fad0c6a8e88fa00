/*
 * The streaming part: a greedy pass over the blocks in order, then sweeps that
 * move a block when another of its replicas ends it earlier. The state is a
 * count a host, which stays in the nearest cache, and a byte a block.
 */
#include "locality/handle.h"

#include "base/fail.h"

enum { BLOCKS_A_SLICE = 1 << 18 };

/* ---- Any input ---- */

/* For each host, when its last block and its next one end. */
typedef struct slot_ends {
    int64_t *last;
    int64_t *next;
} slot_ends;

static void set_ends(const skedi_loc *w, slot_ends e, uint32_t h)
{
    uint32_t n = w->count[h];

    e.last[h] = n ? skedi_slot_end(&w->slots, h, n) : 0;
    e.next[h] = skedi_slot_end(&w->slots, h, n + 1);
}

static int open_ends(const skedi_loc *w, slot_ends *e)
{
    size_t n = (size_t)w->hosts + 1;

    e->last = skedi_new(&w->hooks->mem, n, sizeof *e->last);
    e->next = skedi_new(&w->hooks->mem, n, sizeof *e->next);
    if (!e->last || !e->next) return 0;
    for (uint32_t h = 0; h < w->hosts; h++) set_ends(w, *e, h);
    e->last[w->hosts] = e->next[w->hosts] = SKEDI_NEVER;
    return 1;
}

static void close_ends(const skedi_loc *w, slot_ends *e)
{
    size_t n = (size_t)w->hosts + 1;

    skedi_free(&w->hooks->mem, e->last, n, sizeof *e->last);
    skedi_free(&w->hooks->mem, e->next, n, sizeof *e->next);
}

/* Where a block would end first, among its replicas that are there, if that is
 * before `best`; SKED_LOCALITY_NO_REPLICA: nowhere. -1: a replica is on no
 * host. */
static int best_replica(const skedi_loc *w, const int64_t *next, uint32_t b,
                        int64_t best)
{
    const uint32_t *row = w->in->replica + (size_t)b * w->width;
    int found = SKED_LOCALITY_NO_REPLICA;

    for (uint32_t k = 0; k < w->width; k++) {
        if (row[k] >= w->hosts) {
            if (row[k] != SKED_LOCALITY_NO_HOST) return -1;
        } else if (next[row[k]] < best) {
            best = next[row[k]];
            found = (int)k;
        }
    }
    return found;
}

static sked_status greedy_any(skedi_loc *w, const slot_ends *e, sked_error *err)
{
    const uint32_t blocks = w->in->blocks;
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < blocks && rc == SKED_OK; b++) {
        int k = best_replica(w, e->next, b, SKEDI_NEVER);
        if (k < 0) return skedi_loc_bad_replica(w->in, b, err);
        w->choice[b] = (uint8_t)k;
        uint32_t h = skedi_loc_host_of(w, b);
        w->count[h]++;
        if (h < w->hosts) set_ends(w, *e, h);
        if (b % BLOCKS_A_SLICE == 0)
            rc = skedi_hooks_check(w->hooks, b, blocks);
    }
    return rc == SKED_OK ? rc : skedi_loc_stopped(rc, err);
}

static sked_status sweep_any(skedi_loc *w, const slot_ends *e, uint64_t *moved)
{
    const uint32_t blocks = w->in->blocks;
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < blocks && rc == SKED_OK; b++) {
        uint32_t from = skedi_loc_host_of(w, b);
        int k = best_replica(w, e->next, b, e->last[from]);
        if (b % BLOCKS_A_SLICE == 0)
            rc = skedi_hooks_check(w->hooks, b, blocks);
        if (k == SKED_LOCALITY_NO_REPLICA) continue;
        w->choice[b] = (uint8_t)k;
        uint32_t to = skedi_loc_host_of(w, b);
        w->count[from]--;
        w->count[to]++;
        if (from < w->hosts) set_ends(w, *e, from);
        set_ends(w, *e, to);
        ++*moved;
    }
    return rc;
}

/* ---- A pass ---- */

/* Slices of plain input. `*lost`: a replica is not there, start again. */
static sked_status greedy_slices(skedi_loc *w, int *lost)
{
    const uint32_t blocks = w->in->blocks;
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < blocks && rc == SKED_OK && !*lost;) {
        uint32_t n = blocks - b < BLOCKS_A_SLICE ? blocks - b : BLOCKS_A_SLICE;
        *lost = !skedi_loc_greedy_plain(w, b, b + n, w->count, 1);
        b += n;
        rc = skedi_hooks_check(w->hooks, b, blocks);
    }
    return rc;
}

sked_status skedi_loc_greedy(skedi_loc *w, sked_error *err)
{
    sked_status rc = SKED_OK;
    int lost = 0;

    if (w->plain) {
        rc = skedi_loc_is_large(w) ? skedi_loc_greedy_shared(w, &lost)
                                   : greedy_slices(w, &lost);
        if (rc != SKED_OK) return skedi_loc_stopped(rc, err);
        if (!lost) return SKED_OK;
        w->plain = 0;
        for (uint32_t h = 0; h <= w->hosts; h++) w->count[h] = 0;
    }
    slot_ends e = {0};
    rc = open_ends(w, &e) ? greedy_any(w, &e, err)
                          : skedi_loc_stopped(SKED_ERR_NOMEM, err);
    close_ends(w, &e);
    return rc;
}

sked_status skedi_loc_sweep(skedi_loc *w, uint64_t *moved)
{
    const uint32_t *row = w->in->replica;
    slot_ends e = {0};

    *moved = 0;
    if (skedi_loc_is_large(w)) return skedi_loc_sweep_shared(w, moved);
    if (w->plain) {
        for (uint32_t b = 0; b < w->in->blocks; b++, row += 3) {
            *moved += skedi_loc_sweep_one(row, w->count, w->choice + b);
        }
        return skedi_hooks_check(w->hooks, w->in->blocks, w->in->blocks);
    }
    sked_status rc = open_ends(w, &e) ? sweep_any(w, &e, moved)
                                      : SKED_ERR_NOMEM;
    close_ends(w, &e);
    return rc;
}
