#ifndef SKEDI_LOCALITY_HANDLE_H
#define SKEDI_LOCALITY_HANDLE_H

/*
 * Data that the files of this folder share: a placement under construction, and
 * the lists of blocks by host for flows between hosts.
 */

#include <sched/locality.h>

#include "base/hooks.h"
#include "locality/slots.h"

/* A piece of memory for lists; all pieces are freed together. */
typedef struct skedi_loc_slab skedi_loc_slab;

/*
 * Blocks by host. Lists are made as late as possible and for as few hosts as
 * possible: lists of all blocks cost more than all other work together. An
 * entry is a block with its row of replicas: a scan runs straight through
 * memory.
 */
typedef struct skedi_loc_lists {
    uint32_t **entry;  /* by host: entries; NULL: not listed */
    uint32_t *n;       /* by host: entries */
    uint32_t *cap;     /* by host */
    uint32_t **cursor; /* by host: while lists are filled */
    uint8_t *whole;    /* by host: is every block listed? */
    skedi_loc_slab *slabs;
    uint32_t passes; /* passes over all blocks */
    int begun;
} skedi_loc_lists;

/* Blocks grouped by equal rows (flow.h). */
typedef struct skedi_loc_classes skedi_loc_classes;

/* One step of a path: the host, and the position in the row of the host's
 * entry. */
typedef struct skedi_loc_step {
    uint32_t host;
    uint32_t position;
} skedi_loc_step;

/*
 * A placement under construction. `hosts` also stands for "no host"; columns by
 * host therefore have one more entry.
 */
typedef struct skedi_loc {
    const skedi_blocks *in;
    skedi_hooks *hooks;
    skedi_slots slots;
    uint32_t hosts;
    uint32_t width;   /* replicas in a row */
    int plain;        /* equal hosts, three replicas, no lost replica */
    int in_order;     /* blocks are placed one by one */
    uint8_t *choice;  /* by block */
    uint32_t *count;  /* by host */
    int64_t *level;   /* by host */
    uint32_t *weight; /* speed by host; NULL: equal hosts */
    skedi_loc_lists lists;
    skedi_loc_classes *classes; /* instead of lists; NULL: single blocks */
    int unlike;                 /* 1: rows were looked at, once */
    /* Flows: hosts of a part stand side by side in `order`. */
    uint32_t *order;
    uint32_t *queue;
    uint32_t *other;
    uint32_t *at;   /* by host: the entry a search stands at */
    uint32_t *fits; /* by host: slots with an end within the threshold */
    int32_t *depth; /* by host: steps from a source, or a mark (flow.c) */
    skedi_loc_step *path;
} skedi_loc;

/* The mark of a host outside the current part. */
enum { SKEDI_LOC_OUTSIDE = 1 << 30 };

/* The host of a block; `hosts`: none. */
static inline uint32_t skedi_loc_host_of(const skedi_loc *w, uint32_t block)
{
    uint8_t k = w->choice[block];

    return k == SKED_LOCALITY_NO_REPLICA
               ? w->hosts
               : w->in->replica[(size_t)block * w->width + k];
}

/* ---- input.c ---- */

/* Takes the input in and checks all numbers except the replicas. */
sked_status skedi_loc_take(skedi_blocks *in, const sked_locality_input *given,
                           sked_error *err);

/* Reports a replica on no host: the block's row and the given number. */
sked_status skedi_loc_bad_replica(const skedi_blocks *in, uint32_t block,
                                  sked_error *err);

/* Checks all replicas too. */
sked_status skedi_loc_check_replicas(const skedi_blocks *in,
                                     const skedi_hooks *hooks, sked_error *err);

/* Writes the error of a stopped call. */
sked_status skedi_loc_stopped(sked_status rc, sked_error *err);

/* ---- stream.c, share.c ---- */

/* Moves block `b` of plain input if the move helps. Returns 1 after a move. */
static inline uint32_t skedi_loc_sweep_one(const uint32_t *row, uint32_t *count,
                                           uint8_t *choice)
{
    const uint32_t at[3] = {count[row[0]], count[row[1]], count[row[2]]};
    uint32_t k = at[1] < at[0], least = at[k];

    if (at[2] < least) {
        k = 2;
        least = at[2];
    }
    if (least + 1 >= at[*choice]) return 0;
    count[row[*choice]]--;
    count[row[k]]++;
    *choice = (uint8_t)k;
    return 1;
}

/* ---- lists.c ---- */

int skedi_loc_lists_reserve(skedi_loc *w);
void skedi_loc_lists_drop(skedi_loc *w);

/* Lists every block of `n` hosts, in one pass over all blocks. */
sked_status skedi_loc_list(skedi_loc *w, const uint32_t *hosts, uint32_t n);

/* Lists some blocks of all hosts. The lists are enough to find paths, but never
 * prove the absence of paths. */
sked_status skedi_loc_list_window(skedi_loc *w, uint32_t blocks);

/* Moves entry `at` from a host's list to the list of another host, if the other
 * host is listed. Returns 0 and changes no list if memory is short. */
int skedi_loc_move_entry(skedi_loc *w, uint32_t from, uint32_t at, uint32_t to);

/* ---- flow.c, split.c ---- */

/* ---- solve.c ---- */

/* Makes a placement from an input with unchecked replicas. `w` has input,
 * hooks, choice, count, level. Other memory is released at the end. */
sked_status skedi_loc_solve(skedi_loc *w, uint32_t method, sked_error *err);

struct sked_locality {
    skedi_hooks hooks;
    skedi_slots slots; /* over the handle's own columns */
    uint32_t blocks;
    uint32_t hosts;
    uint32_t width;
    uint32_t method;
    int64_t floor;
    int64_t least; /* SKED_UNLIMITED as floor */
    uint8_t *choice;
    uint32_t *count; /* hosts + 1 */
    int64_t *level;  /* hosts + 1; NULL unless exact */
    int64_t *ticks;  /* own copy; NULL as in the input */
    int64_t *committed;
    uint32_t *cores;
    uint32_t *limit;
};

/* Floor and least load, from the counts. */
void skedi_loc_find_ends(sked_locality *locality);

/*
 * Checks the arguments of a call that continues from an exact placement. Takes
 * input and host, and checks all of the input. As far as possible, also checks
 * that the placement was made from the same input, because the call follows its
 * choices.
 */
sked_status skedi_loc_take_match(const sked_locality *locality,
                                 const sked_locality_input *input,
                                 const sked_host *host, skedi_blocks *in,
                                 skedi_hooks *hooks, sked_error *err);

#endif
