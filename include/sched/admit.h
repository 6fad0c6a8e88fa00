#ifndef SKED_ADMIT_H
#define SKED_ADMIT_H

/*
 * Admission control of a leaf queue, as in Peloton: four lines, and a bound for
 * each class of work. [PEL-13] [PEL-14] [PEL-16] The smallest use, one bound
 * for all gangs:
 *
 *     sked_admit_input in = {.struct_size = sizeof in, .kinds = 1, .n = n,
 *                            .entitlement = bound, .need = need};
 *     sked_admit(&in, NULL, &result, &err);
 *
 * A gang is a set of tasks that are admitted together. Every gang begins in the
 * common line. If a bound blocks a gang of a class with its own line, the gang
 * moves to the line of the class and does not block others. A gang of several
 * classes moves to the first of these lines:
 *
 *   SKED_ADMIT_LINE_ALL          the common line
 *   SKED_ADMIT_LINE_FIXED        gangs that may not be preempted, where
 *                                preemption is on
 *   SKED_ADMIT_LINE_CONTROLLER   gangs that start and control other tasks
 *   SKED_ADMIT_LINE_REVOCABLE    gangs that run on what others leave unused
 *
 * In a line the highest priority comes first, then the earlier arrival. The
 * first blocked gang stops the line. A gang is admitted if, in every kind, the
 * gang's need plus the amounts held by its class stay within these bounds:
 *
 *   slack         a revocable gang, this bound alone: with all revocable work
 *   entitlement   any other gang: with all work that is not revocable
 *   reservation   also a gang that may not be preempted, where preemption is
 *                 on: with all work that may not be preempted
 *   controllers   also a controller of one task: with all controllers
 *
 * A queue above a bound in one kind admits nothing under this bound, not even a
 * gang that needs none of the kind. The call walks the lines once, in the order
 * FIXED, CONTROLLER, REVOCABLE, ALL. A gang that moves in this call stands at
 * the end of its priority in its new line; the next call looks at the gang.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_admit_line {
    SKED_ADMIT_LINE_ALL = 0,
    SKED_ADMIT_LINE_FIXED = 1,
    SKED_ADMIT_LINE_CONTROLLER = 2,
    SKED_ADMIT_LINE_REVOCABLE = 3
};

/* The classes of a gang, as bits. */
enum sked_admit_gang {
    SKED_ADMIT_GANG_FIXED = 1,      /* may not be preempted */
    SKED_ADMIT_GANG_CONTROLLER = 2, /* starts and controls other tasks */
    SKED_ADMIT_GANG_REVOCABLE = 4   /* runs on what others leave unused */
};

/* What has happened to a gang during its wait. */
enum sked_admit_state {
    SKED_ADMIT_STATE_SOUND = 0,  /* nothing */
    SKED_ADMIT_STATE_SHRUNK = 1, /* some tasks were given up, and `need` is the
                                    rest: the gang goes to the end of its
                                    priority */
    SKED_ADMIT_STATE_EMPTY = 2   /* all tasks were given up: the gang is
                                    dropped */
};

enum sked_admit_flag {
    SKED_ADMIT_FLAG_PREEMPTION = 1 /* preemption is on: the reservation
                                      bounds */
};

/* What admitted work holds, by class: rows in this order, each with one amount
 * a kind. */
enum sked_admit_held {
    SKED_ADMIT_HELD_ALL = 0,
    SKED_ADMIT_HELD_FIXED = 1,
    SKED_ADMIT_HELD_CONTROLLER = 2,
    SKED_ADMIT_HELD_REVOCABLE = 3,
    SKED_ADMIT_HELD_SUMS = 4
};

/* A leaf and its waiting gangs, one a row in the order of arrival. Amounts are
 * from 0 to SKED_AMOUNT_MAX; bounds may be SKED_UNLIMITED. Borrowed for the
 * call. */
typedef struct sked_admit_input {
    uint32_t struct_size;
    uint32_t flags; /* bits of enum sked_admit_flag */
    uint32_t kinds; /* 1 to SKED_MAX_KINDS */
    uint32_t most;  /* gangs that may be passed without stopping a line; 0:
                       all */
    uint64_t n;     /* gangs; below 2^31 */
    const int64_t *entitlement; /* NULL: nothing */
    const int64_t *slack;       /* NULL: nothing */
    const int64_t *reservation; /* NULL: nothing */
    const int64_t *controllers; /* NULL: no such bound */
    const int64_t *held;        /* SKED_ADMIT_HELD_SUMS x kinds; NULL:
                                   nothing */
    const int64_t *need;        /* of the whole gang, n x kinds */
    const uint32_t *tasks;      /* NULL: 1 each */
    const int32_t *priority;    /* NULL: 0 each */
    const uint8_t *kind;        /* enum sked_admit_gang; NULL: 0 each */
    const uint8_t *line;        /* enum sked_admit_line; NULL: all in the common
                                   line */
    const uint8_t *state;       /* enum sked_admit_state; NULL:
                                   sound */
} sked_admit_input;

/* Outcome of the call for a gang. */
enum sked_admit_outcome {
    SKED_ADMIT_OUTCOME_WAITS = 0, /* not looked at */
    SKED_ADMIT_OUTCOME_IN = 1,    /* admitted */
    SKED_ADMIT_OUTCOME_FULL = 2,  /* blocked, and stops its line */
    SKED_ADMIT_OUTCOME_MOVED = 3, /* moved to the line of its class */
    SKED_ADMIT_OUTCOME_LAST = 4,  /* shrunk: moved to the end of its priority */
    SKED_ADMIT_OUTCOME_GONE = 5   /* empty: dropped */
};

/* The result. The columns are the caller's; any may be NULL. */
typedef struct sked_admit_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint8_t *outcome;  /* n: enum sked_admit_outcome */
    uint8_t *line;     /* n: enum sked_admit_line, the gang's line now */
    uint32_t *order;   /* n: admitted rows, in the order of admission; then
                          waiting rows, in the order for the next call; then
                          dropped rows */
    int64_t *held;     /* SKED_ADMIT_HELD_SUMS x kinds: what is held now */
    uint32_t admitted; /* number of gangs that were admitted */
    uint32_t waiting;  /* number of gangs that still wait */
} sked_admit_result;

/*
 * Walks the lines of a leaf once. `host` may be NULL and provides the working
 * memory, 50 bytes a gang.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column is missing, a flag, a line, a state:
 * `err->row`), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount: row and kind; held
 * plus needed amounts above SKED_AMOUNT_MAX; kinds, n), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own. On failure nothing is
 * written. Cost: O(n * kinds).
 */
SKED_TRY sked_status sked_admit(const sked_admit_input *input,
                                const sked_host *host,
                                sked_admit_result *result, sked_error *err);

/*
 * The users of a leaf in one partition, one a row. A user is active while the
 * user asks for something. Amounts are from 0 to SKED_AMOUNT_MAX, also summed
 * over all users; `limit` may be SKED_UNLIMITED. Borrowed for the call.
 */
typedef struct sked_admit_users_input {
    uint32_t struct_size;
    uint32_t kinds;           /* 1 to SKED_MAX_KINDS */
    uint64_t n;               /* users; below 2^31 */
    int64_t part_ppm;         /* the part that a user may always have, 0 to 1000
                                 times; 100 %: the leaf */
    int64_t factor_ppm;       /* the most that a user may have, in parts of the
                                 guarantee, 0 to 1000 times; SKED_UNLIMITED: no
                                 bound */
    const int64_t *guarantee; /* of the leaf; NULL: nothing */
    const int64_t *limit;     /* of the leaf; NULL: no bound */
    const int64_t *step;      /* the least amount given at once, 1 or more;
                                 NULL: 1 each */
    const int64_t *used;      /* n x kinds; NULL: nothing */
    const int64_t *wanted;    /* n x kinds, beside `used`; NULL: nothing */
    const uint32_t *weight;   /* NULL: 1 each */
} sked_admit_users_input;

/* The result. The columns are the caller's; any may be NULL. */
typedef struct sked_admit_users_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t *bound;    /* n x kinds: the user's bound */
    int64_t *wanted;   /* n x kinds: the user's wanted amounts within the
                          bound */
    uint8_t *may;      /* n: 1: a task of the user may start now, because the
                          user is active and has no more than the bound of every
                          wanted kind. The task may exceed the bound */
} sked_admit_users_result;

/*
 * Computes the bound of each user of a leaf, as in the capacity scheduler of
 * YARN, kind by kind. The amount to divide is the guarantee (a step at least)
 * while less is used, and otherwise the used amount plus a step. A user's bound
 * is
 *
 *   its part by weight among active users, of what active users have plus a
 *   step (an inactive user: its part among all users, of the amount to
 *   divide),
 *   at least weight * part_ppm of the amount to divide,
 *   at most weight * factor_ppm of the guarantee (a step at least), or weight
 *   times the leaf's limit if nothing is guaranteed or factor_ppm is
 *   SKED_UNLIMITED.
 *
 * The part of a user of weight 1 is rounded up to a step, then multiplied by
 * the weight and rounded down to a step. If no weight is active, parts by
 * weight are 0. An engine has its own rule (SKED_QUEUE_USER_LIMIT), by the kind
 * that the leaf uses most of. [CAP-17]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (an amount or a step: row and
 * kind; a part; kinds, n) or SKED_ERR_VERSION. On failure nothing is written.
 * Never allocates. Cost: O(n * kinds).
 */
SKED_TRY sked_status sked_admit_users(const sked_admit_users_input *input,
                                      sked_admit_users_result *result,
                                      sked_error *err);

/* Input for the most applications of a leaf and of a user. */
typedef struct sked_admit_apps_input {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t total;     /* in all leaves together, 0 to SKED_AMOUNT_MAX */
    sked_ratio part;   /* the leaf's guaranteed part of the whole */
    int64_t leaf;     /* in the leaf, 0 to SKED_AMOUNT_MAX; SKED_UNSET: the part
                         of `total`, rounded down */
    int64_t part_ppm; /* the part of a user, 0 to 1000 times */
    int64_t factor_ppm; /* factor on the part, 0 to 1000 times; SKED_UNLIMITED:
                           the user may have all that the leaf may */
} sked_admit_apps_input;

typedef struct sked_admit_apps_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t leaf;
    int64_t user; /* at most `leaf` */
} sked_admit_apps_result;

/*
 * Computes the most applications of a leaf, waiting or running, and the most of
 * one user: floor(leaf * part_ppm * factor_ppm), at most all, as in the
 * capacity scheduler of YARN. `part` is at most 1/1, and ignored if `leaf` is
 * set.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a field `reserved` is not 0), SKED_ERR_RANGE
 * (a number or a part) or SKED_ERR_VERSION. On failure nothing is written.
 * Never allocates. Cost: O(1).
 */
SKED_TRY sked_status sked_admit_apps(const sked_admit_apps_input *input,
                                     sked_admit_apps_result *result,
                                     sked_error *err);

/* A leaf in one partition, and one of its users. Amounts are from 0 to
 * SKED_AMOUNT_MAX. Borrowed for the call. */
typedef struct sked_admit_masters_input {
    uint32_t struct_size;
    uint32_t kinds;           /* 1 to SKED_MAX_KINDS */
    const int64_t *guarantee; /* of the leaf; NULL: nothing */
    const int64_t *limit;     /* the leaf's limit now; NULL: its guarantee */
    const int64_t *step;      /* the least amount given at once, 1 or more;
                                 NULL: 1 each */
    int64_t share_ppm;        /* the part of masters, 0 to 100 % */
    int64_t part_ppm;         /* the part that a user may always have, 0 to 1000
                                 times */
    int64_t factor_ppm;       /* the most that a user may have, in parts of the
                           guarantee, 0 to 1000 times; SKED_UNLIMITED: as much
                           as the leaf */
    uint32_t active;          /* active users */
    uint32_t weight;          /* of the user */
} sked_admit_masters_input;

/* The result. The columns are the caller's; any may be NULL. */
typedef struct sked_admit_masters_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t *leaf;     /* one amount a kind */
    int64_t *user;     /* likewise, at most `leaf` */
} sked_admit_masters_result;

/*
 * Computes the most that the masters of a leaf's applications may hold
 * together, and the masters of one user, kind by kind, as in the capacity
 * scheduler of YARN:
 *
 *   the leaf   share_ppm of its limit if the limit holds the whole guarantee,
 *              else of the guarantee
 *   the user   share_ppm of the user's part of the guarantee times
 *              factor_ppm. The part is weight times the larger one of
 *              part_ppm and 1 / `active`, and at most all
 *
 * Both are computed exactly, rounded up to a unit and then to a step, and at
 * most SKED_AMOUNT_MAX. An engine has its own rule (SKED_QUEUE_AM_SHARE).
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (an amount or a step: kind; a
 * part; kinds) or SKED_ERR_VERSION. On failure nothing is written. Never
 * allocates. Cost: O(kinds).
 */
SKED_TRY sked_status sked_admit_masters(const sked_admit_masters_input *input,
                                        sked_admit_masters_result *result,
                                        sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
