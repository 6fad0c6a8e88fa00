#ifndef SKED_LIFE_POLICY_H
#define SKED_LIFE_POLICY_H

/*
 * Policies after an end or a failure: restarts and their delay [PEL-15],
 * retries of placement, and the quarantine of nodes with failing tasks. The
 * caller keeps the state between calls. The smallest use, after an instance has
 * ended:
 *
 *     sked_life_restart(&instance, end, NULL, &result, &err);
 *     if (result.again) start_after(result.delay_ns);
 */

#include <sched/life_job.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Exponential back-off in ns: min(most_ns, first_ns * 2^(failures - 1)), and 0
 * without failures. Negative times count as 0. */
SKED_API int64_t sked_life_backoff(uint32_t failures, int64_t first_ns,
                                   int64_t most_ns);

typedef struct sked_life_restart_options {
    uint32_t struct_size;
    uint32_t type;          /* enum sked_life_type; 0: BATCH */
    uint32_t again;         /* enum sked_life_again; 0: as the type implies */
    uint32_t max_failures;  /* most failures of an instance with a goal to
                               end */
    uint32_t max_system;    /* least such number where the system fails; 0: 4 */
    uint32_t end_preempted; /* 1: a preempted instance does not start again */
    int64_t first_ns;       /* delay after one failure; 0: 30 s */
    int64_t most_ns;        /* longest delay; 0: 60 minutes */
} sked_life_restart_options;

/* How an instance ended, beside its own record. */
enum sked_life_end {
    SKED_LIFE_END_PLAIN = 0,
    SKED_LIFE_END_SYSTEM = 1, /* could not be launched: no fault of the
                                 instance */
    SKED_LIFE_END_PREEMPTED = 2
};

/* The action after the end of an instance. Frozen layout. */
typedef struct sked_life_restart_result {
    uint32_t again;    /* 1: runs again, after another admission; 0: does not */
    uint32_t failures; /* of the instance so far; the caller keeps the number */
    int64_t delay_ns;  /* ns to wait before the next run */
} sked_life_restart_result;

/*
 * Decides what follows the end of an instance: state SUCCEEDED, FAILED, KILLED
 * or LOST.
 * - Failures rise by one with FAILED; with SUCCEEDED if the goal is RUNNING;
 *   and with KILLED if the goal is not KILLED and the instance was not
 *   preempted. They do not rise while another version is desired. LOST is no
 *   failure.
 * - With a goal to end, the instance goes on below the larger of max_failures
 *   and, if the system failed, max_system. With a goal RUNNING the instance
 *   goes on for ever.
 * - Never again: instances with goals KILLED, DELETED, FAILED and PREEMPTING;
 *   an instance that has succeeded, if success was the goal; an instance of a
 *   DAEMON lost with its node.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE, SKED_ERR_STATE (the instance
 * has not ended) or SKED_ERR_VERSION. [PEL-15]
 */
SKED_TRY sked_status sked_life_restart(const sked_life_instance *instance,
                                       uint32_t end,
                                       const sked_life_restart_options *options,
                                       sked_life_restart_result *result,
                                       sked_error *err);

/* NULL options mean: 10 minutes and 5 more, 3 attempts, 3 cycles, 20, 10 and 30
 * minutes. In a struct, 0 is 0. */
typedef struct sked_life_placing_options {
    uint32_t struct_size;
    uint32_t attempts;  /* in a cycle; 0: all attempts alike, and no cycle
                           ends */
    uint32_t cycles;    /* before a node is reserved; 0: never */
    uint32_t reserve;   /* 1: reserve a node then */
    uint32_t plain;     /* 1: no back-off: always back to READY */
    uint32_t reserved;  /* 0 */
    int64_t placing_ns; /* time-outs, by state; 0: none */
    int64_t backoff_ns; /* more with each attempt of a cycle */
    int64_t launching_ns;
    int64_t preempting_ns;
    int64_t reserved_ns;
} sked_life_placing_options;

/* The number of placement attempts. Start from zeros. Frozen layout. */
typedef struct sked_life_tries {
    uint32_t attempt; /* of this cycle */
    uint32_t cycle;   /* earlier cycles */
} sked_life_tries;

/* Frozen layout. */
typedef struct sked_life_placing_result {
    uint32_t to;         /* enum sked_life_task */
    uint32_t reserve;    /* 1: reserve a node for the task */
    uint32_t cycle_over; /* 1: the cycle is over */
    uint32_t all_over;   /* 1: all cycles are over */
    int64_t timeout_ns;  /* in this state, 0: none */
    int64_t backoff_ns;  /* part of the time-out by the attempt */
} sked_life_placing_result;

/*
 * Finds how long a task that enters `state` may stay there. A task that enters
 * PLACING makes an attempt. The time-out of PLACING is placing_ns, plus
 * backoff_ns for each earlier attempt of the cycle, unless `plain`. The result
 * and `tries` show the state after the attempt.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state, a negative
 * time) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_placing_begin(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

/*
 * Finds the next state when the time in `state` is over:
 *
 *   PLACING     READY, with `reserve` if all cycles are over and a node must
 *               be reserved; PENDING (again through admission) if the cycle is
 *               over
 *   LAUNCHING   READY
 *   PREEMPTING  RUNNING
 *   RESERVED    PENDING, with `tries` at zero
 *
 * Returns as sked_life_placing_begin(), or SKED_ERR_STATE (the state has no
 * time-out).
 */
SKED_TRY sked_status sked_life_placing_timeout(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

/* Finds the next state when placement returned a task without a node. PLACING
 * goes to PENDING if the cycle is over, else to READY; READY and PENDING stay.
 * Returns as sked_life_placing_timeout(). */
SKED_TRY sked_status sked_life_placing_return(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

typedef struct sked_life_node_options {
    uint32_t struct_size;
    uint32_t failures; /* failures that put a node out of use; 0: 5 */
    int64_t within_ns; /* ns for this number of failures; 0: 10 minutes */
    int64_t first_ns;  /* ns out of use the first time, doubled each time in a
                          row; 0: 10 minutes */
    int64_t most_ns;   /* longest ns out of use; 0: 24 hours */
    int64_t nodes_ppm; /* the part of all nodes that may be out at once, 1 to
                          SKED_PPM; 0: a tenth */
} sked_life_node_options;

/* The stored state of a node. Start from zeros. Frozen layout. */
typedef struct sked_life_record {
    sked_time from;  /* start of the count of failures */
    sked_time until; /* time of the return, or of the last return */
    uint32_t failures;
    uint32_t times;    /* times out of use in a row */
    uint32_t out;      /* 1: out of use */
    uint32_t reserved; /* 0 */
} sked_life_record;

/* Counts of nodes. Frozen layout. */
typedef struct sked_life_nodes {
    uint64_t n;   /* all */
    uint64_t out; /* of these: out of use */
} sked_life_nodes;

/*
 * Quarantine (a circuit breaker for each node). The first call reports a
 * failure that the node may have caused, the second call a success. After
 * `failures` failures the node is out of use, unless so many nodes are out that
 * the cause must be another. The first failure after a return puts the node out
 * again, for twice as long; a success there resets the doubling. nodes->out is
 * updated.
 *
 * Returns SKED_OK, SKED_ERR_ARG (also a `reserved` other than 0),
 * SKED_ERR_RANGE (a setting) or SKED_ERR_VERSION. On failure nothing changes.
 */
SKED_TRY sked_status sked_life_node_fail(sked_life_record *node, sked_time now,
                                         const sked_life_node_options *options,
                                         sked_life_nodes *nodes,
                                         sked_error *err);
SKED_API void sked_life_node_succeed(sked_life_record *node);

/* 1: the node is out of use; 0: in use, or `node` is NULL. A node with an
 * expired time returns by this call, and nodes->out is updated. */
SKED_API int sked_life_node_is_out(sked_life_record *node, sked_time now,
                                   sked_life_nodes *nodes);

#ifdef __cplusplus
}
#endif

#endif
