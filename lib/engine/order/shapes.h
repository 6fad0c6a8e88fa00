#ifndef SKEDI_ENGINE_ORDER_SHAPES_H
#define SKEDI_ENGINE_ORDER_SHAPES_H

/* Shapes of asks, and the classes that stand for them in partitions. */

#include "engine/order/fits.h"

/* Memory for so many more shapes, and their classes in each partition. 0: no
 * memory. */
int skedi_shape_reserve(sked_engine *e, uint64_t more);

/*
 * The shape of `times` tasks at once, on nodes of a set (SKEDI_NONE: any), made
 * when it is new; memory was reserved. Over several nodes where `gang` says
 * how; else all on one node. Counts one use.
 */
uint32_t skedi_shape_take(sked_engine *e, const int64_t *task, int64_t times,
                          uint32_t set, engine_gang gang);
void skedi_shape_give(sked_engine *e, uint32_t shape);

/* The shape of asks of the shape `plain` that refuse nodes, which have classes
 * apart: `bucket` (from 1) says which. Made when it is new; memory was
 * reserved. Counts one use. */
uint32_t skedi_shape_bucket(sked_engine *e, uint32_t plain, uint32_t bucket);

/* How the gangs of a shape start; all 0: it is no gang over nodes. */
static inline engine_gang skedi_shape_gang(const sked_engine *e, uint32_t shape)
{
    uint32_t fit = shape_at(e, shape)->fit;

    if (fit == SKEDI_NONE) return (engine_gang){0};
    return (engine_gang){fit_at(e, fit)->same, fit_at(e, fit)->per_node};
}

/* How many tasks of a gang over nodes one node takes at most; 0: it is none. */
static inline uint32_t skedi_shape_per_node(const sked_engine *e,
                                            uint32_t shape)
{
    return skedi_shape_gang(e, shape).per_node;
}

/* The least that one node must have: a step, or a task of a gang over nodes. */
static inline const int64_t *skedi_shape_part(const sked_engine *e,
                                              uint32_t shape)
{
    int spread = shape_at(e, shape)->fit != SKEDI_NONE;

    return engine_row_of(e, spread ? &e->shape_task : &e->shape_step, shape);
}

/* The shape by which an ask is classed. */
static inline uint32_t skedi_class_shape(const sked_engine *e,
                                         const engine_ask *ask)
{
    uint32_t shape = extra_of(e, ask)->shape;
    int own = shape != SKEDI_NONE && shape_at(e, shape)->plain == ask->shape;

    return own ? shape : ask->shape;
}

/* One open ask of a shape more in a partition, or one less. */
void skedi_class_take(sked_engine *e, uint32_t partition, uint32_t shape);
void skedi_class_give(engine_partition *part, uint32_t shape);

/* Do amounts fit into others, in the kinds of which they are above 0? */
static inline int skedi_amounts_fit(const sked_engine *e, const int64_t *amount,
                                    const int64_t *within)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (amount[k] > 0 && amount[k] > within[k]) return 0;
    }
    return 1;
}

/* Does a node that has so much free hold a step of a shape, or (of a gang over
 * nodes) a task of it? */
static inline int skedi_step_fits(const sked_engine *e, uint32_t shape,
                                  const int64_t *within)
{
    return skedi_amounts_fit(e, skedi_shape_part(e, shape), within);
}

/* Of the classes in `among`, those of which a step may fit what is free; of a
 * class whose shapes are all listed one does. */
uint64_t skedi_classes_fit(const sked_engine *e, uint32_t partition,
                           uint64_t among, const int64_t *free);

#endif
