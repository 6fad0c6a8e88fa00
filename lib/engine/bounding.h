#ifndef SKEDI_ENGINE_BOUNDING_H
#define SKEDI_ENGINE_BOUNDING_H

/* What few queues bound: tasks that start in a second, and jobs by class. */

#include <sched/admit.h>

/* What a queue counts of the tasks that start, by its rate. */
typedef struct engine_rate {
    int64_t most;  /* in a second, or SKED_UNLIMITED */
    int64_t count; /* since `begin`, which says nothing where there are none */
    sked_time begin; /* of the second */
} engine_rate;

/* Admission of a leaf by classes: bounds, and what its admitted jobs have. */
enum {
    GATE_ENTITLEMENT,
    GATE_SLACK,
    GATE_RESERVATION,
    GATE_CONTROLLERS,
    GATE_BOUNDS
};

typedef struct engine_gate {
    int64_t bound[GATE_BOUNDS * SKED_MAX_KINDS];
    sked_wide sum[SKED_ADMIT_HELD_SUMS * SKED_MAX_KINDS]; /* enum
                                                             sked_admit_held */
    uint32_t preempts; /* 1: the reservation bounds */
    uint32_t stale;    /* 1: its lines are to be looked at again */
    uint32_t next;     /* row of the next such one */
    uint32_t shown;    /* first of its jobs that asked for something */
} engine_gate;

#endif
