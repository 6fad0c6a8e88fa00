#ifndef SKED_LIFE_UPDATE_H
#define SKED_LIFE_UPDATE_H

/*
 * Updates: rolling, canary and blue/green. An update brings instances of a job
 * from one version to another, at most `batch` at a time, and back again if too
 * many fail. [PEL-6] The host hands in the state of all instances, and the
 * update answers what to do next. Its states and events are those of
 * SKED_LIFE_TABLE_UPDATE. It promises, and docs/life.md proves:
 *
 *   it never stops an available instance that the SLA needs;
 *   it ends, if everything that it orders comes up or fails some day;
 *   after a rollback every instance has the version that it had.
 *
 * To restart instances, give them a new version with the old contents; to stop
 * or start all instances of a job, remove or add them.
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
    uint32_t flags; /* enum sked_life_update_flag */
    uint32_t batch; /* instances in progress at once; 0: all */
    uint32_t
        max_failures; /* failed instances that make the update fail; 0: none
                              do */
    uint32_t max_attempts; /* failures after which an instance has failed; 0: no
                              number of them */
    uint32_t overlap;      /* instances at once that are started beside those
                              which they replace; 0: the old one is stopped
                              first. UINT32_MAX with
                              SKED_LIFE_UPDATE_FLAG_TOGETHER is blue/green */
    uint32_t canary;       /* instances that go first; 0: none */
    uint32_t reserved;     /* 0 */
    const sked_life_sla *sla; /* NULL: none */
    int64_t canary_ns; /* ns for which these are watched; 0: the update is
                              paused until it is resumed */
    int64_t within_ns; /* ns in progress after which an instance has failed; 0:
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

/* Orders for an instance. An order says what should be: an instance that runs
 * the version of a CHANGE or ADD already, because an earlier order was not
 * carried out, goes on. */
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
 * The next step, from the present state of all instances, rows as in the input.
 * Orders are handed out once, at most `cap`; orders that do not fit come with
 * the next call. An instance with an order is done when
 *
 *   it runs the desired version and run, and is healthy or is not checked; or
 *   it has ended as its goal says; or
 *   it was to be removed, and has ended, is deleted or unknown.
 *
 * It has failed after max_attempts failures at that version, or after
 * within_ns.
 *
 * First instances are added, then others are changed (unavailable ones, killed
 * ones, then available ones), then some are removed. Available instances are
 * stopped only as far as the SLA allows: available ones are counted over all
 * rows, unavailable ones over rows that are neither added nor removed. When
 * only failed instances keep the SLA from letting any other go, the update
 * fails as if there were too many failures. So it does where the order of zones
 * leaves no way: one could go on only if what a later zone adds were there, or
 * what an earlier one has removed. An update that fails drops the instances
 * that it started beside others.
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
 * Pauses, resumes or aborts an update, for a user (SKED_LIFE_EVENT_PAUSE,
 * _RESUME or _ABORT). To pause one that is paused, to resume one that is not,
 * or to abort one that is over changes nothing.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (another event).
 */
SKED_TRY sked_status sked_life_update_tell(sked_life_update *update,
                                           uint32_t event, sked_error *err);

/* The reason for the state of an update. */
enum sked_life_why {
    SKED_LIFE_WHY_NONE = 0,
    SKED_LIFE_WHY_FAILURES = 1, /* too many instances have failed */
    SKED_LIFE_WHY_STUCK = 2,    /* so many instances have failed, or zones come
                                   in such an order, that the SLA lets no other
                                   be stopped */
    SKED_LIFE_WHY_CANARY = 3,   /* the canaries are done: it is paused, or they
                                   are watched */
    SKED_LIFE_WHY_TOLD = 4,     /* a user paused or aborted it */
    SKED_LIFE_WHY_SLA = 5       /* it waits for instances that other parts of
                                   the host have stopped */
};

typedef struct sked_life_update_stats {
    uint32_t struct_size;
    uint32_t why;    /* enum sked_life_why */
    sked_life_at at; /* enum sked_life_update_state */
    uint64_t total;  /* instances that get an order, in this direction */
    uint64_t done;
    uint64_t failed;
    uint64_t progress; /* with an order, and neither done nor failed */
    uint64_t waiting;  /* without an order yet */
    uint32_t zone;     /* the present one, with SKED_LIFE_UPDATE_FLAG_ZONES */
    uint32_t reserved;
} sked_life_update_stats;

/* Reads the counts. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. Cost:
 * O(n). */
SKED_TRY sked_status sked_life_update_get_stats(const sked_life_update *update,
                                                sked_life_update_stats *result,
                                                sked_error *err);

/* How far the update of an instance has come. */
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
 * Writes the whole update as bytes, which are the same on every machine.
 * sked_life_update_load() makes an update of them that goes on from there.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: only `*n`
 * is written).
 */
SKED_TRY sked_status sked_life_update_save(const sked_life_update *update,
                                           uint8_t *bytes, size_t cap,
                                           size_t *n, sked_error *err);

/* Makes an update of saved bytes, which the caller owns; bytes that were
 * changed are refused. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM,
 * SKED_ERR_CORRUPT or SKED_ERR_VERSION. */
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
 * Whether a new workflow may begin while one of kind `live` is in `state`. If
 * it may, the live one is to be aborted, unless it is over. `*same` is 1 when
 * the new one is `equal` to the live one, which then simply goes on.
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
