#ifndef SKEDI_DRF_HANDLE_H
#define SKEDI_DRF_HANDLE_H

/*
 * Inside a sked_drf. A client has a slot, whose number the host knows it by,
 * and is a player of the winner tree. Slots of removed clients are used again.
 * Players are numbered in order of adding, so that the lower one is the older
 * client; when the numbers run out, clients are numbered anew without changing
 * their order.
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

/* All memory of a handle: for one client at least. */
typedef struct skedi_drf_memory {
    uint32_t cap;     /* clients */
    uint32_t players; /* half as many again, in whole blocks */
    uint32_t index_size;
    uint32_t kinds;
    skedi_drf_client *client;
    int64_t *usage;      /* a row a slot */
    uint32_t *slot_of;   /* of each player; SKED_DRF_NONE: its client is gone */
    skedi_winners order; /* of players; SKEDI_WINNER_OUT: not active */
    uint32_t *index;     /* slots by id: open addressing, half empty */
    skedi_keyed *scratch; /* 2 * cap, for lists */
} skedi_drf_memory;

/* Counts of work, by which tests see that what should be cheap is. */
typedef struct skedi_drf_work {
    uint64_t keys;   /* computed */
    uint64_t levels; /* of the tree, visited by changes of one client */
    uint64_t builds; /* of the whole tree */
    uint64_t moves;  /* how often all clients were numbered anew */
} skedi_drf_work;

struct sked_drf {
    skedi_hooks hooks;
    skedi_drf_memory memory;
    uint32_t kinds;
    uint32_t n;
    uint32_t n_active;
    uint32_t slots;     /* that were ever used */
    uint32_t free_slot; /* head of the list of free ones among them */
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

/* The key of a client in the tree: below SKEDI_WINNER_OUT, which stands for
 * clients that are not active. */
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

/* Makes a client, with a slot and a player, for which memory was reserved. */
uint32_t skedi_drf_player_new(sked_drf *drf, uint64_t id, uint32_t weight,
                              const int64_t *usage);

/* Forgets a client, but leaves the tree alone; returns the player it was. */
uint32_t skedi_drf_drop(sked_drf *drf, uint32_t slot);

/* Computes the key of a client anew, but leaves the tree alone. */
void skedi_drf_rekey(sked_drf *drf, uint32_t slot);

/* Gives a player a key, along its path. */
void skedi_drf_reach(sked_drf *drf, uint32_t player, uint64_t key);

/* Builds the whole tree, after its players have their keys. */
void skedi_drf_build(sked_drf *drf);

/* Memory for so many clients more. 0: no memory, and nothing has changed. */
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

/* Another weight and the key that goes with it; the tree stays. */
void skedi_drf_reweigh(sked_drf *drf, uint32_t slot, uint32_t weight);

#endif
