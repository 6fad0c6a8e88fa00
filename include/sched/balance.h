#ifndef SKED_BALANCE_H
#define SKED_BALANCE_H

/*
 * Moves of workflows between clusters that are meant to last: to balance
 * clusters, to split one into parts with other instance types, to leave a zone
 * that is lost. [MON-9] [MON-15]
 *
 * A workflow's usage is a curve: time is cut into buckets, the same for all,
 * and there is one amount a kind for each bucket. A cluster's utilisation in a
 * bucket is the largest over kinds of usage over capacity, in billionths,
 * rounded up. Its utilisation over all buckets is a percentile: the smallest
 * value that occurs such that buckets with no more add up to at least
 * `percentile_ppm` of the window, idle time included (SKED_PPM: the peak). It
 * is at most SKED_BALANCE_MOST.
 *
 * The objective, which is to be minimised, has two parts, of which the first
 * decides: the excess, which is the sum of what clusters have above the
 * ceiling; then the sum of all utilisations and of the costs of all workflows
 * where they are.
 *
 * To find the minimum is NP-hard. The search is a local one: single moves, then
 * exchanges of two workflows, until none helps. The answer has a lower bound,
 * so that the caller knows how far from the minimum it can be at most. It
 * follows from this: if each of C clusters is within its percentile for a part
 * p of the time, all of them are for at least 1 - C * (1 - p) of it; and then
 * all that the workflows use of one kind must be in some cluster, at best where
 * it is the smallest part of the capacity.
 */

#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One whole cluster, as utilisation or as cost; and the largest utilisation. */
#define SKED_BALANCE_WHOLE INT64_C(1000000000)
#define SKED_BALANCE_MOST INT64_C(1000000000000000)

/* The cluster of a workflow that fits into none. */
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
    const int64_t *instance; /* clusters x kinds: of one instance, to count
                                allocations in; NULL: they stay 0 */
    const uint32_t *zone;    /* of clusters; NULL: 0 each */
    const int64_t *fixed;    /* clusters x buckets x kinds: what does not move;
                                NULL: nothing */
    const int64_t *usage;    /* workflows x buckets x kinds */
    const uint32_t *tier;    /* 1 to SKED_MAX_TIERS; NULL: 1 each */
    const uint32_t *home;    /* cluster of each workflow */
    const uint8_t *allowed;  /* workflows x clusters, not 0: may move there;
                                home always may. NULL: all */
    const int64_t *cost;     /* workflows x clusters: of being there, 0 to
                                10^12; NULL: 0 */
} sked_balance_input;

/* The objective. */
typedef struct sked_balance_objective {
    int64_t excess;
    int64_t sum;
} sked_balance_objective;

/* The answer. The caller sets struct_size and the columns, which it owns. */
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
    uint32_t *cluster;            /* by workflow: the cluster it should be in */
    int64_t *utilisation;         /* by cluster, after all moves; may be NULL */
} sked_balance_result;

/*
 * One move. Moves stand in the order in which each gains most of those that are
 * left. The first of the two moves of an exchange may gain nothing by itself,
 * so a gain may be below 0; all gains add up to that of the list. Frozen
 * layout.
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
 * Balances clusters: `result` says in which cluster each workflow should be,
 * and `moves` (may be NULL) by which moves; at most `cap` are written, and
 * result->moves is how many there are.
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
 * `instance` is the instance type of each part, and `capacity` what the cluster
 * that is split has, once for each part. The objective is the capacity that
 * instances in use take: for each part, averaged over the window, the instances
 * in use (the largest over kinds of usage over instance) times an instance's
 * part of the capacity, added up over kinds. What is used of it is the same
 * wherever it is, so the least of it strands least. The excess is 0, and the
 * bound is one of the sum. `home` is the part that each workflow starts in; if
 * all start in one part, `before` is the cluster as it is.
 *
 * `instances` (one a part, may be NULL) gets the percentile allocation of each
 * part. `stranded` (parts x kinds, may be NULL) gets the amounts stranded on
 * average, which the instances in use have and no workflow uses.
 *
 * Returns what sked_balance() returns; SKED_ERR_ARG without `instance`.
 */
SKED_TRY sked_status sked_balance_split(const sked_balance_input *input,
                                        const sked_host *host,
                                        sked_balance_result *result,
                                        int64_t *instances, int64_t *stranded,
                                        sked_error *err);

/* One tier's workflows of a lost zone. Frozen layout. */
typedef struct sked_balance_evacuation {
    uint32_t asked;  /* workflows of the tier with their home in the zone */
    uint32_t placed; /* of these: placed in other zones */
    uint32_t most;   /* no more than these could be placed, were there no other
                        tier */
    uint32_t reserved;
} sked_balance_evacuation;

/*
 * Plans for the loss of a zone: the workflows with their home there are placed
 * into clusters of other zones, tier after tier, and in a tier large ones
 * first, each where the objective grows least, so that no cluster goes above
 * the ceiling. A workflow that fits into no cluster takes the place of another
 * of its tier, if that one can go elsewhere. `cluster` (one a workflow) gets
 * the cluster where each should be: its home for workflows of other zones, and
 * SKED_BALANCE_NOWHERE for those that do not fit. `tiers` has SKED_MAX_TIERS
 * entries.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (as
 * sked_balance()), SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own
 * code. On failure nothing is written.
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
