/*
 * An order of candidates by several keys, which keys.c puts into words.
 *
 * The first word is sorted by radix, which keeps the order of position among
 * equals; a further word is made and sorted only within runs that are alike so
 * far. When only the first few are asked for they are selected before they are
 * sorted (select.c).
 */
#include "rank/order.h"

#include "base/fail.h"

/* What a call acquires. */
typedef struct ranking_room {
    skedi_keyed *items;
    skedi_keyed *scratch;
    uint32_t *taken; /* only where not all are wanted */
    size_t n;
    size_t top;
} ranking_room;

static int rank_room_make(ranking_room *room, skedi_mem *mem, size_t n,
                          size_t top)
{
    *room = (ranking_room){.n = n, .top = top};
    return (room->items = skedi_new(mem, n, sizeof *room->items)) &&
           (room->scratch = skedi_new(mem, top, sizeof *room->scratch)) &&
           (top == n ||
            (room->taken = skedi_new(mem, top, sizeof *room->taken)));
}

static void rank_room_drop(ranking_room *room, skedi_mem *mem)
{
    skedi_free(mem, room->items, room->n, sizeof *room->items);
    skedi_free(mem, room->scratch, room->top, sizeof *room->scratch);
    skedi_free(mem, room->taken, room->top, sizeof *room->taken);
}

/* Tells runs of equal keys apart by their tags: where they begin. */
static void mark_runs(skedi_keyed *items, uint32_t from, uint32_t to)
{
    uint32_t start = from;

    for (uint32_t i = from; i < to; i++) {
        if (items[i].key != items[start].key) start = i;
        items[i].tag = start;
    }
}

/* Sorts what is alike so far by one more word. */
static sked_status break_ties(const skedi_rank *rank, uint32_t word,
                              ranking_room *room, const skedi_hooks *hooks)
{
    skedi_keyed *items = room->items;
    uint32_t to, done = SKEDI_RANK_CHECK;

    for (uint32_t from = 0; from < room->top; from = to) {
        for (to = from + 1; to < room->top; to++) {
            if (items[to].tag != items[from].tag) break;
        }
        if (done >= SKEDI_RANK_CHECK) {
            sked_status rc = skedi_hooks_check(hooks, from, room->top);
            if (rc != SKED_OK) return rc;
            done = 0;
        }
        done += to - from;
        if (to - from < 2) continue;
        skedi_rank_load_some(rank, word, items + from, to - from);
        skedi_sort_keys(items + from, room->scratch, to - from);
        mark_runs(items, from, to);
    }
    return SKED_OK;
}

static sked_status rank_sort(const skedi_rank *rank, ranking_room *room,
                             const skedi_hooks *hooks)
{
    uint32_t top = (uint32_t)room->top;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < room->n; i++) room->items[i].index = i;
    if (room->taken) {
        rc = skedi_rank_select(rank, room->items, room->taken, top, hooks);
        for (uint32_t i = 0; i < top; i++) {
            room->items[i].index = room->taken[i];
        }
    }
    if (rc == SKED_OK) rc = skedi_rank_load(rank, 0, room->items, top, hooks);
    if (rc != SKED_OK) return rc;
    skedi_sort_keys(room->items, room->scratch, top);
    mark_runs(room->items, 0, top);
    for (uint32_t word = 1; rc == SKED_OK && word < rank->words; word++) {
        rc = break_ties(rank, word, room, hooks);
    }
    return rc;
}

sked_status sked_rank_order(const sked_rank_input *in, uint32_t top,
                            const sked_host *host, uint32_t *positions,
                            sked_error *err)
{
    skedi_hooks hooks;
    skedi_rank rank;
    ranking_room room;

    if (!positions)
        return skedi_fail_plain(err, SKED_ERR_ARG, "a pointer is NULL");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc == SKED_OK) rc = skedi_rank_plan(&rank, in, &hooks, err);
    if (rc != SKED_OK || rank.in.n == 0) return rc;
    uint32_t n = rank.in.n, wanted = top == 0 || top > n ? n : top;

    if (!rank_room_make(&room, &hooks.mem, n, wanted)) {
        rc = skedi_fail_plain(err, SKED_ERR_NOMEM, "no memory for an order");
    } else if ((rc = rank_sort(&rank, &room, &hooks)) == SKED_OK) {
        for (uint32_t i = 0; i < wanted; i++) {
            positions[i] = room.items[i].index;
        }
    } else {
        rc = skedi_fail_plain(err, rc, "stopped by the host");
    }
    rank_room_drop(&room, &hooks.mem);
    return rc;
}
