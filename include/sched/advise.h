#ifndef SKED_ADVISE_H
#define SKED_ADVISE_H

/*
 * Capacity planning as one object: from the history of jobs to a fitting tree
 * of queues, proved by simulation. [MON-3] [MON-4] [MON-5] [MON-6] [MON-7]
 * [MON-11]
 *
 *     sked_advice_new(tree, &input, ...);  weights, guarantees, numbers of
 *                                          applications, preemption per tier
 *     sked_advice_diff(advice);            the changes
 *     sked_advice_leaf(advice, i, ...);    the numbers behind them
 *     sked_advice_prove(advice, ...);      the same weeks under both trees
 *     sked_advice_apply(advice, tree);     all of it, in one commit
 *
 * <sched/history.h>, <sched/tiers.h>, <sched/plan.h>, <sched/slo.h> and
 * <sched/sim.h> compute the same step by step.
 */

#include <sched/history.h>
#include <sched/plan.h>
#include <sched/sim.h>
#include <sched/tiers.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_advice sked_advice;

enum sked_advice_flag {
    /* If no thresholds keep both orders of the tiers, every tier gets its upper
     * bound. The outcome still says that the orders do not hold. */
    SKED_ADVICE_FLAG_ANYWAY = 1
};

/*
 * The input of advice. Jobs have the texts of their fields, their tier, and the
 * time of their run; jobs in the window [from, to) count. All borrowed for the
 * call.
 */
typedef struct sked_advice_input {
    uint32_t struct_size;
    uint32_t flags;             /* 0 */
    uint32_t kinds;             /* as many as the tree has */
    uint32_t guaranteed_tiers;  /* leaves of tiers 1 to this are guaranteed
                                   their allocation, and other leaves nothing;
                                   0: guarantees stay */
    const sked_plan_jobs *jobs; /* `start` and `end` are needed */
    const int64_t *amounts;     /* jobs x kinds: held from start to end */
    const int64_t *instance;    /* one amount a kind */
    int64_t instances;          /* instances of the cluster */
    int64_t step_ppm;           /* of thresholds; 0: 10,000, that is 1 % */
    const int64_t *low_ppm;     /* by tier: bounds of thresholds; NULL: 50 % */
    const int64_t *high_ppm;    /* NULL: 100 % */
    int64_t dead_band_ppm;      /* as in sked_plan_input */
    int64_t running_part_ppm;   /* as in sked_plan_running_input */
    int64_t head_room_ppm;
    sked_queue_id below; /* only queues below it change; SKED_NO_QUEUE: root */
    const char *other;   /* the name of a child of `below`: a leaf for jobs
                            without a known leaf, added with weight 1 if
                            missing, and never removed. NULL: "other" */
    const uint8_t *used; /* as in sked_plan_input */
    const sked_ledger *ledger; /* likewise */
} sked_advice_input;

/*
 * Makes advice. `host` may be NULL and is copied. The caller owns `*advice`; on
 * failure `*advice` is NULL. The advice keeps no reference to its inputs.
 *
 * If no thresholds can be chosen (outcome SKED_TIERS_THRESHOLDS or _RATIOS),
 * the advice changes nothing, except with SKED_ADVICE_FLAG_ANYWAY. With
 * SKED_TIERS_TOTAL weights are the weights of the smallest plan. Guarantees
 * change only with SKED_TIERS_OK.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_NOT_FOUND,
 * SKED_ERR_RANGE, SKED_ERR_STALE, SKED_ERR_STATE, SKED_ERR_VERSION,
 * SKED_ERR_SCHEMA, SKED_ERR_EXISTS, SKED_ERR_INVALID, SKED_ERR_CANCELLED or a
 * code of the host's own, as sked_plan_leaves(), sked_history_add(),
 * sked_tiers_plan(), sked_plan_running() and sked_plan_new(). Cost: the sum of
 * these calls.
 */
SKED_TRY sked_status sked_advice_new(const sked_tree *tree,
                                     const sked_advice_input *input,
                                     const sked_host *host,
                                     sked_advice **advice, sked_error *err);

/* Frees the advice. NULL is allowed. */
SKED_API void sked_advice_free(sked_advice *advice);

/* The advice as a whole. The record may grow at its end. */
typedef struct sked_advice_result {
    uint32_t struct_size;
    int32_t outcome; /* enum sked_tiers_outcome */
    uint32_t tier;   /* the tier without a threshold, from 1; 0: every tier has
                        a threshold */
    uint32_t reserved;
    uint64_t tiers;    /* of `threshold_ppm` and `allocation` */
    uint64_t leaves;   /* for sked_advice_leaf() */
    uint64_t changes;  /* of sked_advice_diff() */
    uint64_t held;     /* queues with a change within the dead band, which is
                          not made */
    int64_t allocated; /* instances, over all tiers */
    int64_t smallest;  /* the smallest total of any plan; -1: none */
    int64_t threshold_ppm[SKED_MAX_TIERS];
    int64_t allocation[SKED_MAX_TIERS];
} sked_advice_result;

/* Reads the result. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_advice_get_result(const sked_advice *advice,
                                            sked_advice_result *sum);

/* The numbers behind one leaf. The record may grow at its end. */
typedef struct sked_advice_finding {
    uint32_t struct_size;
    uint32_t tier;       /* from 1 */
    sked_queue_id queue; /* in sked_advice_tree() */
    int64_t threshold_ppm;
    int64_t max_running;
    sked_pctl_point point; /* its amount is the allocation, in instances */
    sked_pctl_queue total;
} sked_advice_finding;

/*
 * Reads the i-th leaf, in the order of sked_plan_leaves(). Returns SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_RANGE (no i-th leaf, or no thresholds could be chosen)
 * or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_advice_leaf(const sked_advice *advice, size_t i,
                                      sked_advice_finding *leaf);

/* The tree as the advice would make it, committed; borrowed. */
SKED_API const sked_tree *sked_advice_tree(const sked_advice *advice);

/* The changes from the tree in force to the advised tree; borrowed. */
SKED_API const sked_diff *sked_advice_diff(const sked_advice *advice);

/* The plan with its reasons, without guarantees; borrowed. NULL if no
 * thresholds could be chosen. */
SKED_API const sked_plan *sked_advice_plan(const sked_advice *advice);

/*
 * Applies the advice to the draft of `tree` and commits it: all of it or
 * nothing. The draft must have no other edits. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_INVALID, or as sked_diff_apply().
 */
SKED_TRY sked_status sked_advice_apply(const sked_advice *advice,
                                       sked_tree *tree,
                                       const sked_ledger *ledger,
                                       sked_error *err);

/* The work that proves the advice, for example some weeks; borrowed for the
 * call. */
typedef struct sked_advice_prove_input {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint64_t workflows;
    const sked_sim_jobs *jobs;   /* queues are those of the tree in force */
    const sked_plan_jobs *names; /* row by row, the names in the jobs; its
                                    window is not read */
    const sked_sim_nodes *nodes;
    uint64_t n_nodes;
    const sked_sim_options *options;  /* one copy of each job; NULL: defaults */
    const uint32_t *workflow;         /* by job */
    const uint8_t *tier;              /* by workflow, from 1 */
    const int64_t *slo_ns;            /* by job: ns from submission to its
                                         last task's end; 1 or more */
    int64_t success_ppm;              /* as in sked_slo_input */
    const int32_t *attribute_offsets; /* of nodes, as in sked_sim_input */
    const sked_rule_attribute *attributes;
} sked_advice_prove_input;

/* The result of a replay under one tree. Frozen layout. */
typedef struct sked_advice_side {
    uint64_t digest;
    uint64_t jobs;
    uint64_t unfinished; /* jobs that were rejected or had not ended at the stop
                            of the replay: they meet no SLO */
    sked_time end;       /* of the last task */
    sked_slo_tier tier[SKED_MAX_TIERS];   /* [MON-7] */
    sked_sim_delay delay[SKED_MAX_TIERS]; /* by the tier of their workflow */
} sked_advice_side;

/*
 * Replays the work under the tree in force, `side[0]`, and under the advice,
 * `side[1]`. Jobs without a leaf in the advice run in its `other` leaf.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_STALE, SKED_ERR_STATE (a queue named by jobs is no leaf, and no
 * `other` exists), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's
 * own, as sked_sim_new(), sked_sim_run(), sked_slo_count() and
 * sked_plan_leaves().
 */
SKED_TRY sked_status sked_advice_prove(const sked_advice *advice,
                                       const sked_tree *tree,
                                       const sked_advice_prove_input *input,
                                       sked_advice_side side[2],
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
