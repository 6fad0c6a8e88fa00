#ifndef SKED_BALANCE_H
#define SKED_BALANCE_H

/*
 * Lasting moves of workflows between clusters: to balance clusters, to split a
 * cluster into parts with other instance types, to leave a lost zone. [MON-9]
 * [MON-15] The smallest use:
 *
 *     sked_balance_input in = {.struct_size = sizeof in, .clusters = c,
 *         .workflows = w, .capacity = capacity, .usage = usage,
 *         .home = home};
 *     sked_balance(&in, NULL, &result, moves, cap, &err);
 *
 * A workflow's usage is a curve: time is cut into common buckets, with one
 * amount a kind for each bucket. A cluster's utilisation in a bucket is the
 * largest over kinds of usage over capacity, in billionths, rounded up. A
 * cluster's utilisation over all buckets is a percentile: the smallest
 * occurring value for which the buckets at or below the value add up to at
 * least `percentile_ppm` of the window, idle time included (SKED_PPM: the
 * peak). The percentile is at most SKED_BALANCE_MOST.
 *
 * The objective is minimised and has two parts; the first decides: the excess,
 * which is the sum of the clusters' utilisation above the ceiling; then the sum
 * of all utilisations and of the costs of all workflows at their clusters.
 *
 * The minimum is NP-hard. The search is local: single moves, then exchanges of
 * two workflows, until none helps. The answer has a lower bound, which says how
 * far from the minimum the answer can be at most. The bound follows from this
 * argument: if each of C clusters is within its percentile for a part p of the
 * time, all are within theirs for at least 1 - C * (1 - p) of the time. In this
 * time the total usage of a kind must be in some cluster, at best in the
 * cluster where it is the smallest part of the capacity.
 */

#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One whole cluster, as utilisation or as cost; and the largest utilisation. */
#define SKED_BALANCE_WHOLE INT64_C(1000000000)
#define SKED_BALANCE_MOST INT64_C(1000000000000000)

/* The cluster of a workflow without a fitting cluster. */
#define SKED_BALANCE_NOWHERE UINT32_MAX

enum { SKED_MAX_CLUSTERS = 1024 };

/*
 * Clusters and workflows as columns, borrowed for the call. A curve is a row of
 * buckets, and each bucket has one amount a kind. All usage of a kind in a
 * bucket adds up to SKED_AMOUNT_MAX at most.
 */
typedef struct sked_balance_input {
    uint32_t struct_size;
    uint32_t flags;          /* 0 */
    uint32_t kinds;          /* 1 to SKED_MAX_KINDS; 0: 1 */
    uint32_t max_moves;      /* workflows that may leave home; 0: no bound */
    uint64_t buckets;        /* 1 to 2^20; 0: 1 */
    uint64_t clusters;       /* 1 to SKED_MAX_CLUSTERS */
    uint64_t workflows;      /* up to 2^20 */
    int64_t percentile_ppm;  /* 1 to SKED_PPM; 0: SKED_PPM */
    int64_t ceiling_ppm;     /* of a cluster, 1 to 10^9; 0: SKED_PPM */
    uint64_t max_tries;      /* moves and exchanges looked at; 0: 10^6 */
    const int64_t *length;   /* of buckets, above 0; NULL: 1 each */
    const int64_t *capacity; /* clusters x kinds */
    const int64_t *instance; /* clusters x kinds: of one instance, the unit of
                                allocations; NULL: allocations stay 0 */
    const uint32_t *zone;    /* of clusters; NULL: 0 each */
    const int64_t *fixed;    /* clusters x buckets x kinds: usage that does not
                                move; NULL: nothing */
    const int64_t *usage;    /* workflows x buckets x kinds */
    const uint32_t *tier;    /* 1 to SKED_MAX_TIERS; NULL: 1 each */
    const uint32_t *home;    /* cluster of each workflow */
    const uint8_t *allowed;  /* workflows x clusters, not 0: may move there;
                                home always may. NULL: all */
    const int64_t *cost;     /* workflows x clusters: of this cluster, 0 to
                                10^12; NULL: 0 */
} sked_balance_input;

/* The objective. */
typedef struct sked_balance_objective {
    int64_t excess;
    int64_t sum;
} sked_balance_objective;

/* The answer. The caller sets struct_size and the caller's own columns. */
typedef struct sked_balance_result {
    uint32_t struct_size;
    uint32_t moves;    /* workflows that leave home */
    uint32_t complete; /* 1: no move or exchange helps; 0: `max_tries` ended
                          the search */
    uint32_t reserved;
    uint64_t tries;
    sked_balance_objective before;
    sked_balance_objective after;
    sked_balance_objective bound; /* no answer is below, in either part */
    uint32_t *cluster;            /* by workflow: its best cluster */
    int64_t *utilisation;         /* by cluster, after all moves; may be NULL */
} sked_balance_result;

/*
 * One move. Moves are ordered by gain: each gains most of the moves left. The
 * first move of an exchange may gain nothing alone, so a gain may be below 0.
 * All gains add up to the gain of the list. Frozen layout.
 */
typedef struct sked_balance_move {
    uint32_t workflow;
    uint32_t from;
    uint32_t to;
    uint32_t reserved;
    sked_balance_objective gain;
    int64_t from_utilisation; /* of both clusters after this move */
    int64_t to_utilisation;
    int64_t
        from_allocation;   /* instances at the percentile, time in use only, */
    int64_t to_allocation; /* as sked_pctl() counts it */
} sked_balance_move;

/*
 * Balances clusters. `result` says in which cluster each workflow should be,
 * and `moves` (may be NULL) by which moves. At most `cap` are written;
 * result->moves is the full number.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out
 * of range, the row of its column in `err`; `cap` is too small),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code. On failure
 * nothing is written. Cost: O(buckets * kinds) for each try, and at least
 * workflows * clusters tries.
 */
SKED_TRY sked_status sked_balance(const sked_balance_input *input,
                                  const sked_host *host,
                                  sked_balance_result *result,
                                  sked_balance_move *moves, size_t cap,
                                  sked_error *err);

/*
 * Splits a cluster into parts. In the input the clusters are the parts:
 * `instance` is the instance type of each part, and `capacity` the split
 * cluster's capacity, repeated for each part. The objective is the capacity
 * that instances in use take. For each part, averaged over the window, the
 * instances in use (the largest over kinds of usage over instance) are
 * multiplied by an instance's part of the capacity and added up over kinds. The
 * used capacity is equal in every answer, so the least objective strands least.
 * The excess is 0, and the bound is a bound of the sum. `home` is the part in
 * which each workflow starts; if all start in one part, `before` is the cluster
 * as it is.
 *
 * `instances` (one a part, may be NULL) gets the percentile allocation of each
 * part. `stranded` (parts x kinds, may be NULL) gets the amounts stranded on
 * average: amounts of the instances in use that no workflow uses.
 *
 * Returns as sked_balance(); SKED_ERR_ARG without `instance`.
 */
SKED_TRY sked_status sked_balance_split(const sked_balance_input *input,
                                        const sked_host *host,
                                        sked_balance_result *result,
                                        int64_t *instances, int64_t *stranded,
                                        sked_error *err);

/* One tier's workflows of a lost zone. Frozen layout. */
typedef struct sked_balance_evacuation {
    uint32_t asked;  /* workflows of the tier with their home in the zone */
    uint32_t placed; /* of these workflows: placed in other zones */
    uint32_t most;   /* the most that could be placed if no other tier
                        existed */
    uint32_t reserved;
} sked_balance_evacuation;

/*
 * Plans for the loss of a zone. Workflows with their home there are placed into
 * clusters of other zones: tier after tier, large workflows first, each in the
 * cluster where the objective grows least, so that no cluster exceeds the
 * ceiling. A workflow without a fitting cluster takes the place of another
 * workflow of its tier, if the other can go elsewhere. `cluster` (one a
 * workflow) gets the cluster of each workflow: the home for workflows of other
 * zones, and SKED_BALANCE_NOWHERE without a fitting cluster. `tiers` has
 * SKED_MAX_TIERS entries.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (as
 * sked_balance()), SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code.
 * On failure nothing is written.
 */
SKED_TRY sked_status sked_balance_evacuate(const sked_balance_input *input,
                                           uint32_t zone, const sked_host *host,
                                           uint32_t *cluster,
                                           sked_balance_evacuation *tiers,
                                           sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
