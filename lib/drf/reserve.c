/*
 * The memory of a sked_drf: one block of arrays for a number of clients,
 * replaced as a whole when it has become too small, and the index of clients
 * by the host's key, an open hash table of slots in which every run of
 * occupied places is whole: a removal closes its gap.
 */
#include <string.h>

#include "drf/handle.h"

enum { DRF_CAP_MIN = 8 };

void skedi_drf_memory_release(skedi_drf_memory *memory, skedi_mem *mem)
{
    skedi_free(mem, memory->client, memory->cap, sizeof *memory->client);
    skedi_free(mem, memory->usage, (size_t)memory->cap * memory->kinds,
               sizeof *memory->usage);
    skedi_free(mem, memory->slot_of, memory->players, sizeof *memory->slot_of);
    skedi_free(mem, memory->order.key, memory->players,
               sizeof *memory->order.key);
    skedi_free(mem, memory->order.node, memory->order.blocks,
               2 * sizeof *memory->order.node);
    skedi_free(mem, memory->index, memory->index_size, sizeof *memory->index);
    skedi_free(mem, memory->scratch, 2 * (size_t)memory->cap,
               sizeof *memory->scratch);
    *memory = (skedi_drf_memory){0};
}

/* Half as many players again as there may be clients: see skedi_drf_renumber(). */
static int memory_fill_in(skedi_drf_memory *memory, uint32_t cap,
                          uint32_t kinds, skedi_mem *mem)
{
    uint32_t blocks = skedi_winner_blocks(cap + cap / 2);

    *memory = (skedi_drf_memory){
        .cap = cap,
        .players = blocks * SKEDI_WINNER_BLOCK,
        .index_size = (uint32_t)skedi_ceil_pow2(2 * (uint64_t)cap),
        .kinds = kinds,
        .order = {.blocks = blocks},
    };
    if (kinds > SIZE_MAX / cap) return 0;
    return (memory->client = skedi_new(mem, cap, sizeof *memory->client)) &&
           (memory->usage = skedi_new(mem, (size_t)cap * kinds,
                                      sizeof *memory->usage)) &&
           (memory->slot_of = skedi_new(mem, memory->players,
                                        sizeof *memory->slot_of)) &&
           (memory->order.key = skedi_new(mem, memory->players,
                                          sizeof *memory->order.key)) &&
           (memory->order.node = skedi_new(mem, blocks,
                                           2 * sizeof *memory->order.node)) &&
           (memory->index = skedi_new(mem, memory->index_size,
                                      sizeof *memory->index)) &&
           (memory->scratch = skedi_new(mem, 2 * (size_t)cap,
                                        sizeof *memory->scratch));
}

static uint32_t index_start(const skedi_drf_memory *memory, uint64_t id)
{
    id ^= id >> 33;
    id *= UINT64_C(0xff51afd7ed558ccd);
    id ^= id >> 29;
    return (uint32_t)(id & (memory->index_size - 1));
}

/* Where the id stands in the index, or the empty place where it would. */
static uint32_t index_place(const skedi_drf_memory *memory, uint64_t id)
{
    uint32_t mask = memory->index_size - 1;
    uint32_t at = index_start(memory, id);

    while (memory->index[at] != SKED_DRF_NONE &&
           memory->client[memory->index[at]].id != id) {
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t skedi_drf_index_find(const sked_drf *drf, uint64_t id)
{
    return drf->memory.index[index_place(&drf->memory, id)];
}

void skedi_drf_index_add(sked_drf *drf, uint64_t id, uint32_t slot)
{
    drf->memory.index[index_place(&drf->memory, id)] = slot;
}

void skedi_drf_index_drop(sked_drf *drf, uint64_t id)
{
    skedi_drf_memory *memory = &drf->memory;
    uint32_t mask = memory->index_size - 1;
    uint32_t gap = index_place(memory, id);

    for (uint32_t at = gap;;) {
        at = (at + 1) & mask;
        uint32_t slot = memory->index[at];
        if (slot == SKED_DRF_NONE) break;
        uint32_t start = index_start(memory, memory->client[slot].id);
        if (((at - start) & mask) < ((at - gap) & mask)) continue;
        memory->index[gap] = slot; /* its run began before the gap */
        gap = at;
    }
    memory->index[gap] = SKED_DRF_NONE;
}

/* Numbers clients as players of `to`, from 0 on; it may be the memory itself. */
static uint32_t number_all(skedi_drf_memory *to, const skedi_drf_memory *from,
                           uint32_t players)
{
    uint32_t next = 0;

    for (uint32_t player = 0; player < players; player++) {
        uint32_t slot = from->slot_of[player];
        if (slot == SKED_DRF_NONE) continue;
        uint64_t key = from->order.key[player];
        to->client[slot].player = next;
        to->slot_of[next] = slot;
        to->order.key[next] = key;
        next++;
    }
    for (uint32_t player = next; player < to->players; player++) {
        to->slot_of[player] = SKED_DRF_NONE;
        to->order.key[player] = SKEDI_WINNER_OUT;
    }
    return next;
}

void skedi_drf_renumber(sked_drf *drf)
{
    drf->next_player = number_all(&drf->memory, &drf->memory, drf->next_player);
    drf->work.moves++;
    skedi_drf_build(drf);
}

/* Fills a new memory with what the old one holds, and takes it over. */
static void memory_move(sked_drf *drf, skedi_drf_memory *next)
{
    const skedi_drf_memory *old = &drf->memory;

    memset(next->index, 0xff, next->index_size * sizeof *next->index);
    if (old->cap) {
        memcpy(next->client, old->client, drf->slots * sizeof *next->client);
        memcpy(next->usage, old->usage,
               (size_t)drf->slots * drf->kinds * sizeof *next->usage);
    }
    drf->next_player = number_all(next, old, drf->next_player);

    skedi_drf_memory held = drf->memory;
    drf->memory = *next;
    *next = held;
    for (uint32_t slot = 0; slot < drf->slots; slot++) {
        uint64_t id = drf->memory.client[slot].id;
        if (id) skedi_drf_index_add(drf, id, slot);
    }
    skedi_drf_build(drf);
}

int skedi_drf_grow(sked_drf *drf, uint32_t cap)
{
    skedi_mem *mem = &drf->hooks.mem;
    skedi_drf_memory next;

    if (cap < DRF_CAP_MIN) cap = DRF_CAP_MIN;
    int there = memory_fill_in(&next, cap, drf->kinds, mem);
    if (there) memory_move(drf, &next);
    skedi_drf_memory_release(&next, mem); /* the old one, or half of a new
                                             one */
    return there;
}

void skedi_drf_build(sked_drf *drf)
{
    drf->work.builds++;
    skedi_winner_build(&drf->memory.order);
}
