#ifndef SKEDI_ROUTE_CLUSTERS_H
#define SKEDI_ROUTE_CLUSTERS_H

/* The input of a decision: clusters as columns, in any memory, and a job. */

#include <sched/route.h>

#include "base/arith.h"
#include "base/hooks.h"

/* The columns of clusters for a decision. */
typedef struct skedi_route_view {
    uint32_t n;
    uint32_t kinds;
    uint32_t queues;
    const uint64_t *id;    /* NULL: row + 1 */
    const sked_time *time; /* NULL: 0 */
    const int64_t *capacity;
    const int64_t *available;
    const int64_t *in_queue;    /* or `available`, with a queue_step of 0 */
    size_t queue_step;          /* from a queue to the next queue, same
                                 * cluster */
    size_t cluster_step;        /* from a cluster to the next, same queue */
    const uint32_t *shape_from; /* NULL: one shape, the capacity */
    const int64_t *shapes;
    int64_t total[SKED_MAX_KINDS];
    double inverse[SKED_MAX_KINDS];   /* of the totals: for guesses only */
    int64_t smallest[SKED_MAX_KINDS]; /* of all capacities */
    sked_route_options opts;
} skedi_route_view;

/* The clusters of a router, by ascending id. */
typedef struct skedi_clusters {
    uint32_t n;
    uint32_t queues; /* 0: queues have what is available */
    uint32_t n_shapes;
    uint32_t shaped; /* 0: every shape is the capacity */
    uint64_t *id;
    sked_time *time;
    int64_t *capacity;
    int64_t *available;
    int64_t *in_queue; /* queue x cluster x kind: a queue lies together */
    uint32_t *shape_from;
    int64_t *shapes;
} skedi_clusters;

struct sked_route {
    skedi_hooks hooks;
    skedi_clusters clusters;
    skedi_route_view view;          /* of the clusters */
    int64_t lowest[SKED_MAX_KINDS]; /* nothing available is below */
};

/* A caller's options, checked. */
sked_status skedi_route_options_in(sked_route_options *to,
                                   const sked_route_options *given,
                                   sked_error *err);

/* Checks a caller's snapshot row by row, except for duplicate ids. */
sked_status skedi_snapshot_in(sked_route_input *to,
                              const sked_route_input *given, uint32_t kinds,
                              sked_error *err);

/* Checks that no id occurs twice. Compares each id with all earlier ids, unless
 * ids ascend; the merge finds duplicates by sorting. */
sked_status skedi_route_ids_once(const sked_route_input *s, sked_error *err);

/* Jobs, checked against the view. */
sked_status skedi_route_jobs_in(sked_route_jobs *to, const skedi_route_view *v,
                                const sked_route_jobs *given, sked_error *err);

/* Adds the capacities up. 0: a sum is more than an amount holds; the kind is
 * in `kind`. */
int skedi_route_totals(skedi_route_view *v, uint32_t *kind);

static inline uint64_t route_id(const skedi_route_view *v, uint32_t row)
{
    return v->id ? v->id[row] : (uint64_t)row + 1;
}

#endif
