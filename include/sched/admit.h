#ifndef SKED_ADMIT_H
#define SKED_ADMIT_H

/*
 * Admission control of a leaf queue, as in Peloton: four lines, and a bound for
 * each class of work. [PEL-13] [PEL-14] [PEL-16]
 *
 * Work comes in gangs, which are tasks that are admitted together. A gang
 * begins in the line of all. One that is of a class with a line of its own, and
 * that any bound keeps out, moves to that line, so that it does not stop the
 * others. A gang of several classes moves to the first of these lines:
 *
 *   SKED_ADMIT_LINE_ALL          where every gang begins
 *   SKED_ADMIT_LINE_FIXED        gangs that may not be preempted, where
 *                                preemption is on
 *   SKED_ADMIT_LINE_CONTROLLER   gangs that start and control other tasks
 *   SKED_ADMIT_LINE_REVOCABLE    gangs that run on what others leave unused
 *
 * In a line the highest priority comes first, then the gang that arrived first;
 * the first gang that is kept out stops the line. A gang is admitted when, in
 * every kind, what its class holds and what it needs stay together within these
 * bounds:
 *
 *   slack         if it is revocable, this alone: with all revocable work
 *   entitlement   else: with all work that is not revocable
 *   reservation   and, where preemption is on and it may not be preempted: with
 *                 all work that may not be preempted
 *   controllers   and, if it is a controller of one task: with all controllers
 *
 * A queue that is above a bound in one kind admits nothing under that bound,
 * not even a gang that needs none of that kind. The lines are walked once, in
 * the order FIXED, CONTROLLER, REVOCABLE, ALL. A gang that moves in this call
 * stands at the end of its priority in its new line; the next call looks at it.
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
    SKED_ADMIT_GANG_FIXED = 1,      /* it may not be preempted */
    SKED_ADMIT_GANG_CONTROLLER = 2, /* it starts and controls other tasks */
    SKED_ADMIT_GANG_REVOCABLE = 4   /* it runs on what others leave unused */
};

/* What has happened to a gang while it waited. */
enum sked_admit_state {
    SKED_ADMIT_STATE_SOUND = 0,  /* nothing */
    SKED_ADMIT_STATE_SHRUNK = 1, /* some of its tasks were given up, and `need`
                             is that of the others: it goes to the end of its
                             priority */
    SKED_ADMIT_STATE_EMPTY = 2 /* all its tasks were given up: it is dropped */
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

/* A leaf, and the gangs that wait, one a row in the order of arrival. Amounts
 * are from 0 to SKED_AMOUNT_MAX, bounds may be SKED_UNLIMITED. Borrowed for the
 * call. */
typedef struct sked_admit_input {
    uint32_t struct_size;
    uint32_t flags; /* bits of enum sked_admit_flag */
    uint32_t kinds; /* 1 to SKED_MAX_KINDS */
    uint32_t most;  /* how many gangs may be passed without stopping a line; 0:
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
    const uint8_t *line;        /* enum sked_admit_line; NULL: all in the line
                                   of all */
    const uint8_t *state;       /* enum sked_admit_state; NULL:
                                   sound */
} sked_admit_input;

/* What the call did with a gang. */
enum sked_admit_outcome {
    SKED_ADMIT_OUTCOME_WAITS = 0, /* it was not looked at */
    SKED_ADMIT_OUTCOME_IN = 1,    /* it is admitted */
    SKED_ADMIT_OUTCOME_FULL = 2,  /* it is kept out, and stops its line */
    SKED_ADMIT_OUTCOME_MOVED = 3, /* it moved to the line of its class */
    SKED_ADMIT_OUTCOME_LAST = 4,  /* shrunk: it moved to the end of its
                                     priority */
    SKED_ADMIT_OUTCOME_GONE = 5   /* empty: it was dropped */
};

/* Where the answer goes. The columns are the caller's; any may be NULL. */
typedef struct sked_admit_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint8_t *outcome;  /* n: enum sked_admit_outcome */
    uint8_t *line;     /* n: enum sked_admit_line, where it stands now */
    uint32_t *order;   /* n: the rows that were admitted, in the order of
                          admission; then those that wait, in the order for the
                          next call; then those that were dropped */
    int64_t *held;     /* SKED_ADMIT_HELD_SUMS x kinds: what is held now */
    uint32_t admitted; /* number of gangs that were admitted */
    uint32_t waiting;  /* number of gangs that still wait */
} sked_admit_result;

/*
 * Walks the lines of a leaf once. `host` may be NULL; it provides the memory to
 * work in, 50 bytes a gang.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column is missing, a flag, a line, a state:
 * `err->row`), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount: row and kind; what is
 * held and needed adds up to more than SKED_AMOUNT_MAX; kinds, n),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On failure
 * nothing is written. Cost: O(n * kinds).
 */
SKED_TRY sked_status sked_admit(const sked_admit_input *input,
                                const sked_host *host,
                                sked_admit_result *result, sked_error *err);

/*
 * The users of a leaf in one partition, one a row. A user is active while it
 * asks for something. Amounts are from 0 to SKED_AMOUNT_MAX, those of all users
 * together too; `limit` may be SKED_UNLIMITED. Borrowed for the call.
 */
typedef struct sked_admit_users_input {
    uint32_t struct_size;
    uint32_t kinds;     /* 1 to SKED_MAX_KINDS */
    uint64_t n;         /* users; below 2^31 */
    int64_t part_ppm;   /* the part that one user may always have, 0 to 1000
                           times; 100 %: the leaf */
    int64_t factor_ppm; /* the most that one may have, in parts of the
                           guarantee, 0 to 1000 times; SKED_UNLIMITED: no
                           bound */
    const int64_t *guarantee; /* of the leaf; NULL: nothing */
    const int64_t *limit;     /* of the leaf; NULL: no bound */
    const int64_t *step;      /* the least that is given at once, 1 or more;
                                 NULL: 1 each */
    const int64_t *used;      /* n x kinds; NULL: nothing */
    const int64_t *wanted;    /* n x kinds, besides; NULL: nothing */
    const uint32_t *weight;   /* NULL: 1 each */
} sked_admit_users_input;

/* Where the answer goes. The columns are the caller's; any may be NULL. */
typedef struct sked_admit_users_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t *bound;    /* n x kinds: what the user may have */
    int64_t *wanted;   /* n x kinds: what it wants within that bound */
    uint8_t *may;      /* n: 1: a task of it may start now, since it is active
                          and, of no kind that it wants, has more than its
                          bound. The task may take it beyond the bound */
} sked_admit_users_result;

/*
 * What each user of a leaf may have, as in the capacity scheduler of YARN, kind
 * by kind. What there is to divide is the guarantee (a step at least) as long
 * as less is used, and then what is used and a step. A user may have
 *
 *   of what active users have, and a step, its part by weight among them (a user
 *   that is not active: of what there is to divide, its part among all users)
 *   and at least weight * part_ppm of what there is to divide,
 *   but at most weight * factor_ppm of the guarantee (a step at least), or
 *   weight times the leaf's limit where nothing is guaranteed or factor_ppm is
 *   SKED_UNLIMITED.
 *
 * The part of a user of weight 1 is rounded up to a step, then taken times the
 * weight and rounded down to one. Where no weight is active, parts by weight
 * are 0. An engine has a rule of its own (SKED_QUEUE_USER_LIMIT), by the kind
 * that the leaf uses most of. [CAP-17]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (an amount or a step: row and
 * kind; a part; kinds, n) or SKED_ERR_VERSION. On failure nothing is written.
 * Never allocates. Cost: O(n * kinds).
 */
SKED_TRY sked_status sked_admit_users(const sked_admit_users_input *input,
                                      sked_admit_users_result *result,
                                      sked_error *err);

/* How many applications there may be, of a leaf and of a user. */
typedef struct sked_admit_apps_input {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t total;     /* in all leaves together, 0 to SKED_AMOUNT_MAX */
    sked_ratio part;   /* what the leaf is guaranteed of all that there is */
    int64_t leaf;     /* in the leaf, 0 to SKED_AMOUNT_MAX; SKED_UNSET: its part
                          of `total`, rounded down */
    int64_t part_ppm; /* the part that one user may have, 0 to 1000 times */
    int64_t factor_ppm; /* times so much, 0 to 1000 times; SKED_UNLIMITED: the
                           user may have all that the leaf may */
} sked_admit_apps_input;

typedef struct sked_admit_apps_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t leaf;
    int64_t user; /* at most `leaf` */
} sked_admit_apps_result;

/*
 * How many applications a leaf may have, waiting or running, and how many of
 * them may be one user's: floor(leaf * part_ppm * factor_ppm), at most all, as
 * in the capacity scheduler of YARN. `part` is at most 1/1, and not looked at
 * where `leaf` is set.
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
    const int64_t *limit;     /* what the leaf may have now; NULL: what it is
                                 guaranteed */
    const int64_t *step;      /* the least that is given at once, 1 or more;
                                 NULL: 1 each */
    int64_t share_ppm;        /* the part that masters may have, 0 to 100 % */
    int64_t part_ppm;   /* the part that one user may always have, 0 to 1000
                           times */
    int64_t factor_ppm; /* the most that one may have, in parts of the
                           guarantee, 0 to 1000 times; SKED_UNLIMITED: as much
                           as the leaf */
    uint32_t active;    /* users that ask for something */
    uint32_t weight;    /* of the user */
} sked_admit_masters_input;

/* Where the answer goes. The columns are the caller's; any may be NULL. */
typedef struct sked_admit_masters_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t *leaf;     /* one amount a kind */
    int64_t *user;     /* likewise, at most `leaf` */
} sked_admit_masters_result;

/*
 * What the masters of a leaf's applications may hold together, and those of one
 * user of it, kind by kind, as in the capacity scheduler of YARN:
 *
 *   the leaf   share_ppm of its limit where that holds all that is guaranteed,
 *              else of the guarantee
 *   the user   share_ppm of its part of the guarantee times factor_ppm. That part
 *              is weight times the larger one of part_ppm and one of `active`,
 *              and at most all
 *
 * Both are worked out exactly, rounded up to a unit and then to a step, and at
 * most SKED_AMOUNT_MAX. An engine has a rule of its own (SKED_QUEUE_AM_SHARE).
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
