#ifndef SKEDI_ENGINE_CORE_WEIGHTS_H
#define SKEDI_ENGINE_CORE_WEIGHTS_H

/* Weights of queues that the host says in place of the tree's. */

#include "engine/state.h"

sked_status skedi_queue_weight(sked_engine *e, const sked_event *event,
                               sked_error *err);

/* Has the host said another weight of a queue than the tree? `*tree` is the
 * tree's. */
int skedi_weight_differs(const sked_engine *e, uint32_t row, uint32_t *tree);

/* Takes over what was said of queues of `old` into a new grid, before its keys
 * are made. `row_of`: the rows that they have there; NULL: the same. */
void skedi_weights_carry(sked_engine *e, const sked_engine *old,
                         const uint32_t *row_of);

/* Do weights and their sums follow from the tree and what was said? For tests.
 */
int skedi_weights_are_sound(const sked_engine *e);

#endif
