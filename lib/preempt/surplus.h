#ifndef SKEDI_PREEMPT_SURPLUS_H
#define SKEDI_PREEMPT_SURPLUS_H

#include "preempt/scene.h"

/* Frees the surplus of queues or users. */
void skedi_surplus_free(skedi_surplus *surplus, skedi_mem *mem);

/* The changes of a leaf's tasks, by class of its queue. */
typedef struct skedi_surplus_change {
    const int64_t *taken;  /* lots taken before */
    const int64_t *served; /* tasks placed before; NULL: none */
    const int64_t *picked; /* lots to take */
    const int64_t *added;  /* tasks to add */
} skedi_surplus_change;

/* Compares the tuple of the leaf's protected tasks, in order, before and after
 * the changes. Returns 1 if the tuple does not become smaller. O(log classes)
 * and the number of the leaf's classes. */
int skedi_surplus_protects(const skedi_scene *scene,
                           const skedi_surplus_change *change, uint32_t queue);

#endif
