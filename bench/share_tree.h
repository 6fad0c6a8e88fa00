#ifndef BENCH_SHARE_TREE_H
#define BENCH_SHARE_TREE_H

#include <sched/sked.h>

#include "bench.h"

enum { SHARE_TREE_KINDS = 4, SHARE_TREE_FAN_OUT = 100 };

/* A tree of leaves under parents of 100 children each, everybody active, with
 * demands that meet guarantees and levels. */
typedef struct share_tree {
    size_t n; /* rows */
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    sked_share_options options;
    int64_t capacity[SHARE_TREE_KINDS];
    sked_queue_id *ids;
    int32_t *parent;
    int32_t *first_row;
    int32_t *child_count;
    uint32_t *first;
    uint32_t *children;
    double *weight;
    int64_t *demand[SHARE_TREE_KINDS];
    int64_t *guarantee[SHARE_TREE_KINDS];
    double *plain; /* the reference's shares and bounds */
    double *plain_lo;
    double *plain_hi;
    uint64_t random;
} share_tree;

share_tree *share_tree_make(size_t leaves, int32_t model, int32_t rounding);
void share_tree_drop(share_tree *t);

/* Ends the program when a call that must succeed does not. */
void share_tree_must(sked_status rc);

#endif
