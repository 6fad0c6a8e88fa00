#ifndef REF_ENGINE_ALONE_H
#define REF_ENGINE_ALONE_H

/* The twin's tasks that have a node to themselves. */

#include "ref_engine.h"

int ref_engine_alone(const ref_ask *a);
int ref_engine_is_empty(const ref_engine *r, size_t node);

/* What a task of an ask holds of a node that it has to itself. */
void ref_engine_all_of(const ref_engine *r, const ref_ask *a, size_t node,
                       int64_t *amount);

/* May several of its tasks share a node that nothing else does? */
int ref_engine_bunched(const ref_ask *a);

/* How often a group holds its amount: as often as it has tasks, or where these
 * share their node with nothing else, once for all of them. So for what was
 * released. */
int64_t ref_engine_times(const ref_engine *r, const ref_group *g);
int64_t ref_engine_left(const ref_engine *r, const ref_remains *left);

/* What all tasks hold, those included that are over for all but their node. */
void ref_engine_held(const ref_engine *r, int64_t *held);

/* A group of such a task holds that. */
void ref_engine_holds_all(ref_engine *r, ref_group *g);

/* May a node have this capacity, which they hold then? And it has it. */
int ref_engine_may_grow(const ref_engine *r, size_t node,
                        const int64_t *capacity);
void ref_engine_grow(ref_engine *r, size_t node);

/* What bounds are to hold when an ask starts on a node: its step, or all of the
 * nodes that it takes (in `all`). */
const int64_t *ref_engine_step(const ref_engine *r, size_t ask, size_t node,
                               uint32_t partition, int64_t *all);

/* All of the nodes that a gang takes that forms. */
const int64_t *ref_engine_all_at_once(const ref_engine *r, size_t ask,
                                      uint32_t partition, int64_t *all);

#endif
