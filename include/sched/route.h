#ifndef SKED_ROUTE_H
#define SKED_ROUTE_H

/*
 * Routing: the choice of one of several clusters for a job. A job goes once,
 * and does not move later. [LNK-8] [LNK-9] [LNK-10] [MON-15] The smallest use:
 *
 *     sked_route_replace(router, &snapshot, &err);
 *     sked_route_charge(router, &jobs, now, answers, &err);
 *
 * A router decides from a snapshot alone: the capacity of each cluster, and the
 * available part. Two routers with the same snapshot give the same answers, so
 * replicas of a router may come and go. A cluster without a new report keeps
 * the figures of its last report. A cluster is eligible only with a node that
 * can ever hold one instance of the job. Kinds that the job does not ask for
 * are not read. With G the capacities of all clusters added up, a cluster's
 * score is the least, over the kinds that the job asks for, of
 *
 *     absolute        available / G
 *     relative        available / the cluster's own capacity
 *     queue-absolute  available to the job's queue there / G
 *     locality-aware  as absolute, less the cost of missing data:
 *                     locality_weight_ppm times the part of the job's data
 *                     that the cluster lacks
 *
 * The largest score wins, compared exactly; among equal scores the smaller id.
 * Available amounts may be below 0: waiting work counts against a cluster, so
 * full clusters still differ.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_route sked_route;

/* No cluster: ids are not 0. */
#define SKED_ROUTE_NO_CLUSTER ((uint64_t)0)

enum sked_route_policy {
    SKED_ROUTE_POLICY_ABSOLUTE = 0,
    SKED_ROUTE_POLICY_RELATIVE = 1,
    SKED_ROUTE_POLICY_QUEUE_ABSOLUTE = 2,
    SKED_ROUTE_POLICY_LOCALITY = 3
};

/* Options of a router; a field of 0 asks for the default. */
typedef struct sked_route_options {
    uint32_t struct_size;
    uint32_t flags;     /* 0 */
    uint32_t kinds;     /* resource kinds, 1 to SKED_MAX_KINDS; 0: 1 */
    int32_t policy;     /* enum sked_route_policy */
    int64_t max_age_ns; /* ns after which a cluster's figures are stale; 0:
                           never */
    int64_t locality_weight_ppm; /* the loss of a cluster's score, in ppm, if
                                    all of the job's data is missing; up to
                                    10^9; 0: SKED_PPM */
} sked_route_options;

/*
 * Clusters as columns of `n` rows, amounts as rows of `kinds`. Sums of
 * capacity over all clusters are at most SKED_AMOUNT_MAX a kind.
 */
typedef struct sked_route_input {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint64_t queues; /* queues of `in_queue`, up to SKED_MAX_QUEUES; the same in
                        all clusters */
    uint64_t n;
    const uint64_t *id;    /* the host's own, not 0, each once; NULL: row + 1 */
    const sked_time *time; /* when each cluster's figures were read; NULL: 0 */
    const int64_t *capacity;
    const int64_t *available;   /* -SKED_AMOUNT_MAX to the capacity */
    const int64_t *in_queue;    /* n x queues x kinds: the amounts available to
                                   each queue, bounds as above; NULL:
                                   `available` */
    const uint32_t *shape_from; /* n + 1 offsets into `shapes`, from 0 on */
    const int64_t *shapes;      /* the sorts of nodes of each cluster, a row
                                   each; NULL: one node as large as the
                                   cluster */
} sked_route_input;

/* Jobs as columns of `n` rows. */
typedef struct sked_route_jobs {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint64_t n;
    const int64_t *request;   /* n x kinds: of one instance */
    const int64_t *instances; /* how many, 0 or more; NULL: 1 each */
    const uint32_t *queue;    /* below the snapshot's `queues`; NULL: 0 */
    const uint32_t *missing;  /* n x clusters: ppm of the job's data that each
                                 cluster lacks; NULL: 0. Clusters as in the
                                 snapshot, for a handle by ascending id */
} sked_route_jobs;

/* One cluster's score for one job: num / den less cost / 10^12. */
typedef struct sked_route_score {
    int64_t num; /* the available amount of the kind with the least part */
    int64_t den; /* the whole of the part; 1 if the job asks for no kind */
    int64_t cost;
    int32_t kind; /* the kind, the first of equals; -1: the job asks for no
                     kind */
    int32_t reserved;
} sked_route_score;

/* The cluster of a job, with the reason. Frozen layout. */
typedef struct sked_route_answer {
    uint64_t cluster;   /* SKED_ROUTE_NO_CLUSTER: none can ever hold the job */
    uint64_t runner_up; /* SKED_ROUTE_NO_CLUSTER: no other is eligible */
    sked_route_score score;
    sked_route_score runner_score; /* all 0 without a runner-up */
    int64_t age_ns;                /* of the chosen cluster's figures, ns */
    uint32_t eligible;             /* clusters that were compared */
    uint32_t stale; /* of these, with figures older than max_age */
} sked_route_answer;

/*
 * Creates a router without clusters. `host` and `options` may be NULL. On
 * success the caller owns `*router`; on failure `*router` is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_route_new(const sked_route_options *options,
                                    const sked_host *host, sked_route **router,
                                    sked_error *err);

/* Frees the router. NULL is allowed. */
SKED_API void sked_route_free(sked_route *router);

/*
 * Replaces all clusters of the router by the snapshot, and copies the snapshot.
 * Charges are forgotten.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (the row and
 * kind are in `err`), SKED_ERR_EXISTS (an id twice) or SKED_ERR_VERSION. Cost:
 * O(clusters * (queues * kinds + log clusters)).
 */
SKED_TRY sked_status sked_route_replace(sked_route *router,
                                        const sked_route_input *input,
                                        sked_error *err);

/*
 * Takes over the clusters of the snapshot: new clusters, or known clusters with
 * new figures. The other clusters keep theirs, charges and time included. The
 * number of queues must equal the number of the clusters that stay.
 *
 * Returns as sked_route_replace(), or SKED_ERR_STATE (another number of queues
 * than the clusters that stay). Cost: as a replacement of all clusters.
 */
SKED_TRY sked_status sked_route_update(sked_route *router,
                                       const sked_route_input *input,
                                       sked_error *err);

/*
 * Forgets a cluster. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND or
 * SKED_ERR_NOMEM. Cost: that of sked_route_update().
 */
SKED_TRY sked_status sked_route_remove(sked_route *router, uint64_t id,
                                       sked_error *err);

/*
 * Routes each job by the router's figures, as if no other job existed; changes
 * nothing. A job that no cluster can ever hold gets SKED_ROUTE_NO_CLUSTER.
 *
 * Returns SKED_OK, SKED_STALE (every job has its answer, but some answers
 * compared figures older than max_age), SKED_ERR_ARG, SKED_ERR_STATE (no
 * clock), SKED_ERR_RANGE (row in `err`), SKED_ERR_VERSION, SKED_ERR_CANCELLED
 * or the host's own code. Never allocates. Cost: O(clusters * (kinds + shapes
 * of a cluster)) a job.
 */
SKED_TRY sked_status sked_route_decide(const sked_route *router,
                                       const sked_route_jobs *jobs,
                                       sked_time now,
                                       sked_route_answer *answers,
                                       sked_error *err);

/*
 * Routes like sked_route_decide(), job after job: before the next job, the
 * instances of each job are subtracted from the available amounts of the chosen
 * cluster, and of the job's queue there. A burst of jobs therefore does not
 * pile up on one cluster before the next snapshot. On failure nothing is
 * charged.
 *
 * Returns SKED_OK, SKED_STALE, SKED_ERR_ARG, SKED_ERR_STATE (no clock),
 * SKED_ERR_RANGE (also if all these jobs on one cluster could bring its
 * available amounts below -SKED_AMOUNT_MAX), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or the host's own code. Never allocates. Cost: as
 * sked_route_decide().
 */
SKED_TRY sked_status sked_route_charge(sked_route *router,
                                       const sked_route_jobs *jobs,
                                       sked_time now,
                                       sked_route_answer *answers,
                                       sked_error *err);

/*
 * Lists the ids of the known clusters, ascending: at most `cap` are written;
 * `*n` is the full number. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE
 * (`cap` is too small).
 */
SKED_TRY sked_status sked_route_clusters(const sked_route *router,
                                         uint64_t *ids, size_t cap, size_t *n);

/*
 * Reads the available amounts of a cluster, less all charges: one amount a
 * kind. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates.
 */
SKED_TRY sked_status sked_route_available(const sked_route *router, uint64_t id,
                                          int64_t *available);

/* A digest (XXH64) of everything that decides answers: equal for routers that
 * answer alike. */
SKED_API uint64_t sked_route_digest(const sked_route *router);

/*
 * Verifies every invariant: ids ascend, amounts are in their ranges, sums over
 * clusters are right. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_INTERNAL with
 * the broken invariant in `err`. Cost: O(clusters * queues * kinds).
 */
SKED_TRY sked_status sked_route_check(const sked_route *router,
                                      sked_error *err);

/*
 * sked_route_decide() on plain arrays, without a handle: reads the caller's
 * columns as they are. Never allocates.
 *
 * Returns SKED_OK, SKED_STALE, SKED_ERR_ARG, SKED_ERR_STATE (no clock),
 * SKED_ERR_RANGE, SKED_ERR_EXISTS or SKED_ERR_VERSION. Cost: O(clusters *
 * (queues * kinds + clusters)) to check the snapshot, then that of
 * sked_route_decide().
 */
SKED_TRY sked_status sked_route_once(const sked_route_input *input,
                                     const sked_route_jobs *jobs, sked_time now,
                                     const sked_route_options *options,
                                     const sked_host *host,
                                     sked_route_answer *answers,
                                     sked_error *err);

/*
 * Splits a cluster into `parts` (1 to 2^16) so that each part stays near the
 * data [LNK-11]: the machines of every rack are spread evenly over the parts.
 * Two parts never differ by more than one machine of any rack, nor by more than
 * one machine in all. `rack` has any number for each of the `n` machines;
 * `part` gets 0 to parts - 1 for each. `reach` (may be NULL, else one a part)
 * gets how many of the `n` machines stand in a rack where the part has a
 * machine: if data is spread over all machines, reach / n of the data can be
 * read within a rack.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_NOMEM, or
 * SKED_ERR_VERSION because of `host`. Cost: O(n log n + parts).
 */
SKED_TRY sked_status sked_route_stripe(const uint32_t *rack, size_t n,
                                       uint32_t parts, const sked_host *host,
                                       uint32_t *part, uint32_t *reach,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
