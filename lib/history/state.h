#ifndef SKEDI_HISTORY_STATE_H
#define SKEDI_HISTORY_STATE_H

/* What a history holds, and how its parts see it. */

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
    int64_t *held;           /* that, and all that is open */
    skedi_u128 *work;        /* amount * length of all units, by kind */
    skedi_u128 *work_leader; /* of those units of which it is the dominant */
};

/* How long an amount was held. */
typedef struct skedi_lengths {
    uint64_t amount;
    uint64_t length;
} skedi_lengths;

/* ---- history/sweep.c ---- */

/* The records of one queue in a call, and what comes of them. */
typedef struct skedi_sweep {
    const sked_history *history;
    const sked_history_input *rows;
    const uint32_t *row; /* `n` records, in order of time */
    size_t n;
    uint32_t queue;
    sked_time until; /* then the clock goes on to there; INT64_MIN: not */

    /* Of the queue, copied: changed here, taken over at the end. */
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
    size_t n_fresh; /* of them, amounts that the queue did not have */

    sked_status rc;
    const char *what; /* is wrong, where rc says so */
    skedi_fault fault;
} skedi_sweep;

/* Rows of units that a sweep may make at most. */
static inline size_t skedi_sweep_most(size_t n, size_t n_open)
{
    return 2 * n + n_open + 1;
}

/* Goes through all records; `rc`, `what` and `fault` say what was refused.
 * `hooks` is NULL on other threads than the caller's. */
void skedi_sweep_run(skedi_sweep *s, const skedi_hooks *hooks);

/* ---- history/list.c ---- */

/* Fills `list` from the units, with memory for `key` and `spare` as for it. */
void skedi_sweep_list(skedi_sweep *s, skedi_keyed *key, skedi_keyed *spare);

/* ---- history/take.c ---- */

/* Memory in the queue for what a sweep brings. 0: no memory, nothing
 * changed. */
int skedi_history_reserve(sked_history *history, const skedi_sweep *s);

/* Takes over what a sweep brings. */
void skedi_history_take(sked_history *history, const skedi_sweep *s);

static inline size_t skedi_history_row_size(const sked_history *history)
{
    return (history->kinds + 1) * sizeof(int64_t);
}

/* Far enough from the ends that a window of any length fits. */
static inline int skedi_history_is_time(sked_time time)
{
    return time > -SKED_AMOUNT_MAX && time < SKED_AMOUNT_MAX;
}

/* Takes a caller's columns, checked: then each of the first `n` records. As
 * sked_history_add() says. */
sked_status skedi_history_rows_in(sked_history_input *rows,
                                  const sked_history_input *given,
                                  sked_error *err);
sked_status skedi_history_records_in(const sked_history *history,
                                     const sked_history_input *rows, size_t n,
                                     sked_error *err);

#endif
