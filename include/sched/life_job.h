#ifndef SKED_LIFE_JOB_H
#define SKED_LIFE_JOB_H

/*
 * Jobs and their instances: which changes of an instance are legal, and what
 * has to be done about it; the four types of job [PEL-1]; the state of a job,
 * from those of its tasks; and how many instances may be stopped by any part of
 * the host without breaking the job's SLA. [PEL-3]
 */

#include <sched/life.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Instances ---- */

enum sked_life_health {
    SKED_LIFE_HEALTH_UNKNOWN = 0,
    SKED_LIFE_HEALTH_DISABLED = 1, /* nothing is looked at: taken as healthy */
    SKED_LIFE_HEALTH_HEALTHY = 2,
    SKED_LIFE_HEALTH_UNHEALTHY = 3
};

/* Why an instance was ended. */
enum sked_life_ended {
    SKED_LIFE_ENDED_NOT = 0,
    SKED_LIFE_ENDED_MAINTENANCE = 1, /* of its node */
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

/* One instance of a job, as a manager knows it. A version is whatever tells two
 * settings of an instance apart; 0: none. Frozen layout. */
typedef struct sked_life_instance {
    uint64_t version; /* the version that it runs, or ran last */
    uint64_t desired; /* the version that it should run */
    uint64_t run;     /* counts its runs */
    uint64_t desired_run;
    sked_time since;   /* since when it is in this state */
    uint32_t state;    /* enum sked_life_task */
    uint32_t goal;     /* enum sked_life_task; UNKNOWN: none */
    uint32_t health;   /* enum sked_life_health */
    uint32_t ended;    /* enum sked_life_ended */
    uint32_t failures; /* of the desired version */
    uint32_t beside;   /* enum sked_life_beside */
    uint32_t told;     /* 1: another part of the host has ordered it to stop,
                          and it has not stopped yet */
    uint32_t reserved; /* 0 */
} sked_life_instance;

/*
 * Checks whether the record of an instance may be replaced by `next`. Neither
 * the run nor the desired run may become less. Another run must begin in state
 * INITIALIZED; in the same run the state must be one to which
 * SKED_LIFE_TABLE_TASK leads. The goal DELETED may change only together with
 * the desired version.
 *
 * Returns SKED_OK (it may), SKED_ERR_ARG, SKED_ERR_RANGE (an enumeration has no
 * such value) or SKED_ERR_STATE (it may not: why).
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
 * What is to be done about an instance. While its version or run is not the one
 * desired, and its goal is not an end (for its run: SUCCEEDED is not one):
 * STOP, or INITIALIZE once it has ended. Else what SKED_LIFE_TABLE_TASK says.
 * With options, CHECK_LAUNCH becomes INITIALIZE where the launch is overdue (a
 * task that is starting only of BATCH), and it and SHUT_DOWN become NOTHING
 * until then. RELOAD without a state or a goal.
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
    SKED_LIFE_AGAIN_FAILED = 2, /* failed, lost and killed ones */
    SKED_LIFE_AGAIN_ALWAYS = 3
};

/* What a type implies. */
typedef struct sked_life_nature {
    uint32_t struct_size;
    uint32_t goal;        /* enum sked_life_task: where an instance is to end */
    uint32_t preemptible; /* 1: by nature, 0: never, whatever its SLA says */
    uint32_t pinned;      /* 1: it goes back to the node where it was */
    uint32_t per_node;    /* 1: one on every node */
    uint32_t updates;     /* 1: may be updated */
    uint32_t again;       /* enum sked_life_again */
    uint32_t rounds;      /* of placement, looking for better nodes */
    int64_t place_ns;     /* placement looks for so long */
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
    uint64_t instances; /* that there are to be */
    uint64_t version;   /* of the state, and of the goal: for actions */
    uint64_t goal_version;
    uint64_t tasks[18];  /* how many are in each state (enum sked_life_task) */
    uint32_t controller; /* the state of a task that drives the others, or
                            UNKNOWN */
    uint32_t created;    /* 1: all instances were made once, so that there
                            being fewer now does not mean they are to come */
} sked_life_job_input;

/*
 * The state of a job, from those of its tasks.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (an enumeration, or more than
 * 2^32 tasks) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_job_state(const sked_life_job_input *input,
                                         uint32_t *state, sked_error *err);

/* What is to be done about a job: what SKED_LIFE_TABLE_JOB says, but that with
 * a version below that of a goal RUNNING its tasks are made or started. Returns
 * what sked_life_job_state() returns. */
SKED_TRY sked_status sked_life_job_action(const sked_life_job_input *input,
                                          uint32_t *action, sked_error *err);

/* ---- SLA ---- */

enum sked_life_availability {
    SKED_LIFE_AVAILABILITY_INVALID = 0, /* not there to be available: deleted */
    SKED_LIFE_AVAILABILITY_AVAILABLE = 1,
    SKED_LIFE_AVAILABILITY_UNAVAILABLE = 2,
    SKED_LIFE_AVAILABILITY_KILLED = 3 /* on purpose */
};

/* Returns enum sked_life_availability, INVALID for a pointer that is NULL. */
SKED_API uint32_t sked_life_availability_of(const sked_life_instance *instance);

/* What a job was promised. [PEL-3] */
typedef struct sked_life_sla {
    uint32_t struct_size;
    uint32_t type; /* enum sked_life_type; 0: BATCH */
    int32_t priority;
    uint32_t preemptible;      /* 1: its tasks may be preempted */
    uint32_t revocable;        /* 1: it runs on what others leave unused */
    uint32_t least_running;    /* available ones; 0: no such promise */
    uint32_t most_unavailable; /* of those there are to be; 0: no promise */
    uint32_t reserved;         /* 0 */
} sked_life_sla;

/* How many instances, from the first one on, are to be placed together or not
 * at all: the least that are to run, of a BATCH job that is not revocable; else
 * 1. At most `instances`. NULL: 1 at most. */
SKED_API uint64_t sked_life_gang_of(const sked_life_sla *sla,
                                    uint64_t instances);

/* Frozen layout. */
typedef struct sked_life_stats {
    uint64_t available;   /* without those told to stop */
    uint64_t unavailable; /* with them */
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
 * How many available instances may be stopped now. One that is not available
 * may be stopped at any time. Each part of the host that stops some counts them
 * as unavailable from that moment (sked_life_stop()), so that all parts
 * together never break the SLA. NULL `sla`: all that are available.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such stopper or type) or
 * SKED_ERR_VERSION. [PEL-3]
 */
SKED_TRY sked_status sked_life_may_stop(const sked_life_sla *sla,
                                        const sked_life_stats *counts,
                                        uint32_t stopper, uint64_t *count,
                                        sked_error *err);

/* Counts `count` available instances as unavailable, or none of them: returns what
 * sked_life_may_stop() returns, or SKED_ERR_STATE (the SLA does not let so many
 * go; err->limit of err->got). */
SKED_TRY sked_status sked_life_stop(const sked_life_sla *sla, uint32_t stopper,
                                    uint64_t count, sked_life_stats *counts,
                                    sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
