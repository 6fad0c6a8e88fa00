/* A placement in force: beginning, reading, losing a host, the end. */
#include "locality/live.h"

#include <string.h>

#include "base/fail.h"
#include "locality/transport.h"

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

/* What is left without a host, as an input, with where blocks are. */
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

/* Numbers that are spare are blocks without a replica that are nowhere. */
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
        skedi_live_take_away(live, b);
        skedi_live_less(live, old);
        live->nowhere += to == SKED_LOCALITY_NO_HOST;
        if (to == SKED_LOCALITY_NO_HOST) continue;
        skedi_live_put(live, b, to);
        skedi_live_more(live, to);
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
