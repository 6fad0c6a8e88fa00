#ifndef SKED_AUDIT_H
#define SKED_AUDIT_H

/*
 * A judge of scheduling histories.
 *
 * A history is a sequence of rows. Each row is an action of a scheduler or its
 * cluster: nodes, queues, jobs, starts, ends, kills, reserved starts. The judge
 * lists anomalies: impossible or unfair events, with the rows as proof. The
 * judge works for any scheduler and does not use the engine of this library.
 *
 *     sked_audit_new()     number of kinds, duration of each rule
 *     sked_audit_add()     rows in order of time, in pieces of any size
 *     sked_audit_end()     end of the history
 *     sked_audit_get()     one anomaly: a code, numbers, at most ten rows
 *     sked_audit_format()  one anomaly as a line of text
 *
 * An instant consists of all rows with one time. The order of rows within an
 * instant has no effect: limits and fairness are judged when the instant ends.
 * A rule with a duration ("for longer than t") compares times of instants.
 *
 * The judge reports an anomaly only if the rows prove the anomaly. Work with a
 * hidden reason to wait has SKED_AUDIT_MARK_CONSTRAINED. No anomaly about
 * waiting names constrained work.
 *
 * docs/auditing.md has a table of the rules with an example each.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_audit sked_audit;

/*
 * Types of rows. The host chooses the keys, never 0. Nodes, queues, users, jobs
 * and tasks have separate key spaces. `amounts` is an index into a table of
 * vectors, one amount a kind. Columns not named for a type are 0, and `amounts`
 * is -1.
 */
enum sked_audit_row_type {
    /* Node `key` exists, or is back, or has another capacity `amounts` (-1: as
     * before). `of` is the partition of the node (0: none). Tasks of a
     * partition run only on nodes of the same partition. */
    SKED_AUDIT_ROW_NODE = 1,
    SKED_AUDIT_ROW_NODE_DOWN = 2,  /* node `key` stops, its tasks are lost */
    SKED_AUDIT_ROW_NODE_DRAIN = 3, /* node `key` takes no new task */
    /* Queue `key` below queue `of` (0: at the top) with weight `value` among
     * the siblings (0: no rule about shares). A second row sets another
     * weight. */
    SKED_AUDIT_ROW_QUEUE = 4,
    SKED_AUDIT_ROW_GUARANTEE = 5, /* of queue `key`: `amounts` */
    /* At most `amounts` (SKED_UNLIMITED: no limit) in queue `key`. If `on` is
     * not 0, the limit is for user `on` alone. */
    SKED_AUDIT_ROW_LIMIT = 6,
    /* Job `key` of user `on` (0: unknown) in queue `of`. If `count` is above 1,
     * the job is a gang: `count` of its tasks run, or none. */
    SKED_AUDIT_ROW_JOB = 7,
    /* `count` identical tasks `key` of job `of` begin to wait, with priority
     * `value` and `amounts` each. A second row adds tasks (`amounts` -1). `on`
     * is the only partition where the tasks may run (0: any). */
    SKED_AUDIT_ROW_TASKS = 8,
    SKED_AUDIT_ROW_START = 9, /* `count` tasks `key` start on node `on` */
    SKED_AUDIT_ROW_DONE = 10, /* `count` tasks `key` on node `on` are done */
    /* `count` tasks `key` on node `on` are stopped and wait again, in favour of
     * tasks `of` (0: not known). */
    SKED_AUDIT_ROW_KILL = 11,
    SKED_AUDIT_ROW_LOST =
        12, /* `count` tasks `key` on `on` failed, wait again */
    SKED_AUDIT_ROW_CANCEL = 13, /* `count` waiting tasks `key` (0: all) leave */
    /* The scheduler promises that a task of `key` starts by time `value`, on
     * node `on` (0: any node). A second row replaces the reservation. A later
     * time in the second row counts as a delay. If the node stops or becomes
     * smaller, the reservation is void. The start that keeps a reservation is
     * compared with no waiting task. */
    SKED_AUDIT_ROW_RESERVE = 14,
    SKED_AUDIT_ROW_JOB_END = 15 /* job `key` is over */
};

/* Flags of rows, as bits. */
enum sked_audit_mark {
    /* JOB, TASKS: a reason outside the rows may block the work: placement
     * rules, a wait for data, a hold by the user. */
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

/* Codes of anomalies. The first word of each comment is the object with the
 * key `subject`. */
enum sked_audit_code {
    SKED_AUDIT_CODE_NODE_OVER = 1,  /* node: tasks use `got` of `limit` */
    SKED_AUDIT_CODE_QUEUE_OVER = 2, /* queue: the same */
    SKED_AUDIT_CODE_USER_OVER = 3,  /* user in queue `other`: the same */
    SKED_AUDIT_CODE_GANG_PART = 4,  /* job: `got` of a gang of `limit` run */
    /* Queue: tasks `tasks` fit the guarantee and wait, while queue `other`
     * starts beyond every guarantee on enough resources. With
     * SKED_AUDIT_FLAG_PREEMPTS, holding enough resources on a node is
     * sufficient. Against queues outside its parent, the parent claims: with the
     * larger of its own guarantee and the sum of its children's. `got` is in
     * use, `limit` is guaranteed. */
    SKED_AUDIT_CODE_GUARANTEE_UNSERVED = 5,
    /* Tasks of priority `limit` wait, while tasks `other` of the same queue and
     * lower priority `got` start in the same place. Several starts of one
     * instant on a node count together. With a bound of 0, the free resources
     * of the node count too. */
    SKED_AUDIT_CODE_PRIORITY_INVERSION = 6,
    SKED_AUDIT_CODE_ORDER_BROKEN = 7, /* the same, by order of rows (FIFO) */
    /* Tasks: `got` killed, no start needed a kill. With a bound of 0, a start
     * needs no kill if the tasks fit on another node at the end of the instant,
     * in the place of the victims if these start there. */
    SKED_AUDIT_CODE_KILL_IN_VAIN = 8,
    SKED_AUDIT_CODE_KILLS_IN_TURNS =
        9, /* tasks and tasks `other`, `got` turns */
    /* Queue: tasks `tasks` wait, while the sibling `other` starts more. For its
     * weight, `other` already has more, by over one task. */
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
    /* Node: tasks `tasks` fit there and wait. A gang of one key waits while all
     * of its tasks fit on nodes together. */
    SKED_AUDIT_CODE_NODE_IDLE = 16
};

enum { SKED_MAX_AUDIT_CODES = 17, SKED_MAX_AUDIT_STORY = 10 };

/* One anomaly, with the numbers and the rows that tell it. */
typedef struct sked_audit_anomaly {
    uint32_t struct_size;
    int32_t code;   /* enum sked_audit_code */
    sked_time from; /* beginning; equal to `at` without duration */
    sked_time at;   /* when the anomaly was certain */
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
 * Durations of the rules, in ns. A condition that lasts longer is an anomaly.
 * With 0, the condition must not outlast its instant. SKED_UNLIMITED turns the
 * rule off.
 */
typedef struct sked_audit_options {
    uint32_t struct_size;
    uint32_t flags;       /* enum sked_audit_flag */
    uint32_t kinds;       /* 1 to SKED_MAX_KINDS */
    uint32_t turns;       /* kills that make KILLS_IN_TURNS; 0: 3 */
    uint64_t most;        /* stored anomalies; 0: 10,000. All count. */
    int64_t guarantee_ns; /* GUARANTEE_UNSERVED: since the queue's last start;
                             0: regardless of starts within the guarantee */
    int64_t inversion_ns; /* PRIORITY_INVERSION, ORDER_BROKEN: of waiting */
    int64_t share_ns;     /* SHARES_OFF: of waiting */
    int64_t kill_ns;      /* KILL_IN_VAIN: from the kill */
    int64_t gang_ns;      /* GANG_PART: from the first part */
    int64_t reserve_ns;   /* RESERVED_LATE: beyond the time given */
    int64_t lost_ns;      /* WORK_LOST: from the node's end */
    int64_t idle_ns;      /* NODE_IDLE: node free and tasks waiting */
} sked_audit_options;

/*
 * Creates a judge with an empty history. Copies the options and the host.
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
 * Adds `n` rows (up to 2^31 - 1) and judges the instants that end. `amounts` is
 * a table of `vectors` rows, one amount a kind, read only during the call. NULL
 * is allowed if no row uses the table. Times of rows never fall, also between
 * calls.
 *
 * The call stops at the first invalid row. `*done` (may be NULL) is the number
 * of rows added, and `err->row` is the index of the invalid row. An invalid row
 * changes nothing but the time. Returns for an invalid row: SKED_ERR_RANGE (an
 * unknown type or flag, a time or an amount out of range, too many records),
 * SKED_ERR_NOT_FOUND (an unknown key), SKED_ERR_EXISTS (a job a second time, or
 * a queue below another parent).
 *
 * Returns also SKED_OK, SKED_ERR_ARG, SKED_ERR_STATE (after sked_audit_end()),
 * SKED_ERR_NOMEM, SKED_ERR_CANCELLED or a code of the host's own. The first
 * `*done` rows remain added in each case. Without memory for an anomaly, the
 * judge counts the anomaly, does not store the anomaly, and returns
 * SKED_ERR_NOMEM after the row.
 *
 * Cost: O(rows * (kinds + levels)), expected. The rules that compare tasks with
 * nodes or siblings compare a fixed number of pairs a row. In large histories,
 * these rules may miss an anomaly, but never report a false anomaly.
 */
SKED_TRY sked_status sked_audit_add(sked_audit *audit,
                                    const sked_audit_row *rows, size_t n,
                                    const int64_t *amounts, size_t vectors,
                                    size_t *done, sked_error *err);

/*
 * Ends the history at `now`, at or after the time of the last row. Conditions
 * that still hold are judged as of `now`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`now`), SKED_ERR_STATE (ended
 * already) or SKED_ERR_NOMEM (ended, but an anomaly is counted and not stored).
 */
SKED_TRY sked_status sked_audit_end(sked_audit *audit, sked_time now,
                                    sked_error *err);

/* Returns the number of rows added. */
SKED_API uint64_t sked_audit_rows(const sked_audit *audit);

/* Returns the number of anomalies of a code (0: all codes), stored or not. */
SKED_API uint64_t sked_audit_count(const sked_audit *audit, int32_t code);

/*
 * Fills `anomaly` with the i-th stored anomaly, in the order of certainty. The
 * caller sets `anomaly->struct_size`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no i-th) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_audit_get(const sked_audit *audit, size_t i,
                                    sked_audit_anomaly *anomaly);

/*
 * Writes the i-th anomaly as one line, for example
 * "node_over at 5: node 7 holds 9 of 8 of kind 0 (rows 0 3 4)". Writes at most
 * `cap` bytes with the NUL. `*n` (may be NULL) is the length without the NUL.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (no i-th, or `cap` too
 * small).
 */
SKED_TRY sked_status sked_audit_format(const sked_audit *audit, size_t i,
                                       char *text, size_t cap, size_t *n);

/* Returns the name of a code: "node_over" for SKED_AUDIT_CODE_NODE_OVER,
 * "unknown" for an invalid code. */
SKED_API const char *sked_audit_name(int32_t code);

#ifdef __cplusplus
}
#endif

#endif
