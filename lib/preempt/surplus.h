#ifndef SKEDI_PREEMPT_SURPLUS_H
#define SKEDI_PREEMPT_SURPLUS_H

#include "preempt/scene.h"

/* Finds what is surplus of the queues of all lots, or of their users. 0: no
 * memory; to be freed in any case. */
void skedi_surplus_free(skedi_surplus *surplus, skedi_mem *mem);

/* What changes of the tasks of a leaf, by class of its queue. */
typedef struct skedi_surplus_change {
    const int64_t *taken;  /* lots that were taken before */
    const int64_t *served; /* tasks that were placed before; NULL: none */
    const int64_t *picked; /* lots that go */
    const int64_t *added;  /* tasks that come */
} skedi_surplus_change;

/* Is the tuple of what is protected in a leaf, in its order, not smaller once
 * all of that has changed? O(log classes) and what the leaf has of them. */
int skedi_surplus_protects(const skedi_scene *scene,
                           const skedi_surplus_change *change, uint32_t queue);

#endif
