#ifndef BENCH_YARN_H
#define BENCH_YARN_H

/*
 * What YARN's schedulers do on a node event, written plainly: on every level
 * of the tree sort all children anew, the comparator taking the dominant share
 * of both sides each time it is asked; in the leaf sort the applications, and
 * walk them, whatever partition they ask for, each with its user's limit made
 * anew; book what was found on the whole path; begin again at the root.
 */

#include <stdint.h>

enum { YARN_KINDS = 4, YARN_FAN = 64, YARN_PARTS = 2, YARN_USERS = 4 };

typedef struct yarn_queue {
    double used[YARN_PARTS][YARN_KINDS];
    double weight;
    uint32_t parent;
    uint32_t first, n; /* children, or applications of a leaf */
} yarn_queue;

typedef struct yarn_app {
    double task[YARN_KINDS];
    uint64_t submitted;
    uint32_t partition;
    uint32_t user;
} yarn_app;

/* One task: which application, where. */
typedef struct yarn_start {
    uint32_t app;
    uint32_t node;
} yarn_start;

typedef struct yarn_world {
    yarn_queue *queue; /* the root first, leaves last */
    uint32_t n_queues, first_leaf;
    yarn_app *app;
    uint32_t n_apps;
    double *held;      /* leaf x parts x users x kinds */
    double user_limit; /* part of the leaf that a user may always hold */
    double *free;      /* node x kinds */
    double capacity[YARN_PARTS][YARN_KINDS];
    uint32_t n_nodes;   /* every other one in each partition */
    yarn_start *starts; /* room for them all, or NULL */
    uint64_t started;
} yarn_world;

/* Starts whatever fits on a node, one task after the other. */
void yarn_node_event(yarn_world *w, uint32_t node);

/* Nothing runs; every node has `amounts`. */
void yarn_empty(yarn_world *w, const int64_t *amounts);

#endif
