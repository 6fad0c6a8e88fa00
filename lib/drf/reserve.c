/*
 * The memory of a sked_drf: one block of arrays for a number of clients,
 * replaced as a whole when it has become too small, and the index of clients
 * by the host's key, an open hash table of slots in which every run of
 * occupied places is whole: a removal closes its gap.
 */
#include <string.h>

#include "drf/handle.h"

enum { DRF_CAP_MIN = 8 };

void skedi_drf_room_release(skedi_drf_room *room, skedi_mem *mem)
{
    skedi_free(mem, room->client, room->cap, sizeof *room->client);
    skedi_free(mem, room->usage, (size_t)room->cap * room->kinds,
               sizeof *room->usage);
    skedi_free(mem, room->slot_of, room->seats, sizeof *room->slot_of);
    skedi_free(mem, room->order.key, room->seats, sizeof *room->order.key);
    skedi_free(mem, room->order.node, room->order.blocks,
               2 * sizeof *room->order.node);
    skedi_free(mem, room->index, room->index_size, sizeof *room->index);
    skedi_free(mem, room->scratch, 2 * (size_t)room->cap,
               sizeof *room->scratch);
    *room = (skedi_drf_room){0};
}

/* Half as many seats again as there may be clients: see skedi_drf_reseat(). */
static int room_reserve(skedi_drf_room *room, uint32_t cap, uint32_t kinds,
                        skedi_mem *mem)
{
    uint32_t blocks = skedi_winner_blocks(cap + cap / 2);

    *room = (skedi_drf_room){
        .cap = cap,
        .seats = blocks * SKEDI_WINNER_BLOCK,
        .index_size = (uint32_t)skedi_ceil_pow2(2 * (uint64_t)cap),
        .kinds = kinds,
        .order = {.blocks = blocks},
    };
    if (kinds > SIZE_MAX / cap) return 0;
    return (room->client = skedi_new(mem, cap, sizeof *room->client)) &&
           (room->usage = skedi_new(mem, (size_t)cap * kinds,
                                    sizeof *room->usage)) &&
           (room->slot_of = skedi_new(mem, room->seats,
                                      sizeof *room->slot_of)) &&
           (room->order.key = skedi_new(mem, room->seats,
                                        sizeof *room->order.key)) &&
           (room->order.node = skedi_new(mem, blocks,
                                         2 * sizeof *room->order.node)) &&
           (room->index = skedi_new(mem, room->index_size,
                                    sizeof *room->index)) &&
           (room->scratch = skedi_new(mem, 2 * (size_t)cap,
                                      sizeof *room->scratch));
}

static uint32_t index_start(const skedi_drf_room *room, uint64_t id)
{
    id ^= id >> 33;
    id *= UINT64_C(0xff51afd7ed558ccd);
    id ^= id >> 29;
    return (uint32_t)(id & (room->index_size - 1));
}

/* Where the id stands in the index, or the empty place where it would. */
static uint32_t index_place(const skedi_drf_room *room, uint64_t id)
{
    uint32_t mask = room->index_size - 1;
    uint32_t at = index_start(room, id);

    while (room->index[at] != SKED_DRF_NONE &&
           room->client[room->index[at]].id != id) {
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t skedi_drf_index_find(const sked_drf *drf, uint64_t id)
{
    return drf->room.index[index_place(&drf->room, id)];
}

void skedi_drf_index_add(sked_drf *drf, uint64_t id, uint32_t slot)
{
    drf->room.index[index_place(&drf->room, id)] = slot;
}

void skedi_drf_index_drop(sked_drf *drf, uint64_t id)
{
    skedi_drf_room *room = &drf->room;
    uint32_t mask = room->index_size - 1;
    uint32_t gap = index_place(room, id);

    for (uint32_t at = gap;;) {
        at = (at + 1) & mask;
        uint32_t slot = room->index[at];
        if (slot == SKED_DRF_NONE) break;
        uint32_t start = index_start(room, room->client[slot].id);
        if (((at - start) & mask) < ((at - gap) & mask)) continue;
        room->index[gap] = slot; /* its run began before the gap */
        gap = at;
    }
    room->index[gap] = SKED_DRF_NONE;
}

/* Clients to the first seats of `to`, which may be the room itself. */
static uint32_t seat_all(skedi_drf_room *to, const skedi_drf_room *from,
                         uint32_t seats)
{
    uint32_t next = 0;

    for (uint32_t seat = 0; seat < seats; seat++) {
        uint32_t slot = from->slot_of[seat];
        if (slot == SKED_DRF_NONE) continue;
        uint64_t key = from->order.key[seat];
        to->client[slot].seat = next;
        to->slot_of[next] = slot;
        to->order.key[next] = key;
        next++;
    }
    for (uint32_t seat = next; seat < to->seats; seat++) {
        to->slot_of[seat] = SKED_DRF_NONE;
        to->order.key[seat] = SKEDI_WINNER_OUT;
    }
    return next;
}

void skedi_drf_reseat(sked_drf *drf)
{
    drf->next_seat = seat_all(&drf->room, &drf->room, drf->next_seat);
    drf->work.moves++;
    skedi_drf_build(drf);
}

/* Fills a new room with what the old one holds, and takes it over. */
static void room_move(sked_drf *drf, skedi_drf_room *next)
{
    const skedi_drf_room *old = &drf->room;

    memset(next->index, 0xff, next->index_size * sizeof *next->index);
    if (old->cap) {
        memcpy(next->client, old->client, drf->slots * sizeof *next->client);
        memcpy(next->usage, old->usage,
               (size_t)drf->slots * drf->kinds * sizeof *next->usage);
    }
    drf->next_seat = seat_all(next, old, drf->next_seat);

    skedi_drf_room held = drf->room;
    drf->room = *next;
    *next = held;
    for (uint32_t slot = 0; slot < drf->slots; slot++) {
        uint64_t id = drf->room.client[slot].id;
        if (id) skedi_drf_index_add(drf, id, slot);
    }
    skedi_drf_build(drf);
}

int skedi_drf_grow(sked_drf *drf, uint32_t cap)
{
    skedi_mem *mem = &drf->hooks.mem;
    skedi_drf_room next;

    if (cap < DRF_CAP_MIN) cap = DRF_CAP_MIN;
    int there = room_reserve(&next, cap, drf->kinds, mem);
    if (there) room_move(drf, &next);
    skedi_drf_room_release(&next, mem); /* the old one, or half of a new one */
    return there;
}

void skedi_drf_build(sked_drf *drf)
{
    drf->work.builds++;
    skedi_winner_build(&drf->room.order);
}
