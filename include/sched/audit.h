#ifndef SKED_AUDIT_H
#define SKED_AUDIT_H

/*
 * A judge of histories. Rows say what a scheduler did: nodes, queues, jobs,
 * starts, ends, kills, reserved starts. The judge lists each story that is
 * impossible or unfair, with the rows that tell it. The scheduler may be any:
 * the judge knows nothing of the engine of this library.
 *
 *     sked_audit_new()     how many kinds, how long each rule waits
 *     sked_audit_add()     rows in order of time, in pieces of any size
 *     sked_audit_end()     the last moment that the history knows
 *     sked_audit_get()     one anomaly: a code, numbers, at most ten rows
 *     sked_audit_format()  the same as a line of text
 *
 * An instant is all rows of one time. The order of rows within an instant does
 * not decide: bounds and fairness are judged when the instant ends. A rule that
 * lasts ("for longer than t") compares times of instants.
 *
 * The judge reports only a story that the rows prove. Work that may not run
 * everywhere, for a reason that no row can say, has
 * SKED_AUDIT_MARK_CONSTRAINED and is in no story about waiting.
 * docs/auditing.md has a table of the rules with an example each.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_audit sked_audit;

/*
 * Types of rows. Keys are the host's, never 0; nodes, queues, users, jobs and
 * tasks have their own spaces of keys. `amounts` is the row of a table of
 * vectors, one amount a kind. Columns that a type does not name are 0, and
 * `amounts` is -1.
 */
enum sked_audit_row_type {
    /* Node `key` exists, or is back, or has another capacity `amounts` (-1: as
     * before). `of`: its partition (0: none); tasks of a partition run only on
     * nodes of the same one. */
    SKED_AUDIT_ROW_NODE = 1,
    SKED_AUDIT_ROW_NODE_DOWN = 2,  /* node `key` stops; its tasks are lost */
    SKED_AUDIT_ROW_NODE_DRAIN = 3, /* node `key` takes no new task */
    /* Queue `key` below queue `of` (0: at the top) with weight `value` among
     * its siblings; 0: no rule about shares. Again: another weight. */
    SKED_AUDIT_ROW_QUEUE = 4,
    SKED_AUDIT_ROW_GUARANTEE = 5, /* of queue `key`: `amounts` */
    /* At most `amounts` (SKED_UNLIMITED: no bound) in queue `key`, by user `on`
     * alone when it is not 0. */
    SKED_AUDIT_ROW_LIMIT = 6,
    /* Job `key` of user `on` (0: unknown) in queue `of`. It is a gang when
     * `count` is above 1: so many of its tasks run, or none. */
    SKED_AUDIT_ROW_JOB = 7,
    /* `count` identical tasks `key` of job `of` begin to wait, with priority
     * `value` and `amounts` each. Again: more of them (`amounts` -1). `on`: the
     * only partition where they may run (0: any). */
    SKED_AUDIT_ROW_TASKS = 8,
    SKED_AUDIT_ROW_START = 9, /* `count` tasks `key` start on node `on` */
    SKED_AUDIT_ROW_DONE = 10, /* `count` tasks `key` on node `on` are done */
    /* `count` tasks `key` on node `on` are stopped so that tasks `of` (0: not
     * known) can start. They wait again. */
    SKED_AUDIT_ROW_KILL = 11,
    SKED_AUDIT_ROW_LOST =
        12, /* `count` tasks `key` on `on` failed; wait again */
    SKED_AUDIT_ROW_CANCEL = 13, /* `count` waiting tasks `key` (0: all) go */
    /* Tasks `key` have the word that one starts by time `value`, on node `on`
     * (0: somewhere). A later time takes the word back. */
    SKED_AUDIT_ROW_RESERVE = 14,
    SKED_AUDIT_ROW_JOB_END = 15 /* job `key` is over */
};

/* Flags of rows, as bits. */
enum sked_audit_mark {
    /* JOB, TASKS: something else, of which no row tells, may keep the work
     * waiting: rules of placement, a wait for data, a hold by its user. */
    SKED_AUDIT_MARK_CONSTRAINED = 1,
    SKED_AUDIT_MARK_FIFO = 2 /* QUEUE: equal priorities go by order of rows */
};

/* One row. Frozen layout. */
typedef struct sked_audit_row {
    sked_time time; /* ns, never below the row before */
    int32_t type;   /* enum sked_audit_row_type */
    uint32_t flags; /* enum sked_audit_mark */
    uint64_t key;
    uint64_t of;
    uint64_t on;
    int64_t value;
    int64_t count;
    int32_t amounts;   /* row of the table of vectors, or -1 */
    uint32_t reserved; /* 0 */
} sked_audit_row;

/* What is wrong, in a name. `subject` below is the key of its first word. */
enum sked_audit_code {
    SKED_AUDIT_CODE_NODE_OVER = 1,  /* node: its tasks take `got` of `limit` */
    SKED_AUDIT_CODE_QUEUE_OVER = 2, /* queue: likewise */
    SKED_AUDIT_CODE_USER_OVER = 3,  /* user in queue `other`: likewise */
    SKED_AUDIT_CODE_GANG_PART = 4,  /* job: `got` of a gang of `limit` run */
    /* Queue: tasks `tasks` fit its guarantee and wait, while `other` starts
     * beyond every guarantee on as much. With SKED_AUDIT_FLAG_PREEMPTS also while
     * others merely hold as much. `got` in use, `limit` guaranteed. */
    SKED_AUDIT_CODE_GUARANTEE_UNSERVED = 5,
    /* Tasks of priority `limit` wait while tasks `other` of the same queue, of
     * lower priority `got`, start where they fit. */
    SKED_AUDIT_CODE_PRIORITY_INVERSION = 6,
    SKED_AUDIT_CODE_ORDER_BROKEN = 7, /* the same, by order of rows (FIFO) */
    SKED_AUDIT_CODE_KILL_IN_VAIN =
        8, /* tasks: `got` killed, and none needed it */
    SKED_AUDIT_CODE_KILLS_IN_TURNS =
        9, /* tasks and tasks `other`, `got` turns */
    /* Queue: tasks `tasks` wait while its sibling `other` starts more, which
     * already has more for its weight by over a task. */
    SKED_AUDIT_CODE_SHARES_OFF = 10,
    SKED_AUDIT_CODE_RESERVED_LATE =
        11, /* tasks: due at `limit`, `got` ns late */
    SKED_AUDIT_CODE_WORK_LOST =
        12, /* tasks: `got` left by the node or job `other` */
    SKED_AUDIT_CODE_WORK_DOUBLED = 13, /* tasks: `got` start, `limit` waited */
    SKED_AUDIT_CODE_WORK_UNKNOWN =
        14, /* tasks: `got` end, `limit` ran on `other` */
    SKED_AUDIT_CODE_NODE_UNFIT =
        15, /* node: start while down, drained, unknown or
                                     of another partition; or done while down */
    SKED_AUDIT_CODE_NODE_IDLE = 16 /* node: tasks `tasks` fit there and wait */
};

enum { SKED_MAX_AUDIT_CODES = 17, SKED_MAX_AUDIT_STORY = 10 };

/* One anomaly, with the numbers and the rows that tell it. */
typedef struct sked_audit_anomaly {
    uint32_t struct_size;
    int32_t code;   /* enum sked_audit_code */
    sked_time from; /* since when; equal to `at` for what is one moment */
    sked_time at;   /* when it was certain */
    uint64_t subject;
    uint64_t other;
    uint64_t tasks; /* 0: none */
    int64_t got;
    int64_t limit;
    int32_t kind;  /* of `got` and `limit`, or -1 */
    uint32_t rows; /* how many of `row` count, at least 1 */
    uint64_t row[SKED_MAX_AUDIT_STORY]; /* the first row of the history is 0 */
} sked_audit_anomaly;

enum sked_audit_flag {
    SKED_AUDIT_FLAG_PREEMPTS = 1 /* guarantees must be served by killing */
};

/*
 * How long each rule waits, in ns: a story counts when it lasts longer. 0: it
 * must not outlast its instant. SKED_UNLIMITED turns the rule off.
 */
typedef struct sked_audit_options {
    uint32_t struct_size;
    uint32_t flags;       /* enum sked_audit_flag */
    uint32_t kinds;       /* 1 to SKED_MAX_KINDS */
    uint32_t turns;       /* kills that make KILLS_IN_TURNS; 0: 3 */
    uint64_t most;        /* anomalies that are kept; 0: 10,000. All count. */
    int64_t guarantee_ns; /* GUARANTEE_UNSERVED: since its queue's last start;
                             0: whatever else the queue starts */
    int64_t inversion_ns; /* PRIORITY_INVERSION, ORDER_BROKEN: of waiting */
    int64_t share_ns;     /* SHARES_OFF: of waiting */
    int64_t kill_ns;      /* KILL_IN_VAIN: from the kill */
    int64_t gang_ns;      /* GANG_PART: from the first part */
    int64_t reserve_ns;   /* RESERVED_LATE: beyond the time given */
    int64_t lost_ns;      /* WORK_LOST: from the node's end */
    int64_t idle_ns;      /* NODE_IDLE: node free and tasks waiting */
} sked_audit_options;

/*
 * A judge with nothing to judge yet. The options and the host are copied.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (kinds, turns, a time below 0),
 * SKED_ERR_VERSION, SKED_ERR_NOMEM. The caller owns `*audit`, which is NULL on
 * failure.
 */
SKED_TRY sked_status sked_audit_new(const sked_audit_options *options,
                                    const sked_host *host, sked_audit **audit,
                                    sked_error *err);

/* Frees the judge. NULL is allowed. */
SKED_API void sked_audit_free(sked_audit *audit);

/*
 * Judges `n` rows (up to 2^31 - 1). `amounts` is a table of `vectors` rows of
 * one amount a kind, read only during the call; NULL when no row names one.
 * Times of rows never fall, over all calls.
 *
 * The call stops at the first row that no history can have, and that row
 * changes nothing but the time: `*done` (may be NULL) rows before it stand,
 * `err->row` names it. It returns SKED_ERR_RANGE (an unknown type or flag, a time or an amount
 * out of range, too many things), SKED_ERR_NOT_FOUND (a key that no row made),
 * SKED_ERR_EXISTS (a job, or a queue below another parent, a second time).
 *
 * Returns also SKED_OK, SKED_ERR_ARG, SKED_ERR_STATE (after sked_audit_end()),
 * SKED_ERR_NOMEM, SKED_ERR_CANCELLED or a code of the host's own; `*done` rows
 * stand then too. An anomaly for which there is no memory is counted and not
 * kept, and the call returns SKED_ERR_NOMEM after its row. Cost: O(rows * (kinds + levels)), expected. The rules
 * that compare tasks with nodes or siblings look at a fixed number of pairs a
 * row: in large histories they may miss a story, and never invent one.
 */
SKED_TRY sked_status sked_audit_add(sked_audit *audit,
                                    const sked_audit_row *rows, size_t n,
                                    const int64_t *amounts, size_t vectors,
                                    size_t *done, sked_error *err);

/*
 * The history ends at `now`, not before its last row. Stories that still last
 * are judged as of then.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`now`), SKED_ERR_STATE (it has
 * ended) or SKED_ERR_NOMEM (it ends, and an anomaly is counted and not kept).
 */
SKED_TRY sked_status sked_audit_end(sked_audit *audit, sked_time now,
                                    sked_error *err);

/* The number of rows that stand. */
SKED_API uint64_t sked_audit_rows(const sked_audit *audit);

/* How many anomalies of a code there are (0: of all), kept or not. */
SKED_API uint64_t sked_audit_count(const sked_audit *audit, int32_t code);

/*
 * Fills `anomaly` (its struct_size set by the caller) with the i-th anomaly
 * that is kept, in the order in which they became certain.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no i-th) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_audit_get(const sked_audit *audit, size_t i,
                                    sked_audit_anomaly *anomaly);

/*
 * Writes the i-th anomaly as one line, for example
 * "node_over at 5: node 7 holds 9 of 8 of kind 0 (rows 0 3 4)". Writes at most
 * `cap` bytes with the NUL; `*n` (may be NULL) is the length it needs without
 * the NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (no i-th, or `cap` too
 * small).
 */
SKED_TRY sked_status sked_audit_format(const sked_audit *audit, size_t i,
                                       char *text, size_t cap, size_t *n);

/* "node_over" for SKED_AUDIT_CODE_NODE_OVER; "unknown" for a code that is none. */
SKED_API const char *sked_audit_name(int32_t code);

#ifdef __cplusplus
}
#endif

#endif
