#ifndef SKEDI_HISTORY_STATE_H
#define SKEDI_HISTORY_STATE_H

/* The data of a history. */

#include <sched/history.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "history/curve.h"
#include "pctl/instance.h"

/* One queue. Rows of vectors are `kinds` amounts each. */
typedef struct skedi_history_queue {
    sked_time clock; /* all before is settled */
    int began;       /* the clock stands somewhere */
    uint32_t mark;   /* of the call that runs: its place among those touched */

    int64_t *open;   /* heap of rows (end, vector), least end first */
    size_t open_cap; /* rows */
    size_t n_open;

    int64_t *unit; /* kept rows (length, vector), oldest first, from `first` */
    size_t unit_cap;
    size_t first_unit;
    size_t n_units;

    uint64_t vacant; /* lengths at amount 0, from the oldest time that counts */
    skedi_curve curve;
} skedi_history_queue;

struct sked_history {
    skedi_hooks hooks;
    skedi_measure measure;
    uint32_t flags;
    uint32_t queues;
    uint32_t kinds;
    sked_time from; /* what counts; INT64_MIN and INT64_MAX: no window */
    sked_time to;
    skedi_history_queue *queue;

    /* Rows of `kinds` by queue. */
    int64_t *said;           /* by the last change */
    int64_t *held;           /* `said` plus all open intervals */
    skedi_u128 *work;        /* amount * length of all units, by kind */
    skedi_u128 *work_leader; /* of units whose dominant kind this is */
};

/* How long an amount was held. */
typedef struct skedi_lengths {
    uint64_t amount;
    uint64_t length;
} skedi_lengths;

/* The records of one queue in a call, with the result. */
typedef struct skedi_sweep {
    const sked_history *history;
    const sked_history_input *rows;
    const uint32_t *row; /* `n` records, in order of time */
    size_t n;
    uint32_t queue;
    sked_time until; /* the end of the clock; INT64_MIN: the clock stays */

    /* Copied from the queue: changed here, taken over at the end. */
    sked_time clock;
    int began;
    int64_t *open; /* memory for n_open + n rows */
    size_t n_open;
    int64_t *said;
    int64_t *held;

    int64_t *unit; /* new units: rows (length, vector) */
    size_t n_units;
    uint64_t empty;
    uint64_t outside;

    skedi_lengths *list; /* of the new units in use, by amount, rising */
    size_t n_list;
    size_t n_fresh; /* of `list`, amounts new to the queue */

    sked_status rc;
    const char *what; /* is wrong, where rc says so */
    skedi_fault fault;
} skedi_sweep;

/* Rows of units that a sweep may make at most. */
static inline size_t skedi_sweep_most(size_t n, size_t n_open)
{
    return 2 * n + n_open + 1;
}

static inline size_t skedi_history_row_size(const sked_history *history)
{
    return (history->kinds + 1) * sizeof(int64_t);
}

/* Far enough from the ends that a window of any length fits. */
static inline int skedi_history_is_time(sked_time time)
{
    return time > -SKED_AMOUNT_MAX && time < SKED_AMOUNT_MAX;
}

#endif
