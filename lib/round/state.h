#ifndef SKEDI_ROUND_STATE_H
#define SKEDI_ROUND_STATE_H

#include <sched/round.h>

#include "base/arith.h"
#include "base/hooks.h"
#include "base/sort.h"

/* Tasks that were marked together. */
typedef struct skedi_round_item {
    sked_round_mark seen; /* as a host sees it */
    sked_time unsaved_since;
} skedi_round_item;

/*
 * Marks by key; of one key the oldest first, and last, in one item, the tasks
 * that have a kill order. `amount` has one number a kind for each, of one task.
 */
typedef struct skedi_round_list {
    skedi_round_item *item;
    int64_t *amount;
    size_t n;
    size_t item_cap;
    size_t amount_cap;
} skedi_round_list;

/* The orders that follow from one row of a selection, in tasks. */
typedef struct skedi_round_row {
    sked_time deadline;   /* of the first mark that is stopped */
    sked_time offered_by; /* of the first mark that is offered */
    uint64_t job;
    uint32_t stopped;
    uint32_t offered;
    uint32_t told;
    uint32_t unused;
} skedi_round_row;

typedef struct skedi_round_tally {
    uint64_t rounds;
    uint64_t notified;
    uint64_t killed;
    uint64_t withdrawn;
    uint64_t released;
    skedi_u128 lost[SKED_MAX_KINDS];
} skedi_round_tally;

struct sked_round {
    skedi_hooks hooks;
    uint32_t flags;
    uint32_t kinds;
    int64_t grace; /* -1: none */
    sked_time now; /* of the last selection */
    skedi_round_list list;
    skedi_round_list next; /* where a selection is worked out */
    sked_round_action *action;
    size_t first_action; /* not taken yet */
    size_t actions;      /* up to here */
    size_t action_cap;
    skedi_keyed *order; /* rows of a selection, by key */
    skedi_keyed *scratch;
    skedi_round_row *row;
    size_t order_cap;
    size_t scratch_cap;
    size_t row_cap;
    skedi_round_tally tally;
};

/* Reserves memory for a selection of `n` rows over `marks` marks. 0: no memory,
 * and nothing that a host sees has changed. */
int skedi_round_ensure(sked_round *round, size_t marks, size_t n);

/* The first mark whose key is not below `key`. */
static inline size_t skedi_round_find(const skedi_round_list *list,
                                      uint64_t key)
{
    size_t low = 0, high = list->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->item[middle].seen.key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

#endif
