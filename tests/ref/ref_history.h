#ifndef REF_HISTORY_H
#define REF_HISTORY_H

/*
 * What a queue held, tick by tick, from a list of all records: the twin of
 * lib/history/. Times are small whole numbers.
 */

#include <sched/history.h>

enum { REF_TICKS = 1200, REF_RECORDS = 600, REF_KINDS = 3 };

typedef struct ref_record {
    int is_change;
    uint32_t queue;
    int64_t start;
    int64_t end; /* of an interval */
    int64_t vec[REF_KINDS];
} ref_record;

typedef struct ref_history {
    uint32_t kinds;
    ref_record record[REF_RECORDS];
    size_t n;
} ref_history;

void ref_history_add(ref_history *h, ref_record record);

/* What queue `queue` holds at a tick: its last change and what is open. */
void ref_history_held(const ref_history *h, uint32_t queue, int64_t tick,
                      int64_t *vec);

/* The units of [from, to): lengths and rows; how many. */
size_t ref_history_units(const ref_history *h, uint32_t queue, int64_t from,
                         int64_t to, int64_t *length, int64_t *vec);

/* Instances, times `parts`, rounded up: the largest quotient of all kinds. */
int64_t ref_instances(const int64_t *vec, const int64_t *instance,
                      uint32_t kinds, int64_t parts);

#endif
