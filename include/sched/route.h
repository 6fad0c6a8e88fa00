#ifndef SKED_ROUTE_H
#define SKED_ROUTE_H

/*
 * Routing: which of several clusters a job goes to. A job goes once, and does
 * not move later. [LNK-8] [LNK-9] [LNK-10] [MON-15]
 *
 * A router decides from a snapshot alone: what each cluster has, and what of it
 * is available. Two routers with the same snapshot give the same answers, so
 * replicas of a router may come and go; a cluster that does not report keeps
 * the figures of its last report. Only clusters with a node that can ever hold
 * one instance of the job are eligible. Kinds that the job does not ask for are
 * not read. With G the capacities of all clusters added up, a cluster's score
 * is the least, over the kinds that the job asks for, of
 *
 *     absolute        available / G
 *     relative        available / the cluster's own capacity
 *     queue-absolute  available to the job's queue there / G
 *     locality-aware  as absolute, less the cost of data that is not there:
 *                     locality_weight_ppm times the part of the job's data that
 *                     the cluster lacks
 *
 * The largest score wins, compared exactly; among equals the smaller id. What
 * is available may be below 0: work that waits counts against a cluster, so
 * that full clusters still differ.
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

/* How to route; a field that is 0 asks for the default. */
typedef struct sked_route_options {
    uint32_t struct_size;
    uint32_t flags;     /* 0 */
    uint32_t kinds;     /* resource kinds, 1 to SKED_MAX_KINDS; 0: 1 */
    int32_t policy;     /* enum sked_route_policy */
    int64_t max_age_ns; /* ns after which a cluster's figures are stale; 0:
                           never */
    int64_t locality_weight_ppm; /* what a cluster's score loses, in ppm, when
                                none of the job's data is there; up to 10^9; 0:
                                SKED_PPM */
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
    const int64_t *in_queue;    /* n x queues x kinds: what is available to each
                                 queue, bounds as above; NULL: `available` */
    const uint32_t *shape_from; /* n + 1 offsets into `shapes`, from 0 on */
    const int64_t *shapes;      /* the kinds of nodes each cluster has, a row
                                   each; NULL: one node as large as it is */
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
    int64_t num; /* what is available of the kind with the least part */
    int64_t den; /* what that is a part of; 1 when nothing is asked for */
    int64_t cost;
    int32_t kind; /* that kind, the first of equals; -1: nothing asked for */
    int32_t reserved;
} sked_route_score;

/* Where a job goes, and why. Frozen layout. */
typedef struct sked_route_answer {
    uint64_t cluster;   /* SKED_ROUTE_NO_CLUSTER: none can ever hold it */
    uint64_t runner_up; /* SKED_ROUTE_NO_CLUSTER: no other is eligible */
    sked_route_score score;
    sked_route_score runner_score; /* all 0 without a runner-up */
    int64_t age_ns;                /* of the chosen cluster's figures, ns */
    uint32_t eligible;             /* clusters that were compared */
    uint32_t stale; /* of these, with figures older than max_age */
} sked_route_answer;

/*
 * Creates a router that knows no cluster. `host` and `options` may be NULL. On
 * success the caller owns `*router`; on failure it is NULL.
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
 * Replaces all that the router knows by the snapshot, which is copied. Charges
 * are forgotten.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (the row and
 * kind are in `err`), SKED_ERR_EXISTS (an id twice) or SKED_ERR_VERSION.
 * Cost: O(clusters * (queues * kinds + log clusters)).
 */
SKED_TRY sked_status sked_route_replace(sked_route *router,
                                        const sked_route_input *input,
                                        sked_error *err);

/*
 * Takes over the clusters of the snapshot, which are new ones or known ones
 * with new figures; the others keep what they had, charges and time included.
 * The number of queues must be that of the clusters which stay.
 *
 * Returns what sked_route_replace() returns, or SKED_ERR_STATE (other queues
 * than those of the clusters that stay). Cost: as if all were replaced.
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
 * Routes each job by what the router knows, as if there were no other job;
 * changes nothing. A job that no cluster can ever hold gets
 * SKED_ROUTE_NO_CLUSTER.
 *
 * Returns SKED_OK, SKED_STALE (every job has its answer, but figures older
 * than max_age were compared for some), SKED_ERR_ARG, SKED_ERR_STATE (no
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
 * The same, job after job: the instances of each job are subtracted from what
 * the chosen cluster, and the job's queue there, have available, before the
 * next job is routed. So a burst of jobs does not pile up on one cluster before
 * the next snapshot. On failure nothing is charged.
 *
 * Returns SKED_OK, SKED_STALE, SKED_ERR_ARG, SKED_ERR_STATE (no clock),
 * SKED_ERR_RANGE (also when all these jobs on one cluster could bring what is
 * available there below -SKED_AMOUNT_MAX), SKED_ERR_VERSION, SKED_ERR_CANCELLED
 * or the host's own code. Never allocates. Cost: that of sked_route_decide().
 */
SKED_TRY sked_status sked_route_charge(sked_route *router,
                                       const sked_route_jobs *jobs,
                                       sked_time now,
                                       sked_route_answer *answers,
                                       sked_error *err);

/*
 * The ids of the clusters known, ascending: at most `cap` are written; `*n` is
 * how many there are. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap`
 * is too small).
 */
SKED_TRY sked_status sked_route_clusters(const sked_route *router,
                                         uint64_t *ids, size_t cap, size_t *n);

/*
 * What a cluster has available, less what was charged: one amount a kind.
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates.
 */
SKED_TRY sked_status sked_route_available(const sked_route *router, uint64_t id,
                                          int64_t *available);

/* A digest (XXH64) of everything that answers follow from: equal for routers
 * that answer alike. */
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
 * one machine in all. `rack` has one number for each of the `n` machines, which
 * may be any; `part` gets 0 to parts - 1 for each. `reach` (may be NULL, else
 * one a part) gets how many of the `n` machines stand in a rack where that part
 * has a machine: if data is spread over all machines, reach / n of it can be
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
