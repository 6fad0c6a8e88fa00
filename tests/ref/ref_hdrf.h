#ifndef REF_HDRF_H
#define REF_HDRF_H

/*
 * Hierarchical DRF from the definition in sched/hdrf.h: the whole tree is
 * computed anew whenever something is asked. The twin of lib/drf/hdrf*.
 */

#include <sched/hdrf.h>

typedef struct ref_hdrf {
    uint32_t n;
    uint32_t kinds;
    uint32_t *parent;
    uint32_t *weight;
    int64_t *usage; /* rows, as all below: only those of leaves count */
    int64_t *demand;
    int64_t *pending;
    unsigned char *said_blocked; /* by the host */
    int64_t capacity[SKED_MAX_KINDS];
    uint32_t said_full;

    /* Computed. */
    uint32_t full;
    uint64_t *x; /* rows */
    uint64_t *share;
    uint64_t *key;
    unsigned char *blocked;
} ref_hdrf;

/* Copies parents and weights (NULL: 1 each); nothing is used or asked. */
ref_hdrf *ref_hdrf_new(const uint32_t *parent, const uint32_t *weight,
                       uint32_t n, uint32_t kinds);
void ref_hdrf_free(ref_hdrf *t);

int ref_hdrf_is_leaf(const ref_hdrf *t, uint32_t node);

/* Fills in what is computed. */
void ref_hdrf_compute(ref_hdrf *t);

/* The leaf that is next, after ref_hdrf_compute(). */
uint32_t ref_hdrf_next(const ref_hdrf *t);

/* Does one more task of the leaf fit into what is free? */
int ref_hdrf_fits(const ref_hdrf *t, uint32_t leaf);

/* The loop of sked_hdrf_run(). */
size_t ref_hdrf_run(ref_hdrf *t, uint32_t *leaf, size_t cap);

#endif
