#ifndef SKEDI_ROUND_STATE_H
#define SKEDI_ROUND_STATE_H

#include <sched/round.h>

#include "base/arith.h"
#include "base/hooks.h"
#include "base/sort.h"

/* Tasks marked together. */
typedef struct skedi_round_item {
    sked_round_mark seen; /* the mark for the host */
    sked_time unsaved_since;
} skedi_round_item;

/*
 * Marks by key. Marks of the same key are sorted by age, oldest first. The last
 * item of a key has all tasks with a kill order. `amount` has one number a kind
 * for each mark, for one task.
 */
typedef struct skedi_round_list {
    skedi_round_item *item;
    int64_t *amount;
    size_t n;
    size_t item_cap;
    size_t amount_cap;
} skedi_round_list;

/* The orders from one row of a selection, in tasks. */
typedef struct skedi_round_row {
    sked_time deadline;   /* of the first stopped mark */
    sked_time offered_by; /* of the first offered mark */
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
    sked_time now; /* time of the last selection */
    skedi_round_list list;
    skedi_round_list next; /* the result of the current selection */
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

/* Reserves memory for a selection of `n` rows over `marks` marks. 0: no memory;
 * the host sees no change. */
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
