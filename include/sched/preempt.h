#ifndef SKED_PREEMPT_H
#define SKED_PREEMPT_H

/*
 * A plan of preemption from plain arrays: which tasks end, and for which
 * requests. [CAP-3] [CAP-5] [CAP-9] [CAP-11] [CAP-17] [CAP-19] [MON-11]
 * [PEL-12] [PEL-13] [PEL-17] [PEL-20] The smallest use, by need:
 *
 *     sked_preempt_input in = {.struct_size = sizeof in, .kinds = 1,
 *         .n_queues = 2, .n = n, .usage = usage, .share = share,
 *         .need = need, .queue = queue, .amount = amount};
 *     sked_preempt_select(&in, NULL, &plan, &err);
 *
 * TWO RULES
 * One problem is one round in one partition. Every leaf queue has, per kind, a
 * usage, a share (the queue's largest claim) and a keep (the amount that
 * preemption leaves to the queue: its share or more, SKED_UNLIMITED if no task
 * may end). Two rules alone decide:
 *
 *   claim    A request may end tasks of other queues if, in every kind that
 *            the request asks for, the queue's usage with one more task of
 *            the request stays within the queue's share (counting what this
 *            plan has served before).
 *   victim   A queue's tasks are *protected* as far as they fit into its keep
 *            together, in this order: first fixed tasks and tasks that are no
 *            candidates (the usage beyond the candidates), then by priority,
 *            highest first, then by amounts, smallest first. Identical tasks
 *            are protected in the number that fits beside the tasks before.
 *            All other tasks are *surplus*: any of them, and all of them
 *            together, may be victims. A task that holds a kind with keep
 *            SKED_UNLIMITED is always protected, also from requests of its own
 *            leaf, and takes up nothing of the other tasks' keep. To let only
 *            a queue's own requests end its tasks, set its keep to its usage.
 *
 * If share <= keep, and while demand stays the same, queues cannot preempt each
 * other in turns. Proof: count for each queue, in the order of protection, the
 * protected tasks of each sort. Taking surplus lowers no count. A served claim
 * raises one count of its queue. Placement by the same shares lowers no count.
 * sked_preempt_verify() applies the same two rules. All kinds are treated
 * alike: a plentiful kind neither protects a task nor is claimed. The host must
 * meet one condition: shares must depend on demand (usage and pending
 * together), and therefore stay equal when a task is preempted and asked for
 * again.
 *
 * INSIDE A LEAF
 * After all claims, requests may end tasks of their own leaf, if the request is
 * no claim, or if other queues cannot give enough.
 *
 *   SKED_PREEMPT_FLAG_BY_USER
 *       Victims are surplus of another user (by the user's usage and keep, as
 *       above), while the request's user stays within the user's share.
 *   SKED_PREEMPT_FLAG_BY_PRIORITY
 *       Victims have a lower priority than the request. Surplus of the queue
 *       goes first, then protected tasks. With the request's task the counts
 *       above do not fall, compared in their order (counting what this plan
 *       has placed in the leaf before). With _BY_USER set as well, victims
 *       belong to the same user.
 *
 * TWO FORMS
 *
 *   by need      There are no requests; `need` is wanted, one amount a kind.
 *                Keep is judged kind by kind. A task may be a victim if, in
 *                every wanted kind that the task holds, its queue still has
 *                its keep without the task (counting what this plan takes).
 *                The queue may have less of other kinds. Victims of a queue
 *                count towards the need up to the queue's `take`. If
 *                some plan covers the whole need, the plan has the least cost
 *                of all such plans. Otherwise the plan has the least cost of
 *                all plans that cover, kind by kind, as much as the plain walk
 *                covers (SKED_PREEMPT_FLAG_PLAIN).
 *   by request   Requests are served in their order, on nodes. Each task of a
 *                claim is placed on a node where free amounts and victims make
 *                enough: the node of least cost after what was planned before.
 *                A task that fits without victims costs nothing. A queue that
 *                uses more than its keep of a kind gives at most its `take`
 *                of the kind, except that each queue may give one larger task (or
 *                gang). A gang over nodes (`request_per_node`) is placed task
 *                by task in the same way. If one of its tasks finds no place,
 *                no task is a victim for the gang; other nodes for its first
 *                tasks are not tried (SKED_PREEMPT_OUTCOME_SEARCHED).
 *
 * Plans are minimal: without any one victim (or gang), less of the need is
 * covered, or some served task no longer fits. Plans have the least cost that
 * the work budget could prove. `cost` and `bound` of the result say how far a
 * plan can be from the least cost.
 *
 * A gang (rows with the same number) is a victim as a whole or not at all.
 * Marked tasks (SKED_PREEMPT_CANDIDATE_MARKED) are under notice already. They
 * cost nothing more and use no budget. Plans take them first, and leave them
 * out when they are no longer needed.
 */

#include <sched/rank.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_preempt_flag {
    SKED_PREEMPT_FLAG_BY_USER = 1,
    SKED_PREEMPT_FLAG_BY_PRIORITY = 2,
    /*
     * The plain walk of other systems (first fit). Candidates are taken in
     * order, except candidates without any wanted kind, until enough is
     * covered. By request, the walk takes the first place of a request where
     * these candidates free enough. The plan is not minimal and ignores costs.
     * Keep is judged kind by kind, also by request: wanted are the kinds of
     * `need`, or without `need` the kinds of the requests.
     */
    SKED_PREEMPT_FLAG_PLAIN = 4,
    /*
     * Keep is judged kind by kind, as with _PLAIN. The last victim of a queue
     * may bring the queue below its keep, if the queue was above (in every
     * wanted kind that the victim holds). Other systems do so; queues may then
     * preempt each other in turns.
     */
    SKED_PREEMPT_FLAG_OVERSHOOT = 8
};

/* States of candidates. */
enum sked_preempt_candidate {
    SKED_PREEMPT_CANDIDATE_FIXED = 1, /* never a victim */
    SKED_PREEMPT_CANDIDATE_MARKED = 2 /* under notice or kill order already */
};

/*
 * One round, as columns, borrowed for the call. Amounts are counts of a kind's
 * smallest unit, from 0 to SKED_AMOUNT_MAX: row after row, each with one amount
 * a kind. Columns with a remark "NULL: ..." may be left out.
 *
 * The call reads only candidates that may be taken: fixed candidates, and
 * candidates of queues that give nothing, need no amounts.
 */
typedef struct sked_preempt_input {
    uint32_t struct_size;
    uint32_t flags;      /* enum sked_preempt_flag */
    uint32_t kinds;      /* 1 to SKED_MAX_KINDS */
    uint32_t reserved;   /* 0 */
    uint64_t n_queues;   /* leaves, up to SKED_MAX_QUEUES */
    uint64_t n_users;    /* rows of users; below 2^31 */
    uint64_t n_jobs;     /* below 2^31 */
    uint64_t n_nodes;    /* below 2^31; 0: one place without a node */
    uint64_t n_requests; /* rows; 0: by need */
    uint64_t n;          /* candidates, rows; below 2^31 */
    uint64_t work;       /* steps that the search may take; 0:
                            SKED_PREEMPT_WORK */

    /* Queues: a row each. */
    const int64_t *usage;
    const int64_t *share;        /* the largest claim; needed by request */
    const int64_t *keep;         /* amount left to the queue; NULL: `share`.
                                    SKED_UNLIMITED: no task ends */
    const int64_t *take;         /* the most to take; NULL: down to keep */
    const int64_t *queue_budget; /* likewise, never exceeded; NULL: no bound */

    /* The round: one a kind. */
    const int64_t *need;
    const int64_t *budget; /* the most that the round takes; NULL: no bound */
    const int64_t *partition_budget; /* likewise, of the partition; NULL: no
                                        bound */

    /* Users: a row each; a user of two leaves has two rows. */
    const int64_t *user_usage;  /* needed by _BY_USER, with user_share */
    const int64_t *user_share;  /* the user's largest claim */
    const int64_t *user_keep;   /* amount left to the user; NULL:
                                   `user_share` */
    const int64_t *user_budget; /* the most to take; NULL: no bound */

    /* Jobs: the most tasks that each may lose in this round; NULL: any number.
     */
    const int64_t *job_budget;

    /* Candidates: rows of identical tasks. */
    const uint32_t *queue;
    const int64_t *amount;       /* of ONE task */
    const uint32_t *count;       /* tasks in the row; NULL: 1 each */
    const int64_t *cost;         /* of one task; NULL: 1 each */
    const sked_rank_input *rank; /* first candidate first; NULL: by row */
    const uint32_t *node;        /* needed by request on nodes */
    const uint32_t *job;         /* needed by job_budget */
    const uint32_t *user;        /* needed by _BY_USER and user_budget */
    const int32_t *priority;     /* for _BY_PRIORITY; NULL: 0 each */
    const uint32_t *gang;        /* rows with one number, not 0, are a gang;
                                    they agree in queue, user, job, priority and
                                    the marked state; NULL: none */
    const uint8_t *state;        /* enum sked_preempt_candidate, or 0; NULL: 0
                                    each */

    /* Requests: rows of identical tasks, in the order of service. */
    const uint32_t *request_queue;
    const int64_t *request_amount;   /* of ONE task */
    const uint32_t *request_count;   /* NULL: 1 each */
    const uint32_t *request_user;    /* needed by _BY_USER */
    const int32_t *request_priority; /* NULL: 0 each */
    const uint32_t *place_offset;    /* n_requests + 1 offsets into `place`; a
                                        request without places, and every
                                        request if NULL, takes any node */
    const uint32_t *place;           /* nodes, the preferred one first */

    /* Nodes: the free amounts, a row each (without nodes: one row). */
    const int64_t *free; /* NULL: 0 each */

    /* Requests again. Above 0: the request is a gang over nodes, with at most
     * so many tasks on one node. All its tasks are placed, or none is and no
     * task is a victim for the gang. The gang only claims, and takes nothing of
     * its own leaf. 0: task by task, on any number of nodes. NULL: 0 each. */
    const uint32_t *request_per_node; /* needs nodes */
} sked_preempt_input;

/* The steps of search where `work` is 0. */
#define SKED_PREEMPT_WORK UINT64_C(131072)

/* Reasons why a task is a victim. */
enum sked_preempt_reason {
    SKED_PREEMPT_REASON_OVER = 1,    /* the queue has more than its keep */
    SKED_PREEMPT_REASON_USER = 2,    /* the task is surplus of its user */
    SKED_PREEMPT_REASON_PRIORITY = 3 /* the task has a lower priority than the
                                        request */
};

/* A number that is no row. */
#define SKED_NO_ROW UINT32_MAX

/* Tasks of a plan that must end. Frozen layout. */
typedef struct sked_preempt_victim {
    uint32_t row;     /* of the candidates */
    uint32_t count;   /* tasks of that row */
    uint32_t request; /* row of the request that the tasks end for; SKED_NO_ROW:
                         the need */
    uint32_t reason;  /* enum sked_preempt_reason */
    int64_t cost;     /* of all these tasks; 0 if they were marked */
} sked_preempt_victim;

/* Tasks of a request on a node: tasks that fit once the victims have ended, and
 * tasks that fit without victims. Frozen layout. */
typedef struct sked_preempt_placement {
    uint32_t request;
    uint32_t node;  /* 0 without nodes */
    uint32_t count; /* tasks */
    uint32_t claim; /* 1: as a claim; 0: by the rules inside the leaf */
} sked_preempt_placement;

/* How much of the need or requests a plan serves. */
enum sked_preempt_outcome {
    SKED_PREEMPT_OUTCOME_COVERED = 0, /* all: the need is covered, all claims
                                         are served */
    SKED_PREEMPT_OUTCOME_PARTLY = 1,  /* a part, and no plan serves all (by
                                         request: no plan with the same places
                                         for the earlier tasks) */
    SKED_PREEMPT_OUTCOME_SEARCHED = 2 /* a part; the work budget ran out before
                                         the search knew whether more is
                                         possible */
};

/*
 * A plan. The caller sets struct_size, the caller's own arrays with their
 * capacity, and for sked_preempt_verify() the numbers of rows. The call fills
 * the rest.
 */
typedef struct sked_preempt_result {
    uint32_t struct_size;
    uint32_t outcome;                   /* enum sked_preempt_outcome */
    sked_preempt_victim *victims;       /* in the order of choice */
    sked_preempt_placement *placements; /* by request; may be NULL by need */
    int64_t *after;   /* n_queues x kinds: usage once the victims have ended and
                         the placed tasks run; or NULL */
    int64_t *covered; /* one a kind. By need: how much of the need the victims
                         cover; by request: what the victims hold. Or NULL */
    uint64_t victims_cap;
    uint64_t placements_cap;
    uint64_t n_victims;    /* the full number, also if the array is too small */
    uint64_t n_placements; /* likewise */
    uint64_t tasks;        /* tasks of all victims */
    uint64_t served;       /* tasks of all placements */
    uint64_t steps;        /* steps of the search */
    int64_t cost;          /* of all victims */
    /* By need, no plan that covers as much costs less than `bound`. The gap is
     * `cost` less `bound`; 0 proves the least cost. By request, `bound` is a
     * sum: for each task, the least cost of its victims after all that was
     * planned before. Needless victims are taken out afterwards, so `cost` may
     * be less than `bound`. */
    int64_t bound;
} sked_preempt_result;

/*
 * Chooses victims, by branch and bound. `host` may be NULL. It provides the
 * working memory and may stop the call.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a needed column is missing, a flag, a queue,
 * user, job, node or place that does not exist: `err->row`; a gang whose rows
 * do not agree), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount or number out of
 * range, or amounts or costs of candidates that add up to more than
 * SKED_AMOUNT_MAX: `err` has row and kind; arrays too small: only n_victims and
 * n_placements are written), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of
 * the host's own.
 *
 * Cost: O(candidates + queues * kinds), then O(m log m * kinds) for the m rows
 * that may be taken, and as many steps as `work` allows; by request also
 * O(places + m) for each task served, at worst (by priority O(places + m +
 * requests of its leaf)).
 */
SKED_TRY sked_status sked_preempt_select(const sked_preempt_input *input,
                                         const sked_host *host,
                                         sked_preempt_result *plan,
                                         sked_error *err);

/*
 * Checks that a plan follows every rule above. The plan may come from a host,
 * with victims (and placements) alone. The rules:
 * - Rows exist, no row is taken more often than it has tasks, no victim is
 *   fixed, gangs are whole.
 * - Each reason holds. Budgets and `take` are not exceeded.
 * - Each named request is a claim, or takes from its own leaf by the rules
 *   inside a leaf. The protected tasks of a leaf are compared before and after
 *   all that the plan does by priority there, unless the leaf gives by user,
 *   too.
 * - Every placement fits on its node.
 * - No victim is needless (except with SKED_PREEMPT_FLAG_PLAIN).
 *
 * Returns SKED_OK; SKED_ERR_INVALID (`err->message` names the rule, `err->row`
 * the row of the victims, or of the placements for a fault in a placement,
 * `err->kind` the kind); else as sked_preempt_select(). Cost: as there, without
 * the search.
 */
SKED_TRY sked_status sked_preempt_verify(const sked_preempt_input *input,
                                         const sked_preempt_result *plan,
                                         const sked_host *host,
                                         sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
