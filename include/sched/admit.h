#ifndef SKED_ADMIT_H
#define SKED_ADMIT_H

/*
 * Who is let into a leaf queue: four lines, three bounds. [PEL-13] [PEL-14]
 * [PEL-16]
 *
 * What is handed in (a gang: tasks that come together) stands in the line of
 * all until it is admitted; what a bound of its own keeps out moves to a line
 * of its own, so that it does not stop the others:
 *
 *   SKED_ADMIT_LINE_ALL          where everything begins
 *   SKED_ADMIT_LINE_FIXED        what may not be preempted
 *   SKED_ADMIT_LINE_CONTROLLER   what drives others
 *   SKED_ADMIT_LINE_REVOCABLE    what runs on what others leave unused
 *
 * In a line the highest priority is first, then what came first, and the first
 * one that is kept out stops the line. A gang is admitted when, in every kind,
 * what is held already and what it needs stay within
 *
 *   the entitlement   of what is not revocable; of what is, the slack
 *   the reservation   where preemption is on: of what may not be preempted and
 *                     is not revocable
 *   the controllers'  of a controller of one task that is not revocable
 *
 * A queue that is above a bound in one kind admits nothing under it, not even
 * what needs none of that kind. Lines are walked once: FIXED, CONTROLLER,
 * REVOCABLE, ALL; what moves in this call stands at the end of its level in its
 * new line, and is looked at by the next.
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

/* What a gang is. */
enum sked_admit_gang {
    SKED_ADMIT_GANG_FIXED = 1, /* may not be preempted */
    SKED_ADMIT_GANG_CONTROLLER = 2,
    SKED_ADMIT_GANG_REVOCABLE = 4
};

/* What has happened to it while it waited. */
enum sked_admit_state {
    SKED_ADMIT_STATE_SOUND = 0,
    SKED_ADMIT_STATE_SHRUNK = 1, /* some tasks were given up; its amount is of
                             the others: goes to the end of its level */
    SKED_ADMIT_STATE_EMPTY = 2   /* all were: it is dropped */
};

enum sked_admit_flag {
    SKED_ADMIT_FLAG_PREEMPTION = 1 /* preemption is on: the reservation
                                      bounds */
};

/* What is held, in this order, one amount a kind each. */
enum sked_admit_held {
    SKED_ADMIT_HELD_ALL = 0,
    SKED_ADMIT_HELD_FIXED = 1,
    SKED_ADMIT_HELD_CONTROLLER = 2,
    SKED_ADMIT_HELD_REVOCABLE = 3,
    SKED_ADMIT_HELD_SUMS = 4
};

/* A leaf and who waits, by row in the order of arrival; amounts from 0 to
 * SKED_AMOUNT_MAX, bounds up to SKED_UNLIMITED. */
typedef struct sked_admit_input {
    uint32_t struct_size;
    uint32_t flags; /* SKED_ADMIT_FLAG_PREEMPTION */
    uint32_t kinds; /* 1 to SKED_MAX_KINDS */
    uint32_t n;     /* gangs; below 2^31 */
    uint32_t most;  /* gangs looked at that do not stop a line; 0: all */
    uint32_t reserved;
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

/* What became of a gang. */
enum sked_admit_outcome {
    SKED_ADMIT_OUTCOME_WAITS = 0, /* was not looked at */
    SKED_ADMIT_OUTCOME_IN = 1,
    SKED_ADMIT_OUTCOME_FULL = 2,  /* kept out, and stops its line */
    SKED_ADMIT_OUTCOME_MOVED = 3, /* to another line */
    SKED_ADMIT_OUTCOME_LAST = 4,  /* shrunk: at the end of its level */
    SKED_ADMIT_OUTCOME_GONE = 5   /* empty: dropped */
};

/* Where the answer goes; what is NULL is not wanted. */
typedef struct sked_admit_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint8_t *outcome;  /* n: enum sked_admit_outcome */
    uint8_t *line;     /* n: where it stands now */
    uint32_t *order;   /* n: rows that were admitted, in that order; then those
                          that wait, as they are to be handed in the next time;
                          then those dropped */
    int64_t *held;     /* SKED_ADMIT_HELD_SUMS x kinds: afterwards */
    uint32_t admitted; /* how many were */
    uint32_t waiting;  /* how many wait still */
} sked_admit_result;

/*
 * Walks the lines of a leaf once. `host` may be NULL; it provides the memory to
 * work in, 40 bytes a gang.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column is missing, a flag, a line, a state:
 * `err->row`), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount: row and kind; what is
 * held and needed adds up to more than SKED_AMOUNT_MAX; kinds, n),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On failure
 * nothing is written. Cost: O(n kinds).
 */
SKED_TRY sked_status sked_admit(const sked_admit_input *queue,
                                const sked_host *host,
                                sked_admit_result *result, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
