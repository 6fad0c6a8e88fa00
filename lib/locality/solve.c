/*
 * Makes a placement: a greedy pass, sweeps while sweeps pay, and then the
 * split. The split needs no good start, but runs faster after a good start.
 */
#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/par.h"
#include "base/versioned.h"
#include "locality/flow.h"
#include "locality/handle.h"

/* Three replicas a row: the host with the fewest blocks until now. */

/* Places blocks from `from` to `to` of plain input; each block adds `step` to
 * its host's count. 0: a replica is lost. */
static int loc_greedy_plain(const skedi_loc *w, uint32_t from, uint32_t to,
                            uint32_t *restrict count, uint32_t step)
{
    const uint32_t hosts = w->hosts;
    const uint32_t *row = w->in->replica + (size_t)from * 3;
    uint8_t *restrict choice = w->choice;

    for (uint32_t b = from; b < to; b++, row += 3) {
        const uint32_t r0 = row[0], r1 = row[1], r2 = row[2];
        if ((r0 >= hosts) | (r1 >= hosts) | (r2 >= hosts)) return 0;
        const uint32_t c0 = count[r0], c1 = count[r1], c2 = count[r2];
        uint32_t k = c1 < c0, least = k ? c1 : c0;
        k = c2 < least ? 2 : k;
        least = c2 < least ? c2 : least;
        choice[b] = (uint8_t)k;
        count[row[k]] = least + step;
    }
    return 1;
}

/*
 * The streaming part by several threads. The answer does not depend on the
 * number of threads: the work is always cut for eight workers. In the greedy
 * pass, each worker takes a slice of a round. A worker sees the common counts
 * plus eight times its own additions, so eight workers do not overshoot in the
 * same hole. After the round the counts are merged. The last part runs in order
 * and removes the remaining rounding. In a sweep, workers only find blocks that
 * could move. The found blocks are checked again in order.
 */

enum {
    SHARE_WORKERS = 8,
    SHARE_LARGE = 1 << 18, /* fewer blocks do not pay */
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

static int loc_is_large(const skedi_loc *w)
{
    return w->plain && !w->in_order && w->in->blocks >= SHARE_LARGE;
}

/* The beginning of worker `i` in [from, to). */
static uint32_t share_begin(uint32_t from, uint32_t to, size_t i)
{
    return from + (uint32_t)((uint64_t)(to - from) * i / SHARE_WORKERS);
}

static void greedy_worker(void *arg, size_t i)
{
    share_round *r = arg;
    uint32_t from = share_begin(r->from, r->to, i);
    uint32_t to = share_begin(r->from, r->to, i + 1);

    r->lost[i] = !loc_greedy_plain(r->w, from, to, r->count[i], SHARE_WORKERS);
}

/* Adds up the counts of the workers. 0: a worker met a lost replica. */
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

static sked_status loc_greedy_shared(skedi_loc *w, int *lost)
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
        *lost = !loc_greedy_plain(w, last, blocks, w->count, 1);
    }
    skedi_free(&w->hooks->mem, counts, stride * SHARE_WORKERS, sizeof *counts);
    return rc;
}

/* Notes every block that could move under the present counts. */
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
static sked_status loc_sweep_shared(skedi_loc *w, uint64_t *moved)
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

/*
 * The streaming part: a greedy pass over the blocks in order, then sweeps. A
 * sweep moves a block if another replica ends the block earlier. The state is a
 * count a host, which stays in the nearest cache, and a byte a block.
 */

enum { BLOCKS_A_SLICE = 1 << 18 };

/* ---- Any input ---- */

/* For each host, the ends of its last block and of its next block. */
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

/* The replica of a block with the earliest end, among present replicas, if the
 * end is before `best`; SKED_LOCALITY_NO_REPLICA: nowhere. -1: a replica is on
 * no host. */
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

/* Slices of plain input. `*lost`: a replica is lost, and the caller starts
 * again. */
static sked_status greedy_slices(skedi_loc *w, int *lost)
{
    const uint32_t blocks = w->in->blocks;
    sked_status rc = SKED_OK;

    for (uint32_t b = 0; b < blocks && rc == SKED_OK && !*lost;) {
        uint32_t n = blocks - b < BLOCKS_A_SLICE ? blocks - b : BLOCKS_A_SLICE;
        *lost = !loc_greedy_plain(w, b, b + n, w->count, 1);
        b += n;
        rc = skedi_hooks_check(w->hooks, b, blocks);
    }
    return rc;
}

/* The first placement: each block on the host with the earliest end. */
static sked_status loc_greedy(skedi_loc *w, sked_error *err)
{
    sked_status rc = SKED_OK;
    int lost = 0;

    if (w->plain) {
        rc = loc_is_large(w) ? loc_greedy_shared(w, &lost)
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

/* Moves each block once, in order, to the host with an earlier end, in one
 * pass. */
static sked_status loc_sweep(skedi_loc *w, uint64_t *moved)
{
    const uint32_t *row = w->in->replica;
    slot_ends e = {0};

    *moved = 0;
    if (loc_is_large(w)) return loc_sweep_shared(w, moved);
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

/*
 * Blocking flows between hosts, repeated until no flow is found. Blocks go from
 * hosts with more blocks than fit under a threshold to hosts with free slots.
 * An arc is a block on one host with a replica on another. A moved block never
 * leads two levels ahead; Dinic's argument for the number of phases therefore
 * holds. Hosts outside the part have a depth that looks like "seen", so one
 * load a replica decides.
 */

enum { WINDOW_LEAST = 1 << 16, CLASS_LEAST = 1 << 16, LIST_ALL = 1 << 18 };

/* Reaches all hosts to which the blocks of a host lead. */
typedef void flow_scan(skedi_loc *w, flow_search *s, uint32_t h);

static void begin_flow_search(skedi_loc *w, const uint32_t *part,
                              flow_search *s)
{
    s->reached = 0;
    s->found = 0;
    s->goal = INT32_MAX;
    for (uint32_t i = 0; i < s->part; i++) {
        uint32_t h = part[i];
        w->at[h] = 0;
        w->depth[h] = FLOW_UNSEEN;
        if (w->count[h] <= w->fits[h]) continue;
        w->depth[h] = 0;
        w->queue[s->reached++] = h;
    }
    s->sources = s->reached;
}

static void scan_host(skedi_loc *w, flow_search *s, uint32_t h)
{
    const uint32_t width = w->width, *row = w->lists.entry[h] + 1;
    const int32_t next = w->depth[h] + 1;

    for (uint32_t i = 0; i < w->lists.n[h]; i++, row += width + 1) {
        for (uint32_t k = 0; k < width; k++) {
            if (row[k] >= w->hosts || w->depth[row[k]] >= 0) continue;
            skedi_loc_reach(w, s, row[k], next);
        }
        if (s->reached == s->part) return;
    }
}

/* The same for three replicas, without lost replicas. Nearly every entry leads
 * to no new host; one test of signs detects the case. */
static void scan_plain_host(skedi_loc *w, flow_search *s, uint32_t h)
{
    const uint32_t *row = w->lists.entry[h] + 1;
    const int32_t *depth = w->depth;
    const int32_t next = depth[h] + 1;

    for (uint32_t i = 0; i < w->lists.n[h]; i++, row += 4) {
        if ((depth[row[0]] | depth[row[1]] | depth[row[2]]) >= 0) continue;
        for (uint32_t k = 0; k < 3; k++) {
            if (depth[row[k]] < 0) skedi_loc_reach(w, s, row[k], next);
        }
        if (s->reached == s->part) return;
    }
}

/* Finds the depths of hosts, up to and including the depth of the first host
 * with a free slot. The last depth may be incomplete if every host is reached.
 */
static void search_levels(skedi_loc *w, flow_search *s)
{
    uint32_t at = 0, level_end = s->reached;
    flow_scan *scan = w->plain ? scan_plain_host : scan_host;

    if (w->classes) scan = skedi_loc_class_scan;
    while (at < s->reached && s->reached < s->part) {
        if (at == level_end) {
            level_end = s->reached;
            if (s->found) return;
        }
        scan(w, s, w->queue[at++]);
    }
}

/* ---- Paths ---- */

/* Finds an entry of `h` that leads one level deeper, or to a host with a free
 * slot. Returns the position in the entry's row; SKED_LOCALITY_NO_REPLICA: none
 * is left. */
static uint32_t next_arc(skedi_loc *w, const flow_search *s, uint32_t h)
{
    const uint32_t width = w->width, n = w->lists.n[h];
    const int32_t next = w->depth[h] + 1;
    uint32_t i = w->at[h];
    const uint32_t *row = w->lists.entry[h] + (size_t)i * (width + 1) + 1;

    if (next > s->goal) i = n;
    for (; i < n; i++, row += width + 1) {
        for (uint32_t k = 0; k < width; k++) {
            uint32_t g = row[k];
            if (g >= w->hosts || w->depth[g] != next) continue;
            if (next == s->goal && !skedi_loc_holds_less(w, g)) continue;
            w->at[h] = i;
            return k;
        }
    }
    w->at[h] = i;
    return SKED_LOCALITY_NO_REPLICA;
}

/* Moves a block along every step of a path of `n`, the last step first. */
static int push_path(skedi_loc *w, uint32_t n, uint32_t end)
{
    uint32_t to = end;

    w->count[w->path[0].host]--;
    w->count[end]++;
    while (n-- > 0) {
        uint32_t from = w->path[n].host, at = w->at[from];
        uint32_t *entry = w->lists.entry[from] + (size_t)at * (w->width + 1);
        uint32_t block = entry[0];
        if (!skedi_loc_move_entry(w, from, at, to)) return 0;
        w->choice[block] = (uint8_t)w->path[n].position;
        to = from;
    }
    return 1;
}

/* Pushes a block along one path from a source to a host with a free slot. 0: no
 * memory. A source without a path is marked as dead. */
static int push_from(skedi_loc *w, const flow_search *s, uint32_t source)
{
    uint32_t n = 0, h = source;

    for (;;) {
        if (n && skedi_loc_holds_less(w, h)) return push_path(w, n, h);
        uint32_t k = next_arc(w, s, h);
        if (k != SKED_LOCALITY_NO_REPLICA) {
            size_t entry = (size_t)w->at[h] * (w->width + 1);
            w->path[n++] = (skedi_loc_step){h, k};
            h = w->lists.entry[h][entry + 1 + k];
            continue;
        }
        w->depth[h] = FLOW_DEAD;
        if (n == 0) return 1;
        h = w->path[--n].host;
    }
}

static sked_status push_level(skedi_loc *w, const flow_search *s)
{
    for (uint32_t i = 0; i < s->sources; i++) {
        uint32_t h = w->queue[i];
        while (w->count[h] > w->fits[h] && w->depth[h] == 0) {
            int pushed = 1;
            if (w->classes) {
                skedi_loc_class_push(w, s, h);
            } else {
                pushed = push_from(w, s, h);
            }
            if (!pushed) return SKED_ERR_NOMEM;
        }
    }
    return SKED_OK;
}

/* ---- Lists ---- */

/* Lists all blocks, or makes classes. */
static sked_status list_all_hosts(skedi_loc *w)
{
    uint32_t n = 0;
    int made = 0;

    if (w->in->blocks >= CLASS_LEAST) {
        sked_status rc = skedi_loc_classes_make(w, &made);
        if (rc != SKED_OK || made) return rc;
    }
    for (uint32_t h = 0; h <= w->hosts; h++) {
        if (!w->lists.whole[h]) w->other[n++] = h;
    }
    return skedi_loc_list(w, w->other, n);
}

static sked_status begin_lists(skedi_loc *w)
{
    uint32_t blocks = w->in->blocks;

    if (w->lists.begun) return SKED_OK;
    w->lists.begun = 1;
    if (blocks < LIST_ALL) return list_all_hosts(w);
    return skedi_loc_list_window(w, blocks / 16 > WINDOW_LEAST ? blocks / 16
                                                               : WINDOW_LEAST);
}

/* Lists the reached hosts completely: only complete lists prove that no other
 * host is in reach. `*more`: the function has listed hosts. */
static sked_status list_reached(skedi_loc *w, const flow_search *s, int *more)
{
    uint32_t n = 0;
    uint64_t blocks = 0;

    for (uint32_t i = 0; i < s->reached && !w->classes; i++) {
        uint32_t h = w->queue[i];
        if (w->lists.whole[h]) continue;
        w->other[n++] = h;
        blocks += w->count[h];
    }
    *more = n > 0;
    if (n == 0) return SKED_OK;
    if (w->lists.passes >= 3 || blocks > w->in->blocks / 3)
        return list_all_hosts(w);
    return skedi_loc_list(w, w->other, n);
}

/* ---- A flow ---- */

/*
 * Pushes as many blocks as possible from hosts of order[from .. to) that hold
 * more than `fits` to hosts that hold less. `*reached` hosts, with a depth of 0
 * or more, can be reached from hosts that still hold more.
 */
static sked_status loc_flow(skedi_loc *w, uint32_t from, uint32_t to,
                            int64_t threshold, uint32_t *reached)
{
    flow_search s = {.part = to - from};
    sked_status rc = begin_lists(w);
    int more = 1;

    for (uint32_t i = from; i < to; i++) {
        uint32_t h = w->order[i];
        w->fits[h] = skedi_slots_by(&w->slots, h, threshold);
    }
    while (rc == SKED_OK && more) {
        begin_flow_search(w, w->order + from, &s);
        *reached = s.reached;
        if (s.reached == 0) return SKED_OK;
        search_levels(w, &s);
        *reached = s.reached;
        if (s.found) {
            rc = push_level(w, &s);
        } else if (s.reached == s.part) {
            return SKED_OK;
        } else {
            rc = list_reached(w, &s, &more);
        }
        if (rc == SKED_OK) rc = skedi_hooks_check(w->hooks, 0, w->in->blocks);
    }
    return rc;
}

/*
 * From a good placement to the decreasingly minimal placement. A part is a set
 * of hosts with bounds low < high. Every host of a part holds no less than ends
 * by `low` and no more than ends by `high`. No block of a part could go to a
 * lower part. A flow at a threshold in between splits a part. Hosts in reach of
 * hosts that still hold too much form the upper part, the other hosts the lower
 * part. A part without a threshold is done. The level of its hosts, the proof,
 * is then `least`, but below `high`.
 */

typedef struct split_part {
    uint32_t from; /* in w->order */
    uint32_t to;
    int64_t low;
    int64_t high;
    uint32_t halvings;
} split_part;

typedef struct split_stack {
    split_part *part;
    size_t n;
    size_t cap;
} split_stack;

/* The present loads of a part. */
typedef struct split_loads {
    int64_t least;  /* every host could end one more block only later */
    int64_t most;   /* the last end; INT64_MIN: no block at all */
    int64_t middle; /* an average between the two, fast hosts weighing more */
} split_loads;

static int64_t last_end(const skedi_loc *w, uint32_t h)
{
    uint32_t n = w->count[h];

    return n ? skedi_slot_end(&w->slots, h, n) : INT64_MIN;
}

static void find_range(const skedi_loc *w, const split_part *p, split_loads *l)
{
    l->least = SKEDI_NEVER;
    l->most = INT64_MIN;
    for (uint32_t i = p->from; i < p->to; i++) {
        uint32_t h = w->order[i];
        int64_t last = last_end(w, h);
        int64_t next = skedi_slot_end(&w->slots, h, w->count[h] + 1);
        if (last > l->most) l->most = last;
        if (next != SKEDI_NEVER) next--;
        if (next < l->least) l->least = next;
    }
    if (l->most > p->high) l->most = p->high;
    if (l->least < p->low) l->least = p->low;
}

/* The mean of the last ends, counted from `least`. */
static void find_middle(const skedi_loc *w, const split_part *p, split_loads *l)
{
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t weights = 0, rem;

    for (uint32_t i = p->from; i < p->to; i++) {
        uint32_t h = w->order[i];
        int64_t last = last_end(w, h);
        uint64_t weight = w->weight ? w->weight[h] : 1;
        weights += weight;
        if (last <= l->least) continue;
        sum = skedi_u128_add(
            sum, skedi_u128_mul(weight, (uint64_t)last - (uint64_t)l->least));
    }
    sum = skedi_u128_div(sum, weights, &rem);
    l->middle = l->least + (int64_t)skedi_u128_low(sum);
}

/* A threshold strictly between least and most, if any exists. */
static int64_t next_threshold(const skedi_loc *w, split_part *p, split_loads *l)
{
    int64_t at;

    if (l->most == SKEDI_NEVER) {
        at = SKEDI_NEVER - 1; /* settle what is unplaced before all else */
    } else if (p->halvings & 1) {
        at = l->least + (l->most - l->least) / 2;
    } else {
        find_middle(w, p, l);
        at = l->middle;
    }
    p->halvings++;
    if (at <= l->least) at = l->least + 1;
    return at < l->most ? at : l->most - 1;
}

static int push_part(skedi_loc *w, split_stack *s, split_part part)
{
    void *at = s->part;

    if (!skedi_ensure(&w->hooks->mem, &at, &s->cap, s->n + 1,
                      sizeof *s->part)) {
        return 0;
    }
    s->part = at;
    s->part[s->n++] = part;
    return 1;
}

static void leave_part(skedi_loc *w, const split_part *p)
{
    for (uint32_t i = p->from; i < p->to; i++) {
        w->depth[w->order[i]] = SKEDI_LOC_OUTSIDE;
    }
}

/* Moves the hosts out of reach to the front. Returns the beginning of the other
 * hosts. */
static uint32_t partition_part(skedi_loc *w, const split_part *p)
{
    uint32_t low = p->from, n = 0;

    for (uint32_t i = p->from; i < p->to; i++) {
        uint32_t h = w->order[i];
        if (w->depth[h] < 0) {
            w->order[low++] = h;
        } else {
            w->other[n++] = h;
        }
    }
    memcpy(w->order + low, w->other, n * sizeof *w->other);
    return low;
}

/* Flows at thresholds until the part is done or falls into two. */
static sked_status split_one(skedi_loc *w, split_stack *s, split_part p)
{
    split_loads l;

    for (;;) {
        find_range(w, &p, &l);
        if (l.most == INT64_MIN || l.least >= l.most - 1) break;
        int64_t at = next_threshold(w, &p, &l);
        uint32_t reached = 0;
        sked_status rc = loc_flow(w, p.from, p.to, at, &reached);
        if (rc != SKED_OK) return rc;
        if (reached > 0 && reached < p.to - p.from) {
            uint32_t upper = partition_part(w, &p);
            split_part lower = {p.from, upper, p.low, at, p.halvings};
            split_part higher = {upper, p.to, at, p.high, p.halvings};
            leave_part(w, &p);
            return push_part(w, s, lower) && push_part(w, s, higher)
                       ? SKED_OK
                       : SKED_ERR_NOMEM;
        }
        leave_part(w, &p);
        if (reached) {
            p.low = at;
        } else {
            p.high = at;
        }
    }
    int64_t level = l.least < p.high - 1 ? l.least : p.high - 1;
    for (uint32_t i = p.from; i < p.to; i++) w->level[w->order[i]] = level;
    return SKED_OK;
}

/* From any placement to the decreasingly minimal placement, with levels. */
static sked_status loc_split(skedi_loc *w)
{
    split_stack s = {0};
    uint32_t unplaced = w->count[w->hosts] > 0;
    split_part all = {0, w->hosts + unplaced, 0,
                      unplaced ? SKEDI_NEVER : SKEDI_NEVER - 1, 0};
    sked_status rc = SKED_OK;

    for (uint32_t h = 0; h <= w->hosts; h++) {
        w->order[h] = h;
        w->depth[h] = SKEDI_LOC_OUTSIDE;
    }
    if (!push_part(w, &s, all)) rc = SKED_ERR_NOMEM;
    while (s.n > 0 && rc == SKED_OK) rc = split_one(w, &s, s.part[--s.n]);
    skedi_free(&w->hooks->mem, s.part, s.cap, sizeof *s.part);
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_locality_options, method);

enum {
    LOCALITY_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_locality_options, method),
    SWEEPS_MOST = 6
};

/* ---- Sweeps ---- */

/* Equal hosts whose counts leave next to nothing to sweep. */
static int is_even(const skedi_loc *w)
{
    uint32_t blocks = w->in->blocks, least = UINT32_MAX, most = 0;
    uint32_t mean = blocks / w->hosts + (blocks % w->hosts > 0);
    uint64_t excess = 0;

    if (!w->slots.equal || w->count[w->hosts]) return 0;
    for (uint32_t h = 0; h < w->hosts; h++) {
        uint32_t n = w->count[h];
        if (n < least) least = n;
        if (n > most) most = n;
        if (n > mean) excess += n - mean;
    }
    return most - least <= 1 || excess <= blocks / 4000;
}

static sked_status sweep_while_it_pays(skedi_loc *w)
{
    sked_status rc = SKED_OK;

    for (int i = 0; i < SWEEPS_MOST && rc == SKED_OK && !is_even(w); i++) {
        uint64_t moved;
        rc = loc_sweep(w, &moved);
        if (moved <= w->in->blocks / 200) break;
    }
    return rc;
}

/* ---- The methods ---- */

static int reserve_flow(skedi_loc *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t n = (size_t)w->hosts + 1;

    if (!w->slots.equal) {
        w->weight = skedi_new(mem, n, sizeof *w->weight);
        if (!w->weight) return 0;
    }
    return skedi_loc_lists_reserve(w) &&
           (w->order = skedi_new(mem, n, sizeof *w->order)) &&
           (w->queue = skedi_new(mem, n, sizeof *w->queue)) &&
           (w->other = skedi_new(mem, n, sizeof *w->other)) &&
           (w->at = skedi_new(mem, n, sizeof *w->at)) &&
           (w->fits = skedi_new(mem, n, sizeof *w->fits)) &&
           (w->depth = skedi_new(mem, n, sizeof *w->depth)) &&
           (w->path = skedi_new(mem, n, sizeof *w->path));
}

static void drop_flow(skedi_loc *w)
{
    skedi_mem *mem = &w->hooks->mem;
    size_t n = (size_t)w->hosts + 1;

    skedi_loc_classes_drop(w);
    skedi_loc_lists_drop(w);
    skedi_free(mem, w->weight, n, sizeof *w->weight);
    skedi_free(mem, w->order, n, sizeof *w->order);
    skedi_free(mem, w->queue, n, sizeof *w->queue);
    skedi_free(mem, w->other, n, sizeof *w->other);
    skedi_free(mem, w->at, n, sizeof *w->at);
    skedi_free(mem, w->fits, n, sizeof *w->fits);
    skedi_free(mem, w->depth, n, sizeof *w->depth);
    skedi_free(mem, w->path, n, sizeof *w->path);
}

/* Speeds against the fastest, from 1 to 2^20. */
static void weigh_hosts(skedi_loc *w)
{
    const int64_t *ticks = w->slots.ticks;
    int64_t least = ticks ? ticks[0] : 1;

    for (uint32_t h = 0; ticks && h < w->hosts; h++) {
        least = skedi_i64_min(least, ticks[h]);
    }
    for (uint32_t h = 0; h < w->hosts; h++) {
        uint64_t cores = w->slots.cores ? w->slots.cores[h] : 1, rem;
        uint64_t top = (cores < 1024 ? cores : 1024) * 1024;
        uint64_t weight = skedi_muldiv(top, (uint64_t)least,
                                       ticks ? (uint64_t)ticks[h] : 1, &rem);
        w->weight[h] = weight ? (uint32_t)weight : 1;
    }
    w->weight[w->hosts] = 1;
}

static sked_status solve_exactly(skedi_loc *w, sked_error *err)
{
    sked_status rc = loc_greedy(w, err);
    if (rc != SKED_OK) return rc;

    rc = sweep_while_it_pays(w);
    if (rc == SKED_OK) rc = reserve_flow(w) ? SKED_OK : SKED_ERR_NOMEM;
    if (rc == SKED_OK && w->weight) weigh_hosts(w);
    if (rc == SKED_OK) rc = loc_split(w);
    if (rc == SKED_OK) skedi_loc_classes_settle(w);
    drop_flow(w);
    return rc == SKED_OK ? rc : skedi_loc_stopped(rc, err);
}

/* Puts every block on its first replica with a free place. */
static sked_status place_first(skedi_loc *w, sked_error *err)
{
    const uint32_t *row = w->in->replica;

    for (uint32_t b = 0; b < w->in->blocks; b++, row += w->width) {
        w->choice[b] = SKED_LOCALITY_NO_REPLICA;
        for (uint32_t k = 0; k < w->width; k++) {
            uint32_t h = row[k];
            if (h == SKED_LOCALITY_NO_HOST) continue;
            if (h >= w->hosts) return skedi_loc_bad_replica(w->in, b, err);
            if (w->count[h] == skedi_slots_limit(&w->slots, h)) continue;
            w->choice[b] = (uint8_t)k;
            break;
        }
        w->count[skedi_loc_host_of(w, b)]++;
    }
    return SKED_OK;
}

static sked_status solve_by_moves(skedi_loc *w, sked_error *err)
{
    sked_status rc = skedi_loc_check_replicas(w->in, w->hooks, err);
    uint64_t moved = 1;

    if (rc == SKED_OK) rc = place_first(w, err);
    if (rc != SKED_OK) return rc;
    w->plain = 0;
    while (moved && rc == SKED_OK) rc = loc_sweep(w, &moved);
    return rc == SKED_OK ? rc : skedi_loc_stopped(rc, err);
}

sked_status skedi_loc_solve(skedi_loc *w, uint32_t method, sked_error *err)
{
    w->slots = skedi_slots_of(w->in);
    w->hosts = w->in->hosts;
    w->width = w->in->replicas;
    w->plain = w->slots.equal && w->width == 3;
    w->in_order = method != SKED_LOCALITY_METHOD_EXACT;
    if (method == SKED_LOCALITY_METHOD_EQUILIBRIUM)
        return solve_by_moves(w, err);
    if (method == SKED_LOCALITY_METHOD_ONLINE) return loc_greedy(w, err);
    return solve_exactly(w, err);
}

/* ---- The handle ---- */

static void *copy_of(skedi_mem *mem, const void *from, size_t n, size_t size)
{
    void *to = skedi_new(mem, n, size);

    if (to && n) memcpy(to, from, n * size);
    return to;
}

/* Copies the columns, because the caller may free the input. */
static int keep_columns(sked_locality *l, const skedi_blocks *in)
{
    skedi_mem *mem = &l->hooks.mem;
    size_t n = in->hosts;

    l->slots = skedi_slots_of(in);
    if (in->ticks) {
        l->slots.ticks = l->ticks = copy_of(mem, in->ticks, n, 8);
    }
    if (in->committed) {
        l->slots.committed = l->committed = copy_of(mem, in->committed, n, 8);
    }
    if (in->cores) {
        l->slots.cores = l->cores = copy_of(mem, in->cores, n, 4);
    }
    if (in->limit) {
        l->slots.limit = l->limit = copy_of(mem, in->limit, n, 4);
    }
    return (l->ticks || !in->ticks) && (l->committed || !in->committed) &&
           (l->cores || !in->cores) && (l->limit || !in->limit);
}

static int reserve_answer(sked_locality *l, const skedi_blocks *in)
{
    skedi_mem *mem = &l->hooks.mem;
    size_t n = (size_t)in->hosts + 1;

    return keep_columns(l, in) && (l->choice = skedi_new(mem, in->blocks, 1)) &&
           (l->count = skedi_new(mem, n, sizeof *l->count)) &&
           (l->method != SKED_LOCALITY_METHOD_EXACT ||
            (l->level = skedi_new(mem, n, sizeof *l->level)));
}

/* Everything but the hooks' `user`. */
static void drop_locality(sked_locality *l)
{
    skedi_mem mem = l->hooks.mem;
    size_t n = l->hosts;

    skedi_free(&mem, l->ticks, n, sizeof *l->ticks);
    skedi_free(&mem, l->committed, n, sizeof *l->committed);
    skedi_free(&mem, l->cores, n, sizeof *l->cores);
    skedi_free(&mem, l->limit, n, sizeof *l->limit);
    skedi_free(&mem, l->choice, l->blocks, 1);
    skedi_free(&mem, l->count, n + 1, sizeof *l->count);
    skedi_free(&mem, l->level, n + 1, sizeof *l->level);
    skedi_free(&mem, l, 1, sizeof *l);
}

static sked_status take_method(sked_locality_options *o,
                               const sked_locality_options *given,
                               sked_error *err)
{
    sked_status rc = skedi_struct_in(o, sizeof *o, given, LOCALITY_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (o->method > SKED_LOCALITY_METHOD_EQUILIBRIUM) {
        return skedi_fail(
            err, SKED_ERR_ARG, "method is none of ours",
            (skedi_fault){.got = o->method,
                          .limit = SKED_LOCALITY_METHOD_EQUILIBRIUM});
    }
    return SKED_OK;
}

static sked_status make_locality(sked_locality *l, const skedi_blocks *in,
                                 sked_error *err)
{
    skedi_loc w = {.in = in, .hooks = &l->hooks};

    l->blocks = in->blocks;
    l->hosts = in->hosts;
    l->width = in->replicas;
    if (!reserve_answer(l, in)) return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    w.choice = l->choice;
    w.count = l->count;
    w.level = l->level;
    sked_status rc = skedi_loc_solve(&w, l->method, err);
    if (rc == SKED_OK) skedi_loc_find_ends(l);
    return rc;
}

sked_status sked_locality_new(const sked_locality_input *input,
                              const sked_locality_options *options,
                              const sked_host *host, sked_locality **locality,
                              sked_error *err)
{
    skedi_blocks in;
    sked_locality_options o;
    skedi_hooks hooks;
    sked_status rc = skedi_loc_take(&in, input, err);

    if (rc == SKED_OK) rc = take_method(&o, options, err);
    if (rc == SKED_OK && !locality) {
        rc = skedi_fail_null(err, "locality");
    }
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_locality *l = skedi_new(&hooks.mem, 1, sizeof *l);
    if (!l) return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    l->hooks = hooks;
    l->method = o.method;
    rc = make_locality(l, &in, err);
    if (rc == SKED_OK) {
        *locality = l;
    } else {
        drop_locality(l);
    }
    return rc;
}

void sked_locality_free(sked_locality *locality)
{
    if (!locality) return;
    sked_host host = locality->hooks.host;
    drop_locality(locality);
    skedi_hooks_done(host);
}
