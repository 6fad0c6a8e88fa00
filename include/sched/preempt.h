#ifndef SKED_PREEMPT_H
#define SKED_PREEMPT_H

/*
 * Which tasks give way, and for which requests: a plan of preemption from plain
 * arrays. [CAP-3] [CAP-5] [CAP-9] [CAP-11] [CAP-17] [CAP-19] [MON-11] [PEL-12]
 * [PEL-13] [PEL-17] [PEL-20]
 *
 * One problem is one round in one partition. Every leaf queue has, per kind, a
 * usage, a share (how far it may claim) and a keep (what is its own: its share
 * or more, SKED_UNLIMITED where nothing may be taken from it). Two rules, and
 * nothing else, decide who gives and who gets:
 *
 *   claim    A request may have others preempted when, in every kind it asks
 *            for, its queue's usage and one task of it stay within the queue's
 *            share (counting what this plan serves before it).
 *   victim   Of a queue's tasks those are *protected* that fit into its keep
 *            together, in this order: what is fixed or no candidate (what its
 *            usage has beyond the candidates), then by priority, highest first,
 *            then by amounts, the smallest first. Of alike tasks as many are
 *            protected as fit beside those before. The rest is *surplus*: any
 *            task of it may go, and all of it together. Where the keep of a
 *            kind is SKED_UNLIMITED, tasks that hold it are protected beside
 *            the rest: what is kept for others stays theirs.
 *
 * With share <= keep the order of protection makes taking in turns impossible
 * while demand stays the same: count, in that order, how many tasks of each
 * sort are protected. Taking surplus lowers no count; who is served within its
 * share has one more; and placement that goes by the same shares takes none
 * away. sked_preempt_verify() asks the same. No kind is treated apart: one that
 * is plentiful neither protects a task nor is claimed. One thing is the host's:
 * shares that go by demand (usage and pending together), so that they stay when
 * a task is preempted and asked for again.
 *
 * Inside one leaf, once all claims had their turn, a request that is none, or
 * for which no other queue can give way, may have tasks of its own leaf
 * preempted:
 *
 *   SKED_PREEMPT_FLAG_BY_USER
 *       surplus of another user (by the user's usage and keep, as above), while
 *       the request's user stays within the user's share
 *   SKED_PREEMPT_FLAG_BY_PRIORITY
 *       of a lower priority than the request's, surplus of the queue first;
 *       what is protected too, if with the request's task the counts above do
 *       not become less, compared in their order. With _BY_USER set as well,
 *       only of the same user
 *
 * Two ways to say what is wanted:
 *
 *   by need      No requests: `need` is wanted, one amount a kind. Keep is
 *                judged kind by kind: a task may go when, in every kind wanted
 *                that it holds, its queue keeps its keep without it (counting
 *                what this plan takes); in the others the queue may fall below
 *                it. A queue covers of the need what is taken from it, up to
 *                its `take`. If some plan covers the need whole, the plan is
 *                one of least cost; else one of least cost among those that
 *                cover, kind by kind, what the plain walk covers of it.
 *   by request   Requests in the order they are to be served, on nodes: each
 *                task of a claim goes where what is free and the victims on
 *                that node hold it, to the place of least cost given what was
 *                planned before it. What fits without victims costs nothing.
 *                Of kinds of which a queue uses more than its keep nothing is
 *                taken beyond its `take`, except that each queue may give one
 *                task (or gang) that is larger.
 *
 * Plans are minimal: without any one victim (any one gang) less is covered, or
 * a served task no longer fits. They are of least cost as far as the work
 * budget goes; the plan says how much less the least cost could be.
 *
 * A gang (rows with the same number) goes whole or not at all. Tasks already
 * on the way (SKED_PREEMPT_CANDIDATE_MARKED) cost nothing more and use no
 * budget, so they are taken first, and they are left out when they are no
 * longer needed.
 */

#include <sched/rank.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_preempt_flag {
    SKED_PREEMPT_FLAG_BY_USER = 1,
    SKED_PREEMPT_FLAG_BY_PRIORITY = 2,
    /*
     * The plain walk that other systems take: candidates in their order, those
     * that hold none of the kinds wanted are passed over, until enough is
     * covered; by request, the first place of a request where all candidates
     * so walked free enough. Not minimal, and no cost is looked at. Keep is
     * judged kind by kind, also by request: wanted is then what `need` says, or
     * without it what the requests ask for.
     */
    SKED_PREEMPT_FLAG_PLAIN = 4,
    /*
     * Keep is judged kind by kind, as with _PLAIN, and a queue that is above
     * it (in every kind wanted that the victim holds) may fall below it by less
     * than the last victim. Other systems do; it can preempt in turns.
     */
    SKED_PREEMPT_FLAG_OVERSHOOT = 8
};

/* Of candidates. */
enum sked_preempt_candidate {
    SKED_PREEMPT_CANDIDATE_FIXED = 1, /* never a victim */
    SKED_PREEMPT_CANDIDATE_MARKED = 2 /* on the way: told to go, not gone yet */
};

/*
 * A round, as columns. Amounts are counts of a kind's smallest unit, from 0 to
 * SKED_AMOUNT_MAX, row after row with one a kind. Columns that say "NULL: ..."
 * may be left out.
 *
 * Of candidates only what may be taken is read: rows that are fixed, or whose
 * queue gives nothing, need no amounts.
 */
typedef struct sked_preempt_input {
    uint32_t struct_size;
    uint32_t flags;      /* enum sked_preempt_flag */
    uint32_t kinds;      /* 1 to SKED_MAX_KINDS */
    uint32_t n_queues;   /* leaves, up to SKED_MAX_QUEUES */
    uint32_t n_users;    /* rows of users; below 2^31 */
    uint32_t n_jobs;     /* below 2^31 */
    uint32_t n_nodes;    /* below 2^31; 0: one place without a node */
    uint32_t n_requests; /* rows; 0: by need */
    uint32_t n;          /* candidates, rows; below 2^31 */
    uint32_t reserved;   /* 0 */
    uint64_t work;       /* steps of search; 0: SKED_PREEMPT_WORK */

    /* Queues: a row each. */
    const int64_t *usage;
    const int64_t *share;        /* what is claimed; needed by request */
    const int64_t *keep;         /* NULL: `share` */
    const int64_t *take;         /* NULL: down to keep */
    const int64_t *queue_budget; /* NULL: none */

    /* The round: one a kind. */
    const int64_t *need;
    const int64_t *budget; /* of the round, never passed; NULL: none */
    const int64_t *partition_budget; /* of the partition; NULL: none */

    /* Users: a row each; a user of two leaves has two rows. */
    const int64_t *user_usage; /* needed by _BY_USER, with the next two */
    const int64_t *user_share;
    const int64_t *user_keep;   /* NULL: `user_share` */
    const int64_t *user_budget; /* NULL: none */

    /* Jobs: how many tasks each may lose in this round; NULL: any number. */
    const int64_t *job_budget;

    /* Candidates: groups of alike tasks. */
    const uint32_t *queue;
    const int64_t *amount;       /* of ONE task */
    const uint32_t *count;       /* tasks in the row; NULL: 1 each */
    const int64_t *cost;         /* of one task; NULL: 1 each */
    const sked_rank_input *rank; /* who goes first; NULL: by row */
    const uint32_t *node;        /* needed by request on nodes */
    const uint32_t *job;         /* needed by job_budget */
    const uint32_t *user;        /* needed by _BY_USER and user_budget */
    const int32_t *priority;     /* for _BY_PRIORITY; NULL: 0 each */
    const uint32_t *gang;        /* same number, not 0: goes as one; its rows
                                      agree in queue, user, job, priority and
                                      in being marked */
    const uint8_t *state;        /* enum sked_preempt_candidate; NULL: 0
                                      each */

    /* Requests: rows of alike tasks, in the order they are to be served. */
    const uint32_t *request_queue;
    const int64_t *request_amount;   /* of ONE task */
    const uint32_t *request_count;   /* NULL: 1 each */
    const uint32_t *request_user;    /* needed by _BY_USER */
    const int32_t *request_priority; /* NULL: 0 each */
    const uint32_t *place_offset;    /* n_requests + 1: where each one's nodes
                                         stand in `place`; none, or NULL: any
                                         node will do */
    const uint32_t *place;           /* nodes, the preferred one first */

    /* Nodes: what is free, a row each (without nodes: one row). */
    const int64_t *free; /* NULL: nothing is free */
} sked_preempt_input;

#define SKED_PREEMPT_WORK UINT64_C(131072)

/* Why a task is a victim. */
enum sked_preempt_reason {
    SKED_PREEMPT_REASON_OVER = 1,    /* its queue has more than it keeps */
    SKED_PREEMPT_REASON_USER = 2,    /* it is surplus of its user */
    SKED_PREEMPT_REASON_PRIORITY = 3 /* it matters less than the request */
};

#define SKED_NO_ROW UINT32_MAX

/* Tasks that go. Frozen layout. */
typedef struct sked_preempt_victim {
    uint32_t row;     /* of the candidates */
    uint32_t count;   /* tasks of that row */
    uint32_t request; /* what it gives way to; SKED_NO_ROW: the need */
    uint32_t reason;  /* enum sked_preempt_reason */
    int64_t cost;     /* of all of them; 0 when they were marked */
} sked_preempt_victim;

/* Tasks of a request that a node holds once the victims are gone, with those
 * that fit as it is. Frozen layout. */
typedef struct sked_preempt_placement {
    uint32_t request;
    uint32_t node;  /* 0 without nodes */
    uint32_t count; /* tasks that get in */
    uint32_t claim; /* 1: as a claim; 0: by the rules of its leaf */
} sked_preempt_placement;

/* What came of it. */
enum sked_preempt_outcome {
    SKED_PREEMPT_OUTCOME_COVERED = 0, /* the need is covered; all claims are
                                         served */
    SKED_PREEMPT_OUTCOME_PARTLY = 1,  /* not all of it can be */
    SKED_PREEMPT_OUTCOME_SEARCHED = 2 /* not all of it; the work ended before it
                                 was known whether more can be */
};

/*
 * A plan. The caller sets struct_size, the arrays with their capacity, and (for
 * sked_preempt_verify) the numbers of rows; the rest is filled.
 */
typedef struct sked_preempt_result {
    uint32_t struct_size;
    uint32_t outcome;             /* SKED_PREEMPT_OUTCOME_COVERED, _PARTLY,
                                     _SEARCHED */
    sked_preempt_victim *victims; /* in the order in which they were chosen */
    sked_preempt_placement *placements; /* by request; may be NULL by need */
    int64_t *after;   /* n_queues x kinds: usage when victims have gone and
                         placements are taken; or NULL */
    int64_t *covered; /* one a kind, by need: what of it the victims cover; by
                         request: what they hold; or NULL */
    uint32_t victims_cap;
    uint32_t placements_cap;
    uint32_t n_victims; /* what there is, also when `cap` is too small */
    uint32_t n_placements;
    uint64_t tasks;  /* that go */
    uint64_t served; /* tasks of requests that get in */
    uint64_t steps;  /* of search */
    int64_t cost;    /* of all victims */
    int64_t bound;   /* no plan of the kind promised costs less; cost - bound
                        is the gap, 0 when the least cost is proven (by request:
                        each step's least cost, before spare victims are let
                        go) */
} sked_preempt_result;

/*
 * Chooses victims. `host` may be NULL; it provides the memory to work in and
 * may stop the call.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column that is needed is missing, a flag, a
 * queue, user, job, node or place that is not there: `err->row`; a gang whose
 * rows do not agree), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount or number out
 * of range, or amounts or costs of candidates that add up to more than
 * SKED_AMOUNT_MAX: `err` has row and kind; arrays too small: only n_victims and
 * n_placements are written), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of
 * the host's own.
 *
 * Cost: O(candidates + queues kinds), then O(m log m kinds) for the m rows that
 * may be taken, and as many steps as `work` allows; by request also O(places +
 * m) for each task served, at worst.
 */
SKED_TRY sked_status sked_preempt_select(const sked_preempt_input *problem,
                                         const sked_host *host,
                                         sked_preempt_result *plan,
                                         sked_error *err);

/*
 * Does a plan hold to every rule above? Also one that a host made: it needs
 * victims (and placements) only. Rules: rows exist and are not taken twice
 * over, none is fixed, gangs are whole; each reason holds; budgets and `take`
 * are not passed; each request that is named is a claim, or takes from its leaf
 * by the rules of the leaf; every placement fits on its node; and no victim is
 * spare (not asked with SKED_PREEMPT_FLAG_PLAIN).
 *
 * Returns SKED_OK; SKED_ERR_INVALID (`err->message` says which rule, `err->row`
 * the row of the victims, or of the placements where it speaks of a placement,
 * `err->kind` the kind); else as sked_preempt_select(). Cost: as there, without
 * the search.
 */
SKED_TRY sked_status sked_preempt_verify(const sked_preempt_input *problem,
                                         const sked_preempt_result *plan,
                                         const sked_host *host,
                                         sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
