#ifndef SKED_BALANCE_H
#define SKED_BALANCE_H

/*
 * Moving workflows between clusters for good: to balance them, to split one
 * into two of other instance types, to leave a zone that is lost. [MON-9]
 * [MON-15]
 *
 * What a workflow uses is a curve: one amount a kind for each of some buckets
 * of time, the same buckets for all. A cluster's utilisation in a bucket is the
 * largest over kinds of usage over capacity, in billionths, rounded up; over
 * all buckets it is the smallest value that occurs such that buckets with no
 * more add up to at least `percentile_ppm` of the window, idle time included
 * (SKED_PPM: the peak). It is at most SKED_BALANCE_MOST.
 *
 * The objective has two parts, less is better, the first decides: the excess,
 * what clusters have above the ceiling, added up; then the sum of all
 * utilisations and of what it costs that workflows are where they are.
 *
 * Finding the best is a hard problem; the search is a local one: single moves,
 * then exchanges of two workflows, until none helps. A lower bound comes along,
 * so that the caller knows how far from the best the answer can be at most:
 * with C clusters that keep to their percentile p of the time, all of them do
 * for 1 - C * (1 - p) of it, and then whatever the workflows want of one kind
 * must be somewhere, at best where it weighs least.
 */

#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One whole cluster, in utilisations and costs; and the most they can say. */
#define SKED_BALANCE_WHOLE INT64_C(1000000000)
#define SKED_BALANCE_MOST INT64_C(1000000000000000)

/* Of a workflow that fits into no cluster. */
#define SKED_BALANCE_NOWHERE UINT32_MAX

enum { SKED_MAX_CLUSTERS = 1024 };

/*
 * Clusters and workflows as columns, curves as rows of buckets, each a row of
 * kinds. All usage of a kind in a bucket adds up to SKED_AMOUNT_MAX at most.
 */
typedef struct sked_balance_input {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    uint32_t kinds;         /* 1 to SKED_MAX_KINDS; 0: 1 */
    uint32_t buckets;       /* 1 to 2^20; 0: 1 */
    uint32_t clusters;      /* 1 to SKED_MAX_CLUSTERS */
    uint32_t workflows;     /* up to 2^20 */
    int64_t percentile_ppm; /* 1 to SKED_PPM; 0: SKED_PPM */
    int64_t ceiling_ppm;    /* of a cluster, 1 to 10^9; 0: SKED_PPM */
    uint64_t max_tries;     /* moves and exchanges looked at; 0: 10^6 */
    uint32_t max_moves;     /* workflows that may leave home; 0: no bound */
    uint32_t reserved;
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

/* What came of it. The caller sets struct_size and the columns. */
typedef struct sked_balance_result {
    uint32_t struct_size;
    uint32_t moves;    /* workflows that leave home */
    uint32_t complete; /* 1: no move or exchange helps; 0: out of tries */
    uint32_t reserved;
    uint64_t tries;
    sked_balance_objective before;
    sked_balance_objective after;
    sked_balance_objective bound; /* nothing is below, in either part */
    uint32_t *cluster;            /* by workflow: where it is to be */
    int64_t *utilisation;         /* by cluster, after all moves; may be NULL */
} sked_balance_result;

/*
 * One move, in the order in which each gains most of those that are left. Of
 * two that are an exchange the first may gain nothing by itself: gains may be
 * below zero, and add up to what the list gains. Frozen layout.
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
 * Rebalances: `result` says where workflows are to be, `moves` (may be NULL)
 * how to get there; at most `cap` are written, result->moves is how many there
 * are.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out
 * of range, the row of its column in `err`; `cap` is too small),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code. On failure
 * nothing is written. Cost: O(buckets * kinds) a try, and O(workflows *
 * clusters) of them at least.
 */
SKED_TRY sked_status sked_balance(const sked_balance_input *in,
                                  const sked_host *host,
                                  sked_balance_result *result,
                                  sked_balance_move *moves, size_t cap,
                                  sked_error *err);

/*
 * Splits: the clusters are the parts, of which `instance` says what they are
 * made of, and `capacity` what the cluster that is split has, once for each
 * part. The objective is the capacity that is stranded: for each part,
 * averaged over the window, the instances in use (the largest over kinds of
 * usage over instance) times an instance's part of the capacity, added up over
 * kinds, less what is used; excess is 0, and the bound is that of the sum.
 * `home` says where a workflow is put to begin with (all in one part: as it
 * is).
 *
 * `instances` (one a part, may be NULL) gets the percentile allocation of each
 * part, `stranded` (parts x kinds, may be NULL) the amounts stranded on
 * average: what the instances in use have and no workflow uses.
 *
 * Returns what sked_balance() returns; SKED_ERR_ARG without `instance`.
 */
SKED_TRY sked_status sked_balance_split(const sked_balance_input *in,
                                        const sked_host *host,
                                        sked_balance_result *result,
                                        int64_t *instances, int64_t *stranded,
                                        sked_error *err);

/* What became of one tier when its zone was lost. Frozen layout. */
typedef struct sked_balance_evacuation {
    uint32_t asked;  /* workflows of the tier with their home in the zone */
    uint32_t placed; /* of these */
    uint32_t most;   /* that could be placed if this tier were all there is */
    uint32_t reserved;
} sked_balance_evacuation;

/*
 * Loses a zone: workflows at home there are placed into the clusters of other
 * zones, tier after tier, so that no cluster passes the ceiling; large ones
 * first, each where the objective grows least. One that fits nowhere takes the
 * place of one of its own tier that can go elsewhere. `cluster` (one a
 * workflow) gets where each is to be, home for those of other zones,
 * SKED_BALANCE_NOWHERE for those that do not fit; `tiers` has SKED_MAX_TIERS
 * entries.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (as
 * sked_balance()), SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own
 * code. On failure nothing is written.
 */
SKED_TRY sked_status sked_balance_evacuate(const sked_balance_input *in,
                                           uint32_t zone, const sked_host *host,
                                           uint32_t *cluster,
                                           sked_balance_evacuation *tiers,
                                           sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
