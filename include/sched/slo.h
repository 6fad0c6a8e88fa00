#ifndef SKED_SLO_H
#define SKED_SLO_H

/*
 * Service level objectives of workflows: how many workflows meet theirs, and
 * what the others lack. [MON-7] The smallest use:
 *
 *     sked_slo_input in = {.struct_size = sizeof in, .workflows = w, .n = n,
 *         .slo_ns = slo, .workflow = workflow, .start = start, .end = end};
 *     sked_slo_count(&in, NULL, &result, &err);
 *
 * A workflow has a runtime service level objective (SLO): the longest that each
 * of its runs should take. A run meets its SLO if end - start <= slo. If Y of a
 * workflow's X runs in a window meet the SLO, the workflow's ratio is Y / X.
 * The workflow is successful if the ratio is at least a threshold: 90 % unless
 * `success_ppm` says otherwise. A tier is measured by the part of its workflows
 * that are successful. Workflows without a run in the window are counted
 * separately.
 *
 * A run belongs to the window of its end, because its result is known only
 * then.
 *
 * The work of a run is an exact sum of used amounts times nanoseconds.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKED_MAX_TIERS = 16 /* tier 1 is the most important */
};

/*
 * Workflows and their runs, as columns, borrowed for the call. A workflow is a
 * number below `workflows`. If `from` and `to` are both 0, every run is in the
 * window.
 */
typedef struct sked_slo_input {
    uint32_t struct_size;
    uint32_t flags;           /* 0 */
    uint64_t workflows;       /* below 2^31 */
    uint64_t n;               /* runs; below 2^31 */
    const int64_t *slo_ns;    /* by workflow: ns, 1 or more */
    const uint8_t *tier;      /* by workflow: 1 to SKED_MAX_TIERS; NULL: 1 */
    const uint32_t *workflow; /* by run */
    const sked_time *start;   /* by run */
    const sked_time *end;     /* by run; not before its start */
    const sked_wide *work;    /* by run; NULL: not known */
    int64_t instance;         /* the amount of one instance, in the unit of
                                 `work`, up to SKED_AMOUNT_MAX; 0: 1 */
    int64_t success_ppm;      /* up to SKED_PPM; 0: 900,000, that is 90 % */
    sked_time from;           /* the window is [from, to) */
    sked_time to;
} sked_slo_input;

/*
 * Jobs of runs, as columns. A run of a workflow is a graph of jobs that run one
 * after the other or at once. A run is a number below `runs`.
 */
typedef struct sked_slo_runs_input {
    uint32_t struct_size;
    uint32_t flags;          /* 0 */
    uint64_t runs;           /* below 2^31 */
    uint64_t n;              /* jobs; below 2^31 */
    const uint32_t *run;     /* by job */
    const sked_time *submit; /* by job */
    const sked_time *end;    /* by job; not before its submission */
    const sked_wide *work;   /* by job; NULL: none */
} sked_slo_runs_input;

/*
 * Computes runs from their jobs: a run lasts from its first submission to its
 * last end, and its work is the sum of its jobs' work. A run without a job gets
 * zeros. `jobs` (may be NULL) gets the number of jobs of each run; `work` may
 * be NULL too. With stages given as runs, the call computes the work and the
 * time of each stage. `host` may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a number outside its range, a
 * job that ends before its submission: `err->row` names the job; work that adds
 * up to more than 128 bits), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of
 * the host's own. On failure nothing is written. Never allocates. Cost: O(runs
 * + jobs). [MON-12]
 */
SKED_TRY sked_status sked_slo_runs(const sked_slo_runs_input *input,
                                   const sked_host *host, sked_time *start,
                                   sked_time *end, sked_wide *work,
                                   uint32_t *jobs, sked_error *err);

/* The state of a workflow in the window. */
enum sked_slo_outcome {
    SKED_SLO_IDLE = 0, /* no run in the window */
    SKED_SLO_FAILED = 1,
    SKED_SLO_SUCCESSFUL = 2
};

/* Counts of a tier. Frozen layout. */
typedef struct sked_slo_tier {
    uint64_t workflows;  /* with a run in the window */
    uint64_t successful; /* part of `workflows` */
    uint64_t idle;       /* workflows without a run in the window */
    uint64_t runs;       /* in the window */
    uint64_t met;        /* part of `runs`: runs that meet their SLO */
} sked_slo_tier;

/* The result. The columns are the caller's; only `runs` and `met` may not be
 * NULL. */
typedef struct sked_slo_result {
    uint32_t struct_size;
    uint32_t flags;      /* 0 */
    uint32_t *runs;      /* by workflow: X */
    uint32_t *met;       /* by workflow: Y */
    uint8_t *outcome;    /* by workflow: enum sked_slo_outcome */
    sked_slo_tier *tier; /* SKED_MAX_TIERS of them, tier 1 first */
} sked_slo_result;

/*
 * Counts runs and workflows that meet their SLO. `host` may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a number outside its range, a
 * run that ends before its start, a workflow that does not exist: `err->row`
 * names the run or the workflow), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a
 * code of the host's own. On failure nothing is written. Never allocates. Cost:
 * O(workflows + runs). [MON-7]
 */
SKED_TRY sked_status sked_slo_count(const sked_slo_input *input,
                                    const sked_host *host,
                                    sked_slo_result *result, sked_error *err);

/*
 * Computes the number of instances with which a run of `work` ends within
 * `slo_ns`: `work` over `instance` * `slo_ns`, rounded up. A run of 1,200
 * instance-hours with an SLO of 12 hours needs 100.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_RANGE (`instance` or `slo_ns`
 * below 1, more than SKED_AMOUNT_MAX instances). Never allocates. Cost: O(1).
 * [MON-7]
 */
SKED_TRY sked_status sked_slo_instances(sked_wide work, int64_t instance,
                                        int64_t slo_ns, int64_t *instances,
                                        sked_error *err);

/*
 * An unsuccessful workflow, and its way to success. Frozen layout.
 *
 * `missing` more of its runs must meet the SLO. A run that missed the SLO held
 * on average work / (instance * duration) instances, rounded down, and needed
 * sked_slo_instances(); the run lacked the difference. `extra` is the least
 * number of instances which, added to each run, gives `missing` of the runs
 * what they lacked.
 */
typedef struct sked_slo_repair {
    uint32_t workflow;
    uint32_t runs;
    uint32_t met;
    uint32_t missing;
    int64_t extra; /* -1: the work is not known */
} sked_slo_repair;

/*
 * Lists the unsuccessful workflows of a tier, cheapest repair first: by the
 * fewest `extra` instances, then by the fewest missing runs, then by number.
 * Each repaired workflow raises the tier's success by the same 1 / workflows.
 * The first k of the list therefore raise the success by k workflows at the
 * least cost.
 *
 * The call writes at most `cap`; `*n` is always the full number. `host` may be
 * NULL and provides the working memory, about 40 bytes for each run that missed
 * its SLO.
 *
 * Returns as sked_slo_count(), and SKED_ERR_ARG (no such tier), SKED_ERR_NOMEM
 * or SKED_ERR_RANGE (a run that needs more than SKED_AMOUNT_MAX instances:
 * `err->row`). A `cap` that is too small is no error: `cap` is the k above.
 * Cost: O(workflows + runs + missed log missed). [MON-7]
 */
SKED_TRY sked_status sked_slo_repairs(const sked_slo_input *input,
                                      uint32_t tier, const sked_host *host,
                                      sked_slo_repair *repairs, size_t cap,
                                      size_t *n, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
