/*
 * A placement that follows changes. Each host has two lists: its blocks, and
 * all blocks with a replica on the host. Hosts are sorted by count, with the
 * beginning of every count (bucket sort). A count therefore changes by one with
 * one exchange. Lists of placed blocks have the capacity of the replica lists,
 * so moves never need memory.
 */
#include "locality/live.h"

#include <string.h>

#include "base/fail.h"
#include "locality/transport.h"

/* Puts a block into the list of a host, or takes the block out; notes the
 * change. */

static void note_change(sked_locality_live *live, uint32_t b)
{
    skedi_live_block *block = &live->block[b];

    if (block->is_moved) return;
    block->is_moved = 1;
    block->from = block->host;
    live->moved[live->n_moved++] = b;
}

static void live_put(sked_locality_live *live, uint32_t b, uint32_t h)
{
    skedi_live_list *list = &live->here[h];

    note_change(live, b);
    live->block[b].host = h;
    live->block[b].at = list->n;
    list->block[list->n++] = b;
}

/* Puts a block on a host, or takes the block away; notes both. Never fails. */
static void live_take_away(sked_locality_live *live, uint32_t b)
{
    skedi_live_list *list = &live->here[live->block[b].host];
    uint32_t last = list->block[--list->n], at = live->block[b].at;

    note_change(live, b);
    list->block[at] = last;
    live->block[last].at = at;
    live->block[b].host = SKED_LOCALITY_NO_HOST;
}

/*
 * Finds a shortest path between hosts, from both ends. Each step takes a whole
 * level of the side with the cheaper next level. Both sides know all hosts up
 * to their depth. The first host seen by both sides therefore lies on a
 * shortest path.
 */

static void live_begin(sked_locality_live *live)
{
    if (++live->stamp == 0) { /* once in 2^32 searches */
        for (uint32_t h = 0; h < live->hosts; h++) {
            live->ahead.mark[h] = live->back.mark[h] = 0;
        }
        live->stamp = 1;
    }
    live->ahead.n = live->ahead.done = 0;
    live->back.n = live->back.done = 0;
    live->ahead.work = live->back.work = 0;
}

/* The list that a side scans on a host. */
static const skedi_live_list *list_of(const sked_locality_live *live,
                                      const skedi_live_side *side, uint32_t h)
{
    return side == &live->ahead ? &live->here[h] : &live->held[h];
}

static void see_host(sked_locality_live *live, skedi_live_side *side,
                     uint32_t h)
{
    side->mark[h] = live->stamp;
    side->queue[side->n++] = h;
    side->work += list_of(live, side, h)->n;
}

/* The first function begins a search; the second function seeds a side. */
static void live_seed(sked_locality_live *live, skedi_live_side *side,
                      uint32_t h)
{
    if (side->mark[h] == live->stamp) return;
    side->host[h] = SKED_LOCALITY_NO_HOST;
    see_host(live, side, h);
}

/* A side reaches `g` from `h` by `block`. Returns 1 if the other side has seen
 * `g`. */
static int come_to(sked_locality_live *live, skedi_live_side *side, uint32_t g,
                   uint32_t h, uint32_t block, uint32_t middle)
{
    const skedi_live_side *other = side == &live->ahead ? &live->back
                                                        : &live->ahead;
    int met = other->mark[g] == live->stamp;

    if (side->mark[g] == live->stamp) return 0;
    if (!met && live->count[g] != middle) return 0;
    side->host[g] = h;
    side->block[g] = block;
    if (!met) see_host(live, side, g);
    return met;
}

/* Forward step: a block on `h` could move to each of its other replicas. */
static uint32_t look_ahead(sked_locality_live *live, uint32_t h,
                           uint32_t middle)
{
    const skedi_live_list *list = &live->here[h];

    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t b = list->block[i];
        const uint32_t *row = skedi_live_row(live, b);
        for (uint32_t k = 0; k < live->width; k++) {
            if (row[k] == SKED_LOCALITY_NO_HOST) continue;
            if (come_to(live, &live->ahead, row[k], h, b, middle)) {
                return row[k];
            }
        }
    }
    return SKED_LOCALITY_NO_HOST;
}

/* Backward step: every block with a replica on `h` could move to `h`. */
static uint32_t look_back(sked_locality_live *live, uint32_t h, uint32_t middle)
{
    const skedi_live_list *list = &live->held[h];

    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t b = list->block[i], g = live->block[b].host;
        if (g == SKED_LOCALITY_NO_HOST || g == h) continue;
        if (come_to(live, &live->back, g, h, b, middle)) return g;
    }
    return SKED_LOCALITY_NO_HOST;
}

/* Takes one level of a side. Returns the host seen by both sides. */
static uint32_t take_level(sked_locality_live *live, skedi_live_side *side,
                           uint32_t middle)
{
    const uint32_t end = side->n;
    uint32_t met = SKED_LOCALITY_NO_HOST;

    side->work = 0;
    while (side->done < end && met == SKED_LOCALITY_NO_HOST) {
        uint32_t h = side->queue[side->done++];
        met = (side == &live->ahead ? look_ahead : look_back)(live, h, middle);
    }
    return met;
}

/* Moves every block of the path through `met`. */
static void shift_blocks(sked_locality_live *live, uint32_t met,
                         uint32_t *first, uint32_t *last)
{
    uint32_t g = met, next;

    while ((next = live->ahead.host[g]) != SKED_LOCALITY_NO_HOST) {
        live_take_away(live, live->ahead.block[g]);
        live_put(live, live->ahead.block[g], g);
        g = next;
    }
    *first = g;
    for (g = met; (next = live->back.host[g]) != SKED_LOCALITY_NO_HOST;
         g = next) {
        live_take_away(live, live->back.block[g]);
        live_put(live, live->back.block[g], next);
    }
    *last = g;
}

/*
 * Finds a shortest path of moves through hosts with a count of `middle`, from a
 * host seeded ahead to a host seeded back. Moves the blocks, and returns both
 * ends of the path. 0: no path exists.
 */
static int live_shift(sked_locality_live *live, uint32_t middle,
                      uint32_t *first, uint32_t *last)
{
    skedi_live_side *a = &live->ahead, *z = &live->back;

    while (a->done < a->n && z->done < z->n) {
        uint32_t met = take_level(live, a->work <= z->work ? a : z, middle);
        if (met == SKED_LOCALITY_NO_HOST) continue;
        shift_blocks(live, met, first, last);
        return 1;
    }
    return 0;
}

/* ---- Counts ---- */

static void exchange_hosts(sked_locality_live *live, uint32_t h, uint32_t with)
{
    uint32_t at = live->spot[h], other = live->sorted[with];

    live->sorted[with] = h;
    live->sorted[at] = other;
    live->spot[other] = at;
    live->spot[h] = with;
}

static void live_more(sked_locality_live *live, uint32_t h)
{
    exchange_hosts(live, h, --live->begin[++live->count[h]]);
}

/* Lower or raise a host's count by one. */
static void live_less(sked_locality_live *live, uint32_t h)
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

/* Removes a block from a list; the last block takes the free place. */
static void release_place(sked_locality_live *live, uint32_t h, uint32_t at)
{
    skedi_live_list *list = &live->held[h];
    uint32_t last = list->block[--list->n], k = 0;
    uint32_t *row = skedi_live_row(live, last);

    while (row[k] != h) k++;
    list->block[at] = last;
    row[live->width + k] = at;
}

/* Takes the replicas of a block out of the lists of their hosts. */
static void live_release(sked_locality_live *live, uint32_t b)
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

/* Reserves capacity for one more number. */
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

/* Reserves capacity for one more block on a host, and a `begin` for the count.
 */
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

/* Copies the hosts of a row without duplicates and without lost replicas. */
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

/* The first host in the row with the least count; SKED_LOCALITY_NO_HOST: none.
 */
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

/* Places a block on the host that keeps the loads decreasingly minimal. */
static void place_block(sked_locality_live *live, uint32_t b)
{
    const uint32_t *row = skedi_live_row(live, b);
    uint32_t best = least_host(live, row), last;

    if (best == SKED_LOCALITY_NO_HOST) return;
    uint32_t least = live->count[best];
    last = best;
    if (least > 0 && live->begin[least - 1] < live->begin[least]) {
        live_begin(live);
        for (uint32_t k = 0; k < live->width && row[k] != SKED_LOCALITY_NO_HOST;
             k++) {
            if (live->count[row[k]] != least) continue;
            live_seed(live, &live->ahead, row[k]);
        }
        for (uint32_t i = live->begin[least - 1]; i < live->begin[least]; i++) {
            live_seed(live, &live->back, live->sorted[i]);
        }
        (void)live_shift(live, least, &best, &last);
    }
    live_more(live, last);
    live_put(live, b, best);
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

/* Takes a block off the count of `h`. Another block may then come, from a host
 * with one block more than `h` had. */
static void fill_gap(sked_locality_live *live, uint32_t h)
{
    uint32_t had = live->count[h], first, last;
    uint32_t from = live->begin[had + 1], to = live->begin[had + 2];

    live_less(live, h);
    if (from == to) return;
    live_begin(live);
    for (uint32_t i = from; i < to; i++) {
        live_seed(live, &live->ahead, live->sorted[i]);
    }
    live_seed(live, &live->back, h);
    if (!live_shift(live, had, &first, &last)) return;
    live_less(live, first);
    live_more(live, last);
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
    if (h != SKED_LOCALITY_NO_HOST) live_take_away(live, block);
    live_release(live, block);
    if (h != SKED_LOCALITY_NO_HOST) fill_gap(live, h);
    live->block[block].is_there = 0;
    live->block[block].at = live->spare;
    live->spare = block;
    return SKED_OK;
}

/* A placement in force: beginning, reading, losing a host, the end. */

/* ---- The handle ---- */

static int reserve_side(skedi_live_side *side, uint32_t hosts, skedi_mem *mem)
{
    return (side->mark = skedi_new(mem, hosts, sizeof *side->mark)) &&
           (side->host = skedi_new(mem, hosts, sizeof *side->host)) &&
           (side->block = skedi_new(mem, hosts, sizeof *side->block)) &&
           (side->queue = skedi_new(mem, hosts, sizeof *side->queue));
}

static void drop_side(skedi_live_side *side, uint32_t hosts, skedi_mem *mem)
{
    skedi_free(mem, side->mark, hosts, sizeof *side->mark);
    skedi_free(mem, side->host, hosts, sizeof *side->host);
    skedi_free(mem, side->block, hosts, sizeof *side->block);
    skedi_free(mem, side->queue, hosts, sizeof *side->queue);
}

static int reserve_live(sked_locality_live *live)
{
    skedi_mem *mem = &live->hooks.mem;
    uint32_t n = live->hosts;

    live->begins = 3;
    return (live->here = skedi_new(mem, n, sizeof *live->here)) &&
           (live->held = skedi_new(mem, n, sizeof *live->held)) &&
           (live->count = skedi_new(mem, n, sizeof *live->count)) &&
           (live->sorted = skedi_new(mem, n, sizeof *live->sorted)) &&
           (live->spot = skedi_new(mem, n, sizeof *live->spot)) &&
           (live->begin = skedi_new(mem, live->begins, sizeof *live->begin)) &&
           reserve_side(&live->ahead, n, mem) &&
           reserve_side(&live->back, n, mem);
}

static void drop_live(sked_locality_live *live)
{
    skedi_mem mem = live->hooks.mem;
    uint32_t n = live->hosts;

    for (uint32_t h = 0; h < n && live->here && live->held; h++) {
        skedi_live_list *here = &live->here[h], *held = &live->held[h];
        skedi_free(&mem, here->block, here->cap, sizeof *here->block);
        skedi_free(&mem, held->block, held->cap, sizeof *held->block);
    }
    skedi_free(&mem, live->here, n, sizeof *live->here);
    skedi_free(&mem, live->held, n, sizeof *live->held);
    skedi_free(&mem, live->count, n, sizeof *live->count);
    skedi_free(&mem, live->sorted, n, sizeof *live->sorted);
    skedi_free(&mem, live->spot, n, sizeof *live->spot);
    skedi_free(&mem, live->begin, live->begins, sizeof *live->begin);
    drop_side(&live->ahead, n, &mem);
    drop_side(&live->back, n, &mem);
    skedi_free(&mem, live->block, live->block_cap, sizeof *live->block);
    skedi_free(&mem, live->rows, live->row_cap, sizeof *live->rows);
    skedi_free(&mem, live->moved, live->moved_cap, sizeof *live->moved);
    skedi_free(&mem, live, 1, sizeof *live);
}

sked_status sked_locality_live_new(uint32_t hosts, uint32_t replicas,
                                   const sked_host *host,
                                   sked_locality_live **live, sked_error *err)
{
    skedi_hooks hooks;

    if (!live) return skedi_fail_null(err, "live");
    if (hosts < 1 || hosts > SKED_MAX_LOCALITY_HOSTS || replicas < 1 ||
        replicas > SKED_MAX_LOCALITY_REPLICAS) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "hosts or replicas are out of range");
    }
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_locality_live *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    made->hooks = hooks;
    made->hosts = hosts;
    made->width = replicas;
    made->spare = SKEDI_NO_BLOCK;
    if (!reserve_live(made)) {
        drop_live(made);
        return skedi_loc_stopped(SKED_ERR_NOMEM, err);
    }
    for (uint32_t h = 0; h < hosts; h++) made->sorted[h] = made->spot[h] = h;
    made->begin[1] = made->begin[2] = hosts;
    *live = made;
    return SKED_OK;
}

void sked_locality_live_free(sked_locality_live *live)
{
    if (!live) return;
    sked_host host = live->hooks.host;
    drop_live(live);
    skedi_hooks_done(host);
}

/* ---- Reads ---- */

uint32_t sked_locality_live_host(const sked_locality_live *live, uint32_t block)
{
    return live && block < live->blocks ? live->block[block].host
                                        : SKED_LOCALITY_NO_HOST;
}

const uint32_t *sked_locality_live_loads(const sked_locality_live *live)
{
    return live ? live->count : NULL;
}

uint32_t sked_locality_live_least_load(const sked_locality_live *live)
{
    return live ? live->count[live->sorted[live->hosts - 1]] : 0;
}

uint64_t sked_locality_live_transfers(const sked_locality_live *live,
                                      uint32_t load)
{
    if (!live) return 0;
    uint64_t m = live->nowhere;
    for (uint32_t i = live->hosts; i-- > 0;) {
        uint32_t n = live->count[live->sorted[i]];
        if (n <= load) break;
        m += n - load;
    }
    return m;
}

sked_status sked_locality_live_take(sked_locality_live *live,
                                    sked_locality_move *moves, size_t cap,
                                    size_t *n, sked_error *err)
{
    uint32_t done = 0;
    size_t written = 0;

    const char *missing = !live           ? "live"
                          : !n            ? "n"
                          : cap && !moves ? "moves"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (; done < live->n_moved; done++) {
        uint32_t b = live->moved[done];
        skedi_live_block *block = &live->block[b];
        if (block->from != block->host && written == cap) break;
        block->is_moved = 0;
        if (block->from == block->host) continue;
        moves[written++] = (sked_locality_move){b, block->from, block->host, 0};
    }
    live->n_moved -= done;
    if (live->n_moved) {
        memmove(live->moved, live->moved + done,
                live->n_moved * sizeof *live->moved);
    }
    *n = written;
    return SKED_OK;
}

/* ---- A host is lost ---- */

/* An input for the blocks without a host, with the present hosts of all blocks.
 */
typedef struct lost_input {
    skedi_blocks in;
    uint32_t *replica;
    uint32_t *present;
    uint8_t *choice;
    uint32_t *count;
    int64_t *level;
} lost_input;

static int reserve_lost(lost_input *l, skedi_mem *mem)
{
    size_t blocks = l->in.blocks, n = (size_t)l->in.hosts + 1;

    return (l->replica = skedi_new(mem, blocks * l->in.replicas, 4)) &&
           (l->present = skedi_new(mem, blocks, sizeof *l->present)) &&
           (l->choice = skedi_new(mem, blocks, 1)) &&
           (l->count = skedi_new(mem, n, sizeof *l->count)) &&
           (l->level = skedi_new(mem, n, sizeof *l->level));
}

static void drop_lost(lost_input *l, skedi_mem *mem)
{
    size_t blocks = l->in.blocks, n = (size_t)l->in.hosts + 1;

    skedi_free(mem, l->replica, blocks * l->in.replicas, 4);
    skedi_free(mem, l->present, blocks, sizeof *l->present);
    skedi_free(mem, l->choice, blocks, 1);
    skedi_free(mem, l->count, n, sizeof *l->count);
    skedi_free(mem, l->level, n, sizeof *l->level);
}

/* A spare number becomes a block without replicas and without a host. */
static void fill_lost(lost_input *l, const sked_locality_live *live,
                      uint32_t lost)
{
    for (uint32_t b = 0; b < live->blocks; b++) {
        const uint32_t *row = skedi_live_row(live, b);
        uint32_t *out = l->replica + (size_t)b * live->width;
        for (uint32_t k = 0; k < live->width; k++) {
            out[k] = row[k] == lost ? SKED_LOCALITY_NO_HOST : row[k];
        }
        l->present[b] = live->block[b].host;
    }
    l->in.replica = l->replica;
}

/* Takes over where every block is to be; never fails. */
static void take_lost_over(sked_locality_live *live, const skedi_transport *t,
                           uint32_t lost)
{
    for (uint32_t b = 0; b < live->blocks; b++) {
        uint32_t old = live->block[b].host;
        uint32_t to = t->where[b] == live->hosts ? SKED_LOCALITY_NO_HOST
                                                 : t->where[b];
        if (to == old) continue;
        live_take_away(live, b);
        live_less(live, old);
        live->nowhere += to == SKED_LOCALITY_NO_HOST;
        if (to == SKED_LOCALITY_NO_HOST) continue;
        live_put(live, b, to);
        live_more(live, to);
    }
    skedi_live_list *held = &live->held[lost];
    while (held->n > 0) {
        uint32_t *row = skedi_live_row(live, held->block[--held->n]), k = 0;
        while (row[k] != lost) k++;
        row[k] = SKED_LOCALITY_NO_HOST;
    }
}

sked_status sked_locality_live_down(sked_locality_live *live, uint32_t lost,
                                    sked_error *err)
{
    if (!live) return skedi_fail_null(err, "live");
    if (lost >= live->hosts) {
        return skedi_fail(err, SKED_ERR_RANGE, "there is no such host",
                          (skedi_fault){.got = lost, .limit = live->hosts});
    }
    skedi_mem *mem = &live->hooks.mem;
    lost_input l = {.in = {.blocks = live->blocks,
                           .hosts = live->hosts,
                           .replicas = live->width}};
    skedi_loc w = {.in = &l.in, .hooks = &live->hooks};
    skedi_transport t = {.in = &l.in, .hooks = &live->hooks};
    sked_status rc = SKED_ERR_NOMEM;
    if (reserve_lost(&l, mem)) {
        fill_lost(&l, live, lost);
        w.choice = l.choice;
        w.count = l.count;
        w.level = l.level;
        rc = skedi_loc_solve(&w, SKED_LOCALITY_METHOD_EXACT, NULL);
    }
    if (rc == SKED_OK) {
        t.level = l.level;
        t.present = l.present;
        rc = skedi_loc_stay(&t, &w.slots, l.count[live->hosts]);
        if (rc == SKED_OK) take_lost_over(live, &t, lost);
        skedi_transport_drop(&t);
    }
    drop_lost(&l, mem);
    return rc == SKED_OK ? rc : skedi_loc_stopped(rc, err);
}
