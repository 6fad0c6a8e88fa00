#ifndef SKED_LIFE_JOB_H
#define SKED_LIFE_JOB_H

/*
 * Jobs and their instances: legal changes of an instance and the next action;
 * the four types of job [PEL-1]; the state of a job from the states of its
 * tasks; and the number of instances that any part of the host may stop within
 * the job's SLA. [PEL-3] The smallest use, for a manager that stops instances:
 *
 *     sked_life_count(instances, n, &counts, &err);
 *     sked_life_may_stop(&sla, &counts, SKED_LIFE_STOPPER_MAINTENANCE,
 *                        &count, &err);
 */

#include <sched/life.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Instances ---- */

enum sked_life_health {
    SKED_LIFE_HEALTH_UNKNOWN = 0,
    SKED_LIFE_HEALTH_DISABLED = 1, /* no check: taken as healthy */
    SKED_LIFE_HEALTH_HEALTHY = 2,
    SKED_LIFE_HEALTH_UNHEALTHY = 3
};

/* Reasons why an instance was ended. */
enum sked_life_ended {
    SKED_LIFE_ENDED_NOT = 0,
    SKED_LIFE_ENDED_MAINTENANCE = 1, /* maintenance of its node */
    SKED_LIFE_ENDED_UPDATE = 2,
    SKED_LIFE_ENDED_FAILURE = 3,
    SKED_LIFE_ENDED_OTHER = 4
};

/* The state of a second instance that an update started beside an instance. */
enum sked_life_beside {
    SKED_LIFE_BESIDE_NONE = 0,
    SKED_LIFE_BESIDE_COMING = 1,
    SKED_LIFE_BESIDE_UP = 2, /* runs and is healthy */
    SKED_LIFE_BESIDE_FAILED = 3
};

/* One instance of a job, as a manager knows it. A version is any number that
 * tells two settings of an instance apart; 0: none. Frozen layout. */
typedef struct sked_life_instance {
    uint64_t version; /* the version that runs, or ran last */
    uint64_t desired; /* the version that should run */
    uint64_t run;     /* counts the runs of the instance */
    uint64_t desired_run;
    sked_time since;   /* start of this state */
    uint32_t state;    /* enum sked_life_task */
    uint32_t goal;     /* enum sked_life_task; UNKNOWN: none */
    uint32_t health;   /* enum sked_life_health */
    uint32_t ended;    /* enum sked_life_ended */
    uint32_t failures; /* of the desired version */
    uint32_t beside;   /* enum sked_life_beside */
    uint32_t told;     /* 1: another part of the host has ordered a stop, and
                          the instance has not stopped yet */
    uint32_t reserved; /* 0 */
} sked_life_instance;

/*
 * Checks whether `next` may replace the record of an instance. Neither the run
 * nor the desired run may become less. Another run must begin in state
 * INITIALIZED. In the same run, SKED_LIFE_TABLE_TASK must lead to the state.
 * The goal DELETED may change only together with the desired version.
 *
 * Returns SKED_OK (allowed), SKED_ERR_ARG, SKED_ERR_RANGE (an enumeration has
 * no such value) or SKED_ERR_STATE (not allowed: `err` says why).
 */
SKED_TRY sked_status sked_life_may_replace(const sked_life_instance *now,
                                           const sked_life_instance *next,
                                           sked_error *err);

typedef struct sked_life_act_options {
    uint32_t struct_size;
    uint32_t type; /* enum sked_life_type; 0: BATCH */
    sked_time now;
    int64_t launch_ns; /* ns after which a launch is overdue; 0: 180 minutes */
    int64_t kill_ns;   /* ns after which a kill is overdue; 0: 180 minutes */
} sked_life_act_options;

/*
 * Finds the next action for an instance. While version or run differ from the
 * desired ones, and the goal is not an end (for the run, SUCCEEDED is not an
 * end): STOP, or INITIALIZE after the end. Otherwise the action of
 * SKED_LIFE_TABLE_TASK. With options, CHECK_LAUNCH becomes INITIALIZE if the
 * launch is overdue (a starting task only for BATCH); before that, CHECK_LAUNCH
 * and SHUT_DOWN become NOTHING. RELOAD without a state or a goal.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_task_action(const sked_life_instance *instance,
                                           const sked_life_act_options *options,
                                           uint32_t *action, sked_error *err);

/* ---- Jobs ---- */

enum sked_life_type {
    SKED_LIFE_TYPE_BATCH = 1,
    SKED_LIFE_TYPE_STATELESS = 2,
    SKED_LIFE_TYPE_STATEFUL = 3,
    SKED_LIFE_TYPE_DAEMON = 4
};

enum sked_life_again {
    SKED_LIFE_AGAIN_NEVER = 1,
    SKED_LIFE_AGAIN_FAILED = 2, /* failed, lost and killed tasks */
    SKED_LIFE_AGAIN_ALWAYS = 3
};

/* Properties of a type. */
typedef struct sked_life_nature {
    uint32_t struct_size;
    uint32_t goal;        /* enum sked_life_task: the end of an instance */
    uint32_t preemptible; /* 1: by nature, 0: never, whatever the SLA says */
    uint32_t pinned;      /* 1: returns to its earlier node */
    uint32_t per_node;    /* 1: one instance on every node */
    uint32_t updates;     /* 1: may be updated */
    uint32_t again;       /* enum sked_life_again */
    uint32_t rounds;      /* rounds of placement that look for better nodes */
    int64_t place_ns;     /* ns for which placement looks */
} sked_life_nature;

/* Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such type) or
 * SKED_ERR_VERSION. [PEL-1] */
SKED_TRY sked_status sked_life_nature_of(uint32_t type,
                                         sked_life_nature *nature,
                                         sked_error *err);

typedef struct sked_life_job_input {
    uint32_t struct_size;
    uint32_t type;      /* enum sked_life_type */
    uint32_t state;     /* enum sked_life_job: so far */
    uint32_t goal;      /* enum sked_life_job; UNINITIALIZED: none */
    uint64_t instances; /* wanted number of instances */
    uint64_t version;   /* of the state, and of the goal: for actions */
    uint64_t goal_version;
    uint64_t tasks[18];  /* tasks in each state (enum sked_life_task) */
    uint32_t controller; /* the state of a task that drives the others, or
                            UNKNOWN */
    uint32_t created;    /* 1: all instances were made once: a lower number now
                            does not mean that instances are still to come */
} sked_life_job_input;

/*
 * Finds the state of a job from the states of its tasks.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (an enumeration, or more than
 * 2^32 tasks) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_job_state(const sked_life_job_input *input,
                                         uint32_t *state, sked_error *err);

/* Finds the next action for a job: the action of SKED_LIFE_TABLE_JOB, except
 * for a version below the version of a goal RUNNING: the tasks are then made or
 * started. Returns as sked_life_job_state(). */
SKED_TRY sked_status sked_life_job_action(const sked_life_job_input *input,
                                          uint32_t *action, sked_error *err);

/* ---- SLA ---- */

enum sked_life_availability {
    SKED_LIFE_AVAILABILITY_INVALID = 0, /* deleted */
    SKED_LIFE_AVAILABILITY_AVAILABLE = 1,
    SKED_LIFE_AVAILABILITY_UNAVAILABLE = 2,
    SKED_LIFE_AVAILABILITY_KILLED = 3 /* on purpose */
};

/* Returns enum sked_life_availability, INVALID for a pointer that is NULL. */
SKED_API uint32_t sked_life_availability_of(const sked_life_instance *instance);

/* The promises to a job. [PEL-3] */
typedef struct sked_life_sla {
    uint32_t struct_size;
    uint32_t type; /* enum sked_life_type; 0: BATCH */
    int32_t priority;
    uint32_t preemptible;      /* 1: preemption may end its tasks */
    uint32_t revocable;        /* 1: runs on what others leave unused */
    uint32_t least_running;    /* available instances; 0: no promise */
    uint32_t most_unavailable; /* of the wanted instances; 0: no promise */
    uint32_t reserved;         /* 0 */
} sked_life_sla;

/* The number of instances, from the first on, that are placed together or not
 * at all: the least running number of a BATCH job that is not revocable; else
 * 1. At most `instances`. NULL: 1 at most. */
SKED_API uint64_t sked_life_gang_of(const sked_life_sla *sla,
                                    uint64_t instances);

/* Frozen layout. */
typedef struct sked_life_stats {
    uint64_t available;   /* without instances that have an order to stop */
    uint64_t unavailable; /* with instances that have an order to stop */
    uint64_t killed;
} sked_life_stats;

/* Counts instances. Returns SKED_OK or SKED_ERR_ARG. Cost: O(n). */
SKED_TRY sked_status sked_life_count(const sked_life_instance *instances,
                                     size_t n, sked_life_stats *counts,
                                     sked_error *err);

/* The part of the host that wants to stop instances. */
enum sked_life_stopper {
    SKED_LIFE_STOPPER_UPDATE = 1,
    SKED_LIFE_STOPPER_PREEMPTION = 2, /* may stop none if the job is not
                                         preemptible */
    SKED_LIFE_STOPPER_MAINTENANCE = 3
};

/*
 * Finds how many available instances may be stopped now. An unavailable
 * instance may be stopped at any time. Each part of the host that stops
 * instances counts them as unavailable at once (sked_life_stop()). All parts
 * together then never break the SLA. NULL `sla`: all available instances.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such stopper or type) or
 * SKED_ERR_VERSION. [PEL-3]
 */
SKED_TRY sked_status sked_life_may_stop(const sked_life_sla *sla,
                                        const sked_life_stats *counts,
                                        uint32_t stopper, uint64_t *count,
                                        sked_error *err);

/* Counts `count` available instances as unavailable, or none. Returns as
 * sked_life_may_stop(), or SKED_ERR_STATE (the SLA allows fewer stops:
 * err->limit of err->got). */
SKED_TRY sked_status sked_life_stop(const sked_life_sla *sla, uint32_t stopper,
                                    uint64_t count, sked_life_stats *counts,
                                    sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
