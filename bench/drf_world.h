#ifndef BENCH_DRF_WORLD_H
#define BENCH_DRF_WORLD_H

#include <sched/sked.h>

#include "bench.h"

enum { KINDS = 4 };

/* Clients and nodes as in a mixed cluster, and the reference's own books. */
typedef struct drf_world {
    uint32_t n;
    sked_drf *drf;
    sked_drf_input rows;
    int64_t capacity[KINDS];
    int64_t *usage; /* n rows */
    int64_t *demand;
    int64_t *most;
    uint32_t *weight;
    uint64_t *key;
    uint32_t *order;  /* ours */
    uint32_t *theirs; /* the reference's */
    double *share;
    int64_t *tasks;
    uint32_t *which; /* clients in random order */
    size_t steps;
    uint64_t seen; /* digest of our decisions */
    uint64_t seen_theirs;

    /* nodes, column by column */
    size_t nodes;
    int64_t *left[KINDS];
    int64_t *full[KINDS];
    size_t at;
} drf_world;

void drf_must(sked_status rc); /* ends the program if it is not SKED_OK */

/* Queues and nodes as in a mixed cluster: 48 cores, 512 GB, some with GPUs. */
void drf_clients(drf_world *w, size_t n);
void drf_nodes(drf_world *w, size_t nodes);
void drf_handle(drf_world *w, const int64_t *usage);
void drf_drop(drf_world *w);

/* The reference: shares in doubles, and everything sorted by `drf_sort_by`. */
extern const double *drf_sort_by;
double drf_share(const drf_world *w, const int64_t *usage, uint32_t i);
int drf_by_share(const void *a, const void *b);
void drf_sort(drf_world *w);

#endif
