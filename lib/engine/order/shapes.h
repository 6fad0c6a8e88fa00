#ifndef SKEDI_ENGINE_ORDER_SHAPES_H
#define SKEDI_ENGINE_ORDER_SHAPES_H

/* Shapes of asks, and the classes that stand for them in partitions. */

#include "engine/state.h"

/* Memory for one more shape and its class bytes. 0: no memory. */
int skedi_shape_reserve(sked_engine *e, uint64_t more);

/* The shape of `times` tasks at once, on nodes of a set (SKEDI_NONE: any), made
 * when it is new; memory was reserved. Counts one use. */
uint32_t skedi_shape_take(sked_engine *e, const int64_t *task, int64_t times,
                          uint32_t set);
void skedi_shape_give(sked_engine *e, uint32_t shape);

/* One open ask of a shape more in a partition, or one less. */
void skedi_class_take(sked_engine *e, uint32_t partition, uint32_t shape);
void skedi_class_give(engine_partition *part, uint32_t shape);

#endif
