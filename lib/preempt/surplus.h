#ifndef SKEDI_PREEMPT_SURPLUS_H
#define SKEDI_PREEMPT_SURPLUS_H

#include "preempt/scene.h"

/* Finds what is surplus of the queues of all lots, or of their users. 0: no
 * memory; to be freed in any case. */
int skedi_surplus_find(skedi_scene *scene, skedi_surplus *to, int users);
void skedi_surplus_free(skedi_surplus *surplus, skedi_mem *mem);

/* So many of each class were taken, and `picked` are to go for one task of a
 * request of their leaf: is the tuple of what is protected there, in its order,
 * not smaller with the task and without them? */
int skedi_surplus_protects(const skedi_scene *scene, const int64_t *taken,
                           const int64_t *picked, uint32_t request);

#endif
