#ifndef SKED_REPORT_H
#define SKED_REPORT_H

/*
 * What is read of a cluster every day: how much of its capacity is used, in
 * total and by tier, what lies idle for want of another kind, which workflows
 * came or changed, and whether the cluster should grow, shrink or stay. [MON-8]
 *
 * Usage is a sum of amounts times ns over a window, capacity an amount times
 * the length of the window; their ratio is exact, and rounded only to be
 * shown. Capacity of the total is what the cluster has, capacity of a tier what
 * its queues are allocated.
 */

#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A cluster and its queues over a window. Columns have a row for each queue.
 * `used` counts instances by dominant resource, `usage` each kind by itself.
 * What the cluster has of a kind, instances times instance[k], is up to
 * SKED_AMOUNT_MAX. A kind of which an instance has 0 must not be used.
 */
typedef struct sked_report_input {
    uint32_t struct_size;
    uint32_t flags;            /* 0 */
    uint32_t kinds;            /* 1 to SKED_MAX_KINDS */
    uint32_t tiers;            /* 1 to SKED_MAX_TIERS */
    uint32_t queues;           /* up to SKED_MAX_QUEUES */
    int32_t streak;            /* the last report's; 0: there is none */
    int64_t window_ns;         /* ns, 1 to SKED_AMOUNT_MAX */
    int64_t instances;         /* that the cluster has, 1 or more */
    const int64_t *instance;   /* what one has, one amount a kind */
    const uint8_t *tier;       /* by queue, from 1 */
    const int64_t *allocation; /* by queue: instances */
    const sked_wide *used;     /* by queue: instances times ns */
    const sked_wide *usage;    /* queues x kinds: amounts times ns */
    int64_t target_ppm;        /* what should be used; 0: 700,000 */
    int64_t band_ppm;          /* either side of it in which nothing is done;
                                  0: 100,000 */
    int64_t patience;          /* reports in a row before anything is done;
                                  0: 1 */
} sked_report_input;

enum sked_report_action {
    SKED_REPORT_ACTION_KEEP = 0,
    SKED_REPORT_ACTION_GROW = 1,
    SKED_REPORT_ACTION_SHRINK = 2
};

/* Why. */
enum sked_report_reason {
    SKED_REPORT_REASON_WITHIN = 0,  /* within the band: keep */
    SKED_REPORT_REASON_ABOVE = 1,   /* above it */
    SKED_REPORT_REASON_BELOW = 2,   /* below it */
    SKED_REPORT_REASON_WAITING = 3, /* outside, but not for long enough: keep */
    SKED_REPORT_REASON_LEAST = 4    /* below, but one instance less is too few:
                                       keep */
};

/*
 * Where the answer goes. The three tables have tiers + 1 rows, the total first,
 * then tier 1 and so on, of kinds + 1 columns, instances first, then the kinds.
 * Any may be NULL. `stranded` has one amount a kind: what lies idle on average
 * because the dominant kind (the one used most) is what the cluster runs out
 * of: capacity[k] less what is used of it, beyond the part that the dominant
 * kind leaves too, rounded down; SKED_UNLIMITED: too large to say.
 *
 * The cluster should change when the total of instances used leaves the band
 * around the target for `patience` reports in a row, and then goes to the
 * target, not to the band's edge: so it is not turned back the next day.
 * `streak` is what to hand to the next report: reports in a row above the band,
 * or below it as a negative number.
 */
typedef struct sked_report_result {
    uint32_t struct_size;
    int32_t action;      /* SKED_REPORT_ACTION_KEEP, _GROW or _SHRINK */
    int32_t reason;      /* SKED_REPORT_REASON_WITHIN and so on */
    int32_t streak;      /* for the next report */
    int32_t dominant;    /* the kind; -1: nothing is used */
    uint32_t disorder;   /* the first tier whose ratio is above that of the next
                            one in use; 0: head room falls as it should */
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
 * nothing is written. Never allocates. Cost: O(queues kinds). [MON-8]
 */
SKED_TRY sked_status sked_report(const sked_report_input *in,
                                 const sked_host *host,
                                 sked_report_result *result, sked_error *err);

/* ---- Workflows ---- */

/* Workflows as columns, by keys of the host's that differ. */
typedef struct sked_report_compare_input {
    uint32_t struct_size;
    uint32_t n; /* below 2^31 */
    const uint64_t *key;
    const uint8_t *tier;   /* 1 to SKED_MAX_TIERS; NULL: 1 */
    const int64_t *slo_ns; /* ns; NULL: none */
} sked_report_compare_input;

/* How a workflow differs from what was known of it, as bits. */
enum sked_report_flow {
    SKED_REPORT_FLOW_NEW = 1,
    SKED_REPORT_FLOW_RETIERED = 2,
    SKED_REPORT_FLOW_SLO = 4 /* has another SLO */
};

/* A tier's workflows in numbers. Frozen layout. */
typedef struct sked_report_tier {
    uint64_t workflows; /* now */
    uint64_t added;     /* of those: newly seen */
    uint64_t retiered;  /* of those: they were in another tier */
    uint64_t slo;       /* of those: their SLO is another one */
    uint64_t gone;      /* were in this tier, and are no more */
} sked_report_tier;

/*
 * Compares workflows with those of an earlier report (`before` may be NULL:
 * all are new). `change` has an entry for each of now, or is NULL; `tier` has
 * SKED_MAX_TIERS, tier 1 first, or is NULL. `host` may be NULL; it provides the
 * memory to work in, 32 bytes a workflow.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a tier:
 * `err->row`; too many), SKED_ERR_EXISTS (a key stands twice: `err->row` names
 * the second), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's
 * own. On failure nothing is written. Cost: O(n). [MON-8]
 */
SKED_TRY sked_status sked_report_compare(
    const sked_report_compare_input *now,
    const sked_report_compare_input *before, const sked_host *host,
    uint8_t *change, sked_report_tier *tier, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
