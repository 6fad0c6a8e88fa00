#ifndef SKEDI_ENGINE_ORDER_DESCEND_H
#define SKEDI_ENGINE_ORDER_DESCEND_H

/*
 * The walk down the tree (core/walk.c) where entries of mixed classes are in
 * play, which differ from each other: child by child, and back again where a
 * leaf turns out to have no entry by which a queue above it goes first.
 */

#include "engine/state.h"

/* The first entry of those with a class in `fit`; there is one. */
uint32_t skedi_descend(sked_engine *e, uint32_t partition, uint64_t fit);

#endif
