#ifndef SKED_LIFE_UPDATE_H
#define SKED_LIFE_UPDATE_H

/*
 * Updates of a job: rolling, canary and blue/green. [PEL-6] An update brings
 * instances from one version to another, at most `batch` at a time, and back
 * again if too many fail. The host reports the state of all instances, and the
 * update answers with orders. States and events are in SKED_LIFE_TABLE_UPDATE.
 * The smallest use:
 *
 *     sked_life_update_new(&input, &options, NULL, &update, &err);
 *     sked_life_update_step(update, instances, n, now, orders, cap,
 *                           &n_orders, &err);
 *
 * An update promises, and docs/life.md proves:
 *
 *   no available instance that the SLA needs is stopped;
 *   the update ends, if everything ordered comes up or fails some day;
 *   after a rollback every instance has its earlier version.
 *
 * To restart instances, give them a new version with the old contents. To stop
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
    const uint64_t *from; /* the present version; 0: the instance is added */
    const uint64_t *to;   /* the wanted version; 0: the instance is removed */
    const uint32_t *zone; /* or rack, by number; NULL: all in one */
    uint64_t n;           /* up to SKED_MAX_LIFE_INSTANCES */
} sked_life_update_input;

enum sked_life_update_flag {
    SKED_LIFE_UPDATE_FLAG_ROLLBACK = 1, /* too many failures: back to the
                                           earlier versions */
    SKED_LIFE_UPDATE_FLAG_PAUSE = 2,    /* starts paused */
    SKED_LIFE_UPDATE_FLAG_ZONES = 4, /* one zone after the other, by number */
    SKED_LIFE_UPDATE_FLAG_TOGETHER =
        8 /* instances started beside others take over when all (of the zone)
             are up: blue and green */
};

typedef struct sked_life_update_options {
    uint32_t struct_size;
    uint32_t flags;        /* enum sked_life_update_flag */
    uint32_t batch;        /* instances in progress at once; 0: all */
    uint32_t max_failures; /* failed instances that make the update fail; 0: no
                              number */
    uint32_t max_attempts; /* failures after which an instance has failed; 0: no
                              number */
    uint32_t overlap;      /* instances started beside the old instances at
                              once; 0: the old instance stops first.
                              UINT32_MAX with SKED_LIFE_UPDATE_FLAG_TOGETHER
                              is blue/green */
    uint32_t canary;       /* instances that go first; 0: none */
    uint32_t reserved;     /* 0 */
    const sked_life_sla *sla; /* NULL: none */
    int64_t canary_ns; /* ns to watch the canaries; 0: the update pauses until
                          resumed */
    int64_t within_ns; /* ns in progress after which an instance has failed; 0:
                          no bound */
} sked_life_update_options;

/*
 * Creates an update without any order yet. Columns and options are copied.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a row, a
 * setting, or an SLA without a way: fewer instances afterwards than must run,
 * or no instance that may be stopped and no overlap) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_life_update_new(
    const sked_life_update_input *input,
    const sked_life_update_options *options, const sked_host *host,
    sked_life_update **update, sked_error *err);

/* NULL is allowed. */
SKED_API void sked_life_update_free(sked_life_update *update);

/* Orders for an instance. An order names the wanted state. An instance that
 * already runs the version of a CHANGE or ADD, because an earlier order was not
 * carried out, goes on. */
enum sked_life_order_kind {
    SKED_LIFE_ORDER_ADD = 1,    /* start the instance at this version */
    SKED_LIFE_ORDER_CHANGE = 2, /* stop the instance, start it at this
                                   version */
    SKED_LIFE_ORDER_REMOVE = 3, /* stop the instance for good */
    SKED_LIFE_ORDER_BESIDE = 4, /* start a second instance beside the
                                   instance */
    SKED_LIFE_ORDER_SWITCH = 5, /* stop the instance: the second takes its
                                   place */
    SKED_LIFE_ORDER_DROP = 6    /* stop the second instance */
};

/* Frozen layout. */
typedef struct sked_life_order {
    uint32_t kind; /* enum sked_life_order_kind */
    uint32_t row;  /* of the input */
    uint64_t version;
} sked_life_order;

/*
 * Computes the next step from the present state of all instances, rows as in
 * the input. Each order is handed out once, at most `cap` in a call; the next
 * call hands out the rest. An instance with an order is done if
 *
 *   it runs the desired version and run, and is healthy or not checked; or
 *   it has ended as its goal says; or
 *   its order was removal, and it has ended, is deleted or unknown.
 *
 * An instance has failed after max_attempts failures at the version, or after
 * within_ns.
 *
 * First instances are added, then others are changed (unavailable, killed, then
 * available instances), then some are removed. Available instances are stopped
 * only as far as the SLA allows. Available instances are counted over all rows,
 * unavailable instances over rows that are neither added nor removed.
 *
 * The update fails, as with too many failures, if only failed instances keep
 * the SLA from another stop. It also fails if the order of zones leaves no way:
 * progress would need instances that a later zone adds, or that an earlier zone
 * has removed. A failing update drops the instances started beside others.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`n` differs from the input,
 * or the row of an impossible instance). Never allocates. Cost: O(n).
 */
SKED_TRY sked_status sked_life_update_step(sked_life_update *update,
                                           const sked_life_instance *instances,
                                           size_t n, sked_time now,
                                           sked_life_order *orders, size_t cap,
                                           size_t *n_orders, sked_error *err);

/*
 * Pauses, resumes or aborts an update for a user (SKED_LIFE_EVENT_PAUSE,
 * _RESUME or _ABORT). A pause while paused, a resume while not paused and an
 * abort at the end change nothing.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (another event).
 */
SKED_TRY sked_status sked_life_update_tell(sked_life_update *update,
                                           uint32_t event, sked_error *err);

/* The reason for the state of an update. */
enum sked_life_why {
    SKED_LIFE_WHY_NONE = 0,
    SKED_LIFE_WHY_FAILURES = 1, /* too many instances have failed */
    SKED_LIFE_WHY_STUCK = 2,    /* failed instances, or the order of zones, let
                                   the SLA allow no other stop */
    SKED_LIFE_WHY_CANARY = 3,   /* the canaries are done: the update is paused,
                                   or watches them */
    SKED_LIFE_WHY_TOLD = 4,     /* a user paused or aborted the update */
    SKED_LIFE_WHY_SLA = 5       /* waits for instances that other parts of the
                                   host have stopped */
};

typedef struct sked_life_update_stats {
    uint32_t struct_size;
    uint32_t why;    /* enum sked_life_why */
    sked_life_at at; /* enum sked_life_update_state */
    uint64_t total;  /* instances that get an order, in this direction */
    uint64_t done;
    uint64_t failed;
    uint64_t progress; /* with an order, neither done nor failed */
    uint64_t waiting;  /* without an order yet */
    uint32_t zone;     /* the present zone, with SKED_LIFE_UPDATE_FLAG_ZONES */
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
    SKED_LIFE_PHASE_BESIDE = 3,   /* a second instance was started beside it */
    SKED_LIFE_PHASE_SWITCHED = 4, /* the second instance is to take over */
    SKED_LIFE_PHASE_DROPPING = 5, /* the second instance is to go */
    SKED_LIFE_PHASE_DONE = 6,
    SKED_LIFE_PHASE_FAILED = 7
};

/* The phase of each row. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap`
 * too small: only `*n` is written). */
SKED_TRY sked_status sked_life_update_phases(const sked_life_update *update,
                                             uint8_t *phases, size_t cap,
                                             size_t *n, sked_error *err);

/*
 * Writes the whole update as bytes, equal on every machine.
 * sked_life_update_load() makes an update from the bytes and goes on at the
 * same point.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: only `*n`
 * is written).
 */
SKED_TRY sked_status sked_life_update_save(const sked_life_update *update,
                                           uint8_t *bytes, size_t cap,
                                           size_t *n, sked_error *err);

/* Makes an update from saved bytes. The caller owns `*update`. Changed bytes
 * are rejected. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_CORRUPT
 * or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_life_update_load(const uint8_t *bytes, size_t n,
                                           const sked_host *host,
                                           sked_life_update **update,
                                           sked_error *err);

/* The next action of an update in a state (enum sked_life_update_state), with
 * `processed` of `total` instances done or failed: the action of
 * SKED_LIFE_TABLE_UPDATE, with COMPLETE in place of RUN when all are processed.
 * SKED_LIFE_ACTION_RELOAD for a number without a state. */
SKED_API uint32_t sked_life_update_action(uint32_t state, uint64_t processed,
                                          uint64_t total);

/* The phase of an instance in an update to version `target`: DONE, FAILED or
 * TOLD (in progress) of enum sked_life_phase, judged by state and failures as
 * in sked_life_update_step(). UNTOUCHED for NULL. */
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
 * Checks whether a new workflow may begin while a workflow of kind `live` is in
 * `state`. If so, the host aborts the live workflow, unless it is over. `*same`
 * is 1 if the new workflow is `equal` to the live one: the live workflow then
 * simply goes on.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no such kind or state) or
 * SKED_ERR_STATE (only an update may replace a live workflow, and only an
 * update).
 */
SKED_TRY sked_status sked_life_overwrite(uint32_t live, uint32_t state,
                                         uint32_t wanted, int equal, int *same,
                                         sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
