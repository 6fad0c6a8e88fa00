#ifndef SKEDI_LOCALITY_HANDLE_H
#define SKEDI_LOCALITY_HANDLE_H

/*
 * Shared by the files of this folder: a placement while it is made, and the
 * lists of blocks by host that flows between hosts need.
 */

#include <sched/locality.h>

#include "base/hooks.h"
#include "locality/slots.h"

/* A piece of memory for lists; they are given back together. */
typedef struct skedi_loc_slab skedi_loc_slab;

/*
 * Blocks by host, made as late and as little as can be: counting all of them
 * into lists costs more than everything else together. An entry is a block
 * with its row of replicas, so that a scan runs straight through memory.
 */
typedef struct skedi_loc_lists {
    uint32_t **entry;  /* by host: its entries; NULL: not listed */
    uint32_t *n;       /* by host: entries */
    uint32_t *cap;     /* by host */
    uint32_t **cursor; /* by host: while lists are filled */
    uint8_t *whole;    /* by host: is every block listed? */
    skedi_loc_slab *slabs;
    uint32_t passes; /* over all blocks, so far */
    int begun;
} skedi_loc_lists;

/* Blocks by rows that are alike (flow.h). */
typedef struct skedi_loc_classes skedi_loc_classes;

/* One step of a path: from that host by that position of its entry's row. */
typedef struct skedi_loc_step {
    uint32_t host;
    uint32_t position;
} skedi_loc_step;

/*
 * A placement that is being made. `hosts` is also the number of the host that
 * is none, so columns by host have one more entry.
 */
typedef struct skedi_loc {
    const skedi_blocks *in;
    skedi_hooks *hooks;
    skedi_slots slots;
    uint32_t hosts;
    uint32_t width;   /* replicas in a row */
    int plain;        /* equal hosts, three replicas, none of them lost */
    int in_order;     /* blocks are placed one after the other */
    uint8_t *choice;  /* by block */
    uint32_t *count;  /* by host */
    int64_t *level;   /* by host */
    uint32_t *weight; /* by host: how fast it is; NULL for equal ones */
    skedi_loc_lists lists;
    skedi_loc_classes *classes; /* instead of lists; NULL: blocks one by one */
    int unlike;                 /* 1: rows were looked at, once */
    /* Flows: hosts of a part stand side by side in `order`. */
    uint32_t *order;
    uint32_t *queue;
    uint32_t *other;
    uint32_t *at;   /* by host: the entry a search stands at */
    uint32_t *fits; /* by host: slots that end by the threshold */
    int32_t *depth; /* by host: steps from a source, or a mark (flow.c) */
    skedi_loc_step *path;
} skedi_loc;

/* The mark of a host outside the part that is looked at. */
enum { SKEDI_LOC_OUTSIDE = 1 << 30 };

/* A block's host: `hosts` when it has none. */
static inline uint32_t skedi_loc_host_of(const skedi_loc *w, uint32_t block)
{
    uint8_t k = w->choice[block];

    return k == SKED_LOCALITY_NO_REPLICA
               ? w->hosts
               : w->in->replica[(size_t)block * w->width + k];
}

/* ---- input.c ---- */

/* Takes the input in and checks its numbers, all but the replicas. */
sked_status skedi_loc_take(skedi_blocks *in, const sked_locality_input *given,
                           sked_error *err);

/* A replica that is no host: the block's row and what it names. */
sked_status skedi_loc_bad_replica(const skedi_blocks *in, uint32_t block,
                                  sked_error *err);

/* Checks all replicas too. */
sked_status skedi_loc_check_replicas(const skedi_blocks *in,
                                     const skedi_hooks *hooks, sked_error *err);

/* Some words for a call that could not go on. */
sked_status skedi_loc_stopped(sked_status rc, sked_error *err);

/* ---- stream.c, share.c ---- */

/* Moves block `b` of plain input where that helps: 1 if it did. */
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

/* Lists some blocks of all hosts: enough to find paths, never to prove that
 * there is none. */
sked_status skedi_loc_list_window(skedi_loc *w, uint32_t blocks);

/* Takes entry `at` from a host's list, and puts it into another one, if that
 * host is listed. 0: no memory; nothing has changed. */
int skedi_loc_move_entry(skedi_loc *w, uint32_t from, uint32_t at, uint32_t to);

/* ---- flow.c, split.c ---- */

/* ---- solve.c ---- */

/* The whole way, for an input that is checked but for its replicas; `w` has
 * input, hooks, choice, count, level. Other memory is released at the end. */
sked_status skedi_loc_solve(skedi_loc *w, uint32_t method, sked_error *err);

struct sked_locality {
    skedi_hooks hooks;
    skedi_slots slots; /* over columns of its own */
    uint32_t blocks;
    uint32_t hosts;
    uint32_t width;
    uint32_t method;
    int64_t floor;
    int64_t least; /* SKED_UNLIMITED as floor */
    uint8_t *choice;
    uint32_t *count; /* hosts + 1 */
    int64_t *level;  /* hosts + 1; NULL unless exact */
    int64_t *ticks;  /* of its own: NULL as in the input */
    int64_t *committed;
    uint32_t *cores;
    uint32_t *limit;
};

/* Floor and least load, from the counts. */
void skedi_loc_find_ends(sked_locality *locality);

/*
 * Checks of arguments for calls that continue from an exact placement:
 * takes input and host, and checks all of the input, and that it is the one the
 * placement was made from, as far as can be seen, so that choices may be
 * followed.
 */
sked_status skedi_loc_take_match(const sked_locality *locality,
                                 const sked_locality_input *input,
                                 const sked_host *host, skedi_blocks *in,
                                 skedi_hooks *hooks, sked_error *err);

#endif
