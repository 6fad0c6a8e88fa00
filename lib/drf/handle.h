#ifndef SKEDI_DRF_HANDLE_H
#define SKEDI_DRF_HANDLE_H

/*
 * Inside a sked_drf. The host knows a client by the number of the client's
 * slot. In the winner tree the client is a player. Slots of removed clients are
 * used again. Players are numbered in order of adding, so the lower player is
 * the older client. When the numbers run out, all clients get new numbers in
 * the same order.
 */

#include <sched/drf.h>

#include "base/hooks.h"
#include "base/sort.h"
#include "drf/key.h"
#include "base/winner.h"

typedef struct skedi_drf_client {
    uint64_t id;      /* the host's key; 0: the slot is free */
    uint64_t key;     /* of the weighted share */
    uint64_t inverse; /* of the weight */
    uint32_t weight;
    uint32_t player; /* free: the next free slot, or SKED_DRF_NONE */
} skedi_drf_client;

enum { SKEDI_DRF_MAX_CLIENTS = 1 << 30 };

/* All arrays of a handle: for at least one client. */
typedef struct skedi_drf_memory {
    uint32_t cap;     /* clients */
    uint32_t players; /* half as many again, in whole blocks */
    uint32_t index_size;
    uint32_t kinds;
    skedi_drf_client *client;
    int64_t *usage;       /* a row a slot */
    uint32_t *slot_of;    /* by player; SKED_DRF_NONE: client is gone */
    skedi_winners order;  /* of players; SKEDI_WINNER_OUT: not active */
    uint32_t *index;      /* slots by id: open addressing, half empty */
    skedi_keyed *scratch; /* 2 * cap, for lists */
} skedi_drf_memory;

/* Counts of work, by which tests check the cost of operations. */
typedef struct skedi_drf_work {
    uint64_t keys;   /* computed */
    uint64_t levels; /* of the tree, visited by changes of a client */
    uint64_t builds; /* of the whole tree */
    uint64_t moves;  /* how often all clients were numbered anew */
} skedi_drf_work;

struct sked_drf {
    skedi_hooks hooks;
    skedi_drf_memory memory;
    uint32_t kinds;
    uint32_t n;
    uint32_t n_active;
    uint32_t slots;     /* slots in use now or before */
    uint32_t free_slot; /* head of the list of free slots */
    uint32_t next_player;
    skedi_drf_work work;
    int64_t capacity[SKED_MAX_KINDS];
    skedi_drf_scale scale[SKED_MAX_KINDS];
};

static inline int64_t *skedi_drf_row(const sked_drf *drf, uint32_t slot)
{
    return drf->memory.usage + (size_t)slot * drf->kinds;
}

static inline int skedi_drf_has(const sked_drf *drf, uint32_t slot)
{
    return slot < drf->slots && drf->memory.client[slot].id != 0;
}

/* The key of a client in the tree: below SKEDI_WINNER_OUT, the key of clients
 * that are not active. */
static inline uint64_t skedi_drf_player_key(const sked_drf *drf, uint32_t slot)
{
    uint64_t key = drf->memory.client[slot].key;

    return key - (key == SKED_DRF_INFINITE);
}

static inline uint64_t *skedi_drf_held_key(const sked_drf *drf, uint32_t slot)
{
    return &drf->memory.order.key[drf->memory.client[slot].player];
}

static inline int skedi_drf_is_in(const sked_drf *drf, uint32_t slot)
{
    return *skedi_drf_held_key(drf, slot) != SKEDI_WINNER_OUT;
}

/* ---- drf/handle.c ---- */

/* The slot of the client with this id, or SKED_DRF_NONE. */
uint32_t skedi_drf_index_find(const sked_drf *drf, uint64_t id);
void skedi_drf_index_drop(sked_drf *drf, uint64_t id);

/* ---- drf/handle.c ---- */

/* Makes a client with a slot and a player; the memory was reserved. */
uint32_t skedi_drf_player_new(sked_drf *drf, uint64_t id, uint32_t weight,
                              const int64_t *usage);

/* Forgets a client, but does not change the tree; returns the client's
 * player. */
uint32_t skedi_drf_drop(sked_drf *drf, uint32_t slot);

/* Recomputes the key of a client, but does not change the tree. */
void skedi_drf_rekey(sked_drf *drf, uint32_t slot);

/* Gives a player a key, and updates the path of the player. */
void skedi_drf_reach(sked_drf *drf, uint32_t player, uint64_t key);

/* Builds the whole tree from the players' keys. */
void skedi_drf_build(sked_drf *drf);

/* Reserves memory for `more` more clients. 0: no memory, nothing changed. */
int skedi_drf_memory_make(sked_drf *drf, size_t more);

/*
 * Adds a row to the usage of a client; returns the first kind whose sum would
 * be out of range, nothing having changed, or the number of kinds.
 */
uint32_t skedi_drf_charge_row(sked_drf *drf, uint32_t slot,
                              const int64_t *delta);

sked_status skedi_drf_charge_fail(const sked_drf *drf, uint32_t slot,
                                  const int64_t *delta, uint32_t kind,
                                  size_t at, sked_error *err);

/* Sets a weight and the key that follows; does not change the tree. */
void skedi_drf_reweigh(sked_drf *drf, uint32_t slot, uint32_t weight);

#endif
