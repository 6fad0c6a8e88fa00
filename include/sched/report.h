#ifndef SKED_REPORT_H
#define SKED_REPORT_H

/*
 * The daily report of a cluster: how much of its capacity is used, in total and
 * by tier, what is stranded because another kind ran out, which workflows are
 * new or changed, and whether the cluster should grow, shrink or stay. [MON-8]
 *
 * The smallest use:
 *
 *     sked_report(&input, NULL, &result, &err);
 *
 * Usage is a sum of amounts times ns over a window; capacity is an amount times
 * the length of the window. Their ratio is exact, and rounded only in the
 * result. The capacity of the total is what the cluster has; the capacity of a
 * tier is what its queues are allocated.
 */

#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A cluster and its queues over a window, borrowed for the call. Columns have a
 * row for each queue. `used` counts instances by dominant resource, `usage`
 * each kind by itself. The capacity of a kind, instances * instance[k], is up
 * to SKED_AMOUNT_MAX. A kind of which an instance has 0 must not be used.
 */
typedef struct sked_report_input {
    uint32_t struct_size;
    uint32_t flags;            /* 0 */
    uint32_t kinds;            /* 1 to SKED_MAX_KINDS */
    int32_t streak;            /* from the last report; 0: there is none */
    uint64_t tiers;            /* 1 to SKED_MAX_TIERS */
    uint64_t queues;           /* up to SKED_MAX_QUEUES */
    int64_t window_ns;         /* ns, 1 to SKED_AMOUNT_MAX */
    int64_t instances;         /* that the cluster has, 1 or more */
    const int64_t *instance;   /* what one has, one amount a kind */
    const uint8_t *tier;       /* by queue, from 1 */
    const int64_t *allocation; /* by queue: instances */
    const sked_wide *used;     /* by queue: instances times ns */
    const sked_wide *usage;    /* queues x kinds: amounts times ns */
    int64_t target_ppm;        /* the part of the cluster that should be used;
                                  0: 700,000 */
    int64_t band_ppm;          /* how far the part may be above or below the
                                  target before the cluster changes; 0:
                                  100,000 */
    int64_t patience;          /* reports in a row that must be outside the band
                                  before the cluster changes; 0: 1 */
} sked_report_input;

enum sked_report_action {
    SKED_REPORT_ACTION_KEEP = 0,
    SKED_REPORT_ACTION_GROW = 1,
    SKED_REPORT_ACTION_SHRINK = 2
};

/* Why the cluster should change, or not. */
enum sked_report_reason {
    SKED_REPORT_REASON_WITHIN = 0,  /* usage is within the band: keep */
    SKED_REPORT_REASON_ABOVE = 1,   /* usage is above the band: grow */
    SKED_REPORT_REASON_BELOW = 2,   /* usage is below the band: shrink */
    SKED_REPORT_REASON_WAITING = 3, /* usage is outside the band, but not for
                                       `patience` reports yet: keep */
    SKED_REPORT_REASON_LEAST = 4    /* usage is below the band, but with one
                                       instance less it would be above the
                                       target: keep */
};

/*
 * Where the answer goes. `used`, `capacity` and `ratio_ppm` are tables of tiers
 * + 1 rows (the total first, then tier 1 and so on) and kinds + 1 columns
 * (instances first, then the kinds). Any pointer may be NULL. `stranded` has
 * one amount a kind: what is idle on average only because the dominant kind
 * (the one used most) runs out first. It is the part of the dominant kind that
 * is used, times the capacity of kind k, less what is used of kind k, rounded
 * down; SKED_UNLIMITED: too large to say.
 *
 * The cluster should change when the instances used were outside the band
 * around the target in `patience` reports in a row. The recommended change
 * leads to the target, not to the edge of the band. A change to the edge would
 * be undone the next day. Hand `streak` to the next report: it is the number of
 * reports in a row above the band, or as a negative number those below it.
 */
typedef struct sked_report_result {
    uint32_t struct_size;
    int32_t action;      /* enum sked_report_action */
    int32_t reason;      /* enum sked_report_reason */
    int32_t streak;      /* for the next report */
    int32_t dominant;    /* the kind; -1: nothing is used */
    uint32_t disorder;   /* the first tier whose ratio is above that of the next
                            tier in use; 0: no ratio is, as it should be */
    int64_t by;          /* instances to add or take away; 0: keep */
    int64_t needed;      /* instances for the target, at least 1 */
    sked_wide *used;     /* amounts times ns */
    sked_wide *capacity; /* likewise */
    int64_t *ratio_ppm;  /* to the nearest; -1: no capacity; SKED_UNLIMITED: too
                            large to say */
    int64_t *stranded;   /* by kind */
} sked_report_result;

/*
 * Makes the report. `host` may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a number outside its range,
 * or sums that do not fit: `err->row` names the queue, `err->kind` the kind),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On failure
 * nothing is written. Never allocates. Cost: O(queues * kinds). [MON-8]
 */
SKED_TRY sked_status sked_report(const sked_report_input *input,
                                 const sked_host *host,
                                 sked_report_result *result, sked_error *err);

/* ---- Workflows ---- */

/* Workflows as columns, borrowed for the call. The host gives each a key of its
 * own. */
typedef struct sked_report_compare_input {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint64_t n;        /* below 2^31 */
    const uint64_t *key;
    const uint8_t *tier;   /* 1 to SKED_MAX_TIERS; NULL: 1 */
    const int64_t *slo_ns; /* ns; NULL: none */
} sked_report_compare_input;

/* How a workflow differs from the earlier report, as bits. */
enum sked_report_flow {
    SKED_REPORT_FLOW_NEW = 1,      /* it was not there */
    SKED_REPORT_FLOW_RETIERED = 2, /* it was in another tier */
    SKED_REPORT_FLOW_SLO = 4       /* it had another SLO */
};

/* Counts of a tier's workflows. Frozen layout. */
typedef struct sked_report_tier {
    uint64_t workflows; /* now */
    uint64_t added;     /* of those: new */
    uint64_t retiered;  /* of those: they were in another tier */
    uint64_t slo;       /* of those: they had another SLO */
    uint64_t gone;      /* were in this tier, and do not exist any more */
} sked_report_tier;

/*
 * Compares workflows with those of an earlier report (`before` NULL: all are
 * new). `change` has an entry for each workflow of `input` (bits of enum
 * sked_report_flow), or is NULL; `tier` has SKED_MAX_TIERS, tier 1 first, or is
 * NULL. `host` may be NULL; it provides the memory to work in, 32 bytes a
 * workflow.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a tier:
 * `err->row`; too many), SKED_ERR_EXISTS (a key stands twice: `err->row` names
 * the second), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's
 * own. On failure nothing is written. Cost: O(n). [MON-8]
 */
SKED_TRY sked_status sked_report_compare(
    const sked_report_compare_input *input,
    const sked_report_compare_input *before, const sked_host *host,
    uint8_t *change, sked_report_tier *tier, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
