#ifndef SKED_LIFE_POLICY_H
#define SKED_LIFE_POLICY_H

/*
 * What follows when something ends or fails: restarts and their delay [PEL-15],
 * retries of placement, and the quarantine of nodes on which tasks fail. The
 * caller keeps what has to be remembered between calls.
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
    uint32_t max_failures;  /* of an instance with a goal to end */
    uint32_t max_system;    /* at least so many where the system fails; 0: 4 */
    uint32_t end_preempted; /* 1: what is preempted is not started again */
    int64_t first_ns;       /* the delay after one failure; 0: 30 s */
    int64_t most_ns;        /* at most; 0: 60 minutes */
} sked_life_restart_options;

/* How an instance ended, beside its own record. */
enum sked_life_end {
    SKED_LIFE_END_PLAIN = 0,
    SKED_LIFE_END_SYSTEM = 1, /* could not be launched: no fault of its own */
    SKED_LIFE_END_PREEMPTED = 2
};

/* What follows the end of an instance. Frozen layout. */
typedef struct sked_life_restart_result {
    uint32_t again;    /* 1: it runs again, after another admission; 0: not */
    uint32_t failures; /* of the instance so far, to be remembered */
    int64_t delay_ns;  /* ns to wait before it runs again */
} sked_life_restart_result;

/*
 * What follows the end of an instance: state SUCCEEDED, FAILED, KILLED or LOST.
 * Failures rise by one with FAILED, with SUCCEEDED where the goal is RUNNING,
 * and with KILLED where the goal is not KILLED and it was not preempted; not
 * while another version is desired. LOST is no failure. With a goal to end, it
 * goes on below the larger of max_failures and, where the system failed,
 * max_system; a goal RUNNING goes on for ever. What never goes on again: goals
 * KILLED, DELETED, FAILED and PREEMPTING; what has succeeded, where that was
 * the goal; one of a DAEMON that is lost with its node.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE, SKED_ERR_STATE (it has not
 * ended) or SKED_ERR_VERSION. [PEL-15]
 */
SKED_TRY sked_status sked_life_restart(const sked_life_instance *instance,
                                       uint32_t end,
                                       const sked_life_restart_options *options,
                                       sked_life_restart_result *result,
                                       sked_error *err);

/* Where NULL is handed over: 10 minutes and 5 more, 3 attempts, 3 cycles, 20,
 * 10 and 30 minutes. In a struct, 0 is 0. */
typedef struct sked_life_placing_options {
    uint32_t struct_size;
    uint32_t attempts;  /* in a cycle; 0: all alike, and no cycle ends */
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

/* How often placement was tried. Start from zeros. Frozen layout. */
typedef struct sked_life_tries {
    uint32_t attempt; /* of this cycle */
    uint32_t cycle;   /* cycles before it */
} sked_life_tries;

/* Frozen layout. */
typedef struct sked_life_placing_result {
    uint32_t to;         /* enum sked_life_task */
    uint32_t reserve;    /* 1: reserve a node for it */
    uint32_t cycle_over; /* 1: of these tries */
    uint32_t all_over;   /* 1: all cycles are over */
    int64_t timeout_ns;  /* in this state, 0: none */
    int64_t backoff_ns;  /* of it, by the attempt */
} sked_life_placing_result;

/*
 * A task enters `state`: how long it may stay there. To enter PLACING is an
 * attempt and counts as one; its time-out is placing_ns, and backoff_ns more for
 * each attempt of its cycle before it, unless `plain`. The result and `tries`
 * are those after the attempt.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such state, a negative
 * time) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_placing_begin(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

/*
 * The time in `state` is over. PLACING goes to READY, with `reserve` when all
 * cycles are over and a node is to be reserved, to PENDING (again through
 * admission) when the cycle is over; LAUNCHING to READY, PREEMPTING to RUNNING,
 * RESERVED to PENDING with `tries` at zero.
 *
 * Returns what sked_life_placing_begin() returns, or SKED_ERR_STATE (the state
 * has no time-out).
 */
SKED_TRY sked_status sked_life_placing_timeout(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

/* Placement returned a task without a node. PLACING goes to PENDING when the
 * cycle is over, else to READY; READY and PENDING stay. Returns what
 * sked_life_placing_timeout() returns. */
SKED_TRY sked_status sked_life_placing_return(
    uint32_t state, const sked_life_placing_options *options,
    sked_life_tries *tries, sked_life_placing_result *result, sked_error *err);

typedef struct sked_life_node_options {
    uint32_t struct_size;
    uint32_t failures; /* after which a node is out of use; 0: 5 */
    int64_t within_ns; /* ns within which they must happen; 0: 10 minutes */
    int64_t first_ns;  /* ns for which it is out the first time; it doubles each
                          time in a row; 0: 10 minutes */
    int64_t most_ns;   /* ns for which it is out at most; 0: 24 hours */
    int64_t nodes_ppm; /* the part of all nodes that may be out at once, 1 to
                          SKED_PPM; 0: a tenth */
} sked_life_node_options;

/* What is remembered of a node. Start from zeros. Frozen layout. */
typedef struct sked_life_record {
    sked_time from;  /* since when failures are counted */
    sked_time until; /* the time at which it comes back, or came back last */
    uint32_t failures;
    uint32_t times;    /* how often in a row it was out */
    uint32_t out;      /* 1: it is out */
    uint32_t reserved; /* 0 */
} sked_life_record;

/* Counts of nodes. Frozen layout. */
typedef struct sked_life_nodes {
    uint64_t n;   /* all */
    uint64_t out; /* of these: out of use */
} sked_life_nodes;

/*
 * Quarantine (a circuit breaker for each node): says that something failed on a
 * node for which the node may be the cause, or that something succeeded. After
 * `failures` failures the node is out of use, unless so many nodes are out that
 * the cause must be another. Its first failure after it came back puts it out
 * again, for twice as long; a success there resets that. nodes->out is updated.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a `reserved` that is not 0 too),
 * SKED_ERR_RANGE (a setting) or SKED_ERR_VERSION. On failure nothing changes.
 */
SKED_TRY sked_status sked_life_node_fail(sked_life_record *node, sked_time now,
                                         const sked_life_node_options *options,
                                         sked_life_nodes *nodes,
                                         sked_error *err);
SKED_API void sked_life_node_succeed(sked_life_record *node);

/* 1: the node is out of use; 0: it is not, or `node` is NULL. A node whose time
 * is over comes back by this call, which updates nodes->out. */
SKED_API int sked_life_node_is_out(sked_life_record *node, sked_time now,
                                   sked_life_nodes *nodes);

#ifdef __cplusplus
}
#endif

#endif
