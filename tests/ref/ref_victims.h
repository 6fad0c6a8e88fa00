#ifndef TEST_REF_VICTIMS_H
#define TEST_REF_VICTIMS_H

/*
 * Slow twin of the choice of victims in one round of an engine, for one task that
 * claims, in a cluster where one queue may lose all it has and the other may have
 * everything. On each node that the claim's rule takes: as long as something is
 * lacking there, the cheapest task goes that holds some of that; then those stay
 * that need not go, the dearest first. Of the nodes the one that costs least.
 */
#include <stddef.h>
#include <stdint.h>

enum { REF_VICTIMS_KINDS = 2, REF_VICTIMS_TASKS = 24 };

typedef struct ref_victims_task {
    uint32_t node;
    int64_t amount[REF_VICTIMS_KINDS];
    int64_t cost; /* what is lost with it; no two on a node cost the same */
    int ends;     /* 1: by itself, before a notice would have run out */
} ref_victims_task;

typedef struct ref_victims_node {
    int64_t size[REF_VICTIMS_KINDS];
    int taken; /* 1: the rule of what claims takes it */
} ref_victims_node;

typedef struct ref_victims {
    const ref_victims_node *node;
    uint32_t nodes;
    const ref_victims_task *task;
    uint32_t tasks;
    int64_t step[REF_VICTIMS_KINDS]; /* what claims takes */
} ref_victims;

/* Does the step fit on a node once the tasks of a set (a bit each), and those
 * that end by themselves, are gone? */
int ref_victims_fits(const ref_victims *w, uint32_t node, uint32_t set);

/* What the victims on one node cost (0: none has to go; -1: the step cannot fit
 * there); and on the node where that is least. */
int64_t ref_victims_cost(const ref_victims *w, uint32_t node);
int64_t ref_victims_least(const ref_victims *w);

#endif
