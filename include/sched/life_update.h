#ifndef SKED_LIFE_UPDATE_H
#define SKED_LIFE_UPDATE_H

/*
 * An update brings instances of a job from one version to another, at most so
 * many at a time, and back again if too many fail. [PEL-6] It is told how the
 * instances are and says what to do next; its states and events are those of
 * SKED_LIFE_TABLE_UPDATE, and docs/life.md proves what it promises:
 *
 *   it never stops an available instance that the SLA needs;
 *   it ends, if whatever it was told to start comes up or fails in the end;
 *   rolled back, every instance has the version it had.
 *
 * To restart instances, give them a new version with the old contents; to stop
 * or start all of a job, take them away or add them.
 */

#include <sched/life_job.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_life_update sked_life_update;

enum { SKED_MAX_LIFE_INSTANCES = 1048576 }; /* instances of one update */

/* Columns of `n` rows, one for each instance. */
typedef struct sked_life_update_input {
    uint32_t struct_size;
    uint32_t reserved;    /* 0 */
    const uint64_t *from; /* the version it has; 0: it is to be added */
    const uint64_t *to;   /* it is to have; 0: it is to be removed */
    const uint32_t *zone; /* or rack, by number; NULL: all in one */
    uint64_t n;           /* up to SKED_MAX_LIFE_INSTANCES */
} sked_life_update_input;

enum sked_life_update_flag {
    SKED_LIFE_UPDATE_FLAG_ROLLBACK = 1, /* too many failed: back to what was */
    SKED_LIFE_UPDATE_FLAG_PAUSE = 2,    /* starts paused */
    SKED_LIFE_UPDATE_FLAG_ZONES = 4, /* one zone after the other, by number */
    SKED_LIFE_UPDATE_FLAG_TOGETHER =
        8 /* those started beside take over when all of
                                    them (of the zone) are up: blue and green */
};

typedef struct sked_life_update_options {
    uint32_t struct_size;
    uint32_t flags;        /* enum sked_life_update_flag */
    uint32_t batch;        /* instances in progress at once; 0: all */
    uint32_t max_failures; /* so many failed instances are too many; 0: never */
    uint32_t max_attempts; /* failures after which an instance has failed; 0:
                              it is never given up for that */
    uint32_t overlap;      /* instances started beside those that they replace,
                              at once; 0: stopped first. UINT32_MAX and
                              SKED_LIFE_UPDATE_FLAG_TOGETHER: blue and green */
    uint32_t canary;       /* so many first; 0: none */
    uint32_t reserved;     /* 0 */
    const sked_life_sla *sla; /* NULL: none */
    int64_t canary_ns; /* they are watched for so long; 0: paused until it
                              is resumed */
    int64_t within_ns; /* an instance in progress for longer has failed; 0:
                              no bound */
} sked_life_update_options;

/*
 * Makes an update; nothing is done yet. Columns and options are copied.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a row, a
 * setting, or an SLA that leaves no way: fewer instances afterwards than are to
 * run, or none that may be stopped, and no overlap) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_update_new(
    const sked_life_update_input *input,
    const sked_life_update_options *options, const sked_host *host,
    sked_life_update **update, sked_error *err);

/* NULL is allowed. */
SKED_API void sked_life_update_free(sked_life_update *update);

/* What an instance is to be told. It says what is to be: one that runs the
 * version of a CHANGE or ADD, since an earlier order was not carried out yet,
 * goes on. */
enum sked_life_order_kind {
    SKED_LIFE_ORDER_ADD = 1,    /* start it at this version */
    SKED_LIFE_ORDER_CHANGE = 2, /* stop it, start it at this version */
    SKED_LIFE_ORDER_REMOVE = 3, /* stop it for good */
    SKED_LIFE_ORDER_BESIDE = 4, /* start another one at it, beside it */
    SKED_LIFE_ORDER_SWITCH = 5, /* stop it: the one beside takes its place */
    SKED_LIFE_ORDER_DROP = 6    /* stop the one beside it */
};

/* Frozen layout. */
typedef struct sked_life_order {
    uint32_t kind; /* enum sked_life_order_kind */
    uint32_t row;  /* of the input */
    uint64_t version;
} sked_life_order;

/*
 * The next step, by how all instances are now: rows as in the input. Orders are
 * handed out once, at most `cap`; what does not fit comes with the next call.
 * An instance that was told has come to its end when
 *
 *   it runs the version and run that is desired, healthy or without checks, or
 *   it has ended as its goal says; one that is removed: when it has ended, is
 *   deleted or unknown. It has failed after max_attempts failures at that
 *   version, or after within_ns.
 *
 * First new instances are added, then others changed (unavailable ones, killed
 * ones, then those that are available), then some removed. Instances that are
 * available are stopped only as the SLA allows: available ones are counted over
 * all rows, unavailable ones over those that are neither added nor removed.
 * Where failed instances alone keep the SLA from letting any other go, the
 * update has failed as if there were too many. One that ends badly drops what
 * it started beside others.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`n` is not that of the
 * input, or the row of an instance that cannot be). Never allocates. Cost:
 * O(n).
 */
SKED_TRY sked_status sked_life_update_step(sked_life_update *update,
                                           const sked_life_instance *instances,
                                           size_t n, sked_time now,
                                           sked_life_order *orders, size_t cap,
                                           size_t *n_orders, sked_error *err);

/*
 * A user says SKED_LIFE_EVENT_PAUSE, RESUME or ABORT. To pause what is paused,
 * to resume what is not and to abort what is over changes nothing.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (another event).
 */
SKED_TRY sked_status sked_life_update_tell(sked_life_update *update,
                                           uint32_t event, sked_error *err);

/* Why an update is as it is. */
enum sked_life_why {
    SKED_LIFE_WHY_NONE = 0,
    SKED_LIFE_WHY_FAILURES = 1, /* too many */
    SKED_LIFE_WHY_STUCK = 2,    /* the SLA lets no other go while so many are
                                   down that failed */
    SKED_LIFE_WHY_CANARY = 3,   /* paused, or watched: the first are done */
    SKED_LIFE_WHY_TOLD = 4,
    SKED_LIFE_WHY_SLA = 5 /* waits for instances that are down by others */
};

typedef struct sked_life_update_stats {
    uint32_t struct_size;
    uint32_t why;    /* enum sked_life_why */
    sked_life_at at; /* enum sked_life_update_state */
    uint64_t total;  /* instances to be told, in this direction */
    uint64_t done;
    uint64_t failed;
    uint64_t progress; /* told, and neither */
    uint64_t waiting;  /* not told yet */
    uint32_t zone;     /* in turn, with SKED_LIFE_UPDATE_FLAG_ZONES */
    uint32_t reserved;
} sked_life_update_stats;

/* Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. Cost: O(n). */
SKED_TRY sked_status sked_life_update_get_stats(const sked_life_update *update,
                                                sked_life_update_stats *result,
                                                sked_error *err);

/* How far an instance is. */
enum sked_life_phase {
    SKED_LIFE_PHASE_UNTOUCHED = 0,
    SKED_LIFE_PHASE_WAITING = 1,
    SKED_LIFE_PHASE_TOLD = 2,
    SKED_LIFE_PHASE_BESIDE = 3,   /* one was started beside it */
    SKED_LIFE_PHASE_SWITCHED = 4, /* which is to take over */
    SKED_LIFE_PHASE_DROPPING = 5, /* or to go */
    SKED_LIFE_PHASE_DONE = 6,
    SKED_LIFE_PHASE_FAILED = 7
};

/* The phase of each row. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap`
 * too small: only `*n` is written). */
SKED_TRY sked_status sked_life_update_phases(const sked_life_update *update,
                                             uint8_t *phases, size_t cap,
                                             size_t *n, sked_error *err);

/*
 * The whole update as bytes, the same on every machine; and an update that goes
 * on from there. Bytes that were changed are refused.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: only `*n`
 * is written).
 */
SKED_TRY sked_status sked_life_update_save(const sked_life_update *update,
                                           uint8_t *bytes, size_t cap,
                                           size_t *n, sked_error *err);

/* Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_CORRUPT or
 * SKED_ERR_VERSION. */
SKED_TRY sked_status sked_life_update_load(const uint8_t *bytes, size_t n,
                                           const sked_host *host,
                                           sked_life_update **update,
                                           sked_error *err);

/* What is to be done about an update in a state (enum sked_life_update_state),
 * of which `processed` of `total` instances are done or failed: what
 * SKED_LIFE_TABLE_UPDATE says, and COMPLETE in place of RUN once there are no
 * more. SKED_LIFE_ACTION_RELOAD for a number that is not a state. */
SKED_API uint32_t sked_life_update_action(uint32_t state, uint64_t processed,
                                          uint64_t total);

/* How one instance is in an update to version `target`: DONE, FAILED or TOLD
 * (in progress) of enum sked_life_phase, as sked_life_update_step() judges it
 * by its state and failures. UNTOUCHED for a pointer that is NULL. */
SKED_API uint32_t sked_life_update_judge(const sked_life_instance *instance,
                                         uint64_t target,
                                         uint32_t max_attempts);

enum sked_life_workflow {
    SKED_LIFE_WORKFLOW_UPDATE = 1,
    SKED_LIFE_WORKFLOW_START = 2,
    SKED_LIFE_WORKFLOW_STOP = 3,
    SKED_LIFE_WORKFLOW_RESTART = 4
};

/*
 * A new workflow, where one of kind `live` is in `state`: OK when it may begin,
 * the live one (if it is not over) being aborted; `*same` 1 when it is `equal`
 * to the live one, which simply goes on.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such kind or state) or
 * SKED_ERR_STATE (only an update may take the place of one, and only of an
 * update).
 */
SKED_TRY sked_status sked_life_overwrite(uint32_t live, uint32_t state,
                                         uint32_t wanted, int equal, int *same,
                                         sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
