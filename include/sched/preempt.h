#ifndef SKED_PREEMPT_H
#define SKED_PREEMPT_H

/*
 * A plan of preemption from plain arrays: which tasks are to end, and for which
 * requests. [CAP-3] [CAP-5] [CAP-9] [CAP-11] [CAP-17] [CAP-19] [MON-11]
 * [PEL-12] [PEL-13] [PEL-17] [PEL-20]
 *
 * One problem is one round in one partition. Every leaf queue has, per kind, a
 * usage, a share (up to which it may claim) and a keep (what preemption leaves
 * to it: its share or more, SKED_UNLIMITED where no task of it is to end).
 * Two rules, and nothing else, decide for which requests tasks are preempted,
 * and which tasks:
 *
 *   claim    A request may have tasks of other queues preempted when, in every
 *            kind that it asks for, its queue's usage with one more task of the
 *            request stays within the queue's share (counting what this plan
 *            has served before).
 *   victim   A queue's tasks are *protected* as far as they fit into its keep
 *            together, in this order: first what is fixed or no candidate (that
 *            is, what the queue uses beyond its candidates), then by priority,
 *            the highest first, then by amounts, the smallest first. Of alike
 *            tasks as many are protected as fit beside those before. The other
 *            tasks are *surplus*: any of them may be a victim, and so may all
 *            of them together. A task that holds a kind of which the keep is
 *            SKED_UNLIMITED is always protected, from requests of its own leaf
 *            too, and takes up nothing of the keep that the other tasks have.
 *            (A queue whose own requests may have tasks of it, and no others:
 *            its keep is its usage.)
 *
 * If share <= keep, and as long as demand stays the same, queues cannot preempt
 * each other in turns. Proof: count for each queue, in the order of protection,
 * how many tasks of each sort are protected. Taking surplus lowers no count; a
 * claim that is served raises one count of its queue; and placement by the same
 * shares lowers none. sked_preempt_verify() applies the same two rules. No kind
 * is treated apart: one that is plentiful neither protects a task nor is
 * claimed. One condition is the host's to meet: its shares must go by demand
 * (usage and pending together), so that they do not change when a task is
 * preempted and asked for again.
 *
 * After all claims, requests may have tasks of their own leaf preempted: those
 * requests that are no claim, or for which no other queue can give enough.
 *
 *   SKED_PREEMPT_FLAG_BY_USER
 *       Victims are surplus of another user (by the user's usage and keep, as
 *       above), while the request's user stays within the user's share.
 *   SKED_PREEMPT_FLAG_BY_PRIORITY
 *       Victims have a lower priority than the request. Surplus of the queue
 *       goes first; then protected tasks. With the request's task the counts
 *       above do not become less, compared in their order (counting what this
 *       plan has placed in the leaf before). With _BY_USER set as well, victims
 *       are of the same user.
 *
 * There are two ways to say what is wanted:
 *
 *   by need      There are no requests; `need` is wanted, one amount a kind.
 *                Keep is judged kind by kind: a task may be a victim when, in
 *                every wanted kind that it holds, its queue still has its keep
 *                without it (counting what this plan takes); of other kinds
 *                the queue may have less. What is taken from a queue counts
 *                towards the need up to the queue's `take`. If any plan covers
 *                the whole need, the plan has the least cost of those that do;
 *                else the least cost of those that cover, kind by kind, as much
 *                as the plain walk covers (SKED_PREEMPT_FLAG_PLAIN).
 *   by request   Requests are served in their order, on nodes: each task of a
 *                claim is placed on a node where what is free and the victims
 *                make enough for it, and of these on the one of least cost
 *                after what was planned before. A task that fits without
 *                victims costs nothing. Of a kind of which a queue uses more
 *                than its keep, no more is taken than its `take`, except that
 *                each queue may give one task (or gang) that is larger. A gang
 *                over nodes (`request_per_node`) is placed task by task in the
 *                same way, and where one of its tasks finds no place, no task
 *                is a victim for it; which nodes the first took is then not
 *                looked at again (SKED_PREEMPT_OUTCOME_SEARCHED).
 *
 * Plans are minimal: without any one victim (or gang), less of the need is
 * covered, or some task that is served no longer fits. They have the least cost
 * that the work budget could prove; `cost` and `bound` of the result say how
 * far from the least cost a plan can be.
 *
 * A gang (rows with the same number) is a victim as a whole or not at all.
 * Marked tasks (SKED_PREEMPT_CANDIDATE_MARKED), which are under notice already,
 * cost nothing more and use up no budget; so they are taken first, and they are
 * left out when they are no longer needed.
 */

#include <sched/rank.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_preempt_flag {
    SKED_PREEMPT_FLAG_BY_USER = 1,
    SKED_PREEMPT_FLAG_BY_PRIORITY = 2,
    /*
     * The plain walk that other systems take (first fit): candidates are taken
     * in their order, except those that hold none of the wanted kinds, until
     * enough is covered. By request, it takes the first place of a request
     * where the candidates taken so free enough. The plan is not minimal, and
     * costs are not looked at. Keep is judged kind by kind, by request too: the
     * wanted kinds are those of `need`, or without it those that the requests
     * ask for.
     */
    SKED_PREEMPT_FLAG_PLAIN = 4,
    /*
     * Keep is judged kind by kind, as with _PLAIN, and the last victim of a
     * queue may bring the queue below its keep, if the queue is above it before
     * (in every wanted kind that the victim holds). Other systems do so; queues
     * may then preempt each other in turns.
     */
    SKED_PREEMPT_FLAG_OVERSHOOT = 8
};

/* States of candidates. */
enum sked_preempt_candidate {
    SKED_PREEMPT_CANDIDATE_FIXED = 1, /* never a victim */
    SKED_PREEMPT_CANDIDATE_MARKED = 2 /* under notice or kill order already */
};

/*
 * One round, as columns, which are borrowed for the call. Amounts are counts of
 * a kind's smallest unit, from 0 to SKED_AMOUNT_MAX: row after row, each with
 * one amount a kind. Columns that say "NULL: ..." may be left out.
 *
 * Only candidates that may be taken are read: those that are fixed, or whose
 * queue gives nothing, need no amounts.
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
    const int64_t *share;        /* up to which it claims; needed by request */
    const int64_t *keep;         /* what is left to it; NULL: `share`.
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
    const int64_t *user_share;  /* up to which the user claims */
    const int64_t *user_keep;   /* what is left to it; NULL: `user_share` */
    const int64_t *user_budget; /* the most to take; NULL: no bound */

    /* Jobs: how many tasks each may lose in this round; NULL: any number. */
    const int64_t *job_budget;

    /* Candidates: rows of alike tasks. */
    const uint32_t *queue;
    const int64_t *amount;       /* of ONE task */
    const uint32_t *count;       /* tasks in the row; NULL: 1 each */
    const int64_t *cost;         /* of one task; NULL: 1 each */
    const sked_rank_input *rank; /* which goes first; NULL: by row */
    const uint32_t *node;        /* needed by request on nodes */
    const uint32_t *job;         /* needed by job_budget */
    const uint32_t *user;        /* needed by _BY_USER and user_budget */
    const int32_t *priority;     /* for _BY_PRIORITY; NULL: 0 each */
    const uint32_t *gang;        /* rows with one number, not 0, are a gang;
                                    they agree in queue, user, job, priority
                                    and in being marked; NULL: none */
    const uint8_t *state;        /* enum sked_preempt_candidate, or 0; NULL: 0
                                    each */

    /* Requests: rows of alike tasks, in the order in which they are served. */
    const uint32_t *request_queue;
    const int64_t *request_amount;   /* of ONE task */
    const uint32_t *request_count;   /* NULL: 1 each */
    const uint32_t *request_user;    /* needed by _BY_USER */
    const int32_t *request_priority; /* NULL: 0 each */
    const uint32_t *place_offset;    /* n_requests + 1 offsets into `place`; a
                                        request without places, and all where
                                        this is NULL, take any node */
    const uint32_t *place;           /* nodes, the preferred one first */

    /* Nodes: what is free, a row each (without nodes: one row). */
    const int64_t *free; /* NULL: nothing is free */

    /* Requests again. Above 0: the request is a gang over nodes. All its tasks are
     * placed, at most so many of them on one node, or none is, and no victim
     * is taken for it; it only claims, and takes nothing of its own leaf. 0:
     * task by task, on any number of nodes. NULL: 0 each. */
    const uint32_t *request_per_node; /* needs nodes */
} sked_preempt_input;

/* The steps of search where `work` is 0. */
#define SKED_PREEMPT_WORK UINT64_C(131072)

/* Why a task is a victim. */
enum sked_preempt_reason {
    SKED_PREEMPT_REASON_OVER = 1,    /* its queue has more than its keep */
    SKED_PREEMPT_REASON_USER = 2,    /* it is surplus of its user */
    SKED_PREEMPT_REASON_PRIORITY = 3 /* it has less priority than the request */
};

/* A number that is no row. */
#define SKED_NO_ROW UINT32_MAX

/* Tasks that are to end. Frozen layout. */
typedef struct sked_preempt_victim {
    uint32_t row;     /* of the candidates */
    uint32_t count;   /* tasks of that row */
    uint32_t request; /* row of the request that they end for; SKED_NO_ROW: the
                         need */
    uint32_t reason;  /* enum sked_preempt_reason */
    int64_t cost;     /* of all these tasks; 0 when they were marked */
} sked_preempt_victim;

/* Tasks of a request that are placed on a node: those that fit there once the
 * victims have ended, and those that fit without. Frozen layout. */
typedef struct sked_preempt_placement {
    uint32_t request;
    uint32_t node;  /* 0 without nodes */
    uint32_t count; /* tasks */
    uint32_t claim; /* 1: as a claim; 0: by the rules inside its leaf */
} sked_preempt_placement;

/* How much of what is wanted a plan serves. */
enum sked_preempt_outcome {
    SKED_PREEMPT_OUTCOME_COVERED = 0, /* all: the need is covered, all claims
                                         are served */
    SKED_PREEMPT_OUTCOME_PARTLY = 1,  /* a part, and no plan serves all (by
                                         request: none that has placed the tasks
                                         before as this one has) */
    SKED_PREEMPT_OUTCOME_SEARCHED = 2 /* a part, and the work budget ran out
                                 before it was known whether more is possible */
};

/*
 * A plan. The caller sets struct_size, the arrays (its own) with their
 * capacity, and for sked_preempt_verify() the numbers of rows; the call fills
 * the rest.
 */
typedef struct sked_preempt_result {
    uint32_t struct_size;
    uint32_t outcome;             /* enum sked_preempt_outcome */
    sked_preempt_victim *victims; /* in the order in which they were chosen */
    sked_preempt_placement *placements; /* by request; may be NULL by need */
    int64_t *after;   /* n_queues x kinds: usage once the victims have ended and
                         the placed tasks run; or NULL */
    int64_t *covered; /* one a kind. By need: how much of it the victims cover;
                         by request: what the victims hold. Or NULL */
    uint64_t victims_cap;
    uint64_t placements_cap;
    uint64_t n_victims;    /* the number there are, also when the array is too
                           small */
    uint64_t n_placements; /* likewise */
    uint64_t tasks;        /* tasks of all victims */
    uint64_t served;       /* tasks of all placements */
    uint64_t steps;        /* that the search took */
    int64_t cost;          /* of all victims */
    /* By need, no plan that covers as much costs less than this: `cost` less
     * `bound` is the gap, and 0 proves the least cost. By request it is a sum:
     * for each task, what its victims cost at least after all that was planned
     * before it. Victims that turn out to be needless are taken out only then,
     * so `cost` may be less than `bound`. */
    int64_t bound;
} sked_preempt_result;

/*
 * Chooses victims, by branch and bound. `host` may be NULL; it provides the
 * memory to work in and may stop the call.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column that is needed is missing, a flag, a
 * queue, user, job, node or place that is not there: `err->row`; a gang whose
 * rows do not agree), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount or number out
 * of range, or amounts or costs of candidates that add up to more than
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
 * Checks that a plan follows every rule above, also a plan that a host made,
 * which needs only victims (and placements). The rules are: rows exist, none is
 * taken more often than it has tasks, none is fixed, gangs are whole; each
 * reason holds; budgets and `take` are not exceeded; each request that is named
 * is a claim, or takes from its own leaf by the rules for that (what a leaf
 * protects is compared before and after all that the plan does by priority
 * there, unless it gives by user, too); every placement fits on its node; and no
 * victim is needless (except with SKED_PREEMPT_FLAG_PLAIN).
 *
 * Returns SKED_OK; SKED_ERR_INVALID (`err->message` says which rule, `err->row`
 * the row of the victims, or of the placements where it speaks of a placement,
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
