/*
 * The streaming part by several threads, with an answer that does not depend on
 * how many there are: eight workers whatever runs them. In the greedy pass each
 * takes a slice of a round and sees the counts of all plus eight times its own
 * additions, so that eight workers that fill the same hole do not overshoot;
 * after the round their counts are merged. The last part goes in order, which
 * removes the rounding that is left. In a sweep workers only look for blocks
 * that could move; these are looked at again in order.
 */
#include "locality/handle.h"

#include <string.h>

#include "base/par.h"

enum {
    SHARE_WORKERS = 8,
    SHARE_LARGE = 1 << 18, /* blocks from which it pays */
    SLICE_LEAST = 2048     /* blocks of a worker in a round */
};

typedef struct share_round {
    const skedi_loc *w;
    uint32_t *count[SHARE_WORKERS]; /* of each worker */
    uint32_t *found[SHARE_WORKERS]; /* by a sweep: blocks */
    uint32_t n_found[SHARE_WORKERS];
    uint32_t from; /* of the round */
    uint32_t to;
    uint8_t lost[SHARE_WORKERS];
} share_round;

int skedi_loc_is_large(const skedi_loc *w)
{
    return w->plain && !w->in_order && w->in->blocks >= SHARE_LARGE;
}

/* Where worker `i` begins in [from, to). */
static uint32_t share_begin(uint32_t from, uint32_t to, size_t i)
{
    return from + (uint32_t)((uint64_t)(to - from) * i / SHARE_WORKERS);
}

static void greedy_worker(void *arg, size_t i)
{
    share_round *r = arg;
    uint32_t from = share_begin(r->from, r->to, i);
    uint32_t to = share_begin(r->from, r->to, i + 1);

    r->lost[i] = !skedi_loc_greedy_plain(r->w, from, to, r->count[i],
                                         SHARE_WORKERS);
}

/* Adds up what the workers added. 0: one of them met a lost replica. */
static int merge_counts(share_round *r)
{
    uint32_t *count = r->w->count;

    for (uint32_t h = 0; h < r->w->hosts; h++) {
        uint32_t before = count[h], added = 0;
        for (int i = 0; i < SHARE_WORKERS; i++)
            added += r->count[i][h] - before;
        count[h] = before + added / SHARE_WORKERS;
        for (int i = 0; i < SHARE_WORKERS; i++) r->count[i][h] = count[h];
    }
    for (int i = 0; i < SHARE_WORKERS; i++) {
        if (r->lost[i]) return 0;
    }
    return 1;
}

sked_status skedi_loc_greedy_shared(skedi_loc *w, int *lost)
{
    const uint32_t blocks = w->in->blocks, last = blocks - blocks / 32;
    const size_t stride = ((size_t)w->hosts + 31) & ~(size_t)15;
    uint32_t slice = w->hosts < SLICE_LEAST / 2 ? SLICE_LEAST : 2 * w->hosts;
    uint32_t *counts = skedi_new(&w->hooks->mem, stride * SHARE_WORKERS,
                                 sizeof *counts);
    share_round r = {.w = w};
    sked_status rc = SKED_OK;

    if (!counts) return SKED_ERR_NOMEM;
    if (slice > blocks / (8 * SHARE_WORKERS))
        slice = blocks / (8 * SHARE_WORKERS);
    for (size_t i = 0; i < SHARE_WORKERS; i++) r.count[i] = counts + i * stride;
    while (r.to < last && !*lost && rc == SKED_OK) {
        r.from = r.to;
        r.to = last - r.from < slice * SHARE_WORKERS
                   ? last
                   : r.from + slice * SHARE_WORKERS;
        rc = skedi_par_for(w->hooks, SHARE_WORKERS, greedy_worker, &r);
        if (rc == SKED_OK) *lost = !merge_counts(&r);
        if (rc == SKED_OK) rc = skedi_hooks_check(w->hooks, r.to, blocks);
    }
    if (rc == SKED_OK && !*lost) {
        *lost = !skedi_loc_greedy_plain(w, last, blocks, w->count, 1);
    }
    skedi_free(&w->hooks->mem, counts, stride * SHARE_WORKERS, sizeof *counts);
    return rc;
}

/* Notes every block that could move as the counts stand. */
static void sweep_worker(void *arg, size_t i)
{
    share_round *r = arg;
    const uint32_t *count = r->w->count;
    const uint8_t *choice = r->w->choice;
    uint32_t from = share_begin(r->from, r->to, i);
    uint32_t to = share_begin(r->from, r->to, i + 1), n = 0;
    const uint32_t *row = r->w->in->replica + (size_t)from * 3;
    uint32_t *out = r->found[i];

    for (uint32_t b = from; b < to; b++, row += 3) {
        const uint32_t c0 = count[row[0]], c1 = count[row[1]];
        const uint32_t c2 = count[row[2]];
        uint32_t here = choice[b] == 0 ? c0 : choice[b] == 1 ? c1 : c2;
        uint32_t least = c1 < c0 ? c1 : c0;
        least = c2 < least ? c2 : least;
        out[n] = b;
        n += least + 1 < here;
    }
    r->n_found[i] = n;
}

/* Rounds of 2^18 blocks keep what is found small. */
sked_status skedi_loc_sweep_shared(skedi_loc *w, uint64_t *moved)
{
    const uint32_t blocks = w->in->blocks, *rows = w->in->replica;
    const size_t stride = SHARE_LARGE / SHARE_WORKERS + 16;
    uint32_t *found = skedi_new(&w->hooks->mem, stride * SHARE_WORKERS,
                                sizeof *found);
    share_round r = {.w = w};
    sked_status rc = found ? SKED_OK : SKED_ERR_NOMEM;

    for (size_t i = 0; i < SHARE_WORKERS && found; i++)
        r.found[i] = found + i * stride;
    while (r.to < blocks && rc == SKED_OK) {
        r.from = r.to;
        r.to = blocks - r.from < SHARE_LARGE ? blocks : r.from + SHARE_LARGE;
        rc = skedi_par_for(w->hooks, SHARE_WORKERS, sweep_worker, &r);
        for (uint32_t i = 0; i < SHARE_WORKERS && rc == SKED_OK; i++) {
            for (uint32_t j = 0; j < r.n_found[i]; j++) {
                uint32_t b = r.found[i][j];
                *moved += skedi_loc_sweep_one(rows + (size_t)b * 3, w->count,
                                              w->choice + b);
            }
        }
        if (rc == SKED_OK) rc = skedi_hooks_check(w->hooks, r.to, blocks);
    }
    skedi_free(&w->hooks->mem, found, stride * SHARE_WORKERS, sizeof *found);
    return rc;
}
